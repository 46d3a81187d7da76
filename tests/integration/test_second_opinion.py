"""`burnqed lean check --export` and `--second-kernel`, as users call them, with commands that behave and that do not."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner

from burnqed.cli.main import app
from burnqed.errors import BadInput
from burnqed.lean.second_kernel import SecondKernel

PYTHON = shlex.quote(sys.executable)
ROOT = Path(__file__).parents[2]


def python(code: str) -> str:
    return f"{PYTHON} -c {shlex.quote(code)}"


def test_each_accepted_theorem_is_exported_and_judged_by_another_kernel(tmp_path: Path) -> None:
    proofs = [
        {"name": "two/../../etc", "statement": "1 + 1 = 2", "proof": "rfl"},
        {"name": "wrong", "statement": "1 + 1 = 3", "proof": "rfl"},
        {"name": "and", "statement": "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p", "proof": "⟨h.2, h.1⟩"},
    ]
    file, folder = tmp_path / "proofs.json", tmp_path / "exports"
    file.write_text(json.dumps(proofs), encoding="utf-8")
    kernel = f"{PYTHON} -m tests.second_kernel --permitted {{axioms}} {{file}}"
    arguments = ["lean", "check", str(file), "--json", "--export", str(folder), "--second-kernel", kernel]
    done = CliRunner(env={"PYTHONPATH": str(ROOT)}).invoke(app, arguments)
    assert [(v["accepted"], v["reason"].partition(":")[0]) for v in json.loads(done.stdout)] == [
        (True, ""),
        (False, "Lean reports an error in line 1 of the proof"),
        (True, ""),
    ]
    assert sorted(path.name for path in folder.iterdir()) == ["0001-two-..-..-etc.ndjson", "0003-and.ndjson", "axioms.txt"]  # fmt: skip
    again = CliRunner().invoke(app, ["lean", "check", str(file), "--export", str(folder)])
    assert isinstance(again.exception, BadInput)
    assert "is not empty" in str(again.exception)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("print('fine')", ""),
        ("print('no:'); print('too deep'); raise SystemExit(3)", "The second kernel does not accept it (exit status 3): too deep"),
        ("raise SystemExit(1)", "The second kernel does not accept it (exit status 1): it says nothing"),
        ("import sys; sys.stdout.write('x' * 10**7 + '\\n' + 'bad'); sys.exit(1)", "The second kernel does not accept it (exit status 1): bad"),
        ("import os; os.abort()", "The second kernel does not accept it (exit status -6): it says nothing"),
    ],
)  # fmt: skip
async def test_the_exit_status_decides_and_the_last_line_is_the_reason(tmp_path: Path, code: str, reason: str) -> None:
    assert await SecondKernel(python(code)).objection(tmp_path / "a", tmp_path / "b") == (reason, False)


async def test_a_kernel_that_never_answers_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = f"import subprocess, os, time; c = subprocess.Popen(['sleep', '600']); open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{c.pid}}'); time.sleep(600)"
    found = await SecondKernel(python(code), seconds=2).objection(tmp_path / "a", tmp_path / "b")
    assert found == ("The second kernel gave no answer within 2 s", True)
    started = [int(pid) for pid in pids.read_text().split()]
    end = time.monotonic() + 10
    while any(is_alive(pid) for pid in started) and time.monotonic() < end:
        time.sleep(0.05)
    assert not [pid for pid in started if is_alive(pid)]


def is_alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


@pytest.mark.parametrize("command", ["no-such-program-anywhere {file}", "'unclosed", ""])
def test_a_command_that_cannot_be_run_is_one_sentence(command: str) -> None:
    with pytest.raises(BadInput, match="--second-kernel"):
        SecondKernel(command)


@pytest.mark.parametrize("content", ["\x7fELF of another machine", "#!/no/such/interpreter\n", "#!/etc/passwd\n", ""])
async def test_a_program_that_the_system_does_not_start_is_bad_input(tmp_path: Path, content: str) -> None:
    kernel = tmp_path / "kernel"
    kernel.write_text(content)
    kernel.chmod(0o755)
    with pytest.raises(BadInput, match=r"The program `.*/kernel` of --second-kernel cannot be run \(.+\); .+\.$"):
        await SecondKernel(str(kernel)).objection(tmp_path / "a", tmp_path / "b")


def test_the_command_says_so_in_one_sentence(tmp_path: Path) -> None:
    file, kernel = tmp_path / "proofs.json", tmp_path / "kernel"
    file.write_text(json.dumps([{"name": n, "statement": "1 = 1", "proof": "rfl"} for n in "ab"]), encoding="utf-8")
    kernel.write_text("#!/no/such/interpreter\n")
    kernel.chmod(0o755)
    command = [sys.executable, "-m", "burnqed.cli.main", "lean", "check", str(file), "--second-kernel", str(kernel)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stdout) == (2, "")
    assert re.fullmatch(r"burnqed: The program `.*/kernel` of --second-kernel cannot be run \(.+\); .+\.\n", run.stderr)
