"""Hit or miss: when a step's output is made, kept, continued, or put aside."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path

import pytest

from burnqed.errors import BadInput, TryAgain
from burnqed.gc import garbage
from burnqed.layout import SUCCESS, SUPERSEDED, Layout
from burnqed.lean.protocol import Theorem
from burnqed.record import Damaged, output, parse_record, read_record
from burnqed.resolve import resolve
from burnqed.snapshot import Snapshot
from burnqed.steps.base import Context, Unit, execute
from burnqed.steps.facts import Facts
from burnqed.steps.plan import plan
from burnqed.steps.shards import finished_shards, in_shard, shard_count
from burnqed.store import Store
from burnqed.verify import verify
from tests.fixtures.own_steps import own_step
from tests.unit.test_budget import spend

RUN = "main"


class Counted(Facts):
    n: int


class Toy:
    """Steps that write what the configuration says: `first` → `second`, and a sharded `third`."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.ran: list[str] = []
        self.fail = False
        self.first = own_step("first", lambda c: [Unit(f"{RUN}/first")], self.write, reads=("search.budget",))
        self.second = own_step(
            "second", lambda c: [Unit(f"{RUN}/second", {"first": [f"{RUN}/first"]})], self.write, reads=("sft",)
        )
        self.third = own_step(
            "third", lambda c: [Unit(f"{RUN}/third/shard-{c.shard:04d}-of-0003", {"second": [f"{RUN}/second"]})], self.write,
            shards=lambda c: 3, reads=("ebm",), sharded=True, kept=True,
        )  # fmt: skip

    async def write(self, context: Context, unit: Unit) -> Facts:
        self.ran.append(unit.prefix.removeprefix(f"{RUN}/"))
        self.store.write_text(f"{unit.root}/partial", "x")
        if self.fail:
            raise TryAgain("cut off")
        self.store.write_text(
            f"{unit.root}/out", f"{unit.prefix} {context.config.search.budget if 'first' in unit.prefix else ''}"
        )
        return Counted(n=1)

    def context(self, *overrides: str, **options: object) -> Context:
        return Context(
            self.store, Layout(RUN, 0), resolve("default", list(overrides)).config, Path("/nonexistent"), **options
        )  # type: ignore[arg-type]

    def run(self, *overrides: str, redo: frozenset[str] = frozenset()) -> list[str]:
        """Runs everything that the plan asks for, and returns what really ran."""
        self.ran = []
        context = self.context(*overrides, redo=redo)
        steps = [self.first, self.second, self.third]
        planned = plan(steps, context)
        for step in steps:
            if step.sharded:
                for shard in json.loads(planned[f"{step.name}-shards"]):
                    asyncio.run(execute(step, context.at(shard=shard)))
            elif planned[step.name] == "yes":
                asyncio.run(execute(step, context))
        return self.ran


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    return Toy(Store(str(tmp_path)))


SHARDS = [f"third/shard-000{i}-of-0003" for i in range(3)]


def test_everything_is_made_once(toy: Toy) -> None:
    assert toy.run() == ["first", "second", *SHARDS]
    assert toy.run() == []


def test_only_a_section_that_a_step_names_makes_it_run_again(toy: Toy) -> None:
    toy.run()
    assert toy.run("workflow.parallelism=9") == []
    assert toy.run("sft.steps=7") == ["second"]


def test_a_change_that_leaves_the_output_equal_goes_no_further(toy: Toy) -> None:
    toy.run()
    assert "first" in toy.run("search.budget=77")
    toy.run()
    assert toy.run("sft.steps=3") == ["second"]


