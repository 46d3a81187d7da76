"""Before outputs are deleted: which, how large they are, what they took to make, and whether that is meant."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.prompt import Confirm

from burnqed.errors import BadInput
from burnqed.inventory import amount, inventory, tree
from burnqed.layout import Layout
from burnqed.steps.clean import doomed
from burnqed.store import Store


def ask_to_delete(store: Store, layout: Layout, *, whole_run: bool = False, yes: bool = False) -> None:
    """Names what `clean` would delete, and asks.

    Raises BadInput when there is nothing, when a later iteration builds on it, on a no, and where nobody can be asked.
    """
    found = inventory(store, doomed(store, layout, whole_run=whole_run))
    if not found:
        what = f"a run {layout.run!r}" if whole_run else f"iteration {layout.iteration} of {layout.run!r}"
        raise BadInput(f"There is nothing of {what} in {store.uri}; see `burnqed store show {store.uri}`.")
    console = Console(stderr=True)
    console.print(tree(found, store.uri))
    console.print(f"This deletes {amount(found)} in {store.uri}.", highlight=False, markup=False, soft_wrap=True)
    if yes:
        return
    if not sys.stdin.isatty():
        raise BadInput("Nothing was deleted, for there is nobody to ask; give --yes to delete it.")
    if not Confirm.ask("Delete it?", console=console, default=False):
        raise BadInput("Nothing was deleted; give --yes to delete it.")
