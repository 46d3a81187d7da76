"""The client reads what the real SGLang answered (`../shared/sglang`), and the stand-in answers likewise."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from burnqed.config import PolicyConfig
from burnqed.errors import BadInput
from burnqed.policy.client import TOO_LONG, Generated, PolicyClient, Unavailable, complaint, read, whole
from burnqed.policy.version import model_version
from burnqed.policy.worker import Worker
from tests.fixtures.policy import STATES, make_tiny
from tests.fixtures.sglang_stand_in import sglang

NOT_OURS = {
    "n_param_3", "stream", "input_ids", "rids_given", "top_logprobs_2", "logprob_start_0", "no_stop_trim", "top_level_unknown",
    "seed_2**63", "mismatch_more_params", "bad_temperature_nan_string", "bad_stop_empty_string", "bad_nul_char",
}  # fmt: skip
"""Requests that use what the client never does, and the stand-in has not (or not so)."""
LENGTHS = ("context562_", "edge_", "concurrent_", "disconnect", "bad_prompt_plus_new_over")
"""Requests that are about the recorded model's tokens, or about many at once."""
CONDITIONS = ("abort", "weights_", "flushed_", "after_flush", "generate_after", "new_generate")


@pytest.fixture(scope="module")
def recorded(shared: Path) -> list[dict[str, Any]]:
    lines = (shared / "sglang" / "transcripts.jsonl").read_text(encoding="utf-8").splitlines()
    unanswered = {"status": None, "kind": None, "reply": None}
    return [{**unanswered, **json.loads(line)} for line in lines]


def response(row: dict[str, Any]) -> httpx.Response:
    content = row["reply"] if row["kind"] == "text" else json.dumps(row["reply"])
    return httpx.Response(row["status"], text="" if row["reply"] is None else content)


def answering(answer: Callable[[httpx.Request], httpx.Response]) -> PolicyClient:
    """A client whose servers answer like this."""
    client = PolicyClient(PolicyConfig(), "http://server", "http://ours")
    client._http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    return client


def replies(row: dict[str, Any]) -> list[Generated]:
    kind: type = list[Generated] if isinstance(row["reply"], list) else Generated
    found = read(response(row), kind, "http://server/generate")
    return found if isinstance(found, list) else [found]