def test_the_reason_for_a_miss_is_said(toy: Toy, caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("burnqed").propagate = True
    caplog.set_level("INFO", logger="burnqed")
    toy.run()
    caplog.clear()
    toy.run("sft.steps=3")
    assert "second: miss, because sft.steps went from 1500 to 3" in caplog.text
    assert "first: hit" in caplog.text
    caplog.clear()
    toy.run("search.budget=5", "sft.steps=3")
    assert "first: miss, because search.budget went from 100 to 5" in caplog.text
    assert "second: miss, because first is redone" in caplog.text


def test_a_finished_step_that_is_kept_is_only_redone_on_request(toy: Toy, caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("burnqed").propagate = True
    toy.run()
    assert toy.run("ebm.steps=5") == []
    assert "--redo third" in caplog.text
    assert toy.run("ebm.steps=5", redo=frozenset({"third"})) == SHARDS


def test_the_old_output_stands_until_the_new_one_is_whole(toy: Toy) -> None:
    toy.run()
    old = output(toy.store, f"{RUN}/first")
    toy.fail = True
    with pytest.raises(TryAgain):
        toy.run("search.budget=77")
    assert output(toy.store, f"{RUN}/first") == old
    toy.fail = False
    assert "first" not in toy.run(), "and still is what its key says"
    assert toy.run("search.budget=77")[0] == "first"
    assert toy.store.read_text(f"{output(toy.store, f'{RUN}/first')}/out") == "main/first 77"
    assert toy.store.read_text(f"{old}/out") == "main/first 100"
    superseded = parse_record(toy.store.read_bytes(f"{old}/{SUPERSEDED}"))
    assert superseded
    assert superseded.outputs[0].sha256 == toy.store.digest(f"{old}/out")


def test_the_same_output_is_made_anew_beside_itself_and_continued_where_that_was_cut_off(toy: Toy) -> None:
    toy.run()
    first = output(toy.store, f"{RUN}/first")
    toy.fail = True
    for _ in range(2):
        with pytest.raises(TryAgain):
            toy.run(redo=frozenset({"first"}))
    toy.fail = False
    toy.run(redo=frozenset({"first"}))
    assert output(toy.store, f"{RUN}/first") == f"{first}-2"
    toy.run(redo=frozenset({"first"}))
    assert output(toy.store, f"{RUN}/first") == f"{first}-3"


def test_an_earlier_configuration_never_takes_up_what_was_superseded(toy: Toy) -> None:
    toy.run()
    first = output(toy.store, f"{RUN}/first")
    toy.run("search.budget=77")
    toy.run()
    assert output(toy.store, f"{RUN}/first") == f"{first}-2"


def test_a_step_that_was_cut_off_looks_unfinished_and_finds_what_it_left(toy: Toy) -> None:
    toy.fail = True
    with pytest.raises(TryAgain):
        toy.run()
    assert read_record(toy.store, f"{RUN}/first") is None
    toy.fail = False
    assert toy.run()[0] == "first"
    assert len({path.split("/")[2] for path in toy.store.list(f"{RUN}/first")} - {SUCCESS}) == 1


def test_what_another_key_left_unfinished_is_not_taken_up(toy: Toy) -> None:
    toy.fail = True
    with pytest.raises(TryAgain):
        toy.run()
    (cut_off,) = [path for path in toy.store.list(f"{RUN}/first") if path.endswith("/partial")]
    toy.fail = False
    toy.run("search.budget=9")
    assert not cut_off.startswith(output(toy.store, f"{RUN}/first"))


@pytest.mark.parametrize("shorten", [True, False], ids=["truncated", "gone"])
def test_damage_is_a_miss_with_its_reason_and_nothing_good_is_lost(
    toy: Toy, caplog: pytest.LogCaptureFixture, shorten: bool
) -> None:
    logging.getLogger("burnqed").propagate = True
    caplog.set_level("INFO", logger="burnqed")
    toy.run()
    root = output(toy.store, f"{RUN}/third/{SHARDS[1].removeprefix('third/')}")
    if shorten:
        toy.store.write_text(f"{root}/out", "main")
    else:
        toy.store.delete(f"{root}/out")
    said = "out has 4 bytes and was written with" if shorten else "out is gone"
    with pytest.raises(Damaged, match=said):
        read_record(toy.store, f"{RUN}/{SHARDS[1]}")
    assert toy.run() == [SHARDS[1]]
    assert f"{SHARDS[1]}: miss, because it is damaged: {said}" in caplog.text
    assert toy.store.exists(f"{root}/partial"), "what was left of it stays"
    assert toy.run() == []


def test_a_record_that_is_none_is_damage_too(toy: Toy) -> None:
    toy.run()
    for content in ("", "{}", "[1", "\udcff".encode("utf-8", "surrogatepass").decode("latin-1")):
        toy.store.write_text(f"{RUN}/second/_SUCCESS", content)
        with pytest.raises(Damaged, match="_SUCCESS is not a record"):
            read_record(toy.store, f"{RUN}/second")
        assert toy.run() == ["second"]


def test_damage_that_only_a_digest_tells_is_noted_by_verify_and_made_anew(toy: Toy) -> None:
    toy.run()
    root = output(toy.store, f"{RUN}/second")
    good = toy.store.read_text(f"{root}/out")
    toy.store.write_text(f"{root}/out", good.upper())
    assert toy.run() == []

    def damaged() -> list[str]:
        snapshot = Snapshot(toy.store, [""])
        return [found.prefix for found in verify(toy.store, snapshot, snapshot.units("")) if found.damage]

    assert damaged() == [f"{RUN}/second"]
    with pytest.raises(Damaged, match="the content of out is not what was written"):
        read_record(toy.store, f"{RUN}/second")
    toy.store.write_text(f"{root}/out", good)
    assert damaged() == [], "somebody brought it back"
    assert toy.run() == []
    toy.store.write_text(f"{root}/out", good.upper())
    damaged()
    assert toy.run() == ["second"]
    assert damaged() == []


def test_what_nobody_reads_any_more_is_found_and_no_more(toy: Toy) -> None:
    def found() -> list[tuple[str, str]]:
        return [(old.root, old.why) for old in garbage(Snapshot(toy.store, [RUN]), RUN)]

    toy.fail = True
    with pytest.raises(TryAgain):
        toy.run("search.budget=5")
    assert found() == [], "it may be continued"
    (given_up,) = [path.rpartition("/")[0] for path in toy.store.list(RUN) if path.endswith("/partial")]
    toy.fail = False
    toy.run()
    old = output(toy.store, f"{RUN}/first")
    toy.run("search.budget=77")
    assert [(root, why) for root, why in found() if root.startswith(f"{RUN}/first/")] == sorted(
        [(given_up, "given up"), (old, "superseded")]
    )
    for each in list(garbage(Snapshot(toy.store, [RUN]), RUN)):
        for path in each.paths:
            toy.store.delete(path)
    assert found() == []
    assert toy.run("search.budget=77") == []


def test_what_is_damaged_in_an_input_of_another_iteration_is_said(toy: Toy) -> None:
    toy.run()
    toy.store.delete(f"{output(toy.store, f'{RUN}/first')}/out")
    with pytest.raises(BadInput, match=r"main/first is damaged: out is gone; run the workflow that made it again"):
        asyncio.run(execute(toy.second, toy.context()))


def test_no_further_shard_begins_once_the_run_has_cost_what_it_may(toy: Toy) -> None:
    toy.run()
    context = toy.context("ebm.steps=7", "cost.max_dollars=1", redo=frozenset({"third"}), account="w")
    toy.ran = []
    asyncio.run(execute(toy.third, context.at(shard=0)))
    spend(toy.store, RUN, "w", 0.3)
    with pytest.raises(BadInput, match=r"has cost \$1\.50 of its limit of \$1\.00"):
        asyncio.run(execute(toy.third, context.at(shard=1)))
    assert toy.ran == ["third/shard-0000-of-0003"]
    asyncio.run(execute(toy.first, context))  # a hit costs nothing


def test_a_missing_predecessor_is_bad_input(toy: Toy) -> None:
    with pytest.raises(BadInput, match="main/first is not finished"):
        asyncio.run(execute(toy.second, toy.context()))
    with pytest.raises(BadInput, match="not finished"):
        plan([toy.second], toy.context())


def test_a_step_that_was_stopped_is_not_finished(toy: Toy) -> None:
    context = toy.context()
    context.stop.set()
    with pytest.raises(TryAgain):
        asyncio.run(execute(toy.first, context))
    assert read_record(toy.store, f"{RUN}/first") is None


def test_the_record_says_what_was_written_and_from_what(toy: Toy) -> None:
    toy.run()
    record = read_record(toy.store, f"{RUN}/second")
    first = read_record(toy.store, f"{RUN}/first")
    assert record is not None
    assert first is not None
    assert record.key.inputs == {f"{RUN}/first": first.digest}
    assert {o.path for o in record.outputs} == {"out", "partial"}
    assert all(toy.store.digest(f"{record.root(f'{RUN}/second')}/{o.path}") == o.sha256 for o in record.outputs)
    assert record.facts == {"n": 1}


def test_shards_divide_the_theorems(toy: Toy) -> None:
    theorems = [Theorem(name=f"t{i}", statement="True") for i in range(100)]
    parts = [in_shard(theorems, k, 4) for k in range(4)]
    assert sorted(t.name for part in parts for t in part) == sorted(t.name for t in theorems)
    assert all(10 < len(part) < 45 for part in parts)
    assert all([t.name for t in part] == sorted(t.name for t in part) for part in parts)


def test_the_number_of_shards_stays_as_it_was_begun(toy: Toy) -> None:
    assert shard_count(toy.store, f"{RUN}/third", 8) == 8
    toy.run()
    assert shard_count(toy.store, f"{RUN}/third", 8) == 3
    assert finished_shards(toy.store, f"{RUN}/third") == [f"{RUN}/{s}" for s in SHARDS]
    toy.store.delete(f"{RUN}/{SHARDS[1]}")
    with pytest.raises(BadInput, match="not finished"):
        finished_shards(toy.store, f"{RUN}/third")
