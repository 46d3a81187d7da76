"""SGLang with our encode server beside it: a stand-in for SGLang that has its manners, or the real one (`make test-sglang`)."""

from __future__ import annotations

import base64
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest
from fastapi.testclient import TestClient

from burnqed.config import PolicyConfig
from burnqed.errors import BadInput
from burnqed.head.base import Head
from burnqed.head.mlp import MlpHead
from burnqed.lifeline import Guarded
from burnqed.policy.encode import Encoder
from burnqed.policy.pooling import Pooling
from burnqed.policy.server import make_app
from burnqed.policy.sglang import COMMAND, PROBE_S, Sglang, arguments, launch, room
from burnqed.policy.version import model_version
from burnqed.policy.worker import Worker
from tests.fixtures.policy import SHAPE, STATES, make_tiny
from tests.fixtures.sglang_pair import FROZEN_S, REAL, Pair
from tests.fixtures.sglang_stand_in import HEEDS_SIGTERM_S
from tests.unit.test_argo_server import StandIn, argo
from tests.unit.test_workflow import built

__all__ = ["argo"]
pytestmark = pytest.mark.timeout(400 if REAL else 120)
GRACE_S = 10.0
"""Between SIGTERM and SIGKILL in a local pod; Kubernetes gives 30 s."""


@pytest.fixture
def pair(tiny_model: Path, tmp_path: Path) -> Iterator[Pair]:
    found = Pair(tiny_model, SHAPE, tmp_path / "frozen")
    yield found
    found.server.end(GRACE_S)


async def test_both_servers_are_ready_together_and_end_within_the_grace_period(pair: Pair) -> None:
    await pair.wait_ready()
    async with pair.client() as client:
        [found] = await client.propose(STATES[:1], candidates=2, temperature=1.0, seeds=[1])
    assert found.candidates
    embedded = httpx.post(f"{pair.score}/embed", json={"texts": STATES[:2]}).json()
    vectors = np.frombuffer(base64.b64decode(embedded["embeddings"]), dtype="<f4")
    assert len(vectors) == 2 * SHAPE.hidden_size
    assert np.isfinite(vectors).all()
    start = time.monotonic()
    pair.server.terminate()
    assert pair.server.wait(HEEDS_SIGTERM_S) == 0
    assert time.monotonic() - start < GRACE_S
    assert not pair.left()


@pytest.mark.long
async def test_weights_and_head_of_both_are_replaced_together_or_not_at_all(pair: Pair, tmp_path: Path) -> None:
    await pair.wait_ready()
    other = make_tiny(tmp_path / "other", seed=1)
    update = f"{pair.score}/update_weights_from_disk"
    async with pair.client() as client:
        before = await client.info()
    wrong = httpx.post(update, json={"model_path": str(tmp_path / "absent")}, timeout=60)
    assert (wrong.status_code, wrong.json()["success"]) == (400, False)
    MlpHead(SHAPE.hidden_size, [16]).save(tmp_path / "head", "another", {})
    wrong = httpx.post(update, json={"model_path": str(other), "head_path": str(tmp_path / "head")}, timeout=60)
    assert "was trained on embeddings another" in wrong.json()["message"]
    async with pair.client() as client:
        assert await client.info() == before
    embedding = Encoder(other, Pooling(SHAPE.embed_max_tokens)).embedding_id
    MlpHead(SHAPE.hidden_size, [16]).save(tmp_path / "head", embedding, {})
    asked = {"model_path": str(other), "head_path": str(tmp_path / "head")}
    assert httpx.post(update, json=asked, timeout=60).json()["success"] is True
    async with pair.client() as client:
        after = await client.info()
        [found] = await client.propose(STATES[:1], candidates=1, temperature=1.0, seeds=[1])
    assert after.weight_version == found.model_version == model_version(other)
    assert (after.embedding_id, after.head_id) == (embedding, Head.load(tmp_path / "head").head_id)


@pytest.mark.parametrize(
    "kill",
    [
        pytest.param(lambda pair: pair.server.kill(), id="ours", marks=pytest.mark.long),
        pytest.param(lambda pair: pair.sglang.kill(), id="SGLang", marks=pytest.mark.long),
        pytest.param(lambda pair: pair.guard.kill(), id="the guard"),
    ],
)
async def test_neither_server_outlives_the_other_when_one_is_killed(pair: Pair, kill: Callable[[Pair], None]) -> None:
    await pair.wait_ready()
    kill(pair)
    assert pair.server.wait(20) in (75, -signal.SIGKILL), "a pod whose SGLang died is run again"
    assert not pair.left()


@pytest.mark.long
async def test_a_server_that_generates_nothing_counts_as_dead(pair: Pair) -> None:
    await pair.wait_ready()
    pair.freeze()
    assert pair.server.wait(FROZEN_S + 60) == 75
    assert not pair.left()


async def test_whether_sglang_is_ready_is_asked_without_having_it_generate(argo: StandIn) -> None:
    """/health and /health_generate make a token, in 1.0 to 1.2 s."""
    sglang = Sglang(Guarded(["sleep", "100"]), f"http://127.0.0.1:{argo.server_port}", 60)
    assert await sglang.ready()
    argo.status = 503
    assert not await sglang.ready()
    assert [(method, path) for method, path, _, _ in argo.asked] == [("GET", "/ready")] * 2
    assert sglang.alive()
    sglang.end()
    assert not sglang.alive()


