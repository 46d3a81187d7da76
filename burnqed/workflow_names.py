"""The names of all workflows, for what must not load them, which takes seconds. A test compares them with `workflows/registry.py`."""

from __future__ import annotations

OF_ITERATIONS = ("iteration", "iterations", "experiment", "baseline", "lean-start", "reset", "search", "evaluate")
"""Those that have tasks of the loop."""
WORKFLOWS = (*OF_ITERATIONS, "import-data", "import-model", "trace", "smoke", "clean")
OWN_RUN = ("baseline", "lean-start")
"""Those that are iteration 0 of a run of their own, which has their name where none is given."""
