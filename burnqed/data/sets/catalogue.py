"""The data sets that burnqed knows by name (`sets.yaml`), and the form in which any other is described.

known()["lean-github"].columns        # {"theorem": "full_name", "state": "state_before", …}
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from burnqed.yaml_files import parse_yaml


class Kind(StrEnum):
    """What the rows of a data set are."""

    THEOREMS = "theorems"
    """Statements to search or to evaluate on; becomes a theorem index."""
    PROOFS = "proofs"
    """Statements with whole proofs."""
    PAIRS = "pairs"
    """Proof states with the tactic that was applied."""


TARGETS: dict[Kind, dict[str, bool]] = {
    Kind.THEOREMS: {"name": False, "statement": True, "header": False, "file_path": False, "split": False},
    Kind.PROOFS: {
        "name": False,
        "statement": False,
        "header": False,
        "proof": True,
        "file_path": False,
        "split": False,
    },
    Kind.PAIRS: {
        "theorem": True,
        "state": True,
        "tactic": True,
        "state_after": False,
        "depth": False,
        "num_goals": False,
        "file_path": False,
        "split": False,
    },
}
"""What columns are mapped to, by kind, and whether every row needs it. A `statement` or `proof` may hold the whole text, header included."""

POSITION = "#"
"""Stands for the position within `each`, from 0."""


class DataSet(BaseModel):
    """How to read a data set."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    kind: Kind
    source: str = Field(pattern=r"^[\w.+-]+$")
    """Namespace of its theorems: `github` in `github::Nat.foo`."""
    columns: dict[str, str]
    """Target → column. `a.b` is the field b within a; `a|b` is a, or b where a has nothing."""
    each: str = ""
    """A column that holds a list: every element becomes a row, whose fields are `EACH.field`."""
    where: dict[str, list[str]] = {}
    """Rows are used if each of these columns has one of these values."""
    only_if: dict[str, dict[str, list[str]]] = {}
    """Column → condition as in `where`, without which the column counts as empty."""
    counted: list[str] = []
    """Columns whose values the report counts."""
    distinct_by: list[str] = []
    """Columns that tell theorems of the same name apart: repository, file."""
    benchmark: bool = False
    """Whether it is evaluated on: statements that do not elaborate are then reported but stay."""
    hub: str = ""
    """Its id on the Hugging Face hub."""
    home: str = ""
    """Where it is to be had when not on the hub."""
    files: dict[str, list[str]] = {}
    """Patterns of its files, by split; `all` where one file has several splits, or the set has none."""
    lean: str
    """Version of Lean that it was made with."""
    proofs: Literal["none", "tactics", "tactics or terms", "states and tactics"]
    licence: str
    rows: str
    verified: str
    """Where columns, files and licence were seen, or `not verified`."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        check_columns(self.kind, self.columns)
        return self

    @property
    def patterns(self) -> list[str]:
        return [pattern for patterns in self.files.values() for pattern in patterns]


def check_columns(kind: Kind, columns: dict[str, str]) -> None:
    """Raises ValueError for a target that the kind does not have, or one that it needs and lacks."""
    targets = TARGETS[kind]
    if unknown := [target for target in columns if target not in targets]:
        raise ValueError(f"{unknown[0]!r} is nothing that {kind} have; columns are mapped to {', '.join(targets)}")
    if missing := [target for target, needed in targets.items() if needed and target not in columns]:
        raise ValueError(f"no column is mapped to {missing[0]!r}, which {kind} need")


def kind_of(columns: dict[str, str]) -> Kind:
    """What a column map without a name describes."""
    if "tactic" in columns or "state" in columns:
        return Kind.PAIRS
    return Kind.PROOFS if "proof" in columns else Kind.THEOREMS


@cache
def known() -> dict[str, DataSet]:
    """All named data sets, by name."""
    text = (resources.files("burnqed.data.sets") / "sets.yaml").read_text(encoding="utf-8")
    return {name: DataSet.model_validate(entry) for name, entry in parse_yaml(text, "sets.yaml").items()}
