"""The energies that a report shows: of the validation theorems' positives, and of their other states."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from burnqed.data.split import is_validation
from burnqed.head.base import Head
from burnqed.head.mlp import MlpHead
from burnqed.steps.ebm import held_out_energies
from burnqed.train.embeddings import Embeddings
from burnqed.train.examples import HeadExamples
from tests.fixtures.head_examples import random_trajectories, spelled_out


@pytest.mark.parametrize("fraction", [0.0, 0.4])
def test_each_state_is_judged_under_the_root_of_its_theorem(tmp_path: Path, fraction: float) -> None:
    examples = HeadExamples.from_tables(random_trajectories(60, 20, theorems=40))
    matrix = np.random.default_rng(0).normal(size=(len(examples.texts), 8)).astype(np.float32)
    MlpHead(8, [8]).save(tmp_path, "e", {})
    head, row = Head.load(tmp_path), {text: i for i, text in enumerate(examples.texts)}
    positives, states = spelled_out(examples)
    held_out = [p for p in positives if is_validation(p.theorem, fraction)]
    goals = {p.theorem: p.goal for p in held_out}

    def energies(pairs: list[tuple[str, str]]) -> list[float]:
        z, g = (torch.from_numpy(matrix[[row[pair[i]] for pair in pairs]]) for i in (0, 1))
        return [round(float(e), 4) for e in head.energies(z, g)] if pairs else []

    found = held_out_energies(tmp_path, examples, Embeddings("e", matrix), fraction)
    assert found["positive"] == energies([(p.state, p.goal) for p in held_out])
    assert found["negative"] == energies([(s, goal) for theorem, goal in goals.items() for s in states[theorem]])
    assert bool(found["positive"]) == bool(fraction)
