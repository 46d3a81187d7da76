"""Comparing evaluations over several seeds: each side of the comparison is one evaluation for each seed.

    burnqed compare main/iterations/iter_0,s1/iterations/iter_0 main/iterations/iter_1,s1/iterations/iter_1

A theorem's seeds are averaged before theorems are drawn anew for an interval (`burnqed/evaluate/effects.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from burnqed.errors import BadInput
from burnqed.evaluate.compare import common_budgets, differences, side, trained
from burnqed.evaluate.effects import Effect, Pairs, effect
from burnqed.evaluate.parts import LENGTH, divisions
from burnqed.evaluate.read import Labelled, read_results
from burnqed.evaluate.results import Result

SEPARATOR = ","


class SeededSide(Result):
    """What is compared."""

    name: str
    """`1`, `2`, …"""
    labels: list[str]
    """One for each seed, like what follows."""
    variant: str
    solved: dict[int, list[int]]
    """By budget."""
    total: int


class SeededComparison(Result):
    benchmark: str
    benchmark_hash: str
    sides: list[SeededSide]
    effects: list[Effect]
    """From each side to the next, and from the first to the last, at each common budget."""
    parts: dict[str, list[Effect]]
    """From the first side to the last at the largest common budget, over parts of the benchmark, by each quality that tells them apart."""
    notes: list[str]


def read_seeds(
    sides: Sequence[Sequence[str]], variant: str | None = None, benchmark: str | None = None
) -> list[list[Labelled]]:
    """By seed, the evaluations to compare, in the order of the sides, each of which has one address for each seed.

    Raises BadInput if the sides have unequal numbers of seeds, and as `read_results` does.
    """
    if len({len(side) for side in sides}) > 1 or not all(where for side in sides for where in side):
        counts = "; ".join(f"{SEPARATOR.join(side)}: {len(side)}" for side in sides)
        raise BadInput(f"Each side needs one address for each seed, in the same order ({counts}).")
    results = read_results([where for side in sides for where in side], variant, benchmark)
    seeds = len(sides[0])
    return [results[k::seeds] for k in range(seeds)]


def compare_seeds(seeds: Sequence[Sequence[Labelled]]) -> SeededComparison:
    """Compares the sides over all seeds. Raises BadInput when they cannot be compared."""
    common_budgets(seeds[0])  # there are two sides
    everything = [labelled for sides in seeds for labelled in sides]
    budgets, (_, first) = common_budgets(everything), everything[0]
    numbers = range(len(seeds[0]))
    for i in numbers:
        if len({sides[i][1].variant for sides in seeds}) > 1:
            found = ", ".join(f"{label}: {e.variant}" for label, e in (sides[i] for sides in seeds))
            raise BadInput(f"The seeds of one side are evaluated alike, with a head or without ({found}).")
        twice = [label for k, (label, e) in enumerate(s[i] for s in seeds) if any(e == s[i][1] for s in seeds[:k])]
        if twice:
            raise BadInput(f"{twice[0]} is one seed twice on its side; name one of them.")
    steps = [*pairwise(numbers), *([(0, numbers[-1])] if len(numbers) > 2 else [])]

    def pairs(one: int, other: int) -> Pairs:
        return [(sides[one][1], sides[other][1]) for sides in seeds]

    largest, ends = budgets[-1], pairs(0, -1)
    divided = divisions(first, [e for _, e in everything])
    return SeededComparison(
        benchmark=first.benchmark,
        benchmark_hash=first.benchmark_hash,
        sides=[
            SeededSide(
                name=str(i + 1),
                labels=[one.label for one in here],
                variant=here[0].variant,
                solved={b: [one.solved[b] for one in here] for b in budgets},
                total=here[0].total,
            )
            for i in numbers
            for here in [[side(*sides[i], budgets) for sides in seeds]]
        ],
        effects=[
            effect(f"{budget} nodes", str(one + 1), str(other + 1), pairs(one, other), budget)
            for budget in budgets
            for one, other in steps
        ],
        parts={
            by: [
                effect(name, "1", str(len(numbers)), [(a.over(theorems), b.over(theorems)) for a, b in ends], largest)
                for name, theorems in parts.items()
            ]
            for by, parts in divided.items()
            if by != LENGTH  # which depends on what was proved
        },
        notes=notes_on(seeds, largest),
    )


def notes_on(seeds: Sequence[Sequence[Labelled]], budget: int) -> list[str]:
    """One sentence for each setting but seeds in which those of one side differ, for each in which the sides do, and for each model that was trained on theorems of the benchmark."""
    of_sides = [
        f"side {i + 1}: {note}"
        for i in range(len(seeds[0]))
        for note in differences([sides[i][1] for sides in seeds])
        if not note.partition(" differs")[0].endswith(".seed")
    ]
    between = [note for sides in seeds for note in (*differences([e for _, e in sides]), *trained(sides, budget))]
    return list(dict.fromkeys([*of_sides, *between]))
