"""What this machine gives a process: processors and memory by control group rather than by node, GPUs, and a free port."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from burnqed.errors import BadInput

CGROUP_ROOT = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")
GPUS = "BURNQED_GPUS"
"""How many GPUs a workflow gave the container."""


def cpu_quota(root: Path = CGROUP_ROOT, own: Path = OWN_CGROUP) -> float:
    """Processors this process may use, by control group (v2 or v1), affinity and number present."""
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limits = [float(affinity)]
    for folder in own_folders(root, own):
        quota, _, period = read(folder / "cpu.max").partition(" ")
        if quota.isdigit():  # "max" means no limit
            limits.append(int(quota) / int(period))
    for folder in own_folders(root / "cpu", own):
        quota, period = read(folder / "cpu.cfs_quota_us"), read(folder / "cpu.cfs_period_us")
        if quota.isdigit() and period.isdigit():  # -1 means no limit
            limits.append(int(quota) / int(period))
    return min(limits)


def memory_limit(root: Path = CGROUP_ROOT, own: Path = OWN_CGROUP) -> int:
    """Bytes this process and its children may use, by control group (v2 or v1) and memory present."""
    import psutil  # not for every command

    files = [folder / "memory.max" for folder in own_folders(root, own)]
    files += [folder / "memory.limit_in_bytes" for folder in own_folders(root / "memory", own)]
    limits = [int(text) for text in map(read, files) if text.isdigit()]
    return min([psutil.virtual_memory().total, *limits])


def own_folders(root: Path, own: Path) -> list[Path]:
    """The folder of this process's control group and those above it; in a container the root is its own group."""
    folders = [root]
    for line in read(own).splitlines():
        path = line.split(":", 2)[-1].strip("/")
        while path:
            folders.append(root / path)
            path = path.rpartition("/")[0]
    return folders


def read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def check_gpus() -> None:
    """Raises BadInput where torch does not see the GPUs that a workflow gave the container ($BURNQED_GPUS): it would quietly take the processors."""
    if not (given := int(os.environ.get(GPUS, 0))):
        return
    try:
        import torch

        found = torch.cuda.device_count()
    except ImportError:
        found = 0
    if found < given:
        raise BadInput(
            f"The container's pool has {given} GPU(s), and torch sees {found}; see to the node's driver and device plugin and to the image "
            "(`nvidia-smi` in the pod), or submit with gpus=0 for the pool (trainer, serving) to compute on processors."
        )


def visible_gpus(devices: Path = Path("/dev")) -> int:
    """NVIDIA GPUs that a process here may use, by device files and $CUDA_VISIBLE_DEVICES: torch would take seconds to tell."""
    present = sum(device.name.removeprefix("nvidia").isdigit() for device in devices.glob("nvidia*"))
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    return (
        present if chosen is None else min(present, sum(name.strip() not in ("", "-1") for name in chosen.split(",")))
    )


def free_port() -> int:
    """A port on which nobody listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
