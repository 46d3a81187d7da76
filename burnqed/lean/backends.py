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
EMBEDDED = "embedded"
"""Its Lean and library belong to the package, which pins them by hash and is tested with them; any other backend's may change beneath us."""
BUILT_IN = {
    EMBEDDED: "burnqed.lean.embedded.backend:EmbeddedLean.configured",
    "pantograph": "burnqed.lean.pantograph.backend:PantographLean.configured",
}
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


def open_unlimited(config: LeanConfig) -> LeanBackend:
    """The backend without the configuration's limits: to ask what it is (version, default header), not to be entered. Raises as `open_lean` does."""
    return open_lean(LeanConfig(backend=config.backend, project=config.project))


def check_installed(config: LeanConfig) -> None:
    """Raises BadInput where something is missing that the backend would not install when it is entered."""
    for finding in open_unlimited(config).findings():
        if finding.by_hand and finding.advice:
            raise BadInput(
                f"The Lean backend {config.backend} cannot start here ({finding.what}: {finding.found}); {finding.advice}."
            )


def unfit(name: str, why: str) -> BadInput:
    return plugins.unfit(GROUP, name, BUILT_IN, "Lean backend", why)


def names() -> list[str]:
    """Of all backends, the built-in ones first."""
    return list(plugins.registered(GROUP, BUILT_IN))


def check(name: str) -> None:
    """Raises BadInput for a backend that does not exist."""
    plugins.find(GROUP, name, BUILT_IN, "Lean backend")
