"""`burnqed data`: trace proofs to pairs, check and import theorem indices, generate statements, look into files."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table

from burnqed import display
from burnqed.cli import options
from burnqed.errors import BadInput
from burnqed.log import log

if TYPE_CHECKING:
    from burnqed.data.pairs import TacticPair
    from burnqed.lean.protocol import Theorem

app = typer.Typer(help="Theorems and tactic pairs.", no_args_is_help=True)

Out = typer.Option(..., "--out", help="File to write.")


@app.command()
def trace(
    file: Path = typer.Argument(..., help="Proofs: a .lean file, or a JSON list of {name, statement, proof, header?}."),
    out: Path = Out,
    source: str = typer.Option("traced", "--source", help="The origin that the pairs name."),
) -> None:
    """Replay proofs through Lean and write one tactic pair per step (JSONL).

    Example: burnqed data trace proofs.lean --out pairs.jsonl
    """
    from burnqed.config import LeanConfig
    from burnqed.data.corpus import split_tactics
    from burnqed.data.pairs import write_pairs
    from burnqed.data.trace.replay import KnownProof, replay_all
    from burnqed.lean.backends import open_lean
    from burnqed.lean.proofs import read_proofs, tactics
    from burnqed.progress import Progress
    from burnqed.store import Store

    proofs: list[KnownProof] = []
    pairs: list[TacticPair] = []
    failed = 0

    async def work() -> None:
        nonlocal failed
        async with open_lean(LeanConfig()) as lean:
            for proof in await read_proofs(file, lean, is_trusted=True):
                if proof.refusal:
                    log.warning("%s is left out: %s", proof.name, proof.message or proof.refusal)
                    failed += 1
                else:
                    theorem, text = proof.read()
                    proofs.append(KnownProof(theorem, tuple(split_tactics(tactics(text)))))
            with Progress(len(proofs), "trace", "proofs") as progress:
                async for result in replay_all(proofs, lean):
                    if result.error:
                        failed += 1
                        log.warning("%s is left out: %s", result.proof.theorem.name, result.error)
                    pairs.extend(result.pairs(source))
                    progress.advance(pairs=len(pairs), failed=failed)

    asyncio.run(work())
    if not pairs:
        raise BadInput(f"No proof of {file} replays, so {out} was not written; see the messages above.")
    write_pairs(Store(str(out.resolve().parent)), out.name, pairs)
    typer.echo(f"{len(pairs)} pairs of {len(proofs) - failed} proofs in {out}; {failed} proofs were left out.")


@app.command("import")
def import_index(
    file: str = typer.Argument(..., help="Theorem index: path or address in a store."),
    out: Path = Out,
    header: Path | None = options.Header,
    elaborate: bool = typer.Option(True, help="Leave out statements that Lean does not elaborate."),
) -> None:
    """Check a theorem index: duplicates and statements that do not elaborate are left out.

    Example: burnqed data import theirs.json --out mine.json --header definitions.lean
    """
    from burnqed.config import LeanConfig
    from burnqed.data.importing import distinct, elaborating
    from burnqed.data.theorems import dump_index, read_index
    from burnqed.lean.backends import open_lean
    from burnqed.store import Store

    theorems = read_index(file, options.read_header(header))
    different = distinct(theorems)

    async def check() -> list[Theorem]:
        async with open_lean(LeanConfig()) as lean:
            return await elaborating(different, lean)

    kept = asyncio.run(check()) if elaborate else different
    if not kept:
        raise BadInput(f"No statement of {file} elaborates; check its header.")
    Store(str(out.resolve().parent)).write_text(out.name, dump_index(kept))
    typer.echo(
        f"{len(kept)} theorems in {out}; left out: {len(theorems) - len(different)} equal to another, "
        f"{len(different) - len(kept)} that do not elaborate."
    )


@app.command()
def generate(
    out: Path = Out,
    count: int = typer.Option(3_000, "--count", min=1, help="How many."),
    seed: int = typer.Option(0, "--seed", help="Equal seeds give equal statements."),
) -> None:
    """Generate statements to search; they are not checked before the search.

    Example: burnqed data generate --count 500 --out generated.json
    """
    from burnqed.data.generate import generate as generate_statements
    from burnqed.data.theorems import dump_index
    from burnqed.store import Store

    theorems = generate_statements(seed, count)
    Store(str(out.resolve().parent)).write_text(out.name, dump_index(theorems))
    typer.echo(f"{len(theorems)} statements in {out}.")


@app.command()
def inspect(
    file: Path = typer.Argument(..., help="Theorem index (.json) or tactic pairs (.jsonl)."),
    examples: int = typer.Option(3, "--examples", min=0, help="How many are shown."),
    as_json: bool = options.Json,
) -> None:
    """Count what a file holds, and show some of it.

    Example: burnqed data inspect pairs.jsonl --examples 1
    """
    from burnqed.data.pairs import parse_pairs
    from burnqed.data.theorems import parse_index
    from burnqed.files import read_given

    text = read_given(file, "file", "a theorem index or a file of tactic pairs")
    if file.suffix == ".jsonl":
        facts, shown = describe_pairs(parse_pairs(text, str(file)), examples)
    else:
        facts, shown = describe_theorems(parse_index(text, str(file)), examples)
    if as_json:
        typer.echo(display.as_json({**facts, "examples": shown}, indent=1))
        return
    console, table = Console(), Table("", "", show_header=False)
    for name, value in facts.items():
        table.add_row(name, display.cell(str(value)))
    console.print(table)
    for example in shown:
        display.tell(console, "  ", example)
        console.print()


def describe_pairs(pairs: list[TacticPair], examples: int) -> tuple[dict[str, object], list[str]]:
    """Figures of tactic pairs, and some of them as text."""
    by_theorem = Counter(p.theorem for p in pairs)
    words = Counter(p.tactic.split()[0] for p in pairs if p.tactic.split())
    facts: dict[str, object] = {
        "pairs": len(pairs),
        "theorems": len(by_theorem),
        "pairs per theorem (median)": median(by_theorem.values()) if by_theorem else 0,
        "state characters (median)": median(len(p.state) for p in pairs) if pairs else 0,
        "most frequent tactics": ", ".join(f"{word} {n}" for word, n in words.most_common(10)),
        "sources": ", ".join(f"{s} {n}" for s, n in Counter(p.source for p in pairs).most_common()),
    }
    step = max(1, len(pairs) // max(1, examples))
    return facts, [f"{p.state}\n  {p.tactic}" for p in pairs[::step][:examples]]


def describe_theorems(theorems: list[Theorem], examples: int) -> tuple[dict[str, object], list[str]]:
    """Figures of a theorem index, and some of its statements."""
    from burnqed.data.skeleton import normal_form, skeleton

    shapes = Counter(skeleton(t.statement) for t in theorems)
    facts: dict[str, object] = {
        "theorems": len(theorems),
        "distinct up to renaming": len({normal_form(t.statement) for t in theorems}),
        "skeletons": len(shapes),
        "most of one skeleton": max(shapes.values()),
        "statement characters (median)": median(len(t.statement) for t in theorems),
        "headers": len({t.header for t in theorems}),
    }
    step = max(1, len(theorems) // max(1, examples))
    return facts, [f"{t.name}: {t.statement}" for t in theorems[::step][:examples]]
