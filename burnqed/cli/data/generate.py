"""`burnqed data generate`: statements without proofs."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import typer

from burnqed.cli import options
from burnqed.errors import BadInput


def generate(
    out: Path = options.Out,
    count: int = typer.Option(3_000, "--count", min=1, help="How many."),
    seed: int = typer.Option(0, "--seed", help="Equal seeds give equal statements."),
    deep: bool = typer.Option(
        False,
        "--deep",
        help="Theorems of the deep tier instead, of those that are for training, which all have a proof.",
    ),
    kinds: list[str] = typer.Option(
        [],
        "--kind",
        help="With --deep: moves, strengthened, witness, goals or cases alone; may be repeated.",
        show_default="all",
    ),
) -> None:
    """Generate statements to search; they are not checked before the search.

    Example: burnqed data generate --count 500 --out generated.json
    """
    from burnqed.config import DeepKind
    from burnqed.data.deep import deep_proofs
    from burnqed.data.generate import generate as generate_statements
    from burnqed.data.theorems import dump_index
    from burnqed.store import Store

    if kinds and not deep:
        raise BadInput("--kind is of deep theorems; add --deep.")
    for kind in kinds:
        options.check_word(kind, get_args(DeepKind), "kind of deep theorem")
    theorems = (
        [proof.theorem for proof in deep_proofs(seed, count, kinds=kinds)] if deep else generate_statements(seed, count)
    )
    Store(str(out.resolve().parent)).write_text(out.name, dump_index(theorems))
    typer.echo(f"{len(theorems)} statements in {out}.")
