"""Progress of long work: one line with count, rate and estimate, on a terminal or in a log.

    with Progress(len(theorems), "search", "theorems") as progress:
        for theorem in theorems:
            ...
            progress.advance(proved=found)

On a terminal rich draws it in place, with a bar; elsewhere a new line is printed, in a pod logged, at most every 10 seconds. When
ARGO_PROGRESS_FILE is set (Argo sets it in every pod), `N/M` is written there, which Argo shows beside the pod.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar

from burnqed.log import in_pod, log

LIVE_SECONDS = 0.2
LOG_SECONDS = 10.0
FILE_SECONDS = 1.0


class Progress:
    """Counts `unit`s of work out of `total`. `done` of them were finished before this process began, and do not count for the rate."""

    def __init__(self, total: int, label: str, unit: str = "", *, done: int = 0, out: TextIO | None = None) -> None:
        self.total, self.label, self.unit, self.done = total, label, unit, done
        self.facts: dict[str, object] = {}
        self._out = out or sys.stderr
        console = Console(file=self._out)
        self._live = self._out.isatty() and not console.is_dumb_terminal
        columns = TextColumn("{task.description}", markup=False), BarColumn()
        self._bar = Bar(*columns, console=console, auto_refresh=False)
        self._task = self._bar.add_task(label, total=total)
        self._logged = out is None and in_pod()
        self._file = os.environ.get("ARGO_PROGRESS_FILE")
        self._before = done
        self._start = self._shown = time.monotonic()
        self._written = float("-inf")
        self._write_file(self._start)

    def advance(self, n: int = 1, **facts: object) -> None:
        """Counts `n` more; `facts` replace the earlier ones of the same name and are shown at the end of the line."""
        self.done += n
        self.facts |= facts
        now = time.monotonic()
        if now - self._shown >= (LIVE_SECONDS if self._live else LOG_SECONDS):
            self._shown = now
            self._show()
        if now - self._written >= FILE_SECONDS:
            self._write_file(now)

    def close(self) -> None:
        """Shows the last line, with the total time."""
        self._write_file(time.monotonic())
        self._show(last=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def line(self, last: bool = False) -> str:
        """`search 12/300 theorems · 3.1/s · 1 min 33 s left · proved 5`"""
        seconds = time.monotonic() - self._start
        fresh = self.done - self._before
        parts = [f"{self.label} {self.done:,}/{self.total:,} {self.unit}".rstrip()]
        if fresh and seconds > 0:
            per_second = fresh / seconds
            rate, per = (per_second, "s") if per_second >= 1 else (60 * per_second, "min")
            parts.append(f"{rate:,.0f}/{per}" if rate >= 100 else f"{rate:.3g}/{per}")
            if not last:
                parts.append(f"{duration(max(0, self.total - self.done) / per_second)} left")
        if last:
            parts.append(f"took {duration(seconds)}")
        return " · ".join(parts + [f"{name.replace('_', ' ')} {_text(value)}" for name, value in self.facts.items()])

    def _show(self, last: bool = False) -> None:
        line = self.line(last)
        if self._logged:
            log.info("%s", line)
        elif self._live:
            self._bar.update(self._task, completed=self.done, description=line)
            self._bar.start()
            self._bar.stop() if last else self._bar.refresh()
        else:
            print(line, file=self._out, flush=True)

    def _write_file(self, now: float) -> None:
        self._written = now
        if self._file and self.total > 0:
            with suppress(OSError):  # a display is never a reason to lose work
                Path(self._file).write_text(f"{min(self.done, self.total)}/{self.total}\n")


def duration(seconds: float) -> str:
    """Seconds for people: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 05 min`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes == 0:
        return f"{rest} s"
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def _text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
