"""Tactic pairs: the filters, and the split by theorem."""

from collections.abc import Container, Sequence
from typing import NamedTuple

import pytest

from burnqed.config import DataConfig
from burnqed.data.filters import CLOSERS, Dropped, PairFilter, cheats
from burnqed.data.pairs import PAIRS, TacticPair
from burnqed.data.rows import chunks
from burnqed.data.split import is_validation, split

KEEP_ALL = DataConfig(closer_keep=1.0)


class Filtered(NamedTuple):
    pairs: list[TacticPair]
    dropped: dict[Dropped, int]


def filter_pairs(
    pairs: Sequence[TacticPair], config: DataConfig, seed: int = 0, size: int = 3, held: Container[str] = ()
) -> Filtered:
    """What is kept of the pairs, which come in batches of `size`; `held` are a benchmark's root states."""
    found = PairFilter(config, held.__contains__, seed)
    batches = [PAIRS.batch(chunk) for chunk in chunks(pairs, size)]
    for batch in batches:
        found.look(batch)
    return Filtered(list(PAIRS.rows(map(found.keep, batches))), dict(found.dropped))


def test_pairs_of_a_theorem_whose_root_is_a_benchmarks_statement_are_left_out_in_every_batch() -> None:
    deep = [pair("a", "⊢ x"), pair("a").model_copy(update={"state": "⊢ held", "depth": 1})]
    unknown = [p.model_copy(update={"depth": None}) for p in (pair("b", "⊢ held"), pair("b", "⊢ y"), pair("c", "⊢ z"))]
    late = [pair("c", "⊢ held").model_copy(update={"depth": None}), pair("d", "⊢ w"), pair("b", "⊢ v")]
    found = filter_pairs([*deep, *unknown, *late], KEEP_ALL, size=2, held={"⊢ held"})
    assert [(p.theorem, p.state) for p in found.pairs] == [
        ("a", "⊢ x"), ("a", "⊢ held"), ("c", "⊢ z"), ("c", "⊢ held"), ("d", "⊢ w"),
    ]  # fmt: skip
    assert found.dropped == {Dropped.BENCHMARK: 3}


def pair(theorem: str = "t", state: str = "n : Nat\n⊢ n = n", tactic: str = "omega") -> TacticPair:
    return TacticPair(theorem=theorem, state=state, tactic=tactic, depth=0, source="test", num_goals=1)


@pytest.mark.parametrize(
    ("tactic", "expected"),
    [
        ("sorry", True),
        ("exact sorry", True),
        ("exact (sorryAx _)", True),
        ("exact Lean.sorryAx _ true", True),
        ("first | omega | admit", True),
        ("cheat", True),
        ("have h : p := by\n  sorry", True),
        ("omega /- a -/ <;> sorry", True),
        ("simp /- nested /- comment -/ sorry -/", False),
        ("simp -- sorry", False),
        ("simp -- why\n<;> sorry", True),
        ("exact sorry_free", False),
        ("exact not_sorry", False),
        ("exact admits h", False),
        ("exact cheat' h", False),
        ("apply foo.admitted", False),
    ],
)
def test_a_cheating_word_counts_outside_comments_and_only_as_a_word(tactic: str, expected: bool) -> None:
    assert cheats(tactic) is expected


def test_one_cheating_tactic_rejects_the_whole_theorem_and_no_other() -> None:
    found = filter_pairs([pair("a"), pair("b"), pair("a", tactic="exact sorry"), pair("b", tactic="simp")], KEEP_ALL)
    assert [p.theorem for p in found.pairs] == ["b", "b"]
    assert found.dropped == {Dropped.CHEAT: 2}


@pytest.mark.parametrize(
    ("dropped", "reason"),
    [
        (pair(state="no goals"), Dropped.NO_GOALS),
        (pair(state=""), Dropped.NO_TURNSTILE),
        (pair(state="n : Nat"), Dropped.NO_TURNSTILE),
        (pair(tactic="  \n"), Dropped.EMPTY_TACTIC),
        (pair(tactic="-- nothing"), Dropped.EMPTY_TACTIC),
        (pair(state="⊢ " + "x" * 4095), Dropped.TOO_LONG),
    ],
)
def test_a_pair_that_teaches_nothing_is_dropped_with_its_reason(dropped: TacticPair, reason: Dropped) -> None:
    found = filter_pairs([pair(), dropped], KEEP_ALL)
    assert found.pairs == [pair()]
    assert found.dropped == {reason: 1}


def test_a_state_of_exactly_the_permitted_length_is_kept() -> None:
    assert filter_pairs([pair(state="⊢ " + "x" * 4094)], KEEP_ALL).pairs


def test_closers_are_kept_at_their_share_and_other_tactics_always() -> None:
    pairs = [pair(f"t{i}", tactic=t) for i in range(1_000) for t in ("rfl", "simp [h]")]
    kept = filter_pairs(pairs, DataConfig(closer_keep=0.1)).pairs
    closers = [p for p in kept if p.tactic in CLOSERS]
    assert len(kept) - len(closers) == 1_000
    assert 70 <= len(closers) <= 130  # 100 ± 3 standard deviations
    assert kept == filter_pairs(pairs, DataConfig(closer_keep=0.1)).pairs
    assert kept != filter_pairs(pairs, DataConfig(closer_keep=0.1), seed=1).pairs
    assert filter_pairs(pairs, KEEP_ALL).pairs == pairs
    assert not [p for p in filter_pairs(pairs, DataConfig(closer_keep=0.0)).pairs if p.tactic == "rfl"]


def test_the_split_never_separates_two_pairs_of_a_theorem() -> None:
    pairs = [pair(f"t{i % 500}", state=f"⊢ {i}") for i in range(2_000)]
    training, validation = split(pairs, 0.05)
    assert not {p.theorem for p in training} & {p.theorem for p in validation}
    assert len(training) + len(validation) == 2_000
    assert 10 <= len({p.theorem for p in validation}) <= 40  # 25 expected of 500


def test_a_larger_share_only_adds_validation_theorems() -> None:
    names = [f"t{i}" for i in range(500)]
    small = {n for n in names if is_validation(n, 0.05)}
    assert small < {n for n in names if is_validation(n, 0.2)}
    assert not [n for n in names if is_validation(n, 0.0)]
