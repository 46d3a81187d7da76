"""`burnqed doctor`: what is present on this machine, what is missing, and what to do about it."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Column, Table

from burnqed import __version__
from burnqed.cli import options
from burnqed.cli.hera_script import is_ours, repair, script
from burnqed.display import cell
from burnqed.errors import EXIT_BAD_INPUT, BadInput, TryAgain
from burnqed.findings import Finding


def add_to(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor(
    store: str = options.Store,
    fix: bool = typer.Option(False, "--fix", help="Repair what can be repaired: the `hera` command."),
) -> None:
    """Say what is present, what is missing, and what to do about it; exit code 2 when something needed is missing.

    Example: burnqed doctor --store s3://BUCKET/PREFIX
    """
    if fix and not is_ours(script()):
        repair(script())
    table = Table("", "what", Column("found", overflow="fold"), "what to do")
    findings = [*program(), *lean(), *heads(), *training(), *cluster(), *machine(), *storage(store)]
    for finding in findings:
        mark = "[green]ok[/]" if not finding.advice else "[red]mend[/]" if finding.needed else "[yellow]note[/]"
        table.add_row(mark, finding.what, cell(finding.found), cell(finding.advice))
    Console().print(table)
    if any(f.advice and f.needed for f in findings):
        raise typer.Exit(EXIT_BAD_INPUT)


def program() -> list[Finding]:
    return [Finding("burnqed", __version__), Finding("Python", sys.version.split()[0])]


def lean() -> list[Finding]:
    """What each Lean backend finds; only that of the defaults is needed."""
    from burnqed.config import LeanConfig
    from burnqed.lean.backends import names, open_lean

    findings, default = [], LeanConfig().backend
    for name in names():
        try:
            found = open_lean(LeanConfig(backend=name)).findings()
        except BadInput as error:
            found = [Finding(f"Lean backend {name}", "unusable", str(error))]
        findings += found if name == default else [replace(finding, needed=False) for finding in found]
    return findings


def heads() -> list[Finding]:
    """What `ebm.head` may be; other packages' heads are tried out."""
    from burnqed import head, plugins

    findings = [Finding("heads", ", ".join(head.names()))]
    for name in head.names():
        try:
            if name not in head.BUILT_IN:
                plugins.load(head.GROUP, name, head.BUILT_IN, "head")
        except BadInput as error:
            findings.append(Finding(f"head {name}", "unusable", str(error), needed=False))
    return findings


def training() -> list[Finding]:
    """The extra `train`; a search worker does without."""
    findings = []
    for package in ("torch", "transformers", "peft", "fastapi"):
        present = importlib.util.find_spec(package) is not None
        findings.append(
            Finding(
                package,
                metadata.version(package) if present else "none",
                "" if present else "pip install 'burnqed[train]'",
            )
        )
    return findings


def cluster() -> list[Finding]:
    """What submitting to a cluster needs."""
    ours, present = is_ours(script()), importlib.util.find_spec("kubernetes") is not None
    return [
        Finding(
            "hera submit",
            str(script()) if ours else f"{script()} is Hera's own" if script().exists() else "none",
            "" if ours else "run `burnqed doctor --fix`; `burnqed submit` works without",
            needed=False,
        ),
        Finding(
            "kubernetes",
            metadata.version("kubernetes") if present else "none",
            "" if present else "pip install 'burnqed[cluster]', to submit with a kubeconfig",
            needed=False,
        ),
    ]


def machine() -> list[Finding]:
    """Processors and memory of the control group, disk of the working folder."""
    import psutil

    from burnqed.machine import cpu_quota, memory_limit

    cpus, memory = cpu_quota(), memory_limit()
    free = shutil.disk_usage(Path.cwd()).free
    available = psutil.virtual_memory().available
    return [
        Finding("processors", f"{cpus:g}", "" if cpus >= 2 else "the demo wants 2; it will take longer", needed=False),
        Finding(
            "memory",
            f"{memory / 1e9:.1f} GB, {available / 1e9:.1f} GB free",
            "" if available > 6e9 else "the demo wants 6 GB",
            needed=False,
        ),
        Finding("disk", f"{free / 1e9:.1f} GB free", "" if free > 5e9 else "the demo wants 5 GB", needed=False),
    ]


def storage(address: str) -> list[Finding]:
    from burnqed.store import Store

    place, state = address, "writable"
    if "://" not in address and not Path(address).exists():
        place, state = next(str(p) for p in Path(address).absolute().parents if p.exists()), "will be made"
    try:
        Store(place).check_writable()
    except (BadInput, TryAgain) as error:
        return [Finding("store", address, str(error))]
    return [Finding("store", f"{address} ({state})")]
