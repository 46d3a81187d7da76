"""How much time and memory data of a real size take: a million tactic pairs, ten million rows of trajectories.

    make streaming                                   # about 10 minutes
    python benchmarks/data_streaming.py --pairs 50000 --rows 200000

Synthetic pairs go through import, filter and split, and are inspected; so are synthetic trajectories, which go through selection (which theorems are proved), the pairs of
found proofs, the head's examples and their negatives. Each part runs in a process of its own, whose time and peak of resident memory are printed beside those of
a process that only imports the same modules. Where its seconds are many more than its processors', the machine was busy with other things.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

PER_THEOREM = 8
"""Pairs of a theorem."""
PER_SEARCH = 2_000
"""Rows of a search; four in ten are tactics that failed, and states are met three times."""
PER_PART = 25
"""Searches in a part."""


# ---- made


def lines(folder: Path, count: int) -> None:
    """`theirs.jsonl`, with the columns that others use."""
    with (folder / "theirs.jsonl").open("w", encoding="utf-8") as file:
        for i in range(count):
            theorem, step = divmod(i, PER_THEOREM)
            state = f"n m k : ℕ\nh₀ : n ≤ {theorem}\nh₁ : m = n + {step}\nh₂ : k * m < {i}\n⊢ n + m + {i} ≤ {theorem} + m + {i}"
            tactic = "simp" if i % 9 == 0 else f"exact le_of_lt (foo_{i % 977} h₀ h₁ {i})"
            row = {"full_name": f"T.t{theorem}", "before": state, "by": tactic, "step": step}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def parts(rows: int) -> Iterator[pa.Table]:
    """Parts of trajectories; every other search has a proof of ten steps."""
    from burnqed.trajectory.schema import SCHEMA, SearchStatistics

    searches = max(1, rows // PER_SEARCH)
    statistics = SearchStatistics().model_dump_json()
    for first in range(0, searches, PER_PART):
        tables = []
        for number in range(first, min(searches, first + PER_PART)):
            n, random = PER_SEARCH, np.random.default_rng(number)
            ids = np.arange(n)
            is_proved, path = number % 2 == 0, ids < 11
            failed = (random.random(n) < 0.4) & ~path
            parent = np.where(path, ids - 1, random.integers(0, np.maximum(1, ids)))
            states = np.array([f"n m : Nat\nh : n + {number} ≤ m * {k}\nh' : m ≤ {k * number}\n⊢ n + {k} ≤ m + {number} * {k}" for k in range(n // 3)], dtype=object)  # fmt: skip
            state = states[np.where(path, ids, random.integers(0, n // 3, n))]
            state[failed] = None
            is_end = is_proved & (ids == 10)
            state[is_end] = ""
            root = ids == 0
            columns = {
                "run": pa.repeat("main", n), "iteration": pa.repeat(0, n), "theorem": pa.repeat(f"synthetic::t{number}", n),
                "statement_hash": pa.repeat("0" * 64, n), "sample": pa.repeat(0, n), "state_id": ids,
                "parent_id": pa.array(parent, mask=root), "depth": np.minimum(ids, 10), "state": pa.array(state, pa.string()),
                "root_state": pa.repeat(states[0], n), "tactic": pa.array([f"exact foo_{k % 313}" for k in range(n)]),
                "tactic_status": pa.array(np.where(failed, "error", "ok")), "num_goals": pa.array(np.ones(n, int), mask=failed),
                "log_prob": pa.array(-random.random(n)), "is_terminal": is_end, "on_proof_path": path & is_proved,
                "visit_order": pa.array(random.permutation(n), mask=failed | is_end | (ids % 8 > 0) & ~path),
                "seed": pa.repeat(0, n), "time": pa.array(np.zeros(n, int), pa.timestamp("ms", tz="UTC")),
                "status": pa.array(["proved" if is_proved else "unproved"] * n, mask=~root), "statistics": pa.array([statistics] * n, mask=~root),
            }  # fmt: skip
            columns |= {name: pa.nulls(n, SCHEMA.field(name).type) for name in SCHEMA.names if name not in columns}
            arrays = [pa.array(columns[field.name]).cast(field.type) for field in SCHEMA]
            tables.append(pa.Table.from_arrays(arrays, schema=SCHEMA))
        yield pa.concat_tables(tables)


def trajectories(folder: Path, rows: int) -> None:
    import pyarrow.parquet as pq

    for number, table in enumerate(parts(rows)):
        pq.write_table(table, folder / f"part-{number:05}.parquet", compression="zstd")


# ---- measured


def tables(folder: Path, columns: list[str] | None = None) -> Iterator[pa.Table]:
    from burnqed.store import Store
    from burnqed.trajectory.reader import read_parts

    yield from read_parts(Store(str(folder)), sorted(file.name for file in folder.glob("part-*")), columns)


def nothing(folder: Path) -> str:
    import burnqed.data.pairs
    import burnqed.train.negatives  # noqa: F401

    return "the modules alone"


def imported(folder: Path) -> str:
    columns = "theorem=full_name,state=before,tactic=by,depth=step"
    command = ["data", "import", "theirs.jsonl", "--columns", columns, "--source", "theirs", "--out", "pairs.parquet"]
    from burnqed.cli.main import app

    app(command, standalone_mode=False)
    return ""


def filtered(folder: Path) -> str:
    from burnqed.config import DataConfig
    from burnqed.data.filters import PairFilter
    from burnqed.data.pairs import PAIRS
    from burnqed.data.sets.leaks import Held
    from burnqed.data.split import is_validation
    from burnqed.data.theorems import shipped_benchmark
    from burnqed.store import Store

    store = Store(str(folder))
    chosen = PairFilter(DataConfig(), Held({"core": shipped_benchmark()}).leak_of_state)
    for batch in PAIRS.read(store, "pairs.parquet"):
        chosen.look(batch)
    count = PAIRS.write(store, "kept.parquet", map(chosen.keep, PAIRS.read(store, "pairs.parquet")))
    held = {True: 0, False: 0}
    for batch in PAIRS.read(store, "kept.parquet"):
        for entry in batch["theorem"].value_counts().to_pylist():
            held[is_validation(entry["values"], 0.05)] += entry["counts"]
    return f"{count:,} kept, {held[False]:,} to train on and {held[True]:,} held out"


def inspected(folder: Path) -> str:
    from burnqed.data.inspection.pairs import describe_pairs
    from burnqed.data.pairs import PAIRS
    from burnqed.store import Store

    facts, _ = describe_pairs(lambda: PAIRS.read(Store(str(folder)), "pairs.parquet"), 3)
    return f"{facts['theorems']:,} theorems"


def inspected_rows(folder: Path) -> str:
    from burnqed.data.inspection.trajectories import describe_trajectories

    facts, _ = describe_trajectories(lambda columns: tables(folder, columns), 3)
    return f"{facts['rows']:,} rows, {facts['on proofs']:,} states on proofs, {facts['beside proofs']:,} beside them"


def selected(folder: Path) -> str:
    from burnqed.trajectory.reader import proof_pairs, theorem_results

    results = pairs = 0
    for rows in tables(folder):
        results += sum(result.status == "proved" for result in theorem_results(rows))
        pairs += len(proof_pairs(rows))
    return f"{results:,} proved, {pairs:,} pairs of found proofs"


def negatives(folder: Path) -> str:
    from burnqed.config import EbmConfig
    from burnqed.train.examples import COLUMNS, HeadExamples
    from burnqed.train.negatives import NegativeSampler

    examples = HeadExamples.from_tables(tables(folder, COLUMNS))
    sampler = NegativeSampler(examples, np.arange(len(examples)), examples.states, EbmConfig())
    drawn = sampler.draw(sampler.usable()[:1_000], np.random.default_rng(0))
    return f"{len(examples):,} positives, {len(examples.texts):,} states, {drawn.present.sum():,} negatives drawn"


PARTS: dict[str, Callable[[Path], str]] = {
    "baseline": nothing, "import": imported, "filter and split": filtered, "inspect": inspected, "select": selected, "inspect rows": inspected_rows, "negatives": negatives,
}  # fmt: skip


def measure(part: str, folder: Path) -> dict[str, object]:
    """Seconds, those of all processors, and the peak of resident memory, in MB, of one part in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--part", part, "--folder", str(folder)], cwd=folder, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pairs", type=int, default=1_000_000)
    options.add_argument("--rows", type=int, default=10_000_000)
    options.add_argument("--folder", type=Path, help="where the data are made; a temporary folder by default")
    options.add_argument("--part", choices=list(PARTS), help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.part:
        started = time.monotonic()
        told = PARTS[given.part](given.folder)
        used = {
            "cpu_seconds": time.process_time(),
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
        print(json.dumps({"seconds": time.monotonic() - started, **used, "told": told}))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        lines(folder, given.pairs)
        trajectories(folder, given.rows)
        print(f"{given.pairs:,} pairs, {given.rows:,} rows of trajectories")
        for part in PARTS:
            found = measure(part, folder)
            figures = f"{found['seconds']:7.1f} s {found['cpu_seconds']:7.1f} s of CPU {found['peak_mb']:7,.0f} MB"
            print(f"{part:17} {figures}   {found['told']}", flush=True)


if __name__ == "__main__":
    main()
