"""A pod of a workflow as processes on this machine: the main container, and its sidecars in the background.

Environment variables carry what differs from a cluster: one whose name ends in `_PORT` gets a free port (the same for all
containers of the pod); one whose value is a path below /tmp gets a path in the pod's own folder, where temporary files go as well.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from burnqed.lifeline import Child
from burnqed.machine import free_port
from burnqed.run.expressions import substitute

SCRATCH = "/tmp/"
GRACE_S = 10.0
"""Time between SIGTERM and SIGKILL."""
PROGRAMS = {"burnqed": [sys.executable, "-m", "burnqed.cli.main"], "python": [sys.executable]}
"""The programs that a command's first word stands for, independently of PATH."""

Echo = Callable[[str], None]


@dataclass(frozen=True)
class Ended:
    """How one attempt to run a pod ended."""

    exit_code: int
    seconds: float
    late: bool = False
    """Whether its deadline ended it."""
    outputs: dict[str, str] = field(default_factory=dict)


class Pod:
    """One attempt to run a container template. `values` replace its placeholders; `folder` is empty and used by nothing else."""

    def __init__(
        self, name: str, template: Mapping[str, Any], values: Mapping[str, str], folder: Path, echo: Echo
    ) -> None:
        self.name = name
        self.template = template
        self.values = values
        self.folder = folder
        self.scratch = folder / "scratch"
        self.scratch.mkdir()
        self.echo = echo
        self._ports: dict[str, str] = {}
        self._children: list[Child] = []
        self._readers: list[threading.Thread] = []

    async def run(self) -> Ended:
        """Runs the main container to its end, or to the deadline, and ends the sidecars."""
        started = time.monotonic()
        deadline = self.template.get("activeDeadlineSeconds")
        try:
            for sidecar in self.template.get("sidecars", []):
                self._start(sidecar, self.folder / f"{sidecar['name']}.log", None)
            main = self._start(self.template["container"], self.folder / "main.log", self.echo)
            late = False
            while main.poll() is None and not late:
                await asyncio.sleep(0.05)
                late = deadline is not None and time.monotonic() - started > int(deadline)
        finally:
            await asyncio.to_thread(self._end)
        code = main.returncode
        outputs = self._outputs() if code == 0 and not late else {}
        return Ended(code if code >= 0 else 128 - code, time.monotonic() - started, late, outputs)

    def _start(self, container: Mapping[str, Any], log: Path, echo: Echo | None) -> Child:
        words = [substitute(word, self.values) for word in [*container.get("command", []), *container.get("args", [])]]
        environment = {
            e["name"]: self._local(e["name"], substitute(e.get("value", ""), self.values))
            for e in container.get("env", [])
        }
        log.parent.mkdir(parents=True, exist_ok=True)
        pipe: dict[str, Any] = {"stdin": -3, "stdout": -1, "stderr": -2}  # DEVNULL, PIPE, STDOUT
        child = Child(
            [*PROGRAMS.get(words[0], words[:1]), *words[1:]],
            env={**os.environ, "PYTHONUNBUFFERED": "1", "TMPDIR": str(self.scratch), **environment},
            **pipe,
        )
        self._children.append(child)
        assert child.stdout is not None
        reader = threading.Thread(target=_drain, args=(child.stdout, log, echo), daemon=True)
        reader.start()
        self._readers.append(reader)
        return child

    def _local(self, name: str, value: str) -> str:
        if name.endswith("_PORT"):
            if value not in self._ports:
                self._ports[value] = str(free_port())
            return self._ports[value]
        return self._place(value) if value.startswith(SCRATCH) else value

    def _place(self, path: str) -> str:
        place = self.scratch / path.removeprefix(SCRATCH)
        place.parent.mkdir(parents=True, exist_ok=True)
        return str(place)

    def _outputs(self) -> dict[str, str]:
        found = {}
        for parameter in self.template.get("outputs", {}).get("parameters", []):
            path = Path(self._place(parameter["valueFrom"]["path"]))
            if path.is_file():
                found[parameter["name"]] = path.read_text(encoding="utf-8").strip()
        return found

    def _end(self) -> None:
        for child in self._children:
            if child.poll() is None:
                child.terminate()
        for child in self._children:
            child.end(GRACE_S)
        for reader in self._readers:
            reader.join(GRACE_S)


def _drain(stream: IO[bytes], log: Path, echo: Echo | None) -> None:
    with log.open("wb", buffering=0) as file:
        for line in stream:
            with suppress(OSError):  # the disk is full; keep reading, or the writer would block
                file.write(line)
            if echo:
                echo(line.decode("utf-8", "replace").rstrip("\n"))
    stream.close()
