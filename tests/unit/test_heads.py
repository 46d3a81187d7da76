"""Which head a configuration asks for: ours, or one that another package brings along. All are trained, saved and served the same way."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from pydantic import JsonValue
from torch import Tensor

from burnqed import head as heads
from burnqed.cli import doctor
from burnqed.config import EbmConfig
from burnqed.errors import BadInput
from burnqed.head import WITHOUT_GOAL, base
from burnqed.head.base import Head, make_head
from burnqed.store import Store
from burnqed.train.checkpoint import Checkpoints
from burnqed.train.ebm import HeadOutcome, train_head
from burnqed.train.embeddings import Embeddings
from tests.fixtures.head_examples import Positive, examples_of
from tests.fixtures.installed import install_package
from tests.fixtures.shared import ROOT

Matrix = NDArray[np.float32]
OTHERS = {"bilinear": "burnqed_plugin.head:BilinearHead", "broken": "burnqed_plugin.absent:Head"}


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tests/fixtures/plugin")
    folder = tmp_path / "installed"
    folder.mkdir()
    install_package(folder, heads.GROUP, OTHERS, monkeypatch)


D, THEOREMS = 6, 40


def near() -> Matrix:
    """Embeddings of goals, states on proofs, and others, in turn: only nearness to the goal tells those on proofs."""
    matrix = np.random.default_rng(0).normal(size=(3 * THEOREMS, D)).astype(np.float32)
    matrix[1::3] = matrix[0::3] + 0.1 * matrix[1::3]
    return matrix


def turned() -> Matrix:
    """Likewise, with all states near their goals, in one direction or the other."""
    matrix = np.random.default_rng(0).normal(size=(3 * THEOREMS, D)).astype(np.float32)
    steps = 0.05 * matrix[1::3]
    steps[:, 0] = 0.05
    matrix[1::3], matrix[2::3] = matrix[0::3] + steps, matrix[0::3] - steps
    return matrix


def trained(workdir: Path, head: str, matrix: Matrix) -> HeadOutcome:
    theorems = [f"t{i}" for i in range(THEOREMS)]
    texts = [f"{theorem} {what}" for theorem in theorems for what in ("goal", "good", "bad")]
    positives = [Positive(t, f"{t} goal", f"{t} good", 1, (f"{t} bad",)) for t in theorems]
    examples = examples_of(positives, {t: (f"{t} bad",) for t in theorems}, texts)
    config = EbmConfig(head=head, widths=[D], steps=150, batch=32, learning_rate=3e-2, log_every=50)
    return train_head(
        examples, Embeddings("some", matrix), config, validation_fraction=0.3, workdir=workdir, checkpoints=Checkpoints(Store(str(workdir)), "c")
    )  # fmt: skip


@pytest.mark.usefixtures("plugin")
def test_a_head_of_another_package_is_trained_saved_and_loaded(tmp_path: Path) -> None:
    matrix = near()
    outcome = trained(tmp_path, "bilinear", matrix)
    assert outcome.metrics["pairwise"].value > 0.8
    loaded = Head.load(tmp_path / "head")
    assert type(loaded).__name__ == "BilinearHead"
    assert loaded.head_id == outcome.head.head_id
    z, g = torch.from_numpy(matrix[1::3]), torch.from_numpy(matrix[0::3])
    assert loaded.energies(z, g).mean() < loaded.energies(torch.from_numpy(matrix[2::3]), g).mean()


def test_a_head_without_the_goal_learns_nothing_that_only_the_goal_tells(tmp_path: Path) -> None:
    for kind, goalless in WITHOUT_GOAL.items():
        seeing, blind = (trained(tmp_path / name, name, near()) for name in (kind, goalless))
        assert seeing.metrics["pairwise"].value > 0.75
        assert blind.metrics["pairwise"].value < 0.65


def test_a_relative_head_tells_states_apart_that_are_all_near_their_goals(tmp_path: Path) -> None:
    def right(kind: str) -> float:
        """How often the saved head puts the state on the proof below the other one."""
        trained(tmp_path / kind, kind, turned())
        good, bad, g = (torch.from_numpy(turned()[i::3]) for i in (1, 2, 0))
        head = Head.load(tmp_path / kind / "head")
        return (head.energies(good, g) < head.energies(bad, g)).float().mean().item()

    assert right("relative") > 0.8
    assert right("mlp") < 0.65


def test_a_head_that_was_saved_before_heads_had_names_is_ours(tmp_path: Path) -> None:
    made = make_head(torch.randn(8, 4), EbmConfig(widths=[5]))
    made.save(tmp_path, "x", {})
    document = json.loads((tmp_path / "head.json").read_text())
    del document["kind"]
    document["widths"] = document.pop("shape")["widths"]
    (tmp_path / "head.json").write_text(json.dumps(document))
    z = torch.randn(3, 4)
    assert torch.equal(Head.load(tmp_path).energies(z, z), made.plain().energies(z, z))


def test_a_head_of_another_shape_than_the_installed_one_takes_is_one_sentence(tmp_path: Path) -> None:
    make_head(torch.randn(8, 4), EbmConfig(widths=[5])).save(tmp_path, "x", {})
    document = json.loads((tmp_path / "head.json").read_text())
    for shape in ({"widths": [6]}, {"layers": 3}):
        (tmp_path / "head.json").write_text(json.dumps(document | {"shape": shape}))
        with pytest.raises(BadInput, match="cannot be loaded into a head of the kind 'mlp'"):
            Head.load(tmp_path)


@pytest.mark.usefixtures("plugin")
def test_what_is_not_there_or_cannot_be_loaded_is_one_sentence() -> None:
    with pytest.raises(
        BadInput,
        match=r"no head 'cubic'; there are: mlp, mlp-without-goal, relative, relative-without-goal, bilinear, broken\. ",
    ):
        heads.check("cubic")
    with pytest.raises(BadInput, match="The head 'broken' cannot be loaded .*ModuleNotFoundError"):
        make_head(torch.zeros(1, 4), EbmConfig(head="broken"))
    found = {finding.what: finding for finding in doctor.heads()}
    assert found["heads"].found == "mlp, mlp-without-goal, relative, relative-without-goal, bilinear, broken"
    assert not found["head broken"].needed


class Fixed(Head):
    """Gives what its subclass says."""

    energy: Callable[[Tensor], Tensor]
    extra: ClassVar[dict[str, Any]] = {}

    @classmethod
    def made_for(cls, d: int, config: EbmConfig) -> Self:
        return cls(d)

    def shape(self) -> dict[str, JsonValue]:
        return self.extra

    def forward_standard(self, z: Tensor, g: Tensor) -> Tensor:
        return type(self).energy((z * g).sum(-1))


class Narrow(Fixed):
    energy = staticmethod(lambda energies: energies[..., :1])


class NotANumber(Fixed):
    energy = staticmethod(lambda energies: energies * math.nan)


class Undescribed(Fixed):
    energy = staticmethod(lambda energies: energies)
    extra: ClassVar[dict[str, Any]] = {"rank": torch.zeros(())}


class Unaware(Undescribed):
    extra: ClassVar[dict[str, Any]] = {"rank": 3}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Fixture", "is not a subclass of burnqed.head.base.Head"),
        ("Head", "lacks forward_standard, made_for, shape"),
        ("Narrow", r"gives energies of the shape \(2, 1\) for 2 × 3 pairs"),
        ("NotANumber", "gives energies that are not finite"),
        ("Undescribed", r"fails at a trial \(TypeError: Object of type Tensor is not JSON serializable\)"),
        ("Unaware", r"fails at a trial \(TypeError: .* unexpected keyword argument 'rank'\)"),
    ],
)
def test_a_head_that_does_not_do_what_a_head_has_to_is_one_sentence(
    name: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = {"Fixture": "pathlib:Path", "Head": "burnqed.head.base:Head"}.get(name, f"tests.unit.test_heads:{name}")
    install_package(tmp_path, heads.GROUP, {"theirs": point, "mlp": point}, monkeypatch)
    with pytest.raises(BadInput, match=f"The head 'theirs' of plugin {why}; fix plugin, or choose another one."):
        make_head(torch.randn(8, 4), EbmConfig(head="theirs"))
    found = {finding.what: finding.advice for finding in doctor.heads()}
    assert found["head mlp"] == "another head has this name; give it one of its own"
    assert ("head theirs" in found) == (name in ("Fixture", "Head"))


def test_the_trial_of_a_head_leaves_the_random_numbers_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for trial in (base._try, lambda head, kind: None):
        monkeypatch.setattr(base, "_try", trial)
        torch.manual_seed(7)
        head = make_head(torch.ones(8, 4), EbmConfig(widths=[5]))
        made.append((head.training, torch.rand(3).tolist(), [weight.tolist() for weight in head.parameters()]))
    assert made[0] == made[1]
    assert made[0][0]


def test_naming_heads_takes_no_torch() -> None:
    script = "import sys; from burnqed import head; head.check('mlp'); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_package_registers_what_the_lookup_has_built_in() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["entry-points"][heads.GROUP] == heads.BUILT_IN
