"""Preferences beside the next-token loss, with real training of a small model."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from burnqed.config import RunConfig, SftConfig
from burnqed.errors import BadInput, TryAgain
from burnqed.policy.prompt import prompt
from burnqed.policy.template import COMPLETION
from burnqed.policy.tiny import make_base
from burnqed.run.contradictions import check_settings
from burnqed.store import Store
from burnqed.train.checkpoint import Checkpoints
from burnqed.train.model import trainable
from burnqed.train.preferences import PreferenceTraining, draw, encode_preferences
from burnqed.train.sft import Pairs, SftOutcome, train_sft
from burnqed.trajectory.reader import Preference
from tests.fixtures.joint_data import SHAPE, pairs

pytestmark = pytest.mark.usefixtures("one_thread")

KNOWN = pairs(120, "known", 0)
REFUSED = [
    Preference(p.theorem, p.state, p.tactic, p.tactic.replace("add_comm", "add").replace("mul_comm", "mul"))
    for p in KNOWN
]
"""The right lemma over a part of its name."""
PAIRS = Pairs(KNOWN, preferences=REFUSED)
SETTINGS = SftConfig(
    learning_rate=3e-3, steps=20, batch_tokens=512, max_length=240, warmup_steps=2, evaluate_every=10, checkpoint_every=6,
    preferences=1.0, preference_pairs=4, lora_rank=4, lora_alpha=8,
)  # fmt: skip


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    make_base([prompt(pair.state) + pair.tactic for pair in KNOWN], folder, SHAPE, seed=0)
    return folder


def train(
    base: Path, workdir: Path, config: SftConfig = SETTINGS, given: Pairs = PAIRS, stop: Callable[[], bool] = lambda: False, store: Path | None = None
) -> SftOutcome:  # fmt: skip
    checkpoints = Checkpoints(Store(str(store or workdir / "store")), "checkpoint.pt")
    return train_sft(base, given, config, iteration=0, validation_fraction=0.1, workdir=workdir, checkpoints=checkpoints, should_stop=stop)  # fmt: skip


def running(base: Path, given: list[Preference], **changes: Any) -> tuple[PreferenceTraining, Any]:
    config = SETTINGS.model_copy(update=changes)
    model = AutoModelForCausalLM.from_pretrained(base)
    tokenizer = AutoTokenizer.from_pretrained(base)
    encoded = encode_preferences(tokenizer, given, config, COMPLETION)
    return PreferenceTraining(model, [], [], {}, config, preferences=encoded, steps=5, peak=1e-3), tokenizer


def log_prob(model: Any, tokenizer: Any, state: str, tactic: str) -> torch.Tensor:
    """Of a tactic, as the model's own logits have it."""
    before = tokenizer(prompt(state))["input_ids"]
    tokens = [*before, *tokenizer(tactic, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
    logits = model(torch.tensor([tokens])).logits[0, len(before) - 1 : -1]
    return -F.cross_entropy(logits, torch.tensor(tokens[len(before) :]), reduction="sum")


def test_loss_and_gradient_are_those_of_the_formula(base: Path) -> None:
    run, tokenizer = running(base, REFUSED[:4], preferences=0.7, preference_beta=0.5)
    start = [margin + 0.3 * number for number, margin in enumerate(run.start_margins())]  # as if the start were another
    run.model.eval()
    run.margins = start
    loss = run.prefer()
    found = {name: weight.grad.clone() for name, weight in trainable(run.model).items() if weight.grad is not None}
    run.model.zero_grad()
    losses = [
        -F.logsigmoid(
            0.5 * (log_prob(run.model, tokenizer, p.state, p.chosen) - log_prob(run.model, tokenizer, p.state, p.rejected) - start[n])
        )
        for n, p in enumerate(REFUSED[:4])
    ]  # fmt: skip
    expected = torch.stack(losses).mean()
    assert loss == pytest.approx(expected.item(), rel=1e-5)
    (0.7 * expected).backward()  # type: ignore[no-untyped-call]
    for name, weight in trainable(run.model).items():
        torch.testing.assert_close(found[name], weight.grad, rtol=1e-4, atol=1e-6)


def test_it_begins_where_nothing_is_preferred_and_learns_to_prefer(base: Path, tmp_path: Path) -> None:
    rows = train(base, tmp_path).rows[1:]
    losses = [row.preference or 0.0 for row in rows]
    assert losses[0] == pytest.approx(math.log(2), abs=1e-4)
    assert sum(losses[-5:]) / 5 < 0.6
    assert rows[-1].loss is not None
    assert rows[0].loss is not None
    assert rows[-1].loss < rows[0].loss, "the next-token loss falls beside it"


def test_without_a_weight_and_without_preferences_it_is_plain_fine_tuning(base: Path, tmp_path: Path) -> None:
    plain = SETTINGS.model_copy(update={"preferences": 0.0})
    outcomes = [
        train(base, tmp_path / "unweighted", plain),
        train(base, tmp_path / "none", given=replace(PAIRS, preferences=())),
        train(base, tmp_path / "plain", plain, replace(PAIRS, preferences=())),
    ]
    curves = [[(row.loss, row.preference) for row in outcome.rows] for outcome in outcomes]
    assert curves[0] == curves[1] == curves[2]


@pytest.mark.parametrize("method", ["full", pytest.param("lora", marks=pytest.mark.long)])
def test_an_interrupted_training_continues_to_the_same_weights(base: Path, tmp_path: Path, method: str) -> None:
    config = SETTINGS.model_copy(update={"method": method})
    train(base, tmp_path / "whole", config)
    polls = iter([False] * 9 + [True] * 99)
    with pytest.raises(TryAgain):
        train(base, tmp_path / "cut", config, stop=lambda: next(polls), store=tmp_path / "store")
    train(base, tmp_path / "resumed", config, store=tmp_path / "store")
    file = "adapter/model.safetensors" if method == "full" else "adapter/adapter_model.safetensors"
    expected, found = load_file(tmp_path / "whole" / file), load_file(tmp_path / "resumed" / file)
    assert all(torch.equal(expected[name], found[name]) for name in expected)


def test_what_is_too_long_there_twice_or_of_a_validation_theorem_is_left_out(base: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(base)
    long = [REFUSED[0]._replace(rejected="x " * 200), REFUSED[1]._replace(chosen="x " * 200)]
    drawn = draw([*REFUSED[:5], *long, *REFUSED[:5]], SETTINGS, 20, 0.0)
    assert sorted(drawn) == sorted([*REFUSED[:5], *long])
    assert len(encode_preferences(tokenizer, drawn, SETTINGS, COMPLETION)) == 5
    assert len(draw(REFUSED, SETTINGS, 20, 0.0)) == 20 * SETTINGS.preference_pairs
    assert draw(REFUSED, SETTINGS, 20, 1.0) == []


def test_the_outcome_tells_how_much_was_learned(base: Path, tmp_path: Path) -> None:
    outcome = train(base, tmp_path)
    losses = [row.preference for row in outcome.rows if row.preference is not None]
    assert outcome.preference_loss == pytest.approx(sum(losses) / len(losses))


def test_settings_with_which_nothing_can_be_preferred_are_refused() -> None:
    jointly = RunConfig.model_validate({"joint": {"enabled": True}, "sft": {"preferences": 0.5}})
    with pytest.raises(BadInput, match="Joint training learns no preferences"):
        check_settings(jointly, ["sft"])
    control = RunConfig.model_validate({"sft": {"preferences": 0.5, "found_proofs": False}})
    with pytest.raises(BadInput, match="at the states of found proofs"):
        check_settings(control, ["sft"])
