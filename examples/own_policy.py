"""Search with your own policy, which is any function from a state to tactics: python examples/own_policy.py"""

import math

import burnqed


def policy(state: str) -> list[tuple[str, float]]:
    """Tactics with the logarithm of their probability; a plain list of tactics will do as well."""
    goal = state.partition("⊢")[2]
    tactics = {"intro n": 0.5 if "∀" in goal else 0.01, "induction n": 0.3, "simp_all": 0.1, "omega": 0.1}
    return [(tactic, math.log(probability)) for tactic, probability in tactics.items()]


theorems = [
    burnqed.Theorem(name="zero_add", statement="∀ n : Nat, 0 + n = n"),
    burnqed.Theorem(name="even_or_odd", statement="∀ n : Nat, n % 2 = 0 ∨ n % 2 = 1"),
    burnqed.Theorem(name="false", statement="∀ n : Nat, n = n + 1"),
]
for found in burnqed.search(theorems, policy, budget=8):
    print(found.result.name, found.result.status, found.result.nodes, repr(found.result.proof))
