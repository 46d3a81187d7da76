"""The tree of one theorem's search: its nodes, the table of states already seen, and the queue of states to expand.

States are told apart by their text. A tactic that leads to a state seen before (a transposition) keeps its own row, with
`same_as`, and is not expanded: the first way to reach a state stands for all.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass

from burnqed.lean.protocol import Outcome, ProofState
from burnqed.trajectory.rows import StateRow


@dataclass(slots=True, eq=False)
class Node:
    row: StateRow
    parent: Node | None
    state: ProofState | None
    """None where the tactic failed."""
    path_log_prob: float
    """Sum over the tactics from the root."""
    rank: int = 0
    """In the queue, once all that its parent led to was queued: at 1 it was next. 0 if it was never queued."""


class Tree:
    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._seen: dict[str, int] = {}
        self._queue: list[tuple[float, int]] = []  # sorted: the last is expanded next
        self._expanded: list[tuple[float, int]] = []

    def add(
        self,
        parent: Node | None,
        outcome: Outcome,
        *,
        seed: int,
        tactic: str | None = None,
        log_prob: float | None = None,
        path_log_prob: float = 0.0,
        model_version: str | None = None,
        temperature: float | None = None,
    ) -> Node:
        """A node for what a tactic gave; `log_prob` is None when the policy did not propose it."""
        state = outcome.state
        row = StateRow(
            state_id=len(self.nodes),
            parent_id=parent.row.state_id if parent else None,
            depth=parent.row.depth + 1 if parent else 0,
            tactic=tactic,
            tactic_status=outcome.status,
            state=state.text if state else None,
            num_goals=len(state.goals) if state else None,
            is_terminal=state is not None and state.is_solved,
            log_prob=log_prob,
            model_version=model_version,
            temperature=temperature,
            seed=seed,
        )
        if state and not row.is_terminal:
            first = self._seen.setdefault(state.text, row.state_id)
            row.same_as = None if first == row.state_id else first
        node = Node(row, parent, state, path_log_prob)
        self.nodes.append(node)
        return node

    def push(self, priorities: Sequence[tuple[Node, float]]) -> None:
        """Queues new states, and notes the rank of each."""
        entries = [(priority, -node.row.state_id) for node, priority in priorities]  # equal priorities: the older first
        for entry in entries:
            insort(self._queue, entry)
        for (node, _), entry in zip(priorities, entries, strict=True):
            node.rank = len(self._queue) - bisect_left(self._queue, entry)

    def pop(self) -> Node | None:
        """The state of highest priority, or None when none is left."""
        if not self._queue:
            return None
        self._expanded.append(self._queue.pop())
        return self.nodes[-self._expanded[-1][1]]

    def open_again(self) -> None:
        """Queues every state that was expanded, at the priority that it had."""
        self._queue, self._expanded = sorted(self._expanded), []

    def tried(self, node: Node) -> set[str]:
        """The tactics that were applied at a node."""
        return {child.row.tactic for child in self.nodes if child.parent is node and child.row.tactic is not None}

    @staticmethod
    def path(node: Node) -> list[Node]:
        """The nodes from the root to this one."""
        steps = [node]
        while (parent := steps[-1].parent) is not None:
            steps.append(parent)
        return steps[::-1]

    @staticmethod
    def tactics(node: Node) -> list[str]:
        """The tactics from the root to a node."""
        return [step.row.tactic for step in Tree.path(node) if step.row.tactic is not None]

    @staticmethod
    def mark_proof(node: Node) -> None:
        """Marks the path to a node whose proof was checked."""
        for step in Tree.path(node):
            step.row.on_proof_path = True
            step.row.remaining_depth = node.row.depth - step.row.depth
