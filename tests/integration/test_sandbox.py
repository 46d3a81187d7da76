"""A confined program is what it was started for, and nothing else: a hostile one tries every way out, on this machine's kernel."""

from __future__ import annotations

import json
import os
import platform
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from burnqed import sandbox
from burnqed.errors import BadInput
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.sandbox import launch
from tests.fixtures import hostile

PROGRAM = Path(hostile.__file__)
PYTHON = Path(sys.executable).resolve()
OFFER = sandbox.offer()
BY_LANDLOCK = {
    *(name for name in hostile.ATTEMPTS if name.startswith(("read_", "list_"))),
    "look_up_a_name",  # in /etc/hosts
}
"""What only Landlock refuses: without it a program reads whatever its user can read."""
ORDINARY = [
    "read_passwords", "read_a_secret", "read_through_a_link_in_what_is_readable", "read_the_parents_environment", "list_the_root",
    "list_processes", "write_a_file", "append_to_a_file", "make_a_folder", "make_a_link", "make_a_hard_link", "remove_a_file",
    "rename_a_file", "truncate_a_file", "change_a_mode", "change_a_time", "change_the_folder", "lock_a_file", "start_a_program",
    "start_a_shell", "spawn", "fork", "fork_without_memory", "become_a_program", "become_itself_again", "become_a_program_from_memory",
    "become_a_program_by_the_number_it_was_started_by", "open_1024_files", "signal_the_victim", "is_the_victim_there",
    "signal_a_thread_of_the_victim", "signal_any_thread", "signal_by_a_files_owner", "limit_the_victim", "a_tcp_socket", "a_udp_socket",
    "a_unix_socket", "a_pair_of_sockets", "connect", "listen", "look_up_a_name", "memory_that_is_a_file", "watch_a_folder",
]  # fmt: skip
"""What any program of any user may do, so that an attempt which is no attempt is noticed."""

