"""Fine-tuning on next-token loss over tactics: known pairs, and pairs from proofs that search found.

    outcome = train_sft(base, Pairs(known, searched), config.sft, iteration=1, previous=…, validation_fraction=0.05,
                        workdir=…, checkpoints=Checkpoints(store, path))

writes `workdir/adapter`: a LoRA adapter or all weights (`sft.method`), with the tokenizer and the outcome (`sft.json`). The
loop (`burnqed.train.loop`) is plain torch: a small model on two processor cores should spend its time in matrix products.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict

from burnqed.config import SftConfig
from burnqed.data.pairs import TacticPair
from burnqed.data.split import split, unit_interval
from burnqed.errors import BadInput
from burnqed.key import digest_of
from burnqed.log import log
from burnqed.policy.template import COMPLETION, Template
from burnqed.policy.version import ADAPTER_FILE, model_version
from burnqed.train.checkpoint import Checkpoints
from burnqed.train.loop import EvaluationLoss, Kind, LossRow, Training
from burnqed.train.losses import check_packing
from burnqed.train.model import load_tokenizer, load_trainable
from burnqed.train.packing import Example, encode
from burnqed.train.parallel import Processes, whole
from burnqed.train.preferences import PreferenceTraining, draw, encode_preferences
from burnqed.trajectory.reader import Preference

OUTCOME_FILE = "sft.json"
TIMINGS: Any = {"tokens_per_s": True, "rows": {"__all__": {"seconds", "tokens_per_s"}}}
"""Left out of the file, because equal trainings write equal files."""


class SftOutcome(BaseModel):
    """The result of a fine-tuning."""

    model_config = ConfigDict(frozen=True)

    method: Literal["full", "lora"]
    start: Literal["previous_adapter", "merged", "base"]
    start_version: str
    """Version of the whole model that was loaded, to which a LoRA adapter belongs."""
    iteration: int
    learning_rate: float
    """At its peak."""
    steps: int
    best_step: int
    """The step whose weights were kept."""
    best: EvaluationLoss | None
    """None without validation pairs."""
    last_loss: float
    """Mean training loss of the last 50 steps."""
    tokens: int
    tokens_per_s: float = 0.0
    """Not written, like the seconds of each row, because equal trainings write equal bytes."""
    base_pairs: int
    trajectory_pairs: int
    """Trained on, each counted once."""
    validation_pairs: int
    too_long: int
    """Pairs left out because they exceed `sft.max_length` tokens."""
    preference_loss: float | None = None
    """Mean preference loss of the last 50 steps; None where there were no preferences. It begins at log 2."""
    rows: list[LossRow]


@dataclass(frozen=True)
class Pairs:
    """What to train on."""

    base: Sequence[TacticPair]
    """Of known proofs."""
    trajectory: Sequence[TacticPair] = ()
    """Of proofs found in earlier iterations; duplicates count once."""
    preferences: Sequence[Preference] = ()
    """At states of these proofs; used where `sft.preferences` gives them a weight."""


@dataclass(frozen=True)
class Start:
    """A model to train, and what to train it on."""

    model: Any
    tokenizer: Any
    kind: Literal["previous_adapter", "merged", "base"]
    version: str
    """See `SftOutcome.start_version`."""
    iteration: int
    chosen: dict[str, list[TacticPair]]
    """The pairs by use (`choose`)."""
    examples: dict[str, list[Example]]
    """The same without those that are too long."""
    fingerprint: str
    """A digest of everything that decides the course of the training."""

    @property
    def too_long(self) -> int:
        return sum(map(len, self.chosen.values())) - sum(map(len, self.examples.values()))


def train_sft(
    base: Path,
    pairs: Pairs,
    config: SftConfig,
    *,
    iteration: int,
    validation_fraction: float,
    workdir: Path,
    checkpoints: Checkpoints,
    previous: Path | None = None,
    template: Template = COMPLETION,
    should_stop: Callable[[], bool] = lambda: False,
) -> SftOutcome:
    """Trains and writes `workdir/adapter`; continues from the checkpoint, if there is one.

    base: folder of the model that iteration 0 starts from. previous: what iteration N > 0 starts from, as `sft.start` says:
    the folder that iteration N − 1 wrote here (`previous_adapter`) or its exported model (`merged`).

    Raises BadInput when model or pairs are unusable or the loss is not finite, TryAgain (after a checkpoint) once
    `should_stop` says so.
    """
    start = prepare(base, pairs, config, iteration, validation_fraction, previous, template)
    arguments = (start.model, *material(start, config), config)
    plan, fingerprint = schedule(config, iteration), start.fingerprint
    weighted = pairs.preferences and config.preferences
    drawn = draw(pairs.preferences, config, plan["steps"], validation_fraction) if weighted else []
    run: Training
    if preferred := encode_preferences(start.tokenizer, drawn, config, template) if drawn else []:
        run = PreferenceTraining(*arguments, preferences=preferred, **plan)
        fingerprint = digest_of([fingerprint, drawn])
    else:
        run = Training(*arguments, **plan)
    run.run(checkpoints, fingerprint, should_stop)
    return finish(start, run, workdir / "adapter")


def prepare(
    base: Path,
    pairs: Pairs,
    config: SftConfig,
    iteration: int,
    validation_fraction: float,
    previous: Path | None,
    template: Template,
) -> Start:
    """Loads the model and encodes the pairs. The arguments are those of `train_sft`. Raises BadInput as that does."""
    # 1. Model
    kind = "base" if iteration == 0 else config.start
    folder, adapter = find_start(base, previous, config, kind, iteration)
    version = model_version(folder)
    tokenizer = load_tokenizer(folder)
    template.check(tokenizer.get_vocab().__contains__, folder)
    torch.manual_seed(config.seed)
    model = load_trainable(folder, adapter, config)
    # 2. Data
    chosen = choose(pairs, config, iteration, validation_fraction)
    examples = {name: encode(tokenizer, part, config.max_length, template) for name, part in chosen.items()}
    training = examples["base"] + examples["trajectory"]
    if not training:
        raise BadInput(
            "There is no tactic pair to train on; give known proofs, or check the filters of the data section."
        )
    check_packing(model, training[:8])
    identity = fingerprint(config, iteration, version, chosen)
    return Start(model, tokenizer, kind, version, iteration, chosen, examples, identity)


def material(start: Start, config: SftConfig) -> tuple[list[Example], list[int], dict[Kind, list[Example]]]:
    """The training examples, how often each comes, and the validation examples: arguments of `Training`."""
    examples = start.examples
    counts = [repeats(example.log_prob, config.trajectory_upsample) for example in examples["trajectory"]]
    kinds: tuple[Kind, ...] = ("base", "trajectory")
    sizes = ", ".join(f"{len(e):,} {name} pairs" for name, e in examples.items())
    log.info("fine-tuning: %s; %d too long; trajectory pairs count %d times", sizes, start.too_long, sum(counts))
    return (
        examples["base"] + examples["trajectory"],
        [1] * len(examples["base"]) + counts,
        {kind: examples[f"{kind} validation"] for kind in kinds},
    )


def finish(start: Start, run: Training, target: Path) -> SftOutcome:
    """Writes the weights of a finished training, and its outcome; of several processes, only the first one does."""
    weights = {name: whole(tensor) for name, tensor in start.model.state_dict().items()}
    is_first = Processes.here().rank == 0
    if is_first:
        save(start.model, weights, target, start.version)
        start.tokenizer.save_pretrained(target)
    steps = run.rows[1:]
    tokens = sum(row.tokens for row in steps)
    outcome = SftOutcome(
        method=run.config.method,
        start=start.kind,
        start_version=start.version,
        iteration=start.iteration,
        learning_rate=run.peak,
        steps=run.steps,
        best_step=run.best_step,
        best=run.best,
        last_loss=float(np.mean([row.loss for row in steps[-50:]])),
        tokens=tokens,
        tokens_per_s=tokens / sum(row.seconds for row in steps),
        base_pairs=len(start.examples["base"]),
        trajectory_pairs=len(start.examples["trajectory"]),
        validation_pairs=sum(len(part) for part in run.validation.values()),
        too_long=start.too_long,
        preference_loss=preference_loss([row.preference for row in steps]),
        rows=run.rows,
    )
    if is_first:
        (target / OUTCOME_FILE).write_text(outcome.model_dump_json(indent=1, exclude=TIMINGS) + "\n", encoding="utf-8")
    return outcome


def preference_loss(losses: Sequence[float | None]) -> float | None:
    last = [loss for loss in losses[-50:] if loss is not None]
    return float(np.mean(last)) if last else None


def schedule(config: SftConfig, iteration: int) -> dict[str, Any]:
    """`steps` and `peak` of `Training`."""
    if iteration == 0:
        return {"steps": config.steps, "peak": config.learning_rate}
    return {"steps": config.later_steps, "peak": config.learning_rate * config.learning_rate_decay**iteration}


def repeats(log_prob: float | None, most: int) -> int:
    """How often a pair from a search counts: once where the policy was sure of the tactic, up to `most` times where it was not
    (1 / probability).

    A policy finds what it is already sure of. With equal weights these pairs make it surer still, until eight samples are one tactic;
    weighted by inverse probability, as in importance sampling, every way to a proof counts the same.
    """
    return most if log_prob is None else min(most, max(1, round(math.exp(min(-log_prob, 50.0)))))


def find_start(
    base: Path, previous: Path | None, config: SftConfig, kind: str, iteration: int
) -> tuple[Path, Path | None]:
    """The whole model to load, and the LoRA adapter to train further, if any.

    Raises BadInput when the previous iteration left nothing of the kind that is needed.
    """
    if kind == "base":
        return base, None
    if previous is None or not previous.is_dir():
        raise BadInput(f"sft.start is {kind}, but there is no result of iteration {iteration - 1}; run that one first.")
    continues_adapter = kind == "previous_adapter" and config.method == "lora"
    if (previous / ADAPTER_FILE).is_file() != continues_adapter:
        adapter, model = "a LoRA adapter", "a whole model"
        present, needed = (model, adapter) if continues_adapter else (adapter, model)
        raise BadInput(
            f"{previous} holds {present}, but sft.start={kind} with sft.method={config.method} needs {needed}; "
            "keep sft.method over all iterations, or set sft.start=merged."
        )
    return (base, previous) if continues_adapter else (previous, None)


def choose(pairs: Pairs, config: SftConfig, iteration: int, validation_fraction: float) -> dict[str, list[TacticPair]]:
    """The pairs by use. Of the base pairs iteration 0 trains on all and later ones on a sample; all trajectory pairs are used."""
    base, base_validation = split(pairs.base, validation_fraction)
    distinct = {(pair.theorem, pair.state, pair.tactic): pair for pair in pairs.trajectory}
    trajectory, trajectory_validation = split(distinct.values(), validation_fraction)
    if iteration > 0:
        base = sample(base, config.base_pairs, config.seed, iteration)
    return {
        "base": base,
        "trajectory": trajectory,
        # the same pairs in every iteration, to make losses comparable
        "base validation": sample(base_validation, config.evaluation_pairs),
        "trajectory validation": sample(trajectory_validation, config.evaluation_pairs),
    }


def sample(pairs: list[TacticPair], size: int, *salt: int) -> list[TacticPair]:
    """`size` of the pairs (all for 0), chosen by hash, in their original order."""
    if size == 0 or len(pairs) <= size:
        return pairs
    draws = [unit_interval("sample", *salt, pair.theorem, pair.state, pair.tactic) for pair in pairs]
    limit = sorted(draws)[size]
    return [pair for pair, draw in zip(pairs, draws, strict=True) if draw < limit]


def save(model: Any, weights: dict[str, torch.Tensor], target: Path, version: str) -> None:
    """Writes an adapter without the paths of this machine, or a whole model."""
    if not hasattr(model, "peft_config"):
        model.save_pretrained(target, state_dict=weights)
        return
    described = model.peft_config["default"]
    described.base_model_name_or_path = version
    described.target_modules = sorted(described.target_modules)  # of a set, whose order is another in each process
    model.save_pretrained(target, state_dict=weights, save_embedding_layers=False)
    (target / "README.md").unlink()  # a model card with the path of the base model


def fingerprint(config: SftConfig, iteration: int, version: str, chosen: dict[str, list[TacticPair]]) -> str:
    """A digest of everything that decides the course of a training."""
    data: dict[str, Any] = {name: [(p.state, p.tactic, p.log_prob) for p in part] for name, part in chosen.items()}
    return digest_of([config.meaning(), iteration, version, data])
