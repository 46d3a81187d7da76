"""Parts that other packages provide, found by name through entry points.

A package names its parts in its `pyproject.toml`:

    [project.entry-points."burnqed.lean"]
    mine = "my_package.lean:MyLean"

burnqed's own parts are given as `built_in` in the same form, and work even without package metadata.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from burnqed.errors import BadInput


def registered(group: str, built_in: Mapping[str, str]) -> dict[str, EntryPoint]:
    """All parts of a group by name; nothing is imported. Another package cannot take the name of a built-in part."""
    own = {name: EntryPoint(name, value, group) for name, value in built_in.items()}
    others = sorted(entry_points(group=group), key=lambda point: point.name)
    return own | {point.name: point for point in others if point.name not in own}


def unused(group: str, built_in: Mapping[str, str]) -> list[EntryPoint]:
    """Parts of other packages whose name is that of a built-in part, or of another package's."""
    used = registered(group, built_in).values()
    return [point for point in entry_points(group=group) if point not in used]


def package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else "its package"


def unfit(group: str, name: str, built_in: Mapping[str, str], what: str, why: str) -> BadInput:
    """Says that a part does not do what it has to, and whose it is."""
    owner = package(find(group, name, built_in, what))
    return BadInput(f"The {what} {name!r} of {owner} {why}; fix {owner}, or choose another one.")


def find(group: str, name: str, built_in: Mapping[str, str], what: str) -> EntryPoint:
    """The part of this name, not imported. `what` is the kind of part, as in `Lean backend`. Raises BadInput when nothing has that name."""
    known = registered(group, built_in)
    if name not in known:
        raise BadInput(
            f"There is no {what} {name!r}; there are: {', '.join(known)}. Choose one of them, or install the package that has it."
        )
    return known[name]


def load(group: str, name: str, built_in: Mapping[str, str], what: str) -> Any:
    """What an entry point names. Raises BadInput when nothing has that name, or when it cannot be imported."""
    point = find(group, name, built_in, what)
    try:
        return point.load()
    except (Exception, SystemExit) as error:  # another package's import may raise anything
        raise BadInput(
            f"The {what} {name!r} cannot be loaded ({point.value}: {type(error).__name__}: {error}); "
            f"fix {package(point)}, or choose another one."
        ) from error
