"""Candidates without repetition (`search.draws`) and at several temperatures (`search.spread`)."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from burnqed.config import EvaluateConfig, SearchConfig
from burnqed.lean.protocol import Theorem
from burnqed.policy.protocol import Candidate, Proposal, Temperature, distinct
from burnqed.proof_search.engine import search
from burnqed.proof_search.recall import Recall, RecallingPolicy
from burnqed.proof_search.settings import SearchSettings
from burnqed.proof_search.tools import Tools, temperatures_of
from burnqed.trajectory.rows import SearchResult, Task
from tests.fixtures.scripted import ScriptedLean

ONE_ROUND = SearchSettings.for_search(SearchConfig(budget=1, candidates=4, widening=None, open_theorems=8), ())
SHARP = {"a": 0.9, "b": 0.06, "c": 0.03, "d": 0.01}
LETTERS = dict.fromkeys("abcdefgh", 0.125)
TOKENS = 3
"""Of each reply."""


class Sampler:
    """Samples from a distribution over tactics, the same at every state, as a served model does: each reply by a seed of its own."""

    def __init__(self, probabilities: Mapping[str, float], seconds: float = 0.0) -> None:
        self.probabilities, self.seconds = probabilities, seconds
        self.asked: list[tuple[list[str], int, Temperature]] = []

    async def propose(
        self, states: Sequence[str], *, candidates: int, temperature: Temperature, seeds: Sequence[int]
    ) -> list[Proposal]:
        self.asked.append((list(states), candidates, temperature))
        await asyncio.sleep(self.seconds)
        each = [temperature] * candidates if isinstance(temperature, float) else list(temperature)
        return [
            Proposal(
                distinct(
                    replace(self.sample(random.Random(f"{state} {seed} {i}"), t), draw=i) for i, t in enumerate(each)
                ),
                "sampler",
                TOKENS * candidates,
            )
            for state, seed in zip(states, seeds, strict=True)
        ]

    def sample(self, draw: random.Random, temperature: float) -> Candidate:
        weights = [p ** (1 / temperature) if temperature else float(p == 0.9) for p in self.probabilities.values()]
        [tactic] = draw.choices(list(self.probabilities), weights)
        return Candidate(tactic, math.log(self.probabilities[tactic]), temperature)

    @property
    def samples(self) -> int:
        return sum(len(states) * candidates for states, candidates, _ in self.asked)


def tools(policy: object, settings: SearchSettings) -> Tools:
    return Tools(cast(Any, None), cast(Any, policy), None, settings)


async def proposed(policy: object, seed: int = 0, state: str = "A", **settings: Any) -> Proposal:
    used = replace(ONE_ROUND, **settings)
    return await tools(policy, used).propose(state, seed, used.temperature)


async def searched(policy: object, theorems: int = 1, **settings: Any) -> list[SearchResult]:
    found: list[SearchResult] = []
    tasks = [Task(Theorem(name=f"t{i}", statement=f"A{i}")) for i in range(theorems)]
    await search(tasks, ScriptedLean({}), cast(Any, policy), None, replace(ONE_ROUND, **settings), found.append)
    return sorted(found, key=lambda one: one.result.name)


# ---- sampling without replacement


async def test_with_draws_a_state_has_more_distinct_candidates() -> None:
    means = [
        sum([len((await proposed(Sampler(SHARP), seed, draws=draws)).candidates) for seed in range(50)]) / 50
        for draws in (1, 4, 64)
    ]
    assert means[0] < 1.6
    assert means[1] > means[0] + 0.5
    assert means[2] > 3.8


async def test_by_default_a_state_is_asked_for_once_and_repeated_tactics_are_left_out() -> None:
    found = await proposed(policy := Sampler({"a": 1.0}))
    assert policy.asked == [(["A"], 4, 1.0)]
    assert (len(found.candidates), found.tokens) == (1, 4 * TOKENS)


async def test_a_policy_that_repeats_itself_is_asked_draws_times_as_many_samples_and_no_more() -> None:
    [found] = await searched(policy := Sampler({"a": 1.0}), draws=5)
    assert [candidates for _, candidates, _ in policy.asked] == [4, 12, 4], "of each 4, three were repeated"
    assert policy.samples == 5 * 4
    assert found.result.tokens == 5 * 4 * TOKENS
    assert [row.tactic for row in found.states] == [None, "a"], "a tactic that is drawn again is no other"
    assert found.result.statistics.candidates_max == 1


async def test_of_a_policy_that_does_not_say_in_which_order_it_drew_no_more_than_lacks_is_asked() -> None:
    await searched(policy := Unordered({"a": 1.0}), draws=5)
    assert [candidates for _, candidates, _ in policy.asked] == [4, 3, 3, 3, 3, 3, 1]


async def test_a_state_is_never_asked_for_more_than_three_times_its_candidates_at_once() -> None:
    await searched(policy := Sampler({"a": 1.0}), draws=64)
    assert max(candidates for _, candidates, _ in policy.asked) == 3 * 4
    assert policy.samples == 64 * 4


async def test_no_more_is_drawn_once_there_are_enough() -> None:
    found = await proposed(policy := Sampler(LETTERS), draws=1_000)
    assert len(found.candidates) == 4
    assert policy.samples < 12


async def test_what_is_drawn_later_comes_among_the_others_by_its_likelihood() -> None:
    found = await proposed(Sampler(SHARP), draws=200)
    assert [candidate.tactic for candidate in found.candidates] == ["a", "b", "c", "d"]


class Unordered(Sampler):
    """One that does not say in which order it drew."""

    async def propose(self, states, *, candidates, temperature, seeds):  # type: ignore[no-untyped-def]
        found = await super().propose(states, candidates=candidates, temperature=temperature, seeds=seeds)
        return [replace(one, candidates=tuple(replace(c, draw=None) for c in one.candidates)) for one in found]


@pytest.mark.parametrize("policy", [Sampler, Unordered])
async def test_it_is_sampling_without_replacement(policy: type[Sampler]) -> None:
    p = {"a": 0.8, "b": 0.15, "c": 0.05}
    drawn = [await proposed(policy(p), seed, candidates=2, draws=500) for seed in range(4_000)]
    both = sum({c.tactic for c in found.candidates} == {"a", "b"} for found in drawn) / len(drawn)
    expected = p["a"] * p["b"] / (1 - p["a"]) + p["b"] * p["a"] / (1 - p["b"])
    assert both == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / len(drawn)))


async def test_nothing_is_drawn_again_at_temperature_0_nor_at_a_state_that_is_too_long() -> None:
    class TooLong(Sampler):
        async def propose(self, states, *, candidates, temperature, seeds):  # type: ignore[no-untyped-def]
            await super().propose(states, candidates=candidates, temperature=temperature, seeds=seeds)
            return [Proposal((), "")] * len(states)

    await proposed(greedy := Sampler(SHARP), draws=9, temperature=0.0)
    await proposed(too_long := TooLong(SHARP), draws=9)
    assert (greedy.samples, too_long.samples) == (4, 4)


async def test_candidates_do_not_depend_on_what_else_is_open() -> None:
    def told(found: list[SearchResult]) -> list[object]:
        return [[(row.tactic, row.log_prob, row.temperature, row.seed) for row in one.states] for one in found]

    one_by_one = await searched(Sampler(SHARP), 12, draws=8, spread=1.0, open_theorems=1)
    together = await searched(Sampler(SHARP, seconds=0.01), 12, draws=8, spread=1.0, open_theorems=12)
    assert told(one_by_one) == told(together)
    assert len({len(one.states) for one in together}) > 1


async def test_further_draws_of_several_theorems_go_out_in_one_request() -> None:
    await searched(policy := Sampler({"a": 1.0}, seconds=0.02), 8, draws=2, open_theorems=8)
    assert [(len(states), candidates) for states, candidates, _ in policy.asked][-1] == (8, 4)


# ---- temperatures


async def test_the_temperatures_of_a_state_s_candidates_rise_in_equal_steps() -> None:
    spread = replace(ONE_ROUND, spread=0.6)
    assert temperatures_of(0.5, spread) == pytest.approx((0.5, 0.6, 0.7, 0.8))
    assert temperatures_of(0.5, replace(spread, candidates=1)) == (0.5,)
    assert temperatures_of(0.5, ONE_ROUND) == (0.5,) * 4


async def test_every_row_has_the_temperature_that_its_tactic_was_sampled_at() -> None:
    [found] = await searched(policy := Sampler(LETTERS), spread=0.75, candidates=4)
    [(_, _, asked)] = policy.asked
    assert asked == (1.0, 1.25, 1.5, 1.75)
    [proposal] = await Sampler(LETTERS).propose(["A0"], candidates=4, temperature=asked, seeds=[found.states[1].seed])
    rows = {row.tactic: row.temperature for row in found.states[1:]}
    assert rows == {candidate.tactic: candidate.temperature for candidate in proposal.candidates}
    assert len(set(rows.values())) > 1
    assert found.states[0].temperature == 1.0


async def test_what_lacks_is_drawn_at_the_broadest_temperatures() -> None:
    await proposed(policy := Sampler({"a": 1.0}), draws=2, spread=0.75)
    assert [temperature for *_, temperature in policy.asked] == [(1.0, 1.25, 1.5, 1.75), (1.25, 1.5, 1.75, 1.25)]


async def test_a_policy_that_knows_one_temperature_only_is_asked_with_several_only_where_the_search_says_so() -> None:
    await proposed(policy := Sampler(SHARP), draws=3)
    assert {temperature for *_, temperature in policy.asked} == {1.0}


# ---- settings and what is kept


def test_search_and_evaluation_have_settings_of_their_own() -> None:
    config = SearchConfig(draws=4, spread=0.5)
    assert (ONE_ROUND.draws, ONE_ROUND.spread) == (1, 0.0)
    searching = SearchSettings.for_search(config, ())
    assert (searching.draws, searching.spread) == (4, 0.5)
    evaluation = SearchSettings.for_evaluation(EvaluateConfig(draws=2), config, ())
    assert (evaluation.draws, evaluation.spread) == (2, 0.0)


def test_by_default_they_are_in_no_key() -> None:
    for section in (SearchConfig, EvaluateConfig):
        assert not {"draws", "spread"} & section().meaning().keys()
        assert section(draws=3, spread=0.5).meaning().items() >= {"draws": 3, "spread": 0.5}.items()
    assert "draws" not in repr(ONE_ROUND), "it is in what folders of evaluations are known by"
    assert "spread" not in repr(ONE_ROUND)


async def test_of_kept_expansions_further_draws_are_asked_for_and_other_temperatures() -> None:
    with Recall() as recall:

        async def samples(**settings: Any) -> int:
            policy = Sampler({"a": 1.0})
            expected, found = Sampler({"a": 1.0}), await proposed(RecallingPolicy(policy, recall, "m"), **settings)
            assert found == await proposed(expected, **settings)
            return policy.samples

        assert await samples() == 4
        assert await samples(draws=2) == 4, "the first four are known"
        assert await samples(draws=2) == 0
        assert await samples(spread=0.5) == 4
        assert await samples(spread=0.5) == 0
        assert await samples(spread=0.25) == 4
