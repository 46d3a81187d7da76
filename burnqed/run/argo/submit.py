"""Builds the workflow object to submit, from the chart's settings and the user's, which override them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.resolve import from_json, resolve
from burnqed.run.argo.access import Document, Settings
from burnqed.run.argo.nodes import tasks_of
from burnqed.run.argo.preflight import check_contradictions
from burnqed.run.works import parameters_of, works_of
from burnqed.section import Kind
from burnqed_workflows.children import CONFIG_OF
from burnqed_workflows.registry import WORKFLOWS
from burnqed_workflows.templates import IMAGES, ITERATION_LABEL, RUN_LABEL, WORKFLOW_LABEL

LABEL = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")


def resolved(
    settings: Settings | None,
    profile: str | None,
    overrides: Sequence[str],
    base: RunConfig | None = None,
    workflow: str | None = None,
) -> RunConfig:
    """The configuration: profile < what it has for the workflow < chart < `--set`. Without a profile it starts from `base`, what the run used last, or else the chart's profile."""
    if profile is None and base is None:
        profile = settings.profile if settings else "default"
    return resolve(profile, overrides, chart=settings.config if settings else {}, base=base, workflow=workflow).config


def build(name: str, config: RunConfig, settings: Settings | None, *, store: str, run: str, image: str | None, given: Mapping[str, Any]) -> Document:  # fmt: skip
    """The workflow object to submit. `image` replaces the tag of every image. Raises BadInput for a bad run name."""
    document: Document = WORKFLOWS[name].build(config, store=store, run=run, **given).to_dict()
    for work in (run, *(parameters_of(each)["run"] for each in works_of(document))):
        if not LABEL.fullmatch(work):
            raise BadInput(f"{work!r} cannot name a run on a cluster; use letters, digits, `.`, `_`, `-`, at most 63.")
    labels = document["metadata"].setdefault("labels", {})
    labels[RUN_LABEL] = run
    if "iteration" in given:
        labels[ITERATION_LABEL] = str(given["iteration"])
    images = IMAGES | (settings.images if settings else {})
    for parameter in document["spec"]["arguments"]["parameters"]:
        if parameter["name"] in images:
            parameter["value"] = tagged(images[parameter["name"]], image)
    return document


def tagged(reference: str, image: str | None) -> str:
    """The image reference with the tag `image`; unchanged if that is empty."""
    if not image:
        return reference
    name, colon, _ = reference.rpartition(":")
    return f"{name if colon and '/' not in reference.rpartition(':')[2] else reference}:{image}"


def retried(workflow: Document, image: str | None, overrides: Sequence[str]) -> dict[str, str]:
    """New values of the parameters of a retried workflow: only images and configuration can change.

    Raises BadInput for settings that contradict each other, and for those that can no longer take effect.
    """
    parameters = parameters_of(workflow)
    changed = {name: tagged(parameters[name], image) for name in IMAGES if image and name in parameters}
    if overrides:
        before = from_json(parameters["config"])
        for name in (name for name in parameters if name == "config" or name.startswith(CONFIG_OF)):
            changed[name] = resolve(None, overrides, base=from_json(parameters[name])).config.to_json()
        check_contradictions(workflow, changed)
        if fixed := [o.partition("=")[0] for o in overrides if is_fixed(workflow, before, o)]:
            raise BadInput(
                f"A retry cannot change {', '.join(fixed)}: the pods, their limits and placement, how many run at a time, and what the step plan has "
                "decided stay as submitted; submit the workflow again with the new value: finished work is kept."
            )
    return changed


def is_fixed(workflow: Document, before: RunConfig, override: str) -> bool:
    """Whether an override changes the workflow's templates, or what its finished plan has decided: which outputs there are, in how many shards."""
    after = resolve(None, [override], base=before).config
    if specification(workflow, before) != specification(workflow, after):
        return True
    section, name = override.partition("=")[0].strip().split(".")[:2]
    decided = name == "shards" or getattr(before, section).kind(name) is Kind.STRUCTURE
    decided |= set(after.data.evaluated) != set(before.data.evaluated)
    return decided and any(t.task == "plan" and t.phase == "Succeeded" for t in tasks_of(workflow))


def specification(workflow: Document, config: RunConfig) -> Document:
    """The specification that this workflow would be submitted with under a configuration, without its arguments."""
    parameters, name = parameters_of(workflow), workflow["metadata"]["labels"][WORKFLOW_LABEL]
    given: dict[str, Any] = {o: parameters[o] for o in WORKFLOWS[name].options if o in parameters}
    if "iteration" in given:
        given["iteration"] = int(given["iteration"])
    built = WORKFLOWS[name].build(config, store=parameters["store"], run=parameters["run"], **given)
    return {key: value for key, value in built.to_dict()["spec"].items() if key != "arguments"}
