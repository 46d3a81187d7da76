"""Weights that are NaN or infinite are noticed before anything is computed with them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from burnqed.errors import BadInput
from burnqed.head.base import Head
from burnqed.head.mlp import MlpHead
from burnqed.policy import model as served
from burnqed.train import model as trained

LOADED: dict[str, Callable[[Path], object]] = {
    "served": served.load_model,
    "served by transformers": lambda folder: served.load_model(folder, reference=True),
    "trained": lambda folder: trained.load_model(folder, torch.float32),
}


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("load", LOADED.values(), ids=LOADED)
def test_a_model_is_refused(load: Callable[[Path], object], value: float, tiny_model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_model, folder)
    load(folder)
    (file,) = folder.glob("*.safetensors")
    weights = load_file(file)
    weights["model.norm.weight"][3] = value
    save_file(weights, file, {"format": "pt"})
    with pytest.raises(BadInput, match=r"norm.weight at .*model holds NaN or infinity"):
        load(folder)


def test_a_head_is_refused(tmp_path: Path) -> None:
    head = MlpHead(8, [4])
    head.save(tmp_path, "embeddings", {})
    Head.load(tmp_path)
    with torch.no_grad():
        dict(head.named_parameters())["layers.0.weight"].fill_(float("nan"))
    head.save(tmp_path, "embeddings", {})
    with pytest.raises(BadInput, match="holds NaN"):
        Head.load(tmp_path)
