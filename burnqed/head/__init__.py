"""The head: a model that gives the energy of a state, which says how provable it is, given the theorem's root state.

Another package can add a head (`ebm.head`) with an entry point in the group `burnqed.head` that names a subclass of
`burnqed.head.base.Head`. This file does not need torch.
"""

from __future__ import annotations

from burnqed import plugins

GROUP = "burnqed.head"
BUILT_IN = {
    "mlp": "burnqed.head.mlp:MlpHead",
    "mlp-without-goal": "burnqed.head.mlp:GoallessHead",
    "relative": "burnqed.head.relative:RelativeHead",
    "relative-without-goal": "burnqed.head.relative:GoallessRelativeHead",
}
WITHOUT_GOAL = {"mlp": "mlp-without-goal", "relative": "relative-without-goal"}
"""The head that is the same, but for what it does not see."""


def names() -> list[str]:
    """The names of all heads, our own first."""
    return list(plugins.registered(GROUP, BUILT_IN))


def check(name: str) -> None:
    """Raises BadInput for a head that does not exist."""
    plugins.find(GROUP, name, BUILT_IN, "head")
