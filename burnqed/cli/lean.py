"""`burnqed lean`: install Lean, check whole proofs, try tactics by hand."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from burnqed import display
from burnqed.cli import options

if TYPE_CHECKING:
    from burnqed.lean.protocol import Verdict

app = typer.Typer(help="Lean: install it, check proofs, try tactics.", no_args_is_help=True)

Backend = typer.Option("embedded", "--backend", help="Which Lean; `burnqed doctor` lists them.")
TACTIC_TIMEOUT_S, CHECK_TIMEOUT_S = 30.0, 60.0
"""For whoever waits at a terminal."""


@app.command()
def install(
    force: bool = typer.Option(False, "--force", help="Fetch and bake again although it is there."),
    backend: str = Backend,
) -> None:
    """Fetch Lean and bake it into this user's cache (once).

    Example: burnqed lean install
    """
    from burnqed.config import LeanConfig
    from burnqed.lean.backends import open_lean

    typer.echo(open_lean(LeanConfig(backend=backend)).install(force))


@app.command()
def check(
    file: Path = typer.Argument(..., help="JSON list of {name, statement, proof, header?}, or a .lean file."),
    as_json: bool = options.Json,
    timeout: float = typer.Option(CHECK_TIMEOUT_S, "--timeout", min=0.1, help="Seconds for one proof."),
    trust_headers: bool = typer.Option(
        False, "--trust-headers", help="Accept whatever the headers define (docs/trust.md)."
    ),
    export: Path | None = typer.Option(
        None, "--export", help="Folder for one file per accepted theorem, which other kernels can check."
    ),
    second_kernel: str = typer.Option(
        "",
        "--second-kernel",
        help="Command that checks such a file: exit status 0 accepts. {file}, {axioms}: the paths.",
    ),
    backend: str = Backend,
) -> None:
    """Whether whole proofs prove what they state; exit code 1 when one is refused.

    Example: burnqed lean check proofs.json --json
    """
    from burnqed.config import LeanConfig
    from burnqed.lean.backends import open_lean
    from burnqed.lean.check import check_all
    from burnqed.lean.proofs import read_json, read_lean
    from burnqed.lean.second_kernel import SecondKernel, check_and_export, prepare

    async def verdicts() -> list[Verdict]:
        async with open_lean(LeanConfig(backend=backend, check_timeout_s=timeout)) as lean:
            proofs = given or await read_lean(file, lean, is_trusted=trust_headers)
            if not export and not kernel:
                return await check_all(proofs, lean, is_trusted=trust_headers)
            with tempfile.TemporaryDirectory() as folder:
                return await check_and_export(proofs, lean, export or Path(folder), kernel, is_trusted=trust_headers)

    given = None if file.suffix == ".lean" else read_json(file)  # which takes no Lean
    kernel = SecondKernel(second_kernel) if second_kernel else None
    if export:
        prepare(export)
    found = asyncio.run(verdicts())
    if as_json:
        typer.echo(display.as_json([document_of(v) for v in found], indent=1))
    else:
        print_verdicts(found, Console())
    if not all(v.accepted for v in found):
        raise typer.Exit(1)


def document_of(verdict: Verdict) -> dict[str, object]:
    """A verdict in the document of `--json`; with `message` when Lean said more than the reason has room for."""
    keys = {"name", "accepted", "reason", "axioms", "could_not_check"}
    return verdict.model_dump(include=keys | {"message"} if verdict.message else keys)


def print_verdicts(found: Sequence[Verdict], console: Console) -> None:
    """A line per theorem, and behind an indent why one is refused, or could not be checked, with what of Lean's message is not in the reason."""
    for verdict in found:
        mark, style = ("accepted", "green") if verdict.accepted else ("refused", "red")
        if verdict.could_not_check:
            mark, style = "unchecked", "yellow"
        display.tell(console, f"{mark:<10}", display.shown(verdict.name), style)
        first, _, rest = verdict.message.partition("\n")
        for text in filter(None, (verdict.reason, rest.strip("\n") if first in verdict.reason else verdict.message)):
            display.tell(console, " " * 10, text)
    console.print(f"{sum(v.accepted for v in found)} of {len(found)} accepted", highlight=False)


@app.command()
def repl(statement: str = typer.Argument("", help="Statement to start with."), backend: str = Backend) -> None:
    """Enter a statement, then tactics.

    Example: burnqed lean repl '∀ a b : Nat, a + b = b + a'
    """
    from burnqed.config import LeanConfig
    from burnqed.lean.backends import open_lean
    from burnqed.lean.history import history_file, line_editing
    from burnqed.lean.repl import repl as run_repl

    patience = LeanConfig(backend=backend, tactic_timeout_s=TACTIC_TIMEOUT_S, check_timeout_s=CHECK_TIMEOUT_S)

    async def session() -> None:
        async with open_lean(patience) as lean:
            await run_repl(lean, sys.stdin, sys.stdout, statement)

    with line_editing(history_file()) if sys.stdin.isatty() else nullcontext():
        asyncio.run(session())
