"""Lean, Mathlib and Pantograph at the pinned commits, in one folder of the cache.

    with Library.held(tell) as library:
        library.install()                       # a first time: gigabytes over the network
        print(library.environment())            # {'LEAN_PATH': …, 'LEAN_SYSROOT': …}

What is fetched: elan (its release, checked by its hash), the toolchain (by elan, into this folder), the sources (by Lake, with git), and Mathlib's
compiled files, from the cache that its own CI fills. Mathlib is never built here: that takes hours. Each stage is marked when it is done, so an
interrupted installation goes on where it was.

    python -m burnqed.lean.pantograph.library FOLDER        # an image's part: installs, and links what running needs into a folder
"""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from burnqed.errors import BadInput
from burnqed.lean.cache import cache_folder, digest, tell, writable
from burnqed.versions import versions

ELAN_RELEASES = "https://github.com/leanprover/elan/releases/download"
LAKEFILE = """\
name = "project"

[[require]]
name = "mathlib"
git = "https://github.com/leanprover-community/mathlib4"
rev = "{mathlib}"

[[require]]
name = "pantograph"
git = "https://github.com/leanprover/Pantograph"
rev = "{pantograph}"
"""
PACKAGES = Path(".lake", "packages")
REPL = PACKAGES / "pantograph" / ".lake" / "build" / "bin" / "repl"

NEEDED_BYTES = 15_000_000_000
"""Disk needed while installing, an estimate: the toolchain 3 GB, clones with their history 2, Mathlib's files packed 1 and unpacked 8."""
SPARE_BYTES = 1_000_000_000
"""Disk needed to continue an installation that is nearly done."""
ATTEMPTS = 3
"""Of what needs the network."""
WAIT_SECONDS = 5.0
"""Before another attempt."""
LAST_LINES = 3
"""Of a program's output that say why it failed."""
ADVICE = "check the network and the proxy (HTTPS_PROXY)"
AGAIN = "run `burnqed lean install --backend pantograph` again: what is finished is kept"
OURS = ("LEAN", "LAKE", "ELAN")
"""How variables begin that lead elan and Lake elsewhere."""
NEEDED_TO_RUN = (".olean", ".olean.server", ".olean.private", ".ir", ".so")
"""Ends of the names of the library's files that running programs read."""


def library_folder() -> Path:
    lean = versions().lean
    return cache_folder() / "pantograph" / f"{lean.mathlib.commit[:12]}-{lean.pantograph.commit[:12]}"


