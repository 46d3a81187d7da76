"""burnqed: train a Lean 4 theorem prover by expert iteration."""

__version__ = "0.1.0"
