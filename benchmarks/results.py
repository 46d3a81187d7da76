"""Does expert iteration help? Several seeds of a profile, and the 18 probe tactics on the same benchmark.

    make results                                           # three seeds of profile `small`, hours
    python benchmarks/results.py --seeds 1 --profile smoke --store /tmp/results --out /tmp/results.md

With --control each seed has a control that trains for the same number of steps but searches only one theorem, which separates the gain from
longer training from that of the new proofs. Every iteration is an ordinary `burnqed run iteration`, so the same command continues an
interrupted run. Figures are summed over seeds; changes are paired by (seed, theorem), with McNemar's exact test. The evaluation never tries
probe tactics.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import itertools
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from burnqed.config import RunConfig
from burnqed.evaluate.compare import mcnemar
from burnqed.evaluate.read import read_evaluations
from burnqed.layout import Layout
from burnqed.lean.backends import open_lean
from burnqed.lifeline import Child
from burnqed.proof_search.probes import probe_easy
from burnqed.resolve import resolve
from burnqed.steps.benchmark import read_benchmark
from burnqed.store import Store

ITERATIONS = 3
BENCHMARK = "core"
SEEDED = (
    "data.generator_seed",
    "select.seed",
    "sft.seed",
    "ebm.seed",
    "search.seed",
    "negatives.seed",
    "evaluate.seed",
)

CONTROL = ("select.theorems=1", "search.noise=false", "negatives.theorems=0", "ebm.enabled=false")
"""Overrides of the control: almost no new proofs, no head."""

PROBES = "18 probe tactics"
LABELS = {"without head": ("seed", "plain"), "with head": ("seed", "head"), "of the control": ("control", "plain")}
"""Columns of an iteration: the name of the run and the variant of its evaluation."""

Solved = dict[tuple[int, str], bool]
"""Whether a theorem was solved, by (seed, name)."""


def run_seed(seed: int, options: argparse.Namespace, name: str, overrides: Sequence[str] = ()) -> None:
    """Runs all iterations of one seed; `name` is the name of the run without the seed."""
    for iteration in range(ITERATIONS):
        command = [sys.executable, "-m", "burnqed.cli.main", "run", "iteration", "--iter", str(iteration), "--profile", options.profile,
                   "--store", options.store, "--run", f"{name}-{seed}"]  # fmt: skip
        for key in SEEDED:
            command += ["--set", f"{key}={seed}"]
        for override in (*options.set, *overrides):
            command += ["--set", override]
        print("$", shlex.join(command[2:]), flush=True)
        if code := Child(command).wait():
            sys.exit(code)


async def probed(config: RunConfig, store: Store, run: str) -> dict[str, bool]:
    """Which theorems of the benchmark a probe tactic proves; stored beside the run, since it does not depend on the seed."""
    path = f"{run}/probes.json"
    if store.exists(path):
        return dict(store.read_json(path))
    theorems = read_benchmark(store, Layout(run, 0).benchmark(BENCHMARK))
    async with open_lean(config.lean) as lean:
        verdicts = await asyncio.gather(*(probe_easy(t, lean) for t in theorems))
    solved = {t.name: easy for t, easy in zip(theorems, verdicts, strict=True)}
    store.write_json(path, solved)
    return solved


def solved_by(store: Store, seeds: range, iteration: int, name: str, variant: str) -> Solved:
    solved: Solved = {}
    for seed in seeds:
        evaluations = read_evaluations(store.locate(Layout(f"{name}-{seed}", iteration).root))
        evaluation = next(e for _, e in evaluations if (e.benchmark, e.variant) == (BENCHMARK, variant))
        solved |= {(seed, t.name): t.budget_at_proof is not None for t in evaluation.per_theorem}
    return solved


def changes(title: str, pairs: Sequence[tuple[str, str]], columns: dict[str, Solved]) -> list[str]:
    """A table of the paired changes from the first column of each pair to the second."""
    lines = ["", f"| {title} | newly solved | lost | net | p |", "|---|---:|---:|---:|---:|"]
    for before, after in pairs:
        a, b = columns[before], columns[after]
        gained, lost = sum(b[k] and not a[k] for k in a), sum(a[k] and not b[k] for k in a)
        lines.append(f"| {before} → {after} | {gained} | {lost} | {gained - lost:+d} | {mcnemar(gained, lost):.3g} |")
    return lines


def report(options: argparse.Namespace, store: Store, config: RunConfig) -> str:
    """The tables that docs/results.md has of the shipped benchmark."""
    seeds = range(options.seeds)
    probes = asyncio.run(probed(config, store, "seed-0"))
    columns: dict[str, Solved] = {PROBES: {(s, name): easy for s in seeds for name, easy in probes.items()}}
    for label, (run, variant) in LABELS.items():
        for iteration in range(ITERATIONS) if run == "seed" or options.control else ():
            columns[f"iteration {iteration} {label}"] = solved_by(store, seeds, iteration, run, variant)
    total = len(probes) * len(seeds)
    lines = [
        "# Results of expert iteration on the shipped benchmark",
        "",
        f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, profile `{options.profile}`, seeds {', '.join(map(str, seeds))}, "
        f"{len(probes)} theorems, budget {max(config.evaluate.budgets)} nodes, {config.evaluate.candidates} candidates, "
        f"{config.evaluate.samples} sample(s), probe tactics off. p: McNemar's exact test, two-sided, over (seed, theorem) as if the seeds of one theorem were "
        "independent, which they are not: the true p is larger. "
        f"Command: `{options.command}`.",
        "",
        f"| solved of {len(probes)} | {' | '.join(f'seed {s}' for s in seeds)} | sum of {total} |",
        f"|---|{'---:|' * (len(seeds) + 1)}",
    ]
    for name, solved in columns.items():
        per_seed = [sum(v for (s, _), v in solved.items() if s == seed) for seed in seeds]
        lines.append(f"| {name} | {' | '.join(map(str, per_seed))} | {sum(per_seed)} |")
    plain, head, control = ([f"iteration {i} {label}" for i in range(ITERATIONS)] for label in LABELS)
    for label, steps in (("without head", plain), ("with head", head)):
        pairs = [(PROBES, steps[0]), *itertools.pairwise(steps), (steps[0], steps[-1])]
        lines += changes(f"change {label}", pairs, columns)
    lines += changes("change by the head", list(zip(plain, head, strict=True)), columns)
    if options.control:
        lines += changes("change by the new proofs", list(zip(control, plain, strict=True))[1:], columns)
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--profile", default="small")
    parser.add_argument("--store", default="results")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--control", action="store_true", help="also run the controls")
    parser.add_argument("--out", default="results/results.md", help="where the table is written besides the terminal")
    options = parser.parse_args()
    options.command = (
        "make results" if len(sys.argv) == 1 else f"python benchmarks/results.py {shlex.join(sys.argv[1:])}"
    )
    for seed in range(options.seeds):
        run_seed(seed, options, "seed")
    for seed in range(options.seeds if options.control else 0):
        run_seed(seed, options, "control", CONTROL)
    text = report(options, Store(str(Path(options.store).resolve())), resolve(options.profile, options.set).config)
    Path(options.out).parent.mkdir(parents=True, exist_ok=True)
    Path(options.out).write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
