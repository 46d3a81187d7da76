"""`burnqed doctor`: what is present on this machine, what is missing, and what to do about it."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Column, Table

from burnqed import __version__, plugins, sandbox
from burnqed.cli import options
from burnqed.cli.hera_script import is_ours, repair, script
from burnqed.display import cell
from burnqed.errors import EXIT_BAD_INPUT, BadInput, TryAgain
from burnqed.findings import Finding

if TYPE_CHECKING:
    from burnqed.config import LeanConfig


def doctor(
    store: str = options.Store,
    fix: bool = typer.Option(False, "--fix", help="Repair what can be repaired: the `hera` command."),
    profile: str = options.Profile,
    overrides: list[str] = options.Set,
) -> None:
    """Say what is present, what is missing, and what to do about it; exit code 2 when something needed is missing, as the profile's Lean is.

    Example: burnqed doctor --store s3://BUCKET/PREFIX
    """
    from burnqed.resolve import resolve

    config = resolve(profile, overrides).config
    if fix and not is_ours(script()):
        repair(script())
    table = Table("", "what", Column("found", overflow="fold"), "what to do")
    findings = [*program(), *lean(config.lean), *heads(), *training(), *cluster(), *machine(), *storage(store)]
    for finding in findings:
        mark = "[green]ok[/]" if not finding.advice else "[red]fix[/]" if finding.needed else "[yellow]note[/]"
        table.add_row(mark, finding.what, cell(finding.found), cell(finding.advice))
    Console().print(table)
    if any(f.advice and f.needed for f in findings):
        raise typer.Exit(EXIT_BAD_INPUT)


def program() -> list[Finding]:
    return [Finding("burnqed", __version__), Finding("Python", sys.version.split()[0])]


def lean(config: LeanConfig) -> list[Finding]:
    """What each Lean backend reports; only the configured one is needed."""
    from burnqed.lean.backends import BUILT_IN, GROUP, names, open_lean

    findings = []
    for name in names():
        try:
            reported = open_lean(config.model_copy(update={"backend": name})).findings()
            findings += [replace(finding, needed=finding.needed and name == config.backend) for finding in reported]
        except Exception as error:  # another package's code may raise anything
            why = str(error) if isinstance(error, BadInput) else f"its findings fail: {type(error).__name__}: {error}"
            findings.append(Finding(f"Lean backend {name}", "unusable", why, needed=name == config.backend))
    return findings + unused(GROUP, BUILT_IN, "Lean backend")


def heads() -> list[Finding]:
    """The values that `ebm.head` may have; other packages' heads are imported to see whether they can be."""
    from burnqed import head

    findings = [Finding("heads", ", ".join(head.names()))]
    for name in head.names():
        try:
            if name not in head.BUILT_IN:
                from burnqed.head.base import head_class  # imports torch

                head_class(name)
        except (BadInput, ImportError) as error:
            findings.append(Finding(f"head {name}", "unusable", str(error), needed=False))
    return findings + unused(head.GROUP, head.BUILT_IN, "head")


def unused(group: str, built_in: Mapping[str, str], what: str) -> list[Finding]:
    """Parts of other packages that cannot be chosen, because something else has their name."""
    return [
        Finding(
            f"{what} {point.name}",
            f"{point.value} of {plugins.package(point)} is not used",
            f"another {what} has this name; give it one of its own",
            needed=False,
        )
        for point in plugins.unused(group, built_in)
    ]


def package(name: str, advice: str, needed: bool = True) -> Finding:
    """The version of a package of an extra; the advice where it is not installed."""
    if importlib.util.find_spec(name) is None:
        return Finding(name, "none", advice, needed)
    return Finding(name, metadata.version(name), needed=needed)


def training() -> list[Finding]:
    """The extra `train`; a search worker does without."""
    packages = [package(name, "pip install 'burnqed[train]'") for name in ("torch", "transformers", "peft", "fastapi")]
    return [*packages, *bytecode("torch")]


def bytecode(name: str) -> list[Finding]:
    """Whether every process that imports a package compiles it anew, judged by its `__init__`. By default uv leaves compiling to the first import, and where no bytecode may be
    written, as in many containers, nothing is kept of that."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return []
    folder = Path(spec.origin).parent
    if Path(importlib.util.cache_from_source(spec.origin)).exists():
        return [Finding("bytecode", f"{name} is compiled")]
    is_writable = os.access(folder, os.W_OK)
    if is_writable and not sys.dont_write_bytecode:
        return [Finding("bytecode", f"{name} is compiled when it is first imported")]
    command = shlex.join([sys.executable, "-m", "compileall", "-q", "-j", "0", str(folder.parent)])
    who = "" if is_writable else ", as a user who may write there"
    advice = f"{command}{who}; without it, every process that imports {name} starts seconds later"
    return [Finding("bytecode", f"{name} is not compiled, and no process keeps what it compiles", advice, needed=False)]


def cluster() -> list[Finding]:
    """What submitting to a cluster needs."""
    ours = is_ours(script())
    state = str(script()) if ours else f"{script()} is Hera's own" if script().exists() else "none"
    advice = "" if ours else "run `burnqed doctor --fix`; `burnqed submit` works without"
    kubernetes = package("kubernetes", "pip install 'burnqed[cluster]', to submit with a kubeconfig", needed=False)
    return [Finding("hera submit", state, advice, needed=False), kubernetes]


def machine() -> list[Finding]:
    """Processors and memory of the control group, disk of the working folder, and what the kernel confines programs with."""
    import psutil

    from burnqed.machine import cpu_quota, memory_limit

    cpus = cpu_quota()
    free, disk = psutil.virtual_memory().available / 1e9, shutil.disk_usage(Path.cwd()).free / 1e9
    memory = f"{memory_limit() / 1e9:.1f} GB, {free:.1f} GB free"
    return [
        Finding("processors", f"{cpus:g}", "" if cpus >= 2 else "the demo wants 2; it will take longer", needed=False),
        Finding("memory", memory, "" if free > 6 else "the demo wants 6 GB", needed=False),
        Finding("disk", f"{disk:.1f} GB free", "" if disk > 5 else "the demo wants 5 GB", needed=False),
        *sandbox.findings(),
    ]


def storage(address: str) -> list[Finding]:
    from burnqed.store import Store

    place, state = address, "writable"
    if "://" not in address and not Path(address).exists():
        place, state = next(str(p) for p in Path(address).absolute().parents if p.exists()), "will be created"
    try:
        Store(place).check_writable()
    except (BadInput, TryAgain) as error:
        return [Finding("store", address, str(error))]
    return [Finding("store", f"{address} ({state})")]
