"""Search guided by your own head, which is any function that scores a state: python examples/own_head.py"""

import burnqed

TACTICS = ["exfalso", "have := Nat.zero_lt_one", "intro x", "constructor", "exact x.2", "exact x.1"]


def energy(state: str, goal: str) -> float:
    """Lower = more provable. This one likes neither `False` as a goal nor facts that nobody asked for."""
    return 3 * state.count("⊢ False") + state.count("this")


with burnqed.Lean() as lean:
    for scorer in (None, energy):
        found = burnqed.prove(
            "∀ p q : Prop, p ∧ q → q ∧ p", lambda state: TACTICS, scorer=scorer, lean=lean, budget=64, energy_depth=1
        )
        print(found.head_id or "without a head", found.status, "after", found.nodes, "nodes:", repr(found.proof))
