"""What callers give, as burnqed takes it; what does not fit is one sentence of BadInput."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.lean.protocol import ProofState, Theorem
from burnqed.resolve import explain


def configured(section: str, settings: dict[str, Any]) -> RunConfig:
    """The defaults, but for `settings` in one section: names, types and defaults as `burnqed config show` lists them."""
    try:
        return RunConfig.model_validate({section: settings})
    except ValidationError as error:
        raise BadInput(explain(error, "keyword arguments")) from None


def as_theorem(theorem: Theorem | str, name: str = "theorem") -> Theorem:
    """`name` is for a statement."""
    if isinstance(theorem, Theorem):
        return theorem
    if not isinstance(theorem, str) or not theorem.strip():
        raise BadInput(
            f"{theorem!r} is not a theorem; give a burnqed.Theorem, or a statement such as '∀ n : Nat, n = n'."
        )
    return Theorem(name=name, statement=theorem)


def as_state(state: ProofState) -> ProofState:
    if not isinstance(state, ProofState):
        raise BadInput(
            f"{state!r} is not a proof state; give the `state` of an outcome, which is None where Lean refused the tactic or the statement."
        )
    return state


def as_address(place: str | os.PathLike[str]) -> str:
    """Of a folder or in a store; `~` is the home folder."""
    if not isinstance(place, str | os.PathLike) or not os.fspath(place):
        raise BadInput(f"{place!r} is not an address; give a folder, or s3://BUCKET/PREFIX.")
    address = os.fspath(place)
    return address if "://" in address else str(Path(address).expanduser())
