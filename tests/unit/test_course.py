"""How a run goes from iteration to iteration: solved now, ever solved, the training index; changes with intervals."""

from __future__ import annotations

from burnqed.evaluate.course import EVER, PROVED, course, names
from burnqed.evaluate.intervals import paired, signed, wilson
from burnqed.evaluate.results import HEAD, IndexFigures, IterationResult, on_benchmark
from tests.fixtures.evaluations import iteration, solving

TEN = "abcdefghij"


def searched(result: IterationResult, so_far: int, proved: str) -> IterationResult:
    return result.model_copy(update={"index": IndexFigures(theorems=50, searched=so_far, proved=list(proved))})


FIRST = searched(iteration(0, solving("abc", TEN)), 4, "wx")
SECOND = searched(iteration(1, solving("cde", TEN), solving("cdef", TEN, variant=HEAD, errors="j")), 8, "xyz")


def test_solved_now_and_ever_solved_and_the_training_index_stand_apart() -> None:
    rows = course([SECOND, FIRST])
    assert [row.label for row in rows] == ["0", "Δ 0 → 1", "1"]
    assert names(rows) == ["without head", "with head", EVER, PROVED]
    first, _, second = ({f.name: (f.solved, f.of) for f in row.figures} for row in rows)
    assert first == {"without head": (3, 10), EVER: (3, 10), PROVED: (2, 4)}
    assert second == {"without head": (3, 10), "with head": (4, 9), EVER: (6, 10), PROVED: (4, 8)}


def test_every_figure_has_its_interval() -> None:
    _, changed, second = course([FIRST, SECOND])
    intervals = {f.name: f.interval for f in second.figures}
    assert intervals == {"without head": wilson(3, 10), "with head": wilson(4, 9), EVER: wilson(6, 10), PROVED: wilson(4, 8)}  # fmt: skip
    deltas = {f.name: (f.solved, f.of, f.interval) for f in changed.figures}
    assert deltas == {
        "without head": (0, 10, paired(1, 2, 2, 5)),
        EVER: (3, 10, paired(3, 0, 3, 4)),
        PROVED: (2, 8, None),
    }, "of a variant that only one iteration has there is no change; the searched theorems are not the same"
    assert changed.text("without head") == f"+0, {signed(paired(1, 2, 2, 5))}"
    assert changed.text("with head") == ""


def test_what_was_trained_on_counts_in_no_change() -> None:
    rows = course([iteration(0, solving("a", TEN)), iteration(1, solving("abc", TEN, trained_on="b"))])
    assert {f.name: (f.solved, f.of) for f in rows[1].figures} == {"without head": (1, 9), EVER: (1, 9)}


def test_another_benchmark_gives_no_change() -> None:
    rows = course([iteration(0, solving("a", "abc")), iteration(1, solving("a", "abcd"))])
    assert [row.since for row in rows] == [None, None]


def test_an_iteration_of_an_earlier_version_did_not_note_what_of_the_index_it_proved() -> None:
    rows = course([iteration(0, solving("a", TEN)), SECOND])
    assert PROVED not in names(rows)


def test_each_benchmark_has_its_own() -> None:
    both = iteration(0, solving("a", TEN), solving("xy", "xyz", benchmark="mine"))
    (row,) = course(on_benchmark([both], "mine"))
    assert row.text("without head") == "2 / 3, 21 to 94%"


def test_an_iteration_follows_the_last_one_that_was_evaluated() -> None:
    rows = course([iteration(n, solving("abc"[: n + 1], TEN)) for n in (0, 2)])
    assert [row.label for row in rows] == ["0", "Δ 0 → 2", "2"]
