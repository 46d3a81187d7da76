"""benchmark: copies each theorem index that the run is evaluated on into the run, and elaborates it once.

A unit is `RUN/benchmarks/NAME`: theorems.json (the index, or a sample of it) and report.json (the theorems that do not elaborate, with Lean's
reasons). Those are evaluated like the rest, and count as theorems that could not be tried.
"""

from __future__ import annotations

from burnqed.config import SHIPPED_INDICES
from burnqed.data.importing import failing
from burnqed.data.theorems import dump_index, parse_index
from burnqed.key import digest_of
from burnqed.lean.backends import EMBEDDED, open_lean
from burnqed.lean.protocol import Theorem
from burnqed.record import output
from burnqed.remembered import remember_benchmarks
from burnqed.steps.base import Context, Unit, Work
from burnqed.steps.facts import BenchmarkFacts
from burnqed.steps.indices import read_configured, some
from burnqed.store import Store

INDEX = "theorems.json"


def units(context: Context) -> list[Unit]:
    benchmarks = []
    for name, location in context.config.data.benchmarks.items():
        digest = digest_of([t.model_dump() for t in read_configured(context, location)])
        benchmarks.append(Unit(context.layout.benchmark(name), name=name, parameters=(("what lies there", digest),)))
    return benchmarks


async def run(context: Context, unit: Unit) -> BenchmarkFacts | None:
    config = context.config.data
    location = config.benchmarks[unit.name]
    theorems = some(read_configured(context, location), config.benchmark_theorems, lambda t: t.name)
    failed: dict[str, str] = {}
    if (
        location not in SHIPPED_INDICES or context.config.lean.backend != EMBEDDED
    ):  # where tests show that its statements elaborate
        async with open_lean(context.config.lean) as lean:
            failed = await failing(theorems, lean, f"the benchmark {unit.name}", context.stop)
    if context.stop.is_set():
        return None
    context.store.write_text(f"{unit.root}/{INDEX}", dump_index(theorems))
    context.store.write_json(f"{unit.root}/report.json", {"theorems": len(theorems), "failed": failed})
    return BenchmarkFacts(theorems=len(theorems), failed=len(failed))


def read_benchmark(store: Store, prefix: str) -> list[Theorem]:
    """The theorems of a finished benchmark."""
    path = f"{output(store, prefix)}/{INDEX}"
    return parse_index(store.read_text(path), store.locate(path))


def remember(context: Context) -> None:
    """Adds benchmarks that only a partial workflow was given to the run's own, now that they are known to be usable."""
    remember_benchmarks(context.store, context.layout.run, context.config)


WORK = Work(units, run, finished=remember)
