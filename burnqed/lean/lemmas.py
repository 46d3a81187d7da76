"""The theorems of a Lean's library, as text: what lemma retrieval (`burnqed.policy.retrieval`) chooses from.

Not every backend can list them, so that this is no part of `burnqed.lean.protocol.LeanBackend`: one that can has a method `lemmas`.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict

from burnqed.config import LeanConfig
from burnqed.errors import BadInput
from burnqed.lean.backends import open_lean, open_unlimited


class Lemma(BaseModel):
    """A theorem of the library."""

    model_config = ConfigDict(frozen=True)

    name: str
    """In full, as a tactic names it."""
    statement: str
    """As Lean prints it, without a header's notation."""


@runtime_checkable
class LemmaLibrary(Protocol):
    """A backend that can list the library's lemmas, in an order that is always the same."""

    async def lemmas(self) -> list[Lemma]:
        """Without those that Lean makes up by itself, its tactics' own, private and deprecated ones. To be called in its `async with`."""
        ...


def check_lemmas(config: LeanConfig) -> None:
    """Raises BadInput for a backend that cannot list lemmas."""
    if not isinstance(open_unlimited(config), LemmaLibrary):
        raise BadInput(
            f"policy.lemmas offers lemmas of the library, which the Lean backend {config.backend} cannot list; set policy.lemmas=0, or "
            "lean.backend=embedded."
        )


async def library_lemmas(config: LeanConfig) -> list[Lemma]:
    """Those of the library that theorems may refer to, by name; takes half a minute. Raises as `check_lemmas` and entering the backend do."""
    check_lemmas(config)
    async with open_lean(LeanConfig(backend=config.backend, project=config.project, workers=1)) as lean:
        assert isinstance(lean, LemmaLibrary)
        return await lean.lemmas()