pytestmark = pytest.mark.skipif(not OFFER.seccomp, reason="this kernel has no seccomp filters")


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What the attempts are about: a secret, a folder to read, one to write, a victim, a port that listens."""
    root = tmp_path_factory.mktemp("home")
    for name in ("readable", "folder", "scratch"):
        (root / name).mkdir()
    for name in ("removable", "movable", "short"):
        (root / "folder" / name).write_text("content")
    (root / "secret").write_text("key")
    (root / "readable" / "library").write_text("library")
    (root / "readable" / "link").symlink_to(root / "secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        victim = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], env={"KEY": "of the store"})
        yield {
            "secret": str(root / "secret"),
            "readable": str(root / "readable"),
            "folder": str(root / "folder"),
            "scratch": None,
            "victim": victim.pid,
            "parent": os.getpid(),
            "address": 0x400000,
            "port": server.getsockname()[1],
            "only": None,
        }
        assert victim.poll() is None, "the victim was ended"
        victim.kill()
        victim.wait()


def run(given: dict[str, Any], *, is_confined: bool = True) -> Any:
    """What the program says; with a scratch folder where `given` has one."""
    command = [str(PYTHON), "-S", str(PROGRAM), json.dumps(given)]
    if is_confined:
        readable = [Path(given["readable"]), PROGRAM, Path(sys.base_prefix)]
        scratch = Path(given["scratch"]) if given["scratch"] else None
        command = sandbox.confined(command, readable=readable, scratch=scratch, environment={"SAID": "this"})
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, start_new_session=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def answers(given: dict[str, Any]) -> dict[str, dict[str, str]]:
    answers: dict[str, dict[str, str]] = run(given)
    return answers


@pytest.mark.parametrize("name", hostile.ATTEMPTS)
def test_every_attempt_is_refused(name: str, answers: dict[str, dict[str, str]]) -> None:
    if name in BY_LANDLOCK and not OFFER.landlock:
        pytest.skip("this kernel has no Landlock, without which files that the user can read are read")
    assert "refused" in answers[name], answers[name]


def test_the_same_attempts_succeed_where_nothing_confines_them(given: dict[str, Any]) -> None:
    free = run({**given, "only": ORDINARY}, is_confined=False)
    assert sorted(free) == sorted(ORDINARY)
    assert [name for name in free if "got" not in free[name]] == []


def test_with_a_folder_to_write_in_the_attempts_on_all_others_are_refused(given: dict[str, Any]) -> None:
    if not OFFER.landlock:
        pytest.skip("this kernel has no Landlock, without which nothing is written anywhere")
    answers = run(given | {"scratch": given["folder"] + "/../scratch"})
    assert [name for name in answers if "refused" not in answers[name]] == []


def test_what_a_program_needs_it_has(given: dict[str, Any]) -> None:
    expected = ["thread", "code", "pipe", "signal", "library", "SAID=this"]
    assert run({**given, "only": "honest"}) == expected
    if OFFER.landlock:
        assert run({**given, "only": "honest", "scratch": given["folder"] + "/../scratch"}) == [*expected, "scratch"]


def test_every_system_call_that_is_not_listed_is_refused(given: dict[str, Any]) -> None:
    """Also those that nobody thought of, newer ones, and on this processor those of its other interfaces."""
    column = list(launch.AUDIT).index(platform.machine())
    groups = json.loads(Path(launch.SYSCALLS).read_text())
    listed = {numbers[column] for name in groups if name != "writing" for numbers in groups[name].values()}
    uprobes = {335, 336}  # which the kernel answers before any filter, by ending who is not in a probe
    others = [number for number in range(600) if number not in listed | uprobes]
    if platform.machine() == "x86_64":
        others += [launch.X32 | number for number in range(600)]
    answers = run({**given, "numbers": others})
    assert len(answers) == len(others)
    assert {os.strerror(error) for error in answers.values()} == {"Operation not permitted", "Function not implemented"}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="this processor has one interface")
def test_calls_by_the_interface_of_32_bits_end_the_program() -> None:
    code = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"  # mov eax, 20 (getpid); int 0x80; ret
    text = (
        "import ctypes, mmap\n"
        "page = mmap.mmap(-1, 4096, prot=7)\n"
        f"page.write({code!r})\n"
        "ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()\n"
    )
    command = [str(PYTHON), "-S", "-c", text]
    free = subprocess.run(command, capture_output=True)
    confined = sandbox.confined(command, readable=[Path(sys.base_prefix)], scratch=None, environment={})
    ended = subprocess.run(confined, capture_output=True)
    assert -ended.returncode == signal.SIGSYS
    assert -free.returncode in (0, signal.SIGSEGV)  # a kernel may come without this interface


@pytest.mark.skipif(os.getuid() != 0, reason="only root has rights to give up")
def test_root_is_nobody() -> None:
    shown = "import json; print(json.dumps(dict(line.split(':\\t') for line in open('/proc/self/status').read().splitlines())))"
    command = [str(PYTHON), "-S", "-c", shown]
    readable = [Path(sys.base_prefix), Path("/proc")]
    command = sandbox.confined(command, readable=readable, scratch=None, environment={})
    status = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert {status[name] for name in ("CapPrm", "CapEff", "CapInh", "CapAmb")} == {"0" * 16}
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")


def test_descriptors_that_are_inherited_are_closed(given: dict[str, Any]) -> None:
    with open(given["secret"]) as secret:
        os.set_inheritable(secret.fileno(), True)
        text = f"import os; print(os.read({secret.fileno()}, 9))"
        command = sandbox.confined(
            [str(PYTHON), "-S", "-c", text], readable=[Path(sys.base_prefix)], scratch=None, environment={}
        )
        done = subprocess.run(command, capture_output=True, text=True, close_fds=False)
    assert "Bad file descriptor" in done.stderr


def test_a_script_or_nothing_is_not_started(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    with pytest.raises(BadInput, match="is a script"):
        sandbox.confined([str(script)], readable=[], scratch=None, environment={})
    with pytest.raises(BadInput, match="was not found"):
        sandbox.confined([str(tmp_path / "none")], readable=[], scratch=None, environment={})


def test_a_folder_for_writing_that_is_not_there_is_told_and_nothing_runs(tmp_path: Path) -> None:
    if not OFFER.landlock:
        pytest.skip("this kernel has no Landlock, without which the folder does not count")
    command = sandbox.confined([str(PYTHON), "-c", "print(1)"], readable=[], scratch=tmp_path / "none", environment={})
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (launch.CANNOT_START, "")
    assert str(tmp_path / "none") in done.stderr


@pytest.mark.parametrize("name", ["seccomp", "landlock"])
def test_a_kernel_that_lacks_one_is_told_once_and_in_doctor(
    name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    poor = sandbox.Offer(seccomp=name != "seccomp", landlock=0 if name == "landlock" else 7)
    monkeypatch.setattr(sandbox, "offer", lambda: poor)
    sandbox.warn.cache_clear()
    for _ in range(2):
        sandbox.confined([str(PYTHON)], readable=[], scratch=None, environment={})
    (record,) = caplog.records
    (finding,) = sandbox.findings()
    for text in (record.getMessage().lower(), finding.advice.lower()):
        assert name in text
    assert not finding.needed
    sandbox.warn.cache_clear()


def test_without_landlock_nothing_is_written_because_no_folder_can_be_told_from_another(
    given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "offer", lambda: sandbox.Offer(seccomp=True, landlock=0))
    answers = run(given | {"scratch": given["folder"] + "/../scratch"})
    assert {name for name in answers if "refused" not in answers[name]} <= BY_LANDLOCK
    sandbox.warn.cache_clear()


@pytest.mark.parametrize("column", [0, 1])
def test_the_numbers_of_system_calls_are_the_kernels(column: int) -> None:
    header = ["/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm-generic/unistd.h"][column]
    if not Path(header).exists():
        pytest.skip(f"{header} is not there")
    import re

    found = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", Path(header).read_text()))
    found.setdefault("newfstatat", found.get("fstatat"))
    for calls in json.loads(Path(launch.SYSCALLS).read_text()).values():
        for name, numbers in calls.items():
            assert numbers[column] is None or numbers[column] == int(found[name]), name


@pytest.mark.asyncio(loop_scope="session")
async def test_the_embedded_lean_has_none_of_our_environment_and_is_confined(lean: EmbeddedLean) -> None:
    assert os.environ
    assert psutil.Process(lean.pid).environ() == {}
    status = Path(f"/proc/{lean.pid}/status").read_text()
    assert "NoNewPrivs:\t1\n" in status
    assert "Seccomp:\t2\n" in status
