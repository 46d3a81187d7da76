"""Why one theorem went differently: two searches as trees, and where they part.

burnqed compare runs/main/iterations/iter_0 runs/main/iterations/iter_1 --explain core::le_trans
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from burnqed.data.inspection.sources import Source
from burnqed.data.inspection.trajectories import Row, tree
from burnqed.errors import BadInput
from burnqed.evaluate.read import Labelled

ITERATION = re.compile(r".*/iterations/iter_\d+")


def explain(results: Sequence[tuple[str, Labelled]], theorem: str, sample: int = 0) -> list[list[str]]:
    """For each evaluation, with the address it was read from, the lines of its search of the theorem; at last what they have in common, where there are two.

    Raises BadInput when one has no such search.
    """
    searches = []
    for location, (_, evaluation) in results:
        if theorem not in {outcome.name for outcome in evaluation.per_theorem}:
            raise BadInput(
                f"The benchmark {evaluation.benchmark} has no theorem {theorem!r}; `compare` names those that differ."
            )
        inside = ITERATION.match(location)
        folder = location.rstrip("/")
        if folder.rpartition("/")[2] == "results.json":
            folder = folder.rpartition("/")[0] or "."
        address = f"{inside[0]}/evaluation/{evaluation.benchmark}/{evaluation.variant}" if inside else folder
        searches.append(Source(address).search(theorem, sample))
    told = [[f"{label}, {e.variant}", *tree(rows)] for (_, (label, e)), rows in zip(results, searches, strict=True)]
    return [*told, parting(*searches)] if len(searches) == 2 else told


def parting(one: list[Row], other: list[Row]) -> list[str]:
    """How many states both expanded first, in the same order, and what each did next."""
    first, second = expanded(one), expanded(other)
    same = next(
        (n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )
    lines = [f"Expanded alike at first: {same} of {len(first)} and {len(second)} states."]
    if same == len(first) == len(second):
        return lines
    for name, states in (("first", first), ("second", second)):
        following = f"expands\n{states[same]}" if same < len(states) else "ends"
        lines += f"Then the {name} {following}".split("\n")
    return lines


def expanded(rows: list[Row]) -> list[str]:
    """The states in the order in which they were expanded."""
    visited = sorted(
        (row["visit_order"], row["state"] or row["root_state"]) for row in rows if row["visit_order"] is not None
    )
    return [state for _, state in visited]
