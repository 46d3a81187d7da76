"""import-data: copies a theorem index from elsewhere into the run's folder, where `data.theorems` and `data.benchmarks` find it."""

from __future__ import annotations

from burnqed.data.importing import distinct, elaborating
from burnqed.data.theorems import dump_index, read_index
from burnqed.errors import BadInput
from burnqed.lean.backends import open_lean
from burnqed.log import log
from burnqed.steps.base import Command, Context


async def run(context: Context, *, source: str, name: str) -> None:
    """Writes `inputs/NAME.json`. Raises BadInput for an index that cannot be read, or none of whose statements elaborates."""
    store, layout = context.store, context.layout
    backend = open_lean(context.config.lean)
    theorems = read_index(source, backend.default_header)
    different = distinct(theorems)
    async with backend:
        kept = await elaborating(different, backend)
    if not kept:
        raise BadInput(f"No statement of {source} elaborates; check its header.")
    path = f"inputs/{name}.json"
    store.write_text(f"{layout.run}/{path}", dump_index(kept))
    log.info(
        "%d theorems in %s; left out: %d equal to another, %d that do not elaborate. Search them with --set data.theorems=%s, or evaluate on them "
        "with --benchmark %s=%s.",
        len(kept), store.locate(f"{layout.run}/{path}"), len(theorems) - len(different), len(different) - len(kept), path, name, path,
    )  # fmt: skip


COMMAND = Command(run)
