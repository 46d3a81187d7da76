"""How much one theorem may cost: nodes (states expanded) and generated tokens. Other load on the machine changes neither, nor the
heartbeats that `lean.heartbeats` gives each tactic.

Seconds are the safety net behind them: those in which Lean worked for this theorem. Waiting for the policy, or for an instance that serves
others, does not count. A search that they end has its own status (`ProofStatus.TIMED_OUT`).
Depth is a further limit; the tree keeps it, since it cuts off single states and not the search.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass
class Budget:
    """Limits, and what is spent so far."""

    nodes: int
    tokens: int | None
    """None: no limit."""
    seconds: float
    spent_nodes: int = 0
    spent_tokens: int = 0
    lean_seconds: float = 0.0
    opened: float = field(default_factory=time.monotonic)

    @property
    def open_seconds(self) -> float:
        """Wall clock since the theorem was opened."""
        return time.monotonic() - self.opened

    def spent(self) -> str:
        """The limit that is reached: `budget` (of nodes) or `tokens`; empty while some of both is left."""
        if self.spent_nodes >= self.nodes:
            return "budget"
        return "tokens" if self.tokens is not None and self.spent_tokens >= self.tokens else ""

    @property
    def is_timed_out(self) -> bool:
        return self.lean_seconds >= self.seconds
