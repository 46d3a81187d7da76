"""Files of theorems, pairs and proofs named on the command line: the run keeps a copy of each in its folder, where every later step finds it unchanged."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
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


@dataclass(frozen=True)
class KeptRows:
    """A file of pairs or proofs in the run's folder, and the one it is a copy of."""

    field: str
    """`pairs` or `proofs`."""
    path: str
    weight: float
    store: Store
    source: str


def using(config: RunConfig, indices: list[Kept], rows: Sequence[KeptRows] = ()) -> RunConfig:
    """The configuration that uses these files; pairs or proofs that are given replace those that the run had."""
    data = config.data
    if rows:
        files = {field: [f"{r.path}={r.weight:g}" for r in rows if r.field == field] for field in ("pairs", "proofs")}
        data = data.model_copy(update=files)
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
        if benchmark not in config.data.evaluated:
            indices.append(new_benchmark(benchmark, config, store, run))
    return indices


def keep(indices: list[Kept], store: Store, run: str) -> None:
    """Writes the ones that are not there yet."""
    for index in indices:
        if index.text:
            store.write_text(f"{run}/{index.path}", index.text)


def rows_to_keep(pairs: Sequence[str], proofs: Sequence[str], workflow: str) -> list[KeptRows]:
    """Those of `--pairs` and `--proofs`. Writes nothing. Raises BadInput for a file with a row that is none, or with none at all."""
    if not (pairs or proofs):
        return []
    from burnqed.config import weighted
    from burnqed.data.pairs import PAIRS
    from burnqed.data.proofs import PROOFS
    from burnqed.data.rows import LINES
    from burnqed.store import split_address
    from burnqed_workflows.registry import WORKFLOWS

    if "data" not in WORKFLOWS[workflow].tasks:
        raise BadInput(f"The workflow {workflow} takes no --pairs and no --proofs; leave them out.")
    kept = []
    for field, rows, addresses in (("pairs", PAIRS, pairs), ("proofs", PROOFS, proofs)):
        for given in addresses:
            try:
                address, weight = weighted(given)
            except ValueError as error:
                raise BadInput(f"--{field}: {error}.") from None
            store, source = split_address(address)
            if not sum(len(batch) for batch in rows.read(store, source)):
                raise BadInput(f"{address} holds no {rows.name}; add some, or choose another file.")
            ending = LINES if source.endswith(LINES) else ".parquet"
            path = f"inputs/{PurePosixPath(source).stem}-{store.digest(source)[:12]}{ending}"
            kept.append(KeptRows(field, path, weight, store, source))
    return kept


def keep_rows(files: list[KeptRows], store: Store, run: str) -> None:
    """Copies those that are not there yet."""
    for file in files:
        if not store.exists(f"{run}/{file.path}"):
            with file.store.reading(file.source) as local:
                store.upload_file(local, f"{run}/{file.path}")


def new_benchmark(given: str, config: RunConfig, store: Store | None, run: str) -> Kept:
    """`NAME=ADDRESS`, or an address alone: then the file's name is the benchmark's."""
    from burnqed.config import BENCHMARK_NAME, IN_DOMAIN, SHIPPED_INDICES
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
    if name == IN_DOMAIN:
        raise BadInput(
            f"{name!r} is the benchmark that data.in_domain makes; give this one another name, as in --benchmark NAME={location}."
        )
    is_there = location in SHIPPED_INDICES or location.startswith(INPUTS)
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
