"""`burnqed lean`: install the embedded Lean, check whole proofs, try tactics by hand."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import typer
from rich.console import Console

from burnqed.cli import options

app = typer.Typer(help="The embedded Lean: install it, check proofs, try tactics.", no_args_is_help=True)


@app.command()
def install(force: bool = typer.Option(False, "--force", help="Fetch and bake again although it is there.")) -> None:
    """Fetch Lean and bake it into this user's cache (once)."""
    from burnqed.lean.embedded.install import install as install_lean

    info = install_lean(force)
    typer.echo(f"Lean {info.lean} in {info.path} ({info.megabytes:.0f} MB), run by node {info.node.version}.")


@app.command()
def check(
    file: Path = typer.Argument(..., help="JSON list of {name, statement, proof, header?}, or a .lean file."),
    as_json: bool = options.Json,
    timeout: float = typer.Option(60.0, "--timeout", min=0.1, help="Seconds for one proof."),
    trust_headers: bool = typer.Option(
        False, "--trust-headers", help="Accept whatever the headers define (docs/trust.md)."
    ),
) -> None:
    """Compile whole proofs in fresh environments; exit code 1 when one is refused."""
    from burnqed.lean.check import check_all
    from burnqed.lean.embedded.backend import EmbeddedLean
    from burnqed.lean.proofs import read_proofs

    async def verdicts() -> list[dict[str, object]]:
        async with EmbeddedLean(check_timeout_s=timeout) as lean:
            found = await check_all(proofs, lean, is_trusted=trust_headers)
            return [v.model_dump(include={"name", "accepted", "reason", "axioms"}) for v in found]

    proofs = read_proofs(file)
    found = asyncio.run(verdicts())
    if as_json:
        typer.echo(json.dumps(found, indent=1, ensure_ascii=False))
    else:
        console = Console()
        for verdict in found:
            mark, style = ("accepted", "green") if verdict["accepted"] else ("refused ", "red")
            console.print(f"[{style}]{mark}[/] {verdict['name']}", highlight=False)
            if verdict["reason"]:
                console.print(f"         {verdict['reason']}", markup=False, highlight=False)
        accepted = sum(bool(v["accepted"]) for v in found)
        console.print(f"{accepted} of {len(found)} accepted")
    if not all(v["accepted"] for v in found):
        raise typer.Exit(1)


@app.command()
def repl(statement: str = typer.Argument("", help="Statement to start with.")) -> None:
    """Enter a statement, then tactics."""
    from burnqed.lean.embedded.backend import EmbeddedLean
    from burnqed.lean.repl import repl as run_repl

    async def session() -> None:
        async with EmbeddedLean() as lean:
            await run_repl(lean, sys.stdin, sys.stdout, statement)

    asyncio.run(session())
