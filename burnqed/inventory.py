"""What a store holds: every output, finished or not, with what made it and how much room it takes.

for output in inventory(store, "main"):
    print(output.path, output.size, output.state)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from pydantic import ValidationError
from rich.table import Table

from burnqed.display import cell
from burnqed.layout import STARTED, SUCCESS
from burnqed.manifest import Manifest
from burnqed.progress import duration
from burnqed.store import Store

ITERATION = re.compile(r"(?P<run>.+)/iterations/iter_(?P<iteration>\d+)(/|$)")
SHARD = re.compile(r"/shard-\d+-of-(?P<shards>\d+)$")
SUPERSEDED = "/superseded/"


@dataclass(frozen=True)
class Output:
    """A folder that a step wrote, or the files of a folder that belong to none."""

    path: str
    files: int
    size: int
    """Bytes of all its files."""
    state: str
    """`finished`, `begun`, `damaged` (its manifest cannot be read), or `other` for what no step wrote."""
    manifest: Manifest | None = None
    """Of a finished one."""

    @cached_property
    def group(self) -> str:
        """What it is shown under: its run, an iteration of it, or what has been superseded."""
        if SUPERSEDED in f"{self.path}/":
            return f"{self.path.partition('/')[0]}, superseded"
        found = ITERATION.match(self.path)
        return f"{found['run']}, iteration {found['iteration']}" if found else self.path.partition("/")[0]

    @property
    def label(self) -> str:
        """Its path below the group."""
        below = ITERATION.sub("", self.path) if ITERATION.match(self.path) else self.path.partition("/")[2]
        return below.removeprefix(SUPERSEDED[1:]) or "."


def inventory(store: Store, prefix: str = "") -> list[Output]:
    """All that lies below `prefix`, sorted by path. One listing; manifests are read at the same time."""
    files = store.files(prefix)
    found = {path.rpartition("/")[0] for path in files if path.rpartition("/")[2] in (SUCCESS, STARTED)}
    texts = store.read_many([f"{path}/{SUCCESS}" for path in found if f"{path}/{SUCCESS}" in files])
    counts: dict[str, tuple[int, int]] = dict.fromkeys(found, (0, 0))
    for path, info in files.items():
        folder = owner = path.rpartition("/")[0]
        while owner and owner not in found:
            owner = owner.rpartition("/")[0]
        number, size = counts.get(owner or folder, (0, 0))
        counts[owner or folder] = number + 1, size + int(info["size"])
    outputs = []
    for path, (number, size) in sorted(counts.items()):
        manifest, state = None, "begun" if path in found else "other"
        if text := texts.get(f"{path}/{SUCCESS}"):
            try:
                manifest, state = Manifest.model_validate_json(text), "finished"
            except ValidationError:
                state = "damaged"
        outputs.append(Output(path, number, size, state, manifest))
    return outputs


def megabytes(size: int) -> str:
    """Bytes for people: `12 kB`, `3.4 MB`, `15 GB`."""
    value = size / 1e3
    for unit in ("kB", "MB"):
        if value < 999.5:
            return f"{value:.2g} {unit}" if value < 10 else f"{value:.0f} {unit}"
        value /= 1e3
    return f"{value:.2g} GB" if value < 10 else f"{value:.0f} GB"


def amount(outputs: Iterable[Output]) -> str:
    """`7 outputs, 31 files, 12 MB, made in 3 min 20 s`."""
    outputs = list(outputs)
    made = [o.manifest for o in outputs if o.manifest]
    files, size = sum(o.files for o in outputs), megabytes(sum(o.size for o in outputs))
    took = f", made in {duration(sum(m.seconds for m in made))}" if made else ""
    return f"{len(made)} finished outputs, {files} files, {size}{took}"


def table(outputs: Iterable[Output], title: str = "") -> Table:
    """One line for each output, all shards of one together, under the run or iteration that they belong to."""
    shown = Table("output", "size", "took", "finished (UTC)", "what it says of itself", title=title or None)
    shown.columns[0].no_wrap = True
    shown.columns[1].justify = shown.columns[2].justify = "right"
    group = ""
    for together in _by_shards(outputs):
        first = together[0]
        if first.group != group:
            group = first.group
            shown.add_section()
            shown.add_row(cell(group), style="bold")
        finished = [o.manifest for o in together if o.manifest]
        label = cell("  " + SHARD.sub("", first.label))
        if shards := SHARD.search(first.path):
            label.append(f" ({len(finished)} of {int(shards['shards'])} shards)")
        states = {o.state for o in together} - {"finished", "other"}
        if states:
            facts = f"not finished: {', '.join(sorted(states))}"
        elif len(together) == 1 and finished:
            facts = ", ".join(f"{k} {_short(v)}" for k, v in finished[0].facts.items() if v is not None)
        else:
            facts = ""
        shown.add_row(
            label,
            megabytes(sum(o.size for o in together)),
            duration(sum(m.seconds for m in finished)) if finished else "",
            max((m.finished for m in finished), default="")[:16].replace("T", " "),
            cell(facts),
            style="yellow" if states else "" if finished else "dim",
        )
    return shown


def _by_shards(outputs: Iterable[Output]) -> list[list[Output]]:
    together: dict[tuple[str, str], list[Output]] = {}
    for output in outputs:
        together.setdefault((output.group, SHARD.sub("", output.path)), []).append(output)
    order = {group: place for place, group in enumerate(dict.fromkeys(group for group, _ in together))}
    return [together[key] for key in sorted(together, key=lambda key: order[key[0]])]


def _short(value: float | int | str | None) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)[:12]
