"""`burnqed data generate`: statements without proofs."""

from __future__ import annotations

from pathlib import Path

import typer

from burnqed.cli import options


def generate(
    out: Path = options.Out,
    count: int = typer.Option(3_000, "--count", min=1, help="How many."),
    seed: int = typer.Option(0, "--seed", help="Equal seeds give equal statements."),
    deep: bool = typer.Option(
        False,
        "--deep",
        help="Theorems of the deep tier instead, of those that are for training, which all have a proof.",
    ),
) -> None:
    """Generate statements to search; they are not checked before the search.

    Example: burnqed data generate --count 500 --out generated.json
    """
    from burnqed.data.deep import deep_proofs
    from burnqed.data.generate import generate as generate_statements
    from burnqed.data.theorems import dump_index
    from burnqed.store import Store

    theorems = [proof.theorem for proof in deep_proofs(seed, count)] if deep else generate_statements(seed, count)
    Store(str(out.resolve().parent)).write_text(out.name, dump_index(theorems))
    typer.echo(f"{len(theorems)} statements in {out}.")