def test_kubernetes_waits_longer_for_an_answer_than_we_do_for_sglang_s() -> None:
    (search,) = (t for t in built("cluster-7b", "search")["spec"]["templates"] if t["name"] == "search")
    probe = search["sidecars"][0]["readinessProbe"]
    assert probe["timeoutSeconds"] > PROBE_S >= 1.2
    assert probe["httpGet"]["path"] == "/ready"


class WithoutRoom(Sglang):
    """Cannot load what it is given."""

    def __init__(self) -> None: ...

    async def update(self, model: Path, version: str) -> None:
        raise BadInput("SGLang refuses the weights: out of memory")


def test_our_server_goes_back_to_its_weights_when_sglang_refuses_the_new_ones(tiny_model: Path, tmp_path: Path) -> None:
    worker = Worker(str(tiny_model), None, SHAPE)
    while worker.loaded is None:
        assert worker.failed is None
    with TestClient(make_app(worker, WithoutRoom())) as http:
        other = make_tiny(tmp_path / "other", seed=1)
        answer = http.post("/update_weights_from_disk", json={"model_path": str(other)})
        assert (answer.status_code, answer.json()["message"]) == (400, "SGLang refuses the weights: out of memory")
        assert http.get("/health").json()["weight_version"] == model_version(tiny_model)
    worker.close()


# ---- its command line


def test_sglang_gets_the_model_s_version_and_two_tokens_more_than_a_request_has(tiny_model: Path) -> None:
    words = arguments(tiny_model, "127.0.0.1", 31000, PolicyConfig(max_prompt_tokens=512, max_new_tokens=48), 0.5)
    options = dict(zip(words[::2], words[1::2], strict=False))
    assert options["--weight-version"] == model_version(tiny_model)
    assert options["--context-length"] == "562"
    assert words[-1] == "--enable-deterministic-inference"
    assert "--tensor-parallel-size" not in words


def test_what_a_team_sets_reaches_sglang(tiny_model: Path) -> None:
    config = PolicyConfig(
        tensor_parallel=2, data_parallel=3, attention_backend="fa3", quantization="fp8", deterministic=False,
        sglang_args=["--schedule-policy=lpm", "--enable-metrics"],
    )  # fmt: skip
    words = arguments(tiny_model, "127.0.0.1", 31000, config, 0.5)
    said = " ".join(words)
    for part in ("--tensor-parallel-size 2", "--data-parallel-size 3", "--attention-backend fa3", "--quantization fp8"):
        assert part in said
    assert "--enable-deterministic-inference" not in words
    assert words[-2:] == ["--schedule-policy=lpm", "--enable-metrics"]


def write_shape(folder: Path, weights: int, **shape: int | str) -> Path:
    """A model's folder with this much of weights, as far as its size is concerned."""
    (folder / "config.json").write_text(json.dumps(shape))
    with (folder / "model.safetensors").open("wb") as file:
        file.truncate(weights)
    return folder


SEVEN_B = {"num_attention_heads": 32, "hidden_size": 4096, "num_hidden_layers": 30}
"""DeepSeek-Prover-V2-7B."""


def test_keys_and_values_get_what_the_weights_leave_of_the_share(tmp_path: Path) -> None:
    model = write_shape(tmp_path, 14 * 2**30, **SEVEN_B)
    config = PolicyConfig(dtype="bfloat16", max_prompt_tokens=3072, max_new_tokens=128)
    token = 2 * 30 * 4096 * 2
    assert room(model, config, 22 * 2**30) == 8 * 2**30 // token == 17_476
    assert room(model, config.model_copy(update={"tensor_parallel": 2}), 22 * 2**30) == 30 * 2**30 // token
    saved = write_shape(tmp_path, 28 * 2**30, **SEVEN_B, dtype="float32")
    assert room(saved, config, 22 * 2**30) == 17_476
    assert room(write_shape(tmp_path, 1, n_head=12), config, 22 * 2**30) is None
    grouped = write_shape(tmp_path, 14 * 2**30, **SEVEN_B, num_key_value_heads=8)
    assert room(grouped, config, 22 * 2**30) == 8 * 2**30 // (token // 4)


def test_a_share_that_holds_no_request_is_refused(tmp_path: Path) -> None:
    model = write_shape(tmp_path, 14 * 2**30, **SEVEN_B)
    config = PolicyConfig(dtype="bfloat16", max_prompt_tokens=3072, max_new_tokens=128)
    with pytest.raises(
        BadInput,
        match=r"SGLang's share of the GPU, 13.2 GiB, has no room for the model and one request, 15.5 GiB; raise workflow",
    ):
        room(model, config, int(0.55 * 24 * 2**30))


@pytest.mark.parametrize(
    "argument", ["--port", "--context-length=99", "--context-len", "--model=/other", "--tp-size=2", "--tp=2"]
)
def test_an_option_that_burnqed_sets_itself_is_refused(tiny_model: Path, argument: str) -> None:
    with pytest.raises(
        BadInput, match=rf"policy.sglang_args has {argument.partition('=')[0]}, which burnqed sets itself"
    ):
        arguments(tiny_model, "127.0.0.1", 31000, PolicyConfig(sglang_args=[argument]), 0.5)


def test_a_folder_goes_with_its_server_or_with_the_next_one(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv(COMMAND, f"{sys.executable} -c 'import time; time.sleep(60)'")
    killed = Path(tempfile.mkdtemp(prefix="burnqed-sglang-"))
    os.utime(killed, (0, 0))
    sglang = launch(tiny_model, "127.0.0.1", 1, SHAPE, 0.5)
    [own] = tmp_path.iterdir()
    assert own != killed
    sglang.end()
    assert not own.exists()
