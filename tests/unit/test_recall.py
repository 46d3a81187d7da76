"""Kept expansions: a search that repeats another asks neither policy nor Lean, and one that differs asks for what is new."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from burnqed.config import SearchConfig
from burnqed.errors import BadInput
from burnqed.lean.protocol import Outcome, TacticStatus, Theorem
from burnqed.proof_search import recall as recall_module
from burnqed.proof_search.engine import search
from burnqed.proof_search.recall import Recall, RecallingLean, RecallingPolicy, question
from burnqed.proof_search.settings import SearchSettings
from burnqed.trajectory.rows import SearchResult, Task
from tests.fixtures.scripted import ScriptedLean, ScriptedPolicy, ScriptedScorer

SETTINGS = SearchSettings.for_search(
    SearchConfig(budget=3, length_exponent=0.0, beta=0.0, energy_depth=1, widening=None, open_theorems=2), ()
)
SCRIPT = {
    "A": {"left": "B", "right": "C", "slow": TacticStatus.TIMEOUT},
    "B": {"on": "D"},
    "C": {"end": ""},
    "D": {"on": "E"},
}
LIKELY = {
    "A": {"left": -1.0, "right": -2.0, "slow": -3.0, "bad": -4.0},
    "B": {"on": -0.1},
    "C": {"end": -0.1},
    "D": {"on": -0.1},
}


NOW = datetime.now(UTC)


def test_while_another_process_writes_an_answer_is_not_kept_and_later_ones_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recall_module, "WAIT_MS", 1)
    file = tmp_path / "expansions.sqlite"
    with Recall(file) as one:
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        one.put(b"first", 1)
        other.execute("COMMIT")
        one.put(b"second", 2)
        other.close()
        assert (one.get(b"first"), one.get(b"second")) == (None, 2)


class Asked:
    """Two searches' worth of a scripted Lean and policy over one file of expansions."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.lean, self.policy = ScriptedLean(SCRIPT), ScriptedPolicy(LIKELY)

    async def run(
        self, *, scorer: ScriptedScorer | None = None, model: str = "m", seed: int = 0, limits: str = "l", settings: SearchSettings = SETTINGS
    ) -> SearchResult:  # fmt: skip
        found: list[SearchResult] = []
        self.lean.calls.clear()
        self.lean.checked.clear()
        self.policy.requests.clear()
        with Recall(self.file) as recall:
            lean, policy = RecallingLean(self.lean, recall, limits), RecallingPolicy(self.policy, recall, model)
            task = Task(Theorem(name="t", statement="A"), seed=seed)
            await search([task], lean, policy, scorer, settings, found.append)
        assert not self.lean.open
        return found[0]


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path / "expansions")


def without_times(found: SearchResult) -> object:
    result = found.result.model_copy(update={"seconds": 0.0})
    statistics = result.statistics.model_copy(update={"generation_s": 0.0, "lean_s": 0.0, "scoring_s": 0.0})
    return result.model_copy(update={"statistics": statistics}), [replace(row, time=NOW) for row in found.states]


async def test_the_same_search_asks_nothing_and_is_the_same(asked: Asked) -> None:
    settings = replace(SETTINGS, budget=10)
    first = await asked.run(settings=settings)
    assert first.result.proof == "right\nend"
    again = await asked.run(settings=settings)
    assert without_times(again) == without_times(first)
    assert not asked.policy.requests
    assert set(asked.lean.calls) == {("A", "slow")}, "a timeout might not happen again"
    assert asked.lean.checked == ["right\nend"], "a proof is checked all the same"


async def test_another_order_asks_only_for_the_states_that_are_new(asked: Asked) -> None:
    assert (await asked.run()).result.proof is None  # spends its nodes on the left
    found = await asked.run(scorer=ScriptedScorer({"B": 5.0, "C": -5.0}), settings=replace(SETTINGS, beta=1.0))
    assert found.result.proof == "right\nend"
    assert asked.policy.requests == [["C"]]
    assert asked.lean.calls[("C", "end")] == 1
    assert ("A", "left") not in asked.lean.calls


@pytest.mark.parametrize("other", [{"model": "another"}, {"seed": 1}])
async def test_another_model_or_seed_is_asked_but_lean_is_not(asked: Asked, other: dict[str, object]) -> None:
    await asked.run()
    await asked.run(**other)  # type: ignore[arg-type]
    assert asked.policy.requests
    assert set(asked.lean.calls) == {("A", "slow")}


async def test_another_limit_of_lean_asks_lean(asked: Asked) -> None:
    await asked.run()
    await asked.run(limits="other heartbeats")
    assert asked.lean.calls[("A", "left")] == 1
    assert not asked.policy.requests


