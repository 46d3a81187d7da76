"""`burnqed manifests`: the workflows as YAML, for the chart, for `kubectl apply`, or to read."""

from __future__ import annotations

from pathlib import Path

import typer

from burnqed.cli import options


def manifests(
    profile: str = options.Profile,
    overrides: list[str] = options.Set,
    out: Path = typer.Option(..., "--out", help="Folder to write."),
    store: str = options.which("", "--store", help="Default of the parameter `store`; the chart fills it in."),
) -> None:
    """Write every workflow as a WorkflowTemplate.

    Example: burnqed manifests --profile small --out manifests
    """
    from burnqed.run.manifests import write_templates

    for path in write_templates(out, profile, overrides, store=store):
        typer.echo(path)
