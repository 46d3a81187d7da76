"""SGLang and our own embedding server in one container: two processes that share a GPU, which two containers cannot.

SGLang answers /generate at one port; our server answers /embed and /score at the next one, because SGLang's /encode pools the last
token and we need the mean over all tokens. Nothing here has run against a live SGLang: tests use a stand-in that speaks its protocol.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import httpx

from burnqed.config import PolicyConfig
from burnqed.lifeline import Child
from burnqed.policy.version import model_version

COMMAND = "BURNQED_SGLANG"
"""The program to start instead of `python -m sglang.launch_server`."""
GRACE_S = 10.0
PROBE_S = 2.0
RESERVED = 2
"""Tokens of the context that SGLang keeps for itself."""


@dataclass(frozen=True)
class Sglang:
    """A running SGLang server."""

    process: Child
    url: str

    async def ready(self) -> bool:
        """Whether it accepts requests. It has then generated once; /health and /health_generate would make it generate again, which takes a
        second."""
        try:  # without TLS, which would take a second to load
            async with httpx.AsyncClient(timeout=PROBE_S, verify=False, trust_env=False) as client:
                return (await client.get(f"{self.url}/ready")).is_success
        except httpx.HTTPError:
            return False

    def alive(self) -> bool:
        return self.process.poll() is None

    async def end(self) -> None:
        await asyncio.to_thread(self.process.end, GRACE_S)


def launch(model: Path, host: str, port: int, config: PolicyConfig, memory: float) -> Sglang:
    """Starts SGLang for a model's folder. `memory` is the share of the GPU's memory for its weights and cache.

    Seeds of requests only count under deterministic inference. Every reply names the model's version, for which SGLang would otherwise
    say "default". By default its processes (one for each GPU) would communicate through a port that torch opens on all interfaces,
    whatever `host` is; here they use a file and the loopback interface.
    """
    meeting = Path(tempfile.mkdtemp(prefix="burnqed-sglang-")) / "processes"
    within = {
        "SGLANG_DISTRIBUTED_INIT_METHOD_OVERRIDE": f"file://{meeting}",
        "GLOO_SOCKET_IFNAME": "lo",
        "NCCL_SOCKET_IFNAME": "lo",
    }
    program = os.environ.get(COMMAND)
    command = [
        *(shlex.split(program) if program else [sys.executable, "-m", "sglang.launch_server"]),
        *("--model-path", str(model), "--host", host, "--port", str(port)),
        *("--weight-version", model_version(model), "--dtype", config.dtype),
        *("--context-length", str(config.max_prompt_tokens + config.max_new_tokens + RESERVED)),
        *("--mem-fraction-static", str(memory), "--enable-deterministic-inference"),
    ]
    return Sglang(Child(command, env={**os.environ, **within}), f"http://127.0.0.1:{port}")
