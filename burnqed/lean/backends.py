"""Which Lean a configuration asks for (`lean.backend`).

Another package adds a backend by an entry point in the group `burnqed.lean` that names a callable: it takes the `LeanConfig` and
returns a `burnqed.lean.protocol.LeanBackend`, which starts nothing before it is entered.
"""

from __future__ import annotations

import inspect

from burnqed import plugins
from burnqed.config import LeanConfig
from burnqed.errors import BadInput, TryAgain
from burnqed.lean.protocol import LeanBackend

GROUP = "burnqed.lean"
BUILT_IN = {"embedded": "burnqed.lean.embedded.backend:EmbeddedLean.configured"}
MEMBERS = [
    name for name, member in vars(LeanBackend).items() if inspect.isfunction(member) or isinstance(member, property)
]
"""What a backend has to have."""


def open_lean(config: LeanConfig) -> LeanBackend:
    """A pool of Lean workers, to be entered with `async with`. Raises BadInput for a backend that does not exist, or cannot be loaded."""
    make = plugins.load(GROUP, config.backend, BUILT_IN, "Lean backend")
    try:
        backend: LeanBackend = make(config)
        lacking = [member for member in MEMBERS if not hasattr(backend, member)]
    except (BadInput, TryAgain):
        raise
    except Exception as error:  # another package's code may raise anything
        raise unfit(config.backend, f"cannot be made ({type(error).__name__}: {error})") from error
    if lacking:
        raise unfit(config.backend, f"lacks {', '.join(lacking)} (see burnqed.LeanBackend)")
    return backend


def unfit(name: str, why: str) -> BadInput:
    return plugins.unfit(GROUP, name, BUILT_IN, "Lean backend", why)


def names() -> list[str]:
    """Of all backends, the built-in ones first."""
    return list(plugins.registered(GROUP, BUILT_IN))


def check(name: str) -> None:
    """Raises BadInput for a backend that does not exist."""
    plugins.find(GROUP, name, BUILT_IN, "Lean backend")
