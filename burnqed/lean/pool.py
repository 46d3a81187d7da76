"""How many Lean workers fit: from the control group's processor quota and memory limit, not from the node's.

Thirty uncapped workers once filled 200 GB, so: workers = min(16, ¾ of the processor quota, (memory limit − this process) / cap of one
worker − 1), and at least one. The reader and the judges beside them (`embedded/supervisor.cjs`), which stay small, share the one that is left out.
"""

from __future__ import annotations

import math

import psutil

from burnqed.machine import cpu_quota, memory_limit

MOST_WORKERS = 16
QUOTA_SHARE = 0.75


def default_workers(memory_mb: int) -> int:
    """Number of workers when the configuration names none; `memory_mb` is the cap of one."""
    free = memory_limit() - psutil.Process().memory_info().rss
    by_memory = free // (memory_mb * 1024 * 1024) - 1
    by_cpu = math.floor(cpu_quota() * QUOTA_SHARE + 0.5)  # 2 processors → 2 workers: with one, half of them would idle
    return max(1, min(MOST_WORKERS, by_cpu, by_memory))
