"""`burnqed eval`, `compare`, `summary`: measure a model on any theorem index, and compare what was measured."""

from __future__ import annotations

import asyncio
import re
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import typer

from burnqed import display
from burnqed.cli import options
from burnqed.errors import BadInput

if TYPE_CHECKING:
    from burnqed.evaluate.results import EvaluationResult


def evaluate(
    theorems: str = typer.Option(
        ..., "--theorems", help="Theorem index: path, address in a store, or shipped, shipped-moves, …."
    ),
    model: str = typer.Option(..., "--model", help="Folder, or address in a store, of the model."),
    adapter: str | None = typer.Option(
        None, "--adapter", help="Folder, or address in a store, of a LoRA adapter to merge into the model for this."
    ),
    head: str | None = typer.Option(None, "--head", help="Folder, or address in a store, of an energy head."),
    header: Path | None = options.Header,
    budgets: str | None = options.setting(
        None, "--budgets", help="Nodes per theorem, as in 16,64.", show_default="evaluate.budgets"
    ),
    samples: int | None = options.setting(
        None, "--samples", min=1, help="N of pass@N.", show_default="evaluate.samples"
    ),
    recall: Path | None = options.Recall,
    sweep: list[str] = options.setting(
        [],
        "--sweep",
        metavar="KEY=VALUE,…",
        help="Evaluate with each of these values, as in beta=0,0.5,1 (of section search) or evaluate.temperature=0.8,1; may be repeated, for all combinations.",
    ),
    out: Path | None = options.output(
        None,
        "--out",
        help="Folder for results, proofs and trajectories; continued if cut off.",
        show_default="eval-… here, by what is evaluated",
    ),
    profile: str | None = options.profile(None, "what the model's run last used, else default"),
    overrides: list[str] = options.Set,
    as_json: bool = options.Json,
) -> None:
    """Search proofs for every theorem of an index and report what was solved within each budget.

    Example: burnqed eval --theorems mine.json --model runs/main/iterations/iter_1/model --budgets 16,64 --out out
    """
    from burnqed.evaluate.figures import eval_json
    from burnqed.key import digest_of
    from burnqed.lean.backends import check_installed
    from burnqed.proof_search.recall import Recall
    from burnqed.remembered import settings_for
    from burnqed.resolve import resolve
    from burnqed.run.standalone import PROOFS_FILE, run_evaluation
    from burnqed.run.sweep import combinations
    from burnqed.run.sweep import sweep as run_sweep
    from burnqed.steps.table import SERVED

    if budgets is not None:
        overrides = [*overrides, f"evaluate.budgets=[{budgets}]"]
    if samples is not None:
        overrides = [*overrides, f"evaluate.samples={samples}"]
    base = None if profile else settings_for(model)
    config = resolve(profile, overrides, base=base).config
    swept = [
        (values, resolve(profile, [*overrides, *values], base=base).config)
        for values in (combinations(sweep) if sweep else ())
    ]
    check_installed(config.lean)
    if config.workflow.policy_server == "sglang" and not config.policy.generate_url:
        from burnqed.policy.sglang import program

        program()
    text = options.read_header(header)
    if out is not None:
        check_local(out)
    else:  # the same command finds it again
        settings = config.only(("evaluate", "search", "lean", *SERVED)).meaning()
        what = digest_of([theorems, model, head, adapter, text, settings, config.workflow.policy_server, *sweep])
        out = Path(f"eval-{Path(theorems).stem}-{what[:8]}")
    with Recall(recall) if recall else nullcontext() as known:
        if swept:
            found = run_sweep(theorems, model, head, text, swept, out, adapter=adapter, recall=known)
            print_found(found, as_json=as_json)
            return
        result = asyncio.run(run_evaluation(theorems, model, head, text, config, out, adapter=adapter, recall=known))
    if as_json:
        typer.echo(display.as_json(eval_json(result), indent=1))
        return
    from burnqed.evaluate.render import print_evaluation

    console = display.wide()
    print_evaluation(result, console)
    display.tell(console, "proofs: ", str(out / PROOFS_FILE))


def check_local(out: Path) -> None:
    """Raises BadInput for an address in a store."""
    if re.match(r"\w+:/", str(out)):  # Path has merged the two slashes
        raise BadInput(f"--out {out} is not a folder on this machine; write into one, then `burnqed store copy` it.")


def print_found(found: list[tuple[str, EvaluationResult]], *, as_json: bool) -> None:
    """A sweep's results."""
    from burnqed.evaluate.figures import eval_json
    from burnqed.evaluate.render import print_sweep

    if as_json:
        typer.echo(display.as_json({label: eval_json(evaluation) for label, evaluation in found}, indent=1))
    else:
        print_sweep(found, display.wide())


