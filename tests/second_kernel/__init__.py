"""A second opinion on exported proofs: Lean 4's type theory, checked in plain Python, sharing no code with Lean or with burnqed.

    python -m tests.second_kernel FILE [--axioms propext,…] [--permitted axioms.txt] [--only NAME …]

The file is what `burnqed lean check --export` writes: lean4export's NDJSON 3.1.0. Every declaration in it is checked in order.

Written from the theory: Mario Carneiro, "The Type Theory of Lean" (2019), here [TTL], and "Type Checking in Lean 4",
https://ammkrn.github.io/type_checking_in_lean4/, here [TCL]. What a declaration may contain: `reader`; universes: `levels`;
terms: `terms`; what is declared: `constants`; computing: `reduction`; types of terms: `inference`; definitional equality: `equality`;
numbers and texts: `literals`; inductive types and their recursors: `inductive`, `nested`; what a file adds: `declarations`.
"""
