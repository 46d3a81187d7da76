"""What work holds while it runs, and what that costs: a pod what its containers' pools ask for; a process of this machine all of it.

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
    """Of a quantity from our configuration (`burnqed.cluster_config.QUANTITY`). The package kubernetes, which reads all that there are, is not in the images."""
    number = quantity.rstrip(string.ascii_letters)
    return float(number) * UNITS[quantity.removeprefix(number)]


def of_pools(config: RunConfig, pools: Iterable[str]) -> Holding:
    """Of a pod with a container of each of these pools (`worker`, `trainer`, `serving`)."""
    return sum((of_pool(getattr(config, name)) for name in pools), NOTHING)


def of_pool(pool: PoolConfig) -> Holding:
    return Holding(cpus=amount(pool.cpu), gib=amount(pool.memory) / GIB, gpus=pool.gpus)


def of_template(template: Mapping[str, Any]) -> Holding:
    """Of a pod that Argo made from this template. What Argo adds to it for itself is left out."""
    found = NOTHING
    for container in [template["container"], *template.get("sidecars", [])]:
        given = container.get("resources", {})
        asked = {**given.get("limits", {}), **given.get("requests", {})}
        cpus, memory, gpus = (amount(str(asked.get(name, 0))) for name in ("cpu", "memory", "nvidia.com/gpu"))
        found += Holding(cpus=cpus, gib=memory / GIB, gpus=gpus)
    return found


def of_machine(shares: int = 1) -> Holding:
    """Of a process of this machine; where as many `shares` of it may be at work beside each other, of one of them."""
    return Holding(cpus=cpu_quota() / shares, gib=memory_limit() / GIB / shares, gpus=visible_gpus() / shares)
