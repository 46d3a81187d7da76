"""Child processes end when their parent does, even when it is killed.

The parent holds the write end of a pipe; the child watches the read end (descriptor in $BURNQED_LIFELINE) and ends at
end-of-file. The kernel closes the pipe however the parent dies, on Linux and macOS alike. Every `burnqed` command calls `watch`; other
programs run under a guard that watches a pipe for them.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from burnqed.errors import EXIT_TRY_AGAIN

VARIABLE = "BURNQED_LIFELINE"
GUARD = Path(__file__).with_name("guard.py")


def watch() -> None:
    """Ends this process (exit code 75) as soon as the parent that set $BURNQED_LIFELINE is gone."""
    descriptor = os.environ.pop(VARIABLE, None)
    if descriptor is None:
        return
    fd = int(descriptor)
    os.set_inheritable(fd, False)

    def wait() -> None:
        while os.read(fd, 1):
            pass
        os._exit(EXIT_TRY_AGAIN)

    threading.Thread(target=wait, daemon=True, name="lifeline").start()


class Child(subprocess.Popen[bytes]):
    """A subprocess that calls `watch`; it ends when this process does, or when `close_lifeline` is called."""

    def __init__(self, args: Sequence[str], *, env: Mapping[str, str] | None = None, **options: Any) -> None:
        read, self._write = os.pipe()
        env = {**(os.environ if env is None else env), VARIABLE: str(read)}
        try:
            super().__init__(args, env=env, pass_fds=(read,), **options)
        except BaseException:
            self.close_lifeline()
            raise
        finally:
            os.close(read)

    def close_lifeline(self) -> None:
        if self._write >= 0:
            os.close(self._write)
            self._write = -1

    def end(self, grace_s: float) -> int:
        """SIGTERM, then SIGKILL after `grace_s` seconds. Returns the exit code."""
        if self.poll() is None:
            self.terminate()
            try:
                self.wait(grace_s)
            except subprocess.TimeoutExpired:
                self.kill()
        code = self.wait()
        self.close_lifeline()
        return code


class Guarded(subprocess.Popen[bytes]):
    """A program that does not call `watch`, and all that it starts: killed when it ends, when this process does, and by `end`."""

    def __init__(self, command: Sequence[str], *, env: Mapping[str, str] | None = None, **options: Any) -> None:
        self.death = ""
        """How it ended; empty while it lives, or when it was the guard that was killed."""
        read, write = os.pipe()
        guarded = [sys.executable, "-I", str(GUARD), str(math.inf), str(write), *command]
        try:
            super().__init__(guarded, env=env, pass_fds=(write,), start_new_session=True, **options)
        except BaseException:
            os.close(read)
            raise
        finally:
            os.close(write)
        threading.Thread(target=self._listen, args=(read,), daemon=True, name="guard").start()

    def _listen(self, status: int) -> None:
        with open(status, encoding="utf-8") as lines:
            for line in lines:
                self.death = json.loads(line).get("death", self.death)

    def end(self, grace_s: float) -> None:
        """Has the guard kill everything; kills the guard after `grace_s` seconds."""
        self.terminate()
        try:
            self.wait(grace_s)
        except subprocess.TimeoutExpired:
            self.kill()
            self.wait()
        with suppress(ProcessLookupError, PermissionError):  # what a guard that was killed has left
            os.killpg(self.pid, signal.SIGKILL)
