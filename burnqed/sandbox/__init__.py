"""Programs that run what a model wrote: started with nothing but what they need.

    command = confined([node, "repl.cjs"], readable=[library], scratch=None, environment={})
    process = subprocess.Popen(command, stdin=PIPE, stdout=PIPE)

It needs no rights, and is the same in a pod, in a container and on a laptop with Linux (docs/security.md).
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from burnqed.errors import BadInput
from burnqed.findings import Finding
from burnqed.log import log
from burnqed.sandbox import launch

LAUNCH = Path(launch.__file__)


@dataclass(frozen=True)
class Offer:
    """What this kernel has to confine a program with."""

    seccomp: bool
    """A filter for system calls: no sockets, no other programs, no signals to others."""
    landlock: int
    """Version of Landlock's interface, which opens only the files that are named; 0 where there is none."""

    @property
    def lacking(self) -> str:
        """What a confined program can do for want of one; empty when there are both."""
        if not self.seccomp:
            return "programs that run a model's tactics are not kept from the network, from other programs, or from this user's processes"
        if not self.landlock:
            return "programs that run a model's tactics can read what this user can read (and write nothing)"
        return ""


@cache
def offer() -> Offer:
    return Offer(launch.has_seccomp(), launch.landlock_version())


@cache
def warn() -> None:
    if offer().lacking:
        log.warning("this system lacks %s: %s (docs/security.md)", missing(), offer().lacking)


def missing() -> str:
    return " and ".join(name for name, has in (("seccomp", offer().seccomp), ("Landlock", offer().landlock)) if not has)


def findings() -> list[Finding]:
    """For `burnqed doctor`."""
    found = offer()
    parts = [*(["seccomp"] if found.seccomp else []), *([f"Landlock {found.landlock}"] if found.landlock else [])]
    advice = f"{found.lacking}; use Linux 5.13 or newer with {missing()}" if found.lacking else ""
    return [Finding("sandbox", ", ".join(parts) or "none", advice, needed=False)]


def confined(
    command: Sequence[str],
    *,
    readable: Sequence[Path],
    scratch: Path | None,
    environment: Mapping[str, str],
) -> list[str]:
    """The command line that runs `command` confined: a native program (a script cannot be), which becomes the process that is started.

    It reads the system's libraries and what is below `readable`, writes below `scratch` only, and has the variables of `environment`
    and standard input, output and error, nothing else that is this process's. It may start threads, but no process.
    How much memory and how many threads it uses is not limited here: Lean reserves far more addresses than memory, and the kernel counts
    processes by user. Whoever starts it watches its resident memory. Where Landlock is missing it writes nothing, in `scratch` neither.

    Raises BadInput when there is no such program. A call that is refused fails in the program with EPERM, EACCES or ENOSYS.
    """
    program = shutil.which(command[0])
    if program is None:
        raise BadInput(f"The program {command[0]} was not found or cannot be executed.")
    with open(program, "rb") as file:
        if file.read(2) == b"#!":
            raise BadInput(
                f"{program} is a script; only a native program can be started confined. Name the program that it starts."
            )
    warn()
    settings = {
        "command": [str(Path(program).absolute()), *command[1:]],
        "readable": [str(path.absolute()) for path in readable],
        "scratch": None if scratch is None else str(scratch.absolute()),
        "environment": dict(environment),
        "seccomp": offer().seccomp,
        "landlock": offer().landlock,
    }
    return [sys.executable, "-I", "-S", str(LAUNCH), json.dumps(settings)]
