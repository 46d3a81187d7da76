"""Joint training against fine-tuning on next-token loss alone: embeddings of held-out theorems' states, from the same start, with the same pairs.

    .venv/bin/burnqed run iteration --iter 0 --profile demo --store demo
    .venv/bin/python -m benchmarks.joint demo                # iteration 1 trained both ways, three seeds

Both train the model of iteration 0 for as many steps, at the same learning rate. Then each model embeds the states that iteration 0's search and replay met; the
figures are of theorems that no training saw: the distance between the mean embeddings of states on and off proofs, the same divided by the pooled
deviation (the distance alone grows with scale), the accuracy of a linear probe, and that of a head (how often a positive lies below one of its negatives): the joint
training's own, taken over, and for the other model one that is trained on its finished embeddings.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from burnqed.config import RunConfig
from burnqed.data.pairs import TacticPair
from burnqed.layout import Layout
from burnqed.modelcache import fetch_once
from burnqed.policy.encode import Encoder
from burnqed.policy.pooling import Pooling
from burnqed.resolve import resolve
from burnqed.steps.base import Context
from burnqed.steps.sft import weighted_pairs
from burnqed.steps.trajectories import explored_before, rows_of, searched_before
from burnqed.store import Store
from burnqed.train.adopt import adopt_head
from burnqed.train.checkpoint import Checkpoints
from burnqed.train.ebm import train_head
from burnqed.train.embeddings import Embeddings
from burnqed.train.examples import COLUMNS, HeadExamples
from burnqed.train.joint import HEAD_FOLDER, settings, train_joint
from burnqed.train.quality import class_rows, embedding_metrics
from burnqed.train.sft import Pairs, train_sft
from burnqed.trajectory.reader import proof_pairs

SETTINGS = {"enabled": "true", "steps": 320, "learning_rate": 0.0012, "head_learning_rate": 0.003, "evaluate_every": 80}
FIGURES = ("next token", "centroid", "scaled", "probe", "head")
Figures = dict[str, float]


class Comparison:
    """Trainings of iteration 1 in a store that has iteration 0."""

    def __init__(self, store: Store, overrides: Sequence[str], workdir: Path) -> None:
        layout = Layout("main", 1)
        base = RunConfig.model_validate(store.read_json(layout.settings))
        given = [f"joint.{name}={value}" for name, value in SETTINGS.items()]
        self.config = resolve(None, [*given, *overrides], base=base).config
        context = Context(store, layout, self.config, workdir)
        found = (proof_pairs(rows) for rows in rows_of(store, searched_before(context)))
        pairs = [TacticPair(**row, source="search") for some in found for row in some.to_pylist()]
        self.pairs = Pairs(list(weighted_pairs(store, layout.data)), pairs)
        self.examples = HeadExamples.from_tables(rows_of(store, explored_before(context), COLUMNS))
        self.start = fetch_once(store, layout.at(0).model, workdir / "models")
        self.workdir = workdir

    def trained(self, seed: int, *, jointly: bool) -> Figures:
        """The figures of one training; `settings` gives both the same steps and learning rate."""
        config = self.seeded(seed)
        workdir = self.workdir / f"{seed}-{jointly}"
        options = {
            "iteration": 1,
            "workdir": workdir,
            "checkpoints": Checkpoints(Store(str(workdir / "store")), "checkpoint.pt"),
            "previous": self.start,
        }
        if jointly:
            outcome, joint = train_joint(self.start, self.pairs, self.examples, config, **options)
        else:
            sft, fraction = settings(config.sft, config.joint), config.data.validation_fraction
            outcome = train_sft(self.start, self.pairs, sft, validation_fraction=fraction, **options)
        embeddings = self.embeddings(workdir / "adapter")
        head = {"validation_fraction": config.data.validation_fraction, "workdir": workdir / "frozen"}
        checkpoints = Checkpoints(Store(str(workdir / "frozen")), "checkpoint.pt")
        alone = train_head(self.examples, embeddings, config.ebm, checkpoints=checkpoints, **head)
        figures = self.quality(embeddings) | {"head": alone.metrics["pairwise"].value}
        if jointly:
            head["workdir"] = workdir / "adopted"
            taken = adopt_head(workdir / "adapter" / HEAD_FOLDER, joint, self.examples, embeddings, config.ebm, **head)
            figures["own head"] = taken.metrics["pairwise"].value
        assert outcome.best is not None
        return figures | {"next token": outcome.best.total}

    def seeded(self, seed: int) -> RunConfig:
        """With other orders of the pairs, negatives and initial weights of the head."""
        sections = {name: getattr(self.config, name).model_copy(update={"seed": seed}) for name in ("sft", "ebm")}
        return self.config.model_copy(update=sections)

    def embeddings(self, model: Path) -> Embeddings:
        policy = self.config.policy
        encoder = Encoder(model, Pooling.of(policy), dtype=policy.dtype)
        return Embeddings(encoder.embedding_id, encoder.embed(self.examples.texts))

    def quality(self, embeddings: Embeddings) -> Figures:
        """Of held-out theorems' states."""
        held_out = self.examples.held_out(self.config.data.validation_fraction)[self.examples.theorem]
        training, held = (class_rows(self.examples, np.flatnonzero(part)) for part in (~held_out, held_out))
        none = np.empty(0, dtype=np.int64)
        distances = embedding_metrics(embeddings.matrix, none, none, *held, seed=0)
        probe = embedding_metrics(embeddings.matrix, *training, *held, seed=0)["linear_probe"]
        return {
            "centroid": distances["centroid_l2"].value,
            "scaled": distances["centroid_scaled"].value,
            "probe": probe.value,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--set", action="append", default=[], help="a value of the configuration, such as joint.weight=1"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(Store(given.store), given.set, Path(folder))
        held = comparison.examples.held_out(comparison.config.data.validation_fraction)[comparison.examples.theorem]
        print(
            f"{len(comparison.examples):,} positives, {int(held.sum())} of them held out; {len(comparison.examples.texts):,} states"
        )
        print(f"{'':20}" + "".join(f"{name:>12}" for name in (*FIGURES, "own head")))
        show("start", comparison.quality(comparison.embeddings(comparison.start)))
        wins = dict.fromkeys(("scaled", "probe"), 0)
        for seed in range(given.seeds):
            alone, joint = (comparison.trained(seed, jointly=jointly) for jointly in (False, True))
            show(f"{seed}: next token", alone)
            show(f"{seed}: joint", joint)
            for name in wins:
                wins[name] += joint[name] > alone[name]
        for name, count in wins.items():
            print(f"{name}: joint training is better in {count} of {given.seeds}")


def show(name: str, figures: Figures) -> None:
    cells = (f"{figures[column]:12.3f}" if column in figures else f"{'':12}" for column in (*FIGURES, "own head"))
    print(f"{name:20}" + "".join(cells), flush=True)


if __name__ == "__main__":
    main()
