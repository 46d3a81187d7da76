"""`burnqed data inspect`: what files hold, and what they have in common."""

from __future__ import annotations

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from burnqed import display
from burnqed.cli import options


def inspect(
    sources: list[str] = typer.Argument(
        ...,
        metavar="SOURCE…",
        help="Theorem index (.json), tactic pairs, whole proofs or trajectories (.parquet, .jsonl), or a folder with finished searches; in a store, too.",
    ),
    examples: int = typer.Option(3, "--examples", min=0, help="How many are shown of each."),
    theorem: str = typer.Option("", "--theorem", help="Show the search of this theorem as a tree."),
    sample: int = typer.Option(0, "--sample", min=0, help="Which of its searches, where there are several."),
    as_json: bool = options.Json,
) -> None:
    """Count what files hold, what several have in common, and show some of it.

    Example: burnqed data inspect pairs.parquet benchmark.json
    """
    from burnqed.data.inspection.overlaps import overlaps
    from burnqed.data.inspection.sources import Source
    from burnqed.data.inspection.trajectories import tree

    given, console = [Source(location) for location in dict.fromkeys(sources)], Console()
    if theorem:
        lines = tree(given[0].search(theorem, sample))
        typer.echo(
            display.as_json({"tree": lines}, indent=1) if as_json else "\n".join(display.shown(line) for line in lines)
        )
        return
    found = {source.location: source.describe(examples) for source in given}
    common = list(overlaps({source.location: source.keys() for source in given})) if len(given) > 1 else []
    if as_json:
        documents = {location: {**facts, "examples": shown} for location, (facts, shown) in found.items()}
        document = {"sources": documents, "overlaps": common} if len(given) > 1 else documents[given[0].location]
        typer.echo(display.as_json(document, indent=1))
        return
    for location, (facts, shown) in found.items():
        show(console, location if len(given) > 1 else "", facts, shown)
    if common:
        table = Table("", "", *(title for title in common[0] if title not in ("first", "second")), title="in both")
        for row in common:
            table.add_row(*(cell(value) for value in row.values()))
        console.print(table)


def show(console: Console, title: str, facts: dict[str, object], shown: list[str]) -> None:
    table = Table("", "", show_header=False, title=cell(title) if title else None)
    for name, value in facts.items():
        table.add_row(name, cell(value))
    console.print(table)
    for example in shown:
        display.tell(console, "  ", example)
        console.print()


def cell(value: object) -> Text:
    if isinstance(value, dict):
        return display.cell(", ".join(f"{key}: {number(count)}" for key, count in value.items()))
    return display.cell(number(value))


def number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)
