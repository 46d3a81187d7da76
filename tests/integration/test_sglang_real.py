"""The client over the real SGLang, on a processor: `make test-sglang`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from tokenizers import Tokenizer

from burnqed.errors import BadInput
from burnqed.policy.client import PolicyClient
from burnqed.policy.prompt import prompt
from burnqed.policy.version import model_version
from tests.fixtures.policy import SHAPE, STATES, make_tiny
from tests.fixtures.sglang_pair import REAL, Pair

pytestmark = [
    pytest.mark.skipif(not REAL, reason="needs the real SGLang; run `make test-sglang`"),
    pytest.mark.timeout(1_500),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny(tmp_path_factory.mktemp("served") / "tiny")


@pytest.fixture(scope="module")
def pair(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    found = Pair(folder, SHAPE, tmp_path_factory.mktemp("pair") / "frozen")
    asyncio.run(found.wait_ready())
    yield found
    found.server.end(10)


@pytest.fixture
async def policy(pair: Pair) -> AsyncIterator[PolicyClient]:
    async with pair.client() as found:
        yield found


async def test_it_serves_the_model_it_was_given(policy: PolicyClient, folder: Path) -> None:
    assert (await policy.info()).weight_version == model_version(folder)


async def test_proposals_are_the_same_for_equal_seeds_in_any_company(policy: PolicyClient, folder: Path) -> None:
    together = await policy.propose(STATES[:3], candidates=4, temperature=1.0, seeds=[1, 2, 3])
    alone = await asyncio.gather(
        *(policy.propose([s], candidates=4, temperature=1.0, seeds=[i]) for i, s in enumerate(STATES[:3], 1))
    )
    assert [{c.tactic for c in p.candidates} for p in together] == [{c.tactic for c in p.candidates} for [p] in alone]
    assert together != await policy.propose(STATES[:3], candidates=4, temperature=1.0, seeds=[4, 5, 6])
    assert {p.model_version for p in together} == {model_version(folder)}


async def test_candidates_of_several_temperatures_in_one_request_are_those_of_each_alone(policy: PolicyClient) -> None:
    each = [0.5, 1.0, 2.0]
    [mixed] = await policy.propose(STATES[:1], candidates=3, temperature=each, seeds=[1])
    alone = {t: (await policy.propose(STATES[:1], candidates=3, temperature=t, seeds=[1]))[0].candidates for t in each}
    assert len({candidate.temperature for candidate in mixed.candidates}) > 1
    for candidate in mixed.candidates:
        assert candidate.temperature
        log_probs = {found.tactic: found.log_prob for found in alone[candidate.temperature]}
        assert log_probs[candidate.tactic] == pytest.approx(candidate.log_prob, abs=1e-3)


async def test_a_state_that_is_too_long_has_no_candidates_and_does_not_spoil_its_neighbours(
    policy: PolicyClient,
) -> None:
    states = [STATES[0], "n : Nat\n" * 300 + "⊢ n = n", STATES[1]]
    proposals = await policy.propose(states, candidates=2, temperature=1.0, seeds=[1, 2, 3])
    assert [bool(p.candidates) for p in proposals] == [True, False, True]


async def test_the_longest_prompt_still_gets_all_its_tokens(pair: Pair, folder: Path) -> None:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    ids = (tokenizer.encode(prompt("p " * 400)).ids * 2)[: SHAPE.max_prompt_tokens]
    params = {"max_new_tokens": SHAPE.max_new_tokens, "ignore_eos": True, "temperature": 0}
    reply = httpx.post(
        f"{pair.generate}/generate", json={"input_ids": ids, "sampling_params": params}, timeout=60
    ).json()
    assert reply["meta_info"]["completion_tokens"] == SHAPE.max_new_tokens


async def test_many_requests_at_once_are_all_answered(policy: PolicyClient) -> None:
    asked = [policy.propose(STATES, candidates=8, temperature=1.0, seeds=range(i, i + len(STATES))) for i in range(8)]
    for proposals in await asyncio.gather(*asked):
        assert len(proposals) == len(STATES)
        assert all(p.candidates for p in proposals)


async def test_a_request_that_is_refused_is_said_in_its_words(pair: Pair) -> None:
    config = SHAPE.model_copy(update={"max_new_tokens": 10_000})
    async with PolicyClient(config, pair.generate, pair.score) as client:
        with pytest.raises(BadInput, match="has a context of 210 tokens, and needs 10194"):
            await client.info()


async def test_weights_that_are_replaced_midway_are_noticed(
    pair: Pair, policy: PolicyClient, folder: Path, tmp_path: Path
) -> None:
    """And the encode server, which is asked at the same time, says which model it has."""
    await policy.propose(STATES[:1], candidates=1, temperature=1.0, seeds=[1])
    other = make_tiny(tmp_path / "other", seed=1)
    for model in (other, folder):
        asked = {"model_path": str(model), "weight_version": model_version(model)}
        answer = httpx.post(f"{pair.generate}/update_weights_from_disk", json=asked, timeout=60)
        assert answer.json()["success"] is True
        if model is other:
            with pytest.raises(BadInput, match="changed its weight_version from"):
                await policy.propose(STATES[:1], candidates=1, temperature=1.0, seeds=[1])
            async with pair.client() as newer:
                with pytest.raises(BadInput, match="serve one model"):
                    await newer.info()
