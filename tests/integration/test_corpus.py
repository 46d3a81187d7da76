"""The shipped corpus: its size and variety, and, in real Lean, its proofs and its headroom.

make test-corpus      # every proof; `make test` checks every sixteenth
"""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter

import pytest

from burnqed.data.corpus import CorpusTheorem, load_corpus, split_tactics
from burnqed.data.skeleton import normal_form, skeleton
from burnqed.data.trace.replay import KnownProof, replay_all
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.proof_search.probes import probe_easy

COMPILED = slice(None, None, 1 if os.environ.get("BURNQED_WHOLE_CORPUS") else 16)
SAMPLE = 24
"""Theorems that the slower tests take, drawn with a fixed seed."""


@pytest.fixture(scope="module")
def corpus() -> list[CorpusTheorem]:
    return load_corpus()


def test_there_are_many_theorems_over_all_topics(corpus: list[CorpusTheorem]) -> None:
    assert len(corpus) >= 440
    topics = Counter(known.topic for known in corpus)
    assert len(topics) >= 12
    assert min(topics.values()) >= 20


def test_no_theorem_stands_twice(corpus: list[CorpusTheorem]) -> None:
    assert len({known.theorem.name for known in corpus}) == len(corpus)
    assert len({normal_form(known.theorem.statement) for known in corpus}) == len(corpus)


def test_at_most_five_theorems_share_a_skeleton(corpus: list[CorpusTheorem]) -> None:
    shapes = Counter(skeleton(known.theorem.statement) for known in corpus)
    assert max(shapes.values()) <= 5
    assert len(shapes) >= 200


def test_a_block_splits_into_tactics_at_its_own_indentation() -> None:
    block = "  intro n\n  have h : n = n := by\n    rfl\n\n  rcases h with h | h <;>\n    omega\n  induction n with\n  | zero => rfl\n"
    assert split_tactics(block) == (
        "intro n",
        "have h : n = n := by\n  rfl",
        "rcases h with h | h <;>\n  omega",
        "induction n with\n| zero => rfl",
    )


@pytest.mark.asyncio(loop_scope="session")
async def test_proofs_compile_as_a_whole(corpus: list[CorpusTheorem], lean: EmbeddedLean) -> None:
    checks = [lean.check(known.theorem, "\n".join(known.tactics)) for known in corpus[COMPILED]]
    verdicts = await asyncio.gather(*checks)
    assert [(verdict.name, verdict.reason) for verdict in verdicts if not verdict.accepted] == []


@pytest.mark.asyncio(loop_scope="session")
async def test_proofs_replay_tactic_by_tactic(corpus: list[CorpusTheorem], lean: EmbeddedLean) -> None:
    sample = random.Random(0).sample(corpus, SAMPLE)
    replayed = [r async for r in replay_all([KnownProof(k.theorem, k.tactics) for k in sample], lean)]
    assert [(r.proof.theorem.name, r.error) for r in replayed if r.error] == []
    assert sum(len(r.pairs("corpus")) for r in replayed) == sum(len(known.tactics) for known in sample)


@pytest.mark.long
@pytest.mark.asyncio(loop_scope="session")
async def test_most_theorems_resist_the_probe_tactics(corpus: list[CorpusTheorem], lean: EmbeddedLean) -> None:
    """A sample; `benchmarks/corpus_headroom.py` measures all of them."""
    sample = random.Random(0).sample(corpus, SAMPLE)
    easy = await asyncio.gather(*(probe_easy(known.theorem, lean) for known in sample))
    hard = [known for known, is_easy in zip(sample, easy, strict=True) if not is_easy and len(known.tactics) >= 3]
    assert len(hard) >= 0.55 * SAMPLE
