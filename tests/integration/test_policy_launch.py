"""The server as a process: how it starts, ends, and what is said when it cannot."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import httpx
import psutil
import pytest

from burnqed.config import RunConfig
from burnqed.errors import BadInput, TryAgain
from burnqed.key import Key
from burnqed.layout import Layout
from burnqed.lifeline import Child
from burnqed.policy.client import PolicyClient
from burnqed.policy.launch import free_port, launched, what_it_said
from burnqed.policy.version import model_version
from burnqed.record import write_record
from burnqed.store import Store
from tests.fixtures.policy import SHAPE, STATES, make_tiny


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny(tmp_path_factory.mktemp("launched") / "tiny")


def serve(model: Path, port: int, **environment: str) -> Child:
    return Child(
        [sys.executable, "-m", "burnqed.cli.main", "serve", "--model", str(model), "--port", str(port)],
        env={**os.environ, "BURNQED_CONFIG": RunConfig(policy=SHAPE).to_json(), **environment},
    )


def wait_until_it_listens(port: int) -> int:
    """The status of its first answer."""
    while True:
        try:
            return httpx.get(f"http://127.0.0.1:{port}/health").status_code
        except httpx.TransportError:
            time.sleep(0.05)


async def test_a_launched_server_works_and_ends_at_once_with_exit_code_0(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes, seconds = [], []
    end = Child.end

    def timed_end(child: Child, grace_s: float) -> int:
        start = time.monotonic()
        codes.append(end(child, grace_s))
        seconds.append(time.monotonic() - start)
        return codes[-1]

    monkeypatch.setattr(Child, "end", timed_end)
    async with launched(str(folder), None, SHAPE) as urls, PolicyClient(SHAPE, urls.generate, urls.score) as policy:
        assert (await policy.info()).weight_version == model_version(folder)
        [found] = await policy.propose(STATES[:1], candidates=4, temperature=1.0, seeds=[1])
        assert found.candidates
    assert codes == [0]
    assert seconds[0] < 2
    with pytest.raises(httpx.ConnectError):
        httpx.get(urls.generate)


def test_a_server_says_not_yet_while_it_loads_and_ends_at_once_even_then(folder: Path) -> None:
    port = free_port()
    child = serve(folder, port)
    try:
        assert wait_until_it_listens(port) == 503
        start = time.monotonic()
        child.send_signal(signal.SIGTERM)
        assert child.wait(10) == 0
        assert time.monotonic() - start < 2
    finally:
        child.end(0)


def test_in_a_pod_its_log_is_in_the_store_to_the_last_line(folder: Path, tmp_path: Path) -> None:
    store, layout, config = Store(str(tmp_path)), Layout("r", 0), RunConfig(policy=SHAPE)
    shutil.copytree(folder, store.full(layout.model))
    key = Key(step="export", version=1)
    write_record(store, layout.model, key, config, {}, datetime.now(UTC), dollars_per_hour=0)
    log = tmp_path / layout.log("w-1", "search(3)", 0, "policy")
    pod = {
        "ARGO_CONTAINER_NAME": "policy",
        "BURNQED_WORKFLOW": "w-1",
        "BURNQED_TASK": "search(3)",
        "BURNQED_ATTEMPT": "0",
    }
    port = free_port()
    words = ["--store", str(tmp_path), "--run", "r", "--iter", "0", "--port", str(port), "--host", "127.0.0.1"]
    environment = {**os.environ, **pod, "BURNQED_CONFIG": config.to_json(), "BURNQED_MODELS": str(tmp_path / "models")}
    command = [sys.executable, "-m", "burnqed.cli.main", "serve", "--stage", "search", *words]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        assert any("serving" in line for line in server.stderr)
        wait_until_it_listens(port)  # the loop that answers has written the line to all handlers
        server.terminate()
        assert server.wait(10) == 0
    last = json.loads(log.read_text().splitlines()[-1])
    assert str(last["message"]).startswith("serving ")
    assert last["workflow"] == "w-1"


def test_a_server_does_not_outlive_a_parent_that_is_killed(folder: Path) -> None:
    port = free_port()
    words = [sys.executable, "-m", "burnqed.cli.main", "serve", "--model", str(folder), "--port", str(port)]
    program = f"from burnqed.lifeline import Child; c = Child({words!r}); print(c.pid, flush=True); c.wait()"
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        wait_until_it_listens(port)
    finally:
        parent.kill()
        parent.communicate()
    psutil.wait_procs([child], timeout=5)
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


async def test_a_missing_model_is_bad_input_in_the_words_of_the_server(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"^There is no model at .*absent; give the folder"):
        async with launched(str(tmp_path / "absent"), None, SHAPE):
            pass


async def test_configured_addresses_are_used_instead_of_a_new_server(tmp_path: Path) -> None:
    config = SHAPE.model_copy(update={"generate_url": "http://sglang:30000"})
    async with launched("ignored", None, config) as urls:
        assert urls == ("http://sglang:30000", "http://sglang:30000")


def test_a_server_that_dies_early_is_quoted(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("starting\nTraceback\nMemoryError\n")
    died = what_it_said(log, 1)
    assert isinstance(died, TryAgain)
    assert "exit code 1" in str(died)
    assert "MemoryError" in str(died)


@pytest.mark.timeout(120)
def test_at_the_status_port_are_readiness_and_metrics_and_in_a_pod_nothing_else_is_at_its_address(folder: Path) -> None:
    port, status = free_port(), free_port()
    server = serve(folder, port, BURNQED_STATUS_PORT=str(status), ARGO_CONTAINER_NAME="policy")
    try:
        wait_until_it_listens(port)
        with httpx.Client(base_url=f"http://127.0.0.1:{status}") as http:
            while http.get("/ready").status_code == 503:
                time.sleep(0.1)
            assert http.get("/ready").status_code == 200
            assert "burnqed_generated_tokens_total 0.0" in http.get("/metrics").text, "readiness generates nothing"
            for path in (
                "/generate",
                "/embed",
                "/score",
                "/update_weights_from_disk",
                "/flush_cache",
                "/health_generate",
            ):
                assert http.post(path, json={}).status_code == 404, path
        listening = {
            (c.laddr.port, c.laddr.ip) for c in psutil.Process(server.pid).net_connections() if c.status == "LISTEN"
        }
        assert listening == {(port, "127.0.0.1"), (status, "0.0.0.0")}
    finally:
        assert server.end(10) == 0
