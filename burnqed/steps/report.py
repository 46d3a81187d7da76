"""report: the iteration's results, a comparison with earlier iterations, the gates' verdict, and the HTML page.

Writes results.json, gate.json, index.html and the proofs it lists; adds the iteration to the run's summary.json.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import count

from burnqed.data.sets.leaks import form
from burnqed.data.theorems import common_header
from burnqed.documents import READ_AGAIN, read_document
from burnqed.errors import BadInput
from burnqed.evaluate.costs import step_costs, wall
from burnqed.evaluate.figures import evaluation_result, search_figures
from burnqed.evaluate.gates import TRAINED_STEPS, verdict
from burnqed.evaluate.report import Proof, ReportInputs, write_report
from burnqed.evaluate.results import HEAD, PLAIN, SEARCH_HEAD, VARIANTS, EvaluationResult, IndexFigures, IterationResult
from burnqed.evaluate.summary import ever, summarize
from burnqed.layout import iteration_of
from burnqed.lean.backends import open_lean
from burnqed.lean.protocol import LeanBackend
from burnqed.ledger import Attempt, accounts
from burnqed.log import log
from burnqed.record import Record, look, output, read_record
from burnqed.snapshot import Snapshot
from burnqed.steps import ebm, evaluate, search, sft
from burnqed.steps.base import Context, Unit, Work, settings_of, show_in_argo
from burnqed.steps.benchmark import known_lengths, read_benchmark
from burnqed.steps.data import read_proofs
from burnqed.steps.facts import DataFacts, HeadFacts, ModelFacts, ReportFacts, SftFacts, ShardFacts
from burnqed.steps.models import has_search_head, head_prefix, search_variants, searches
from burnqed.steps.probed import known_easy
from burnqed.steps.select import read_selection
from burnqed.steps.table import FINAL, SEARCH, step_named
from burnqed.steps.trajectories import own_shards, rows_of, searched_iterations
from burnqed.store import Store
from burnqed.trajectory.reader import theorem_results
from burnqed.trajectory.schema import ProofStatus, TheoremResult

RESULTS = "results.json"


def units(context: Context) -> list[Unit]:
    layout = context.layout
    head = head_prefix(layout, "final", context.config)
    benchmarks = context.config.data.evaluated
    own = [context.iteration] if searches(context.config, context.iteration) else []
    sources = {
        "data": [layout.data],
        "benchmarks": [layout.benchmark(name) for name in benchmarks],
        "selections": [layout.at(i).selection for i in (*searched_iterations(context), *own)],
        "adapter": [layout.adapter] if context.config.sft.enabled else [],
        "model": [layout.model],
        "head": [head] if head else [],
        "search head": [layout.head(SEARCH)] if has_search_head(context.config, context.iteration) else [],
        "searched": searched(context),
        **{evaluated(name, v): shards_of(context, name, v) for name in benchmarks for v in evaluate.variants(context)},
        "earlier": [layout.at(i).report for i in range(context.iteration)],
        "baseline": baseline(context),
    }
    gated = ("the benchmark of the gates", benchmarks[0])
    return [Unit(layout.report, sources, parameters=(gated,))]


def baseline(context: Context) -> list[str]:
    """The report that iteration 0 is compared with. Raises BadInput for one of the run itself."""
    address = context.config.gate.baseline
    if address is None or context.iteration > 0:
        return []
    theirs = iteration_of(address)
    if theirs.run == context.layout.run:
        raise BadInput(f"gate.baseline is {address}, which is the run itself; give an iteration of another run.")
    if read_record(context.store, theirs.report) is None:
        raise BadInput(
            f"gate.baseline is {address}, and {context.store.uri} has no finished report of that; run it first, or set gate.baseline=null."
        )
    return [theirs.report]


def searched(context: Context) -> list[str]:
    if not searches(context.config, context.iteration):
        return []
    layout, variants = context.layout, search_variants(context.config, context.iteration)
    return [f for v in variants for f in own_shards(context, layout.trajectories(v), search.count(context))]


def evaluated(benchmark: str, variant: str) -> str:
    """Role of the shards of an evaluation in the report's sources."""
    return f"{benchmark}, {variant}"


def shards_of(context: Context, benchmark: str, variant: str) -> list[str]:
    folder = context.layout.evaluation(benchmark, variant)
    return own_shards(context, folder, evaluate.shards_of(context, benchmark, evaluate.STAGES[variant]))


