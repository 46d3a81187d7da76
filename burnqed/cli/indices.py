"""Theorem indices named on the command line: the run keeps a copy of each in its folder, where every later step finds it unchanged."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from burnqed.errors import BadInput

if TYPE_CHECKING:
    from burnqed.config import RunConfig
    from burnqed.store import Store


@dataclass(frozen=True)
class Kept:
    """An index in the run's folder."""

    path: str
    text: str
    """Empty for an index that is already there."""
    benchmark: str = ""
    """The benchmark's name; empty for an index of theorems to search."""


def using(config: RunConfig, indices: list[Kept]) -> RunConfig:
    """The configuration that uses these indices."""
    data = config.data
    for index in indices:
        benchmarks = {**data.benchmarks, index.benchmark: index.path}
        data = data.model_copy(update={"benchmarks": benchmarks} if index.benchmark else {"theorems": index.path})
    return config.model_copy(update={"data": data})


def indices_to_keep(
    theorems: Path | None, benchmark: str | None, workflow: str, config: RunConfig, store: Store | None, run: str
) -> list[Kept]:
    """Those of `--theorems` and `--benchmark`. Writes nothing; without a store, the names that the run has used are not checked.

    Raises BadInput for an index that cannot be read, a benchmark whose name is missing or taken, a run that has not begun, and a workflow
    that evaluates nothing.
    """
    indices = [] if theorems is None else [kept(theorems.stem, str(theorems), config)]
    if benchmark is not None:
        from burnqed.remembered import recall
        from burnqed_workflows.registry import WORKFLOWS

        if "benchmark" not in WORKFLOWS[workflow].tasks:
            raise BadInput(f"The workflow {workflow} takes no --benchmark; leave it out.")
        if store and "data" not in WORKFLOWS[workflow].tasks and recall(store, run) is None:
            raise BadInput(f"{store.uri} has no run {run!r} yet; run an iteration first, or give --run.")
        if benchmark not in config.data.benchmarks:
            indices.append(new_benchmark(benchmark, config, store, run))
    return indices


def keep(indices: list[Kept], store: Store, run: str) -> None:
    """Writes the ones that are not there yet."""
    for index in indices:
        if index.text:
            store.write_text(f"{run}/{index.path}", index.text)


def new_benchmark(given: str, config: RunConfig, store: Store | None, run: str) -> Kept:
    """`NAME=ADDRESS`, or an address alone: then the file's name is the benchmark's."""
    from burnqed.config import BENCHMARK_NAME, SHIPPED
    from burnqed.layout import Layout
    from burnqed.record import look
    from burnqed.resolve import nearest
    from burnqed.steps.indices import INPUTS

    name, equals, location = given.partition("=")
    if not equals or not re.fullmatch(BENCHMARK_NAME, name):  # an address may contain `=`
        name, location = PurePosixPath(re.split("[?#]", given)[0]).stem, given
        if re.fullmatch(BENCHMARK_NAME, given) and not Path(given).exists():
            known = list(config.data.benchmarks)
            raise BadInput(
                f"The run has no benchmark {given!r}{nearest(given, known)}, and there is no such file; it has: {', '.join(known)}. "
                "Add one with --benchmark NAME=URI."
            )
        if not re.fullmatch(BENCHMARK_NAME, name):
            raise BadInput(f"{name!r} cannot name a benchmark; give it a name, as in --benchmark NAME={given}.")
    is_there = location == SHIPPED or location.startswith(INPUTS)
    index = Kept(location, "", name) if is_there else kept(name, location, config, benchmark=name)
    is_other = config.data.benchmarks.get(name, index.path) != index.path
    if store and is_other and look(store, Layout(run).benchmark(name))[0]:  # one that was never usable may be replaced
        raise BadInput(
            f"The run has another benchmark {name!r}; give this one a name of its own, as in --benchmark NAME={location}."
        )
    return index


def kept(stem: str, location: str, config: RunConfig, *, benchmark: str = "") -> Kept:
    """An index as it is kept in the run's folder, with its header: the path depends on the content."""
    from burnqed.data.theorems import dump_index, read_index
    from burnqed.lean.backends import open_lean

    text = dump_index(read_index(location, open_lean(config.lean).default_header))
    return Kept(f"inputs/{stem}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.json", text, benchmark)
