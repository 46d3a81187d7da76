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
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT
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
    late: bool = False
    """Whether its deadline ended it."""
    outputs: dict[str, str] = field(default_factory=dict)


class Pod:
    """One attempt to run a container template. `values` replace its placeholders; `folder` is empty and used by nothing else."""

    def __init__(self, template: Mapping[str, Any], values: Mapping[str, str], folder: Path, echo: Echo) -> None:
        self.template = template
        self.values = values
        self.folder = folder
        self.scratch = folder / "scratch"
        self.scratch.mkdir()
        self.echo = echo
        self._ports: defaultdict[str, str] = defaultdict(lambda: str(free_port()))
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
        return Ended(code if code >= 0 else 128 - code, late, outputs)

    def _start(self, container: Mapping[str, Any], log: Path, echo: Echo | None) -> Child:
        words = [substitute(word, self.values) for word in [*container.get("command", []), *container.get("args", [])]]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", "TMPDIR": str(self.scratch)}
        for variable in container.get("env", []):
            value = substitute(variable.get("value", ""), self.values)
            environment[variable["name"]] = self._local(variable["name"], value)
        words[:1] = PROGRAMS.get(words[0], words[:1])
        child = Child(words, env=environment, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT)
        self._children.append(child)
        assert child.stdout is not None
        reader = threading.Thread(target=_drain, args=(child.stdout, log, echo), daemon=True)
        reader.start()
        self._readers.append(reader)
        return child

    def _local(self, name: str, value: str) -> str:
        if name.endswith("_PORT"):
            return self._ports[value]
        return self._place(value) if value.startswith(SCRATCH) else value

    def _place(self, path: str) -> str:
        place = self.scratch / path.removeprefix(SCRATCH)
        place.parent.mkdir(parents=True, exist_ok=True)
        return str(place)

    def _outputs(self) -> dict[str, str]:
        declared = self.template.get("outputs", {}).get("parameters", [])
        files = {p["name"]: Path(self._place(p["valueFrom"]["path"])) for p in declared}
        return {name: file.read_text(encoding="utf-8").strip() for name, file in files.items() if file.is_file()}

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
