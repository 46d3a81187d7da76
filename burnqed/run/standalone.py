"""`burnqed eval` without a workflow: starts a policy server, searches every theorem of an index, writes the results.

The output folder holds trajectory parts, `results.json` and `proofs.json`; the same command continues an evaluation that was cut off.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from burnqed.config import RunConfig
from burnqed.data.theorems import common_header, read_index
from burnqed.errors import BadInput, TryAgain
from burnqed.evaluate.figures import evaluation_result
from burnqed.evaluate.results import HEAD, PLAIN, EvaluationResult
from burnqed.key import digest_of
from burnqed.lean.backends import open_lean
from burnqed.lean.lemmas import library_lemmas
from burnqed.lean.protocol import LeanBackend
from burnqed.policy.client import PolicyClient
from burnqed.policy.launch import launched
from burnqed.policy.retrieval import Retrieval
from burnqed.proof_search.recall import Recall
from burnqed.proof_search.settings import SearchSettings
from burnqed.run.contradictions import check_settings
from burnqed.signals import on_signal
from burnqed.steps.searching import Tools, search_recalling
from burnqed.steps.table import EVALUATED, SERVED
from burnqed.store import Store
from burnqed.trajectory.filling import OnResult, fill
from burnqed.trajectory.reader import read_parts, theorem_results
from burnqed.trajectory.rows import Task
from burnqed.trajectory.writer import ShardWriter

PARTS = "trajectories"
UNNAMED = "default"
"""The version of weights that SGLang was given no name for."""
KEY_FILE = "key.json"
PROOFS_FILE = "proofs.json"


async def run_evaluation(
    location: str,
    model: str,
    head: str | None,
    header: str | None,
    config: RunConfig,
    out: Path,
    *,
    adapter: str | None = None,
    recall: Recall | None = None,
) -> EvaluationResult:
    """Evaluates `model` (with `adapter` merged into it, and with `head`, if given) on the index at `location`. Writes into `out`, and keeps
    expansions in `recall`.

    Raises BadInput for an unusable index, model or head, or if `out` holds another evaluation; TryAgain when stopped.
    """
    backend = open_lean(config.lean)
    theorems = read_index(location, backend.default_header if header is None else header)
    settings = SearchSettings.for_evaluation(config.evaluate, config.search, backend.probe_tactics)
    store = Store(str(out.resolve()))
    store.check_writable()
    identity = config.only((*SERVED, "lean", "evaluate.draws", "evaluate.spread", "evaluate.probe_tactics")).meaning()
    if seed := config.evaluate.seed:  # folders of seed 0 are older than this
        identity["evaluate.seed"] = seed
    identity |= {"lean": backend.version, "policy server": config.workflow.policy_server}
    check_settings(config, ["evaluate"])
    retrieval = Retrieval(await library_lemmas(config.lean)) if config.policy.lemmas else None
    stop = asyncio.Event()
    on_signal(stop.set)
    async with (
        whole(model, adapter, config.policy.dtype) as served,
        launched(served, head, config.policy, config.workflow) as urls,
        PolicyClient(config.policy, urls.generate, urls.score, retrieval) as client,
    ):
        info = await client.info()
        if recall is not None and info.weight_version == UNNAMED:
            raise BadInput(
                f"The policy server {urls.generate} does not say which weights it serves, so its expansions cannot be kept; start it with "
                "--weight-version, or leave out --recall."
            )
        claim(store, {"theorems": digest_of([t.model_dump() for t in theorems]), "model": info.weight_version,
                      "head": info.head_id, "settings": repr(settings), "samples": config.evaluate.samples, **identity})  # fmt: skip
        writer = ShardWriter(store, PARTS, theorems, per_part=config.evaluate.theorems_per_part, run="eval", iteration=0,
                             samples=config.evaluate.samples, seed=seed)  # fmt: skip

        async def work(tasks: list[Task], lean: LeanBackend, add: OnResult) -> None:
            await search_recalling(
                tasks, Tools(client, lean), settings, add, stop, with_head=bool(head), recall=recall, config=config
            )

        await fill(writer, backend, work, "eval")
        if stop.is_set():
            raise TryAgain(f"Stopped; what is finished is in {out}, and the same command continues.")
    result = evaluation_result(
        [r for rows in read_parts(store, writer.finish()) for r in theorem_results(rows)],
        theorems,
        variant=HEAD if head else PLAIN,
        recalled=recall is not None,
        model=info.weight_version,
        head=info.head_id,
        benchmark=location.rpartition("/")[2],
        header=common_header(theorems, backend.default_header),
        lean_version=backend.version,
        config=config.evaluate,
        made_with=config.only(EVALUATED).meaning(),
    )
    store.write_text("results.json", result.model_dump_json(indent=1) + "\n")
    headers = {t.name: t.header for t in theorems}
    proofs = [
        {"name": t.name, "statement": t.statement, "proof": t.proof, "header": headers[t.name]}
        for t in result.per_theorem
        if t.proof
    ]
    store.write_json(PROOFS_FILE, proofs)
    return result


@asynccontextmanager
async def whole(model: str, adapter: str | None, dtype: str) -> AsyncIterator[str]:
    """The model, or the folder of what it and the adapter give together."""
    if adapter is None:
        yield model
        return
    from burnqed.train.merge import merged  # it needs torch

    with merged(model, adapter, dtype) as folder:
        yield folder


def claim(store: Store, key: dict[str, object]) -> None:
    """Records what the evaluation in the folder is of. Raises BadInput if the folder holds another one."""
    if store.exists(KEY_FILE):
        try:
            old = dict(store.read_json(KEY_FILE))
        except (ValueError, TypeError):
            file = store.locate(KEY_FILE)
            raise BadInput(f"{file} does not say what was evaluated here; choose another --out.") from None
        if different := ", ".join(sorted(name for name in {*key, *old} if old.get(name) != key.get(name))):
            raise BadInput(f"{store.uri} holds another evaluation ({different} differ); choose another --out.")
    store.write_json(KEY_FILE, key)
