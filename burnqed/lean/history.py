"""Typed lines can be edited, and the arrow keys bring back earlier ones, also those of earlier sessions.

The history lies in the user's folder for state. Where that cannot be written, or Python has no readline, lines are read as they come.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import platformdirs

MOST_LINES = 1_000


def history_file() -> Path:
    return platformdirs.user_state_path("burnqed") / "repl_history"


@contextmanager
def line_editing(file: Path) -> Iterator[None]:
    """What `input` reads inside the block is edited by readline, where there is one, and kept in the file."""
    try:
        import readline
    except ImportError:
        yield
        return
    with suppress(OSError):
        readline.read_history_file(file)
    try:
        yield
    finally:
        readline.set_history_length(MOST_LINES)
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            readline.write_history_file(file)
