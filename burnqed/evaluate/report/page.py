"""The layout of the report: figures become tiles, tables and plots here; the template only places them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import resources
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from burnqed.display import shown
from burnqed.evaluate.compare import WITH_HEAD, Change, from_head, from_previous
from burnqed.evaluate.costs import columns_of, numbers, total
from burnqed.evaluate.gates import GateVerdict
from burnqed.evaluate.intervals import around, percent, signed
from burnqed.evaluate.report import pictures, plots, proofs
from burnqed.evaluate.report.inputs import JointFigures, ReportInputs
from burnqed.evaluate.report.tables import Table, course_table, part_tables
from burnqed.evaluate.results import (
    CHANCE,
    COUNT,
    ERROR,
    HEAD,
    PLAIN,
    SEARCH_HEAD,
    SPREAD,
    VARIANTS,
    IterationResult,
    TheoremOutcome,
    on_benchmark,
)
from burnqed.progress import duration
from burnqed.trajectory.schema import ProofStatus

EMBEDDING_FIGURES = {
    "linear_probe": "linear probe",
    "centroid_l2": "distance of means",
    "centroid_scaled": "distance of means, scaled",
    "centroid_within": "the same within a theorem",
    "silhouette": "silhouette",
    "norm_gap": "norm gap",
    "sibling_distance": "distance of siblings, scaled",
    "effective_rank": "effective rank",
}

JOINT_FIGURES = {
    "step": "joint training: step",
    "evaluation": "next-token loss",
    "temperature": "temperature",
    "centroid_l2": "distance of means",
    "linear_probe": "linear probe",
    "rank1": "rank-1",
    "rank1_depth_4+": "rank-1 at depth 4+",
    "pairwise": "rank accuracy",
}
"""Of what a joint training measured, what the page shows, in its words."""
LEAST_SHOWN = 10
"""With fewer states a plane shows nothing."""


@dataclass(frozen=True)
class Tile:
    """One large number of the headline."""

    label: str
    value: str
    of: str
    notes: Sequence[str]
    colour: str = ""


def write_report(inputs: ReportInputs, folder: Path) -> Path:
    """Writes `index.html`, `proofs.json` and `proofs.lean` into the folder. Returns the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = proofs.files([*proofs.benchmark_proofs(inputs.result), *inputs.training_proofs])
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    page = folder / "index.html"
    page.write_text(render(inputs, sorted(texts)), encoding="utf-8")
    return page


def render(inputs: ReportInputs, files: Sequence[str] = ()) -> str:
    """The page as HTML; `files` lie beside it."""
    result = inputs.result
    return rendered(
        "page.html.j2",
        result=result,
        benchmarks=[on_one(inputs, name) for name in result.benchmarks],
        finished=datetime.fromisoformat(result.finished),
        head=next((e.head for e in result.evaluations if e.head), None),
        verdict=inputs.verdict,
        gates=gate_table(inputs.verdict) if inputs.verdict else None,
        training_plots=training_plots(inputs),
        time_plot=time_plot(result),
        searches=search_table(searched(result)),
        metrics=metric_table(result.training),
        embedding_table=embedding_table(inputs),
        joint=inputs.joint,
        joint_table=joint_table(inputs.joint),
        benchmark_proofs=grouped(proofs.benchmark_proofs(result)),
        training_proofs=grouped(inputs.training_proofs),
        kept=inputs.kept,
        cost=cost_table(result) if result.cost else None,
        config=yaml.safe_dump(dict(inputs.config), sort_keys=False, allow_unicode=True) if inputs.config else "",
        outputs=output_table(inputs),
        versions=versions(inputs),
        files=files,
    )


# ---- results


def rendered(template: str, **values: Any) -> str:
    """A page as HTML."""
    environment = Environment(
        loader=PackageLoader("burnqed.evaluate.report", ""),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=visible,
    )
    style = resources.files("burnqed.evaluate.report").joinpath("style.css").read_text(encoding="utf-8")
    return environment.get_template(template).render(style=Markup(style), percent=percent, **values)


