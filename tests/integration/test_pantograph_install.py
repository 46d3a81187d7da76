"""Installing Mathlib's Lean, with stand-ins for the network and for elan's and Lake's programs: every way it can fail ends in one sentence, and what
is finished is not done again."""

from __future__ import annotations

import functools
import hashlib
import http.server
import io
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from burnqed.config import LeanConfig
from burnqed.errors import BadInput
from burnqed.lean.backends import open_lean
from burnqed.lean.pantograph import install as installing
from burnqed.lean.pantograph import library, project, selftest
from burnqed.lean.pantograph.checks import CheckerProcess
from burnqed.lean.pantograph.repl import Repl
from burnqed.sandbox import confined
from burnqed.versions import versions
from tests.fixtures.shared import ROOT

TOOLS = ROOT / "tests" / "fixtures" / "lean_tools.py"
PYTHON = (str(Path(sys.executable).resolve()), "-I", "-S")
STAGES = [
    ["elan-init -y --no-modify-path --default-toolchain none"],
    [f"elan toolchain install {versions().lean.toolchain}"],
    ["lake update --keep-toolchain"],
    ["lake exe cache get", "lake build --no-build @mathlib/Mathlib"],
    ["lake build @pantograph/repl"],
    ["lake build", "lake env"],
]
"""The programs that an installation calls."""
CALLS = [call for stage in STAGES for call in stage]
INSTALL = """
import sys
from burnqed.lean.pantograph import install, library
library.ELAN_RELEASES, sha = sys.argv[1:]
library.versions().lean.elan.archives[library.this_system()] = sha
install.install()
"""


