"""Joint training: two losses through the same weights of a small model."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from burnqed.config import DataConfig, EbmConfig, JointConfig, RunConfig, SftConfig
from burnqed.errors import BadInput, TryAgain
from burnqed.head.base import Head, make_head
from burnqed.head.metric import Metric
from burnqed.policy.encode import Encoder
from burnqed.policy.pooling import Pooling
from burnqed.policy.prompt import prompt
from burnqed.policy.template import COMPLETION, Template
from burnqed.policy.tiny import make_base
from burnqed.store import Store
from burnqed.train import parallel
from burnqed.train.adopt import adopt_head, fallen
from burnqed.train.checkpoint import Checkpoints
from burnqed.train.contrast import Contrast
from burnqed.train.ebm import HeadOutcome
from burnqed.train.embeddings import Embeddings
from burnqed.train.examples import HeadExamples
from burnqed.train.held_out import HeldOut
from burnqed.train.joint import HEAD_FOLDER, JointOutcome, JointTraining, Monitor, settings, train_joint
from burnqed.train.model import load_tokenizer, load_trainable, trainable
from burnqed.train.sft import Pairs, SftOutcome, prepare, train_sft
from tests.fixtures import trained_together
from tests.fixtures.joint_data import SHAPE, pairs, states

pytestmark = pytest.mark.usefixtures("one_thread")

PAIRS = Pairs(pairs(240, "known", 0), pairs(40, "search", 1))
EXAMPLES = states(150)
CONFIG = RunConfig(
    data=DataConfig(validation_fraction=0.2),
    policy=SHAPE,
    sft=SftConfig(
        method="lora",
        start="merged",
        batch_tokens=512,
        max_length=160,
        warmup_steps=5,
        checkpoint_every=7,
        base_pairs=100,
        lora_rank=4,
        lora_alpha=8,
        lora_dropout=0.1,
    ),
    ebm=EbmConfig(negatives=5),
    joint=JointConfig(
        enabled=True,
        weight=0.3,
        steps=24,
        learning_rate=1e-2,
        head_learning_rate=3e-3,
        positives=8,
        log_every=4,
        evaluate_every=8,
    ),
)
Trained = tuple[SftOutcome, JointOutcome, Path]
LEARNS: dict[str, dict[str, Any]] = {
    "sft": {"method": "full"},
    "ebm": {"dropout": 0.0},
    "joint": {
        "steps": 60,
        "weight": 3.0,
        "learning_rate": 3e-3,
        "head_learning_rate": 3e-2,
        "positives": 16,
        "evaluate_every": 20,
        "log_every": 5,
    },
}
"""With which both losses fall fast."""


def changed(config: RunConfig = CONFIG, **sections: dict[str, Any]) -> RunConfig:
    updates = {name: getattr(config, name).model_copy(update=values) for name, values in sections.items()}
    return config.model_copy(update=updates)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that has seen some of the pairs."""
    folder = tmp_path_factory.mktemp("base")
    make_base([prompt(pair.state) + pair.tactic for pair in PAIRS.base], folder, SHAPE, seed=0)
    config = SftConfig(learning_rate=1e-2, steps=20, batch_tokens=512, max_length=160, warmup_steps=5)
    workdir = tmp_path_factory.mktemp("start")
    checkpoints = Checkpoints(Store(str(workdir / "store")), "checkpoint.pt")
    train_sft(folder, PAIRS, config, iteration=0, validation_fraction=0.2, workdir=workdir, checkpoints=checkpoints)
    return workdir / "adapter"


def train(base: Path, workdir: Path, config: RunConfig = CONFIG, **options: Any) -> Trained:
    options.setdefault("checkpoints", Checkpoints(Store(str(workdir / "store")), "checkpoint.pt"))
    outcomes = train_joint(base, PAIRS, EXAMPLES, config, iteration=1, workdir=workdir, previous=base, **options)
    return *outcomes, workdir / "adapter"


