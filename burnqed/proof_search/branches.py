"""Known proofs with their branches: what else could have been tried at each state of a proof, and where it leads.

Replaying known proofs is the main source of contrastive records for the head. At every state of the proof the policy's
candidates (and the probe tactics) are applied besides the proof's own tactic; from each branch that leads off the path a walk
goes on for a few steps, so that the head also sees states that are far from any proof.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from burnqed.lean.protocol import LeanBackend, TacticStatus
from burnqed.policy.protocol import Policy
from burnqed.proof_search.node import Node, Tree
from burnqed.proof_search.tools import node_seed
from burnqed.trajectory.rows import SearchResult, Task
from burnqed.trajectory.schema import ProofStatus, SearchStatistics, TheoremResult


@dataclass(frozen=True)
class BranchSettings:
    """See `burnqed.config.NegativesConfig`."""

    candidates: int
    temperature: float
    probe_tactics: tuple[str, ...]
    walk_depth: int
    walks: int


class BranchSearch:
    """One known proof: the path, the branches beside it, and walks from those."""

    def __init__(
        self, task: Task, tactics: Sequence[str], lean: LeanBackend, policy: Policy, settings: BranchSettings
    ) -> None:
        self.task, self.tactics = task, tactics
        self.lean, self.policy, self.settings = lean, policy, settings
        self.tree = Tree()
        self.failures: Counter[str] = Counter()
        self.lean_calls = 0
        self.random = random.Random(f"{task.seed} {task.theorem.name}")

    async def run(self) -> SearchResult:
        began = time.monotonic()
        path, error = await self._path()
        if not error:
            proof = "\n".join(self.tactics)
            self.lean_calls += 1
            verdict = await self.lean.check(self.task.theorem, proof)
            error = "" if verdict.accepted else f"the known proof is refused: {verdict.reason}"
        if not error:
            self.tree.mark_proof(path[-1])
            await self._branches(path[:-1])
        if path and path[0].state:
            await self.lean.release(path[0].state)
        result = TheoremResult(
            name=self.task.theorem.name,
            status=ProofStatus.ERROR if error else ProofStatus.PROVED,
            reason=error,
            nodes=0 if error else len(path) - 1,
            lean_calls=self.lean_calls,
            seconds=time.monotonic() - began,
            proof=None if error else "\n".join(self.tactics),
            attempt=self.task.attempt,
            statistics=SearchStatistics(lean_errors=dict(self.failures)),
        )
        return SearchResult(self.task.theorem, result, [node.row for node in self.tree.nodes])

    async def _path(self) -> tuple[list[Node], str]:
        """The nodes of the known proof, and why it stops early."""
        outcome = await self.lean.start(self.task.theorem)
        path = [self.tree.add(None, outcome, seed=self.task.seed)]
        for tactic in self.tactics:
            state = path[-1].state
            if state is None:
                return path, f"the known proof does not replay: {outcome.message}"
            self.lean_calls += 1
            outcome = await self.lean.apply(state, tactic)
            path.append(self.tree.add(path[-1], outcome, seed=self.task.seed, tactic=tactic))
        last = path[-1].state
        return path, "" if last and last.is_solved else f"the known proof does not replay: {outcome.message}"

    async def _branches(self, path: list[Node]) -> None:
        """Tries other tactics at every state of the path, and walks on from where they lead."""
        for order, node in enumerate(path):
            node.row.visit_order = order
        fresh = await self._expand(path, self.settings.probe_tactics)
        for _ in range(self.settings.walk_depth):
            by_parent: dict[int, list[Node]] = {}
            for node in fresh:
                by_parent.setdefault(node.row.parent_id or 0, []).append(node)
            chosen = [
                n
                for nodes in by_parent.values()
                for n in self.random.sample(nodes, min(self.settings.walks, len(nodes)))
            ]
            fresh = await self._expand(chosen, ())

    async def _expand(self, nodes: Sequence[Node], probes: Sequence[str]) -> list[Node]:
        """Applies candidates at each node; returns the new states that are still open."""
        if not nodes:
            return []
        settings = self.settings
        proposals = await self.policy.propose(
            [node.row.state or "" for node in nodes],
            candidates=settings.candidates,
            temperature=settings.temperature,
            seeds=[node_seed(self.task, node.row.state or "") for node in nodes],
        )
        fresh = []
        for node, proposal in zip(nodes, proposals, strict=True):
            assert node.state is not None
            known = self.tree.tried(node)
            tried: dict[str, float | None] = {
                c.tactic: c.log_prob for c in proposal.candidates if c.tactic not in known
            }
            for probe in probes:
                if probe not in known:
                    tried.setdefault(probe, None)
            self.lean_calls += len(tried)
            outcomes = await asyncio.gather(*(self.lean.apply(node.state, tactic) for tactic in tried))
            for (tactic, log_prob), outcome in zip(tried.items(), outcomes, strict=True):
                child = self.tree.add(
                    node,
                    outcome,
                    seed=node.row.seed,
                    tactic=tactic,
                    log_prob=log_prob,
                    model_version=proposal.model_version if log_prob is not None else None,
                    temperature=settings.temperature if log_prob is not None else None,
                )
                if outcome.status is not TacticStatus.OK:
                    self.failures[str(outcome.status)] += 1
                elif not child.row.is_terminal and child.row.same_as is None:
                    fresh.append(child)
        return fresh
