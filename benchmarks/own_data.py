"""A run on data of one's own: pairs, proofs and theorems come from files, nothing of the shipped corpus is used, and the loop goes round twice.

    make own-data                # about 20 minutes on two idle cores

Proofs are exported to files under other names: of one half the tactic pairs only, of the other the whole proofs; the theorems to search are a
file, too. Then `burnqed run iteration` runs as anybody would call it. Prints what either iteration solves of the benchmark, what only one of them does,
and how likely a difference as large is by chance (sign test). Exits with 1 unless iteration 1 solves more than iteration 0.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from burnqed.config import LeanConfig
from burnqed.data.corpus import CorpusTheorem, load_corpus
from burnqed.data.generate import generate
from burnqed.data.pairs import PAIRS, TacticPair
from burnqed.data.proofs import PROOFS, WholeProof
from burnqed.data.theorems import dump_index
from burnqed.data.trace.replay import KnownProof, replay_all
from burnqed.lean.backends import open_lean
from burnqed.lean.protocol import Theorem
from burnqed.store import Store

SETTINGS = [
    "data.benchmark_theorems=256", "select.theorems=400", "sft.steps=320", "sft.later_steps=480", "sft.trajectory_upsample=4",
    "negatives.theorems=48", "ebm.steps=200", "data.reproved=40",
]  # fmt: skip


async def traced(known: Sequence[CorpusTheorem]) -> list[TacticPair]:
    """Pairs of proofs, as tracing gives them; with names of their own."""
    async with open_lean(LeanConfig()) as lean:
        proofs = [KnownProof(renamed(t.theorem, "mine").with_header(lean.default_header), t.tactics) for t in known]
        return [pair async for replayed in replay_all(proofs, lean) for pair in replayed.pairs("mine")]


def renamed(theorem: Theorem, source: str) -> Theorem:
    return theorem.model_copy(update={"name": f"{source}::{theorem.name.partition('::')[2]}"})


def write_files(folder: Path, theorems: int) -> list[str]:
    """pairs.parquet, proofs.jsonl and theorems.json; returns the options that name them."""
    corpus, store = load_corpus(), Store(str(folder))
    PAIRS.write(store, "pairs.parquet", PAIRS.batches(asyncio.run(traced(corpus[::2]))))
    whole = [
        WholeProof(**renamed(t.theorem, "ours").model_dump(), proof="by\n  " + "\n".join(t.tactics).replace("\n", "\n  "), source="ours")
        for t in corpus[1::2]
    ]  # fmt: skip
    PROOFS.write(store, "proofs.jsonl", PROOFS.batches(whole))
    store.write_text("theorems.json", dump_index(generate(11, theorems)))
    given = (("pairs", "pairs.parquet=1.5"), ("proofs", "proofs.jsonl"), ("theorems", "theorems.json"))
    return [word for option, name in given for word in (f"--{option}", str(folder / name))]


def run(store: Path, iteration: int, *words: str) -> None:
    command = [sys.executable, "-m", "burnqed.cli.main", "run", "iteration", "--iter", str(iteration), "--store", str(store), *words]  # fmt: skip
    if code := subprocess.run(command).returncode:
        sys.exit(code)


def proved(evaluation: dict[str, Any]) -> set[str]:
    return {theorem["name"] for theorem in evaluation["per_theorem"] if theorem["status"] == "proved"}


def sign_test(more: int, fewer: int) -> float:
    """Two-sided probability of so uneven a division, or a more uneven one, by coin tosses."""
    total = more + fewer
    tail = sum(math.comb(total, i) for i in range(max(more, fewer), total + 1))
    return min(1.0, 2 * tail / 2**total) if total else 1.0


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--store", type=Path, help="where the run is kept; a temporary folder by default")
    options.add_argument("--theorems", type=int, default=2_000, help="statements to choose from")
    options.add_argument("--set", action="append", default=[], help="further settings, as of `burnqed run`")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        store = given.store or Path(temporary, "store")
        files = Path(temporary, "files")
        files.mkdir()
        settings = [word for setting in [*SETTINGS, *given.set] for word in ("--set", setting)]
        started = time.monotonic()
        run(store, 0, "--profile", "demo", *write_files(files, given.theorems), *settings)
        run(store, 1)
        seconds = time.monotonic() - started
        report = next((store / "main/data").glob("*/report.json"))
        print(json.dumps(json.loads(report.read_text(encoding="utf-8"))["origins"]))
        results = [json.loads(f.read_text("utf-8")) for f in sorted((store / "main/iterations").glob("iter_*/report/*/results.json"))]  # fmt: skip
        solved = [max((proved(e) for e in r["evaluations"]), key=len) for r in results]
        gained, lost = len(solved[1] - solved[0]), len(solved[0] - solved[1])
        print(
            f"solved of the {len(results[0]['evaluations'][0]['per_theorem'])} theorems of the benchmark: {len(solved[0])}, then {len(solved[1])} "
            f"({gained} more and {lost} no longer, p = {sign_test(gained, lost):.2f}); {seconds / 60:.1f} minutes"
        )
        return 0 if gained > lost else 1


if __name__ == "__main__":
    sys.exit(main())
