"""Which Lean a configuration asks for (`lean.backend`).

Another package adds a backend by an entry point in the group `burnqed.lean` that names a callable: it takes the `LeanConfig` and
returns a `burnqed.lean.protocol.LeanBackend`, which starts nothing before it is entered.
"""

from __future__ import annotations

from burnqed import plugins
from burnqed.config import LeanConfig
from burnqed.lean.protocol import LeanBackend

GROUP = "burnqed.lean"
BUILT_IN = {"embedded": "burnqed.lean.embedded.backend:EmbeddedLean.configured"}


def open_lean(config: LeanConfig) -> LeanBackend:
    """A pool of Lean workers, to be entered with `async with`. Raises BadInput for a backend that does not exist, or cannot be loaded."""
    backend: LeanBackend = plugins.load(GROUP, config.backend, BUILT_IN, "Lean backend")(config)
    return backend


def names() -> list[str]:
    """Of all backends, the built-in ones first."""
    return list(plugins.registered(GROUP, BUILT_IN))


def check(name: str) -> None:
    """Raises BadInput for a backend that does not exist."""
    plugins.find(GROUP, name, BUILT_IN, "Lean backend")
