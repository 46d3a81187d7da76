"""Tracing: from proofs to pairs of proof state and tactic."""
