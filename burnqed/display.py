r"""Text from outside (names, statements, goals, Lean's messages), shown such that it cannot pass for burnqed's own.

    shown(name)                      # one line: `a\nb`, `\x1b[2K`, `\u202e` are spelled out
    shown_lines(message, "    ")     # its lines, all but the first behind an indent
    tell(console, "refused  ", name) # on a terminal: our label, and their text in a separate column
    table.add_row(cell(name), "1")  # in a table
    as_json(document)                # JSON that means the same and holds no such character

Terminals, logs, reports and JSON documents all go through here. On a rich console such text is always `Text`, never markup.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text


def shown(text: str) -> str:
    """The text in one line; characters that are invisible or change how other text is shown are spelled out as in a Python string."""
    return text if text.isascii() and text.isprintable() else _replaced(text, _spelled)


def shown_lines(text: str, indent: str = "    ") -> str:
    """The text with its line breaks, and `indent` before all lines but the first."""
    return f"\n{indent}".join(shown(line) for line in text.replace("\r\n", "\n").split("\n"))


def wide() -> Console:
    """As wide as the terminal; 120 columns where there is none."""
    return Console(width=None if Console().is_terminal else 120)


def tell(console: Console, label: str, text: str, style: str = "") -> None:
    """Prints our label and their text. Further and wrapped lines of the text are aligned with its first one."""
    theirs = shown_lines(text, " " * len(label))
    if console.is_terminal:
        columns = Table.grid()
        columns.add_column(width=len(label), no_wrap=True)
        columns.add_column(overflow="fold")
        columns.add_row(Text(label, style), Text(shown_lines(text, "")))
        console.print(columns)
    else:
        console.print(Text(label, style) + Text(theirs), soft_wrap=True)


def cell(text: str) -> Text:
    """Their text in a table, or in a line of ours."""
    return Text(shown(text))


def as_json(document: Any, *, indent: int | None = None) -> str:
    r"""JSON that people can read: letters as they are, and what `shown` would spell out as `\u202e`."""
    lines = json.dumps(document, ensure_ascii=False, indent=indent).split(
        "\n"
    )  # json.dumps has escaped line breaks inside texts
    return "\n".join(_replaced(line, _escaped) for line in lines)


def _spelled(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def _escaped(character: str) -> str:
    return json.dumps(character)[1:-1] if character != "\x7f" else "\\u007f"


def _replaced(text: str, by: Callable[[str], str]) -> str:
    from burnqed.unshown import UNSHOWN  # takes a tenth of a second, which most commands can save

    return str(UNSHOWN.sub(lambda found: by(found[0]), text))
