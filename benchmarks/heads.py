"""Heads trained in several ways on what one iteration found, with the same embeddings: which settings rank held-out states best.

    .venv/bin/burnqed run iteration --iter 0 --profile demo --store demo
    .venv/bin/python -m benchmarks.heads demo --out heads plain: wide:widths=[256,128] mistakes:expanded_share=0.3,hard_negatives=0.5

A variant is a name and values of the section `ebm`. Each is written to a folder of its name, for `burnqed eval --head heads/NAME/head`; `burnqed compare` tells what it is worth in search. The
first one is the baseline. States of known proofs are those that the run has (`ebm.known_proofs`). `rank1_siblings` is how often a positive is first among its siblings, which is what search needs; in brackets what chance gives.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from pathlib import Path

from burnqed.config import RunConfig
from burnqed.layout import Layout
from burnqed.resolve import resolve
from burnqed.steps import ebm
from burnqed.steps.base import Context
from burnqed.steps.table import FINAL
from burnqed.store import Store
from burnqed.train.checkpoint import Checkpoints
from burnqed.train.ebm import train_head

COMMA = re.compile(r",(?![^\[]*\])")
"""But not one within brackets, which belongs to a value."""
SHOWN = (
    "rank1",
    "rank1_siblings",
    "pairwise",
    "sibling_discrimination",
    "loss",
    "calibration_error",
    "progress",
    "depth_loss",
    "depth_correlation",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("variants", nargs="+", metavar="NAME:[KEY=VALUE,…]")
    parser.add_argument("--run", default="main")
    parser.add_argument("--iter", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    store, layout = Store(given.store), Layout(given.run, given.iter)
    base = RunConfig.model_validate(store.read_json(layout.settings))
    [unit] = ebm.units(Context(store, layout, base, Path(tempfile.gettempdir()), stage=FINAL))
    examples, embeddings = ebm.material(store, unit, base.ebm)
    print(f"{len(examples):,} positives, {len(examples.texts):,} states")
    print(f"{'':16}{'steps':>8}" + "".join(f"{name:>24}" for name in SHOWN))
    for variant in given.variants:
        name, _, values = variant.partition(":")
        settings = [f"ebm.{value}" for value in COMMA.split(values) if value]
        config = resolve(None, settings, base=base).config.ebm
        folder = given.out / name
        outcome = train_head(
            examples,
            embeddings,
            config,
            validation_fraction=base.data.validation_fraction,
            workdir=folder,
            checkpoints=Checkpoints(Store(str(folder)), "checkpoint.pt"),
        )
        found = {key: outcome.metrics[key] for key in SHOWN if key in outcome.metrics}
        cells = [
            f"{m.value:.3f}" + ("" if m.error is None else f" ± {m.error:.3f}") + ("" if m.chance is None else f" ({m.chance:.3f})")
            for m in found.values()
        ]  # fmt: skip
        print(f"{name:16}{outcome.best_step:8}" + "".join(f"{cell:>24}" for cell in cells) + ("" if outcome.accepted else f"  not accepted: {outcome.reason}"), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
