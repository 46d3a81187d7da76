"""Search with a model of the Hugging Face hub on this machine: python examples/hub_model.py [MODEL]

MODEL may also be a folder, or an address in a store.
"""

import sys

import burnqed

MODEL = sys.argv[1] if len(sys.argv) > 1 else "deepseek-ai/DeepSeek-Prover-V2-7B"
THEOREMS = [
    burnqed.Theorem(name="add_comm", statement="∀ a b : Nat, a + b = b + a"),
    burnqed.Theorem(name="and_comm", statement="∀ p q : Prop, p ∧ q → q ∧ p"),
]
with burnqed.serve(MODEL, dtype="bfloat16") as policy:
    for found in burnqed.search(THEOREMS, policy, budget=16, candidates=8):
        print(found.result.name, found.result.status, repr(found.result.proof))
