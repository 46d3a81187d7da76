"""SGLang and our own encode server in one container: two processes that share a GPU, because two containers cannot.

SGLang answers /generate at one port; our server answers /embed and /score at the next one, since SGLang's /encode pools the last
token and we need the mean over all. Nothing here has run against a live SGLang: tests use a stand-in that speaks its protocol.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import httpx

from burnqed.config import PolicyConfig
from burnqed.lifeline import Child
from burnqed.policy.version import model_version

COMMAND = "BURNQED_SGLANG"
"""Instead of `python -m sglang.launch_server`."""
GRACE_S = 10.0
RESERVED = 2
"""Tokens of the context that SGLang keeps for itself."""


@dataclass(frozen=True)
class Sglang:
    """A running SGLang server."""

    process: Child
    url: str

    async def healthy(self) -> bool:
        """Whether it generates a token."""
        try:
            async with httpx.AsyncClient(timeout=20) as client:
                return (await client.get(f"{self.url}/health_generate")).is_success
        except httpx.HTTPError:
            return False

    def alive(self) -> bool:
        return self.process.poll() is None

    async def end(self) -> None:
        await asyncio.to_thread(self.process.end, GRACE_S)


def launch(model: Path, host: str, port: int, config: PolicyConfig, memory: float) -> Sglang:
    """Starts SGLang for a model's folder. `memory` is the share of the GPU's memory for its weights and cache.

    Seeds of requests count under deterministic inference only. Every reply names the model's version; without being told it SGLang
    would say "default".
    """
    given = os.environ.get(COMMAND)
    command = [
        *(shlex.split(given) if given else [sys.executable, "-m", "sglang.launch_server"]),
        *("--model-path", str(model), "--host", host, "--port", str(port)),
        *("--weight-version", model_version(model), "--dtype", config.dtype),
        *("--context-length", str(config.max_prompt_tokens + config.max_new_tokens + RESERVED)),
        *("--mem-fraction-static", str(memory), "--enable-deterministic-inference"),
    ]
    return Sglang(Child(command), f"http://127.0.0.1:{port}")
