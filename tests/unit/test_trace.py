"""Tracing: which recorded steps become pairs, parts that outlive an interruption, and the report."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from burnqed.data.pairs import PAIRS, TacticPair
from burnqed.data.proofs import WholeProof
from burnqed.data.trace.frontend import Processed, Source, judged, sources
from burnqed.data.trace.invocations import Invocation, Invocations, InvokedUnit, atomic, separated
from burnqed.data.trace.items import Item, Proofs
from burnqed.data.trace.output import write
from burnqed.data.trace.parts import Parts, Result, Trace
from burnqed.data.trace.report import TraceReport
from burnqed.data.trace.steps import Step, pairs_of
from burnqed.data.trace.tracing import is_first
from burnqed.errors import BadInput, TryAgain
from burnqed.store import Store

# ---- the recording of the real REPL


@pytest.fixture
def recorded(shared: Path) -> dict[str, list[InvokedUnit]]:
    """What the REPL wrote, by file."""
    found = {}
    for name in ("all_commands", "track_frontend_tactics"):
        for line in (shared / "pantograph" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            if "file" in (row := json.loads(line)):
                found[Path(row["file"]).name] = Invocations.model_validate_json(row["content"]).units
    return found


def kept(unit: InvokedUnit) -> list[tuple[str, str, str | None]]:
    steps, _ = atomic(unit.invocations)
    return [(p.state, p.tactic, p.state_after) for p in pairs_of("t::x", "t", steps)[0]]


def test_of_a_recorded_proof_the_atomic_steps_make_pairs(recorded: dict[str, list[InvokedUnit]]) -> None:
    assert kept(recorded["invocations.json"][0]) == [
        ("⊢ ∀ (p q : Prop), p → p ∨ q", "intro p q h", "p q : Prop\nh : p\n⊢ p ∨ q"),
        ("p q : Prop\nh : p\n⊢ p ∨ q", "exact Or.inl h", ""),
    ]
    induction, false, definition = recorded["invocations2.json"]
    assert [tactic for _, tactic, _ in kept(induction)] == ["rfl", "simp"]
    assert kept(false) == []  # `decide` failed
    assert kept(definition) == []
    have, first = recorded["inv4.json"]
    assert [(state, tactic) for state, tactic, _ in kept(have)] == [("⊢ 2 = 2", "rfl"), ("h : 2 = 2\n⊢ 1 = 1", "simp")]
    assert [tactic for _, tactic, _ in kept(first)] == ["omega"]


def test_recorded_replies_to_frontend_process_are_understood(shared: Path) -> None:
    replies = 0
    for name in ("all_commands", "headers_sorry_blocks", "track_frontend_tactics", "timeout"):
        for line in (shared / "pantograph" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if (row.get("request") or "").startswith("frontend.process") and "error" not in (
                reply := json.loads(row["reply"])
            ):
                Processed.model_validate(reply)
                replies += 1
    assert replies == 14


def test_a_recorded_error_and_a_recorded_sorry_reject_the_proof(shared: Path) -> None:
    def answer(part: str) -> Processed:
        lines = (shared / "pantograph" / "all_commands.jsonl").read_text(encoding="utf-8").splitlines()
        row = next(row for row in map(json.loads, lines) if part in (row.get("request") or ""))
        return Processed.model_validate_json(row["reply"])

    sorry = answer("p → p := sorry").units
    assert judged(Source("theorem t (p : Prop) : p → p := sorry", 0, 1), sorry, [[]])[1] == "sorry"
    wrong = answer("p -> p := 1").units
    _, cause, message = judged(Source("", 0, 1), wrong, [[]])
    assert (cause, "numerals are data" in message) == ("other behaviour", True)


# ---- steps


def invocation(before: str, tactic: str, after: str = "") -> Invocation:
    return Invocation(goalBefore=before, goalAfter=after, tactic=tactic)


@pytest.mark.parametrize(
    ("tactics", "left"),
    [
        (["constructor", "simp", "simp"], ["constructor", "simp", "simp"]),  # `constructor <;> simp`
        (["simp [foo]", "simp"], ["simp [foo]", "simp"]),
        (["exact fun _ => rfl", "rfl"], ["exact fun _ => rfl", "rfl"]),
        (["rcases h with ⟨x, rfl⟩ | rfl", "rfl"], ["rcases h with ⟨x, rfl⟩ | rfl", "rfl"]),
        (["rw [a, ← b]", "a", "← b", "rfl"], ["rw [a, ← b]", "rfl"]),
        (["simp [foo (by omega)]", "omega"], ["omega"]),
        (["have h : a = b := by\n  intro x\n  simp", "intro x", "simp", "exact h"], ["intro x", "simp", "exact h"]),
        (["all_goals try simp", "try simp", "simp"], ["simp"]),
        (["cases h with\n| inl h => exact h\n| inr h => exact h.symm", "exact h", "exact h.symm"], ["exact h", "exact h.symm"]),
        (["refine ⟨?_, by\n    simp   [a,\n      b]⟩", "simp [a, b]"], ["simp [a, b]"]),
        (["norm_num at h", "h"], ["norm_num at h", "h"]),
        (["repeat' constructor", "constructor", "constructor"], ["constructor", "constructor"]),
        (["show a = b from by omega", "omega"], ["omega"]),
        (["intro h", "simp at h", "omega"], ["intro h", "simp at h", "omega"]),
    ],
)  # fmt: skip
def test_a_tactic_that_runs_others_is_left_out_for_them(tactics: list[str], left: list[str]) -> None:
    steps, _ = atomic([invocation(f"⊢ {number}", tactic) for number, tactic in enumerate(tactics)])
    assert [step.tactic for step in steps] == left


def test_a_conv_stays_one_step() -> None:
    steps, left_out = atomic([invocation("⊢ a = b", "conv =>\n  lhs\n  simp"), invocation("| a = b", "lhs"), invocation("| a", "simp")])  # fmt: skip
    pairs, none = pairs_of("t::x", "t", steps)
    assert [pair.tactic.split()[0] for pair in pairs] == ["conv"]
    assert (dict(left_out), dict(none)) == ({}, {"without a goal": 2})


def test_the_steps_within_a_calc_are_its_own() -> None:
    whole = "calc\n  a = b := by rw [h]\n  _ = c := h"
    steps, left_out = atomic([invocation("⊢ a = c", whole), invocation("", whole.removeprefix("calc")), invocation("⊢ a = b", "rw [h]")])  # fmt: skip
    assert [pair.tactic for pair in pairs_of("t::x", "t", steps)[0]] == ["rw [h]"]
    assert dict(left_out) == {"holds other steps": 1}


def test_goals_below_one_another_are_told_apart() -> None:
    text = "case left\np q : Prop\n⊢ p ∧\n    q\ncase right\np q : Prop\n⊢ q\n⊢ 1 = 1"
    assert separated(text) == "case left\np q : Prop\n⊢ p ∧\n    q\n\ncase right\np q : Prop\n⊢ q\n\n⊢ 1 = 1"
    assert separated(separated(text)) == separated(text)
    assert separated("") == ""


def test_steps_without_a_goal_or_a_change_or_that_no_search_may_take_make_no_pairs_and_depth_counts_those_that_do() -> (
    None
):
    steps = [Step("⊢ a", "skip", "⊢ a"), Step("⊢ a", "intro x", "⊢ b"), Step("no goals", "done", ""), Step("⊢ b", "native_decide", "no goals"), Step("⊢ b", "simp", "no goals")]  # fmt: skip
    pairs, left_out = pairs_of("t::x", "t", steps)
    assert [(p.tactic, p.depth, p.state_after, p.num_goals) for p in pairs] == [("intro x", 0, "⊢ b", 1), ("simp", 1, "", 1)]  # fmt: skip
    assert dict(left_out) == {"changed nothing": 1, "without a goal": 1, "not allowed in a search": 1}


# ---- files for the frontend


def whole(name: str, proof: str = "by simp", **more: str) -> WholeProof:
    return WholeProof(**{"name": name, "statement": f"theorem {name} : 1 = 1", "proof": proof, "source": "t", **more})


def test_a_file_is_header_theorem_and_proof() -> None:
    (file,) = sources(whole("a", statement="theorem a (n : ℕ) : n = n := by sorry"), "\nopen Nat\n\n")
    assert file.text == "\nopen Nat\ntheorem a (n : ℕ) : n = n :=\nby simp"
    assert file.text.encode()[file.theorem :].startswith(b"theorem a")
    assert file.text.split("\n")[file.proof_line - 1] == "by simp"
    (closed,) = sources(whole("b", statement="∀ n : Nat, n = n"), 'notation "ℕ" => Nat\n')
    assert closed.text == 'notation "ℕ" => Nat\nexample : ∀ n : Nat, n = n :=\nby simp'
    tactics, term = sources(whole("c", "intro n\nrfl"), "")
    assert (tactics.text, term.text) == ("theorem c : 1 = 1 := by\nintro n\nrfl", "theorem c : 1 = 1 :=\nintro n\nrfl")
    (cases,) = sources(whole("d", "| 0 => rfl\n| n + 1 => rfl"), "")
    assert cases.text == "theorem d : 1 = 1 \n| 0 => rfl\n| n + 1 => rfl"


# ---- parts


def result(name: str, pairs: int = 1, **more: object) -> Result:
    made = [
        TacticPair(
            theorem=name, state=f"⊢ {name} {depth}", tactic="simp", state_after="", depth=depth, source="t", num_goals=1
        )
        for depth in range(pairs)
    ]
    return Result(name, [Trace(theorem=name, source="t", pairs=pairs, **more)], made)  # type: ignore[arg-type]


async def some(*results: Result) -> AsyncIterator[Result]:
    for each in results:
        yield each


async def fill(parts: Parts, *results: Result, total: int = 0, most_bad: float = 1.0) -> None:
    await parts.fill(
        some(*results), total=total or len(results), label="files", stop=asyncio.Event(), per_part=2, most_bad=most_bad
    )


async def test_what_is_in_a_part_is_not_made_again_and_another_key_begins_anew(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    await fill(Parts(store, "p", "one"), *(result(name) for name in "abcde"))
    parts = Parts(store, "p", "one")
    assert (sorted(parts.done), len(parts.records)) == (list("abcde"), 3)
    await fill(parts, result("f"))
    again = Parts(store, "p", "one")
    assert [row["theorem"] for batch in again.pairs() for row in batch.to_pylist()] == list("abcdef")
    assert not Parts(store, "p", "another").done
    (tmp_path / "p" / "part-00001.json").write_text('{"key": "one", "ite')
    assert sorted(Parts(store, "p", "one").done) == ["a", "b", "e", "f"]


async def test_of_two_processes_that_fill_the_same_parts_one_stops_and_neither_spoils_the_others_work(
    tmp_path: Path,
) -> None:
    store = Store(str(tmp_path))
    lost, successor = Parts(store, "p", "k"), Parts(store, "p", "k")
    await fill(successor, *(result(name) for name in "abc"))
    with pytest.raises(TryAgain, match=r"Another process writes the same parts \(.*part-00000.json\)"):
        await fill(lost, result("a", 7))
    parts = Parts(store, "p", "k")
    await fill(parts, result("d"))
    assert [row["theorem"] for batch in parts.pairs() for row in batch.to_pylist()] == list("abcd")
    assert [trace.theorem for trace in parts.traces] == list("abcd")


async def test_the_progress_counts_proofs_that_are_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = Store(str(tmp_path))
    await fill(Parts(store, "p", "k"), result("a", 0, rejected="sorry"))
    await fill(Parts(store, "p", "k"), result("b"), result("c", 0, rejected="sorry"))
    assert capsys.readouterr().err.splitlines()[-1].endswith(" · rejected 2")
    await fill(Parts(store, "p", "k"), Result("d.lean", bad="AssertionError"), total=9)
    assert capsys.readouterr().err.splitlines()[-1].endswith(" · rejected 2 · bad 1")


async def test_what_is_traced_when_a_tracing_ends_is_written(tmp_path: Path) -> None:
    store, stop = Store(str(tmp_path)), asyncio.Event()

    async def broken() -> AsyncIterator[Result]:
        for name in "abc":
            yield result(name)
        raise RuntimeError("a bug")

    async def slow() -> AsyncIterator[Result]:
        yield result("d")
        stop.set()
        await asyncio.sleep(60)
        yield result("never")

    with pytest.raises(RuntimeError, match="a bug"):
        await Parts(store, "p", "k").fill(broken(), total=9, label="files", stop=stop, per_part=2)
    with pytest.raises(TryAgain, match="the same command continues it"):
        await Parts(store, "p", "k").fill(slow(), total=9, label="files", stop=stop, per_part=2)
    assert sorted(Parts(store, "p", "k").done) == ["a", "b", "c", "d"]


async def test_a_tracing_stops_when_too_much_is_bad_and_stays_stopped(tmp_path: Path) -> None:
    store, bad = Store(str(tmp_path)), Result("bad.lean", bad="AssertionError")
    await fill(Parts(store, "p", "k"), result("a"), bad, total=5, most_bad=0.2)
    second = Result("worse.lean", bad="RuntimeError: Windows")
    with pytest.raises(
        BadInput,
        match=r"^2 of 5 files cannot be traced, more than 20% \(the first is bad.lean: AssertionError\).* `burnqed data trace`",
    ):
        await fill(Parts(store, "p", "k"), second, result("never"), total=5, most_bad=0.2)
    parts = Parts(store, "p", "k")
    assert "never" not in parts.done
    with pytest.raises(BadInput, match="2 of 5 files"):
        await fill(parts, total=5, most_bad=0.2)
    await fill(parts, result("never"), total=5, most_bad=0.5)


def test_the_first_sample_is_a_fifth_and_always_the_same() -> None:
    names = [f"Mathlib/{number}.lean" for number in range(2_000)]
    chosen = [name for name in names if is_first(name)]
    assert 0.17 < len(chosen) / len(names) < 0.23
    assert chosen == [name for name in names if is_first(name)]


def test_each_proof_is_one_item_even_where_names_repeat() -> None:
    proofs = [whole("a"), whole("a"), whole("a", "by rfl"), whole("b")]

    def read() -> Iterator[WholeProof]:
        return iter(proofs)

    given = Proofs(4, "digest", read)
    items = [item.name for item in given.remaining(())]
    assert len(items) == len(set(items)) == 3
    assert [item.proof.proof for item in given.remaining({Item(proofs[0]).name})] == ["by rfl", "by simp"]


# ---- the report


async def test_the_report_counts_pairs_by_source_file_and_depth_and_what_was_left_out(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    one = Parts(store, "one", "k")
    twice = result("t::b", 3, file_path="B.lean")
    await fill(
        one,
        result("t::a", 2, file_path="A.lean", left_out={"changed nothing": 2}),
        Result("b", twice.traces, [*twice.pairs, twice.pairs[0]]),
        result("t::hole", 0, file_path="A.lean", rejected="sorry"),
        result("t::old", 0, rejected="lemma renamed", message="unknown identifier", is_term=True),
        Result("Bad.lean", bad="AssertionError"),
    )
    other = Parts(store, "other", "k")
    await fill(other, result("t::c", 25))
    report = TraceReport(source="x", way="frontend")
    write([one, other], report, store, "out.v1.parquet")
    assert report == TraceReport.model_validate_json((tmp_path / "out.report.json").read_text())
    assert (report.theorems, report.traced, report.pairs, report.duplicates, report.sorry) == (5, 3, 30, 1, 1)
    assert report.rejected == {"sorry": 1, "lemma renamed": 1}
    assert [(r.theorem, r.message) for r in report.examples] == [("t::hole", ""), ("t::old", "unknown identifier")]
    assert report.pairs_by_file == {"": 25, "B.lean": 3, "A.lean": 2}
    assert (report.pairs_by_depth["0"], report.pairs_by_depth["20+"]) == (3, 5)
    assert (report.tactic_proofs, report.term_proofs, report.steps_left_out) == (3, 0, {"changed nothing": 2})
    assert (report.items, report.bad) == (6, {"Bad.lean": "AssertionError"})
    assert len({sample.state for sample in report.samples}) == 10
    assert sum(len(batch) for batch in PAIRS.read(store, "out.v1.parquet")) == 30
    assert not (tmp_path / "out.proofs.parquet").exists()
    shown = dict(report.lines())
    assert (shown["pairs"], shown["rejected: sorry"], shown["skipped as bad"]) == ("30", "1", "1")


async def test_without_a_pair_only_the_report_is_written(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    parts = Parts(store, "p", "k")
    await fill(parts, result("t::a", 0, rejected="sorry"))
    with pytest.raises(BadInput, match=r"No proof of x gave a pair, so o.parquet was not written"):
        write([parts], TraceReport(source="x", way="tactics"), store, "o.parquet")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["o.report.json"]


async def test_without_a_pair_in_the_first_fifth_an_earlier_output_keeps_its_report(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    whole_tracing, fifth = Parts(store, "p", "k"), Parts(store, "q", "k")
    await fill(whole_tracing, result("t::a", 2))
    write([whole_tracing], TraceReport(source="x", way="tactics"), store, "o.parquet")
    before = (tmp_path / "o.report.json").read_text()
    await fill(fifth, result("t::b", 0, rejected="sorry"))
    with pytest.raises(BadInput, match=r"the first fifth of x gave a pair, so o.parquet and its report stay as they"):
        write([fifth], TraceReport(source="x", way="tactics", first_fifth=True), store, "o.parquet")
    assert (tmp_path / "o.report.json").read_text() == before