async def test_what_cannot_be_made_again_counts_as_a_crash(tmp_path: Path) -> None:
    lean = ScriptedLean(SCRIPT)
    with Recall(tmp_path / "expansions") as recall:
        before = RecallingLean(lean, recall, "")
        root = (await before.start(Theorem(name="t", statement="A"))).state
        assert root
        assert (await before.apply(root, "left")).state
        lean.start_failures["t"] = [Outcome(TacticStatus.CRASH, message="out of memory")] * 2
        after = RecallingLean(lean, recall, "")
        root = (await after.start(Theorem(name="t", statement="A"))).state
        assert root
        known = (await after.apply(root, "left")).state
        assert known
        assert (known.text, known.is_solved) == ("B", False)
        outcome = await after.apply(known, "on")
        assert outcome.status is TacticStatus.CRASH
        assert "could not be made again" in outcome.message
        await after.release(root)
        lean.start_failures.clear()
        root = (await after.start(Theorem(name="t", statement="A"))).state
        assert root
        known = (await after.apply(root, "left")).state
        assert known
        assert (await after.apply(known, "on")).state, "the failure was not kept"


def test_what_was_put_survives_a_kill(tmp_path: Path) -> None:
    code = f"import os; from pathlib import Path; from burnqed.proof_search.recall import Recall, question; r = Recall(Path({str(tmp_path / 'e')!r})); r.put(question(1), 'kept'); os.kill(os.getpid(), 9)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    with Recall(tmp_path / "e") as recall:
        assert recall.get(question(1)) == "kept"
        assert recall.get(question(2)) is None


def test_a_full_disk_ends_no_search(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Recall(tmp_path / "e") as recall:
        recall._database.execute("PRAGMA max_page_count = 3")
        for number in range(50):
            recall.put(question(number), [random.Random(number).random() for _ in range(200)])
        assert sum("not kept from now on" in record.message for record in caplog.records) == 1
        assert recall.get(question(49)) is None


def test_a_file_grows_only_so_far(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Recall(tmp_path / "expansions", most_pages=20) as recall:
        for number in range(200):
            recall.put(question("policy", number), [random.Random(number).randbytes(2_000).hex()])
        assert recall.get(question("policy", 0)) is not None
        assert recall.get(question("policy", 199)) is None
    assert "expansions are not kept from now on" in caplog.text
    assert (tmp_path / "expansions").stat().st_size <= 20 * 4096


def test_two_processes_may_share_a_file(tmp_path: Path) -> None:
    file = tmp_path / "e"
    code = f"from pathlib import Path; from burnqed.proof_search.recall import Recall, question\nwith Recall(Path({str(file)!r})) as r:\n for n in range(300): r.put(question(n, FIRST), n)"
    both = [subprocess.Popen([sys.executable, "-c", code.replace("FIRST", str(k))]) for k in (0, 1)]
    assert [process.wait() for process in both] == [0, 0]
    with Recall(file) as recall:
        assert all(recall.get(question(n, k)) == n for n in range(300) for k in (0, 1))


def test_processes_that_make_a_file_at_the_same_time_all_have_it(tmp_path: Path) -> None:
    code = f"""import sys
from pathlib import Path
from burnqed.proof_search.recall import Recall
print(flush=True)
sys.stdin.read()
for n in range(100):
    with Recall(Path({str(tmp_path)!r}) / str(n)) as recall:
        recall.put(b"", n)
"""
    made = [
        subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(4)
    ]
    for process in made:
        assert process.stdout
        assert process.stdout.readline()
    for process in made:
        process.communicate()
    assert [process.returncode for process in made] == [0] * 4


def test_a_damaged_answer_is_asked_again(tmp_path: Path) -> None:
    with Recall(tmp_path / "e") as recall:
        recall.put(question("\ud83d half a character"), "kept")
        assert recall.get(question("\ud83d half a character")) == "kept"
        recall._database.execute("UPDATE answers SET answer = x'00'")
        assert recall.get(question("\ud83d half a character")) is None


def test_somebody_elses_database_stays_as_it_is(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "theirs") as database:
        database.execute("CREATE TABLE notes (text)")
    database.close()
    before = (tmp_path / "theirs").read_bytes()
    with pytest.raises(BadInput, match="it has a table notes"):
        Recall(tmp_path / "theirs")
    assert (tmp_path / "theirs").read_bytes() == before


def test_a_file_of_something_else_or_of_another_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a database, but long enough to be one" * 100)
    with pytest.raises(BadInput, match="text does not hold expansions"):
        Recall(tmp_path / "text")
    with sqlite3.connect(tmp_path / "later") as database:
        database.execute("PRAGMA user_version=99")
    for _ in range(2):
        with pytest.raises(BadInput, match="of version 99"):
            Recall(tmp_path / "later")
