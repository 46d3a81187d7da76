"""Exercises as text: reproducible, distinct, and of all kinds."""

from __future__ import annotations

from collections import Counter

import pytest

from burnqed.data.corpus import load_corpus
from burnqed.data.exercises import PER_SKELETON, VERSION, exercises
from burnqed.data.skeleton import normal_form, skeleton
from burnqed.data.theorems import shipped_benchmark
from burnqed.data.trace.replay import KnownProof
from burnqed.key import digest_of


@pytest.fixture(scope="module")
def drawn() -> list[KnownProof]:
    return exercises(0, 1_000)


def test_equal_seeds_give_equal_exercises_and_a_longer_list_begins_with_the_shorter_one(
    drawn: list[KnownProof],
) -> None:
    assert exercises(0, 50) == drawn[:50]
    assert exercises(1, 50) != drawn[:50]


def test_what_a_seed_gives_changes_with_the_version_alone(drawn: list[KnownProof]) -> None:
    digest = digest_of([[p.theorem.statement, p.tactics] for p in drawn])
    assert (VERSION, digest[:12]) == (2, "ed8a495b573d"), "raise VERSION"


def test_none_stands_twice_or_in_the_corpus_or_the_benchmark_and_few_share_a_skeleton(drawn: list[KnownProof]) -> None:
    forms = {normal_form(p.theorem.statement) for p in drawn}
    known = [*(t.statement for t in shipped_benchmark()), *(p.theorem.statement for p in load_corpus())]
    assert len(forms) == len({p.theorem.name for p in drawn}) == 1_000
    assert not forms & {normal_form(statement) for statement in known}
    assert max(Counter(skeleton(p.theorem.statement) for p in drawn).values()) <= PER_SKELETON


def test_all_kinds_occur_and_most_proofs_have_several_tactics(drawn: list[KnownProof]) -> None:
    kinds = Counter(p.theorem.name.removeprefix("exercise::").partition("_")[0] for p in drawn)
    assert len(kinds) >= 19
    assert min(kinds.values()) >= 5
    assert sum(len(p.tactics) > 2 for p in drawn) > 600
    assert max(len(p.tactics) for p in drawn) <= 15
