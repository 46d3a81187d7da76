"""Repositories, traced by LeanDojo (the extra `trace`; docs/datasets.md), file by file.

    repository = Repository.parse("https://github.com/leanprover-community/mathlib4@COMMIT")
    files = traced_files(repository, disk_gb=100)         # hours, once: LeanDojo keeps what it traced below $CACHE_DIR
    async for result in results(files, repository.name): ...

The names are those of lean-dojo 4.20 (`lean_dojo/data_extraction/{lean,trace,traced_data}.py`). It is imported here and nowhere else: importing it
reads the environment, and takes seconds. It runs the repository's own build, so trace only what you would build yourself.

`TracedRepo.get_traced_theorems` goes through its files; here every file is asked by itself, because LeanDojo breaks on some.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Self

from burnqed.data.filters import cheats
from burnqed.data.pairs import TacticPair
from burnqed.data.proofs import WholeProof
from burnqed.data.sets.source import Cut, cut
from burnqed.data.trace.items import SORRY
from burnqed.data.trace.parts import Result, Trace
from burnqed.data.trace.steps import Step, pairs_of
from burnqed.errors import BadInput, TryAgain
from burnqed.lean.outline import Unreadable
from burnqed.machine import cpu_quota

INSTALL = "pip install 'burnqed[trace]' with Python 3.11 or 3.12"
NEEDED_GB = 100
"""What LeanDojo may need for a repository with Mathlib."""
MOST_PROCESSES = 32
PACKAGES = (".lake", "lake-packages")
"""Where dependencies are, which a trace that was made elsewhere may hold."""
MOST_HEADER = 20_000
"""Characters in front of a theorem: one with more gives pairs, but no whole proof."""
_SOURCE = re.compile(r"(?:https?|ssh|git|file)://|git@")


@dataclass(frozen=True)
class Repository:
    """A repository at one commit."""

    url: str
    commit: str

    @staticmethod
    def is_meant(source: str) -> bool:
        """Whether a source is a repository and not a file of proofs."""
        folder = os.path.expanduser(source.rpartition("@")[0] or os.devnull)
        return bool(_SOURCE.match(source)) or Path(folder).is_dir()

    @classmethod
    def parse(cls, source: str) -> Self:
        """`URL@COMMIT`. Raises BadInput for anything that can come to mean something else."""
        url, _, commit = source.rpartition("@")
        if not url or url in ("git", "ssh://git"):  # the @ of git@github.com
            url, commit = source, ""
        if not re.fullmatch(r"[0-9a-f]{40}", commit):
            given = f"{commit!r} is no full commit" if commit else "no commit is given"
            raise BadInput(
                f"{url} cannot be traced because {given}, and branches and tags move; give all 40 digits, as in {url}@{'0123456789' * 4}."
            )
        return cls(str(Path(url).expanduser().resolve()) if not _SOURCE.match(url) else url.rstrip("/"), commit)

    @property
    def name(self) -> str:
        """`mathlib4`: what names of theorems begin with."""
        return re.sub(r"[^\w.+-]", "-", self.url.rstrip("/").rpartition("/")[2].removesuffix(".git")) or "repository"

    def __str__(self) -> str:
        return f"{self.url}@{self.commit}"


def version() -> str:
    """Of LeanDojo. Raises BadInput where it is not installed."""
    try:
        return metadata.version("lean-dojo")
    except metadata.PackageNotFoundError:
        raise BadInput(f"Repositories are traced by LeanDojo, which is not installed; {INSTALL}.") from None


def traced_files(repository: Repository, disk_gb: float = NEEDED_GB) -> Sequence[Any]:
    """LeanDojo's `TracedFile`s of the repository itself, without its dependencies. Builds and traces it, unless that has been done.

    Its environment: GITHUB_ACCESS_TOKEN, CACHE_DIR (~/.cache/lean_dojo), DISABLE_REMOTE_CACHE (set: take no traces from LeanDojo's own server), TMP_DIR,
    NUM_PROCS (by default the processors that this process may use). Raises BadInput when something is missing, TryAgain when a server does not answer.
    """
    version()
    for program in ("git", "lake"):
        if shutil.which(program) is None:
            raise BadInput(
                f"LeanDojo needs the program {program}, which was not found; install git and elan (Lean's toolchains)."
            )
    for folder in _folders():
        free = shutil.disk_usage(folder).free / 1e9
        if free < disk_gb:
            raise BadInput(
                f"{folder} has {free:.0f} GB free, and tracing with Mathlib needs up to {disk_gb:g}; set CACHE_DIR and TMP_DIR to a larger disk, or give --disk "
                "for a small repository."
            )
    os.environ.setdefault("NUM_PROCS", str(max(1, min(MOST_PROCESSES, int(cpu_quota())))))
    try:
        import lean_dojo

        traced = lean_dojo.trace(lean_dojo.LeanGitRepo(repository.url, repository.commit), build_deps=False)
        return [file for file in traced.traced_files if file.path.parts[0] not in PACKAGES]
    except OSError as error:  # those of its HTTP library, too
        raise TryAgain(
            f"LeanDojo could not trace {repository} ({_said(error)}); the same command tries again."
        ) from None
    except Exception as error:  # a failed build, an assertion, a parser
        raise BadInput(f"LeanDojo cannot trace {repository} ({_said(error)}); its messages are above.") from None


def _folders() -> Iterator[Path]:
    """Where LeanDojo writes, or the nearest folder that there is."""
    for variable, default in (("CACHE_DIR", "~/.cache/lean_dojo"), ("TMP_DIR", "/tmp")):
        folder = Path(os.environ.get(variable, default)).expanduser().absolute()
        yield next(place for place in (folder, *folder.parents) if place.is_dir())


async def results(files: Iterable[Any], source: str) -> AsyncIterator[Result]:
    """What comes of each file."""
    for file in files:
        yield _result(file, source)
        await asyncio.sleep(0)  # for signals


def _result(file: Any, source: str) -> Result:
    path = file.path.as_posix()
    try:
        theorems = sorted(file.get_traced_theorems(), key=lambda theorem: tuple(theorem.start))
        traces, pairs, proofs = list[Trace](), list[TacticPair](), list[WholeProof]()
        for theorem, written in zip(theorems, _written(file, theorems), strict=True):
            name = _name(theorem, source)
            recorded = sorted(theorem.get_traced_tactics(atomic_only=True), key=lambda tactic: tuple(tactic.start))
            steps = [Step(tactic.state_before, tactic.tactic, tactic.state_after) for tactic in recorded]
            proof_text = written.proof if written else theorem.get_tactic_proof() or ""
            trace = Trace(theorem=name, source=source, file_path=path, is_term=not theorem.has_tactic_proof())
            if cheats(proof_text) or any(cheats(step.tactic) for step in steps) or (written and written.has_hole):
                traces.append(trace.model_copy(update={"rejected": SORRY}))
                continue
            made, left_out = pairs_of(name, source, steps)
            traces.append(trace.model_copy(update={"pairs": len(made), "left_out": dict(left_out)}))
            pairs += made
            if written and written.proof and len(written.header) <= MOST_HEADER:
                proofs.append(
                    WholeProof(
                        name=name,
                        statement=written.statement,
                        header=written.header,
                        proof=written.proof,
                        source=source,
                        file_path=path,
                    )
                )
    except Exception as error:  # its own assertions, and those of its parser
        return Result(path, bad=_said(error))
    return Result(path, traces, pairs, proofs)


def _name(theorem: Any, source: str) -> str:
    """A private one is called as Lean calls it, for several files may have it."""
    full = theorem.theorem.full_name
    if not theorem.is_private:
        return f"{source}::{full}"
    module = ".".join(theorem.theorem.file_path.with_suffix("").parts)
    return f"{source}::_private.{module}.0.{full}"


def _written(file: Any, theorems: Sequence[Any]) -> list[Cut | None]:
    """Each theorem as it is written in the file, with what precedes it; None where that cannot be told."""
    try:
        cuts = cut("\n".join(file.lean_file.code))
    except Unreadable:
        return [None] * len(theorems)
    found, position = list[Cut | None](), 0
    for theorem in theorems:
        full = f".{theorem.theorem.full_name}"
        names = (f".{each.name.removeprefix('_root_.')}" for each in cuts[position:])
        at = next((at for at, name in enumerate(names, position) if full.endswith(name)), None)
        found.append(None if at is None else cuts[at])
        position = position if at is None else at + 1
    return found


def _said(error: Exception) -> str:
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return f"{type(error).__name__}: {first[:200]}" if first else type(error).__name__
