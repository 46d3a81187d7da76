"""Imports a model from the hub into the store, once for all runs. If cut off, it continues with the file it had reached.

burnqed submit import-model --source deepseek-ai/DeepSeek-Prover-V2-7B --name deepseek-7b
burnqed submit iteration --iter 0 --set policy.model=s3://BUCKET/PREFIX/models/deepseek-7b
"""

from __future__ import annotations

from hera.workflows import Workflow

from burnqed.config import RunConfig

from .import_data import build_import


def build(config: RunConfig, *, store: str, run: str, source: str, name: str) -> Workflow:
    parameters = {"store": store, "run": run, "source": source, "name": name}
    return build_import("import-model", config, parameters, hub=True)