def on_one(inputs: ReportInputs, benchmark: str) -> dict[str, Any]:
    """What the page shows of the results on one benchmark; `first` is one of its evaluations, for what they have in common."""
    (result,) = on_benchmark([inputs.result], benchmark)
    earlier = on_benchmark(inputs.earlier, benchmark)
    change = from_previous(result, earlier)
    return {
        "first": result.evaluations[0],
        "tiles": tiles(result, change),
        "change": change,
        "plots": result_plots(result, earlier),
        "course": course_table([*earlier, result]),
        "parts": part_tables(result, earlier),
        "budgets": budget_table(result),
        "theorems": theorem_table(result),
    }


def tiles(result: IterationResult, change: Change | None) -> list[Tile]:
    shown_tiles = []
    for variant in VARIANTS:
        name = f"solved {VARIANTS[variant]}"
        if evaluation := result.variant(variant):
            row = evaluation.at_largest
            known, unknown = len(evaluation.trained_on), evaluation.untrained.solved if evaluation.untrained else 0
            notes = [
                f"{row.share} at {row.budget} nodes",
                *([f"{row.interval} (95 %)"] if row.interval else []),
                *([f"{row.errors} could not be tried"] if row.errors else []),
                *([f"{row.timed_out} timed out"] if row.timed_out else []),
                *([f"{unknown} / {row.total - known} without what it was trained on"] if known else []),
            ]
            colour = plots.VARIABLES[plots.COLOURS[variant]]
            shown_tiles.append(Tile(name, str(row.solved), f"/ {row.total}", notes, colour))
    if effect := from_head(result):
        shown_tiles.append(change_tile("gained by the head", effect))
    if change:
        heads = ["both with their heads"] if change.before.endswith(WITH_HEAD) else []
        shown_tiles.append(change_tile(f"since {change.before.removesuffix(WITH_HEAD)}", change, heads))
    first = result.evaluations[0]
    ever, of = str(result.ever[first.benchmark]), f"/ {first.at_largest.total}"
    return [*shown_tiles, Tile("solved ever", ever, of, ["by any variant so far"], plots.VARIABLES[plots.EVER])]


def change_tile(name: str, change: Change, notes: Sequence[str] = ()) -> Tile:
    p = f"p = {change.p:.2g}" if change.p >= 0.001 else "p < 0.001"
    counts = f"{len(change.newly_solved)} newly solved, {len(change.lost)} lost"
    rate = [f"rate {signed(change.gain)} (95 %)".replace("-", "−")] if change.gain else []
    return Tile(name, f"{change.net:+d}".replace("-", "−"), "", [*notes, counts, p, *rate])


# ---- plots


def result_plots(result: IterationResult, earlier: Iterable[IterationResult]) -> list[plots.Plot]:
    before = sorted((r for r in earlier if r.iteration < result.iteration), key=lambda r: r.iteration)
    previous = before[-1].variant(HEAD) or before[-1].variant(PLAIN) if before else None
    return [plots.solved_by_budget(result.evaluations, previous), plots.solved_by_iteration([*before, result])]


def time_plot(result: IterationResult) -> plots.Plot | None:
    own = result.model_copy(update={"evaluations": [e for e in result.evaluations if not e.recalled]})
    timed = [(name, f) for name, f in searched(own) if f.generation_s + f.lean_s + f.scoring_s > 0]
    return plots.time_split(timed) if timed else None


def training_plots(inputs: ReportInputs) -> list[plots.Plot]:
    drawn = [plots.loss(inputs.loss)] if inputs.loss else []
    if inputs.joint:
        drawn.append(plots.contrastive_loss(inputs.joint.contrastive))
    if len(inputs.positive_energies) and len(inputs.negative_energies):
        drawn.append(plots.energies(inputs.positive_energies, inputs.negative_energies))
    if inputs.embeddings:
        drawn += [plots.embeddings(inputs.embeddings), plots.spectrum(inputs.embeddings["spectrum"])]
    if (held_out := inputs.held_out) and len(held_out.x) >= LEAST_SHOWN:
        drawn.append(pictures.by_depth(held_out))
    if (held_out := inputs.held_out) and held_out.families:
        drawn.append(pictures.siblings(held_out.families))
        if believed := pictures.calibration(held_out.families):
            drawn.append(believed)
    if len(by_depth := rank_by_depth(inputs.result.training)) > 1:
        drawn.append(plots.rank_by_depth(by_depth))
    return drawn


