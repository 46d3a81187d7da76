"""How a run goes, iteration by iteration: what each solves of a benchmark, what any has solved so far, how much of the training index is proved; and the changes, with intervals.

for row in course(on_benchmark(summary.iterations, "core")): print(row.label, [figure.text for figure in row.figures])
"""

from __future__ import annotations

from collections.abc import Sequence

from burnqed.evaluate.compare import between
from burnqed.evaluate.intervals import Interval, paired, percent, signed, wilson
from burnqed.evaluate.results import VARIANTS, EvaluationResult, IterationResult, Result
from burnqed.trajectory.schema import ProofStatus

EVER = "ever solved"
PROVED = "training index proved"


class Figure(Result):
    """Theorems solved, of those that could be tried; or, `since` an earlier iteration, what changed over those that could be tried both times and that neither model was
    trained on."""

    name: str
    solved: int
    """Of a change: newly solved minus lost."""
    of: int
    interval: Interval | None
    """95 %: of the rate (Wilson), or of the difference of the rates (Newcombe). None of nothing, and where the theorems are not the same."""
    is_change: bool = False

    @property
    def text(self) -> str:
        """`31 / 107, 21 to 38%`, or `+4, -2.0% to +9.3%`."""
        counts = f"{self.solved:+d}" if self.is_change else f"{self.solved:,} / {self.of:,}"
        spread = signed(self.interval) if self.is_change else percent(self.interval)
        return f"{counts}, {spread}" if spread else counts


class CourseRow(Result):
    """An iteration, or (`since` is set) what changed from the one before it."""

    iteration: int
    since: int | None = None
    figures: list[Figure]
    """One for each series that this row has."""

    @property
    def label(self) -> str:
        return f"{self.iteration}" if self.since is None else f"Δ {self.since} → {self.iteration}"

    def text(self, name: str) -> str:
        """Of one series; empty where the row has none."""
        return next((figure.text for figure in self.figures if figure.name == name), "")


def course(iterations: Sequence[IterationResult]) -> list[CourseRow]:
    """A row for each iteration, in order, each after the change from the one before. All are reduced to one benchmark (`on_benchmark`)."""
    ordered = sorted(iterations, key=lambda r: r.iteration)
    rows: list[CourseRow] = []
    for i, now in enumerate(ordered):
        if i and (changed := changes(ordered[: i + 1])):
            rows.append(CourseRow(iteration=now.iteration, since=ordered[i - 1].iteration, figures=changed))
        rows.append(CourseRow(iteration=now.iteration, figures=figures(ordered[: i + 1])))
    return rows


def names(rows: Sequence[CourseRow]) -> list[str]:
    """The series that any row has, in one order."""
    present = {figure.name for row in rows for figure in row.figures}
    return [name for name in (*VARIANTS.values(), EVER, PROVED) if name in present]


def figures(so_far: Sequence[IterationResult]) -> list[Figure]:
    """Of the last of these iterations."""
    now, found = so_far[-1], []
    for variant, name in VARIANTS.items():
        if e := now.variant(variant):
            found.append(rate(name, e.at_largest.solved, e.at_largest.total - e.at_largest.errors))
    solved, tried = ever(so_far)
    found.append(rate(EVER, len(solved), len(tried)))
    if (proved := proved_so_far(so_far)) is not None and now.index:
        found.append(rate(PROVED, len(proved), now.index.searched))
    return found


def changes(so_far: Sequence[IterationResult]) -> list[Figure]:
    """From the last but one of these iterations to the last."""
    *_, before, now = so_far
    found = []
    for variant, name in VARIANTS.items():
        if c := between(("", ""), before.variant(variant), now.variant(variant)):
            found.append(Figure(name=name, solved=c.net, of=c.tried, interval=c.gain, is_change=True))
    if before.evaluations[0].benchmark_hash == now.evaluations[0].benchmark_hash:
        known = {name for r in (before, now) for e in r.evaluations for name in e.trained_on}
        (was, tried_before), (is_now, tried) = ever(so_far[:-1]), ever(so_far)
        both = (tried & tried_before) - known
        old, new = len(was & both), len(is_now & both) - len(was & both)
        interval = paired(old, 0, new, len(both) - old - new)
        found.append(Figure(name=EVER, solved=new, of=len(both), interval=interval, is_change=True))
    earlier, proved = proved_so_far(so_far[:-1]), proved_so_far(so_far)
    if earlier is not None and proved is not None and now.index:  # more are searched each time, so there is no pair
        found.append(
            Figure(name=PROVED, solved=len(proved - earlier), of=now.index.searched, interval=None, is_change=True)
        )
    return found


def rate(name: str, solved: int, of: int) -> Figure:
    return Figure(name=name, solved=solved, of=of, interval=wilson(solved, of))


def ever(so_far: Sequence[IterationResult]) -> tuple[set[str], set[str]]:
    """The theorems of the last iteration's benchmark that any variant of any of these iterations solved, and those that any could try."""
    now = so_far[-1].evaluations[0].benchmark_hash
    same = [e for r in so_far for e in r.evaluations if e.benchmark_hash == now]
    return of_status(same, solved=True), of_status(same, solved=False)


def of_status(evaluations: Sequence[EvaluationResult], *, solved: bool) -> set[str]:
    """Names of the theorems that any of them solved, or could try."""
    return {
        o.name
        for e in evaluations
        for o in e.per_theorem
        if (o.status is ProofStatus.PROVED if solved else o.status is not ProofStatus.ERROR)
    }


def proved_so_far(so_far: Sequence[IterationResult]) -> set[str] | None:
    """Theorems of the training index that searches for training data have proved; None where an iteration did not note which."""
    found: set[str] = set()
    for result in so_far:
        if result.index is None:
            return None
        found |= set(result.index.proved)
    return found
