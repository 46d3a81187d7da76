"""The workflows as WorkflowTemplates, for Argo's UI and for schedules: the very objects that `burnqed submit` sends.

burnqed manifests --profile cluster-7b --out helm/burnqed/files/workflows/cluster-7b
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from burnqed import __version__
from burnqed.config import RunConfig
from burnqed_workflows.registry import WORKFLOWS
from burnqed_workflows.templates import PART_OF

VERSION_ANNOTATION = "burnqed.dev/version"
DEFAULTS: dict[str, Any] = {"iteration": 0, "redo": "", "gate": "off", "source": "", "name": ""}
"""Values that a person or a schedule replaces."""


def workflow_template(name: str, config: RunConfig, *, store: str, run: str = "main") -> dict[str, Any]:
    """One workflow as a WorkflowTemplate `burnqed-NAME`."""
    definition = WORKFLOWS[name]
    given = {option: DEFAULTS[option] for option in definition.options}
    document = definition.build(config, store=store, run=run, **given).to_dict()
    labels = document["metadata"].pop("labels")
    return {
        "apiVersion": document["apiVersion"],
        "kind": "WorkflowTemplate",
        "metadata": {"name": f"burnqed-{name}", "labels": PART_OF, "annotations": {VERSION_ANNOTATION: __version__}},
        "spec": {**document["spec"], "workflowMetadata": {"labels": labels}},
    }


def write_templates(folder: Path, config: RunConfig, *, store: str = "") -> list[Path]:
    """Writes one YAML file per workflow, and removes others; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.yaml"):
        old.unlink()
    written = []
    for name in WORKFLOWS:
        written.append(folder / f"{name}.yaml")
        document = workflow_template(name, config, store=store)
        written[-1].write_text(yaml.safe_dump(document, sort_keys=False, width=120), encoding="utf-8")
    return written
