"""`burnqed config show`: every value of the configuration, where it came from, and what it means."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from burnqed.cli import options
from burnqed.display import as_json as in_json
from burnqed.display import cell
from burnqed.workflow_names import WORKFLOWS

if TYPE_CHECKING:
    from pydantic import JsonValue

    from burnqed.resolve import Resolved

NO_WRAPPING = 10_000
"""Columns: more than any line has."""

app = typer.Typer(help="The configuration of a run.", no_args_is_help=True)


@app.callback()
def group() -> None:
    pass


@app.command()
def show(
    profile: str = options.Profile,
    workflow: str | None = options.setting(
        None,
        "--workflow",
        help="With what the profile has for this workflow.",
        autocompletion=options.one_of(WORKFLOWS),
    ),
    overrides: list[str] = options.Set,
    as_json: bool = options.Json,
    explain: bool = typer.Option(False, "--explain", help="Show what each value means, its unit, and what it decides."),
) -> None:
    """Print every value and where it came from.

    Example: burnqed config show --profile demo --workflow baseline --set search.budget=300
    """
    if workflow is not None:
        options.check_word(workflow, WORKFLOWS, "workflow")
    from burnqed.resolve import explained, flat, profiles, resolve

    resolved = resolve(profile, overrides, workflow=workflow)
    values = flat(resolved.config.model_dump(mode="json"))
    if as_json:
        rows = {
            k: {"value": v, "from": resolved.origin[k]} | (vars(explained(k)) if explain else {})
            for k, v in values.items()
        }
        typer.echo(in_json(rows, indent=1))
    elif explain:
        print_reference(resolved, values)
    else:
        table = Table("key", "value", "from", caption=f"profiles: {', '.join(profiles())}")
        for key, value in values.items():
            origin = resolved.origin[key]
            table.add_row(key, cell(in_json(value)), origin, style="" if origin != "default" else "dim")
        Console().print(table)


def print_reference(resolved: Resolved, values: dict[str, JsonValue]) -> None:
    """The reference: a paragraph for each section and each value, wrapped on a terminal only."""
    from burnqed.resolve import explained, section_text

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = NO_WRAPPING
    for section, keys in groupby(values, lambda key: key.rpartition(".")[0]):
        if section:
            console.print(Text.assemble("\n", (section, "bold underline"), f": {section_text(section)}"))
        for key in keys:
            about, value, origin = explained(key), values[key], resolved.origin[key]
            measured = "" if value is None or not about.unit else f" {about.unit}"
            line = Text.assemble("\n", (key, "bold"), f" = {in_json(value)}{measured}", (f"  [{about.decides}]", "dim"))
            if origin != "default":
                line.append(f"  from {origin}; default {in_json(about.default)}")
            console.print(line)
            console.print(Padding(Text(about.text), (0, 0, 0, 4), expand=False))
