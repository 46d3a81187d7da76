"""Fine-tuning with Muon as `burnqed.train.muon` has it, and with torch's own: tokens per second of whole steps, by turns, in one run.

    .venv/bin/python -m benchmarks.muon                # a random model of the demo's shape, on the corpus's statements
    .venv/bin/python -m benchmarks.muon --precision bfloat16

Prints the ratio, and the last loss of each; they begin with equal weights, and differ by rounding: torch's own rounds to bfloat16 everywhere.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from itertools import islice
from pathlib import Path
from unittest.mock import patch

import torch

from burnqed.config import PolicyConfig, SftConfig
from burnqed.data.corpus import load_corpus
from burnqed.data.pairs import TacticPair
from burnqed.policy.batches import batches
from burnqed.policy.prompt import prompt
from burnqed.policy.template import COMPLETION
from burnqed.policy.tiny import make_base
from burnqed.train import optimizers
from burnqed.train.loop import LossRow, Training
from burnqed.train.packing import shuffled
from burnqed.train.sft import Pairs, material, prepare


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--steps", type=int, default=24)
    options.add_argument("--precision", default="float32")
    given = options.parse_args()
    pairs = [
        TacticPair(
            theorem=proof.theorem.name,
            state=f"⊢ {proof.theorem.statement}",
            tactic="\n".join(proof.tactics),
            source="corpus",
        )
        for proof in load_corpus()
    ]
    config = SftConfig(
        method="full", optimizer="muon", precision=given.precision, steps=given.steps, learning_rate=0.003
    )
    runs: dict[str, Training] = {}
    with tempfile.TemporaryDirectory() as folder:
        make_base([prompt(pair.state) for pair in pairs], Path(folder), PolicyConfig(), 0)
        for name, kind in {"torch": torch.optim.Muon, "burnqed": optimizers.Muon}.items():
            with patch.object(optimizers, "Muon", kind):
                start = prepare(Path(folder), Pairs(pairs), config, 0, 0.1, None, COMPLETION)
                runs[name] = Training(start.model, *material(start, config), config, steps=given.steps, peak=0.003)
                runs[name].rows = [LossRow(step=0)]
    training = runs["torch"].training
    order = (training[i] for i in shuffled([1] * len(training), 0))
    for batch in islice(batches(order, config.batch_tokens), given.steps):
        for run in runs.values():
            run.advance([batch])
    where = torch.cuda.get_device_name() if torch.cuda.is_available() else f"CPU, {torch.get_num_threads()} threads"
    print(f"{given.steps} steps of about {config.batch_tokens} tokens; {given.precision}, {where}; medians")
    speed = {name: statistics.median(row.tokens_per_s for row in run.rows[3:]) for name, run in runs.items()}
    for name, tokens in speed.items():
        print(
            f"{name:<8} {tokens:8.0f} tokens/s   {tokens / speed['torch']:5.2f}   loss at the end {runs[name].rows[-1].loss:.4f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