@dataclass(frozen=True)
class Library:
    """The folder, held against other installations."""

    folder: Path
    lock: int
    """Descriptor that all programs inherit: what an interrupted installation left running holds the lock as well."""
    report: Callable[[str], None]
    """Gets a line about each step."""

    @classmethod
    @contextmanager
    def held(cls, report: Callable[[str], None]) -> Iterator[Library]:
        """Waits for other installations. Raises BadInput where the cache cannot be written or has not enough room."""
        folder = library_folder()
        needed = max(SPARE_BYTES, NEEDED_BYTES - size(folder))
        with writable(folder.parent, needed), (folder.parent / "install.lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                report("Waiting for another installation, or for what an interrupted one left running …")
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield cls(folder, lock.fileno(), report)

    def install(self) -> None:
        """Does the stages that are not done yet. Raises BadInput."""
        lean = versions().lean
        for name, what, stage in (
            ("elan", f"elan {lean.elan.version}", self._elan),
            ("toolchain", f"the toolchain {lean.toolchain} (about 3 GB)", self._toolchain),
            ("sources", f"the sources of Mathlib {lean.mathlib.version} and Pantograph {lean.pantograph.version} (about 2 GB)", self._sources),
            ("compiled", "Mathlib's compiled files (about 8 GB)", self._compiled),
            ("repl", "Pantograph", self._repl),
        ):  # fmt: skip
            mark = self.folder / f".done-{name}"
            if mark.exists():
                continue
            self.report(f"{'Building' if stage == self._repl else 'Fetching'} {what} …")
            began, before = time.monotonic(), size(self.folder)
            stage()
            mark.touch()
            self.report(f"  {(size(self.folder) - before) / 1e9:.1f} GB in {time.monotonic() - began:.0f} s")

    def environment(self) -> dict[str, str]:
        """The variables with which programs find the library, without Lake."""
        told = dict(line.split("=", 1) for line in self.run(["lake", "env"]).splitlines() if "=" in line)
        paths = {name: told[name] for name in ("LEAN_SYSROOT", "LEAN_PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH") if told.get(name)}  # fmt: skip
        if absent := {"LEAN_SYSROOT", "LEAN_PATH"} - paths.keys():
            raise BadInput(f"`lake env` does not tell {' and '.join(sorted(absent))}; install again with --force.")
        # Lake names the packages' folders relative to the project's.
        return {
            name: os.pathsep.join(os.path.normpath(self.folder / path) for path in value.split(os.pathsep) if path)
            for name, value in paths.items()
        }

    def run(self, command: Sequence[str], *, folder: Path | None = None, attempts: int = 1, advice: str = "") -> str:
        """What a program of elan's, or of the toolchain, prints. Raises BadInput with its last words, when it fails as often as it may."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        environment |= {
            "ELAN_HOME": str(self._elan_home),
            "PATH": os.pathsep.join([str(self._elan_home / "bin"), os.environ.get("PATH", os.defpath)]),
            "MATHLIB_CACHE_DIR": str(self._packed),
            "MATHLIB_NO_CACHE_ON_UPDATE": "1",  # a stage of its own
            "LAKE_ARTIFACT_CACHE": "false",  # everything in this folder
        }
        program = shutil.which(command[0], path=environment["PATH"])
        if program is None:
            raise BadInput(f"{command[0]} is gone from {self.folder}; install again with --force.")
        for attempt in range(1, attempts + 1):
            done = subprocess.run(
                [program, *command[1:]],
                cwd=folder or self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
                pass_fds=(self.lock,),
            )
            if done.returncode == 0:
                return done.stdout
            if attempt < attempts:
                self.report(f"  failed ({last_words(done.stdout)}); trying again …")
                time.sleep(WAIT_SECONDS * attempt)
        words = " ".join([Path(command[0]).name, *command[1:]])
        raise BadInput(
            f"`{words}` failed ({last_words(done.stdout) or f'exit status {done.returncode}'}); {f'{advice}, then ' if advice else ''}{AGAIN}."
        )

    # ---- stages

    def _elan(self) -> None:
        pinned = versions().lean.elan
        system = this_system()
        expected = pinned.archives.get(system)
        if expected is None:
            raise BadInput(f"There is no elan for {system}; use the backend embedded on this machine.")
        for program in ("git", "curl"):
            if shutil.which(program) is None:
                raise BadInput(f"Installing Mathlib's Lean needs {program}, which was not found; install it.")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        archive, installer = self.folder / "elan.tar.gz", self.folder / "elan-init"
        self._download(f"{ELAN_RELEASES}/v{pinned.version}/elan-{system}.tar.gz", archive)
        if (found := digest(archive)) != expected:
            raise BadInput(
                f"The download of elan {pinned.version} for {system} is broken or not the pinned one: its sha256 begins {found[:12]} instead of {expected[:12]}; {AGAIN}."
            )
        with tarfile.open(archive) as tar:
            tar.extract("elan-init", self.folder, filter="data")
        installer.chmod(0o755)
        self.run([str(installer), "-y", "--no-modify-path", "--default-toolchain", "none"])
        archive.unlink()
        installer.unlink()

    def _download(self, url: str, to: Path) -> None:
        import httpx  # takes a third of a second: not for every command

        for attempt in range(1, ATTEMPTS + 1):
            try:
                with (
                    httpx.stream("GET", url, follow_redirects=True, timeout=60) as reply,
                    to.open("wb") as file,
                ):
                    reply.raise_for_status()
                    for piece in reply.iter_bytes():
                        file.write(piece)
                return
            except httpx.HTTPError as error:
                if attempt == ATTEMPTS:
                    why = str(error).partition("\n")[0] or type(error).__name__
                    raise BadInput(f"{url} could not be fetched ({why}); {ADVICE}, then {AGAIN}.") from error
                time.sleep(WAIT_SECONDS * attempt)

    def _toolchain(self) -> None:
        toolchain = versions().lean.toolchain
        shutil.rmtree(self._elan_home / "toolchains", ignore_errors=True)  # elan takes half of one for all of it
        self.run(["elan", "toolchain", "install", toolchain], attempts=ATTEMPTS, advice=ADVICE)
        self.name_toolchain(self.folder)

    def name_toolchain(self, folder: Path) -> None:
        """Has Lake use the pinned toolchain in a folder."""
        (folder / "lean-toolchain").write_text(f"{versions().lean.toolchain}\n")

    def _sources(self) -> None:
        lean = versions().lean
        text = LAKEFILE.format(mathlib=lean.mathlib.commit, pantograph=lean.pantograph.commit)
        (self.folder / "lakefile.toml").write_text(text)
        self.run(["lake", "update", "--keep-toolchain"], attempts=ATTEMPTS, advice=ADVICE)

    def _compiled(self) -> None:
        self.run(["lake", "exe", "cache", "get"], attempts=ATTEMPTS, advice=ADVICE)
        try:  # it does not fail when the cache lacks files
            self.run(["lake", "build", "--no-build", "@mathlib/Mathlib"])
        except BadInput:
            commit = versions().lean.mathlib.commit[:12]
            raise BadInput(
                f"Mathlib's cache does not give all compiled files of commit {commit} for this system, and Mathlib is not built here, which would take hours; {ADVICE}, then {AGAIN}."
            ) from None
        shutil.rmtree(self._packed, ignore_errors=True)

    def _repl(self) -> None:
        self.run(["lake", "build", "@pantograph/repl"])

    @property
    def _elan_home(self) -> Path:
        return self.folder / "elan"

    @property
    def _packed(self) -> Path:
        """Where Mathlib's cache keeps what it fetched, until that is unpacked."""
        return self.folder / "packed"


def this_system() -> str:
    """As elan's releases are called."""
    machine = {"arm64": "aarch64", "AMD64": "x86_64"}.get(platform.machine(), platform.machine())
    return f"{machine}-{'apple-darwin' if sys.platform == 'darwin' else 'unknown-linux-gnu'}"


def last_words(output: str) -> str:
    lines = (line.strip() for line in output.replace("\r", "\n").split("\n"))
    return " / ".join(deque((line for line in lines if line), LAST_LINES))[-500:].rstrip(".")


def size(folder: Path) -> int:
    """Bytes below a folder; 0 where there is none."""
    return sum(entry.stat().st_size for entry in below(folder))


def below(folder: Path) -> Iterator[os.DirEntry[str]]:
    """The files in a folder and the folders in it, without following links."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    yield from below(Path(entry))
                elif entry.is_file(follow_symlinks=False):
                    yield entry
    except FileNotFoundError:
        return


def link(to: Path) -> None:
    """Links what running programs need of the library into `to`, in its place below it: neither sources nor what builds."""
    folder = library_folder()
    for entry in below(folder):
        path = Path(entry).relative_to(folder)
        if path == REPL or path.name.endswith(NEEDED_TO_RUN):
            target = to / folder.name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(entry, target)


if __name__ == "__main__":  # for the image
    with Library.held(tell) as held:
        held.install()
    link(Path(sys.argv[1]))
