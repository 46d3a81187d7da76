"""Parts that other packages bring along, found by name through entry points.

A package names what it brings in its `pyproject.toml`:

    [project.entry-points."burnqed.lean"]
    mine = "my_package.lean:MyLean"

Our own parts are given as `built_in`, in the same form, so that they are there without a package's metadata.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from burnqed.errors import BadInput


def registered(group: str, built_in: Mapping[str, str]) -> dict[str, EntryPoint]:
    """All parts of a group by name; nothing is imported. A built-in part's name cannot be taken by another package."""
    own = {name: EntryPoint(name, value, group) for name, value in built_in.items()}
    others = {point.name: point for point in sorted(entry_points(group=group), key=lambda point: point.name)}
    return own | {name: point for name, point in others.items() if name not in own}


def load(group: str, name: str, built_in: Mapping[str, str], what: str) -> Any:
    """What an entry point names. `what` says what kind of thing it is, as in `Lean backend`.

    Raises BadInput when nothing has that name, or when it cannot be imported.
    """
    known = registered(group, built_in)
    if name not in known:
        raise BadInput(
            f"There is no {what} {name!r}; there are: {', '.join(known)}. Choose one of them, or install the package that has it."
        )
    try:
        return known[name].load()
    except Exception as error:  # whatever another package's import raises
        package = known[name].dist
        raise BadInput(
            f"The {what} {name!r} cannot be loaded ({known[name].value}: {type(error).__name__}: {error}); "
            f"repair {package.name if package else 'its package'}, or choose another one."
        ) from error
