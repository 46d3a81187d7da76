"""clean: deletes the outputs of an iteration, or a whole run."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.prompt import Confirm

from burnqed.branch import branches
from burnqed.errors import BadInput
from burnqed.evaluate.summary import read_summary
from burnqed.inventory import amount, inventory, tree
from burnqed.layout import Layout
from burnqed.log import log
from burnqed.steps.base import Command, Context
from burnqed.store import Store


def doomed(store: Store, layout: Layout, *, whole_run: bool) -> str:
    """The prefix that `clean` deletes. Raises BadInput if a later iteration, or a branch, builds on it."""
    if not whole_run and store.list(layout.at(layout.iteration + 1).root):
        raise BadInput(
            f"Iteration {layout.iteration + 1} of {layout.run!r} builds on iteration {layout.iteration}; delete it first, "
            f"with --iter {layout.iteration + 1}."
        )
    needed = [name for name, last in branches(store, layout.run) if whole_run or layout.iteration <= last]
    if needed:
        named = ", ".join(repr(name) for name in needed)
        raise BadInput(
            f"{named} began as branches of {layout.run!r} and read it in place; delete them first, with `burnqed step clean --whole-run --run NAME`."
        )
    return layout.run if whole_run else layout.root


def ask_to_delete(store: Store, layout: Layout, *, whole_run: bool = False, yes: bool = False) -> None:
    """Shows what would be deleted, how large it is and what it took to make, and asks for confirmation.

    Raises BadInput if there is nothing to delete, a later iteration builds on it, the answer is no, or nobody can be asked.
    """
    outputs = inventory(store, doomed(store, layout, whole_run=whole_run))
    if not outputs:
        what = f"the run {layout.run!r}" if whole_run else f"iteration {layout.iteration} of {layout.run!r}"
        raise BadInput(f"There is nothing of {what} in {store.uri}; see `burnqed store show {store.uri}`.")
    console = Console(stderr=True)
    console.print(tree(outputs, store.uri))
    console.print(f"This deletes {amount(outputs)} in {store.uri}.", highlight=False, markup=False, soft_wrap=True)
    if yes:
        return
    if not sys.stdin.isatty():
        raise BadInput("Nothing was deleted, because there is nobody to ask; give --yes to delete it.")
    if not Confirm.ask("Delete it?", console=console, default=False):
        raise BadInput("Nothing was deleted; give --yes to delete it.")


async def run(context: Context, *, whole_run: bool) -> None:
    """Deletes `iterations/iter_N` and removes it from the summary, or deletes the whole run. Raises BadInput if a later iteration builds on it."""
    store, layout = context.store, context.layout
    prefix = doomed(store, layout, whole_run=whole_run)
    deleted = amount(inventory(store, prefix))
    if not whole_run and (summary := read_summary(store, layout.run)):
        left = [r for r in summary.iterations if r.iteration != layout.iteration]
        summary = summary.model_copy(update={"iterations": left})
        store.write_text(layout.summary, summary.model_dump_json(indent=1) + "\n")
    store.delete(prefix)
    log.info("deleted %s: %s", store.locate(prefix), deleted)


COMMAND = Command(run, ask=ask_to_delete)
