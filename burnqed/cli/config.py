"""`burnqed config show`: every value of the configuration, with where it came from."""

from __future__ import annotations

import json

import typer
from rich.console import Console
from rich.table import Table

from burnqed.cli import options

app = typer.Typer(help="The configuration of a run.", no_args_is_help=True)


@app.callback()
def group() -> None:
    pass


@app.command()
def show(
    profile: str = options.Profile,
    overrides: list[str] = options.Set,
    as_json: bool = options.Json,
) -> None:
    """Print every value, with where it came from.

    Example: burnqed config show --profile demo --set search.budget=300
    """
    from burnqed.resolve import flat, profiles, resolve

    resolved = resolve(profile, overrides)
    values = flat(resolved.config.model_dump(mode="json"))
    if as_json:
        typer.echo(json.dumps({k: {"value": v, "from": resolved.origin[k]} for k, v in values.items()}, indent=1))
        return
    table = Table("key", "value", "from", caption=f"profiles: {', '.join(profiles())}")
    for key, value in values.items():
        origin = resolved.origin[key]
        table.add_row(key, json.dumps(value), origin, style="" if origin != "default" else "dim")
    Console().print(table)
