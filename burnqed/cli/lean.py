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
    from burnqed.config import LeanConfig
    from burnqed.lean.protocol import Verdict

OF_PROFILE = "the profile's"
app = typer.Typer(help="Lean: install it, check proofs, try tactics.", no_args_is_help=True)

BACKEND = "Which Lean{}; `burnqed doctor` lists them."
Backend = options.setting(
    None, "--backend", help=BACKEND.format(", short for --set lean.backend=…"), show_default=OF_PROFILE
)


def configured(profile: str, overrides: list[str], **given: str | float | None) -> LeanConfig:
    """Lean as the options say: a profile, then `given` by options of their own, by key of the section `lean`, then `--set`."""
    from burnqed.resolve import resolve

    short = [f"lean.{key}={value}" for key, value in given.items() if value is not None]
    return resolve(profile, [*short, *overrides]).config.lean


@app.command()
def install(
    force: bool = typer.Option(False, "--force", help="Install again even if it is there."),
    backend: str = typer.Option("embedded", "--backend", help=BACKEND.format("")),
) -> None:
    """Install Lean into this user's cache (once).

    Example: burnqed lean install --backend pantograph
    """
    from burnqed.config import LeanConfig
    from burnqed.lean.backends import open_lean

    typer.echo(open_lean(LeanConfig(backend=backend)).install(force))


@app.command()
def check(
    file: Path = typer.Argument(..., help="JSON list of {name, statement, proof, header?}, or a .lean file."),
    as_json: bool = options.Json,
    timeout: float | None = typer.Option(
        None,
        "--timeout",
        min=0.1,
        help="Seconds for one proof, short for --set lean.check_timeout_s=….",
        show_default=OF_PROFILE,
    ),
    trust_headers: bool = typer.Option(
        False,
        "--trust-headers",
        help="Accept whatever headers and statements define (docs/trust.md); the backend pantograph checks nothing without.",
    ),
    export: Path | None = typer.Option(
        None, "--export", help="Folder for one file per accepted theorem, which other kernels can check."
    ),
    second_kernel: str = typer.Option(
        "",
        "--second-kernel",
        help="Command that checks such a file: exit status 0 accepts. {file}, {axioms}: the paths.",
    ),
    backend: str | None = Backend,
    profile: str = options.Profile,
    overrides: list[str] = options.Set,
) -> None:
    """Check whether whole proofs prove what they state; exit code 1 when one is refused.

    Example: burnqed lean check proofs.json --json
    """
    from burnqed.lean.backends import open_lean
    from burnqed.lean.check import check_all
    from burnqed.lean.proofs import read_json, read_lean
    from burnqed.lean.second_kernel import SecondKernel, check_and_export, prepare

    async def verdicts() -> list[Verdict]:
        async with open_lean(config) as lean:
            proofs = from_json or await read_lean(file, lean, is_trusted=trust_headers)
            if not export and not kernel:
                return await check_all(proofs, lean, is_trusted=trust_headers)
            with tempfile.TemporaryDirectory() as folder:
                return await check_and_export(proofs, lean, export or Path(folder), kernel, is_trusted=trust_headers)

    config = configured(profile, overrides, backend=backend, check_timeout_s=timeout)
    from_json = None if file.suffix == ".lean" else read_json(file)  # does not need Lean
    kernel = SecondKernel(second_kernel) if second_kernel else None
    if export:
        prepare(export)
    results = asyncio.run(verdicts())
    if as_json:
        typer.echo(display.as_json([document_of(v) for v in results], indent=1))
    else:
        print_verdicts(results, Console())
    if not all(v.accepted for v in results):
        raise typer.Exit(1)


def document_of(verdict: Verdict) -> dict[str, object]:
    """A verdict as `--json` prints it; with `message` when Lean said more than fits into the reason."""
    keys = {"name", "accepted", "reason", "axioms", "could_not_check"}
    return verdict.model_dump(include=keys | {"message"} if verdict.message else keys)


def print_verdicts(verdicts: Sequence[Verdict], console: Console) -> None:
    """A line per theorem; below it, indented, why it is refused or unchecked, and the part of Lean's message that the reason lacks."""
    for verdict in verdicts:
        mark, style = ("accepted", "green") if verdict.accepted else ("refused", "red")
        if verdict.could_not_check:
            mark, style = "unchecked", "yellow"
        display.tell(console, f"{mark:<10}", display.shown(verdict.name), style)
        first, _, rest = verdict.message.partition("\n")
        for text in filter(None, (verdict.reason, rest.strip("\n") if first in verdict.reason else verdict.message)):
            display.tell(console, " " * 10, text)
    console.print(f"{sum(v.accepted for v in verdicts)} of {len(verdicts)} accepted", highlight=False)


@app.command()
def repl(
    statement: str = typer.Argument("", help="Statement to start with."),
    timeout: float | None = typer.Option(
        None,
        "--timeout",
        min=0.1,
        help="Seconds for one tactic, short for --set lean.tactic_timeout_s=….",
        show_default=OF_PROFILE,
    ),
    backend: str | None = Backend,
    profile: str = options.Profile,
    overrides: list[str] = options.Set,
) -> None:
    """Enter a statement, then tactics.

    Example: burnqed lean repl '∀ a b : Nat, a + b = b + a'
    """
    from burnqed.lean.backends import open_lean
    from burnqed.lean.history import history_file, line_editing
    from burnqed.lean.repl import repl as run_repl

    config = configured(profile, overrides, backend=backend, tactic_timeout_s=timeout)

    async def session() -> None:
        async with open_lean(config) as lean:
            await run_repl(lean, sys.stdin, sys.stdout, statement)

    with line_editing(history_file()) if sys.stdin.isatty() else nullcontext():
        asyncio.run(session())
