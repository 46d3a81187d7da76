"""Programs that are spoken to in lines: what they answer, how they end, and that nothing of them is left."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from burnqed.errors import BadInput
from burnqed.lean.pantograph import process as module
from burnqed.lean.pantograph.process import Process
from burnqed.lean.worker import Crashed, Vanished

ECHO = """
import json, os, subprocess, sys, time
print("ready.", flush=True)
for line in sys.stdin:
    request = json.loads(line)
    exec(request["do"])
"""
"""Executes what it is asked."""
ANSWER = 'print(json.dumps({"pid": os.getpid()}), flush=True)'


@asynccontextmanager
async def opened(memory_mb: float = 500) -> AsyncIterator[Process]:
    process = await Process.open([sys.executable, "-I", "-c", ECHO], memory_mb=memory_mb, environment={"A": "1"})
    try:
        assert await process.line() == "ready."
        yield process
    finally:
        await process.end()


def asked(code: str) -> str:
    return json.dumps({"do": code})


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


async def test_requests_are_answered_in_their_order_with_lines_of_any_length() -> None:
    async with opened() as process:
        for size in (1, 70_000, 20_000_000):
            answer = await process.ask(
                asked(f'print(json.dumps({{"text": "é" * {size}}}, ensure_ascii=False), flush=True)')
            )
            assert answer == {"text": "é" * size}
        text = "∀ x" * 5_000_000
        told = 'print(json.dumps({"length": len(request["text"])}), flush=True)'
        assert await process.ask(json.dumps({"do": told, "text": text})) == {"length": len(text)}


async def test_the_environment_is_the_one_that_is_given() -> None:
    os.environ["BURNQED_SECRET"] = "key"
    try:
        async with opened() as process:
            answer = await process.ask(asked("print(json.dumps(dict(os.environ)), flush=True)"))
    finally:
        del os.environ["BURNQED_SECRET"]
    assert answer.pop("LC_CTYPE", "C.UTF-8") == "C.UTF-8"  # Python sets it itself
    assert answer == {"A": "1"}


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("sys.exit(3)", "exit status 3"),
        ('sys.exit("no memory for that")', "no memory for that"),
        ('print("garbage", flush=True)', "garbage"),
        ("print([1], flush=True)", "not a JSON object"),
        ('print("[" * 100_000, flush=True)', "not a JSON object"),
        ("sys.stdout.buffer.write(bytes([255, 10])); sys.stdout.flush()", "not a JSON object"),
        ('sys.stdout.write("{"); sys.stdout.flush(); sys.exit(1)', "exit status 1"),
        (f"{ANSWER}; {ANSWER}".replace("flush=True", "", 1), "without being asked"),
    ],
)
async def test_what_is_no_answer_is_a_crash_that_says_why(code: str, why: str) -> None:
    async with opened() as process:
        with pytest.raises(Crashed, match=why) as raised:
            await process.ask(asked(code))
        assert not isinstance(raised.value, Vanished)
        assert process.death
        with pytest.raises(Vanished):
            await process.ask(asked(ANSWER))


async def test_a_line_that_comes_unasked_ends_the_program() -> None:
    async with opened() as process:
        await process.ask(asked(f"{ANSWER}; time.sleep(0.05); print(1, flush=True)"))
        await until(lambda: bool(process.death))
        assert "without being asked" in process.death


async def test_a_line_that_is_too_long_ends_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LINE_BYTES", 1 << 20)
    async with opened() as process:
        with pytest.raises(Crashed, match="too long"):
            await process.ask(asked('print("x" * 3_000_000, flush=True)'))


async def test_what_somebody_else_kills_has_vanished() -> None:
    async with opened() as process:
        pid = (await process.ask(asked(ANSWER)))["pid"]
        waiting = asyncio.create_task(process.ask(asked("time.sleep(100)")))
        await asyncio.sleep(0.05)
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(Vanished, match="signal 9"):
            await waiting
    async with opened() as process:  # the guard
        pid = (await process.ask(asked(ANSWER)))["pid"]
        waiting = asyncio.create_task(process.ask(asked("time.sleep(100)")))
        await asyncio.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        with pytest.raises(Vanished):
            await waiting
        await until(lambda: not psutil.pid_exists(pid))


async def test_memory_is_watched_also_that_of_children() -> None:
    async with opened(memory_mb=120) as process:
        grow = "x = bytearray(os.urandom(1)) * (200 << 20)"
        child = f"import os, time; {grow}; time.sleep(100)"
        await process.ask(asked(f'subprocess.Popen([sys.executable, "-c", {child!r}]); {ANSWER}'))
        with pytest.raises(Crashed, match="more than its 120 MB"):
            await process.ask(asked("time.sleep(100)"))


async def test_memory_of_files_that_are_mapped_does_not_count(tmp_path: Path) -> None:
    file = tmp_path / "library"
    file.write_bytes(b"x" * (200 << 20))
    async with opened(memory_mb=120) as process:
        read = f"import mmap; m = mmap.mmap(os.open({str(file)!r}, os.O_RDONLY), 0, access=mmap.ACCESS_READ); [m[i] for i in range(0, len(m), 4096)]"
        await process.ask(asked(f"{read}; time.sleep(1.2); {ANSWER}"))
        assert 0 < process.memory_mb < 120


async def test_a_request_that_nobody_waits_for_ends_the_program_even_when_it_reads_nothing() -> None:
    async with opened() as process:
        pid = (await process.ask(asked(ANSWER)))["pid"]
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(process.ask("x" * 10_000_000), 0.2)
        await until(lambda: not psutil.pid_exists(pid))
        with pytest.raises(Vanished):
            await process.ask(asked(ANSWER))


async def test_a_command_that_cannot_be_run_is_named(tmp_path: Path) -> None:
    process = await Process.open([str(tmp_path / "repl")], memory_mb=100)
    with pytest.raises(Crashed, match="repl cannot be run: No such file"):
        await process.line()
    await process.end()


ESCAPES = 'subprocess.Popen([sys.executable, "-c", "import os, time; os.setsid(); os.fork() and os._exit(0); os.fork(); time.sleep(100)"])'
"""Leaves its group, its session and its parent."""


async def test_nothing_is_left_when_it_is_ended() -> None:
    async with opened() as process:
        await process.ask(asked(f"{ESCAPES}; time.sleep(0.5); {ANSWER}"))
        started = psutil.Process(process.pid).children(recursive=True)
        assert len(started) >= 3
    await until(lambda: not any(each.is_running() for each in started))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere what escapes is not followed")
def test_nothing_is_left_when_the_parent_is_killed(tmp_path: Path) -> None:
    parent = tmp_path / "parent.py"
    request = asked(f"{ESCAPES}; time.sleep(0.5); {ANSWER}")
    parent.write_text(
        textwrap.dedent(f"""
        import asyncio, sys
        from burnqed.lean.pantograph.process import Process
        async def main():
            process = await Process.open([sys.executable, "-I", "-c", {ECHO!r}], memory_mb=500)
            await process.line()
            await process.ask({request!r})
            print(process.pid, flush=True)
            await process.ask('{{"do": "time.sleep(100)"}}')
        asyncio.run(main())
        """)
    )
    with subprocess.Popen([sys.executable, str(parent)], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        guard = psutil.Process(int(running.stdout.readline()))
        started = [guard, *guard.children(recursive=True)]
        assert len(started) >= 4
        running.kill()
    _, left = psutil.wait_procs(started, timeout=20)
    assert not left


async def test_a_program_that_has_no_memory_left_to_work_with_is_bad_input() -> None:
    large = "x = bytearray(150_000_000)\nfor i in range(0, len(x), 4096): x[i] = 1\n" + ECHO
    process = await Process.open([sys.executable, "-I", "-c", large], memory_mb=180)
    try:
        with pytest.raises(
            BadInput, match=r"has 1\d\d MB before it is asked anything.* set lean.memory_mb to [23]00 or more"
        ):
            await process.greet("ready.", 30)
    finally:
        await process.end()


async def test_a_greeting_that_comes_before_anybody_asks_for_it_is_kept() -> None:
    process = await Process.open([sys.executable, "-I", "-c", ECHO], memory_mb=500)
    try:
        await asyncio.sleep(1)
        await process.greet("ready.", 10)
        assert (await process.ask(json.dumps({"do": ANSWER})))["pid"]
    finally:
        await process.end()
