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
        help="Theorems of the deep tier instead, which all have a proof; of those that are for training.",
    ),
    kinds: list[str] = typer.Option(
        [],
        "--kind",
        help="With --deep: moves, strengthened, witness, goals or cases alone; may be repeated.",
        show_default="all",
    ),
    held_out: bool = typer.Option(
        False,
        "--held-out",
        help="With --deep: those that are never for training, and have no skeleton of the shipped benchmarks either.",
    ),
    apart_from: list[str] = typer.Option(
        [],
        "--apart-from",
        help="With --held-out: nor one of this theorem index, for instance of those that settings were chosen on; may be repeated.",
    ),
) -> None:
    """Generate statements to search; they are not checked before the search.

    Example: burnqed data generate --count 500 --out generated.json
    """
    from burnqed.config import SHIPPED_INDICES, DeepKind
    from burnqed.data.deep import deep_proofs
    from burnqed.data.generate import generate as generate_statements
    from burnqed.data.theorems import dump_index, read_index
    from burnqed.store import Store

    if not deep and (kinds or held_out):
        raise BadInput(f"{'--kind' if kinds else '--held-out'} is of deep theorems; add --deep.")
    if apart_from and not held_out:
        raise BadInput("--apart-from is of theorems to evaluate on; add --deep --held-out.")
    for kind in kinds:
        options.check_word(kind, get_args(DeepKind), "kind of deep theorem")
    if deep:
        others = [theorem for index in (*SHIPPED_INDICES, *apart_from) for theorem in read_index(index)]
        proofs = deep_proofs(seed, count, benchmark=held_out, kinds=kinds, apart_from=others)
        theorems = [proof.theorem for proof in proofs]
    else:
        theorems = generate_statements(seed, count)
    Store(str(out.resolve().parent)).write_text(out.name, dump_index(theorems))
    typer.echo(f"{len(theorems)} statements in {out}.")
