"""Reading the results that lie at an address: of an iteration, or of `burnqed eval --out`."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import TypeAdapter, ValidationError

from burnqed.errors import BadInput
from burnqed.evaluate.results import HEAD, PLAIN, EvaluationResult, IterationResult
from burnqed.record import read_record
from burnqed.store import split_address

Labelled = tuple[str, EvaluationResult]
"""What people call an evaluation, and the evaluation."""

DOCUMENT: TypeAdapter[IterationResult | EvaluationResult] = TypeAdapter(IterationResult | EvaluationResult)


def read_results(locations: Sequence[str], variant: str | None = None, benchmark: str | None = None) -> list[Labelled]:
    """What lies at these addresses, for a comparison: on the benchmark of that name, else the first that all have; and of each its
    evaluation with head where all have one, else the plain one.

    Raises BadInput for an address without results, a benchmark that none has, and when the results have no variant in common.
    """
    found = [(location, read_evaluations(location)) for location in locations]
    names = dict.fromkeys(e.benchmark for _, those in found for _, e in those)
    if benchmark is not None and benchmark not in names:
        raise BadInput(f"None of the results is on a benchmark {benchmark!r}; choose one of: {', '.join(names)}.")
    asked_for = [e.benchmark_hash for _, those in found for _, e in those if e.benchmark == benchmark]
    hashes = [[e.benchmark_hash for _, e in those] for _, those in found]
    shared = [one for one in hashes[0] if all(one in others for others in hashes)]
    wanted = next(iter([*asked_for, *shared]), None)
    return choose([(where, on_one(those, wanted)) for where, those in found], variant)


def on_one(found: Sequence[Labelled], wanted: str | None) -> dict[str, Labelled]:
    """By variant, those on the benchmark with this hash, whatever its name; else on the first, which nobody takes for another one."""
    present = [e.benchmark_hash for _, e in found]
    here = wanted if wanted in present else present[0]
    return {e.variant: (label, e) for label, e in found if e.benchmark_hash == here}


def choose(found: Sequence[tuple[str, dict[str, Labelled]]], variant: str | None) -> list[Labelled]:
    """From each address the evaluation of the wanted variant, else of the best one that all have; labels made unique.

    Where every address holds a single evaluation there is nothing to choose: plain and head may then meet.
    """
    common = set.intersection(*(set(variants) for _, variants in found)) if found else set()
    best = next((name for name in (HEAD, PLAIN, *sorted(common)) if name in common), None)
    if variant is None and all(len(variants) == 1 for _, variants in found):
        chosen = [next(iter(variants.values())) for _, variants in found]
    else:
        wanted = variant or best
        if wanted is None or wanted not in common:
            have = "; ".join(f"{where}: {', '.join(sorted(variants))}" for where, variants in found)
            lacking = (
                f"not all results have the variant {variant!r}" if variant else "no variant is common to the results"
            )
            raise BadInput(f"Cannot compare, {lacking} ({have}); compare results that were made with the same variant.")
        chosen = [variants[wanted] for _, variants in found]
    unique = len({label for label, _ in chosen}) == len(chosen)
    return [(label if unique else where, e) for (label, e), (where, _) in zip(chosen, found, strict=True)]


def read_evaluations(location: str) -> list[Labelled]:
    """The labelled evaluations at an iteration's folder, its report's, a `results.json`, or an `eval --out` folder."""
    store, name = split_address(location)
    units = (name, f"{name}/report")
    folders = [m.root(unit) if (m := read_record(store, unit)) else unit for unit in units]
    paths = [name] if name.endswith(".json") else [f"{folder}/results.json" for folder in folders]
    path = next((path for path in paths if store.exists(path)), None)
    if path is None:
        raise BadInput(
            f"There are no results at {location}; give an iteration's folder (…/iterations/iter_N), its report folder, "
            "a results.json, or the --out folder of `burnqed eval`."
        )
    try:
        found = DOCUMENT.validate_json(store.read_bytes(path))
    except ValidationError:
        raise BadInput(
            f"{store.locate(path)} holds neither an iteration's results nor an evaluation's; give another file, or make it anew."
        ) from None
    if isinstance(found, EvaluationResult):
        return [(store.full(path).split("/")[-2], found)]
    return [(f"{found.run} iteration {found.iteration}", e) for e in found.evaluations]