def rank_by_depth(metrics: dict[str, float]) -> list[tuple[str, float, float]]:
    """(depth, accuracy, chance) from the metrics `head.rank1_depth_3` and `head.rank1_depth_3_chance`."""
    prefix = "head.rank1_depth_"
    return sorted(
        (name.removeprefix(prefix), value, metrics[name + CHANCE])
        for name, value in metrics.items()
        if name.startswith(prefix) and name + CHANCE in metrics
    )


def searched(result: IterationResult) -> plots.Searches:
    """Every set of searches of the iteration, with the name that the page gives it."""
    several = len(result.benchmarks) > 1
    evaluations = [
        (f"evaluation {f'on {e.benchmark} ' if several else ''}{VARIANTS[e.variant]}", e.search)
        for e in result.evaluations
    ]
    return [("search for training data", result.search), *evaluations] if result.search.theorems else evaluations


# ---- tables


def budget_table(result: IterationResult) -> Table:
    counted = ("budget", "solved", "errors", "timed out", "rate", "95%")
    columns = ("variant", *counted, "nodes, mean", "nodes, median", "rank on the path", "s, mean", "s, median")
    rows = []
    for e in result.evaluations:
        for note, at_budgets in (("", e.budgets), (", not trained on", e.without_trained)):
            for b in at_budgets:
                counts = (
                    str(b.budget),
                    f"{b.solved} / {b.total}",
                    str(b.errors),
                    str(b.timed_out),
                    b.share,
                    b.interval,
                )
                nodes = (number(b.mean_nodes), number(b.median_nodes), number(b.path_rank))
                seconds = ("–", "–") if e.recalled else (number(b.mean_seconds), number(b.median_seconds))
                rows.append((key(e.variant) + note, *counts, *nodes, *seconds))
    return Table(columns, rows)


def search_table(searches: plots.Searches) -> Table:
    columns = ("search", "searches", "proved", "unproved", "timed out", "errors", "nodes", "tokens", "Lean calls",
               "distinct candidates", "refused", "out of heartbeats", "timeouts", "crashes")  # fmt: skip
    rows = []
    for name, f in searches:
        counts = (f.theorems, f.proved, f.unproved, f.timed_out, f.errors, f.nodes, f.tokens, f.lean_calls)
        spread = f"{f.candidates_min} / {f.candidates_mean:.1f} / {f.candidates_max}"
        failed = (f.lean_errors.get(kind, 0) for kind in ("error", "heartbeats", "timeout", "crash"))
        rows.append((name, *(f"{n:,}" for n in counts), spread, *(f"{n:,}" for n in failed)))
    return Table(columns, rows)


def metric_table(metrics: dict[str, float]) -> Table | None:
    rows = []
    for name, value in metrics.items():
        if not (name.endswith((CHANCE, COUNT, ERROR, SPREAD)) or name.startswith(f"{SEARCH_HEAD}.")):
            chance, error, n, spread = (metrics.get(name + ending) for ending in (CHANCE, ERROR, COUNT, SPREAD))
            part, _, what = name.partition(".")
            what = re.sub(r"depth_(?=\d)", "at depth ", what.replace("rank1", "rank-1")).replace("_", " ")
            words = f"{'fine-tuning' if part == 'sft' else part}: {what}"
            shown = ["" if figure is None else metric(figure) for figure in (value, n, chance)]
            shown[-1] += f" ± {metric(error)}" if chance is not None and error is not None else ""
            if spread is not None:
                is_rate = bool(chance)  # the energy gap, which is none, is 0 by chance
                shown[0] += " ({} to {})".format(*map(metric, around(value, spread, is_rate=is_rate)))
            rows.append((words, *shown))
    return Table(("metric", "value", "n", "random choice"), rows) if rows else None


def joint_table(joint: JointFigures | None) -> Table | None:
    """None where nothing was measured."""
    rows = []
    for row in joint.measured if joint else ():
        step, *figures = (row.get(name) for name in JOINT_FIGURES)
        kept = " (kept)" if joint and step == joint.kept_step else ""
        rows.append([f"{step:.0f}{kept}", *("" if figure is None else metric(figure) for figure in figures)])
    return Table(tuple(JOINT_FIGURES.values()), rows) if rows else None


