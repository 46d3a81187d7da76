"""benchmark: copies each theorem index that the run is evaluated on into the run, and elaborates it once.

A unit is `RUN/benchmarks/NAME`: theorems.json (the index, or a sample of it) and report.json (the theorems that do not elaborate, with Lean's
reasons). Those are evaluated like the rest, and count as theorems that could not be tried. Where the run probes what it searches (`select.drop_probe_easy`), benchmarks
are probed, too (those of the package are not: of `shipped` it is known), for reports that tell easy theorems from others; what is found is kept for all runs (`burnqed/steps/probed.py`).

The benchmark `in-domain` (`data.in_domain`) has theorems of the run's own index. They are chosen here, before the step `data`, which leaves them out as it
leaves out those of every benchmark; of its theorems, those that do not elaborate are left out.
"""

from __future__ import annotations

from dataclasses import replace

from burnqed.config import IN_DOMAIN, SHIPPED_INDICES
from burnqed.data.importing import failing
from burnqed.data.sets.leaks import form
from burnqed.data.split import unit_interval
from burnqed.data.theorems import dump_index, parse_index
from burnqed.errors import BadInput
from burnqed.key import digest_of
from burnqed.lean.backends import EMBEDDED, open_lean
from burnqed.lean.protocol import Theorem
from burnqed.record import look, output
from burnqed.remembered import remember_benchmarks
from burnqed.steps.base import Context, Unit, Work, key_of
from burnqed.steps.facts import BenchmarkFacts
from burnqed.steps.indices import read_configured, some
from burnqed.steps.known import contents, index
from burnqed.steps.probed import probe_all
from burnqed.steps.table import INDEX as OF_THE_INDEX
from burnqed.steps.table import step_named
from burnqed.store import Store

INDEX = "theorems.json"
REPORT = "report.json"
HELD_OUT = "theorems held out"
"""Parameter of the benchmark `in-domain`."""


def units(context: Context) -> list[Unit]:
    config, layout, benchmarks = context.config.data, context.layout, []
    for name, location in config.benchmarks.items():
        digest = digest_of([t.model_dump() for t in read_configured(context, location)])
        benchmarks.append(Unit(layout.benchmark(name), name=name, parameters=(("what lies there", digest),)))
    if config.in_domain:
        parameters = ((HELD_OUT, str(config.in_domain)), *contents(context))
        benchmarks.append(Unit(layout.benchmark(IN_DOMAIN), name=IN_DOMAIN, parameters=parameters, reads=OF_THE_INDEX))
    return benchmarks


def check_first(context: Context, unit: Unit) -> None:
    """Raises BadInput if theorems would be held out of a run that has searched already: what it found stays, so models and heads would go on learning from them."""
    record, _ = look(context.store, unit.prefix)
    whole = replace(context, config=context.recorded)
    if record and not key_of(step_named("benchmark"), whole, unit, {}).difference(record.key):
        return
    if context.store.files(f"{context.layout.at(0).root}/trajectories"):
        raise BadInput(
            f"data.in_domain={dict(unit.parameters)[HELD_OUT]} would hold theorems out that the run {context.layout.run!r} may have searched and learned from; hold them out "
            "from the start, in a new run (--run NAME)."
        )


async def run(context: Context, unit: Unit) -> BenchmarkFacts | None:
    config, lengths = context.config.data, dict[str, int]()
    if unit.name == IN_DOMAIN:
        check_first(context, unit)
        theorems, lengths = held_out(context, int(dict(unit.parameters)[HELD_OUT]))
        elaborates = not (config.theorems or config.pairs or config.proofs)
    else:
        location = config.benchmarks[unit.name]
        theorems = some(read_configured(context, location), config.benchmark_theorems, lambda t: t.name)
        elaborates = location in SHIPPED_INDICES
    failed: dict[str, str] = {}
    known = elaborates and context.config.lean.backend == EMBEDDED  # tests show that the statements elaborate
    probes = context.recorded.select.drop_probe_easy and (unit.name == IN_DOMAIN or not known)  # no part of the output
    if probes or not known:
        async with open_lean(context.config.lean) as lean:
            if not known:
                failed = await failing(theorems, lean, f"the benchmark {unit.name}", context.stop)
            if probes:
                await probe_all(context, lean, [t for t in theorems if t.name not in failed])
    if context.stop.is_set():
        return None
    if unit.name == IN_DOMAIN:
        theorems = [t for t in theorems if t.name not in failed]
    context.store.write_text(f"{unit.root}/{INDEX}", dump_index(theorems))
    report = {"theorems": len(theorems), "failed": failed, **({"known_proofs": lengths} if lengths else {})}
    context.store.write_json(f"{unit.root}/{REPORT}", report)
    return BenchmarkFacts(theorems=len(theorems), failed=len(failed))


def held_out(context: Context, number: int) -> tuple[list[Theorem], dict[str, int]]:
    """So many theorems of the index, chosen by hash of the name, of which no two are equal; and the numbers of tactics of those with a known proof.

    Raises BadInput when they would be more than half of the index.
    """
    found = index(context)
    by_form: dict[str, Theorem] = {}
    for theorem, _ in sorted(found.values(), key=lambda row: unit_interval(IN_DOMAIN, row[0].name)):
        by_form.setdefault(form(theorem.statement), theorem)
    if 2 * number > len(by_form):
        raise BadInput(
            f"data.in_domain holds out {number} theorems, and the index has {len(by_form)} that differ; hold out at most half of them."
        )
    chosen = list(by_form.values())[:number]
    lengths = {t.name: length for t in chosen if (length := found[t.name][1]) is not None}
    return sorted(chosen, key=lambda t: t.name), lengths


def read_benchmark(store: Store, prefix: str) -> list[Theorem]:
    """The theorems of a finished benchmark."""
    path = f"{output(store, prefix)}/{INDEX}"
    return parse_index(store.read_text(path), store.locate(path))


def known_lengths(store: Store, prefix: str) -> dict[str, int]:
    """Numbers of tactics of the known proofs of a finished benchmark's theorems, as far as the run has any: those that it held out."""
    return dict(store.read_json(f"{output(store, prefix)}/{REPORT}").get("known_proofs", {}))


def remember(context: Context) -> None:
    """Adds benchmarks that only a partial workflow was given to the run's own, now that they are known to be usable."""
    remember_benchmarks(context.store, context.layout.run, context.config)


WORK = Work(units, run, finished=remember)
