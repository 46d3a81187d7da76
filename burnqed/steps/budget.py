"""What a run has cost so far, and whether it may go on (`--max-cost`)."""

from __future__ import annotations

from burnqed.errors import BadInput
from burnqed.layout import SUCCESS, SUPERSEDED, Layout
from burnqed.log import log
from burnqed.manifest import parse_manifest
from burnqed.store import Store

WARN_FROM = 0.8


def spent(store: Store, layout: Layout) -> float:
    """US dollars of all outputs that the run finished, by the durations and prices in their manifests."""
    notes = [path for path in store.list(layout.run) if path.endswith((f"/{SUCCESS}", f"/{SUPERSEDED}"))]
    manifests = [parse_manifest(note) for note in store.read_many(notes).values()]
    return sum(manifest.dollars for manifest in manifests if manifest)


def check_budget(store: Store, layout: Layout, most: float | None) -> None:
    """Raises BadInput once the run has cost as much as it may; warns from four fifths on."""
    if most is None:
        return
    so_far = spent(store, layout)
    if so_far >= most:
        raise BadInput(
            f"The run {layout.run!r} has cost ${so_far:.2f} of the ${most:.2f} that it may cost; raise --max-cost to go on."
        )
    if so_far >= WARN_FROM * most:
        log.warning("the run %s has cost $%.2f of the $%.2f that it may cost", layout.run, so_far, most)
