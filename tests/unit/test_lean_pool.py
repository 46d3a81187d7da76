"""How many Lean workers fit, from control groups as files."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from burnqed import machine
from burnqed.lean import pool


@pytest.fixture
def own(tmp_path: Path) -> Path:
    file = tmp_path / "self-cgroup"
    file.write_text("0::/kubepods/pod1/worker\n")
    return file


def affinity() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def test_a_quota_of_version_2_counts_wherever_it_is_set_above_us(tmp_path: Path, own: Path) -> None:
    (tmp_path / "kubepods/pod1/worker").mkdir(parents=True)
    (tmp_path / "kubepods/pod1/worker/cpu.max").write_text("max 100000\n")
    (tmp_path / "kubepods/pod1/cpu.max").write_text("50000 100000\n")
    assert machine.cpu_quota(tmp_path, own) == 0.5


def test_in_a_container_the_root_is_our_own_group(tmp_path: Path, own: Path) -> None:
    (tmp_path / "cpu.max").write_text("75000 100000\n")
    (tmp_path / "memory.max").write_text("1073741824\n")
    assert machine.cpu_quota(tmp_path, own) == 0.75
    assert machine.memory_limit(tmp_path, own) == 2**30


def test_limits_of_version_1(tmp_path: Path, own: Path) -> None:
    own.write_text("5:memory:/pod1\n4:cpu,cpuacct:/pod1\n")
    for folder in ("cpu/pod1", "memory/pod1"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "cpu/pod1/cpu.cfs_quota_us").write_text("25000\n")
    (tmp_path / "cpu/pod1/cpu.cfs_period_us").write_text("100000\n")
    (tmp_path / "memory/pod1/memory.limit_in_bytes").write_text("268435456\n")
    assert machine.cpu_quota(tmp_path, own) == 0.25
    assert machine.memory_limit(tmp_path, own) == 2**28


def test_without_limits_the_machine_counts(tmp_path: Path, own: Path) -> None:
    (tmp_path / "cpu.max").write_text("max 100000\n")
    (tmp_path / "memory.max").write_text("max\n")
    assert machine.cpu_quota(tmp_path, own) == affinity()
    assert machine.memory_limit(tmp_path, tmp_path / "absent") == psutil.virtual_memory().total


@pytest.mark.parametrize(("quota", "workers"), [(0.5, 1), (1, 1), (2, 2), (4, 3), (8, 6), (64, 16)])
def test_three_quarters_of_the_quota_at_least_one_at_most_sixteen(
    monkeypatch: pytest.MonkeyPatch, quota: float, workers: int
) -> None:
    monkeypatch.setattr(pool, "cpu_quota", lambda: quota)
    monkeypatch.setattr(pool, "memory_limit", lambda: 2**40)
    assert pool.default_workers(1_200) == workers


def test_no_more_workers_than_memory_holds_beside_this_process_and_the_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    own_bytes = psutil.Process().memory_info().rss
    monkeypatch.setattr(pool, "cpu_quota", lambda: 64)
    monkeypatch.setattr(pool, "memory_limit", lambda: own_bytes + 3_700 * 2**20)
    assert pool.default_workers(1_200) == 2
    monkeypatch.setattr(pool, "memory_limit", lambda: own_bytes)
    assert pool.default_workers(1_200) == 1
