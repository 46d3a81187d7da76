"""Tactic pairs: one proof state and the tactic that a proof applied to it, one JSON object per line.

{"theorem": "corpus::add_comm'", "state": "a b : Nat\\n⊢ a + b = b + a", "tactic": "omega", "depth": 0, "source": "corpus", "num_goals": 1}
"""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from burnqed.errors import BadInput
from burnqed.store import Store


class TacticPair(BaseModel):
    """A step of a proof that Lean accepted."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    theorem: str = Field(min_length=1)
    """Name with its source, as in `github::Nat.foo`."""
    state: str
    """Goals before the tactic, as `ProofState.text` prints them."""
    tactic: str
    state_after: str | None = None
    """Goals after it; empty when none remain."""
    depth: int | None = Field(None, ge=0)
    """Tactics between the root and `state`; None where the data set does not say."""
    source: str
    """Where it was traced: `corpus`, `github`, `search`, …"""
    num_goals: int | None = Field(None, ge=0)
    """Goals of `state`."""
    log_prob: float | None = None
    """Of the tactic under the policy that found it; None where no policy proposed it."""


def parse_pairs(text: str, where: str) -> list[TacticPair]:
    """Pairs of a JSONL document; blank lines are skipped. Raises BadInput naming the line that is not a pair."""
    pairs = []
    # not splitlines: a JSON string may hold other line separators, as U+2028
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            pairs.append(TacticPair.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            raise BadInput(
                f"{where}, line {number}, is not a tactic pair ({f'{field}: ' if field else ''}{first['msg']}); "
                'each line is a JSON object such as {"theorem", "state", "tactic", "source"}.'
            ) from None
    return pairs


def read_pairs(store: Store, path: str) -> list[TacticPair]:
    """All pairs of a file in the store. Raises BadInput when it is absent or malformed."""
    try:
        text = store.read_text(path)
    except UnicodeDecodeError as error:
        raise BadInput(f"{store.locate(path)} is not UTF-8 text (byte {error.start}); convert it.") from None
    return parse_pairs(text, store.locate(path))


def write_pairs(store: Store, path: str, pairs: Iterable[TacticPair]) -> None:
    store.write_text(path, "".join(pair.model_dump_json(exclude_none=True) + "\n" for pair in pairs))
