"""Lean: the protocol between search and Lean, its backends, and the check of whole proofs."""
