"""Muon: a step is the momentum's nearest matrix with orthonormal rows or columns (Jordan et al. 2024, "Muon: an optimizer for hidden layers").

`torch.optim.Muon` with the same state and update, but for two things: matrices of one shape are processed together, and the Newton-Schulz iteration is
in bfloat16 on GPUs alone. Most processors have no arithmetic for that, and torch's emulation takes longer than the forward pass of a small model.
"""

from __future__ import annotations

from collections import defaultdict

import torch
from torch import Tensor


class Muon(torch.optim.Muon):
    """With Nesterov's momentum and `adjust_lr_fn="match_rms_adamw"`, whatever else is asked for."""

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        for group in self.param_groups:
            alike: defaultdict[torch.Size, list[tuple[Tensor, Tensor, Tensor]]] = defaultdict(list)
            for matrix in group["params"]:
                if matrix.grad is not None:
                    state = self.state[matrix]
                    if not state:
                        state["momentum_buffer"] = torch.zeros_like(matrix.grad)
                    alike[matrix.shape].append((matrix, matrix.grad, state["momentum_buffer"]))
            for shape, same in alike.items():
                matrices, gradients, momenta = zip(*same, strict=True)
                torch._foreach_lerp_(momenta, gradients, 1 - group["momentum"])
                ahead = torch.stack(torch._foreach_lerp(gradients, momenta, group["momentum"]))  # Nesterov
                turned = orthogonal(ahead, group["ns_coefficients"], group["ns_steps"], group["eps"])
                rate = group["lr"] * 0.2 * max(shape) ** 0.5
                torch._foreach_mul_(matrices, 1 - group["lr"] * group["weight_decay"])
                torch._foreach_add_(matrices, turned.to(matrices[0].dtype).unbind(), alpha=-rate)


def orthogonal(matrices: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """[n, a, b] → [n, a, b]: of each matrix U S Vᵀ about U Vᵀ, by a quintic Newton-Schulz iteration; singular values end between 0.7 and 1.2."""
    a, b, c = coefficients
    is_tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.mT if is_tall else matrices
    x = x.bfloat16() if x.is_cuda else x.float()
    x = x / x.norm(dim=(1, 2), keepdim=True).clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.mT if is_tall else x
