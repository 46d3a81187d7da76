"""How much one theorem may cost: nodes (states expanded) and wall clock, counted from when it is opened.

Depth is the third limit; the tree keeps it, since it cuts off single states and not the search.
"""

from __future__ import annotations

import time


class Budget:
    def __init__(self, nodes: int, seconds: float) -> None:
        self.nodes = nodes
        self.opened = time.monotonic()
        self.deadline = self.opened + seconds
        self.spent_nodes = 0

    @property
    def spent_seconds(self) -> float:
        return time.monotonic() - self.opened

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.deadline - time.monotonic())

    def spent(self) -> str:
        """The limit that is reached, `budget` or `time`; empty while there is some of both left."""
        if self.spent_nodes >= self.nodes:
            return "budget"
        return "" if self.seconds_left else "time"
