"""What is solved of the parts of a benchmark: by source, by kind, by difficulty, by length of the shortest known proof.

for table in breakdown([("without head", plain), ("with head", head)]): print(table.by, [(part.name, part.rates) for part in table.parts])
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from burnqed.data.corpus import split_tactics
from burnqed.data.theorems import namespace
from burnqed.evaluate.compare import change, solved_at
from burnqed.evaluate.intervals import percent, signed, wilson
from burnqed.evaluate.read import Labelled
from burnqed.evaluate.results import EvaluationResult, Result, TheoremOutcome
from burnqed.trajectory.schema import ProofStatus

SOURCE, KIND, DIFFICULTY, LENGTH = "source", "kind", "difficulty", "tactics of the shortest known proof"
EASY, HARD, UNPROBED = "a single probe tactic proves it", "no probe tactic does", "not probed"
LENGTHS = ((1, "1"), (2, "2"), (3, "3"), (7, "4 to 7"), (1 << 30, "8 and more"))
"""The most tactics of a part, and its name."""
_KIND = re.compile(r"::([a-z]+)_[0-9a-f]{12}$")
"""In the names of generated theorems."""
UNKNOWN = "none known"
UNNAMED = "none"


class Rate(Result):
    """Of one evaluation, over what could be tried and its model was not trained on."""

    solved: int
    tried: int

    @property
    def text(self) -> str:
        """`12 / 40, 18 to 45%`"""
        interval = percent(wilson(self.solved, self.tried))
        return f"{self.solved} / {self.tried}" + (f", {interval}" if interval else "")


class Part(Result):
    """Some theorems of a benchmark."""

    name: str
    theorems: int
    rates: list[Rate]
    """One for each evaluation."""
    change: str = ""
    """From the first evaluation to the last, over the theorems that both could try: `+3, -1.0% to +21.0%`; empty of one evaluation."""


class Breakdown(Result):
    """All theorems of a benchmark in parts."""

    by: str
    parts: list[Part]


def breakdown(evaluations: Sequence[Labelled], budget: int, also: Sequence[EvaluationResult] = ()) -> list[Breakdown]:
    """The parts of one benchmark by each quality that is known and tells theorems apart, at this budget. `also`: further evaluations of it, for the proofs that they found.

    By length, a theorem without a known proof is unsolved by definition, so these rates say how much of what has ever been proved an evaluation solves.
    """
    divided = divisions(evaluations[0][1], [*(e for _, e in evaluations), *also])
    return [
        Breakdown(by=by, parts=[part(name, theorems, evaluations, budget) for name, theorems in parts.items()])
        for by, parts in divided.items()
    ]


def divisions(first: EvaluationResult, known: Sequence[EvaluationResult]) -> dict[str, dict[str, set[str]]]:
    """The names of the theorems of a benchmark in parts, by each quality that tells them apart; `known` are evaluations of it, for the proofs that they found."""
    lengths = shortest(known)
    easy = {o.name: o.probe_easy for o in first.per_theorem}
    sources, kinds = (sorted({of(o) for o in first.per_theorem}) for of in (source_of, kind_of))
    qualities: tuple[tuple[str, Sequence[str], Callable[[TheoremOutcome], str]], ...] = (
        (SOURCE, sources, source_of),
        (KIND, kinds, kind_of),
        (DIFFICULTY, (EASY, HARD, UNPROBED), lambda o: {True: EASY, False: HARD, None: UNPROBED}[easy[o.name]]),
        (LENGTH, (*(name for _, name in LENGTHS), UNKNOWN), lambda o: length_name(lengths.get(o.name))),
    )
    found = {}
    for by, order, quality in qualities:
        of = {o.name: quality(o) for o in first.per_theorem}
        parts = {name: {n for n, its in of.items() if its == name} for name in order}
        parts = {name: theorems for name, theorems in parts.items() if theorems}
        if len(parts) > 1:
            found[by] = parts
    return found


def source_of(outcome: TheoremOutcome) -> str:
    return namespace(outcome.name) or UNNAMED


def kind_of(outcome: TheoremOutcome) -> str:
    """What the generator of a theorem calls its kind."""
    found = _KIND.search(outcome.name)
    return found[1] if found else UNNAMED


def part(name: str, theorems: set[str], evaluations: Sequence[Labelled], budget: int) -> Part:
    reduced = [(label, evaluation.over(theorems)) for label, evaluation in evaluations]
    changed = ""
    if len(reduced) > 1:
        c = change(reduced[0], reduced[-1], budget)
        changed = f"{c.net:+d}" + (f", {signed(c.gain)}" if c.gain else "")
    return Part(name=name, theorems=len(theorems), rates=[rate(e, budget) for _, e in reduced], change=changed)


def rate(evaluation: EvaluationResult, budget: int) -> Rate:
    known = {*evaluation.trained_on}
    tried = [o for o in evaluation.per_theorem if o.status is not ProofStatus.ERROR and o.name not in known]
    return Rate(solved=sum(solved_at(o, budget) for o in tried), tried=len(tried))


def shortest(evaluations: Sequence[EvaluationResult]) -> dict[str, int]:
    """By theorem: tactics of its shortest proof, of those that were found and the one that the run has had from the start."""
    found: dict[str, int] = {}
    for e in evaluations:
        for o in e.per_theorem:
            known = [*([len(split_tactics(o.proof))] if o.proof else []), *([o.known_proof] if o.known_proof else [])]
            if known:
                found[o.name] = min([*known, *([found[o.name]] if o.name in found else [])])
    return found


def length_name(length: int | None) -> str:
    return UNKNOWN if length is None else next(name for most, name in LENGTHS if length <= most)
