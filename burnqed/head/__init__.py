"""The energy head: how provable a state is, given the theorem's root state.

Another package adds a head (`ebm.head`) by an entry point in the group `burnqed.head` that names a subclass of `burnqed.head.base.Head`.
This file needs no torch.
"""

from __future__ import annotations

from burnqed import plugins

GROUP = "burnqed.head"
BUILT_IN = {"mlp": "burnqed.head.mlp:MlpHead"}


def names() -> list[str]:
    """Of all heads, our own first."""
    return list(plugins.registered(GROUP, BUILT_IN))


def check(name: str) -> None:
    """Raises BadInput for a head that is not there."""
    plugins.find(GROUP, name, BUILT_IN, "head")
