"""Generated statements: deterministic, distinct, varied, apart from corpus and benchmark, and true of the numbers that were tried."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from burnqed.data import generate as generator
from burnqed.data.corpus import load_corpus
from burnqed.data.families import FAMILIES, facts, terms
from burnqed.data.generate import generate
from burnqed.data.skeleton import normal_form, skeleton
from burnqed.data.theorems import shipped_benchmark
from burnqed.errors import BadInput
from burnqed.lean.protocol import Theorem

COUNT = 3_000


@pytest.fixture(scope="module", params=[0, 1, 2])
def statements(request: pytest.FixtureRequest) -> list[Theorem]:
    return generate(request.param, COUNT)


def test_three_thousand_distinct_statements_are_there(statements: list[Theorem]) -> None:
    assert len({normal_form(t.statement) for t in statements}) == COUNT
    assert len({t.name for t in statements}) == COUNT


def test_none_equals_a_theorem_of_the_corpus_or_the_benchmark(statements: list[Theorem]) -> None:
    known = {known.theorem.statement for known in load_corpus()} | {t.statement for t in shipped_benchmark()}
    assert not {normal_form(t.statement) for t in statements} & {normal_form(statement) for statement in known}


def test_at_most_five_share_a_skeleton_and_there_are_many_skeletons(statements: list[Theorem]) -> None:
    shapes = Counter(skeleton(t.statement) for t in statements)
    assert max(shapes.values()) <= 5
    assert len(shapes) >= 1_500


def test_every_family_has_its_share(statements: list[Theorem]) -> None:
    share = Counter(t.name.removeprefix("generated::").partition("_")[0] for t in statements)
    weights = sum(weight for weight, _ in FAMILIES.values())
    for family, (weight, _) in FAMILIES.items():
        assert share[family] >= 0.5 * COUNT * weight / weights


def test_the_same_seed_gives_the_same_statements_and_a_longer_list_begins_with_the_shorter() -> None:
    assert generate(5, 300) == generate(5, 300) == generate(5, 600)[:300]


def test_another_seed_gives_mostly_other_statements() -> None:
    one, two = ({normal_form(t.statement) for t in generate(seed, 500)} for seed in (0, 1))
    assert len(one & two) < 100


def test_asking_for_more_than_there_is_is_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    def few(rng: Random) -> str:
        return f"∀ n : Nat, n + {rng.randint(1, 99)} = n"

    monkeypatch.setattr(generator, "FAMILIES", {"few": (1, (few,))})
    with pytest.raises(BadInput, match="has only 5 statements for seed 0; ask for fewer than 6"):
        generate(0, 6)


@pytest.mark.parametrize(
    ("proposition", "expected"),
    [
        ("2 * f n = n * (n + 1)", True),
        ("f n + f (n + 1) = (n + 1) ^ 2", True),
        ("7 ∣ f n + n", True),
        ("3 ∣ f n", False),
        ("f n % 2 = 1 ∨ f n % 2 = 0 ∧ n = 4", True),
        ("¬ f n ≤ 9", True),
        ("max (f n) 7 = 10 ∧ min n (f 2) = 3", True),
        ("f (n - 1) / 4 ≠ 1", False),
        ("(if n % 2 = 0 then f n + 1 else f n) < 12", True),
    ],
)
def test_propositions_are_read_as_lean_reads_them(proposition: str, expected: bool) -> None:
    assert facts.holds(proposition, n=4, f=lambda n: n * (n + 1) // 2) == expected


def test_a_recursion_knows_its_values_and_what_passes_from_one_number_to_the_next() -> None:
    fibonacci = facts.Recursion({"f": [0, 1]}, {"f": "f (n + 1) + f n"})
    assert [fibonacci.value("f n", n) for n in range(9)] == [0, 1, 1, 2, 3, 5, 8, 13, 21]
    assert fibonacci.always("f n < 2 ^ n")
    assert fibonacci.inductive("f n < 2 ^ n")
    doubling = facts.Recursion({"f": [1]}, {"f": "2 * f n"})
    assert doubling.always("f n ≠ 3")
    assert doubling.inductive("0 < f n")
    assert not facts.Recursion({"f": [1]}, {"f": "f n + 2"}).inductive("f n ≠ 6"), (
        "4 does not become 6 only if it is never 4"
    )


def test_closed_forms_are_solved_for() -> None:
    squares = [sum(k * k for k in range(n)) for n in range(9)]
    assert terms.interpolated(squares, 4) == (6, [0, 1, -3, 2])
    assert terms.interpolated([2**n for n in range(9)], 4) is None
    assert terms.factored([0, 1, 3, 2]) == "n * (n + 1) * (2 * n + 1)"
    assert terms.factored([1, 0, 1]) is None
