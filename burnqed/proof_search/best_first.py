"""The search of one theorem: strictly best-first, one expansion after the other.

An expansion asks the policy for candidates, applies all of them in Lean, checks the paths that left no goals, scores the new
states in one batch and queues them. All candidates are applied even when one of them ends the proof: the others are the
siblings that the head learns from.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import fmean

from burnqed.lean.protocol import Outcome, ProofState, TacticStatus
from burnqed.policy.protocol import Candidate
from burnqed.proof_search.budget import Budget
from burnqed.proof_search.node import Node, Tree
from burnqed.proof_search.scoring import priority
from burnqed.proof_search.tools import Pair, Tools, node_seed
from burnqed.trajectory.rows import SearchResult, Task
from burnqed.trajectory.schema import ProofStatus, SearchStatistics, TheoremResult

HOT = 2.0
"""From this many times the temperature on, states are opened again only if that led to new ones the last time."""


class TheoremSearch:
    def __init__(self, task: Task, tools: Tools) -> None:
        self.task = task
        self.tools = tools
        self.settings = tools.settings
        self.lean = tools.lean
        self.budget = Budget(tools.settings.budget, tools.settings.tokens, tools.settings.seconds)
        self.tree = Tree()
        self.proof: Node | None = None
        self.opened_again = 0  # how often all states were
        self.new_states = 0  # since then
        self.cut_at_depth = False
        self.crashed = 0  # expansions
        self.lean_calls = 0
        self.failures: Counter[str] = Counter()
        self.distinct: list[int] = []
        self.waited = dict.fromkeys(("generation", "lean", "scoring"), 0.0)  # seconds

    async def run(self) -> SearchResult:
        outcome = await self._start()
        root = self.tree.add(None, outcome, seed=self.task.seed)
        if outcome.state is None:
            what = "" if outcome.status is TacticStatus.ERROR else f"Lean failed at the start ({outcome.status}): "
            return self._result(ProofStatus.ERROR, f"{what}{outcome.message}")
        self.tree.push([(root, 0.0)])
        status, reason = await self._explore()
        await self.lean.release(outcome.state)
        return self._result(status, reason)

    async def _explore(self) -> tuple[ProofStatus, str]:
        """Expands states, best first, until the theorem is proved or a limit is reached. Returns status and reason."""
        reason = ""
        while not reason and not self.budget.is_timed_out and (node := self.tree.pop() or self._widened()) is not None:
            reason = self.budget.spent()
            if not reason:
                await self._expand(node)
            if self.proof:
                return ProofStatus.PROVED, ""
        if self.budget.is_timed_out:
            reason = reason or self.budget.spent() or "time"
        if self.failures["unchecked"]:
            return ProofStatus.ERROR, "a finished proof could not be checked: Lean crashed or ran out of time twice"
        # "Nothing is left" or "budget" would claim more than was tried.
        if self.crashed and (not reason or 2 * self.crashed >= self.budget.spent_nodes):
            return (
                ProofStatus.ERROR,
                f"Lean crashed at every tactic of {self.crashed} of {self.budget.spent_nodes} states",
            )
        if reason == "time":
            return (
                ProofStatus.TIMED_OUT,
                f"Lean worked for {self.budget.lean_seconds:.0f} s before the budget was spent",
            )
        return ProofStatus.UNPROVED, reason or ("depth" if self.cut_at_depth else "exhausted")

    def _widened(self) -> Node | None:
        """The best state, opened again with all others at a higher temperature; None when that no longer leads anywhere."""
        base = self.settings.temperature
        is_hot = self.opened_again and self.temperature >= HOT * base
        if self.settings.widening is None or not base or (is_hot and not self.new_states):
            return None
        self.opened_again += 1
        self.new_states = 0
        self.tree.open_again()
        return self.tree.pop()

    @property
    def temperature(self) -> float:
        return self.settings.temperature * (self.settings.widening or 1.0) ** self.opened_again

    async def _expand(self, node: Node) -> None:
        """Tries candidates at one state. Sets `proof` when one of them ends a proof that is accepted."""
        assert node.state is not None
        seed, temperature = node_seed(self.task, node.state.text, self.opened_again), self.temperature
        with self._waiting_for("generation"):
            proposal = await self.tools.propose(node.state.text, seed, temperature)
        self.budget.spent_tokens += proposal.tokens
        if node.row.visit_order is None:
            node.row.visit_order = self.budget.spent_nodes
        self.budget.spent_nodes += 1
        if not self.opened_again:
            self.distinct.append(len(proposal.candidates))
        root = self.tree.nodes[0].row
        root.model_version, root.temperature = proposal.model_version, self.settings.temperature

        chosen: dict[str, Candidate | None] = {candidate.tactic: candidate for candidate in proposal.candidates}
        for tactic in self.settings.probe_tactics:
            chosen.setdefault(tactic, None)
        if self.opened_again:
            for tactic in self.tree.tried(node) & chosen.keys():
                del chosen[tactic]
        # A probe tactic costs its path as much as the policy's least likely candidate would.
        probe_cost = min((c.log_prob for c in proposal.candidates), default=0.0)
        with self._waiting_for("lean"):
            outcomes = await asyncio.gather(*(self._apply(node.state, tactic) for tactic in chosen))

        children = [
            self.tree.add(
                node,
                outcome,
                seed=seed,
                tactic=tactic,
                log_prob=candidate.log_prob if candidate else None,
                path_log_prob=node.path_log_prob + (candidate.log_prob if candidate else probe_cost),
                model_version=proposal.model_version if candidate else None,
                temperature=(candidate.temperature if self.settings.spread else temperature) if candidate else None,
            )
            for (tactic, candidate), outcome in zip(chosen.items(), outcomes, strict=True)
        ]
        self.failures.update(child.row.tactic_status for child in children if child.state is None)
        self.crashed += bool(children) and all(child.row.tactic_status is TacticStatus.CRASH for child in children)
        for child in children:
            if child.row.is_terminal and await self._accepted(child):
                self.proof = child
                self.tree.mark_proof(child)
                return
        fresh = [c for c in children if c.state and not c.row.is_terminal and c.row.same_as is None]
        self.new_states += len(fresh)
        await self._queue(fresh)

    async def _queue(self, fresh: Sequence[Node]) -> None:
        """Scores new states in one batch and queues them; states at the greatest depth are left."""
        if fresh and fresh[0].row.depth >= self.settings.depth:
            self.cut_at_depth = True
            return
        if fresh and self.tools.energies:
            goal = self.tree.nodes[0].row.state or ""
            with self._waiting_for("scoring"):
                energies = await self.tools.energies.ask([Pair(node.row.state or "", goal) for node in fresh])
            for node, energy in zip(fresh, energies, strict=True):
                node.row.energy, node.row.head_id = energy, self.tools.head_id
        self.tree.push([(n, priority(self.settings, n.path_log_prob, n.row.depth, n.row.energy)) for n in fresh])

    # ---- Lean; crashes and timeouts are tried once more

    async def _start(self) -> Outcome:
        with self._waiting_for("lean"):
            for _ in range(2):
                self.lean_calls += 1
                outcome = await self.lean.start(self.task.theorem)
                if outcome.status in (TacticStatus.OK, TacticStatus.ERROR):
                    break
        return outcome

    async def _apply(self, state: ProofState, tactic: str) -> Outcome:
        """Without a limit here: the backend keeps to its capacity."""
        for _ in range(2):
            self.lean_calls += 1
            outcome = await self.lean.apply(state, tactic)
            self.budget.lean_seconds += outcome.seconds
            if outcome.status is not TacticStatus.CRASH:
                break
        return outcome

    async def _accepted(self, node: Node) -> bool:
        """Checks the whole proof that ends at a node; notes on its row why it is not accepted."""
        proof = "\n".join(self.tree.tactics(node))
        with self._waiting_for("lean"):
            for _ in range(2):
                self.lean_calls += 1
                verdict = await self.lean.check(self.task.theorem, proof)
                self.budget.lean_seconds += verdict.seconds
                if not verdict.could_not_check:
                    break
        if verdict.accepted:
            return True
        node.row.reason = f"{'could not check' if verdict.could_not_check else 'check refused'}: {verdict.reason}"
        self.failures["unchecked" if verdict.could_not_check else "refused"] += 1
        return False

    # ---- what is reported

    @contextmanager
    def _waiting_for(self, what: str) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            self.waited[what] += time.monotonic() - began

    @property
    def path_rank(self) -> float | None:
        """Mean rank of the states between the root and the end of the proof: how far search was from walking straight to it."""
        ranks = [node.rank for node in self.tree.path(self.proof)[1:-1]] if self.proof else []
        return fmean(ranks) if ranks else None

    def _result(self, status: ProofStatus, reason: str) -> SearchResult:
        result = TheoremResult(
            name=self.task.theorem.name,
            status=status,
            reason=reason,
            nodes=self.budget.spent_nodes,
            lean_calls=self.lean_calls,
            seconds=self.budget.open_seconds,
            tokens=self.budget.spent_tokens,
            proof="\n".join(self.tree.tactics(self.proof)) if self.proof else None,
            nodes_at_proof=self.budget.spent_nodes if self.proof else None,
            attempt=self.task.attempt,
            sample=self.task.sample,
            head_id=self.tools.head_id,
            statistics=SearchStatistics(
                candidates_min=min(self.distinct, default=0),
                candidates_mean=sum(self.distinct) / len(self.distinct) if self.distinct else 0.0,
                candidates_max=max(self.distinct, default=0),
                lean_errors=dict(self.failures),
                generation_s=self.waited["generation"],
                lean_s=self.waited["lean"],
                scoring_s=self.waited["scoring"],
                path_rank=self.path_rank,
            ),
        )
        return SearchResult(self.task.theorem, result, [node.row for node in self.tree.nodes])
