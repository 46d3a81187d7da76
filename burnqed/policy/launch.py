"""Starts and stops a policy server for a command that has no sidecar (`burnqed eval`).

async with launched("runs/demo/iterations/iter_0/model", None, config.policy) as urls:
    client = PolicyClient(config.policy, urls.generate, urls.score)
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from burnqed.cluster_config import WorkflowConfig
from burnqed.config import PolicyConfig, RunConfig
from burnqed.errors import EXIT_BAD_INPUT, BadInput, TryAgain
from burnqed.lifeline import Child
from burnqed.machine import free_port
from burnqed.policy.client import PolicyClient

READY_S = 600.0
"""How long a large model may take to load."""
GRACE_S = 10.0
"""For SGLang to be killed; our own server ends at once."""
LAST_LINES = 10


class Urls(NamedTuple):
    generate: str
    score: str


@asynccontextmanager
async def launched(
    model: str, head: str | None, config: PolicyConfig, workflow: WorkflowConfig | None = None
) -> AsyncIterator[Urls]:
    """Addresses of a server for `model` that is ready, or the configuration's addresses where it has them. `workflow` says which server
    it is, our own by default.

    When the server ends early, raises BadInput for an unusable model or head and TryAgain, with its last output, otherwise.
    """
    if config.generate_url:
        yield Urls(config.generate_url, config.score_url or config.generate_url)
        return
    workflow = workflow or WorkflowConfig()
    port = free_port()
    score_port = free_port() if workflow.policy_server == "sglang" else port
    command = [sys.executable, "-m", "burnqed.cli.main", "serve", "--model", model, "--port", str(port)]
    command += ["--score-port", str(score_port), *(["--head", head] if head else [])]
    with tempfile.TemporaryDirectory(prefix="burnqed-policy-") as folder:
        log = Path(folder) / "server.log"
        with log.open("wb") as output:
            child = Child(
                command,
                env={**os.environ, "BURNQED_CONFIG": RunConfig(policy=config, workflow=workflow).to_json()},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        try:
            urls = Urls(f"http://127.0.0.1:{port}", f"http://127.0.0.1:{score_port}")
            async with PolicyClient(config, *urls) as client:
                try:
                    await client.wait_ready(READY_S, is_alive=lambda: child.poll() is None)
                except TryAgain as error:
                    if child.poll() is None:
                        raise
                    raise what_it_said(log, child.returncode) from error
            yield urls
        finally:
            await asyncio.to_thread(child.end, GRACE_S)


def what_it_said(log: Path, code: int) -> BadInput | TryAgain:
    """The end of the server's output, as an exception that corresponds to its exit code."""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    if code == EXIT_BAD_INPUT and lines:
        return BadInput(lines[-1].removeprefix("burnqed: "))
    end = "\n".join(lines[-LAST_LINES:]) or "it wrote nothing"
    return TryAgain(f"The policy server ended with exit code {code} before it was ready. Its last output:\n{end}")
