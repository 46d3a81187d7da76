"""Check proofs of your own theorems, and search one: python examples/own_theorems.py"""

import burnqed
from burnqed import Theorem

HEADER = "def double (n : Nat) : Nat := n + n"
PROOFS = [
    (Theorem(name="double_zero", statement="double 0 = 0", header=HEADER), "rfl"),
    (
        Theorem(name="double_add", statement="∀ n m, double (n + m) = double n + double m", header=HEADER),
        "simp [double]",
    ),
]
TACTICS = ["intro n m", "unfold double", "omega"]

with burnqed.Lean(workers=1) as lean:
    for theorem, proof in PROOFS:
        verdict = lean.check(theorem, proof)
        print(theorem.name, "accepted" if verdict.accepted else f"refused: {verdict.reason}")
        if not verdict.accepted:
            found = burnqed.prove(theorem, lambda state: TACTICS, lean=lean, budget=16)
            print(theorem.name, found.status, found.proof)