def embedding_table(inputs: ReportInputs) -> Table | None:
    """What fine-tuning did to the embeddings of the same states: those of earlier iterations, under the model before and under this one."""
    last = max(inputs.earlier, key=lambda result: result.iteration, default=None)
    after = inputs.result.training
    rows = []
    for name, words in EMBEDDING_FIGURES.items():
        was = last.training.get(f"head.{name}") if last else None
        now = after.get(f"{SEARCH_HEAD}.{name}")
        if was is not None and now is not None:
            rows.append((words, metric(was), metric(now), f"{now - was:+.3f}", metric(after.get(f"head.{name}", now))))
    columns = ("embeddings", "before training", "after", "change", "with this iteration's states")
    return Table(columns, rows) if rows else None


def gate_table(verdict: GateVerdict) -> Table:
    rows = []
    for c in verdict.checks:
        mark, advice = (pill("ok", "good"), "") if c.ok else (pill("falls short", "bad"), c.advice)
        rows.append((c.name, mark, c.measured, c.asked, advice))
    return Table(("check", "", "value", "asked for", "what to do"), rows)


def theorem_table(result: IterationResult) -> Table:
    """A row per theorem, and per variant its outcome, nodes and seconds."""
    columns = ["theorem"]
    rows: dict[str, list[str]] = {o.name: [o.name] for o in result.evaluations[0].per_theorem}
    for e in result.evaluations:
        columns += [VARIANTS[e.variant], "nodes", "Lean calls", "seconds"]
        for o in e.per_theorem:
            seconds = "–" if e.recalled else f"{o.seconds:.1f}"
            rows[o.name] += [status(o), f"{o.nodes:,}", f"{o.lean_calls:,}", seconds]
    return Table(columns, list(rows.values()))


def cost_table(result: IterationResult) -> Table:
    """Steps with a bar as long as their time."""
    cost = result.cost
    longest = max(c.seconds for c in cost) or 1.0
    priced = any(c.dollars for c in cost)
    rows = []
    for c in cost:
        bar = Markup('<span class="bar" style="--length:{:.1f}%"></span>').format(100 * c.seconds / longest)
        rows.append([c.step, bar, duration(c.seconds), *numbers(c, priced)])
    everything = total(result)
    rows.append(["total", "", duration(everything.seconds), *numbers(everything, priced)])
    return Table(("step", "", "time", *columns_of(priced)), rows, text_columns=2)


def output_table(inputs: ReportInputs) -> Table | None:
    rows = [
        (prefix, f"{m.key.step} v{m.key.version}", m.finished, duration(m.seconds), m.host, m.digest[:12])
        for prefix, m in inputs.records.items()
    ]
    return Table(("output", "step", "finished", "took", "host", "digest"), rows, text_columns=6) if rows else None


def versions(inputs: ReportInputs) -> str:
    return ", ".join(dict.fromkeys(f"{name} {v}" for m in inputs.records.values() for name, v in m.versions.items()))


def grouped(listed: Sequence[proofs.Proof]) -> list[tuple[str, list[tuple[proofs.Proof, str]]]]:
    """By header: its proofs, each with its Lean text."""
    groups = proofs.by_header(listed).items()
    return [(header, list(zip(group, proofs.declarations(group), strict=True))) for header, group in groups]


# ---- cells


def visible(value: object) -> object:
    """What the page shows of a value: text with invisible characters spelled out, our own Markup unchanged."""
    return "\n".join(shown(line) for line in value.split("\n")) if type(value) is str else value


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.1f}"


def metric(value: float) -> str:
    """Counts and large figures as whole numbers, small ones with their exponent, everything else to three places."""
    places = ",.0f" if value.is_integer() or abs(value) >= 1_000 else ".3f" if abs(value) >= 0.001 else ".2g"
    return f"{value:{places}}".replace("-", "−")


def pill(text: str, kind: str) -> Markup:
    return Markup('<span class="pill {}">{}</span>').format(kind, text)


def key(variant: str) -> Markup:
    """The variant's name after a dot in the colour that the plots give it."""
    dot = Markup('<span class="dot" style="--dot:var({})"></span>').format(plots.VARIABLES[plots.COLOURS[variant]])
    return dot + VARIANTS[variant]


def status(outcome: TheoremOutcome) -> Markup:
    if outcome.status is ProofStatus.PROVED:
        return pill(f"proved at {outcome.nodes_at_proof}", "good")
    kind = "plain" if outcome.status is ProofStatus.UNPROVED else "bad"
    return Markup('{} <span class="why">{}</span>').format(
        pill(outcome.status.replace("_", " "), kind), visible(outcome.reason)
    )
