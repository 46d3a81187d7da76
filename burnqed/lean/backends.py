"""Which backend a configuration asks for: the only place that knows them by name."""

from __future__ import annotations

from burnqed.config import LeanConfig
from burnqed.lean.embedded.backend import EmbeddedLean


def open_lean(config: LeanConfig) -> EmbeddedLean:
    """A pool of Lean workers, to be entered with `async with`. Raises BadInput then when Lean cannot be installed."""
    return EmbeddedLean(
        workers=config.workers,
        tactic_timeout_s=config.tactic_timeout_s,
        heartbeats=config.heartbeats,
        check_timeout_s=config.check_timeout_s,
        recycle_requests=config.recycle_requests,
        recycle_minutes=config.recycle_minutes,
        memory_mb=config.memory_mb,
    )