@pytest.fixture(scope="module")
def trained(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return train(base, tmp_path_factory.mktemp("joint"))


@pytest.fixture(scope="module")
def learned(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return train(base, tmp_path_factory.mktemp("learned"), changed(**LEARNS))


def contrast_of(base: Path, config: RunConfig = CONFIG, examples: HeadExamples = EXAMPLES, **options: Any) -> Contrast:
    torch.manual_seed(0)
    model = load_trainable(base, None, settings(config.sft, config.joint))
    options = {"pooling": Pooling(128), "batch_tokens": 100_000, "bfloat16": False} | options
    head = make_head(torch.randn(50, options["pooling"].width(SHAPE.hidden_size)), config.ebm).to(model.device)
    held_out = examples.held_out(config.data.validation_fraction)
    training = np.flatnonzero(~held_out[examples.theorem])
    seen = examples.states.where(~held_out)
    tokenizer = load_tokenizer(base)
    contrast = Contrast(model, tokenizer, head, examples, training, seen, config.ebm, config.joint, **options)
    embeddings = contrast.embeddings(np.arange(200))
    assert embeddings is not None
    head.standardise(embeddings)
    return contrast


def gradient(module: torch.nn.Module) -> torch.Tensor:
    """Of all trainable weights, in one vector."""
    given = [p.grad if p.grad is not None else torch.zeros_like(p) for p in trainable(module).values()]
    return torch.cat([g.reshape(-1) for g in given])


# ---- one step


BOTH = pytest.mark.parametrize("template", [None, COMPLETION], ids=["mean", "prompt"])


@BOTH
@pytest.mark.parametrize("longest", [128, 56])
def test_the_embeddings_in_training_are_those_that_the_encoder_gives(
    base: Path, template: Template | None, longest: int
) -> None:
    contrast = contrast_of(base, pooling=Pooling(longest, template))
    chosen = np.arange(0, len(EXAMPLES.texts), 7)
    ours = contrast.embeddings(chosen)
    assert ours is not None
    theirs = Encoder(base, Pooling(longest, template)).embed([EXAMPLES.texts[i] for i in chosen.tolist()])
    np.testing.assert_allclose(ours.cpu().numpy(), theirs, atol=1e-5)


@BOTH
def test_the_gradient_cache_gives_the_gradient_of_one_large_batch(base: Path, template: Template | None) -> None:
    config = changed(sft={"lora_dropout": 0.0}, ebm={"dropout": 0.0, "depth_weight": 1.0})
    pooling = Pooling(128, template)
    whole, pieces = (contrast_of(base, config, pooling=pooling, batch_tokens=n) for n in (100_000, 300))
    for contrast in (whole, pieces):
        for name, parameter in trainable(contrast.model).items():
            if "lora_B" in name:  # 0 at first, which would hide the gradient of A
                torch.nn.init.normal_(parameter, std=0.05, generator=torch.Generator(parameter.device).manual_seed(1))
    groups = pieces.sequences(pieces.groups(0).states)
    assert sum(map(len, groups)) > 3 * 300
    losses = [contrast.backward(0)[0] for contrast in (whole, pieces)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    for of in ("model", "head"):
        one, other = (gradient(getattr(contrast, of)) for contrast in (whole, pieces))
        assert one.norm() > 1e-3
        assert (one - other).norm() <= 1e-5 * one.norm()


def test_the_gradient_of_the_depth_reaches_model_and_head_beside_that_of_info_nce(base: Path) -> None:
    options = {"sft": {"lora_dropout": 0.0}, "ebm": {"dropout": 0.0}}
    alone, twice, once = (
        contrast_of(base, changed(**options | {"ebm": {"dropout": 0.0, "depth_weight": w}})) for w in (0.0, 2.0, 1.0)
    )
    losses = [contrast.backward(0)[0] for contrast in (alone, twice, once)]
    assert losses == [losses[0]] * 3  # what is told is InfoNCE alone
    for of in ("model", "head"):
        without, double, single = (gradient(getattr(contrast, of)) for contrast in (alone, twice, once))
        assert (single - without).norm() > 1e-5
        assert (double - without - 2 * (single - without)).norm() <= 1e-4 * (double - without).norm()


@pytest.mark.parametrize("part", ["mean", "last"])
def test_the_gradient_reaches_the_model_through_both_parts_of_an_embedding(base: Path, part: str) -> None:
    contrast = contrast_of(base, pooling=Pooling(128, COMPLETION))
    z = contrast.embed(contrast.sequences(np.arange(4)))
    mean, last = z.split(SHAPE.hidden_size, dim=1)
    (mean if part == "mean" else last).square().sum().backward()  # type: ignore[no-untyped-call]
    assert gradient(contrast.model).norm() > 1e-3


def test_both_passes_of_the_gradient_cache_have_the_same_dropout(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contrast = contrast_of(base, changed(sft={"lora_dropout": 0.5}), batch_tokens=300)
    for name, parameter in trainable(contrast.model).items():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.2)
    embedded: list[torch.Tensor] = []
    embed = contrast.embed

    def noted(sequences: Any) -> torch.Tensor:
        embedded.append(embed(sequences))
        return embedded[-1]

    monkeypatch.setattr(contrast, "embed", noted)
    contrast.backward(0)
    half = len(embedded) // 2
    assert half >= 3
    for first, second in zip(embedded[:half], embedded[half:], strict=True):
        assert torch.equal(first, second.detach())
    contrast.backward(1)
    assert not torch.equal(embedded[0], embedded[2 * half])  # or dropout did nothing


def joint_training(base: Path, config: RunConfig) -> JointTraining:
    sft = settings(config.sft, config.joint)
    start = prepare(base, PAIRS, sft, 1, config.data.validation_fraction, base, COMPLETION)
    contrast = contrast_of(base, config)
    contrast.model = start.model
    held_out = EXAMPLES.held_out(config.data.validation_fraction)[EXAMPLES.theorem]
    judged = HeldOut(EXAMPLES, np.flatnonzero(held_out), config.ebm)
    monitor = Monitor(contrast, np.flatnonzero(~held_out), judged, 0)
    return JointTraining(start, sft, contrast, monitor, config)


def test_the_joint_gradient_is_that_of_the_next_token_plus_lambda_times_that_of_info_nce(base: Path) -> None:
    config = changed(sft={"lora_dropout": 0.0})
    run = joint_training(base, config)
    batch = [run.training[:6]]
    run.model.train()
    super(JointTraining, run).gradient(batch)
    next_token = gradient(run.model)
    run.model.zero_grad()
    run.contrast.backward(0, weight=1.0)
    info_nce, of_head = gradient(run.model), gradient(run.head)
    run.model.zero_grad()
    run.head.zero_grad()
    run.gradient(batch)
    assert info_nce.norm() > 1e-4  # it reaches the adapter
    assert next_token.norm() > 1e-4
    expected = next_token + 0.3 * info_nce
    assert (gradient(run.model) - expected).norm() <= 1e-5 * expected.norm()
    assert (gradient(run.head) - 0.3 * of_head).norm() <= 1e-5 * of_head.norm()


def test_a_step_that_does_not_fit_into_memory_is_made_again_in_smaller_pieces(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = changed(sft={"lora_dropout": 0.0}, ebm={"dropout": 0.0})
    expected = joint_training(base, config)
    batch = [expected.training[:6]]
    expected.gradient(batch)
    run = joint_training(base, config)
    run.contrast.batch_tokens = 2_000
    embed, sizes = run.contrast.embed, []

    def small(sequences: Any) -> torch.Tensor:
        sizes.append(sum(map(len, sequences)))
        if sizes[-1] > 500:
            raise torch.OutOfMemoryError("as a GPU says it")
        return embed(sequences)

    monkeypatch.setattr(run.contrast, "embed", small)
    run.gradient(batch)
    assert max(sizes) > 500
    assert run.contrast.splits >= 4
    for of in ("model", "head"):
        one, other = gradient(getattr(expected, of)), gradient(getattr(run, of))
        assert (one - other).norm() <= 1e-5 * one.norm()


def test_the_next_token_loss_has_the_random_numbers_that_it_has_alone(base: Path) -> None:
    contrast = contrast_of(base)
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    first = contrast.backward(3)[0]
    assert torch.equal(torch.rand(3), expected)
    contrast.model.zero_grad()
    assert contrast.backward(3)[0] == first


# ---- a training


def test_both_losses_fall_together(learned: Trained) -> None:
    _, joint, _ = learned
    lines = [line for line in joint.rows if line.next_token is not None and line.contrastive is not None]
    first, last = lines[0], lines[-1]
    assert (first.step, last.step) == (5, 60)
    assert last.next_token < 0.9 * first.next_token  # type: ignore[operator]
    assert last.contrastive < 0.5 * first.contrastive  # type: ignore[operator]
    start, end = (line for line in (joint.measured[0], joint.measured[-1]))
    assert end.evaluation < 0.95 * start.evaluation  # type: ignore[operator]
    assert end.metrics["loss"].value < 0.5 * start.metrics["loss"].value
    assert end.metrics["pairwise"].value > 0.9
    assert end.metrics["linear_probe"].value > start.metrics["linear_probe"].value + 0.1


def test_the_log_has_losses_and_temperature_and_at_longer_intervals_measurements(trained: Trained) -> None:
    sft, joint, _ = trained
    assert [line.step for line in joint.rows] == [0, 4, 8, 12, 16, 20, 24]
    assert [line.step for line in joint.measured] == [0, 8, 16, 24]
    assert sft.steps == 24
    assert {"centroid_l2", "linear_probe", "rank1", "rank1_depth_1", "energy_gap"} <= set(joint.rows[-1].metrics)


def test_model_and_head_are_those_of_one_step(base: Path, trained: Trained) -> None:
    sft, joint, folder = trained
    kept = next(line for line in joint.rows if line.step == sft.best_step)
    assert joint.head.metrics == kept.metrics
    assert kept.evaluation == min(line.evaluation for line in joint.measured[1:] if line.evaluation is not None)
    head = Head.load(folder / HEAD_FOLDER)
    assert head.temperature == pytest.approx(kept.temperature, rel=1e-6)
    assert head.embedding_id == ""


@pytest.mark.parametrize("method", ["lora", pytest.param("full", marks=pytest.mark.long)])
def test_without_lambda_it_is_plain_fine_tuning(base: Path, tmp_path: Path, method: str) -> None:
    config = changed(joint={"weight": 0.0, "learning_rate": 2e-3}, sft={"method": method})
    joint, _, _ = train(base, tmp_path / "joint", config)
    sft = settings(config.sft, config.joint)
    checkpoints = Checkpoints(Store(str(tmp_path / "store")), "checkpoint.pt")
    alone = train_sft(
        base, PAIRS, sft, iteration=1, validation_fraction=0.2, workdir=tmp_path / "sft", checkpoints=checkpoints, previous=base
    )  # fmt: skip
    assert alone.steps == 24
    for ours, theirs in zip(joint.rows, alone.rows, strict=True):
        assert ours.loss == pytest.approx(theirs.loss, rel=1e-5)
        assert ours.learning_rate == theirs.learning_rate
        assert (ours.evaluation is None) == (theirs.evaluation is None)
        if ours.evaluation and theirs.evaluation:
            assert ours.evaluation.total == pytest.approx(theirs.evaluation.total, rel=1e-5)


@pytest.mark.parametrize(
    "asked", [pytest.param(3, marks=pytest.mark.long), 20, pytest.param(41, marks=pytest.mark.long)]
)
def test_an_interrupted_training_continues_to_the_same_result(
    base: Path, trained: Trained, tmp_path: Path, asked: int
) -> None:
    left = asked

    def should_stop() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    checkpoints = Checkpoints(Store(str(tmp_path / "store")), "checkpoint.pt")
    with pytest.raises(TryAgain):
        train(base, tmp_path / "first", checkpoints=checkpoints, should_stop=should_stop)
    _, joint, folder = train(base, tmp_path / "second", checkpoints=checkpoints)
    assert joint == trained[1]
    for file in ("adapter_model.safetensors", "joint.json", "sft.json", f"{HEAD_FOLDER}/head.safetensors"):
        assert (folder / file).read_bytes() == (trained[2] / file).read_bytes(), file


@pytest.mark.long
def test_a_training_that_a_limit_ended_goes_on_with_a_wider_one(
    base: Path, trained: Trained, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(BadInput, match=r"may be 0.001 \(joint.max_loss\)"):
        train(base, tmp_path, changed(joint={"judged_after": 16, "max_loss": 0.001}))
    with caplog.at_level("INFO", "burnqed"):
        _, joint, _ = train(base, tmp_path)
    assert "continues after step 14" in caplog.text
    assert joint == trained[1]


@pytest.mark.long
def test_two_processes_train_jointly_as_one_does(base: Path, tmp_path: Path) -> None:
    """Without dropout of the adapters, which depends on the process; the head's does not."""
    config = changed(
        sft={"lora_dropout": 0.0},
        ebm={"depth_weight": 1.0},
        joint={"steps": 8, "evaluate_every": 4, "learning_rate": 2e-3},
    )

    def together(number: int, config: RunConfig) -> JointOutcome:
        workdir = tmp_path / str(number)
        options = {
            "base": base, "pairs": PAIRS, "config": config, "iteration": 1, "workdir": workdir, "previous": base,
        }  # fmt: skip
        outcome: JointOutcome = parallel.run(
            number, trained_together.joint, (options, str(workdir / "store")), lambda: False
        )
        return outcome

    one = together(1, config)
    two = together(2, changed(config, sft={"lora_dropout": 0.0, "sharded": True}))
    assert [line.step for line in two.rows] == [line.step for line in one.rows]
    for ours, theirs in zip(two.rows, one.rows, strict=True):
        assert (ours.next_token, ours.contrastive) == pytest.approx((theirs.next_token, theirs.contrastive), rel=1e-4)
        assert ours.temperature == pytest.approx(theirs.temperature, rel=1e-5)
        assert ours.evaluation == pytest.approx(theirs.evaluation, rel=1e-4)
    first, second = (load_file(tmp_path / n / "adapter" / "adapter_model.safetensors") for n in ("1", "2"))
    assert max(float((first[name] - second[name]).abs().max()) for name in first) < 1e-4


def test_in_how_many_pieces_states_are_embedded_changes_nothing(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes = [0, 0]
    embed = Contrast.embed
    outcomes = []
    for number, tokens in enumerate((300, 100_000)):

        def counted(self: Contrast, sequences: Any, number: int = number) -> torch.Tensor:
            passes[number] += torch.is_grad_enabled()
            return embed(self, sequences)

        monkeypatch.setattr(Contrast, "embed", counted)
        config = changed(sft={"lora_dropout": 0.0}, ebm={"dropout": 0.0}, joint={"steps": 8, "batch_tokens": tokens})
        outcomes.append(train(base, tmp_path / str(number), config)[1])
    assert passes[0] > 2 * passes[1] > 0
    for one, other in zip(outcomes[0].rows, outcomes[1].rows, strict=True):
        assert one.contrastive == pytest.approx(other.contrastive, rel=1e-4)


def test_positives_without_other_states_count_for_the_depth_alone(base: Path) -> None:
    examples = states(150, alone=120)
    contrast = contrast_of(base, changed(ebm={"depth_weight": 1.0}), examples)
    alone = set(examples.state[examples.theorem >= 30].tolist())
    groups = contrast.groups(0)
    assert not alone & set(groups.states[groups.members].reshape(-1).tolist())
    assert groups.depth is not None
    positives = groups.states[groups.depth.members[:, 0]]
    first, others = np.split(positives, [CONFIG.joint.positives])
    assert first.tolist() == groups.states[groups.members[:, 0]].tolist()
    assert len(others) == len(first)
    assert alone >= set(others.tolist())
    assert groups.depth.earlier.present[len(first) :].any(axis=1).all(), "each has a state before it"


# ---- verdicts


@pytest.mark.parametrize(
    ("sections", "verdict"),
    [
        ({"ebm": {"max_temperature": 1.05}, "joint": {"head_learning_rate": 0.2}}, "temperature reached the ceiling 1.05"),
        (LEARNS | {"ebm": {"min_temperature": 0.97, "dropout": 0.0}}, "temperature reached the floor 0.97"),
        ({"joint": {"judged_after": 8, "min_centroid": 1e3}}, "after step 8: centroid_l2 is .* must be at least 1000 .joint.min_centroid.; raise joint.weight"),
        pytest.param({"joint": {"judged_after": 16, "max_loss": 0.001}}, "after step 16: the next-token loss is", marks=pytest.mark.long),
        pytest.param({"joint": {"judged_after": 8, "min_linear_probe": 1.0}}, "after step 8: linear_probe is", marks=pytest.mark.long),
        ({"joint": {"min_linear_probe": 1.0}}, "the linear probe held at none of the steps"),
    ],
)  # fmt: skip
def test_a_training_that_goes_wrong_ends_with_its_verdict(
    base: Path, tmp_path: Path, sections: dict[str, dict[str, Any]], verdict: str
) -> None:
    with pytest.raises(BadInput, match=verdict):
        train(base, tmp_path, changed(**sections))
    assert not (tmp_path / "adapter").exists()


def test_the_first_batch_is_tried_before_the_training(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Contrast, "loss", lambda self, z, groups: (self.head(z, z).mean() * 0 + 1, torch.ones(())))
    with pytest.raises(BadInput, match="gradient of the head's loss has the norm 0 at the weights of the model"):
        train(base, tmp_path)


@pytest.mark.long
def test_a_joint_head_learns_what_remains(base: Path, tmp_path: Path, learned: Trained) -> None:
    deeper = train(base, tmp_path, changed(**LEARNS | {"ebm": {"dropout": 0.0, "depth_weight": 1.0}}))
    without, with_depth = (one[1].measured[-1].metrics["progress"].value for one in (learned, deeper))
    assert with_depth > max(0.8, without)


def test_without_a_state_to_tell_apart_there_is_no_joint_training(base: Path, tmp_path: Path) -> None:
    alone = states(1, siblings=0)
    with pytest.raises(BadInput, match="joint.enabled=false"):
        train_joint(
            base, PAIRS, alone, changed(data={"validation_fraction": 0.0}), iteration=1, workdir=tmp_path, previous=base,
            checkpoints=Checkpoints(Store(str(tmp_path / "store")), "c.pt"),
        )  # fmt: skip


# ---- the head, after the export


def adopted(learned: Trained, model: Path, workdir: Path) -> HeadOutcome:
    encoder = Encoder(model, Pooling(SHAPE.embed_max_tokens))
    embeddings = Embeddings(encoder.embedding_id, encoder.embed(list(EXAMPLES.texts)))
    config = changed(**LEARNS).ebm
    return adopt_head(
        learned[2] / HEAD_FOLDER, learned[1], EXAMPLES, embeddings, config, validation_fraction=0.2, workdir=workdir
    )


def test_the_exported_model_takes_over_the_head_and_measures_it_anew(learned: Trained, tmp_path: Path) -> None:
    outcome = adopted(learned, learned[2], tmp_path)
    assert outcome.accepted
    assert outcome.steps == 60
    head = Head.load(tmp_path / "head")
    assert head.embedding_id == Encoder(learned[2], Pooling(SHAPE.embed_max_tokens)).embedding_id
    embeddings = Encoder(learned[2], Pooling(SHAPE.embed_max_tokens)).embed(list(EXAMPLES.texts))
    np.testing.assert_allclose(head.mean.numpy(), embeddings.mean(axis=0), atol=1e-4)
    before, after = learned[1].head.metrics["pairwise"].value, outcome.metrics["pairwise"].value
    assert after == pytest.approx(before, abs=0.05)


def test_model_and_head_learn_together_from_states_in_their_prompts(base: Path, tmp_path: Path) -> None:
    options = {"steps": 8, "evaluate_every": 4, "learning_rate": 1e-3}
    config = changed(policy={"embedding": "prompt"}, sft={"method": "full"}, joint=options)
    _, joint, model = train(base, tmp_path, config)
    assert joint.steps == 8
    assert Head.load(model / HEAD_FOLDER).d == 2 * SHAPE.hidden_size
    encoder = Encoder(model, Pooling(SHAPE.embed_max_tokens, COMPLETION))
    embeddings = Embeddings(encoder.embedding_id, encoder.embed(list(EXAMPLES.texts)))
    outcome = adopt_head(
        model / HEAD_FOLDER, joint, EXAMPLES, embeddings, config.ebm, validation_fraction=0.2, workdir=tmp_path
    )
    before, after = joint.head.metrics["pairwise"].value, outcome.metrics["pairwise"].value
    assert after == pytest.approx(before, abs=0.02)
    assert Head.load(tmp_path / "head").embedding_id == encoder.embedding_id


def test_a_head_that_lost_its_accuracy_on_the_way_is_refused(base: Path, learned: Trained, tmp_path: Path) -> None:
    """The embeddings are another model's: those of the start."""
    outcome = adopted(learned, base, tmp_path)
    assert not outcome.accepted
    assert "rank accuracy" in outcome.reason
    little = Metric(value=0.9, chance=0.5, count=100, error=0.03)
    assert not fallen(little, little.model_copy(update={"value": 0.85}))
    assert "fell from 0.900" in fallen(little, little.model_copy(update={"value": 0.8}))


def test_an_adapter_that_is_trained_further_keeps_its_rank(base: Path, trained: Trained) -> None:
    with pytest.raises(BadInput, match="has the rank 4, and 16 is asked for"):
        load_trainable(base, trained[2], settings(CONFIG.sft, CONFIG.joint.model_copy(update={"lora_rank": 16})))


def test_a_new_adapter_may_have_another_rank(base: Path) -> None:
    sft = settings(CONFIG.sft, CONFIG.joint.model_copy(update={"lora_rank": 16}))
    assert (sft.lora_rank, sft.lora_alpha / sft.lora_rank) == (16, CONFIG.sft.lora_alpha / CONFIG.sft.lora_rank)
    assert math.isclose(sft.learning_rate * sft.learning_rate_decay, CONFIG.joint.learning_rate)
