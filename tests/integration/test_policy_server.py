"""The embedded server speaks SGLang's subset; the client batches, repeats, extracts and merges. Over real sockets."""

import asyncio
import base64
import math
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import httpx
import numpy as np
import pytest
import torch

from burnqed.config import PolicyConfig, RunConfig, SearchConfig
from burnqed.errors import BadInput, TryAgain
from burnqed.head.base import Head
from burnqed.head.mlp import MlpHead
from burnqed.key import Key
from burnqed.layout import Layout
from burnqed.policy import client as client_module
from burnqed.policy.client import Generated, PolicyClient, candidate_seed, proposal
from burnqed.policy.encode import Encoder
from burnqed.policy.pooling import Pooling
from burnqed.policy.prompt import prompt
from burnqed.policy.protocol import Candidate, Proposal, distinct
from burnqed.policy.template import COMPLETION, template_of
from burnqed.policy.tiny import make_base
from burnqed.policy.version import model_version
from burnqed.proof_search.settings import SearchSettings
from burnqed.proof_search.tools import Tools
from burnqed.record import write_record
from burnqed.steps import embed, searching
from burnqed.steps.base import Context, Unit, view
from burnqed.steps.facts import HeadFacts, ModelFacts
from burnqed.steps.table import step_named
from burnqed.store import Store
from burnqed.train.embeddings import EmbeddingCache
from tests.fixtures.head_examples import examples_of
from tests.fixtures.policy import SHAPE, STATES, Running, make_tiny, running
from tests.fixtures.s3 import S3Server

GREEDY = {"temperature": 0.0, "max_new_tokens": 8}
SHARP = 0.005
"""A temperature at which a model that nobody has trained, to which all tokens are nearly the same, has few ideas."""
SAMPLED = {"temperature": 1.0, "top_p": 0.95, "max_new_tokens": 8}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    return make_tiny(tmp_path_factory.mktemp("served") / "tiny")


@pytest.fixture(scope="module")
def head(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    encoder = Encoder(folder, Pooling(SHAPE.embed_max_tokens))
    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("head")
    MlpHead(encoder.width, [16]).save(path, encoder.embedding_id, {})
    return path


@pytest.fixture(scope="module")
def server(folder: Path, head: Path) -> Iterator[Running]:
    with running(folder, head=head) as found:
        with httpx.Client(base_url=found.url) as http:
            while http.get("/ready").status_code == 503:
                pass
        yield found


@pytest.fixture
def http(server: Running) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=60) as found:
        yield found


