"""lean-start: compares the search of iteration 0 with the same search by the head that learned from it (`search.guided`). Writes lean-start.json, index.html."""

from __future__ import annotations

from burnqed.config import EvaluateConfig
from burnqed.data.sets.leaks import form
from burnqed.data.split import is_validation
from burnqed.data.theorems import common_header
from burnqed.evaluate.figures import evaluation_result
from burnqed.evaluate.lean_start import FILE, LeanStart, judged
from burnqed.evaluate.report.lean_start import write_page
from burnqed.evaluate.results import HEAD, PLAIN, EvaluationResult
from burnqed.lean.backends import open_lean
from burnqed.lean.protocol import Theorem
from burnqed.log import log
from burnqed.record import output, read_record
from burnqed.steps import search
from burnqed.steps.base import Context, Unit, Work, show_in_argo
from burnqed.steps.data import read_proofs
from burnqed.steps.facts import HeadFacts, LeanStartFacts, ModelFacts
from burnqed.steps.models import GUIDED, is_guided
from burnqed.steps.select import read_selection
from burnqed.steps.table import FINAL
from burnqed.steps.trajectories import own_shards, rows_of
from burnqed.trajectory.reader import theorem_results

PAGE = "index.html"


def units(context: Context) -> list[Unit]:
    layout = context.layout
    sources = {
        "data": [layout.data],
        "selection": [layout.selection],
        "model": [layout.model],
        "head": [layout.head(FINAL)],
        "main": own_shards(context, layout.trajectories("main"), search.count(context)),
        GUIDED: own_shards(context, layout.trajectories(GUIDED), search.count(context.at(stage=FINAL))),
    }
    return [Unit(layout.lean_start, sources)]


def trained_on(context: Context, unit: Unit, theorems: list[Theorem]) -> set[str]:
    """Names of those theorems that the head may have learned from, or from others with the same statement: searched ones or known proofs, but for those that are held out."""
    fraction = context.config.data.validation_fraction
    proofs = read_proofs(context.store, f"{output(context.store, unit.source('data'))}/proofs.json")
    known = [t for t in (*theorems, *(p.theorem for p in proofs)) if not is_validation(t.name, fraction)]
    forms = {form(theorem.statement) for theorem in known}
    return {theorem.name for theorem in theorems if form(theorem.statement) in forms}


async def run(context: Context, unit: Unit) -> LeanStartFacts:
    store, config = context.store, context.config
    model, head = (read_record(store, unit.source(name)) for name in ("model", "head"))
    assert model is not None
    assert head is not None
    theorems = read_selection(store, unit.source("selection")).theorems
    known, lean = trained_on(context, unit, theorems), open_lean(config.lean)

    def of(variant: str, searched: str) -> EvaluationResult:
        results = [r for rows in rows_of(store, unit.sources[searched]) for r in theorem_results(rows)]
        return evaluation_result(
            results,
            theorems,
            variant=variant,
            model=ModelFacts.of(model).version,
            head=None if variant == PLAIN else HeadFacts.of(head).head_id,
            benchmark="selection",
            header=common_header(theorems, lean.default_header),
            lean_version=lean.version,
            config=EvaluateConfig(
                budgets=[config.search.budget],
                candidates=config.search.candidates,
                temperature=config.search.temperature,
            ),
            trained_on=known,
        )

    found = judged(
        context.layout.run,
        of(PLAIN, "main"),
        of(HEAD, GUIDED),
        accepted=HeadFacts.of(head).accepted,
        is_raw=context.layout.adapter not in model.key.inputs,
        max_p=config.gate.max_p,
    )
    folder = context.workdir / "lean-start"
    folder.mkdir()
    (folder / FILE).write_text(found.model_dump_json(indent=1) + "\n", encoding="utf-8")
    write_page(found, sizes(context), folder / PAGE)
    store.upload(folder, unit.root)
    show_in_argo(folder / PAGE, PAGE)
    log.info("%s: %s", found.verdict, found.reason)
    return facts(found)


def facts(found: LeanStart) -> LeanStartFacts:
    held_out = found.held_out
    return LeanStartFacts(
        verdict=found.verdict,
        tried=held_out.tried,
        newly_solved=len(held_out.newly_solved),
        lost=len(held_out.lost),
    )


def sizes(context: Context) -> dict[str, str]:
    """What was done, in words, for the page."""
    c = context.recorded
    return {
        "profile": c.profile,
        "model": c.policy.model,
        "search": f"{c.select.theorems:,} theorems, {c.search.budget} nodes, {c.search.candidates} candidates at temperature {c.search.temperature:g}",
        "replayed proofs": f"{c.negatives.theorems:,}, {c.negatives.candidates} candidates at each state",
        "held out of the head's training": f"{c.data.validation_fraction:.0%} of the theorems, by hash of the name",
        "head": f"{c.ebm.steps:,} steps of {c.ebm.batch} positives",
        "seeds": f"sft {c.sft.seed}, ebm {c.ebm.seed}, search {c.search.seed}",
    }


WORK = Work(units, run, needed=lambda context: is_guided(context.config, context.iteration))
