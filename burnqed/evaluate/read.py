"""Reading the results at an address: of an iteration, or of `burnqed eval --out`."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import TypeAdapter, ValidationError

from burnqed.errors import BadInput
from burnqed.evaluate.results import HEAD, PLAIN, EvaluationResult, IterationResult
from burnqed.record import read_record
from burnqed.store import split_address

Labelled = tuple[str, EvaluationResult]
"""The name under which an evaluation is shown, and the evaluation."""

DOCUMENT: TypeAdapter[IterationResult | EvaluationResult] = TypeAdapter(IterationResult | EvaluationResult)


def read_results(locations: Sequence[str], variant: str | None = None, benchmark: str | None = None) -> list[Labelled]:
    """The evaluations at these addresses, for a comparison: on the benchmark of that name, else on the first that all have; from each
    address the evaluation with head where all have one, else the plain one.

    Raises BadInput for an address without results, a benchmark that none has, and when the results have no variant in common.
    """
    read = [(location, read_evaluations(location)) for location in locations]
    names = dict.fromkeys(e.benchmark for _, evaluations in read for _, e in evaluations)
    if benchmark is not None and benchmark not in names:
        raise BadInput(f"None of the results is on a benchmark {benchmark!r}; choose one of: {', '.join(names)}.")
    asked_for = [e.benchmark_hash for _, evaluations in read for _, e in evaluations if e.benchmark == benchmark]
    hashes = [[e.benchmark_hash for _, e in evaluations] for _, evaluations in read]
    shared = [value for value in hashes[0] if all(value in others for others in hashes)]
    wanted = next(iter([*asked_for, *shared]), None)
    return choose([(where, on_one(evaluations, wanted)) for where, evaluations in read], variant)


def on_one(evaluations: Sequence[Labelled], wanted: str | None) -> dict[str, Labelled]:
    """By variant, those on the benchmark with this hash, whatever its name; else those on the first benchmark, so that the comparison
    says that the benchmarks differ."""
    present = [e.benchmark_hash for _, e in evaluations]
    here = wanted if wanted in present else present[0]
    return {e.variant: (label, e) for label, e in evaluations if e.benchmark_hash == here}


def choose(read: Sequence[tuple[str, dict[str, Labelled]]], variant: str | None) -> list[Labelled]:
    """From each address the evaluation of the wanted variant, else of the best one that all have; labels made unique.

    Where every address holds a single evaluation there is nothing to choose: plain and head may then be compared.
    """
    if variant is None and all(len(variants) == 1 for _, variants in read):
        chosen = [next(iter(variants.values())) for _, variants in read]
    else:
        wanted = variant or (HEAD if all(HEAD in variants for _, variants in read) else PLAIN)
        if not all(wanted in variants for _, variants in read):
            have = "; ".join(f"{where}: {', '.join(sorted(variants))}" for where, variants in read)
            lacking = (
                f"not all results have the variant {wanted!r}" if variant else "no variant is common to the results"
            )
            raise BadInput(f"Cannot compare, {lacking} ({have}); compare results that were made with the same variant.")
        chosen = [variants[wanted] for _, variants in read]
    unique = len({label for label, _ in chosen}) == len(chosen)
    return [(label if unique else where, e) for (label, e), (where, _) in zip(chosen, read, strict=True)]


def read_evaluations(location: str) -> list[Labelled]:
    """The labelled evaluations at an iteration's folder, its report's, a `results.json`, or an `eval --out` folder."""
    store, name = split_address(location)
    units = (name, f"{name}/report")
    folders = [record.root(unit) if (record := read_record(store, unit)) else unit for unit in units]
    paths = [name] if name.endswith(".json") else [f"{folder}/results.json" for folder in folders]
    path = next((path for path in paths if store.exists(path)), None)
    if path is None:
        raise BadInput(
            f"There are no results at {location}; give an iteration's folder (…/iterations/iter_N), its report folder, "
            "a results.json, or the --out folder of `burnqed eval`."
        )
    try:
        document = DOCUMENT.validate_json(store.read_bytes(path))
    except ValidationError:
        raise BadInput(
            f"{store.locate(path)} holds neither an iteration's results nor an evaluation's; give another file, or write it again."
        ) from None
    evaluations = [document] if isinstance(document, EvaluationResult) else document.evaluations
    if not all(is_whole(e) for e in evaluations):
        raise BadInput(
            f"{store.locate(path)} is damaged: its theorems are not as many as its totals say; write it again."
        )
    if isinstance(document, EvaluationResult):
        return [(store.full(path).split("/")[-2], document)]
    return [(f"{document.run} iteration {document.iteration}", e) for e in document.evaluations]


def is_whole(evaluation: EvaluationResult) -> bool:
    """Whether each theorem is there, once."""
    names = [o.name for o in evaluation.per_theorem]
    return bool(evaluation.budgets) and len({*names}) == len(names) == evaluation.at_largest.total
