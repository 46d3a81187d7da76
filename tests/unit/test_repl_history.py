"""Lines typed at `lean repl` can be brought back, in a later session too; where that is impossible they are read all the same."""

from __future__ import annotations

import os
import pty
import sys
import time
from pathlib import Path

import psutil
import pytest

SESSION = """
import sys
from pathlib import Path
from burnqed.lean.history import line_editing
from burnqed.lean.repl import typed
if sys.argv[2] == "without readline":
    sys.modules["readline"] = None
with line_editing(Path(sys.argv[1])):
    while line := typed("next> "):
        print("read", line.strip() or "nothing")
"""
UP, INTERRUPT, END = "\x1b[A", "\x03", "\x04"


def session(keys: list[str], history: Path, how: str = "") -> list[str]:
    """What a session read from a terminal on which these keys were pressed, each at a prompt."""
    process, terminal = pty.fork()
    if process == 0:
        os.execv(sys.executable, [sys.executable, "-c", SESSION, str(history), how])
    said = b""
    for key in keys:
        while not said.endswith(b"next> "):
            said += os.read(terminal, 1024)
        said = said[: -len(b"next> ")]
        # A signal between the prompt and the wait for a key would be seen with the next key only.
        while psutil.Process(process).status() != psutil.STATUS_SLEEPING:
            time.sleep(0.01)
        os.write(terminal, key.encode())
    try:
        while more := os.read(terminal, 1024):
            said += more
    except OSError:  # Linux: the other end is closed
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    return [line.removeprefix("read ") for line in said.decode().splitlines() if line.startswith("read ")]


def test_a_line_of_an_earlier_session_comes_back(tmp_path: Path) -> None:
    history = tmp_path / "state" / "history"
    assert session(["intro n\n", "omega\n", END], history) == ["intro n", "omega"]
    assert session([UP + UP + "\n", END], history) == ["intro n"]


def test_ctrl_c_gives_up_the_line_and_not_the_session(tmp_path: Path) -> None:
    assert session(["rubbish" + INTERRUPT, "rfl\n", END], tmp_path / "history") == ["nothing", "rfl"]


@pytest.mark.parametrize(("history", "how"), [("/dev/null/history", ""), ("history", "without readline")])
def test_without_a_folder_or_readline_lines_are_read_all_the_same(history: str, how: str, tmp_path: Path) -> None:
    assert session(["rfl\n", END], tmp_path / history, how) == ["rfl"]
