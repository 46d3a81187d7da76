"""The search of theorems, with a scripted Lean and policy: order, limits, statuses, what is recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from burnqed.config import EvaluateConfig, SearchConfig
from burnqed.errors import TryAgain
from burnqed.lean.core import PROBE_TACTICS
from burnqed.lean.protocol import Outcome, TacticStatus, Theorem, Verdict
from burnqed.policy.protocol import Proposal
from burnqed.proof_search.engine import search
from burnqed.proof_search.scoring import priority
from burnqed.proof_search.settings import SearchSettings
from burnqed.trajectory.rows import SearchResult, StateRow, Task
from burnqed.trajectory.schema import ProofStatus
from tests.fixtures.scripted import ScriptedLean, ScriptedPolicy, ScriptedScorer

PLAIN = SearchSettings.for_search(
    SearchConfig(budget=50, length_exponent=0.0, beta=0.0, energy_depth=1, widening=None, open_theorems=4), ()
)

TWO_STEPS = {"A": {"go": "B", "stay": "A"}, "B": {"end": ""}}
LIKELY = {"A": {"go": -1.0, "stay": -2.0, "wrong": -3.0}, "B": {"end": -0.5}}


async def run(
    lean: ScriptedLean,
    policy: ScriptedPolicy,
    *statements: str,
    settings: SearchSettings = PLAIN,
    scorer: ScriptedScorer | None = None,
    seed: int = 0,
) -> list[SearchResult]:
    found: list[SearchResult] = []
    tasks = [Task(Theorem(name=f"t{i}.{s}", statement=s), seed=seed) for i, s in enumerate(statements)]
    await search(tasks, lean, policy, scorer, settings, found.append)
    assert not lean.open, "states of finished searches are released"
    return sorted(found, key=lambda f: f.result.name)


def rows_of(found: SearchResult) -> dict[str | None, StateRow]:
    return {row.tactic: row for row in found.states}


# ---- the proof


async def test_a_proof_is_the_tactics_of_its_path_checked_as_a_whole() -> None:
    lean = ScriptedLean(TWO_STEPS)
    (found,) = await run(lean, ScriptedPolicy(LIKELY), "A")
    assert found.result.status is ProofStatus.PROVED
    assert found.result.proof == "go\nend"
    assert lean.checked == ["go\nend"]
    assert (found.result.nodes, found.result.nodes_at_proof) == (2, 2)
    assert [(r.tactic, r.remaining_depth) for r in found.states if r.on_proof_path] == [
        (None, 2),
        ("go", 1),
        ("end", 0),
    ]


async def test_every_candidate_of_the_last_state_is_tried_though_the_first_ends_the_proof() -> None:
    lean = ScriptedLean({"A": {"end": "", "left": "L", "right": "R"}})
    policy = ScriptedPolicy({"A": {"end": -0.1, "left": -1.0, "right": -2.0}})
    (found,) = await run(lean, policy, "A")
    assert [row.state for row in found.states] == ["A", "", "L", "R"]


async def test_finished_states_are_checked_before_any_other_is_expanded_and_never_scored() -> None:
    script = {"A": {"tempting": "T", "end": ""}, "T": {}}
    scorer = ScriptedScorer({"T": -100.0})
    (found,) = await run(
        ScriptedLean(script),
        policy := ScriptedPolicy({"A": {"tempting": -0.01, "end": -20.0}}),
        "A",
        scorer=scorer,
        settings=replace(PLAIN, beta=1.0),
    )
    assert found.result.status is ProofStatus.PROVED
    assert policy.expanded == ["A"]
    assert scorer.requests == []


async def test_a_refused_proof_is_a_failed_branch_with_its_reason_and_the_search_goes_on() -> None:
    def check(proof: str) -> Verdict:
        return Verdict(name="", accepted=proof != "cheat", reason="" if proof != "cheat" else "uses sorryAx")

    script = {"A": {"cheat": "", "go": "B"}, "B": {"end": ""}}
    lean = ScriptedLean(script, check=check)
    (found,) = await run(lean, ScriptedPolicy({"A": {"cheat": -0.1, "go": -5.0}, "B": {"end": -1.0}}), "A")
    assert found.result.proof == "go\nend"
    cheat = rows_of(found)["cheat"]
    assert cheat.reason == "check refused: uses sorryAx"
    assert (cheat.is_terminal, cheat.on_proof_path) == (True, False)
    assert found.result.statistics.lean_errors == {"refused": 1}


# ---- order


async def test_the_likeliest_path_is_expanded_first() -> None:
    script = {"A": {"a": "X", "b": "Y"}, "X": {"c": "Z"}, "Y": {}, "Z": {}}
    policy = ScriptedPolicy({"A": {"b": -3.0, "a": -1.0}, "X": {"c": -1.0}})
    await run(ScriptedLean(script), policy, "A")
    assert policy.expanded == ["A", "X", "Z", "Y"]  # Z: −2, Y: −3


async def test_a_length_exponent_lets_deep_paths_catch_up() -> None:
    script = {"A": {"a": "X", "b": "Y"}, "X": {"c": "Z"}, "Y": {}, "Z": {}}
    likely = {"A": {"a": -2.0, "b": -3.0}, "X": {"c": -2.0}}
    shallow, deep = ScriptedPolicy(likely), ScriptedPolicy(likely)
    await run(ScriptedLean(script), shallow, "A")
    await run(ScriptedLean(script), deep, "A", settings=replace(PLAIN, length_exponent=1.0))
    assert shallow.expanded == ["A", "X", "Y", "Z"]  # Z: −4, Y: −3
    assert deep.expanded == ["A", "X", "Z", "Y"]  # Z: −4/2, Y: −3


async def test_a_head_changes_the_order_and_scores_the_children_of_an_expansion_in_one_batch() -> None:
    script = {"A": {"a": "X", "b": "Y", "c": "A", "d": TacticStatus.ERROR}, "X": {}, "Y": {}}
    scorer = ScriptedScorer({"X": 5.0, "Y": -5.0})
    policy = ScriptedPolicy({"A": {"a": -1.0, "b": -2.0, "c": -3.0, "d": -4.0}})
    (found,) = await run(ScriptedLean(script), policy, "A", scorer=scorer, settings=replace(PLAIN, beta=1.0))
    assert scorer.requests == [(["X", "Y"], ["A", "A"])]
    assert policy.expanded == ["A", "Y", "X"]
    rows = rows_of(found)
    assert {t: (rows[t].energy, rows[t].head_id) for t in ("b", "c")} == {
        "b": (-5.0, scorer.head_id),
        "c": (None, None),
    }
    assert found.result.head_id == scorer.head_id


def test_the_energy_counts_fully_from_its_depth_on_and_lower_is_better() -> None:
    settings = replace(PLAIN, alpha=2.0, beta=3.0, length_exponent=0.5, energy_depth=4)
    assert priority(settings, -6.0, 1, None) == pytest.approx(-12.0)
    assert priority(settings, -6.0, 4, None) == pytest.approx(-6.0)
    assert priority(settings, -6.0, 2, 1.0) == pytest.approx(2 * -6 / 2**0.5 - 3 * 0.5)
    assert priority(settings, -6.0, 8, 1.0) == pytest.approx(2 * -6 / 8**0.5 - 3)
    assert priority(settings, -6.0, 8, -1.0) > priority(settings, -6.0, 8, 1.0)


async def test_a_transposition_keeps_its_own_row_and_is_expanded_once() -> None:
    script = {"A": {"a": "X", "b": "Y"}, "X": {"c": "Z"}, "Y": {"d": "Z", "e": "A"}, "Z": {}}
    policy = ScriptedPolicy({"A": {"a": -1.0, "b": -1.1}, "X": {"c": -1.0}, "Y": {"d": -1.0, "e": -1.0}})
    (found,) = await run(ScriptedLean(script), policy, "A")
    rows = rows_of(found)
    assert sorted(policy.expanded) == ["A", "X", "Y", "Z"]
    assert rows["c"].same_as is None
    assert rows["d"].same_as == rows["c"].state_id
    assert rows["e"].same_as == 0
    assert rows["d"].visit_order is None


# ---- limits


def chain(length: int) -> tuple[dict[str, dict[str, str]], dict[str, dict[str, float]]]:
    """A proof of `length` steps, with a dead end beside each."""
    script = {f"S{i}": {"go": f"S{i + 1}", "dead": f"D{i}"} for i in range(length - 1)} | {f"S{length - 1}": {"go": ""}}
    return script, {state: dict.fromkeys(tactics, -1.0) for state, tactics in script.items()}


async def test_the_budget_counts_expanded_states() -> None:
    script, likely = chain(6)
    policy = ScriptedPolicy(likely)
    (found,) = await run(ScriptedLean(script), policy, "S0", settings=replace(PLAIN, budget=3))
    assert (found.result.status, found.result.reason, found.result.nodes) == (ProofStatus.UNPROVED, "budget", 3)
    assert len(policy.expanded) == 3


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0])
async def test_one_run_answers_for_every_smaller_budget(exponent: float) -> None:
    script, likely = chain(6)
    settings = replace(PLAIN, length_exponent=exponent)
    (largest,) = await run(ScriptedLean(script), ScriptedPolicy(likely), "S0", settings=settings)
    at = largest.result.nodes_at_proof
    assert at is not None
    for budget in range(1, 13):
        (found,) = await run(
            ScriptedLean(script), ScriptedPolicy(likely), "S0", settings=replace(settings, budget=budget)
        )
        assert (found.result.status is ProofStatus.PROVED) == (at <= budget)


async def test_states_at_the_greatest_depth_are_not_expanded_but_proofs_that_end_there_count() -> None:
    script, likely = chain(3)
    (deep_enough,) = await run(ScriptedLean(script), ScriptedPolicy(likely), "S0", settings=replace(PLAIN, depth=3))
    (too_shallow,) = await run(ScriptedLean(script), ScriptedPolicy(likely), "S0", settings=replace(PLAIN, depth=2))
    assert deep_enough.result.status is ProofStatus.PROVED
    assert (too_shallow.result.status, too_shallow.result.reason) == (ProofStatus.UNPROVED, "depth")


async def test_a_search_with_nothing_left_says_exhausted() -> None:
    (found,) = await run(ScriptedLean({"A": {"go": "B"}}), ScriptedPolicy({"A": {"go": -1.0}}), "A")
    assert (found.result.status, found.result.reason) == (ProofStatus.UNPROVED, "exhausted")


class Sharp(ScriptedPolicy):
    """Says what is less likely than exp(-t) at temperatures of t and more only."""

    async def propose(self, states, *, candidates, temperature, seeds):  # type: ignore[no-untyped-def]
        found = await super().propose(states, candidates=candidates, temperature=temperature, seeds=seeds)
        return [replace(p, candidates=tuple(c for c in p.candidates if -c.log_prob <= temperature)) for p in found]


SHARP = {"A": {"dead": -1.0, "go": -1.5, "late": -9.0}, "X": {"wrong": -1.0}, "B": {"end": -2.0}}


async def test_a_search_that_runs_dry_opens_its_states_again_at_higher_temperatures() -> None:
    lean, policy = ScriptedLean({"A": {"dead": "X", "go": "B"}, "B": {"end": ""}}), Sharp(SHARP)
    (found,) = await run(lean, policy, "A", settings=replace(PLAIN, widening=1.5))
    assert found.result.proof == "go\nend"
    # A, X; at 1.5 A (`go`), X, B; at 2.25 A, X, B (`end`).
    assert policy.expanded == ["A", "X", "A", "X", "B", "A", "X", "B"]
    assert (found.result.nodes, found.result.nodes_at_proof) == (8, 8)
    rows = rows_of(found)
    assert len(found.states) == 5, "no tactic is applied twice at a state"
    assert [rows[t].temperature for t in ("dead", "go", "end")] == [1.0, 1.5, 2.25]
    assert [rows[t].visit_order for t in (None, "dead", "go")] == [0, 1, 4], "when a state was expanded first"


async def test_the_rank_of_a_proofs_next_state_is_its_place_in_the_queue_when_its_parent_was_expanded() -> None:
    script = {
        "A": {"a": "X", "b": "Y", "go": "B"},
        "X": {"c": "Z", "d": "W"},
        "B": {"on": "C", "off": "V"},
        "C": {"end": ""},
    }
    likely = {
        "A": {"a": -1.0, "b": -3.0, "go": -2.0},
        "X": {"c": -4.0, "d": -9.0},
        "B": {"on": -3.0, "off": -0.5},
        "C": {"end": -1.0},
    }  # fmt: skip
    policy = ScriptedPolicy(likely)
    (found,) = await run(ScriptedLean(script), policy, "A")
    # A: X −1, B −2, Y −3; X: B −2, Y −3, Z −5, W −10; B: V −2.5, Y −3, then C −5, which Z, as likely, precedes
    assert policy.expanded == ["A", "X", "B", "V", "Y", "Z", "C"]
    assert found.result.statistics.path_rank == (2 + 4) / 2
    (short,) = await run(ScriptedLean({"A": {"end": ""}}), ScriptedPolicy({"A": {"end": -1.0}}), "A")
    assert short.result.proof
    assert short.result.statistics.path_rank is None, "nothing lies between the root and the end"
    (open_,) = await run(ScriptedLean(script), policy, "Z")
    assert open_.result.statistics.path_rank is None
    (walked,) = await run(ScriptedLean(TWO_STEPS), ScriptedPolicy(LIKELY), "A")
    assert walked.result.statistics.path_rank == 1


async def test_states_that_were_opened_again_are_in_the_queue_like_any_other() -> None:
    """At 1.5 A leads to B, at −1.5; before it is X, at −1.0, again."""
    lean, policy = ScriptedLean({"A": {"dead": "X", "go": "B"}, "B": {"end": ""}}), Sharp(SHARP)
    (found,) = await run(lean, policy, "A", settings=replace(PLAIN, widening=1.5))
    assert found.result.statistics.path_rank == 2


@pytest.mark.parametrize(("temperature", "times"), [(1.0, 2), (0.0, 1)])
async def test_a_search_that_leads_nowhere_at_a_high_temperature_ends(temperature: float, times: int) -> None:
    policy = ScriptedPolicy({"A": {"dead": -1.0}, "X": {"wrong": -1.0}})
    settings = replace(PLAIN, temperature=temperature, widening=2.5)
    (found,) = await run(ScriptedLean({"A": {"dead": "X"}}), policy, "A", settings=settings)
    assert policy.expanded == ["A", "X"] * times
    assert (found.result.status, found.result.reason) == (ProofStatus.UNPROVED, "exhausted")


async def test_generated_tokens_are_a_limit_and_the_expansion_that_reaches_it_is_the_last() -> None:
    script, likely = chain(6)
    (found,) = await run(ScriptedLean(script), ScriptedPolicy(likely), "S0", settings=replace(PLAIN, tokens=25))
    assert (found.result.status, found.result.reason) == (ProofStatus.UNPROVED, "tokens")
    assert (found.result.nodes, found.result.tokens) == (3, 30)


async def test_the_safety_net_is_a_status_of_its_own_and_keeps_what_was_answered() -> None:
    lean = ScriptedLean({"A": {f"t{i}": f"B{i}" for i in range(50)}}, capacity=1, seconds=0.002)
    policy = ScriptedPolicy({"A": {f"t{i}": -1.0 for i in range(50)}})
    (found,) = await run(lean, policy, "A", settings=replace(PLAIN, seconds=0.05))
    assert (found.result.status, found.result.nodes, len(found.states)) == (ProofStatus.TIMED_OUT, 1, 51)
    assert "before the budget was spent" in found.result.reason


async def test_waiting_for_the_policy_and_for_others_costs_a_theorem_none_of_its_time() -> None:
    script, likely = chain(3)
    lean, policy = ScriptedLean(script, capacity=1, seconds=0.005), ScriptedPolicy(likely, seconds=0.05)
    tactics = sum(len(tactics) for tactics in likely.values())
    settings = replace(PLAIN, seconds=(tactics + 2) * 0.005, open_theorems=16)
    found = await run(lean, policy, *["S0"] * 16, settings=settings)
    assert {f.result.status for f in found} == {ProofStatus.PROVED}
    assert min(f.result.seconds for f in found) > 2 * settings.seconds


# ---- could not be tried is not unproved


async def test_a_statement_that_does_not_elaborate_is_an_error_and_the_others_go_on() -> None:
    lean = ScriptedLean(TWO_STEPS)
    lean.start_failures["t0.bad"] = [Outcome(TacticStatus.ERROR, message="unknown identifier 'x'")]
    bad, good = await run(lean, ScriptedPolicy(LIKELY), "bad", "A")
    assert bad.result.status is ProofStatus.ERROR
    assert bad.result.reason == "unknown identifier 'x'"
    assert [row.state for row in bad.states] == [None]
    assert good.result.status is ProofStatus.PROVED


@pytest.mark.parametrize(("crashes", "status"), [(1, ProofStatus.PROVED), (2, ProofStatus.ERROR)])
async def test_a_crash_at_the_start_is_tried_once_more(crashes: int, status: ProofStatus) -> None:
    lean = ScriptedLean(TWO_STEPS)
    lean.start_failures["t0.A"] = [Outcome(TacticStatus.CRASH, message="out of memory")] * crashes
    (found,) = await run(lean, ScriptedPolicy(LIKELY), "A")
    assert found.result.status is status


class CrashingLean(ScriptedLean):
    """Crashes at the first `times` calls of one tactic."""

    def __init__(self, tactic: str, times: int, **options: Callable[[str], Verdict]) -> None:
        super().__init__(TWO_STEPS, **options)
        self.tactic, self.left = tactic, times

    async def apply(self, state, tactic, *, timeout=None):  # type: ignore[no-untyped-def]
        if tactic == self.tactic and self.left:
            self.left -= 1
            return Outcome(TacticStatus.CRASH, message="killed")
        return await super().apply(state, tactic, timeout=timeout)


async def test_a_tactic_that_crashes_once_is_repeated_and_not_counted_as_failed() -> None:
    (found,) = await run(CrashingLean("end", 1), ScriptedPolicy(LIKELY), "A")
    assert found.result.status is ProofStatus.PROVED
    assert "crash" not in found.result.statistics.lean_errors


async def test_a_tactic_that_crashes_twice_is_recorded_as_crash() -> None:
    (found,) = await run(CrashingLean("wrong", 2), ScriptedPolicy(LIKELY), "A")
    assert rows_of(found)["wrong"].tactic_status is TacticStatus.CRASH
    assert found.result.statistics.lean_errors == {"crash": 1}
    assert found.result.status is ProofStatus.PROVED


async def test_a_search_that_ends_because_lean_keeps_crashing_is_an_error() -> None:
    (found,) = await run(CrashingLean("end", 2), ScriptedPolicy(LIKELY), "A")
    assert found.result.status is ProofStatus.ERROR
    assert "crashed" in found.result.reason


async def test_a_crash_at_one_of_many_states_does_not_make_an_error_of_a_search_that_ran_out_of_time() -> None:
    lean = CrashingLean("die", 2)
    lean.script = {"A": {"go": "B", "left": "C"}, "C": {"x": "D"}, "D": {"y": "E"}, "E": {}}
    lean.seconds = 0.02
    script = {"A": {"go": -1.0, "left": -2.0}, "B": {"die": -0.1}, "C": {"x": -1.0}, "D": {"y": -1.0}}
    (found,) = await run(lean, ScriptedPolicy(script), "A", settings=replace(PLAIN, seconds=0.07))
    assert (found.result.status, found.result.nodes) == (ProofStatus.TIMED_OUT, 4)


async def test_a_search_whose_last_node_takes_its_time_too_has_spent_its_budget() -> None:
    lean = ScriptedLean({"A": {"x": "B"}, "B": {"y": "C"}}, seconds=0.02)
    policy = ScriptedPolicy({"A": {"x": -1.0}, "B": {"y": -1.0}})
    (found,) = await run(lean, policy, "A", settings=replace(PLAIN, seconds=0.03, budget=2))
    assert (found.result.status, found.result.reason) == (ProofStatus.UNPROVED, "budget")


async def test_checking_proofs_takes_of_a_theorem_s_time() -> None:
    lean = ScriptedLean(
        {"A": {"cheat": "", "go": "B"}, "B": {}}, check=lambda _: Verdict(name="", accepted=False, seconds=9.0)
    )
    policy = ScriptedPolicy({"A": {"cheat": -1.0, "go": -2.0}})
    (found,) = await run(lean, policy, "A", settings=replace(PLAIN, seconds=8.0))
    assert (found.result.status, found.result.nodes) == (ProofStatus.TIMED_OUT, 1)


@pytest.mark.parametrize(("failures", "status"), [(1, ProofStatus.PROVED), (2, ProofStatus.ERROR)])
async def test_a_proof_that_could_not_be_checked_is_checked_once_more(failures: int, status: ProofStatus) -> None:
    left = iter([Verdict(name="", accepted=False, could_not_check=True, reason="timeout")] * failures)
    lean = ScriptedLean(TWO_STEPS, check=lambda proof: next(left, Verdict(name="", accepted=True)))
    (found,) = await run(lean, ScriptedPolicy(LIKELY), "A")
    assert found.result.status is status
    assert len(lean.checked) == 2


async def test_a_proof_that_could_not_be_checked_does_not_matter_when_another_one_is_accepted() -> None:
    def check(proof: str) -> Verdict:
        return Verdict(name="", accepted=proof == "slow\nend", could_not_check=proof == "end", reason="timeout")

    lean = ScriptedLean({"A": {"end": "", "slow": "B"}, "B": {"end": ""}}, check=check)
    policy = ScriptedPolicy({"A": {"end": -1.0, "slow": -2.0}, "B": {"end": -1.0}})
    (found,) = await run(lean, policy, "A")
    assert found.result.proof == "slow\nend"


class GoneAfter(ScriptedPolicy):
    """A policy that stays away after a number of requests."""

    def __init__(self, requests: int) -> None:
        super().__init__(LIKELY)
        self.left = requests

    async def propose(self, states, *, candidates, temperature, seeds):  # type: ignore[no-untyped-def]
        if not self.left:
            raise TryAgain("The policy server is gone.")
        self.left -= 1
        return await super().propose(states, candidates=candidates, temperature=temperature, seeds=seeds)


async def test_a_policy_that_stays_away_ends_everything_with_try_again_and_keeps_what_was_found() -> None:
    found: list[SearchResult] = []
    tasks = [Task(Theorem(name=f"t{i}", statement="A")) for i in range(20)]
    with pytest.raises(TryAgain, match="gone"):
        await search(tasks, ScriptedLean(TWO_STEPS), GoneAfter(5), None, replace(PLAIN, open_theorems=2), found.append)
    assert 0 < len(found) < 20
    assert all(f.result.status is ProofStatus.PROVED for f in found)


async def test_a_timeout_raised_by_the_policy_is_not_taken_for_the_theorem_s_own_time() -> None:
    class TimesOut(ScriptedPolicy):
        async def propose(self, states, *, candidates, temperature, seeds):  # type: ignore[no-untyped-def]
            raise TimeoutError("a bug of the client")

    with pytest.raises(TimeoutError, match="bug"):
        await search(
            [Task(Theorem(name="t", statement="A"))], ScriptedLean(TWO_STEPS), TimesOut({}), None, PLAIN, print
        )


# ---- many at once, seeds, variants


async def test_states_of_different_theorems_go_out_in_one_request() -> None:
    policy = ScriptedPolicy(LIKELY, seconds=0.02)
    await run(ScriptedLean(TWO_STEPS), policy, *["A"] * 8, settings=replace(PLAIN, open_theorems=8))
    assert max(len(request) for request in policy.requests) == 8


async def test_no_more_theorems_are_open_than_configured_and_each_is_searched_once() -> None:
    class Watching(ScriptedLean):
        most = 0

        async def apply(self, state, tactic, *, timeout=None):  # type: ignore[no-untyped-def]
            self.most = max(self.most, len(self.open))
            return await super().apply(state, tactic, timeout=timeout)

    lean = Watching(TWO_STEPS, seconds=0.001)
    found = await run(lean, ScriptedPolicy(LIKELY), *["A"] * 20, settings=replace(PLAIN, open_theorems=3))
    assert lean.most == 3
    assert len({f.result.name for f in found}) == 20


def course(found: SearchResult) -> list[tuple[object, ...]]:
    return [(r.state_id, r.parent_id, r.tactic, r.state, r.visit_order, r.seed) for r in found.states]


async def test_the_course_of_a_search_does_not_depend_on_what_else_is_open() -> None:
    script, likely = chain(8)
    alone = await run(ScriptedLean(script), ScriptedPolicy(likely), "S0", settings=replace(PLAIN, open_theorems=1))
    others = [f"S{i % 7}" for i in range(1, 30)]
    crowded = await run(
        ScriptedLean(script, seconds=0.0005),
        ScriptedPolicy(likely, seconds=0.003),
        "S0",
        *others,
        settings=replace(PLAIN, open_theorems=16),
    )
    assert course(alone[0]) == course(next(f for f in crowded if f.result.name == "t0.S0"))


async def test_seeds_come_from_run_theorem_sample_and_node() -> None:
    async def seeds(seed: int, sample: int, name: str) -> dict[str, int]:
        policy = ScriptedPolicy(LIKELY)
        task = Task(Theorem(name=name, statement="A"), sample=sample, seed=seed)
        await search([task], ScriptedLean(TWO_STEPS), policy, None, PLAIN, lambda found: None)
        return policy.seeds

    first = await seeds(0, 0, "t")
    assert first == await seeds(0, 0, "t")
    assert first["A"] != first["B"]
    for other in (await seeds(1, 0, "t"), await seeds(0, 1, "t"), await seeds(0, 0, "u")):
        assert not set(first.values()) & set(other.values())
    assert all(0 <= value < 2**31 for value in first.values())


async def test_stop_ends_the_search_at_once_and_drops_open_theorems() -> None:
    stop = asyncio.Event()
    found: list[SearchResult] = []

    def on_result(result: SearchResult) -> None:
        found.append(result)
        if len(found) == 5:
            stop.set()

    class Stubborn(ScriptedLean):
        """Does not give up a tactic when it is cancelled."""

        async def apply(self, state, tactic, *, timeout=None):  # type: ignore[no-untyped-def]
            if state.text == "slow":
                with pytest.raises(asyncio.CancelledError):
                    await asyncio.sleep(60)
                await asyncio.sleep(10)
            return await super().apply(state, tactic, timeout=timeout)

    tasks = [Task(Theorem(name="slow", statement="slow"))] + [
        Task(Theorem(name=f"t{i}", statement="A")) for i in range(50)
    ]
    policy = ScriptedPolicy(LIKELY | {"slow": {"t": -1.0}}, seconds=0.01)
    lean = Stubborn(TWO_STEPS, seconds=0.001)
    began = asyncio.get_running_loop().time()
    await search(tasks, lean, policy, None, replace(PLAIN, open_theorems=5), on_result, stop)
    assert asyncio.get_running_loop().time() - began < 4
    assert 5 <= len(found) < 12


async def test_an_asynchronous_result_handler_is_awaited() -> None:
    names: list[str] = []

    async def on_result(found: SearchResult) -> None:
        await asyncio.sleep(0.001)
        names.append(found.result.name)

    tasks = [Task(Theorem(name=f"t{i}", statement="A")) for i in range(9)]
    await search(tasks, ScriptedLean(TWO_STEPS), ScriptedPolicy(LIKELY), None, PLAIN, on_result)
    assert sorted(names) == sorted(t.theorem.name for t in tasks)


async def test_probe_tactics_are_tried_beside_the_candidates_and_have_no_log_probability() -> None:
    script = {"A": {"go": "B", "simp": "B2"}, "B": {}, "B2": {"omega": ""}}
    settings = replace(PLAIN, probe_tactics=("simp", "omega", "go"))
    (found,) = await run(ScriptedLean(script), ScriptedPolicy(LIKELY), "A", settings=settings)
    assert found.result.proof == "simp\nomega"
    at_root = [(row.tactic, row.log_prob, row.model_version) for row in found.states if row.parent_id == 0]
    assert at_root == [
        *((tactic, log_prob, "scripted-1") for tactic, log_prob in LIKELY["A"].items()),
        ("simp", None, None),
        ("omega", None, None),
    ]


def test_an_evaluation_has_probe_tactics_only_if_asked_and_noise_raises_the_temperature() -> None:
    config = SearchConfig(probe_tactics=True, temperature=0.9, noise_temperature=1.7)
    assert SearchSettings.for_search(config, PROBE_TACTICS).probe_tactics == PROBE_TACTICS
    assert SearchSettings.for_search(config, ()).temperature == 0.9
    assert SearchSettings.for_search(config, (), noise=True).temperature == 1.7
    evaluation = SearchSettings.for_evaluation(EvaluateConfig(budgets=[16, 64], temperature=0.5), config, PROBE_TACTICS)
    assert (evaluation.probe_tactics, evaluation.budget, evaluation.temperature) == ((), 64, 0.5)
    asked = SearchSettings.for_evaluation(EvaluateConfig(probe_tactics=True), config, PROBE_TACTICS)
    assert asked.probe_tactics == PROBE_TACTICS


async def test_statistics_count_distinct_candidates_and_failures_and_split_the_time() -> None:
    script = {"A": {"go": "B", "slow": TacticStatus.TIMEOUT}, "B": {"end": ""}}
    likely = {"A": {"go": -1.0, "slow": -1.5, "wrong": -2.0}, "B": {"end": -1.0}}
    lean, policy = ScriptedLean(script, seconds=0.02), ScriptedPolicy(likely, seconds=0.05)
    (found,) = await run(lean, policy, "A", scorer=ScriptedScorer({}))
    statistics = found.result.statistics
    assert (statistics.candidates_min, statistics.candidates_mean, statistics.candidates_max) == (1, 2.0, 3)
    assert statistics.lean_errors == {"timeout": 1, "error": 1}
    assert statistics.generation_s >= 0.1
    assert statistics.lean_s >= 0.06
    assert statistics.generation_s + statistics.lean_s + statistics.scoring_s <= found.result.seconds
    assert found.result.lean_calls == 1 + 3 + 1 + 1  # start, candidates, end, check


async def test_a_policy_without_candidates_exhausts_the_search() -> None:
    class Silent(ScriptedPolicy):
        async def propose(self, states, *, candidates, temperature, seeds):  # type: ignore[no-untyped-def]
            return [Proposal((), "silent") for _ in states]

    (found,) = await run(ScriptedLean({}), Silent({}), "A")
    assert (found.result.status, found.result.reason) == (ProofStatus.UNPROVED, "exhausted")
