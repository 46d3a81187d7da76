"""What a head is worth, over several seeds: evaluations without and with it, theorem by theorem.

    .venv/bin/burnqed eval --theorems shipped-deep --model MODEL --budgets 64 --recall kept.sqlite --out plain-0
    .venv/bin/burnqed eval --theorems shipped-deep --model MODEL --head HEAD --budgets 64 --recall kept.sqlite --out guided-0
    .venv/bin/python -m benchmarks.head_gain --without plain-0 plain-1 plain-2 --with guided-0 guided-1 guided-2

Any two evaluations of the same theorems can be paired, also those of one iteration and of the next. One pair is one seed. A theorem's seeds are averaged before theorems are drawn anew for an interval (`burnqed/evaluate/effects.py`). The baseline is the search without the head, whose
candidates the other meets at the same states.
"""

from __future__ import annotations

import argparse
from collections import defaultdict

from burnqed.evaluate.effects import EFFECT_COLUMNS, Pairs, effect
from burnqed.evaluate.read import read_evaluations
from burnqed.evaluate.results import EvaluationResult


def only(location: str) -> EvaluationResult:
    [(_, evaluation)] = read_evaluations(location)
    return evaluation


def of_kind(pairs: Pairs) -> dict[str, Pairs]:
    """The same for every kind of deep theorem: the names are `deep::KIND_HASH`."""
    kinds: dict[str, set[str]] = defaultdict(set)
    for outcome in pairs[0][0].per_theorem:
        kinds[outcome.name.removeprefix("deep::").rpartition("_")[0]].add(outcome.name)
    return {
        kind: [(one.over(names), other.over(names)) for one, other in pairs]
        for kind, names in sorted(kinds.items())
        if len(kinds) > 1
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--without", nargs="+", required=True)
    parser.add_argument("--with", nargs="+", required=True, dest="guided")
    given = parser.parse_args()
    pairs = [(only(one), only(other)) for one, other in zip(given.without, given.guided, strict=True)]
    budgets = sorted({row.budget for row in pairs[0][0].budgets} & {row.budget for row in pairs[0][1].budgets})
    for budget in budgets:
        counts = [tuple(next(row.solved for row in e.budgets if row.budget == budget) for e in pair) for pair in pairs]
        print(f"{budget} nodes, solved without and with: {', '.join(f'{a} / {b}' for a, b in counts)} of {pairs[0][0].at_largest.total}")  # fmt: skip
        print(" | ".join(EFFECT_COLUMNS))
        for kind, some in {"all": pairs, **of_kind(pairs)}.items():
            print(" | ".join(effect(kind, "without", "with", some, budget).cells))


if __name__ == "__main__":
    main()
