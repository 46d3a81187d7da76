"""The workflows as WorkflowTemplates, for Argo's UI and for schedules, with the same specifications that `burnqed submit` sends.

burnqed manifests --profile cluster-7b --out helm/burnqed/files/workflows/cluster-7b
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from burnqed import __version__
from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.resolve import resolve
from burnqed.workflow_names import OWN_RUN
from burnqed_workflows.registry import WORKFLOWS
from burnqed_workflows.templates import PART_OF

VERSION_ANNOTATION = "burnqed.dev/version"
DEFAULTS: dict[str, Any] = {"iteration": 0, "redo": "", "gate": "off", "source": "", "name": ""}
"""Placeholders that a person or a schedule replaces."""


def workflow_template(name: str, config: RunConfig, store: str) -> dict[str, Any]:
    """One workflow as a WorkflowTemplate `burnqed-NAME`."""
    definition = WORKFLOWS[name]
    options = {option: DEFAULTS[option] for option in definition.options}
    if name == "reset":
        options["iteration"] = 1  # there is none of iteration 0
    run = name if name in (*OWN_RUN, "smoke") else "main"
    document = definition.build(config, store=store, run=run, **options).to_dict()
    labels = document["metadata"].pop("labels")
    return {
        "apiVersion": document["apiVersion"],
        "kind": "WorkflowTemplate",
        "metadata": {"name": f"burnqed-{name}", "labels": PART_OF, "annotations": {VERSION_ANNOTATION: __version__}},
        "spec": {**document["spec"], "workflowMetadata": {"labels": labels}},
    }


def write_templates(folder: Path, profile: str, overrides: Sequence[str] = (), *, store: str = "") -> list[Path]:
    """Writes one YAML file per workflow, with what the profile has for it, and removes those of workflows that no longer exist; returns the paths written.

    Raises BadInput for a folder that cannot be written.
    """
    documents = {
        folder / f"{name}.yaml": workflow_template(name, resolve(profile, overrides, workflow=name).config, store)
        for name, definition in WORKFLOWS.items()
        if not definition.is_series
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.yaml"):
            if old not in documents and f"{VERSION_ANNOTATION}: " in old.read_text(encoding="utf-8", errors="replace"):
                old.unlink()
        for path, document in documents.items():
            path.write_text(yaml.safe_dump(document, sort_keys=False, width=120), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{error.filename} cannot be written ({error.strerror}); give another folder.") from None
    return list(documents)
