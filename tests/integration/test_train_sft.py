"""Fine-tuning and export, with real training of a small model."""

import json
import math
import shutil
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from peft import PeftModel
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

from burnqed.config import PolicyConfig, RunConfig, SftConfig
from burnqed.data.pairs import TacticPair
from burnqed.data.split import is_validation
from burnqed.errors import BadInput, TryAgain
from burnqed.policy.batches import batches
from burnqed.policy.prompt import extract_tactic, prompt
from burnqed.policy.template import COMPLETION, TEMPLATES
from burnqed.policy.tiny import make_base
from burnqed.policy.version import model_version
from burnqed.section import Undeclared
from burnqed.steps.sft import NOT_AT_FIRST
from burnqed.store import Store
from burnqed.train.checkpoint import Checkpoints
from burnqed.train.export import export_model
from burnqed.train.loop import LossRow, Training
from burnqed.train.losses import both_losses, check_packing, completion_loss
from burnqed.train.merge import merged
from burnqed.train.model import copy_weights, load_model, load_tokenizer, load_trainable, trainable
from burnqed.train.optimizers import MuonAndAdamW, optimizer_of
from burnqed.train.packing import IGNORED, Packed, encode, pack, shuffled
from burnqed.train.sft import Pairs, SftOutcome, repeats, train_sft
from tests.fixtures.joint_data import SHAPE, pairs

pytestmark = pytest.mark.usefixtures("one_thread")

SETTINGS = SftConfig(
    learning_rate=1e-2,
    steps=30,
    later_steps=15,
    batch_tokens=512,
    max_length=160,
    warmup_steps=5,
    evaluate_every=10,
    checkpoint_every=12,
    base_pairs=100,
    lora_rank=4,
    lora_alpha=8,
    lora_dropout=0.1,
)


PAIRS = Pairs(pairs(240, "known", 0), pairs(40, "search", 1))
Trained = tuple[SftOutcome, Path]
"""An outcome, and the folder that was written."""

MUON_SETTINGS = SETTINGS.model_copy(update={"optimizer": "muon"})
LORA = SETTINGS.model_copy(update={"method": "lora", "learning_rate": 2e-2})


def as_simp(pairs: Sequence[TacticPair]) -> list[TacticPair]:
    """The same lemmas used in another way: what an adapter can learn beside a model that knows the lemmas."""
    return [pair.model_copy(update={"tactic": f"simp [{pair.tactic.split()[1]}]"}) for pair in pairs]


SIMP = Pairs(as_simp(PAIRS.base), as_simp(PAIRS.trajectory))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    make_base([prompt(pair.state) + pair.tactic for pair in PAIRS.base], folder, SHAPE, seed=0)
    return folder


def train(base: Path, workdir: Path, config: SftConfig = SETTINGS, **options: Any) -> SftOutcome:
    options = {"iteration": 0, "validation_fraction": 0.1, "pairs": PAIRS} | options
    options.setdefault("checkpoints", Checkpoints(Store(str(workdir / "store")), "checkpoint.pt"))
    return train_sft(base, options.pop("pairs"), config, workdir=workdir, **options)


