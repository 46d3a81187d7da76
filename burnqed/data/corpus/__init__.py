"""The shipped corpus: core-Lean theorems with flat tactic proofs, written for this project, one .lean file per topic.

Every theorem is `theorem NAME : STATEMENT := by`, with a closed proposition under the default header, and then one tactic per
line, indented by two spaces, each acting on the first goal; lines indented further belong to the tactic above.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from textwrap import dedent

from burnqed.lean.protocol import Theorem

_THEOREM = re.compile(r"^theorem (\S+) : ((?s:.+?)) := by\n((?:  .*\n?)+)", re.MULTILINE)
_CONTINUES = (" ", "|", "<;>")
"""How a line that belongs to the tactic above it begins: further indentation, an alternative, or `<;>`."""


@dataclass(frozen=True)
class CorpusTheorem:
    theorem: Theorem
    """Named `corpus::NAME`; the statement is a closed proposition."""
    tactics: tuple[str, ...]
    """The proof, one tactic (with its continuation lines) after another."""
    topic: str
    """The file it is in: `sums`, `lists`, …"""


def split_tactics(block: str) -> tuple[str, ...]:
    """The tactics of a flat block, as it stands after `by`; continuation lines keep their indentation below the tactic."""
    tactics: list[str] = []
    for line in dedent(block).splitlines():
        if not line.strip():
            continue
        if tactics and line.startswith(_CONTINUES):
            tactics[-1] += "\n" + line.rstrip()
        else:
            tactics.append(line.strip())
    return tuple(tactics)


def load_corpus() -> list[CorpusTheorem]:
    """All theorems, by topic in alphabetical order, then in the order of the file."""
    files = sorted(f.name for f in resources.files(__name__).iterdir() if f.name.endswith(".lean"))
    return [theorem for name in files for theorem in _parse(name)]


def _parse(file: str) -> list[CorpusTheorem]:
    text = (resources.files(__name__) / file).read_text(encoding="utf-8")
    theorems = [
        CorpusTheorem(
            Theorem(name=f"corpus::{name}", statement=" ".join(statement.split())),
            split_tactics(block),
            file.removesuffix(".lean"),
        )
        for name, statement, block in _THEOREM.findall(text)
    ]
    if len(theorems) != len(re.findall(r"^theorem ", text, re.MULTILINE)):
        raise ValueError(
            f"burnqed/data/corpus/{file} holds a theorem that is not of the form `theorem NAME : STATEMENT := by`"
        )
    return theorems
