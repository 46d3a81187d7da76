"""Muon does what torch's own does, which rounds to bfloat16."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from burnqed.train.muon import Muon, orthogonal

SHAPES = [(8, 24), (8, 24), (24, 8), (8, 8)]
SETTINGS = {"lr": 0.02, "weight_decay": 0.1, "adjust_lr_fn": "match_rms_adamw"}


def drawn(seed: int) -> list[nn.Parameter]:
    torch.manual_seed(seed)
    return [nn.Parameter(torch.randn(shape)) for shape in SHAPES]


def stepped(optimizer: torch.optim.Optimizer, matrices: list[nn.Parameter], steps: int) -> list[torch.Tensor]:
    """The matrices after steps whose gradients are equal in every call."""
    torch.manual_seed(9)
    for _ in range(steps):
        for matrix in matrices:
            matrix.grad = torch.randn(matrix.shape)
        optimizer.step()
    return [matrix.detach().clone() for matrix in matrices]


@pytest.mark.parametrize("steps", [1, 5])
def test_steps_are_those_of_torch_but_for_its_rounding(steps: int) -> None:
    ours, theirs, before = drawn(0), drawn(0), drawn(0)
    one = stepped(Muon(ours, **SETTINGS), ours, steps)  # type: ignore[arg-type]
    other = stepped(torch.optim.Muon(theirs, **SETTINGS), theirs, steps)  # type: ignore[arg-type]
    for a, b, start in zip(one, other, before, strict=True):
        assert (a - b).norm() < 0.03 * (b - start).norm()


def test_its_state_is_that_of_torch() -> None:
    ours, theirs = drawn(0), drawn(0)
    written, read = torch.optim.Muon(theirs, **SETTINGS), Muon(ours, **SETTINGS)  # type: ignore[arg-type]
    stepped(written, theirs, 3)
    read.load_state_dict(written.state_dict())
    for matrix, (_, momentum) in zip(ours, sorted(written.state_dict()["state"].items()), strict=True):
        torch.testing.assert_close(read.state[matrix]["momentum_buffer"], momentum["momentum_buffer"])


def test_what_has_no_gradient_stays_as_it_is() -> None:
    used, unused = drawn(0)[:2]
    optimizer, before = Muon([used, unused], **SETTINGS), unused.detach().clone()  # type: ignore[arg-type]
    stepped(optimizer, [used], 2)
    assert torch.equal(unused, before)


@pytest.mark.parametrize("shape", [(3, 8, 24), (3, 24, 8), (3, 16, 16)])
def test_an_orthogonal_matrix_has_the_directions_and_singular_values_near_one(shape: tuple[int, int, int]) -> None:
    torch.manual_seed(0)
    matrices = torch.randn(shape)
    coefficients, steps, eps = (3.4445, -4.775, 2.0315), 5, 1e-7
    found = orthogonal(matrices, coefficients, steps, eps)
    u, _, v = torch.linalg.svd(matrices, full_matrices=False)
    values = u.mT @ found @ v.mT
    assert values.diagonal(dim1=1, dim2=2).min() > 0.5
    assert values.diagonal(dim1=1, dim2=2).max() < 1.3
    assert (values - torch.diag_embed(values.diagonal(dim1=1, dim2=2))).abs().max() < 1e-4
    assert torch.equal(orthogonal(torch.zeros(shape), coefficients, steps, eps), torch.zeros(shape))
