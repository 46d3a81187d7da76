"""`--redo search,evaluate`: finished steps to do again."""

from __future__ import annotations

from collections.abc import Iterable

from burnqed.errors import BadInput
from burnqed.resolve import nearest
from burnqed.steps.table import Step, names, present_name


def parse_redo(text: str, steps: Iterable[Step]) -> frozenset[str]:
    """The names in a comma-separated list. Raises BadInput for one that is not among `steps`."""
    known = names(steps)
    redo = [present_name(name.strip()) for name in text.split(",") if name.strip()]
    if wrong := [name for name in redo if name not in known]:
        raise BadInput(
            f"There is no step {wrong[0]!r} to redo here{nearest(wrong[0], known)}; the steps are {', '.join(known)}."
        )
    return frozenset(redo)
