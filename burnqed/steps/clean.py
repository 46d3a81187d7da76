"""clean: deletes the outputs of an iteration, or a whole run."""

from __future__ import annotations

from burnqed.errors import BadInput
from burnqed.evaluate.summary import read_summary
from burnqed.inventory import amount, inventory
from burnqed.layout import Layout
from burnqed.log import log
from burnqed.store import Store


def doomed(store: Store, layout: Layout, *, whole_run: bool) -> str:
    """The prefix that `clean` deletes. Raises BadInput when a later iteration builds on it."""
    if not whole_run and store.list(layout.at(layout.iteration + 1).root):
        raise BadInput(
            f"Iteration {layout.iteration + 1} of {layout.run!r} builds on iteration {layout.iteration}; delete it first, "
            f"with --iter {layout.iteration + 1}."
        )
    return layout.run if whole_run else layout.root


def clean(store: Store, layout: Layout, *, whole_run: bool) -> None:
    """Deletes `iterations/iter_N` and takes it out of the summary. Raises BadInput when a later iteration builds on it."""
    prefix = doomed(store, layout, whole_run=whole_run)
    found = amount(inventory(store, prefix))
    if not whole_run and (summary := read_summary(store, layout.run)):
        left = [r for r in summary.iterations if r.iteration != layout.iteration]
        store.write_text(
            layout.summary, summary.model_copy(update={"iterations": left}).model_dump_json(indent=1) + "\n"
        )
    store.delete(prefix)
    log.info("deleted %s: %s", store.locate(prefix), found)
