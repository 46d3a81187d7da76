"""What is solved of a benchmark's parts."""

from __future__ import annotations

from burnqed.data.theorems import shipped_benchmark, shipped_easy
from burnqed.evaluate.intervals import paired, signed
from burnqed.evaluate.parts import DIFFICULTY, EASY, HARD, KIND, LENGTH, SOURCE, UNNAMED, UNPROBED, Breakdown, breakdown
from burnqed.evaluate.results import HEAD, EvaluationResult
from burnqed.trajectory.schema import TheoremResult
from tests.fixtures.evaluations import evaluation, failed, proved, unproved

NAMES = ["a::1", "a::2", "a::3", "b::1", "b::2", "c"]


def solving(*names: str, variant: str = "plain", tactics: int = 1, errors: tuple[str, ...] = ()) -> EvaluationResult:
    def found(name: str) -> TheoremResult:
        if name not in names:
            return failed(name) if name in errors else unproved(name)
        return proved(name, 5).model_copy(update={"proof": "\n".join(["simp"] * tactics)})

    return evaluation([found(name) for name in NAMES], variant=variant)


def with_outcomes(result: EvaluationResult, **of: dict[str, object]) -> EvaluationResult:
    """With `probe_easy` or `known_proof` of the theorems that it names."""
    outcomes = [
        o.model_copy(update={field: values[o.name] for field, values in of.items() if o.name in values})
        for o in result.per_theorem
    ]
    return result.model_copy(update={"per_theorem": outcomes})


def by(found: list[Breakdown], quality: str) -> dict[str, list[str]]:
    (table,) = (b for b in found if b.by == quality)
    return {p.name: [str(p.theorems), *(rate.text for rate in p.rates)] for p in table.parts}


def test_by_source_with_intervals() -> None:
    found = breakdown([("x", solving("a::1", "a::2", errors=("a::3", "c")))], 64)
    assert by(found, SOURCE) == {
        "a": ["3", "2 / 2, 34 to 100%"],
        "b": ["2", "0 / 2, 0 to 66%"],
        "none": ["1", "0 / 0"],
    }


def test_by_the_kind_that_the_generator_of_a_theorem_names() -> None:
    names = ("deep::moves_0123456789ab", "deep::moves_ba9876543210", "deep::goals_0123456789ab", "core::add_comm")
    found = by(breakdown([("x", evaluation([proved(names[0], 5), *map(unproved, names[1:])]))], 64), KIND)
    assert {kind: cells[0] for kind, cells in found.items()} == {"goals": "1", "moves": "2", UNNAMED: "1"}
    assert found["moves"][1].startswith("1 / 2")


def test_what_makes_no_difference_is_left_out() -> None:
    assert [b.by for b in breakdown([("x", solving())], 64)] == [SOURCE], "nothing is known of difficulty and length"


def test_by_difficulty_as_far_as_it_is_known() -> None:
    easy: dict[str, object] = {"a::1": True, "a::2": True, "b::1": False}
    found = breakdown([("x", with_outcomes(solving("a::1", "b::1"), probe_easy=easy))], 64)
    assert {name: cells[:2] for name, cells in by(found, DIFFICULTY).items()} == {
        EASY: ["2", "1 / 2, 9 to 91%"],
        HARD: ["1", "1 / 1, 21 to 100%"],
        UNPROBED: ["3", "0 / 3, 0 to 56%"],
    }


def test_by_the_shortest_proof_that_anybody_knows() -> None:
    now, other = solving("a::1", tactics=5), solving("a::1", "a::2", variant=HEAD, tactics=2)
    earlier = with_outcomes(solving("b::1", tactics=3), known_proof={"b::2": 9})
    found = by(breakdown([("x", now), ("y", other)], 64, [earlier]), LENGTH)
    assert {name: cells[0] for name, cells in found.items()} == {
        "2": "2",
        "3": "1",
        "8 and more": "1",
        "none known": "2",
    }
    assert found["2"][1:] == ["1 / 2, 9 to 91%", "2 / 2, 34 to 100%"]


def test_the_change_of_each_part_is_over_the_theorems_that_both_could_try() -> None:
    before, after = solving("a::1", errors=("a::3",)), solving("a::1", "a::2", "a::3")
    (table,) = (b for b in breakdown([("x", before), ("y", after)], 64) if b.by == SOURCE)
    assert table.parts[0].change == f"+1, {signed(paired(1, 0, 1, 0))}"


def test_within_the_budget_that_is_compared() -> None:
    late = evaluation([proved("a::1", 40), proved("b::1", 5)])
    assert by(breakdown([("x", late)], 16), SOURCE) == {"a": ["1", "0 / 1, 0 to 79%"], "b": ["1", "1 / 1, 21 to 100%"]}


def test_of_the_shipped_benchmark_it_is_known_what_a_probe_tactic_proves() -> None:
    easy = shipped_easy("shipped")
    assert easy is not None
    assert len(easy) == 86
    assert easy <= {t.name for t in shipped_benchmark()}


def test_rates_of_parts_leave_out_what_a_model_was_trained_on() -> None:
    results = [proved(name, 5) if name.startswith("a") else unproved(name) for name in NAMES]
    found = by(breakdown([("x", evaluation(results, trained_on=["a::1", "b::1"]))], 64), SOURCE)
    assert [cells[1].partition(",")[0] for cells in found.values()] == ["2 / 2", "0 / 1", "0 / 1"]
