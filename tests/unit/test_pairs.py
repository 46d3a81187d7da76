"""Tactic pairs: their file, the filters, and the split by theorem."""

import json
from pathlib import Path

import pytest

from burnqed.config import DataConfig
from burnqed.data.filters import CLOSERS, Dropped, cheats, filter_pairs
from burnqed.data.pairs import TacticPair, parse_pairs, read_pairs, write_pairs
from burnqed.data.split import is_validation, split
from burnqed.errors import BadInput
from burnqed.store import Store

KEEP_ALL = DataConfig(closer_keep=1.0)


def pair(theorem: str = "t", state: str = "n : Nat\n⊢ n = n", tactic: str = "omega") -> TacticPair:
    return TacticPair(theorem=theorem, state=state, tactic=tactic, depth=0, source="test", num_goals=1)


def test_pairs_come_back_as_they_were_written(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    pairs = [
        pair(),
        TacticPair(theorem="ℓ::a.b", state="h : a\u2028b\n⊢ p", tactic="exact h\n  |> id", state_after="", source="s"),
    ]
    write_pairs(store, "data/pairs.jsonl", pairs)
    assert read_pairs(store, "data/pairs.jsonl") == pairs
    assert len((tmp_path / "data/pairs.jsonl").read_text().split("\n")) == 3


def test_a_data_set_without_depth_and_with_more_columns_is_read() -> None:
    line = json.dumps({"theorem": "t", "state": "⊢ p", "tactic": "trivial", "source": "github", "commit": "abc"})
    assert parse_pairs(f"\n{line}\n\n", "x")[0].depth is None


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('{"theorem": "t", "state": "⊢ p"', "JSON"),
        ('{"theorem": "t", "state": "⊢ p", "source": "s"}', "tactic"),
        ('{"theorem": "t", "state": 3, "tactic": "simp", "source": "s"}', "state"),
        ('{"theorem": "", "state": "⊢ p", "tactic": "simp", "source": "s"}', "theorem"),
        ('["t"]', "object"),
    ],
)
def test_a_malformed_line_is_named_with_file_and_number(tmp_path: Path, line: str, what: str) -> None:
    store = Store(str(tmp_path))
    store.write_text("p.jsonl", pair().model_dump_json() + "\n" + line + "\n")
    with pytest.raises(BadInput) as caught:
        read_pairs(store, "p.jsonl")
    assert "p.jsonl, line 2" in str(caught.value)
    assert what in str(caught.value)


def test_a_missing_file_and_one_that_is_not_text_are_bad_input(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    with pytest.raises(BadInput, match="does not exist"):
        read_pairs(store, "none.jsonl")
    store.write_bytes("binary.jsonl", b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="UTF-8"):
        read_pairs(store, "binary.jsonl")


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
