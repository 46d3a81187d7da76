"""`burnqed eval --sweep KEY=VALUE,VALUE`: one model on one index with every combination of some values.

Expansions are kept (`burnqed.proof_search.recall`), so that settings of the score and of the order cost only what is new. Choose on other theorems than those that figures are told of.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from itertools import product
from pathlib import Path

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.evaluate.read import Labelled
from burnqed.log import log
from burnqed.proof_search.recall import FILE, Recall
from burnqed.run.standalone import run_evaluation
from burnqed.store import Store


def combinations(sweeps: Sequence[str]) -> list[list[str]]:
    """Every combination of the values, as overrides `KEY=VALUE`; a key without a section is one of `search`. Raises BadInput for a sweep without values."""
    axes = []
    for sweep in sweeps:
        key, _, values = sweep.partition("=")
        key = key.strip()
        given = [value.strip() for value in values.split(",")]
        if not (key and all(given)):
            raise BadInput(f"--sweep {sweep!r} names no values; write KEY=VALUE,VALUE, as in --sweep beta=0,0.5,1.")
        axes.append([f"{key if '.' in key else f'search.{key}'}={value}" for value in dict.fromkeys(given)])
        if key == "evaluate.budgets":
            raise BadInput(
                "One evaluation gives the figures of every budget; give --budgets in place of --sweep evaluate.budgets."
            )
    keys = [axis[0].partition("=")[0] for axis in axes]
    if repeated := [key for key in keys if keys.count(key) > 1]:
        raise BadInput(f"{repeated[0]} is swept twice; give all its values at once.")
    return [list(chosen) for chosen in product(*axes)]


def sweep(
    theorems: str,
    model: str,
    head: str | None,
    header: str | None,
    configs: Sequence[tuple[Sequence[str], RunConfig]],
    out: Path,
    *,
    adapter: str | None = None,
    recall: Recall | None = None,
) -> list[Labelled]:
    """The evaluation with each configuration, labelled by the values in which it differs; each in a folder of its own in `out`. Raises as `run_evaluation` does."""
    Store(str(out.resolve())).check_writable()  # and makes the folder
    found: list[Labelled] = []
    with nullcontext(recall) if recall else Recall(out / FILE) as known:
        for values, config in configs:
            label = " ".join(values)
            log.info("sweep %d of %d: %s", len(found) + 1, len(configs), label)
            evaluation = run_evaluation(
                theorems,
                model,
                head,
                header,
                config,
                out / label.replace("/", "_").replace(" ", "_"),
                adapter=adapter,
                recall=known,
            )
            found.append((label, asyncio.run(evaluation)))
    return found
