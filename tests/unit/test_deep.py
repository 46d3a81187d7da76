"""The deep tier as text: reproducible, divided by skeleton, and of the promised length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from burnqed.config import DataConfig
from burnqed.data import draft
from burnqed.data.corpus import load_corpus
from burnqed.data.deep import VERSION, deep_proofs
from burnqed.data.deep.difficulty import NUMBER, merged, standard
from burnqed.data.deep.moves import LEAST, LONGEST, VARIETY
from burnqed.data.exercises import exercises
from burnqed.data.generate import generate
from burnqed.data.skeleton import PER_SKELETON, normal_form, skeleton, unordered
from burnqed.data.theorems import namespace, read_index, shipped_benchmark
from burnqed.data.trace.replay import KnownProof
from burnqed.errors import BadInput
from burnqed.key import digest_of
from burnqed.lean.protocol import ProofState
from burnqed.steps.known import statements

DRAWN = 320
"""Theorems that the shipped benchmark was chosen from."""
MOVES_DRAWN = 200
"""Theorems about moves that the shipped benchmark of such was chosen from."""


@pytest.fixture(scope="module")
def training() -> list[KnownProof]:
    return deep_proofs(0, 300)


@pytest.fixture(scope="module")
def benchmark() -> list[KnownProof]:
    return deep_proofs(0, 100, benchmark=True)


def kind(name: str) -> str:
    return name.removeprefix("deep::").partition("_")[0]


def shapes(proofs: list[KnownProof]) -> Counter[str]:
    return Counter(skeleton(p.theorem.statement) for p in proofs)


def in_any_order(proofs: Iterable[KnownProof]) -> set[str]:
    return {unordered(p.theorem.statement) for p in proofs}


def test_equal_seeds_give_equal_theorems_and_a_longer_list_begins_with_the_shorter_one(
    training: list[KnownProof],
) -> None:
    assert deep_proofs(0, 40) == training[:40]
    assert deep_proofs(1, 40) != training[:40]


def test_those_of_some_kinds_are_what_all_have_of_them(training: list[KnownProof]) -> None:
    some = [p for p in training if kind(p.theorem.name) in ("cases", "goals")]
    assert len(some) > 20
    assert deep_proofs(0, len(some), kinds=["goals", "cases"]) == some


def test_no_skeleton_is_in_both_parts_and_few_theorems_share_one(
    training: list[KnownProof], benchmark: list[KnownProof]
) -> None:
    assert not in_any_order(training) & in_any_order(benchmark)
    assert not in_any_order(training) & {unordered(t.statement) for t in shipped_benchmark()}
    assert max([*shapes(training).values(), *shapes(benchmark).values()]) <= PER_SKELETON
    assert len({normal_form(p.theorem.statement) for p in training}) == len({p.theorem.name for p in training}) == 300


def test_others_to_evaluate_on_have_the_skeletons_neither_of_training_nor_of_what_they_are_apart_from(
    training: list[KnownProof], benchmark: list[KnownProof]
) -> None:
    without = deep_proofs(1, 100, benchmark=True, apart_from=[p.theorem for p in benchmark])
    drawn = deep_proofs(1, 100, benchmark=True)
    assert shapes(drawn).keys() & shapes(benchmark).keys(), "else this shows nothing"
    assert not shapes(without).keys() & shapes([*benchmark, *training]).keys()
    assert len({*without} & {*drawn}) > 50


def test_all_kinds_occur_and_proofs_have_4_to_15_tactics(
    training: list[KnownProof], benchmark: list[KnownProof]
) -> None:
    kinds = {kind(p.theorem.name) for p in training}
    assert kinds == {"strengthened", "goals", "witness", "cases", "moves"}
    assert all(4 <= merged(p.tactics)[-1] <= LONGEST for p in [*training, *benchmark])


def test_moves_are_many_and_of_several_kinds(training: list[KnownProof]) -> None:
    ways = [p.tactics[1:-1] for p in training if p.theorem.name.startswith("deep::moves")]
    assert len(ways) > 100
    assert min(len(way) for way in ways) >= LEAST
    assert min(len(set(way)) for way in ways) >= VARIETY


def test_there_is_an_end_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft, "PATIENCE", 10)
    with pytest.raises(BadInput, match=r"There are only \d+ deep theorems like that for seed 0"):
        deep_proofs(0, 1_000_000, benchmark=True)


@pytest.mark.parametrize(
    ("tactics", "counts"),
    [
        (["intro f", "intros", "rw [h]", "rw [h]", "simp"], [1, 1, 2, 2, 3]),
        (["have k : p := ?_", "intro n", "intro m", "omega"], [1, 2, 3, 4]),
        (["intro n", "rw [h]", "omega", "rw [h]"], [1, 2, 3, 4]),
    ],
)
def test_leading_introductions_and_consecutive_rewrites_count_as_one(tactics: list[str], counts: list[int]) -> None:
    assert merged(tactics) == counts


def test_standard_tactics_name_what_is_there() -> None:
    goal = "f : ℕ → ℕ\nh0 : f 0 = 1\nh1 : ∀ (n : ℕ),\n  f (n + 1) = f n\nm n✝ n : ℕ\n⊢ f n = 1"
    tactics = standard(ProofState((goal,), None))
    assert len(tactics) <= NUMBER
    assert {"induction n <;> grind", "rw [h1]", "simp [h0]", "grind [h1]", "constructor <;> grind"} <= set(tactics)
    assert not any("✝" in tactic for tactic in tactics)


def test_all_rules_of_a_position_are_tried_and_positions_are_no_variables() -> None:
    rules = "".join(f"h{i} : ∀ (x y : List α), P x (a :: y) → P (a :: x) y\n" for i in range(1, 6))
    goal = f"α : Type\na : α\nP : List α → List α → Prop\nh0 : P [a] [a]\n{rules}⊢ P [a] []"
    tactics = standard(ProofState((goal,), None))
    assert len(tactics) <= NUMBER
    assert {f"apply h{i}" for i in range(1, 6)} <= set(tactics)
    assert not any("P" in tactic.split() for tactic in tactics)


@pytest.mark.long
def test_the_shipped_benchmark_holds_theorems_of_the_tier_that_share_no_skeleton_with_training() -> None:
    shipped = read_index("shipped-deep")
    made = {p.theorem.name: p.theorem.statement for p in deep_proofs(0, DRAWN, benchmark=True)}
    assert len(shipped) >= 150
    assert [t.statement for t in shipped] == [made[t.name] for t in shipped], "the generator has changed: choose anew"
    kinds = Counter(kind(t.name) for t in shipped)
    assert kinds.keys() == {"strengthened", "goals", "witness", "cases", "moves"}
    assert 0.25 < kinds["moves"] / len(shipped) < 0.4
    trained = in_any_order([*deep_proofs(0, 1_500), *load_corpus(), *exercises(0, 1_500)])
    searched = {unordered(t.statement) for t in generate(0, 1_500)}
    assert not (trained | searched) & {unordered(t.statement) for t in shipped}


@pytest.mark.long
def test_the_shipped_benchmark_about_moves_is_apart_from_training_and_from_the_other() -> None:
    shipped = read_index("shipped-moves")
    made = {p.theorem.name: p.theorem.statement for p in deep_proofs(0, MOVES_DRAWN, benchmark=True, kinds=["moves"])}
    assert len(shipped) == 60
    assert {t.name for t in shipped} <= made.keys(), "the generator has changed: choose anew"
    assert [t.statement for t in shipped] == [made[t.name] for t in shipped]
    assert not {t.statement for t in shipped} & {t.statement for t in read_index("shipped-deep")}
    assert not in_any_order(deep_proofs(0, 1_240, kinds=["moves"])) & {unordered(t.statement) for t in shipped}


def test_statements_to_search_are_others_than_those_with_proofs_and_have_a_source_of_their_own() -> None:
    config = DataConfig(generated=5, deep=20, deep_statements=10)
    searched = statements(config)
    assert Counter(namespace(t.name) for t in searched) == {"generated": 5, "deep-statement": 10}
    known = {p.theorem.statement for p in deep_proofs(config.generator_seed, config.deep)}
    assert not known & {t.statement for t in searched}
    few = statements(config.model_copy(update={"deep_kinds": ["moves"]}))
    assert {kind(t.name.removeprefix("deep-statement::")) for t in few if namespace(t.name) == "deep-statement"} == {
        "moves"
    }
    assert statements(DataConfig(generated=5)) == [t for t in searched if namespace(t.name) == "generated"]


def test_other_theorems_for_a_seed_are_another_version(training: list[KnownProof]) -> None:
    names = [p.theorem.name for p in training]
    assert (VERSION, digest_of(names)[:12]) == (4, "24ddef5e780b"), "raise burnqed.data.deep.VERSION"
