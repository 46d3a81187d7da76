"""Reading the results that lie at an address: of an iteration, or of `burnqed eval --out`."""

from __future__ import annotations

from pydantic import TypeAdapter, ValidationError

from burnqed.errors import BadInput
from burnqed.evaluate.results import EvaluationResult, IterationResult
from burnqed.store import Store

Labelled = tuple[str, EvaluationResult]
"""What people call an evaluation, and the evaluation."""

DOCUMENT: TypeAdapter[IterationResult | EvaluationResult] = TypeAdapter(IterationResult | EvaluationResult)


def read_evaluations(location: str) -> dict[str, Labelled]:
    """The labelled evaluations by variant at an iteration's folder, its report's, a `results.json`, or an `eval --out` folder."""
    folder, name = location.rstrip("/"), ""
    if folder.endswith(".json"):
        folder, _, name = folder.rpartition("/")
    store = Store(folder or ".")
    path = next((p for p in ([name] if name else ["results.json", "report/results.json"]) if store.exists(p)), None)
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
        return {found.variant: (folder.rpartition("/")[2], found)}
    return {e.variant: (f"{found.run} iteration {found.iteration}", e) for e in found.evaluations}