async def run(context: Context, unit: Unit) -> ReportFacts:
    store, layout = context.store, context.layout
    snapshot = Snapshot.of(store, unit.inputs)
    records = {prefix: record for prefix in unit.inputs if (record := read_record(snapshot, prefix))}
    earlier = [read_result(store, layout.at(i).report) for i in range(context.iteration)]
    known = trained_statements(context, unit)
    evaluations = [
        evaluation(context, unit, prefix, variant, records, known)
        for prefix in unit.sources["benchmarks"]
        for variant in VARIANTS
        if evaluated(name_of(prefix), variant) in unit.sources
    ]
    results = results_of(store, unit.sources["searched"])
    worked = attempts(context)
    result = IterationResult(
        run=layout.run,
        iteration=context.iteration,
        profile=context.config.profile,
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        evaluations=evaluations,
        ever=ever(evaluations, earlier),
        search=search_figures(results),
        index=index_figures(context, unit, results),
        training=training_metrics(context, records, earlier),
        shares=rank_shares(context, records),
        cost=step_costs(worked),
        seconds=wall(worked),
    )
    before = [read_result(store, prefix) for prefix in unit.sources["baseline"]]
    gate = context.config.gate
    if not unit.sources["searched"]:  # nothing says how many candidates the policy has
        gate = gate.model_copy(update={"min_candidates": 0.0})
    judged = verdict(result, earlier, gate, baseline=next(iter(before), None))
    has_adapter, has_head = layout.adapter in records, layout.head(FINAL) in records
    energies = ebm.read_energies(store, layout.head(FINAL)) if has_head else {}
    inputs = ReportInputs(
        result=result,
        earlier=earlier,
        verdict=judged,
        loss=sft.read_losses(store, layout.adapter) if has_adapter else [],
        joint=sft.read_joint(store, layout.adapter, accepted=is_accepted(records.get(layout.head(SEARCH))))
        if has_adapter
        else None,
        positive_energies=energies.get("positive", []),
        negative_energies=energies.get("negative", []),
        embeddings=ebm.read_picture(store, layout.head(FINAL)) if has_head else {},
        held_out=ebm.read_held_out(store, layout.head(FINAL)) if has_head else None,
        training_proofs=training_proofs(context, results),
        kept=changed_since(context, [records[prefix] for prefix in unit.sources["searched"]]),
        config=context.recorded.model_dump(mode="json"),
        records=records,
    )
    folder = context.workdir / "report"
    write_report(inputs, folder)
    store.upload(folder, unit.root)
    show_in_argo(folder / "index.html", "report.html")
    store.write_text(f"{unit.root}/{RESULTS}", result.model_dump_json(indent=1) + "\n")
    store.write_text(f"{unit.root}/gate.json", judged.model_dump_json(indent=1) + "\n")
    summary = summarize([*earlier, *later_results(context), result])
    store.write_text(layout.summary, summary.model_dump_json(indent=1) + "\n")
    solved = {f"solved_{e.benchmark}_{e.variant}": e.at_largest.solved for e in evaluations}
    trained = {f"trained_on_{e.benchmark}": len(e.trained_on) for e in evaluations if e.trained_on}
    return ReportFacts(go=judged.go, **solved, **trained)


def is_accepted(head: Record | None) -> bool:
    return head is not None and HeadFacts.of(head).accepted


def read_result(store: Store, prefix: str) -> IterationResult:
    return read_document(store, f"{output(store, prefix)}/{RESULTS}", IterationResult, READ_AGAIN)


def later_results(context: Context) -> list[IterationResult]:
    """Results of later iterations, finished before this one was redone."""
    results: list[IterationResult] = []
    for number in count(context.iteration + 1):
        report = context.layout.at(number).report
        record, damage = look(context.store, report)
        if damage:
            log.warning("%s is left out of the summary because it is damaged: %s", context.store.locate(report), damage)
        elif record is None:
            break
        else:
            results.append(read_result(context.store, report))
    return results


def results_of(store: Store, folders: Iterable[str]) -> list[TheoremResult]:
    return [r for rows in rows_of(store, list(folders)) for r in theorem_results(rows)]


def name_of(prefix: str) -> str:
    """Name of the benchmark in a folder."""
    return prefix.rpartition("/")[2]


def trained_statements(context: Context, unit: Unit) -> set[str]:
    """Forms of the statements that model or head may have learned from: known proofs, and what was searched up to this iteration."""
    store = context.store
    proofs = read_proofs(store, f"{output(store, context.layout.data)}/proofs.json")
    searched = [t for prefix in unit.sources["selections"] for t in read_selection(store, prefix).theorems]
    return {form(theorem.statement) for theorem in (*(p.theorem for p in proofs), *searched)}


def index_figures(context: Context, unit: Unit, results: Sequence[TheoremResult]) -> IndexFigures:
    """What has been searched for training data."""
    data = read_record(context.store, context.layout.data)
    assert data is not None
    searched = {t.name for prefix in unit.sources["selections"] for t in read_selection(context.store, prefix).theorems}
    proved = sorted({r.name for r in results if r.status is ProofStatus.PROVED})
    return IndexFigures(theorems=DataFacts.of(data).theorems, searched=len(searched), proved=proved)