def compare(
    locations: list[str] = typer.Argument(
        ...,
        metavar="URI URI...",
        help="Iterations, reports, results.json or eval folders; of several seeds, each side's with commas between them.",
    ),
    variant: str | None = typer.Option(
        None, "--variant", help="plain, head or search_head.", show_default="what all have"
    ),
    benchmark: str | None = typer.Option(
        None, "--benchmark", help="Name of the benchmark.", show_default="the first that all have"
    ),
    explain: str = typer.Option(
        "", "--explain", metavar="THEOREM", help="Show how each searched this theorem, as trees, and where they part."
    ),
    sample: int = typer.Option(
        0, "--sample", min=0, help="With --explain: which of its searches, where there are several."
    ),
    as_json: bool = options.Json,
) -> None:
    """Compare evaluations of the same benchmark: common budgets, newly solved, lost, McNemar's test; and by source, difficulty and length of proof.

    Example: burnqed compare runs/main/iterations/iter_0 runs/main/iterations/iter_1

    Over three seeds: burnqed compare plain-0,plain-1,plain-2 guided-0,guided-1,guided-2
    """
    from burnqed.evaluate.compare import compare as compare_results
    from burnqed.evaluate.compare_seeds import SEPARATOR, compare_seeds, read_seeds
    from burnqed.evaluate.parts import breakdown
    from burnqed.evaluate.read import read_results
    from burnqed.evaluate.render import print_comparison, print_seeds

    sides = [location.split(SEPARATOR) for location in locations]
    if any(len(side) > 1 for side in sides):
        if explain:
            raise BadInput(
                "--explain shows one search of each side; give one address for each, not those of several seeds."
            )
        seeded = compare_seeds(read_seeds(sides, variant, benchmark))
        if as_json:
            typer.echo(display.as_json(seeded.model_dump(mode="json"), indent=1))
        else:
            print_seeds(seeded, display.wide())
        return
    results = read_results(locations, variant, benchmark)
    if explain:
        from burnqed.evaluate.explain import explain as explained

        told = explained(list(zip(locations, results, strict=True)), explain, sample)
        shown = "\n\n".join("\n".join(display.shown(line) for line in lines) for lines in told)
        typer.echo(display.as_json({"searches": told}, indent=1) if as_json else shown)
        return
    comparison = compare_results(results)
    parts = breakdown(results, comparison.budgets[-1])
    if as_json:
        document = {**comparison.model_dump(mode="json"), "parts": [found.model_dump(mode="json") for found in parts]}
        typer.echo(display.as_json(document, indent=1))
    else:
        print_comparison(comparison, display.wide(), parts)


def experiment(
    runs: list[str] = typer.Argument(
        ...,
        metavar="RUN...",
        help="Runs of `burnqed run experiment`, whose branches (RUN-raw, RUN-joint, RUN-control, …) are read, too; several are the seeds of one.",
    ),
    store: str = options.Store,
    out: Path | None = options.output(None, "--out", help="Folder for experiment.json and index.html."),
    as_json: bool = options.Json,
) -> None:
    """Judge finished experiments: does the head pay, and does joint training keep it so?

    Example: burnqed experiment main seed-1 seed-2 --store runs --out experiment
    """
    from burnqed.evaluate.render import print_experiment
    from burnqed.steps.experiment import judge
    from burnqed.store import Store

    if out:
        check_local(out)
        Store(str(out.resolve())).check_writable()
    with nullcontext(out) if out else TemporaryDirectory() as folder:
        found, _ = judge(Store(store), runs, Path(folder))
    if as_json:
        typer.echo(display.as_json(found.model_dump(mode="json"), indent=1))
        return
    print_experiment(found, display.wide())
    if out:
        typer.echo(f"report  {out / 'index.html'}")


def summary(store: str = options.Store, run: str = options.Run, as_json: bool = options.Json) -> None:
    """Show one row per iteration of a run (and benchmark, where there are several), what changed from each to the next, and the costs by step and by iteration.

    Example: burnqed summary --store runs
    """
    from burnqed.evaluate.costs import print_costs, run_costs
    from burnqed.evaluate.render import print_summary
    from burnqed.evaluate.results import Summary
    from burnqed.evaluate.summary import read_summary, summary_json
    from burnqed.ledger import accounts
    from burnqed.store import Store

    target = Store(store)
    results, costs = read_summary(target, run), run_costs(accounts(target, run))
    if results is None and not costs.iterations:
        raise BadInput(f"{store} has no results of a run {run!r} yet; run an iteration first, or give --run.")
    results = results or Summary(run=run)
    if as_json:
        document = {**summary_json(results), "costs": costs.model_dump(mode="json")}
        typer.echo(display.as_json(document, indent=1))
        return
    console = display.wide()
    if results.iterations:
        print_summary(results, console)
    else:
        console.print("There are no results yet.")
    if costs.iterations:
        console.print()
        print_costs(costs, console)
