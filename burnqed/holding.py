"""What work holds while it runs, and what that costs: a pod holds what its containers' pools request, a local process the whole machine.

of_machine().dollars(config.cost, seconds=3600)
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from burnqed.cluster_config import CostConfig, PoolConfig
from burnqed.config import RunConfig
from burnqed.machine import cpu_quota, memory_limit, visible_gpus

GIB = 2**30
UNITS = {"": 1.0, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 2**10, "Mi": 2**20, "Gi": GIB, "Ti": 2**40}


class Holding(BaseModel):
    model_config = ConfigDict(frozen=True)

    cpus: float
    """Processor cores."""
    gib: float
    """Memory."""
    gpus: float

    def __add__(self, other: Self) -> Holding:
        return Holding(cpus=self.cpus + other.cpus, gib=self.gib + other.gib, gpus=self.gpus + other.gpus)

    def dollars(self, prices: CostConfig, seconds: float) -> float:
        """US dollars."""
        hourly = self.cpus * prices.cpu_hour + self.gib * prices.memory_hour + self.gpus * prices.gpu_hour
        return hourly * seconds / 3600


NOTHING = Holding(cpus=0, gib=0, gpus=0)


def amount(quantity: str) -> float:
    """The number for a quantity of the configuration (`burnqed.cluster_config.QUANTITY`). The package kubernetes, which reads every form, is not in the images."""
    number = quantity.rstrip(string.ascii_letters)
    return float(number) * UNITS[quantity.removeprefix(number)]


def of_pools(config: RunConfig, pools: Iterable[str]) -> Holding:
    """What a pod with a container of each of these pools (`worker`, `trainer`, `serving`) holds."""
    return sum((of_pool(getattr(config, name)) for name in pools), NOTHING)


def of_pool(pool: PoolConfig) -> Holding:
    return Holding(cpus=amount(pool.cpu), gib=amount(pool.memory) / GIB, gpus=pool.gpus)


def of_template(template: Mapping[str, Any]) -> Holding:
    """What a pod that Argo creates from this template holds, without what Argo adds for itself."""
    total = NOTHING
    for container in [template["container"], *template.get("sidecars", [])]:
        resources = container.get("resources", {})
        requests = {**resources.get("limits", {}), **resources.get("requests", {})}
        cpus, memory, gpus = (amount(str(requests.get(name, 0))) for name in ("cpu", "memory", "nvidia.com/gpu"))
        total += Holding(cpus=cpus, gib=memory / GIB, gpus=gpus)
    return total


def of_machine(shares: int = 1) -> Holding:
    """What a process of this machine holds, where `shares` of them may run side by side."""
    return Holding(cpus=cpu_quota() / shares, gib=memory_limit() / GIB / shares, gpus=visible_gpus() / shares)
