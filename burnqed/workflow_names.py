"""The names of all workflows, for what must not load them, which takes seconds. A test compares them with `workflows/registry.py`."""

from __future__ import annotations

WORKFLOWS = (
    "iteration", "iterations", "experiment", "baseline", "lean-start", "reset", "search", "evaluate", "import-data", "import-model", "trace", "smoke", "clean"
)  # fmt: skip
OF_ITERATIONS = WORKFLOWS[:8]
"""Those that have tasks of the loop."""
OWN_RUN = {"baseline": "baseline", "lean-start": "lean-start"}
"""Those that are iteration 0 of a run of their own, with its name where none is given."""
