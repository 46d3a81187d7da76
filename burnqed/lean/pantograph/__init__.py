"""Lean workers that are Pantograph's REPL, in a Lean project (docs/pantograph.md)."""