@pytest.fixture
async def policy(server: Running, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PolicyClient]:
    monkeypatch.setattr(client_module, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(client_module, "LONGEST_WAIT_S", 0.02)
    server.faults.requests.clear()
    async with PolicyClient(SHAPE, server.url, server.url) as found:
        yield found
    server.faults.plan.clear()


# ---- SGLang's protocol


def test_a_reply_has_the_fields_of_sglang(http: httpx.Client, folder: Path) -> None:
    text = prompt(STATES[0])
    body = {"text": text, "sampling_params": GREEDY, "return_logprob": True, "logprob_start_len": -1, "rid": "mine"}
    reply = http.post("/generate", json=body).json()
    assert set(reply) == {"text", "output_ids", "meta_info"}
    meta = reply["meta_info"]
    assert meta["id"] == "mine"
    assert meta["finish_reason"] == {"type": "length", "length": 8}
    assert meta["completion_tokens"] == len(reply["output_ids"]) == 8
    assert meta["prompt_tokens"] > 8
    assert meta["cached_tokens"] == 0
    assert meta["weight_version"] == model_version(folder)
    log_probs = meta["output_token_logprobs"]
    assert [token for _, token, _ in log_probs] == reply["output_ids"]
    assert all(log_prob < 0 and piece is None for log_prob, _, piece in log_probs)


def test_metrics_tell_what_was_generated_and_what_waits(http: httpx.Client) -> None:
    http.post("/generate", json={"text": STATES[0], "sampling_params": {"max_new_tokens": 3}}).raise_for_status()
    lines = dict(line.rsplit(" ", 1) for line in http.get("/metrics").text.splitlines() if not line.startswith("#"))
    assert float(lines["burnqed_generated_tokens_total"]) >= 1
    assert lines['burnqed_queue{what="generation"}'] == "0.0"


def test_a_list_gets_a_list_and_equal_prompts_are_read_once(http: httpx.Client) -> None:
    texts = [prompt(STATES[0])] * 3 + [prompt(STATES[1])]
    replies = http.post("/generate", json={"text": texts, "sampling_params": [GREEDY] * 4}).json()
    assert len(replies) == 4
    assert replies[0]["text"] == replies[1]["text"] == replies[2]["text"]
    assert [r["meta_info"]["cached_tokens"] > 0 for r in replies] == [False, True, True, False]
    assert "output_token_logprobs" not in replies[0]["meta_info"]


def test_a_request_for_no_token_gets_an_empty_reply_and_costs_nobody_theirs(http: httpx.Client) -> None:
    params = [GREEDY, {**GREEDY, "max_new_tokens": 0}]
    body = {"text": [prompt(STATES[0])] * 2, "sampling_params": params, "return_logprob": True}
    some, none = http.post("/generate", json=body).json()
    assert some["meta_info"]["completion_tokens"] == 8
    assert (none["text"], none["output_ids"], none["meta_info"]["output_token_logprobs"]) == ("", [], [])
    assert none["meta_info"]["finish_reason"] == {"type": "length", "length": 0}


def test_a_failure_of_the_model_is_told_to_everybody_who_waits_and_later_requests_succeed(
    server: Running, http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("out of memory")

    body = {"text": [prompt(STATES[0]), prompt(STATES[1])], "sampling_params": GREEDY}
    assert server.worker.loaded
    with monkeypatch.context() as patched:
        patched.setattr(server.worker.loaded.generator, "_extend", fail)
        answer = http.post("/generate", json=body)
    assert (answer.status_code, answer.json()["error"]["message"]) == (500, "RuntimeError: out of memory")
    assert answer.headers["Connection"] == "close"
    assert http.post("/generate", json=body).status_code == 200


def test_a_batch_gives_what_single_requests_give(http: httpx.Client) -> None:
    texts = [prompt(state) for state in STATES]
    for params in (GREEDY, {**SAMPLED, "sampling_seed": 7}):
        together = http.post("/generate", json={"text": texts, "sampling_params": params}).json()
        alone = [http.post("/generate", json={"text": text, "sampling_params": params}).json() for text in texts]
        assert [r["output_ids"] for r in together] == [r["output_ids"] for r in alone]


async def test_requests_that_come_together_are_answered_as_if_alone(server: Running) -> None:
    bodies = [
        {"text": prompt(state), "sampling_params": {**SAMPLED, "max_new_tokens": 2 + i, "sampling_seed": i}}
        for i, state in enumerate(STATES * 2)
    ]
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        alone = [(await http.post("/generate", json=body)).json()["output_ids"] for body in bodies]
        replies = await asyncio.gather(*(http.post("/generate", json=body) for body in bodies))
    assert [reply.json()["output_ids"] for reply in replies] == alone


def test_pieces_of_text_come_with_the_log_probabilities_on_request(http: httpx.Client) -> None:
    body = {"text": prompt("p"), "sampling_params": GREEDY, "return_logprob": True, "return_text_in_logprobs": True}
    reply = http.post("/generate", json=body).json()
    pieces = [piece for _, _, piece in reply["meta_info"]["output_token_logprobs"]]
    assert all(isinstance(piece, str) for piece in pieces)
    if "\ufffd" not in "".join(pieces):
        assert "".join(pieces) == reply["text"]


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ({}, "text"),
        ({"text": []}, "at least one text"),
        ({"text": ""}, "empty"),
        ({"text": ["a", "b"], "sampling_params": [{}]}, "2 texts and 1 sampling_params"),
        ({"text": "a", "sampling_params": {"temperature": -1}}, "temperature"),
        ({"text": "a", "sampling_params": {"temprature": 1}}, "temprature"),
        ({"text": "a", "sampling_params": {"n": 2}}, "n"),
        ({"text": "a", "stream": True}, "stream"),
        ({"text": "a", "lora_path": "x"}, "lora_path"),
        ({"text": "word " * 400, "sampling_params": GREEDY}, "longer than the model's context length (208 tokens)"),
        ({"text": "a", "sampling_params": {"max_new_tokens": 999}}, "maximum context length"),
    ],
    ids=str,
)  # fmt: skip
def test_a_bad_request_gets_status_400_and_a_message(http: httpx.Client, body: dict[str, Any], hint: str) -> None:
    answer = http.post("/generate", json=body)
    assert answer.status_code == 400
    assert hint in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("route", "body"),
    [
        ("generate", "{"),
        ("generate", r'{"text": "a\ud800b"}'),
        ("generate", r'{"text": "a", "rid": "\ud800"}'),
        ("generate", r'{"text": "a", "\ud800": 1}'),
        ("generate", r'{"text": "a", "sampling_params": {"\ud800": 1}}'),
        ("update_weights_from_disk", r'{"model_path": "\ud800"}'),
        ("update_weights_from_disk", r'{"model_path": "a", "weight_version": "\ud800"}'),
        ("update_weights_from_disk", r'{"model_path": "a", "head_path": "\ud800"}'),
    ],
)
def test_a_body_that_is_cut_off_or_has_half_of_a_character_gets_status_400_and_a_message(
    http: httpx.Client, route: str, body: str
) -> None:
    answer = http.post(f"/{route}", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"]


def test_health_readiness_and_model_info_answer(http: httpx.Client, folder: Path) -> None:
    assert [http.get(path).status_code for path in ("/health", "/health_generate", "/ready")] == [200, 200, 200]
    info = http.get("/get_model_info").json()
    assert info["model_path"] == str(folder)
    assert info["is_generation"] is True
    assert info["weight_version"] == model_version(folder)
    assert http.post("/flush_cache").status_code == 200


def test_new_weights_change_the_weight_version_in_every_later_reply(folder: Path, tmp_path: Path) -> None:
    other = make_tiny(tmp_path / "other", seed=1)
    with running(folder) as server, httpx.Client(base_url=server.url, timeout=60) as http:
        while True:
            early = http.post("/generate", json={"text": "a", "sampling_params": GREEDY}).status_code
            if http.get("/health").status_code == 200:
                break
            assert early == 503
        body = {"text": prompt(STATES[0]), "sampling_params": GREEDY}
        before, embedding = http.post("/generate", json=body).json(), http.get("/health").json()["embedding_id"]
        missing = http.post("/update_weights_from_disk", json={"model_path": str(tmp_path / "absent")})
        assert (missing.status_code, missing.json()["success"]) == (400, False)
        assert http.post("/generate", json=body).json()["output_ids"] == before["output_ids"]
        assert http.post("/update_weights_from_disk", json={"model_path": str(other)}).json()["success"] is True
        after = http.post("/generate", json=body).json()
        assert after["meta_info"]["weight_version"] == model_version(other) != before["meta_info"]["weight_version"]
        assert after["output_ids"] != before["output_ids"]
        assert http.get("/health").json()["embedding_id"] != embedding
        named = {"model_path": str(folder), "weight_version": "mine"}
        assert http.post("/update_weights_from_disk", json=named).json()["success"] is True
        assert http.get("/get_model_info").json()["weight_version"] == "mine"
        assert "--head" in http.post("/score", json={"states": ["p"], "goals": ["p"]}).json()["error"]["message"]


def test_weights_that_the_head_is_not_for_are_refused_and_the_old_ones_stay(
    http: httpx.Client, folder: Path, tmp_path: Path
) -> None:
    other = make_tiny(tmp_path / "other", seed=1)
    answer = http.post("/update_weights_from_disk", json={"model_path": str(other)})
    assert answer.status_code == 400
    assert "head" in answer.json()["message"]
    assert http.get("/get_model_info").json()["weight_version"] == model_version(folder)


def test_a_model_and_its_head_are_fetched_from_s3(
    folder: Path, head: Path, s3_server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in s3_server.environment().items():
        monkeypatch.setenv(name, value)
    uri = f"s3://{s3_server.bucket}/policy"
    for prefix, files in (("model", folder), ("head", head)):
        Store(uri).upload(files, prefix)
    with running(f"{uri}/model", head=f"{uri}/head") as server, httpx.Client(base_url=server.url, timeout=60) as http:
        while http.get("/ready").status_code == 503:
            assert server.worker.failed is None
        assert http.get("/get_model_info").json()["weight_version"] == model_version(folder)
        assert http.get("/health").json()["head_id"] == Head.load(head).head_id


def test_embeddings_in_4_bits_leave_what_is_generated_as_it_is(tmp_path: Path) -> None:
    shape = SHAPE.model_copy(update={"hidden_size": 64, "heads": 2})
    model = tmp_path / "wide"
    make_base([prompt(state) for state in STATES], model, shape, 0)
    body = {"text": [prompt(state) for state in STATES], "sampling_params": GREEDY}
    replies, health = {}, {}
    for weights in ("full", "nf4"):
        config = shape.model_copy(update={"embed_weights": weights})
        with running(model, config) as server, httpx.Client(base_url=server.url, timeout=60) as http:
            while http.get("/ready").status_code == 503:
                assert server.worker.failed is None
            replies[weights] = [reply["output_ids"] for reply in http.post("/generate", json=body).json()]
            health[weights] = http.get("/health").json()
    assert replies["full"] == replies["nf4"]
    assert health["full"]["weight_version"] == health["nf4"]["weight_version"]
    assert health["nf4"]["embedding_id"] == Encoder(model, Pooling(64), weights="nf4").embedding_id
    assert health["nf4"]["embedding_id"] != health["full"]["embedding_id"]


def test_a_head_of_another_model_is_refused_naming_both_kinds_of_embeddings(head: Path, tmp_path: Path) -> None:
    other = make_tiny(tmp_path / "other", seed=1)
    with running(other, head=head) as server:
        while server.worker.failed is None:
            pass
        message = str(server.worker.failed)
        assert isinstance(server.worker.failed, BadInput)
    assert Encoder(other, Pooling(SHAPE.embed_max_tokens)).embedding_id in message
    assert Head.load(head).embedding_id in message


def test_in_prompts_the_server_embeds_as_the_step_does_and_refuses_a_head_of_bare_states(
    folder: Path, head: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = SHAPE.model_copy(update={"embedding": "prompt", "lemmas": 3})
    store, layout = Store(str(tmp_path / "store")), Layout("main", 0)
    context = Context(store, layout, RunConfig(policy=policy), tmp_path, stage="final")
    texts = [*STATES, "h : " + " ∧ ".join(STATES) + "\n⊢ p"]
    monkeypatch.setattr(embed, "fetch_once", lambda *_: folder)
    monkeypatch.setattr(embed, "head_examples", lambda *_: examples_of([], {"t": tuple(texts)}))
    (unit,) = embed.units(context)
    facts = embed.encode(replace(context, config=view(step_named("embed"), context, unit)), unit)
    stored = EmbeddingCache(store, unit.root, facts.embedding_id).select(texts).matrix
    encoder = Encoder(folder, Pooling(SHAPE.embed_max_tokens, COMPLETION))
    with running(folder, policy) as server, httpx.Client(base_url=server.url, timeout=60) as http:
        while http.get("/ready").status_code == 503:
            assert server.worker.failed is None
        answer = http.post("/embed", json={"texts": texts}).json()
    assert answer["embedding_id"] == facts.embedding_id == encoder.embedding_id
    vectors = np.frombuffer(base64.b64decode(answer["embeddings"]), dtype="<f4").reshape(len(texts), -1)
    assert vectors.shape == stored.shape == (len(texts), 2 * SHAPE.hidden_size)
    np.testing.assert_allclose(vectors, stored, atol=2e-5)
    with running(folder, policy, head=head) as server:
        while server.worker.failed is None:
            pass
        message = str(server.worker.failed)
    assert Head.load(head).embedding_id in message
    assert f"gives {encoder.embedding_id} with policy.embedding=prompt; use the head that was trained" in message


# ---- the client


async def test_proposals_are_the_same_for_equal_seeds_in_any_company(policy: PolicyClient, folder: Path) -> None:
    first = await policy.propose(STATES[:3], candidates=4, temperature=1.0, seeds=[1, 2, 3])
    again = await asyncio.gather(
        *(policy.propose([s], candidates=4, temperature=1.0, seeds=[i]) for i, s in enumerate(STATES[:3], 1))
    )
    assert [[c.tactic for c in p.candidates] for p in first] == [[c.tactic for c in p.candidates] for [p] in again]
    assert first != await policy.propose(STATES[:3], candidates=4, temperature=1.0, seeds=[4, 5, 6])
    for one in first:
        assert one.model_version == model_version(folder)
        tactics = [c.tactic for c in one.candidates]
        assert len(set(tactics)) == len(tactics) <= 4
        assert [c.log_prob for c in one.candidates] == sorted((c.log_prob for c in one.candidates), reverse=True)


async def test_a_log_probability_is_the_sum_over_the_tokens_of_the_reply(
    policy: PolicyClient, http: httpx.Client
) -> None:
    [found] = await policy.propose(STATES[:1], candidates=3, temperature=0.0, seeds=[0])
    params = {"temperature": 0.0, "max_new_tokens": SHAPE.max_new_tokens}
    reply = http.post("/generate", json={"text": prompt(STATES[0]), "sampling_params": params, "return_logprob": True})
    total = sum(log_prob for log_prob, _, _ in reply.json()["meta_info"]["output_token_logprobs"])
    assert len(found.candidates) == 1, "greedy replies are all the same"
    assert found.candidates[0].log_prob == pytest.approx(total, abs=1e-3)


async def test_each_candidate_may_have_a_temperature_of_its_own_and_is_what_it_gives(
    policy: PolicyClient, http: httpx.Client
) -> None:
    [found] = await policy.propose(STATES[:1], candidates=3, temperature=[0.5, 1.0, 2.0], seeds=[5])
    expected = []
    for number, temperature in enumerate([0.5, 1.0, 2.0]):
        body = {"text": prompt(STATES[0]), "sampling_params": policy._sampling(temperature, 5, number)}
        answer = http.post("/generate", json=body | {"return_logprob": True, "return_text_in_logprobs": True}).json()
        expected += proposal([Generated.model_validate(answer)], [temperature], COMPLETION).candidates
    assert found.candidates == distinct(expected)
    assert len({candidate.temperature for candidate in found.candidates}) > 1


async def test_draws_find_more_tactics_and_keep_those_of_the_first(policy: PolicyClient) -> None:
    async def found(draws: int) -> list[Proposal]:
        config = SearchConfig(candidates=8, draws=draws)
        tools = Tools(cast(Any, None), policy, None, SearchSettings.for_search(config, ()))
        return await asyncio.gather(*(tools.propose(state, 3, SHARP) for state in STATES))

    once, often = await found(1), await found(5)
    for few, many in zip(once, often, strict=True):
        log_probs = {candidate.tactic: candidate.log_prob for candidate in many.candidates}
        for candidate in few.candidates:
            assert log_probs[candidate.tactic] > candidate.log_prob - 1e-3, "a likelier reply may give the same tactic"
        assert len({candidate.tactic for candidate in many.candidates}) == len(many.candidates) <= 8
        assert (many.tokens > few.tokens) == (len(few.candidates) < 8)
    assert sum(len(p.candidates) for p in often) > sum(len(p.candidates) for p in once)


async def test_states_travel_in_requests_of_at_most_max_batch_replies(policy: PolicyClient, server: Running) -> None:
    proposals = await policy.propose(STATES[:6], candidates=16, temperature=1.0, seeds=list(range(6)))
    assert len(proposals) == 6
    assert server.faults.requests == ["/generate"] * 3


async def test_a_state_that_is_too_long_has_no_candidates_and_does_not_spoil_its_neighbours(
    policy: PolicyClient,
) -> None:
    states = [STATES[0], "n : Nat\n" * 300 + "⊢ n = n", STATES[1]]
    proposals = await policy.propose(states, candidates=2, temperature=1.0, seeds=[1, 2, 3])
    assert [bool(p.candidates) for p in proposals] == [True, False, True]


@pytest.mark.parametrize("fault", ["drop", "500", "garbage", "cut"])
async def test_a_request_that_fails_is_repeated(policy: PolicyClient, server: Running, fault: str) -> None:
    expected = await policy.propose(STATES[:1], candidates=2, temperature=1.0, seeds=[5])
    server.faults.plan.extend([fault] * 3)
    assert await policy.propose(STATES[:1], candidates=2, temperature=1.0, seeds=[5]) == expected
    assert server.faults.requests == ["/generate"] * 5


async def test_a_server_that_stays_away_means_try_again(policy: PolicyClient, server: Running) -> None:
    server.faults.plan.extend(["500"] * 99)
    with pytest.raises(TryAgain, match="did not answer .*/generate in 6 tries .*status 500: oops"):
        await policy.propose(STATES, candidates=8, temperature=1.0, seeds=range(len(STATES)))


async def test_a_server_of_another_kind_is_bad_input(policy: PolicyClient, server: Running) -> None:
    with pytest.raises(BadInput, match=r"not what SGLang or burnqed serve answers"):
        await policy._request(f"{server.url}/get_model_info", Generated)
    async with PolicyClient(SHAPE, f"{server.url}/v1", server.url) as elsewhere:
        with pytest.raises(BadInput, match="check the address"):
            await elsewhere.info()


async def test_nobody_listening_is_noticed_at_once_when_the_process_is_gone(server: Running) -> None:
    async with PolicyClient(SHAPE, "http://127.0.0.1:9", server.url) as away:
        with pytest.raises(TryAgain, match="ended before it was ready"):
            await away.wait_ready(60, is_alive=lambda: False)
        with pytest.raises(TryAgain, match="No policy server was ready"):
            await away.wait_ready(0.1)


async def test_a_server_that_is_gone_is_worth_another_try(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "ATTEMPTS", 1)
    async with PolicyClient(SHAPE, "http://127.0.0.1:9", "http://127.0.0.1:9") as away:
        with pytest.raises(TryAgain, match="did not answer"):
            await away.propose(STATES, candidates=2, temperature=1.0, seeds=list(range(len(STATES))))
        with pytest.raises(TryAgain, match="did not answer"):
            await away.score(STATES, STATES)


async def test_info_names_model_embeddings_and_head(policy: PolicyClient, folder: Path, head: Path) -> None:
    with pytest.raises(BadInput, match="has named no head_id"):
        _ = policy.head_id
    await policy.wait_ready(10)
    info = await policy.info()
    assert info.weight_version == model_version(folder)
    assert info.embedding_id == Head.load(head).embedding_id
    assert info.head_id == policy.head_id == Head.load(head).head_id


async def test_only_one_model_is_worked_with(server: Running, folder: Path, tmp_path: Path) -> None:
    ask = {"candidates": 2, "temperature": 1.0, "seeds": [0]}
    ours, other = model_version(folder), make_tiny(tmp_path / "other", seed=1)
    with running(other) as another:
        async with PolicyClient(SHAPE, another.url, server.url) as mixed:
            with pytest.raises(
                BadInput, match=f"weights {model_version(other)}, but .* scores with {ours}; .*--weight-version {ours}"
            ):
                await mixed.wait_ready(60)
        async with PolicyClient(SHAPE, another.url, another.url) as changing:
            await changing.wait_ready(60)
            await changing.propose(STATES[:1], **ask)
            another.worker.update(str(folder), None).result()
            with pytest.raises(
                BadInput, match=f"changed its weight_version from {model_version(other)} to {ours} midway"
            ):
                await changing.propose(STATES[:1], **ask)


@pytest.mark.parametrize("wrong", ["model", "head"])
async def test_a_step_refuses_a_server_of_another_model_or_head(
    server: Running, folder: Path, head: Path, tmp_path: Path, wrong: str
) -> None:
    layout, store = Layout("main", 0), Store(str(tmp_path / "store"))
    right = {layout.model: model_version(folder), layout.head("final"): Head.load(head).head_id}
    context = Context(store, layout, RunConfig(policy=SHAPE), tmp_path, policy_url=server.url)

    def make(prefix: str, version: str) -> None:
        model = ModelFacts(version=version, parameters=1, sample_tactic="rfl", sample_log_prob=0.0)
        head = HeadFacts(head_id=version, accepted=True, steps=1, positives=1)
        facts = (model if prefix == layout.model else head).document()
        key = Key(step="test", version=1)
        write_record(store, prefix, key, context.config, facts, datetime.now(UTC), dollars_per_hour=0)

    for prefix, version in right.items():
        make(prefix, version)
    unit = Unit("main/x", {"model": [layout.model], "head": [layout.head("final")]})
    async with searching.policy(context, unit):
        pass
    make(layout.model if wrong == "model" else layout.head("final"), "another")
    with pytest.raises(
        BadInput, match=r"serves [0-9a-f]{16}, but .* is another; serve this iteration's model and head"
    ):
        async with searching.policy(context, unit):
            pass


async def test_embeddings_and_energies_equal_those_computed_here(
    policy: PolicyClient, http: httpx.Client, folder: Path, head: Path
) -> None:
    texts = STATES * 10
    encoder = Encoder(folder, Pooling(SHAPE.embed_max_tokens))
    answer = http.post("/embed", json={"texts": texts}).json()
    assert answer["embedding_id"] == encoder.embedding_id
    vectors = np.frombuffer(base64.b64decode(answer["embeddings"]), dtype="<f4").reshape(len(texts), -1).copy()
    np.testing.assert_allclose(vectors, encoder.embed(texts), atol=2e-5)
    z, g = torch.from_numpy(vectors), torch.from_numpy(vectors[[0] * len(texts)])
    energies = await policy.score(texts, [texts[0]] * len(texts))
    assert energies == pytest.approx(Head.load(head).energies(z, g).tolist(), abs=1e-4)
    assert len({round(e, 6) for e in energies}) > 1
    assert await policy.score([], []) == []


async def test_a_text_is_encoded_once_for_many_scores(
    policy: PolicyClient, server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert server.worker.loaded is not None
    encoder, seen = server.worker.loaded.encoder, []
    embed = encoder.embed
    monkeypatch.setattr(encoder, "embed", lambda texts: seen.extend(texts) or embed(texts))
    first = await policy.score(["⊢ new 1", "⊢ new 2", "⊢ new 1"], ["⊢ root"] * 3)
    assert await policy.score(["⊢ new 2", "⊢ new 1"], ["⊢ root"] * 2) == pytest.approx([first[1], first[0]])
    assert seen == ["⊢ new 1", "⊢ new 2", "⊢ root"]


async def test_a_head_that_changes_midway_is_refused(policy: PolicyClient) -> None:
    await policy.info()
    policy._note(head_id=policy.head_id)
    with pytest.raises(BadInput, match="changed its head_id"):
        policy._note(head_id="another")


async def test_a_state_without_text_cannot_be_scored(policy: PolicyClient) -> None:
    with pytest.raises(BadInput, match="refuses /score: Text 1 is empty"):
        await policy.score(["p", ""], ["p", "p"])


def generated(text: str, *tokens: tuple[float, str]) -> Generated:
    return Generated.model_validate(
        {
            "text": text,
            "meta_info": {
                "completion_tokens": len(tokens),
                "output_token_logprobs": [(log_prob, i, piece) for i, (log_prob, piece) in enumerate(tokens)],
            },
        }
    )


def test_duplicates_and_empty_replies_are_dropped_and_the_likeliest_is_kept() -> None:
    found = proposal(
        [
            generated("simp", (-3.0, "simp"), (-1.0, "<|end|>")),
            generated("  simp\n", (-1.0, "  simp"), (-0.5, "\n"), (-0.5, "<|end|>")),
            generated("-- nothing", (-0.1, "-- nothing")),
            generated("sorry", (-0.1, "sorry")),
            generated("omega", (-1.0, "omega"), (-0.25, "<|end|>")),
        ],
        [0.5, 1.0, 1.5, 2.0, 2.5],
        COMPLETION,
    )
    assert found.candidates == (Candidate("omega", -1.25, 2.5), Candidate("simp", -2.0, 1.0))


def test_a_tactic_behind_a_long_run_of_broken_characters_has_its_own_log_probability() -> None:
    run = [(-1.0, "\ufffd")] * 20
    reply = generated("hm " + "🎉" * 20 + "</think>\n```lean\nsimp\n```", (-1.0, "hm "), *run, (-1.0, "</think>"), (-2.0, "\n```lean\n"), (-4.0, "simp"), (-8.0, "\n```"))  # fmt: skip
    template = template_of(PolicyConfig(template="deepseek-r1-distill-qwen", thinking=True))
    assert proposal([reply], [1.0], template).candidates[0].log_prob == -6.0


def test_tokens_behind_the_first_tactic_do_not_count() -> None:
    written_on = generated("rfl\nsimp", (-1.0, "rfl"), (-2.0, "\n"), (-4.0, "simp"), (-8.0, "<|end|>"))
    assert proposal([written_on], [1.0], COMPLETION).candidates[0].log_prob == -1.0
    split = generated(
        "exact ⟨h⟩\nx",
        (-1.0, "exact"),
        (-2.0, " "),
        (-4.0, "\ufffd"),
        (-8.0, "\ufffd"),
        (-16.0, "h"),
        (-32.0, "⟩"),
        (-64.0, "\nx"),
    )
    assert proposal([split], [1.0], COMPLETION).candidates[0].log_prob == -63.0


def test_seeds_of_candidates_differ_and_fit_into_31_bits() -> None:
    seeds = {candidate_seed(seed, i) for seed in range(50) for i in range(20)}
    assert len(seeds) == 1000
    assert min(seeds) >= 0
    assert max(seeds) < 2**31
    assert math.log2(max(seeds)) > 30