@pytest.fixture(scope="module")
def full(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    workdir = tmp_path_factory.mktemp("full")
    return train(base, workdir), workdir / "adapter"


@pytest.fixture(scope="module")
def lora(full: Trained, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """An adapter of the fully trained model."""
    workdir = tmp_path_factory.mktemp("lora")
    return train(full[1], workdir, LORA, pairs=SIMP), workdir / "adapter"


class StopAfter:
    """Says stop from the n-th question on."""

    def __init__(self, n: int) -> None:
        self.left = n

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


def curve(rows: list[LossRow]) -> list[tuple[object, ...]]:
    return [(row.step, row.loss, row.learning_rate, row.tokens, row.evaluation) for row in rows]


# ---- packing and loss


def test_the_loss_counts_exactly_the_tokens_of_tactic_and_end(base: Path) -> None:
    tokenizer = load_tokenizer(base)
    examples = encode(tokenizer, PAIRS.base[:20], 160, COMPLETION)
    batch = pack(examples)
    assert batch.input_ids.shape[0] < 20  # several in a row, or this shows nothing
    replies = []
    for targets in batch.targets:
        tokens = targets[targets != IGNORED].tolist()
        replies += tokenizer.decode(tokens).split(tokenizer.eos_token)[:-1]
    assert sorted(replies) == sorted(pair.tactic for pair in PAIRS.base[:20])
    assert batch.completion_tokens == int((batch.targets != IGNORED).sum())
    assert batch.tokens == sum(len(example) for example in examples)
    for example, pair in zip(examples, PAIRS.base[:20], strict=True):
        assert tokenizer.decode(example.tokens) == prompt(pair.state) + pair.tactic + tokenizer.eos_token


def test_a_chat_template_s_markers_are_single_tokens_and_no_part_of_the_loss(base: Path) -> None:
    tokenizer, template = load_tokenizer(base), TEMPLATES["qwen"]
    with pytest.raises(BadInput, match=r"has no token <\|im_start\|>"):
        template.check(tokenizer.get_vocab().__contains__, base)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|im_start|>", "<|im_end|>"]})
    template.check(tokenizer.get_vocab().__contains__, base)
    pair = PAIRS.base[0]
    [example] = encode(tokenizer, [pair], 300, template)
    pieces = tokenizer.convert_ids_to_tokens(example.tokens)
    assert [pieces.count(marker) for marker in ("<|im_start|>", "<|im_end|>")] == [2, 1]
    completion = tokenizer.decode(example.tokens[example.prompt_length :])
    assert completion == pair.tactic + tokenizer.eos_token
    assert tokenizer.decode(example.tokens) == template.prompt(pair.state) + completion


def test_the_packed_loss_equals_the_loss_of_single_sequences(full: Trained) -> None:
    _, folder = full
    model = load_model(folder, torch.float32)
    examples = encode(load_tokenizer(folder), PAIRS.base[:20], 160, COMPLETION)
    batch = pack(examples)
    assert batch.input_ids.shape[0] < 20  # several in a row
    single = 0.0
    for example in examples:
        labels = torch.tensor(example.tokens)
        labels[: example.prompt_length] = IGNORED
        mean = model(input_ids=torch.tensor(example.tokens)[None], labels=labels[None]).loss  # transformers' own loss
        single += mean.item() * (len(example) - example.prompt_length)
    assert completion_loss(model, batch).item() == pytest.approx(single, rel=1e-5)
    check_packing(model, examples)


def test_the_loss_of_prompts_is_that_of_their_tokens_but_the_first(full: Trained) -> None:
    _, folder = full
    model = load_model(folder, torch.float32)
    examples = encode(load_tokenizer(folder), PAIRS.base[:20], 160, COMPLETION)
    single = 0.0
    for example in examples:
        labels = torch.tensor(example.tokens)
        labels[example.prompt_length :] = IGNORED
        single += model(input_ids=torch.tensor(example.tokens)[None], labels=labels[None]).loss.item() * (
            example.prompt_length - 1
        )
    completions, prompts = both_losses(model, pack(examples))
    assert prompts.item() == pytest.approx(single, rel=1e-5)
    assert completions.item() == pytest.approx(completion_loss(model, pack(examples)).item(), rel=1e-6)


def test_prompts_change_the_gradient_by_their_weight_and_no_loss_that_is_reported(
    full: Trained, base: Path, tmp_path: Path
) -> None:
    outcome = train(base, tmp_path, SETTINGS.model_copy(update={"prompt_weight": 0.05}))
    first, other = outcome.rows[0], full[0].rows[0]
    assert first.loss == pytest.approx(other.loss, rel=1e-6), "before the first step the models are the same"
    assert [row.loss for row in outcome.rows[1:]] != [row.loss for row in full[0].rows[1:]]
    model = load_model(tmp_path / "adapter", torch.float32)
    batch = pack(encode(load_tokenizer(base), PAIRS.base[:20], 160, COMPLETION))
    _, prompts = both_losses(model, batch)
    _, without = both_losses(load_model(full[1], torch.float32), batch)
    assert prompts < 0.9 * without, "it has learned how states go on"


def test_gradients_of_a_packed_batch_equal_those_of_single_sequences(base: Path) -> None:
    model = load_model(base, torch.float32)
    examples = encode(load_tokenizer(base), PAIRS.base[:8], 160, COMPLETION)
    completion_loss(model, pack(examples)).backward()
    packed = {name: parameter.grad.clone() for name, parameter in model.named_parameters()}
    model.zero_grad()
    for example in examples:
        completion_loss(model, pack([example])).backward()
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(packed[name], parameter.grad, rtol=1e-3, atol=1e-4)


def test_a_model_whose_packed_sequences_see_each_other_is_refused(full: Trained) -> None:
    _, folder = full
    model = load_model(folder, torch.float32)
    examples = encode(load_tokenizer(folder), PAIRS.base[:8], 160, COMPLETION)
    decoder = model.get_decoder()
    whole = decoder.forward

    def leaking(*args: Any, position_ids: torch.Tensor | None = None, **kwargs: Any) -> Any:
        return whole(*args, **kwargs)

    decoder.forward = leaking
    with pytest.raises(BadInput, match="Packed training"):
        check_packing(model, examples)


def test_pairs_that_are_too_long_are_left_out(base: Path) -> None:
    examples = encode(load_tokenizer(base), PAIRS.base, 60, COMPLETION)
    assert 0 < len(examples) < len(PAIRS.base)
    assert max(len(example) for example in examples) <= 60


def test_a_round_holds_every_pair_as_often_as_it_counts_and_rounds_differ() -> None:
    order = shuffled([1, 3, 2], seed=0)
    rounds = [[next(order) for _ in range(6)] for _ in range(5)]
    assert all(sorted(r) == [0, 1, 1, 1, 2, 2] for r in rounds)
    assert len({tuple(r) for r in rounds}) > 1


def test_batches_keep_to_their_tokens(base: Path) -> None:
    examples = encode(load_tokenizer(base), PAIRS.base, 160, COMPLETION)
    found = list(batches(examples, 300))
    assert [e for batch in found for e in batch] == examples
    assert all(sum(map(len, batch)) <= 300 for batch in found)
    assert all(sum(map(len, batch)) + len(after[0]) > 300 for batch, after in pairwise(found))


# ---- training


@pytest.mark.parametrize(
    ("probability", "count"), [(None, 8), (1.0, 1), (0.9, 1), (0.5, 2), (0.2, 5), (0.01, 8), (1e-300, 8)]
)
def test_a_found_pair_counts_as_often_as_the_policy_would_have_had_to_try(
    probability: float | None, count: int
) -> None:
    assert repeats(None if probability is None else math.log(probability), most=8) == count


def test_training_lowers_the_loss_on_theorems_that_it_never_saw(full: Trained) -> None:
    outcome, folder = full
    evaluations = [row.evaluation for row in outcome.rows if row.evaluation]
    assert [row.step for row in outcome.rows if row.evaluation] == [0, 10, 20, 30]
    assert evaluations[-1].total < 0.5 * evaluations[0].total
    assert outcome.best is not None
    assert outcome.best.total == min(e.total for e in evaluations[1:])
    assert outcome.start == "base"
    assert outcome.start_version != model_version(folder)
    validation = {p.theorem for p in (*PAIRS.base, *PAIRS.trajectory) if is_validation(p.theorem, 0.1)}
    assert outcome.validation_pairs == sum(p.theorem in validation for p in (*PAIRS.base, *PAIRS.trajectory))
    assert outcome.base_pairs + outcome.trajectory_pairs + outcome.validation_pairs == 280


def test_the_total_evaluation_loss_is_the_mean_over_tokens_of_both_parts(full: Trained) -> None:
    outcome, _ = full
    for row in outcome.rows:
        if found := row.evaluation:
            assert found.base is not None
            assert found.trajectory is not None
            assert min(found.base, found.trajectory) <= found.total <= max(found.base, found.trajectory)


def test_the_learning_rate_rises_to_its_peak_and_falls_and_halves_each_iteration(
    full: Trained, base: Path, tmp_path: Path
) -> None:
    outcome, _ = full
    rates = [row.learning_rate for row in outcome.rows[1:]]
    peak = rates.index(max(rates))
    assert max(rates) == pytest.approx(SETTINGS.learning_rate)
    assert peak == SETTINGS.warmup_steps - 1
    assert rates[:peak] == sorted(rates[:peak])
    assert rates[peak:] == sorted(rates[peak:], reverse=True)
    assert rates[-1] < 0.1 * SETTINGS.learning_rate
    later = train(base, tmp_path, iteration=2)
    assert max(row.learning_rate for row in later.rows) == pytest.approx(SETTINGS.learning_rate / 4)
    assert later.steps == SETTINGS.later_steps


def test_muon_turns_the_matrices_of_the_layers_and_leaves_the_rest_to_adamw(base: Path) -> None:
    model = load_trainable(base, None, MUON_SETTINGS)
    optimizer = optimizer_of(model, MUON_SETTINGS, lr=0.01, sharded=False)
    assert isinstance(optimizer, MuonAndAdamW)
    before, examples = copy_weights(model), encode(load_tokenizer(base), PAIRS.base[:20], 160, COMPLETION)
    completion_loss(model, pack(examples).to(model.device)).backward()  # type: ignore[no-untyped-call]
    gradients = {name: weight.grad for name, weight in trainable(model).items()}
    optimizer.step()
    for name, weight in copy_weights(model).items():
        step = weight - before[name] * (1 - 0.01 * MUON_SETTINGS.weight_decay * (weight.ndim == 2))
        if weight.ndim == 2 and "layers" in name:
            # The gradient's main directions count about the same, in a step of AdamW's size.
            gradient, values = torch.linalg.svdvals(gradients[name]), torch.linalg.svdvals(step)
            assert values[0] / values[5] < 1.6 < gradient[0] / gradient[5], name
            assert 0.5 < step.square().mean().sqrt().item() / (0.2 * 0.01) < 1.2
        else:  # the first step of AdamW has one size everywhere
            assert step[step != 0].abs().median().item() == pytest.approx(0.01, rel=0.1), name


def test_equal_seeds_give_equal_files_and_another_seed_others(full: Trained, base: Path, tmp_path: Path) -> None:
    outcome, folder = full
    again = train(base, tmp_path / "a")
    other = train(base, tmp_path / "b", SETTINGS.model_copy(update={"seed": 1}))
    assert curve(again.rows) == curve(outcome.rows)
    assert model_version(tmp_path / "a/adapter") == model_version(folder)
    assert (tmp_path / "a/adapter/sft.json").read_bytes() == (folder / "sft.json").read_bytes()
    assert curve(other.rows) != curve(outcome.rows)


def test_iteration_0_is_the_same_however_later_ones_train(base: Path, tmp_path: Path) -> None:
    """So those settings are not in its key."""
    others: dict[str, object] = {
        "start": "merged",
        "learning_rate_decay": 0.1,
        "later_steps": 7,
        "base_pairs": 11,
        "trajectory_upsample": 3,
        "preferences": 0.5,
        "preference_beta": 0.7,
        "preference_pairs": 2,
    }
    assert {f"sft.{name}" for name in others} == NOT_AT_FIRST
    for folder, update in (("one", {}), ("other", others)):
        train(base, tmp_path / folder, SETTINGS.model_copy(update=update), pairs=Pairs(PAIRS.base))
    unseen = RunConfig(sft=SETTINGS).only(("sft",), without=NOT_AT_FIRST).sft
    with pytest.raises(Undeclared):
        _ = unseen.later_steps
    train(base, tmp_path / "unseen", unseen, pairs=Pairs(PAIRS.base))
    one, other, without = (
        {p.name: p.read_bytes() for p in (tmp_path / folder / "adapter").iterdir()}
        for folder in ("one", "other", "unseen")
    )
    assert one == other == without


def test_all_base_pairs_train_at_first_and_a_sample_of_them_later(base: Path, tmp_path: Path, full: Trained) -> None:
    outcome, _ = full
    later = train(base, tmp_path, iteration=1)
    assert outcome.base_pairs > 200
    assert later.base_pairs == SETTINGS.base_pairs
    assert later.trajectory_pairs == outcome.trajectory_pairs
    assert later.validation_pairs == outcome.validation_pairs


QLORA = {"method": "lora", "base_weights": "nf4", "optimizer": "paged_adamw_8bit"}


MUON = {"method": "full", "optimizer": "muon"}


@pytest.mark.parametrize(
    "method", [{"method": "full"}, {"method": "lora"}, QLORA, MUON], ids=["full", "lora", "qlora", "muon"]
)
@pytest.mark.parametrize("accumulation", [pytest.param(1, marks=pytest.mark.long), 2])
def test_an_interrupted_training_continues_to_the_same_losses_and_weights(
    base: Path, tmp_path: Path, method: dict[str, str], accumulation: int
) -> None:
    config = SETTINGS.model_copy(update={**method, "accumulation": accumulation, "batch_tokens": 256})
    whole = train(base, tmp_path / "whole", config)

    checkpoints = Checkpoints(Store(str(tmp_path / "store")), "run/checkpoint.pt")
    for attempt, polls in enumerate((9, 2, 17)):  # in the middle of steps and of evaluations
        torch.manual_seed(attempt)  # what the new process happens to have
        with pytest.raises(TryAgain):
            train(base, tmp_path / f"cut{attempt}", config, checkpoints=checkpoints, should_stop=StopAfter(polls))
        assert not (tmp_path / f"cut{attempt}/adapter").exists()
    resumed = train(base, tmp_path / "resumed", config, checkpoints=checkpoints)

    assert curve(resumed.rows) == curve(whole.rows)
    assert resumed.best_step == whole.best_step
    name = "model.safetensors" if method["method"] == "full" else "adapter_model.safetensors"
    expected, found = load_file(tmp_path / "whole/adapter" / name), load_file(tmp_path / "resumed/adapter" / name)
    assert expected.keys() == found.keys()
    assert all(torch.equal(expected[key], found[key]) for key in expected)


def test_a_killed_training_continues_from_its_last_checkpoint(base: Path, tmp_path: Path, full: Trained) -> None:
    class Killed(Exception):
        pass

    checkpoints = Checkpoints(Store(str(tmp_path)), "checkpoint.pt")
    stop = StopAfter(25)  # evaluations ask too: between the checkpoint at step 12 and the next

    def killed() -> bool:
        if stop():
            raise Killed
        return False

    with pytest.raises(Killed):
        train(base, tmp_path, checkpoints=checkpoints, should_stop=killed)
    assert checkpoints.store.exists("checkpoint.pt")
    resumed = train(base, tmp_path, checkpoints=checkpoints)
    assert curve(resumed.rows) == curve(full[0].rows)


def test_a_checkpoint_of_other_data_is_left_aside_and_that_is_said(
    base: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    checkpoints = Checkpoints(Store(str(tmp_path)), "checkpoint.pt")
    with pytest.raises(TryAgain):
        train(base, tmp_path, checkpoints=checkpoints, should_stop=lambda: True)
    train(base, tmp_path, checkpoints=checkpoints, pairs=Pairs(PAIRS.base[:-1]))
    assert "checkpoint.pt is another version's, so the training starts again" in caplog.text


def test_a_training_that_diverges_says_so(base: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"lower sft\.learning_rate"):
        train(base, tmp_path, SETTINGS.model_copy(update={"learning_rate": 1e30, "warmup_steps": 0}))


def test_no_pairs_and_no_model_are_bad_input(base: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no tactic pair"):
        train(base, tmp_path, pairs=Pairs([]))
    with pytest.raises(BadInput, match="no model"):
        train(tmp_path / "nowhere", tmp_path)


@pytest.mark.long
def test_bfloat16_with_gradient_checkpointing_trains_an_adapter_in_float32(tmp_path: Path, full: Trained) -> None:
    """The settings of a large model on a GPU."""
    config = LORA.model_copy(update={"precision": "bfloat16", "gradient_checkpointing": True})
    outcome = train(full[1], tmp_path, config, pairs=SIMP)
    assert outcome.best is not None
    assert outcome.rows[0].evaluation is not None
    assert outcome.best.total < 0.7 * outcome.rows[0].evaluation.total
    model = load_trainable(full[1], None, config)
    assert {p.dtype for p in model.parameters() if p.requires_grad} == {torch.float32}
    assert {p.dtype for p in model.parameters() if not p.requires_grad} == {torch.bfloat16}


# ---- 4 bits, and little memory


def test_qlora_trains_beside_weights_of_4_bits_and_is_merged_into_the_full_ones(
    full: Trained, lora: Trained, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, config = full[1], LORA.model_copy(update=QLORA)
    model = load_trainable(base, None, config)
    frozen = {
        type(module).__name__
        for module in model.modules()
        if hasattr(module, "quant_state") or "4bit" in type(module).__name__
    }
    assert "Linear4bit" in frozen
    assert {p.dtype for p in model.parameters() if p.requires_grad} == {torch.float32}
    outcome = train(base, tmp_path, config, pairs=SIMP)
    assert outcome.rows[0].evaluation
    assert outcome.best
    assert outcome.best.total < 0.7 * outcome.rows[0].evaluation.total

    merged, adapter = tmp_path / "merged", tmp_path / "adapter"
    export_model(base, adapter, merged, "float32", [p.state for p in SIMP.base])
    states = [p.state for p in SIMP.base[:200]]
    tokenizer = load_tokenizer(merged)
    ids = [tokenizer(prompt(state), return_tensors="pt")["input_ids"] for state in states]
    beside = PeftModel.from_pretrained(load_model(base, torch.float32), adapter).eval()
    whole = load_model(merged, torch.float32)
    rough = load_trainable(base, adapter, config).eval()
    agree = 0
    with torch.no_grad():
        for one in ids:
            exact = whole(one).logits[0, -1]
            torch.testing.assert_close(exact, beside(one).logits[0, -1], atol=1e-5, rtol=1e-5)
            agree += int(exact.argmax() == rough(one).logits[0, -1].argmax())
    with capsys.disabled():
        print(f"\nthe model of 4 bits and the merged one begin with the same token in {agree} of {len(states)} states")
    assert agree >= 0.9 * len(states)


def test_a_batch_that_is_too_large_for_the_memory_is_divided_and_the_steps_stay_the_same(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    expected = train(base, tmp_path / "whole")
    loss = Training.loss

    def with_little_memory(training: Training, batch: Packed) -> torch.Tensor:
        if training.model.training and batch.input_ids.numel() > 200:
            raise torch.OutOfMemoryError("out of memory")
        return loss(training, batch)

    monkeypatch.setattr(Training, "loss", with_little_memory)
    with caplog.at_level("WARNING", "burnqed"):
        found = train(base, tmp_path / "divided")
    assert "out of memory: from now on each batch is computed in 4 parts" in caplog.text
    assert [row.tokens for row in found.rows] == [row.tokens for row in expected.rows]
    np.testing.assert_allclose(losses(found), losses(expected), rtol=1e-3)


def losses(outcome: SftOutcome) -> list[float]:
    return [row.loss for row in outcome.rows if row.loss is not None]


def test_a_sequence_that_alone_is_too_large_for_the_memory_says_what_to_change(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_memory(training: Training, batch: Packed) -> torch.Tensor:
        if training.model.training:
            raise torch.OutOfMemoryError("out of memory")
        return torch.zeros(())

    monkeypatch.setattr(Training, "loss", without_memory)
    with pytest.raises(
        BadInput, match=r"tokens alone needs more memory than there is; set sft.gradient_checkpointing=true"
    ):
        train(base, tmp_path)


# ---- where an iteration starts


@pytest.mark.parametrize("method", ["full", "lora"])
def test_a_later_iteration_starts_where_it_is_told_to(
    base: Path, tmp_path: Path, method: str, full: Trained, lora: Trained
) -> None:
    first, adapter = full if method == "full" else lora
    base, pairs = (base, PAIRS) if method == "full" else (full[1], SIMP)
    merged = tmp_path / "model"
    export_model(base, adapter, merged, "float32", [p.state for p in PAIRS.base])
    config = SETTINGS.model_copy(update={"method": method, "later_steps": 1})
    starts = {}
    for start, previous in (("base", None), ("previous_adapter", adapter), ("merged", merged)):
        outcome = train(
            base,
            tmp_path / start,
            config.model_copy(update={"start": start}),
            iteration=1,
            previous=previous,
            pairs=pairs,
        )
        assert outcome.start == start
        assert outcome.rows[0].evaluation is not None
        starts[start] = outcome.rows[0].evaluation.total
        expected = base if start == "base" or (method, start) == ("lora", "previous_adapter") else previous
        assert expected is not None
        assert outcome.start_version == model_version(expected)
    assert first.best is not None
    assert first.rows[0].evaluation is not None
    assert starts["base"] == pytest.approx(first.rows[0].evaluation.total)
    assert starts["previous_adapter"] == pytest.approx(first.best.total)
    assert starts["merged"] == pytest.approx(first.best.total, rel=1e-4)


def test_the_start_is_never_the_result_though_training_only_makes_it_worse(full: Trained, tmp_path: Path) -> None:
    config = SETTINGS.model_copy(update={"learning_rate": 0.1, "start": "previous_adapter", "later_steps": 20})
    outcome = train(full[1], tmp_path, config, iteration=1, previous=full[1])
    assert outcome.best is not None
    assert outcome.rows[0].evaluation is not None
    assert outcome.best.total > outcome.rows[0].evaluation.total
    assert outcome.best_step in (10, 20)
    assert model_version(tmp_path / "adapter") != model_version(full[1])


def test_a_predecessor_of_the_wrong_kind_is_bad_input(base: Path, tmp_path: Path, full: Trained, lora: Trained) -> None:
    config = SETTINGS.model_copy(update={"start": "previous_adapter"})
    with pytest.raises(BadInput, match="iteration 0"):
        train(base, tmp_path, config, iteration=1)
    with pytest.raises(BadInput, match="needs a whole model"):
        train(base, tmp_path, config, iteration=1, previous=lora[1])
    with pytest.raises(BadInput, match="needs a LoRA adapter"):
        train(base, tmp_path, config.model_copy(update={"method": "lora"}), iteration=1, previous=full[1])


# ---- LoRA and export


def test_a_lora_training_writes_nothing_but_its_adapter(lora: Trained) -> None:
    outcome, folder = lora
    assert outcome.best is not None
    assert outcome.rows[0].evaluation is not None
    assert outcome.best.total < 0.7 * outcome.rows[0].evaluation.total
    weights = load_file(folder / "adapter_model.safetensors")
    assert all("lora_" in name for name in weights)
    assert {name.split(".")[-3] for name in weights} == {
        "q_proj",
        "k_proj",
        "v_proj",
        "o_proj",
        "gate_proj",
        "up_proj",
        "down_proj",
    }
    assert not (folder / "model.safetensors").exists()
    shape = json.loads((folder / "adapter_config.json").read_text())
    assert shape["base_model_name_or_path"] == outcome.start_version
    assert tempfile.gettempdir() not in "".join(file.read_text(errors="replace") for file in folder.iterdir())


def test_the_merged_model_computes_what_base_and_adapter_compute(tmp_path: Path, full: Trained, lora: Trained) -> None:
    base, adapter = full[1], lora[1]
    export_model(base, adapter, tmp_path / "model", "float32", [p.state for p in PAIRS.base])
    text = load_tokenizer(base)(prompt(PAIRS.base[0].state) + PAIRS.base[0].tactic, return_tensors="pt")
    plain = load_model(base, torch.float32)
    merged = load_model(tmp_path / "model", torch.float32)
    with torch.no_grad():
        before = plain(text["input_ids"]).logits
        beside = PeftModel.from_pretrained(plain, adapter)(text["input_ids"]).logits
        within = merged(text["input_ids"]).logits
    torch.testing.assert_close(within, beside, rtol=1e-4, atol=1e-4)
    assert (beside - before).abs().max() > 0.1


def test_an_adapter_can_be_looked_at_as_it_will_be_exported(tmp_path: Path, full: Trained, lora: Trained) -> None:
    base, adapter = full[1], lora[1]
    exported = export_model(base, adapter, tmp_path / "model", "bfloat16", [p.state for p in PAIRS.base])
    with merged(str(base), str(adapter), "bfloat16") as folder:
        assert model_version(Path(folder)) == exported.version
    assert not Path(folder).exists()
    (theirs := tmp_path / "theirs").mkdir()  # PEFT alone saves no tokenizer, and not what it was trained on
    for name in ("adapter_config.json", "adapter_model.safetensors"):
        shutil.copy(adapter / name, theirs)
    with merged(str(base), str(theirs), "bfloat16") as folder:
        assert model_version(Path(folder)) == exported.version
    wide = PolicyConfig(hidden_size=SHAPE.hidden_size * 2, layers=SHAPE.layers, heads=2, vocabulary=600)
    make_base([prompt(pair.state) for pair in PAIRS.base], tmp_path / "other", wide, 0)
    for model, beside, hint in ((tmp_path / "other", theirs, "does not fit"), (base, base, "holds no adapter")):
        with pytest.raises(BadInput, match=hint), merged(str(model), str(beside), "bfloat16"):
            pass


def test_an_adapter_is_not_merged_into_another_model(base: Path, tmp_path: Path, lora: Trained) -> None:
    with pytest.raises(BadInput, match="was trained on model"):
        export_model(base, lora[1], tmp_path / "model", "float32", ["⊢ True"])


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_an_exported_model_loads_plainly_and_writes_a_tactic(
    base: Path, tmp_path: Path, dtype: str, full: Trained
) -> None:
    outcome = export_model(base, full[1], tmp_path, dtype, [p.state for p in PAIRS.base])
    model, tokenizer = AutoModelForCausalLM.from_pretrained(tmp_path), AutoTokenizer.from_pretrained(tmp_path)
    assert model.dtype == getattr(torch, dtype)
    assert model.generation_config.eos_token_id == tokenizer.eos_token_id
    assert outcome.version == model_version(tmp_path)
    assert outcome.sample_log_prob < 0
    inputs = tokenizer(prompt(outcome.sample_state), return_tensors="pt")
    reply = model.generate(inputs["input_ids"], do_sample=False, max_new_tokens=SHAPE.max_new_tokens)
    text = tokenizer.decode(reply[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
    assert extract_tactic(text) == outcome.sample_tactic


def test_a_model_that_writes_nothing_or_computes_nonsense_is_not_exported(
    base: Path, tmp_path: Path, full: Trained
) -> None:
    _, folder = full
    broken = tmp_path / "broken"
    with tempfile.TemporaryDirectory() as scratch:
        train(base, Path(scratch))
        (Path(scratch) / "adapter").rename(broken)
    model = load_model(broken, torch.float32)
    with torch.no_grad():
        model.model.norm.weight.fill_(float("nan"))
    model.save_pretrained(broken)
    with pytest.raises(BadInput, match="holds NaN or infinity"):
        export_model(base, broken, tmp_path / "nan", "float32", ["⊢ True"])
    silent = LlamaForCausalLM(LlamaConfig.from_pretrained(folder))
    with torch.no_grad():
        silent.lm_head.weight.zero_()  # tied: every token is as likely, and the greedy choice is the first, the end
    silent.save_pretrained(broken)
    with pytest.raises(BadInput, match="wrote no tactic"):
        export_model(base, broken, tmp_path / "silent", "float32", ["⊢ True", "⊢ 1 = 1"])