def evaluation(
    context: Context, unit: Unit, prefix: str, variant: str, records: dict[str, Record], known: Collection[str]
) -> EvaluationResult:
    """The result of one variant on the benchmark at `prefix`; `known` are the forms of statements that were trained on."""
    config, store, layout = context.config, context.store, context.layout
    theorems, benchmark, lean = read_benchmark(store, prefix), name_of(prefix), lean_of(context)
    shards = unit.sources[evaluated(benchmark, variant)]
    address = context.recorded.data.benchmarks.get(benchmark, "")
    return evaluation_result(
        results_of(store, shards),
        theorems,
        variant=variant,
        model=ModelFacts.of(records[layout.model]).version,
        head=None if variant == PLAIN else HeadFacts.of(records[layout.head(evaluate.STAGES[variant])]).head_id,
        benchmark=benchmark,
        header=common_header(theorems, lean.default_header),
        lean_version=", ".join(sorted({ShardFacts.of(records[shard]).lean or lean.version for shard in shards})),
        config=config.evaluate,
        trained_on=[t.name for t in theorems if form(t.statement) in known],
        easy=known_easy(store, lean, context.recorded.lean, theorems, address),
        known_proofs=known_lengths(store, prefix),
        recalled=any(took_from_another(records[shard], variant) for shard in shards),
        made_with=records[shards[0]].key.settings,
    )


def took_from_another(shard: Record, variant: str) -> bool:
    """Whether it took expansions from another search. In earlier records, the search without a head came first in a step."""
    taken = ShardFacts.of(shard).recalled
    return variant == HEAD if taken is None else taken > 0


def lean_of(context: Context) -> LeanBackend:
    """The Lean backend that the run's searches and evaluations used."""
    return open_lean(context.recorded.lean)


def training_metrics(
    context: Context, records: dict[str, Record], earlier: Sequence[IterationResult]
) -> dict[str, float]:
    """Figures that the trainings of model and head reported: `sft.evaluation_loss`, `head.auc`, `search_head.auc` (before the search), …; and `sft.trained_steps`, with those of
    the weights that the fine-tuning started from, or that the iteration left as they were."""
    figures: dict[str, float] = {}
    before = earlier[-1].training if earlier else {}
    if adapter := records.get(context.layout.adapter):
        trained = SftFacts.of(adapter)
        figures |= {f"sft.{name}": value for name, value in trained.figures.items()}
        figures[TRAINED_STEPS] = trained.steps
        before = before if trained.start != "base" else {}
    figures[TRAINED_STEPS] = figures.get(TRAINED_STEPS, 0.0) + before.get(TRAINED_STEPS, before.get("sft.steps", 0.0))
    for part, prefix in heads(context, records).items():
        figures |= {f"{part}.{name}": value for name, value in HeadFacts.of(records[prefix]).figures.items()}
    return figures


def rank_shares(context: Context, records: Mapping[str, Record]) -> dict[str, dict[str, float]]:
    """By figure of a head, named as in `training_metrics`, what each held-out theorem adds to it."""
    return {
        f"{part}.{name}": shares
        for part, prefix in heads(context, records).items()
        for name, shares in ebm.read_shares(context.store, prefix).items()
    }


def heads(context: Context, records: Mapping[str, Record]) -> dict[str, str]:
    """The prefixes of the heads that there are, by what the names of their figures begin with."""
    stages = {"head": FINAL, SEARCH_HEAD: SEARCH}
    prefixes = {part: context.layout.head(stage) for part, stage in stages.items()}
    return {part: prefix for part, prefix in prefixes.items() if prefix in records}


def attempts(context: Context) -> list[Attempt]:
    """All attempts at this iteration's steps so far, except at the report, which is not done yet."""
    own = (a for a in accounts(context.store, context.layout.run) if a.iteration == context.iteration)
    return [attempt for account in own for attempt in account.attempts if attempt.step != "report"]


def changed_since(context: Context, searched: Iterable[Record]) -> list[str]:
    """How the settings of finished searches differ from the configuration, such as `search.budget went from 6 to 8`."""
    config, step, differences = context.recorded, step_named("search"), set()
    for record in searched:
        settings = settings_of(config.only((*step.reads, *record.key.settings)))
        now = record.key.model_copy(update={"settings": settings, "version": step.version})
        differences.add(now.difference(record.key))
    return sorted(differences - {""})


def training_proofs(context: Context, results: list[TheoremResult]) -> list[Proof]:
    default = lean_of(context).default_header
    if not results:
        return []
    theorems = {t.name: t for t in read_selection(context.store, context.layout.selection).theorems}
    proofs = {(r.name, r.proof): r.nodes_at_proof for r in results if r.status is ProofStatus.PROVED and r.proof}
    return [
        Proof(
            name=name,
            statement=theorems[name].statement,
            header=common_header([theorems[name]], default),
            proof=proof,
            found=f"search, {nodes} nodes",
        )
        for (name, proof), nodes in sorted(proofs.items(), key=lambda item: item[0][0])
    ]


WORK = Work(units, run)
