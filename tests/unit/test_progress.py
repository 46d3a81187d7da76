"""Progress lines: what people see on a terminal, in a log, and in Argo's interface."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from burnqed import progress
from burnqed.progress import Progress, duration


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress.time, "monotonic", clock.monotonic)
    return clock


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_log_gets_a_line_at_most_every_ten_seconds(clock: Clock) -> None:
    out = io.StringIO()
    with Progress(100, "search", "theorems", out=out) as bar:
        for _ in range(100):
            clock.now += 0.5
            bar.advance(proved=3, loss=0.123456)
    lines = out.getvalue().splitlines()
    assert len(lines) == 6  # at 10, 20, 30, 40, 50 seconds, and the last one
    assert lines[0] == "search 20/100 theorems · 2/s · 40 s left · proved 3 · loss 0.1235"
    assert lines[-1] == "search 100/100 theorems · 2/s · took 50 s · proved 3 · loss 0.1235"


def test_a_terminal_line_is_drawn_in_place_and_never_wider_than_the_terminal(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    out = Terminal()
    with Progress(2, "encode", "states", out=out) as progress:
        clock.now += 90
        progress.advance(note="[bold]" + "a long remark " * 9)
        clock.now += 90
        progress.advance(note="x")
    drawn = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line).strip() for line in re.split(r"[\r\n]", out.getvalue())]
    first, second, last = [line for line in dict.fromkeys(drawn) if line]
    assert first.startswith("encode 1/2 states · 0.667/min · 1 min 30 s left")
    assert second.startswith("encode 2/2 states · 0.667/min · 0.0 s left · note x")
    assert last.startswith("encode 2/2 states · 0.667/min · took 3 min 00 s")
    assert max(map(len, drawn)) <= 60
    assert out.getvalue().count("\n") <= 2, "in place"
    assert "\x1b[?25h" in out.getvalue(), "the cursor is back"


def test_a_terminal_that_cannot_go_back_gets_the_lines_of_a_log(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    out = Terminal()
    with Progress(1, "encode", out=out) as progress:
        clock.now += 90
        progress.advance()
    assert out.getvalue().splitlines() == [
        "encode 1/1 · 0.667/min · 0.0 s left",
        "encode 1/1 · 0.667/min · took 1 min 30 s",
    ]


def test_work_that_was_already_done_is_not_part_of_the_rate(clock: Clock) -> None:
    bar = Progress(100, "search", done=90, out=io.StringIO())
    clock.now += 10
    bar.advance(5)
    assert bar.line() == "search 95/100 · 30/min · 10 s left"


def test_argo_reads_the_count_from_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    file = tmp_path / "progress"
    monkeypatch.setenv("ARGO_PROGRESS_FILE", str(file))
    with Progress(300, "search", out=io.StringIO()) as bar:
        assert file.read_text() == "0/300\n"
        clock.now += 1
        bar.advance(12)
        assert file.read_text() == "12/300\n"
        bar.advance()
        assert file.read_text() == "12/300\n", "at most one write a second"
    assert file.read_text() == "13/300\n"


def test_a_progress_file_that_cannot_be_written_does_not_end_the_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ARGO_PROGRESS_FILE", str(tmp_path / "missing" / "progress"))
    with Progress(1, "search", out=io.StringIO()) as bar:
        bar.advance()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.44, "0.4 s"),
        (9.96, "10 s"),
        (59.7, "1 min 00 s"),
        (200, "3 min 20 s"),
        (7_500, "2 h 05 min"),
        (90_000, "25 h 00 min"),
    ],
)
def test_durations_read_well(seconds: float, text: str) -> None:
    assert duration(seconds) == text
