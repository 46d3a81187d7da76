"""What a store holds: every output, finished or not, with the step that made it and its size.

for output in inventory(store, "main"):
    print(output.path, output.size, output.state)
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from rich.text import Text
from rich.tree import Tree

from burnqed import display
from burnqed.display import cell
from burnqed.layout import NOTES, STARTED
from burnqed.progress import duration
from burnqed.record import Record, look
from burnqed.snapshot import Snapshot
from burnqed.store import Store

ITERATION = re.compile(r"(?P<run>.+)/iterations/iter_(?P<iteration>\d+)(/|$)")
SHARD = re.compile(r"/shard-\d+-of-(?P<shards>\d+)$")
MOST_FACTS = 5
"""How many of an output's facts are shown."""


@dataclass(frozen=True)
class Output:
    """A unit's folder, or the files of a folder that belong to no unit."""

    path: str
    files: int
    size: int
    """Bytes of all its files, including earlier revisions."""
    earlier: int
    """The part of `size` that is not its output: superseded outputs and unfinished attempts."""
    state: str
    """`finished`, `begun`, `damaged`, or `other` for files that no step wrote."""
    damage: str = ""
    record: Record | None = None
    """None where there is none that can be read."""

    @cached_property
    def group(self) -> str:
        """The heading it is shown under: its run, or an iteration of it."""
        match = ITERATION.match(self.path)
        return f"{match['run']}, iteration {match['iteration']}" if match else self.path.partition("/")[0]

    @property
    def label(self) -> str:
        """Its path below the heading."""
        below = ITERATION.sub("", self.path) if ITERATION.match(self.path) else self.path.partition("/")[2]
        return below or "(files beside them)"


def inventory(store: Store, prefix: str = "") -> list[Output]:
    """Everything below `prefix`, sorted by path. One listing; records are read in parallel."""
    snapshot = Snapshot(store, [prefix])
    files = snapshot.files(prefix)
    units = set(snapshot.units(prefix))
    units |= {unit_of(path, units) for path in files if path.rpartition("/")[2] == STARTED}
    owned: dict[str, list[str]] = {unit: [] for unit in units}
    for path in files:
        owner = folder = path.rpartition("/")[0]
        while owner and owner not in units:
            owner = owner.rpartition("/")[0]
        owned.setdefault(owner or folder, []).append(path)

    def size(paths: Iterable[str]) -> int:
        return sum(int(files[path]["size"]) for path in paths)

    outputs = []
    for place, paths in sorted(owned.items()):
        record, damage = look(snapshot, place) if place in units else (None, "")
        state = "damaged" if damage else "finished" if record else "begun" if place in units else "other"
        kept = record.paths(place) if record else paths
        earlier = [path for path in set(paths).difference(kept) if path.rpartition("/")[2] not in NOTES]
        outputs.append(Output(place, len(paths), size(paths), size(earlier), state, damage, record))
    return outputs


def unit_of(started: str, finished: Collection[str]) -> str:
    """The unit whose revision was started here; the revision may be the unit's own folder."""
    revision = started.rpartition("/")[0]
    return revision if revision in finished else revision.rpartition("/")[0]


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
    records = [o.record for o in outputs if o.record]
    files, size = sum(o.files for o in outputs), megabytes(sum(o.size for o in outputs))
    took = f", made in {duration(sum(r.seconds for r in records))}" if records else ""
    return f"{len(records)} finished outputs, {files} files, {size}{took}"


def tree(outputs: Iterable[Output], root: str) -> Tree:
    """Every output with its size and time, in the order in which they were finished; an output's shards are one line."""
    whole = Tree(cell(root))
    groups: dict[str, dict[str, list[Output]]] = {}
    for output in outputs:
        groups.setdefault(output.group, {}).setdefault(SHARD.sub("", output.label), []).append(output)
    for group, by_label in groups.items():
        branch = whole.add(Text(display.shown(group), "bold"))
        width = max(len(_label(label, shards)) for label, shards in by_label.items())
        for label, shards in sorted(by_label.items(), key=lambda item: _finished(item[1]) or "~"):
            branch.add(_line(_label(label, shards).ljust(width), shards))
    return whole


def _label(label: str, shards: list[Output]) -> str:
    match = SHARD.search(shards[0].path)
    if not match:
        return display.shown(label)
    done, of = sum(o.record is not None for o in shards), int(match["shards"])
    return f"{display.shown(label)}, {done if done == of else f'{done} of {of}'} shard{'s' * (of != 1)}"


def _finished(shards: list[Output]) -> str:
    return max((o.record.finished for o in shards if o.record), default="")


def _line(label: str, shards: list[Output]) -> Text:
    """An output, or the shards of one: size and time; below it damage, and the facts of a single output."""
    size, records = megabytes(sum(o.size for o in shards)), [o.record for o in shards if o.record]
    took = duration(sum(r.seconds for r in records)) if records else ""
    text = f"{label} {size:>7} {took:>12}  {_finished(shards)[:16].replace('T', ' ')}".rstrip()
    line = Text(text, no_wrap=True, overflow="ellipsis")
    if damage := next((o.damage for o in shards if o.damage), ""):
        line.append(f"\n  damaged: {display.shown(damage)}", "red")
    elif any(o.state == "begun" for o in shards):
        line.append("\n  not finished", "yellow")
    if earlier := sum(o.earlier for o in shards if o.record):
        line.append(f"\n  with {megabytes(earlier)} of earlier ones", "dim")
    facts = list(records[0].facts.items()) if len(shards) == len(records) == 1 else []
    if shown := [f"{name} {_short(value)}" for name, value in facts[:MOST_FACTS] if value is not None]:
        more = [f"{len(facts) - MOST_FACTS} more"] if len(facts) > MOST_FACTS else []
        line.append(f"\n  {display.shown(', '.join([*shown, *more]))}", "dim")
    return line


def _short(value: float | int | str) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)[:12]
