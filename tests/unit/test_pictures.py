"""Held-out states for the report: a plane by depth, and energies beside those of siblings."""

from __future__ import annotations

import numpy as np
import pytest

from burnqed.data.split import is_validation
from burnqed.evaluate.report import pictures
from burnqed.evaluate.report.inputs import HeldOutStates
from burnqed.head.base import Head
from burnqed.head.mlp import MlpHead
from burnqed.train.examples import HeadExamples
from burnqed.train.pictures import held_out_states, principal_plane
from tests.fixtures.head_examples import random_trajectories, spelled_out

FRACTION = 0.4


@pytest.fixture(scope="module")
def examples() -> HeadExamples:
    return HeadExamples.from_tables(random_trajectories(60, 20, theorems=40))


@pytest.fixture(scope="module")
def matrix(examples: HeadExamples) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(len(examples.texts), 8)).astype(np.float32)


@pytest.fixture(scope="module")
def head(tmp_path_factory: pytest.TempPathFactory) -> Head:
    folder = tmp_path_factory.mktemp("head")
    MlpHead(8, [8]).save(folder, "e", {})
    return Head.load(folder)


def drawn(head: Head, examples: HeadExamples, matrix: np.ndarray, fraction: float = FRACTION) -> HeldOutStates:
    return HeldOutStates.model_validate(held_out_states(head, examples, matrix, fraction, seed=0))


def test_the_plane_has_held_out_states_alone_each_once_at_its_least_depth(
    head: Head, examples: HeadExamples, matrix: np.ndarray
) -> None:
    positives, _ = spelled_out(examples)
    held_out = [p for p in positives if is_validation(p.theorem, FRACTION)]
    on: dict[str, int] = {}
    for p in held_out:
        on[p.state] = min(p.depth, on.get(p.state, p.depth))
    off: dict[str, int] = {}
    for p in held_out:
        off |= {s: min(p.depth, off.get(s, p.depth)) for s in p.siblings if s not in on}
    found = drawn(head, examples, matrix)
    assert sorted(d for d, is_on in zip(found.depth, found.on_path, strict=True) if is_on) == sorted(on.values())
    assert sorted(d for d, is_on in zip(found.depth, found.on_path, strict=True) if not is_on) == sorted(off.values())
    assert len(found.x) == len(found.y) == len(found.depth) == len(on) + len(off)


def test_the_plane_is_that_of_the_largest_variance_and_says_how_much_of_it_there_is() -> None:
    random = np.random.default_rng(1)
    points = random.normal(size=(300, 6)) * np.array([0.1, 5.0, 0.1, 2.0, 0.1, 0.1])
    plane, (first, second) = principal_plane(points.astype(np.float32))
    assert abs(np.corrcoef(plane[:, 0], points[:, 1])[0, 1]) > 0.99
    assert abs(np.corrcoef(plane[:, 1], points[:, 3])[0, 1]) > 0.99
    assert first == pytest.approx(25 / 29, abs=0.03)
    assert first + second > 0.98


@pytest.mark.parametrize("points", [np.zeros((0, 4)), np.ones((2, 4)), np.ones((5, 4)), np.arange(3.0)[:, None]])
def test_where_there_is_no_plane_nothing_fails(points: np.ndarray) -> None:
    plane, shares = principal_plane(points.astype(np.float32))
    assert plane.shape == (len(points), 2)
    assert len(shares) == 2


def test_each_family_is_a_state_on_a_proof_and_its_siblings_under_one_root(
    head: Head, examples: HeadExamples, matrix: np.ndarray
) -> None:
    positives, _ = spelled_out(examples)
    wanted = [p for p in positives if is_validation(p.theorem, FRACTION) and p.siblings]
    found = drawn(head, examples, matrix).families
    assert [len(family) - 1 for family in found] == [min(len(p.siblings), 15) for p in wanted]
    number = {text: i for i, text in enumerate(examples.texts)}
    import torch

    p, rows = wanted[0], [number[wanted[0].state], *(number[s] for s in wanted[0].siblings[:15])]
    z, g = torch.from_numpy(matrix[rows]), torch.from_numpy(matrix[[number[p.goal]] * len(rows)])
    assert found[0] == [round(float(e), 4) for e in head.energies(z, g)]


def test_without_held_out_theorems_there_is_nothing_to_draw(
    head: Head, examples: HeadExamples, matrix: np.ndarray
) -> None:
    found = drawn(head, examples, matrix, 0.0)
    assert (found.x, found.families) == ([], [])


def test_the_pictures_say_what_they_leave_out_and_their_figures(
    head: Head, examples: HeadExamples, matrix: np.ndarray
) -> None:
    found = drawn(head, examples, matrix)
    plane = pictures.by_depth(found)
    assert f"the plane has {sum(found.variance):.0%} of their variance" in plane.caption
    assert "var(--depth-1)" in plane.svg
    assert "siblings at depth 4+" in plane.svg
    assert len(plane.svg) < 200_000
    energies = pictures.siblings([[0.0, 1.0, 2.0], [1.0, 0.0], [0.5, 0.5]])
    assert energies.caption == "held-out: 3 states on proofs, 4 siblings; lower in 62% of the pairs"
    reliable = pictures.calibration([[0.0, 1.0], [2.0, 0.0], [0.5, 0.5]])
    assert reliable is not None
    assert "3 states on proofs and their siblings; calibration error 0.383" in reliable.caption
    assert "100% right of 1 at a confidence of 73%, 0% right of 1 at a confidence of 88%" in reliable.svg
