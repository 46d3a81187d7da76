"""Fine-tuning against TRL's SFTTrainer: tokens of content per second, with the same pairs, weights, optimiser and number type, in one run.

    .venv/bin/uv pip install trl                                    # not a dependency
    .venv/bin/python -m benchmarks.sft_trl                          # a random Llama of 20 M parameters, in float32
    .venv/bin/python -m benchmarks.sft_trl --model FOLDER           # another one, on the GPU where there is one

TRL runs three times: with its defaults (8 examples a batch, padded; gradient checkpointing), the same without gradient checkpointing, and with packing
(rows of 1,024 tokens; without gradient checkpointing). burnqed packs batches of as many tokens as TRL's packed ones, without gradient checkpointing, too. A step's
seconds hold forward, backward and the optimiser; neither evaluation nor checkpoints. Tokens of content are prompts and tactics, not padding.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

from benchmarks.encoding import SHAPE, replayed
from burnqed.config import SftConfig
from burnqed.data.pairs import TacticPair
from burnqed.policy.batches import batches
from burnqed.policy.prompt import prompt
from burnqed.policy.template import COMPLETION
from burnqed.policy.tiny import make_base
from burnqed.train.loop import Training
from burnqed.train.model import load_model, load_tokenizer, load_trainable
from burnqed.train.packing import encode, shuffled

ROW, ROWS = 1_024, 8
"""Tokens of TRL's packed rows, and rows of a batch."""
WARM_UP = 2
"""Steps that are not counted."""


def ours(model: Path, pairs: list[TacticPair], tokens: int) -> float:
    config = SftConfig(batch_tokens=ROW * ROWS, max_length=ROW, learning_rate=2e-5)
    examples = encode(load_tokenizer(model), pairs, ROW, COMPLETION)
    training = Training(
        load_trainable(model, None, config), examples, [1] * len(examples), {}, config, steps=10_000, peak=2e-5
    )
    upcoming = batches((examples[i] for i in shuffled([1] * len(examples), 0)), config.batch_tokens)
    while sum(row.tokens for row in training.rows[WARM_UP:]) < tokens:
        training.advance([next(upcoming)])
    counted = training.rows[WARM_UP:]
    return sum(row.tokens for row in counted) / sum(row.seconds for row in counted)


def trl(model: Path, pairs: list[TacticPair], tokens: int, **options: Any) -> float:
    from datasets import Dataset
    from transformers import TrainerCallback
    from trl import SFTConfig as Config
    from trl import SFTTrainer

    seconds: list[float] = []
    content: list[int] = []

    class Clock(TrainerCallback):
        def on_step_begin(self, *_: Any, **__: Any) -> None:
            self.began = time.perf_counter()

        def on_step_end(self, args: Any, state: Any, control: Any, **__: Any) -> None:
            seconds.append(time.perf_counter() - self.began)
            control.should_training_stop = sum(content[WARM_UP:]) >= tokens

    class Counting(SFTTrainer):  # type: ignore[misc]
        def training_step(self, model: Any, inputs: Any, *rest: Any) -> Any:
            mask = inputs.get("attention_mask")
            content.append(int(mask.sum()) if mask is not None else inputs["input_ids"].numel())
            return super().training_step(model, inputs, *rest)

    rows = [{"prompt": prompt(pair.state), "completion": pair.tactic.strip()} for pair in pairs]
    with tempfile.TemporaryDirectory() as folder:
        config = Config(
            output_dir=folder, max_length=ROW, max_steps=10_000, learning_rate=2e-5, weight_decay=0.01, adam_beta2=0.95, bf16=False,
            use_cpu=not torch.cuda.is_available(), report_to="none", save_strategy="no", logging_strategy="no", disable_tqdm=True, **options,
        )  # fmt: skip
        Counting(
            model=load_model(model, torch.float32), args=config, train_dataset=Dataset.from_list(rows),
            processing_class=load_tokenizer(model), callbacks=[Clock()],
        ).train()  # fmt: skip
    return sum(content[WARM_UP:]) / sum(seconds[WARM_UP:])


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--model", type=Path)
    options.add_argument("--proofs", type=int, default=400)
    options.add_argument("--tokens", type=int, default=30_000, help="to train on, each way")
    given = options.parse_args()
    logging.getLogger("transformers").setLevel(logging.ERROR)
    pairs = asyncio.run(replayed(given.proofs))
    with tempfile.TemporaryDirectory() as folder:
        model = given.model or Path(folder)
        if not given.model:
            make_base([prompt(pair.state) + pair.tactic for pair in pairs], model, SHAPE, 0)
        ways = {
            "TRL": lambda: trl(model, pairs, given.tokens),
            "TRL, no checkpoints": lambda: trl(model, pairs, given.tokens, gradient_checkpointing=False),
            "TRL, packing": lambda: trl(model, pairs, given.tokens, gradient_checkpointing=False, packing=True),
            "burnqed": lambda: ours(model, pairs, given.tokens),
        }
        found: dict[str, float] = {}
        for name, run in ways.items():
            found[name] = run()
            print(f"{name:<20} {found[name]:8.0f} tokens of content/s", flush=True)
    for name in list(ways)[:-1]:
        print(f"burnqed / {name}: {found['burnqed'] / found[name]:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
