"""The workflow `trace` on this machine: shards, continuation, and that a run can train on what it leaves."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from burnqed.data.pairs import PAIRS
from burnqed.data.proofs import PROOFS, WholeProof
from burnqed.layout import Layout
from burnqed.resolve import resolve
from burnqed.steps.base import Context
from burnqed.steps.given import given
from burnqed.store import Store

SETTINGS = ("--set", "lean.workers=1", "--set", "workflow.parallelism=2")


def burnqed(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("burnqed")), *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=280)


def written(folder: Path, count: int) -> None:
    """Proofs, one of which has a hole, and one of which is false."""
    proofs = [
        WholeProof(
            name=f"m::t{n}", statement=f"∀ a : Nat, a + {n} = {n} + a", proof="by\n  intro a\n  omega", source="m"
        )
        for n in range(count - 2)
    ]
    proofs.append(WholeProof(name="m::hole", statement="1 = 1", proof="by sorry", source="m"))
    proofs.append(WholeProof(name="m::false", statement="1 = 2", proof="by rfl", source="m"))
    PROOFS.write(Store(str(folder)), "proofs.parquet", PROOFS.batches(proofs))


@pytest.mark.long
def test_shards_become_one_file_that_a_run_can_name_and_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    written(tmp_path, 14)
    words = ("run", "trace", "--source", "proofs.parquet", "--name", "mine", "--store", "store", *SETTINGS)
    done = burnqed(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr + done.stdout
    store = Store(str(tmp_path / "store"))
    report = json.loads(store.read_text("main/inputs/mine.report.json"))
    assert (report["theorems"], report["traced"], report["pairs"], report["sorry"]) == (14, 12, 24, 1)
    assert report["rejected"] == {"sorry": 1, "other behaviour": 1}
    shards = {path.split("/")[4] for path in store.list("main/traces/mine") if "/shard-" in path}
    assert shards == {f"shard-{number:04}-of-0004" for number in range(4)}
    config = resolve("default", ["data.pairs=[inputs/mine.parquet]"]).config
    context = Context(store, Layout("main"), config, tmp_path)
    (file,) = given(context, config.data.pairs)
    assert {pair.theorem for pair in PAIRS.rows(file.pairs())} == {f"m::t{n}" for n in range(12)}

    lost = next(path for path in store.list("main/traces/mine") if path.endswith("shard-0002-of-0004/finished.json"))
    store.delete(lost)
    again = burnqed(*words, "--set", "workflow.parallelism=8", cwd=tmp_path)
    assert again.returncode == 0, again.stderr + again.stdout
    output = again.stdout + again.stderr
    assert "1 of 4 shard(s) to do" in output
    assert "trace(2)" in output
    assert "trace(0)" not in output
    assert json.loads(store.read_text("main/inputs/mine.report.json")) == report


@pytest.mark.long
def test_the_steps_say_what_is_wrong_in_one_sentence(tmp_path: Path) -> None:
    for words, what in (
        (("trace", "--name", "mine"), "There is no plan to trace 'mine'"),
        (("trace-report", "--name", "mine"), "There is no plan to trace 'mine'"),
        (("trace-plan", "--name", "mine", "--source", "absent.parquet"), "absent.parquet"),
        (("trace-plan", "--name", "mine", "--source", "https://github.com/a/b@main"), "'main' is no full commit"),
        (("trace-plan", "--name", "mine"), "needs --source"),
    ):
        done = burnqed("step", *words, "--store", "store", cwd=tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert what in done.stderr
