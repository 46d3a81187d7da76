"""SGLang with our encode server beside it, with a stand-in for SGLang that speaks its protocol."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest

from burnqed.config import RunConfig, WorkflowConfig
from burnqed.lifeline import Child
from burnqed.machine import free_port
from burnqed.policy.client import PolicyClient
from burnqed.policy.sglang import COMMAND
from tests.fixtures.policy import SHAPE, STATES


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
            vectors = await client.embed(STATES[:2])
            assert len(vectors) == 2
            assert np.isfinite(vectors).all()
        (beside,) = psutil.Process(server.pid).children()
        beside.kill()
        assert server.wait(20) == 75, "a pod whose SGLang died is run again"
    finally:
        server.end(5)