def archive() -> bytes:
    """A release of elan."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        content = f"#!{sys.executable}\n{TOOLS.read_text()}".encode()
        info = tarfile.TarInfo("elan-init")
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


class Outside:
    """What an installation reaches, and what it has asked for."""

    def __init__(self, address: str, sha: str, log: Path) -> None:
        self.address, self.sha, self._log = address, sha, log
        self.said: list[str] = []

    def install(self, force: bool = False) -> str:
        return installing.install(force, self.said.append)

    def calls(self) -> list[str]:
        """Since the last time."""
        calls = self._log.read_text().splitlines()
        self._log.write_text("")
        return calls


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Outside]:
    """An empty cache, and on this machine a server with elan's release, whose programs write no more than a few files."""
    content, served = archive(), tmp_path / "served" / f"v{versions().lean.elan.version}"
    served.mkdir(parents=True)
    (served / f"elan-{library.this_system()}.tar.gz").write_bytes(content)
    (log := tmp_path / "log").write_text("")
    for name, value in (("BURNQED_CACHE", tmp_path / "cache"), ("TOOLS_LOG", log), ("HOME", tmp_path / "home")):
        monkeypatch.setenv(name, str(value))

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

    def command(program: Path) -> tuple[str, ...]:  # the stand-in's programs are scripts, which cannot be confined
        return (*PYTHON, *built(program))

    def with_python(words: list[str], *, readable: list[Path], **rest: object) -> list[str]:
        return confined(words, readable=[*readable, Path(sys.base_prefix)], **rest)  # type: ignore[arg-type]

    built = installing.command
    monkeypatch.setattr(installing, "command", command)
    monkeypatch.setattr(project, "confined", with_python)
    monkeypatch.setattr(selftest, "SETTLED_SECONDS", 0.2)
    monkeypatch.setattr(library, "NEEDED_BYTES", 0)
    monkeypatch.setattr(library, "SPARE_BYTES", 0)
    monkeypatch.setattr(library, "WAIT_SECONDS", 0.0)
    serve = functools.partial(Handler, directory=str(tmp_path / "served"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        address, sha = f"http://127.0.0.1:{server.server_address[1]}", hashlib.sha256(content).hexdigest()
        monkeypatch.setattr(library, "ELAN_RELEASES", address)
        monkeypatch.setitem(versions().lean.elan.archives, library.this_system(), sha)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Outside(address, sha, log)
        server.shutdown()


def refused(outside: Outside) -> str:
    """The sentence with which an installation ends."""
    with pytest.raises(BadInput) as error:
        outside.install()
    assert not installing.is_installed()
    text = str(error.value)
    assert "\n" not in text
    assert text.endswith(".")
    return text


# ---- what it does


def test_everything_is_fetched_built_tried_and_written_down(outside: Outside, tmp_path: Path) -> None:
    sentence = outside.install()
    assert outside.calls() == CALLS
    assert "s to start" in sentence
    assert "MB of its own" in sentence
    found, place = project.opened(None), library.library_folder()
    assert found.repl == (*PYTHON, str(place / library.REPL))
    assert found.checker == (*PYTHON, str(project.folder() / installing.CHECKER))
    assert found.environment == {
        "LEAN_SYSROOT": str(place / "elan" / "toolchains" / f"leanprover--lean4---{versions().lean.mathlib.version}"),
        "LEAN_PATH": f"{place / '.lake/packages/mathlib/.lake/build/lib/lean'}:{place / '.lake/build/lib/lean'}",
    }
    assert found.readable == (place, project.folder())
    assert found.version == project.mathlib().version
    fetched = {name: (place / library.PACKAGES / name / "REVISION").read_text() for name in ("mathlib", "pantograph")}
    assert fetched["mathlib"].endswith(f"mathlib4 {versions().lean.mathlib.commit}")
    assert fetched["pantograph"].endswith(f"Pantograph {versions().lean.pantograph.commit}")
    assert not (place / "packed").exists()
    assert not (tmp_path / "home").exists()  # the user's own elan, and profile


def test_it_is_not_done_again_unless_that_is_wanted(outside: Outside) -> None:
    outside.install()
    outside.calls()
    assert outside.install()
    assert outside.calls() == []
    outside.install(force=True)
    assert outside.calls() == CALLS


def test_a_new_checker_is_built_beside_the_same_library(outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    outside.install()
    outside.calls()
    monkeypatch.setattr(project, "folder_name", lambda: "another")
    with pytest.raises(BadInput, match="lean install --backend pantograph"):
        project.opened(None)
    outside.install()
    assert outside.calls() == STAGES[-1]
    assert project.opened(None).checker[-1] == str(library.library_folder().with_name("another") / installing.CHECKER)


def test_variables_that_lead_elsewhere_are_not_followed(
    outside: Outside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ELAN_HOME", "LEAN_PATH", "LEAN_SYSROOT", "MATHLIB_CACHE_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "theirs"))
    outside.install()
    assert not (tmp_path / "theirs").exists()
    assert str(tmp_path / "theirs") not in project.opened(None).model_dump_json()


def test_what_running_needs_is_linked_for_an_image(outside: Outside, tmp_path: Path) -> None:
    outside.install()
    library.link(tmp_path / "image")
    files = {str(file.relative_to(tmp_path / "image")) for file in (tmp_path / "image").rglob("*") if file.is_file()}
    name, compiled = library.library_folder().name, library.PACKAGES / "mathlib/.lake/build/lib/lean/Mathlib"
    assert files == {f"{name}/{compiled}.olean", f"{name}/{compiled}.olean.private", f"{name}/{library.REPL}"}


# ---- how it fails


def test_an_archive_that_is_not_the_pinned_one_is_not_run(outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(versions().lean.elan.archives, library.this_system(), "0" * 64)
    assert "is broken or not the pinned one" in refused(outside)
    assert outside.calls() == []


def test_without_a_network_the_sentence_says_so(outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "ELAN_RELEASES", "http://127.0.0.1:9")  # the discard port: nobody listens
    assert "check the network and the proxy" in refused(outside)
    monkeypatch.setattr(library, "ELAN_RELEASES", f"{outside.address}/elsewhere")
    assert "404" in refused(outside)


def test_a_system_without_a_release_is_named(outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library.platform, "machine", lambda: "riscv64")
    assert "There is no elan for riscv64" in refused(outside)


def test_what_fails_once_is_tried_again(outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLS_FAIL", "lake exe cache get=2")
    outside.install()
    assert outside.calls().count("lake exe cache get") == 3
    assert sum("trying again" in line for line in outside.said) == 2


@pytest.mark.parametrize("stage", [1, pytest.param(4, marks=pytest.mark.long), 5])
def test_a_failure_is_told_with_its_last_lines_and_what_was_finished_is_kept(
    stage: int, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLS_FAIL", STAGES[stage][0])
    sentence = refused(outside)
    assert "(building / still building / error: it broke)" in sentence
    assert ("check the network" in sentence) == (stage == 1)
    outside.calls()
    monkeypatch.delenv("TOOLS_FAIL")
    outside.install()
    assert outside.calls() == [call for kept in STAGES[stage:] for call in kept]


def test_mathlib_is_never_built_from_its_sources(outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLS_EMPTY_CACHE", "1")
    assert "does not give all compiled files" in refused(outside)
    assert outside.calls()[-1] == "lake build --no-build @mathlib/Mathlib"


def test_a_disk_that_is_too_small_is_seen_before_the_download(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "NEEDED_BYTES", 15_000_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(2, 1, 1))  # type: ignore[attr-defined]
    assert "needs 15 GB; free space, or set BURNQED_CACHE" in refused(outside)
    assert outside.calls() == []


@pytest.mark.parametrize(
    ("owner", "name", "value", "word"),
    [
        (Repl, "greeting", "hello", "greets with 'ready.'"),
        (selftest, "PROOF", "sorry", "refuses `sorry`"),
        (selftest, "CHEATS", (("rfl", "1 = 1"),), "accepts `rfl`"),
        (CheckerProcess, "greeting", "hello", "greets with '{\"ready\":true}'"),
    ],
)
def test_what_fails_its_test_is_not_put_in_place(
    owner: object, name: str, value: object, word: str, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, value)
    assert word in refused(outside)
    with pytest.raises(BadInput, match="is not installed"):
        project.opened(None)


# ---- interruptions


def start(outside: Outside, hangs: str) -> subprocess.Popen[bytes]:
    """An installation in a process of its own, once it has come to a call that never ends."""
    child = subprocess.Popen(
        [sys.executable, "-c", INSTALL, outside.address, outside.sha],
        env={**os.environ, "TOOLS_HANG": hangs},
        start_new_session=True,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while hangs not in outside._log.read_text():
        assert time.monotonic() < deadline
        assert child.poll() is None
        time.sleep(0.05)
    return child


@pytest.mark.parametrize(
    "stage", [0, *(pytest.param(stage, marks=pytest.mark.long) for stage in range(1, len(STAGES) - 1)), len(STAGES) - 1]
)
def test_an_interrupted_installation_goes_on_where_it_was(stage: int, outside: Outside) -> None:
    child = start(outside, STAGES[stage][-1])
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    assert not installing.is_installed()
    outside.calls()
    outside.install()
    assert outside.calls() == [call for left in STAGES[stage:] for call in left]


def test_what_a_killed_installation_left_running_is_waited_for(outside: Outside) -> None:
    child = start(outside, "lake exe cache get")
    child.kill()
    child.wait()
    waiting = threading.Thread(target=outside.install)
    waiting.start()
    deadline = time.monotonic() + 60
    while not any("Waiting for another installation" in line for line in outside.said):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert outside.said[-1].startswith("Waiting")
    os.killpg(child.pid, signal.SIGKILL)
    waiting.join(60)
    assert installing.is_installed()


# ---- what doctor says


def test_findings_say_what_is_there_and_what_to_do(outside: Outside) -> None:
    (absent,) = installing.findings(None)
    assert "run `burnqed lean install --backend pantograph`" in absent.advice
    outside.install()
    found = installing.findings(None)
    assert [finding.what for finding in found] == ["Mathlib's Lean", "Mathlib", "Pantograph", "checker"]
    assert not [finding.advice for finding in found if finding.advice]
    lean = open_lean(LeanConfig(backend="pantograph"))
    assert lean.findings() == found
    assert versions().lean.toolchain in lean.install()
    (library.library_folder() / library.PACKAGES / "mathlib/.lake/build/lib/lean/Mathlib.olean").unlink()
    assert [finding.what for finding in installing.findings(project.folder()) if finding.advice] == ["Mathlib"]
