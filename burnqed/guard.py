"""Runs a command and ends all of it when nobody is left who wants it, or when it takes too much memory.

    python -I guard.py MEMORY_MB STATUS COMMAND…

The command has this program's standard input, output and error for itself. STATUS is the descriptor of a pipe that gets a line of JSON every
half second, {"memory_mb"}, and at the end {"death": why, "is_killed": whether somebody else's signal did it}. When its reader is gone,
however that came about, or when this program gets SIGTERM, everything that the command started is killed. Whatever leaves its parent or its
process group comes to this program (on Linux), so nothing escapes.

Memory is what is resident and belongs to the processes alone: files that they map, as Lean does with libraries of gigabytes, are shared by
all workers, and the system takes their memory back when it needs it.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress

import psutil

PERIOD_MS = 500
KILL_SECONDS = 5.0
IS_LINUX = sys.platform == "linux"
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h


def main(memory_mb: float, status: int, command: list[str]) -> None:
    if IS_LINUX:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    os.set_inheritable(status, False)
    try:
        child = subprocess.Popen(command, preexec_fn=die_with_parent if IS_LINUX else None)
    except OSError as error:
        tell(status, death=f"{command[0]} cannot be run: {error.strerror}", is_killed=False)
        return
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):  # from now on the child's alone
        os.dup2(nothing, descriptor)
    death = watch(child, memory_mb, status, woken)
    is_killed = child.poll() in (-signal.SIGKILL, -signal.SIGTERM)
    kill_all()
    tell(status, death=death, is_killed=is_killed)


def die_with_parent() -> None:
    """For the case that this program is killed itself."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def watch(child: subprocess.Popen[bytes], memory_mb: float, status: int, woken: int) -> str:
    """How the child ended, or why it has to."""
    poll = select.poll()
    poll.register(status, 0)  # only that its reader is gone
    poll.register(woken, select.POLLIN)
    due = 0.0
    while True:
        for descriptor, _ in poll.poll(PERIOD_MS):
            if descriptor == status:
                return "nobody waits for it"
            if signal.SIGTERM in os.read(woken, 4096):
                return "the process was ended"
        reap_orphans(child.pid)
        if (code := child.poll()) is not None:
            return (
                f"the process was killed by signal {-code}" if code < 0 else f"the process ended (exit status {code})"
            )
        if time.monotonic() < due:
            continue
        due = time.monotonic() + PERIOD_MS / 1000
        used = sum(memory(process) for process in descendants()) / 2**20
        tell(status, memory_mb=round(used, 1))
        if used > memory_mb:
            return f"the process used {used:.0f} MB, more than its {memory_mb:.0f} MB"


def reap_orphans(child: int) -> None:
    """Takes leave of what ended after its parent had."""
    while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and ended.si_pid != child:
        os.waitpid(ended.si_pid, 0)


def descendants() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


def memory(process: psutil.Process) -> int:
    """Bytes of a process that are resident and its own; 0 when it is gone."""
    try:
        if not IS_LINUX:
            return int(process.memory_info().rss)
        with open(f"/proc/{process.pid}/status", encoding="ascii", errors="replace") as file:
            sizes = dict(line.split(":", 1) for line in file)
        return sum(int(sizes[name].split()[0]) * 1024 for name in ("RssAnon", "RssShmem") if name in sizes)
    except (psutil.Error, OSError):
        return 0


def kill_all() -> None:
    deadline = time.monotonic() + KILL_SECONDS
    while (left := descendants()) and time.monotonic() < deadline:
        for process in left:
            with suppress(psutil.Error):
                process.kill()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.005)


def tell(status: int, **what: object) -> None:
    with suppress(BrokenPipeError):
        os.write(status, json.dumps(what).encode() + b"\n")


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
