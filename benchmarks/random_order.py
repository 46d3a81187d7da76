"""What a search is worth that expands states in random order: a head whose energies are chance, in place of a trained one.

    .venv/bin/python -m benchmarks.random_order runs/pays/iterations/iter_0/ebm/final --out chance
    PYTHONPATH=.:chance .venv/bin/burnqed eval --theorems fresh.json --model runs/pays/iterations/iter_0/model --head chance/head --budgets 16,64 --out chance-0

It scores the same embeddings as the given head, so that `burnqed compare` can tell what of that head's gain comes from knowing something, and what from not following
the policy. An energy depends on nothing but the state and `--seed`, and spreads by 1 nat.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Self

import torch
from pydantic import JsonValue
from torch import Tensor

from burnqed.config import EbmConfig
from burnqed.head import GROUP
from burnqed.head.base import Head
from burnqed.modelcache import local_folder

CHAOS = 1_000.0
"""Radians to one deviation: states that differ in the third digit have energies that have nothing in common."""


class RandomHead(Head):
    """Sum of w·sin(1,000·z) over the dimensions of a standardised state z, with w ~ N(0, 2/d): variance 1."""

    weights: Tensor

    def __init__(self, d: int) -> None:
        super().__init__(d)
        self.register_buffer("weights", torch.randn(d) * math.sqrt(2 / d))

    @classmethod
    def made_for(cls, d: int, config: EbmConfig) -> Self:
        return cls(d)

    def shape(self) -> dict[str, JsonValue]:
        return {}

    def forward_standard(self, z: Tensor, g: Tensor) -> Tensor:
        return ((z * CHAOS).sin() + 0 * g) @ self.weights  # as many energies as there are pairs of z and g


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("head", help="a trained head on this machine")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    trained = Head.load(local_folder(given.head) or Path(given.head))
    torch.manual_seed(given.seed)
    head = RandomHead(trained.d)
    head.mean.copy_(trained.mean)
    head.deviation.copy_(trained.deviation)
    metadata = given.out / "random_order-1.0.dist-info"  # by which burnqed finds a head of another package
    metadata.mkdir(parents=True, exist_ok=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: random-order\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{GROUP}]\nrandom = benchmarks.random_order:RandomHead\n")
    head.save(given.out / "head", trained.embedding_id, metrics={}, kind="random")
    print(f"PYTHONPATH=.:{given.out} .venv/bin/burnqed eval --head {given.out / 'head'} …")


if __name__ == "__main__":
    main()
