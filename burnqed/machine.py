"""What this machine offers a process: processors and memory (by control group, not by node), GPUs, and a free port."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from burnqed.errors import BadInput

CGROUP_ROOT = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")
GPUS = "BURNQED_GPUS"
"""The number of GPUs that a workflow gave the container."""


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
    """The folder of this process's control group and those above it; in a container, the root is the container's own group."""
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
    """Raises BadInput where torch does not see the GPUs that a workflow gave the container ($BURNQED_GPUS): it would silently use the processors."""
    if not (expected := int(os.environ.get(GPUS, 0))):
        return
    try:
        import torch

        visible = torch.cuda.device_count()
    except ImportError:
        visible = 0
    if visible < expected:
        raise BadInput(
            f"The container's pool has {expected} GPU(s), and torch sees {visible}; check the node's driver and device plugin and the image "
            "(`nvidia-smi` in the pod), or submit with gpus=0 for the pool (trainer, serving) to compute on processors."
        )


def visible_gpus(devices: Path = Path("/dev")) -> int:
    """NVIDIA GPUs that a process here may use, by device files and $CUDA_VISIBLE_DEVICES: asking torch would take seconds."""
    present = sum(device.name.removeprefix("nvidia").isdigit() for device in devices.glob("nvidia*"))
    if (chosen := os.environ.get("CUDA_VISIBLE_DEVICES")) is None:
        return present
    return min(present, sum(name.strip() not in ("", "-1") for name in chosen.split(",")))


def free_port() -> int:
    """A port on which nobody is listening now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