def with_log_probs(recorded: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for row in recorded:
        is_reply = row["path"] == "/generate" and row["status"] == 200 and row["kind"] == "json"
        if is_reply and row["body"].get("return_logprob"):
            yield row


def test_every_reply_is_read_with_all_its_tokens(recorded: list[dict[str, Any]]) -> None:
    rows = list(with_log_probs(recorded))
    assert len(rows) > 100
    for row in rows:
        found = replies(row)
        aborted = "abort" in row["name"]
        assert whole(found, len(found)) is not aborted, row["name"]
        for one in found:
            versions = {span.version for span in one.meta_info.weight_versions}
            assert versions == {one.meta_info.weight_version}, row["name"]


def test_every_refusal_is_said_in_its_own_words_whatever_its_shape(recorded: list[dict[str, Any]]) -> None:
    refusals = [row for row in recorded if 400 <= (row["status"] or 0) < 500]
    shapes = {json.dumps(sorted(row["reply"])) for row in refusals if row["kind"] == "json"}
    assert len(shapes) >= 4
    for row in refusals:
        said = complaint(response(row))
        assert said, row["name"]
        assert not said.startswith(("{", "[")), row["name"]
        assert "error" not in said[:8], row["name"]


def test_a_prompt_that_is_too_long_is_told_from_all_other_refusals(recorded: list[dict[str, Any]]) -> None:
    for row in recorded:
        if row["path"] == "/generate" and row["status"] == 400:
            is_length = any(part in row["name"] for part in ("too_long", "over", "edge_", "context562_"))
            assert (TOO_LONG in complaint(response(row))) is is_length, row["name"]


async def test_what_the_server_serves_is_read(recorded: list[dict[str, Any]]) -> None:
    (info,) = (row for row in recorded if row["name"] == "/model_info")
    client = answering(lambda asked: response(info if asked.url.path == "/model_info" else {**info, "reply": {}}))

    served = await client.info()
    assert (served.model_path, served.weight_version) == ("MODEL", "default")


@pytest.mark.parametrize(
    ("started", "hint"),
    [
        ({"enable_deterministic_inference": False}, "ignores seeds.* --enable-deterministic-inference, or set policy.deterministic=false"),
        ({"context_length": 560}, "has a context of 560 tokens, and needs 562; start it with --context-length 562"),
    ],
    ids=["seeds", "context"],
)  # fmt: skip
async def test_a_server_that_was_started_wrongly_is_refused(started: dict[str, Any], hint: str) -> None:
    """At 512 + 48 tokens and a context of 560, it gave 46."""
    model = {"model_path": "MODEL", "weight_version": "a"}
    replies = {"/model_info": model, "/server_info": {"version": "0.5.23", **started}, "/health": {}}
    client = answering(lambda asked: httpx.Response(200, json=replies[asked.url.path]))
    with pytest.raises(BadInput, match=hint):
        await client.info()


# ---- the stand-in


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = make_tiny(tmp_path_factory.mktemp("stand-in") / "tiny")
    shape = PolicyConfig(max_prompt_tokens=144, max_new_tokens=48, embed_max_tokens=64)
    worker = Worker(str(folder), None, shape)
    while worker.loaded is None:
        assert worker.failed is None
    with TestClient(sglang(worker, model_version(folder), 194, deterministic=False)) as client:  # as most was recorded
        yield client
    worker.close()


def compared(recorded: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Recorded requests that the client could make, or that say how the server refuses; with our prompt, for the models differ."""
    for row in recorded:
        if row["path"] != "/generate" or row["method"] != "POST" or row["status"] is None or row["name"] in NOT_OURS:
            continue
        if not row["name"].startswith((*LENGTHS, *CONDITIONS)):
            yield row


def fields(reply: Any) -> Any:
    """The names in a reply, as deep as the client reads it; of errors, all."""
    if isinstance(reply, list):
        return [fields(reply[0])] if reply else []
    if not isinstance(reply, dict):
        return type(reply).__name__
    if "meta_info" not in reply:
        return {name: fields(value) for name, value in reply.items()}
    read_ones = (
        "id",
        "finish_reason",
        "completion_tokens",
        "weight_version",
        "weight_versions",
        "output_token_logprobs",
    )
    meta = reply["meta_info"]
    return sorted([*reply, *(name for name in read_ones if name in meta)])


def test_the_stand_in_answers_as_the_real_server_did(recorded: list[dict[str, Any]], stand_in: TestClient) -> None:
    rows = list(compared(recorded))
    assert len(rows) > 50
    for row in rows:
        body = row["body"]
        raw = body if isinstance(body, str) else json.dumps(body)
        answer = stand_in.post("/generate", content=raw, headers={"content-type": "application/json"})
        assert answer.status_code == row["status"], (row["name"], answer.text)
        if row["kind"] == "json":
            assert fields(answer.json()) == fields(row["reply"]), row["name"]
        else:
            assert answer.text == row["reply"], row["name"]


def test_the_stand_in_keeps_its_weight_version_unless_told_another(stand_in: TestClient, tmp_path: Path) -> None:
    before = stand_in.get("/model_info").json()["weight_version"]
    other = make_tiny(tmp_path / "other", seed=1)
    answer = stand_in.post("/update_weights_from_disk", json={"model_path": str(other)})
    assert answer.json()["message"] == "Succeeded to update model weights."
    assert stand_in.get("/model_info").json()["weight_version"] == before
    stand_in.post("/update_weights_from_disk", json={"model_path": str(other), "weight_version": "iter0"})
    assert stand_in.get("/model_info").json()["weight_version"] == "iter0"


# ---- what the client never sends


async def test_the_client_never_sends_what_ends_the_server() -> None:
    """An empty prompt, and a seed with min_p."""
    sent: list[dict[str, Any]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        sent.append(body)
        meta = {"completion_tokens": 1, "output_token_logprobs": [[-1.0, 5, "simp"]], "finish_reason": {"type": "stop"}}
        return httpx.Response(200, json=[{"text": "simp", "meta_info": meta} for _ in body["text"]])

    client = answering(answer)
    await client.propose([*STATES, ""], candidates=3, temperature=1.3, seeds=list(range(len(STATES) + 1)))
    assert sent
    for body in sent:
        assert all(text.strip() for text in body["text"])
        assert len(body["sampling_params"]) == len(body["text"])
        assert all(params["min_p"] == 0 for params in body["sampling_params"])


async def test_temperatures_travel_one_for_each_reply() -> None:
    sent: list[dict[str, Any]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content))
        meta = {"completion_tokens": 1, "output_token_logprobs": [[-1.0, 5, "simp"]], "finish_reason": {"type": "stop"}}
        return httpx.Response(200, json=[{"text": "simp", "meta_info": meta} for _ in sent[-1]["text"]])

    await answering(answer).propose(STATES[:2], candidates=3, temperature=(1.0, 1.25, 1.5), seeds=[1, 2])
    (body,) = sent
    assert [params["temperature"] for params in body["sampling_params"]] == [1.0, 1.25, 1.5] * 2
    assert len({params["sampling_seed"] for params in body["sampling_params"]}) == 6


async def test_a_reply_that_two_models_made_is_refused() -> None:
    spans = [{"version": "a", "start": 0, "end": 1}, {"version": "b", "start": 1, "end": 2}]
    meta = {"completion_tokens": 2, "output_token_logprobs": [[-1.0, 5, "si"], [-1.0, 6, "mp"]], "weight_version": "b"}
    reply = [{"text": "simp", "meta_info": {**meta, "weight_versions": spans}}]
    client = answering(lambda _: httpx.Response(200, json=reply))
    with pytest.raises(BadInput, match="changed its weight_version from a to b midway"):
        await client.propose(STATES[:1], candidates=1, temperature=1.0, seeds=[1])


def test_a_failure_of_the_server_is_worth_another_try(recorded: list[dict[str, Any]]) -> None:
    failures = [row for row in recorded if (row["status"] or 0) >= 500 and row["path"] == "/generate"]
    assert failures
    for row in failures:
        with pytest.raises(Unavailable):
            read(response(row), Generated, "http://server/generate")
