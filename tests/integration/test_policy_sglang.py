"""SGLang with our encode server beside it, with a stand-in for SGLang that speaks its protocol."""

from __future__ import annotations

import base64
import os
import sys
from pathlib import Path

import httpx
import numpy as np
import psutil
import pytest

from burnqed.cluster_config import WorkflowConfig
from burnqed.config import RunConfig
from burnqed.lifeline import Child
from burnqed.machine import free_port
from burnqed.policy.client import PolicyClient
from burnqed.policy.sglang import COMMAND, PROBE_S, Sglang
from tests.fixtures.policy import SHAPE, STATES
from tests.unit.test_argo_server import StandIn, argo
from tests.unit.test_workflow import built

__all__ = ["argo"]


@pytest.mark.timeout(120)
async def test_both_servers_are_ready_together_and_end_together(tiny_model: Path) -> None:
    generate, score = free_port(), free_port()
    config = RunConfig(policy=SHAPE, workflow=WorkflowConfig(policy_server="sglang"))
    command = [
        sys.executable,
        "-m",
        "burnqed.cli.main",
        "serve",
        "--model",
        str(tiny_model),
        "--port",
        str(generate),
        "--score-port",
        str(score),
    ]
    stand_in = f"{sys.executable} -m tests.fixtures.sglang_stand_in"
    server = Child(command, env={**os.environ, COMMAND: stand_in, "BURNQED_CONFIG": config.to_json()})
    try:
        async with PolicyClient(SHAPE, f"http://127.0.0.1:{generate}", f"http://127.0.0.1:{score}") as client:
            await client.wait_ready(60)
            [found] = await client.propose(STATES[:1], candidates=2, temperature=1.0, seeds=[1])
            assert found.candidates
            embedded = httpx.post(f"http://127.0.0.1:{score}/embed", json={"texts": STATES[:2]}).json()
            vectors = np.frombuffer(base64.b64decode(embedded["embeddings"]), dtype="<f4")
            assert len(vectors) == 2 * SHAPE.hidden_size
            assert np.isfinite(vectors).all()
        (beside,) = psutil.Process(server.pid).children()
        beside.kill()
        assert server.wait(20) == 75, "a pod whose SGLang died is run again"
    finally:
        server.end(5)


async def test_whether_sglang_is_ready_is_asked_without_having_it_generate(argo: StandIn) -> None:
    """/health and /health_generate make a token, in 1.0 to 1.2 s."""
    sglang = Sglang(Child(["true"]), f"http://127.0.0.1:{argo.server_port}")
    assert await sglang.ready()
    argo.status = 503
    assert not await sglang.ready()
    assert [(method, path) for method, path, _, _ in argo.asked] == [("GET", "/ready")] * 2
    await sglang.end()


def test_kubernetes_waits_longer_for_an_answer_than_we_do_for_sglang_s() -> None:
    (search,) = (t for t in built("cluster-7b", "search")["spec"]["templates"] if t["name"] == "search")
    probe = search["sidecars"][0]["readinessProbe"]
    assert probe["timeoutSeconds"] > PROBE_S >= 1.2
    assert probe["httpGet"]["path"] == "/ready"
