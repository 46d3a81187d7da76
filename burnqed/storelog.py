"""A pod's log in the store, where it outlives the pod."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress

from burnqed.errors import BadInput, TryAgain
from burnqed.log import formatter
from burnqed.store import Store

EVERY_S = 20.0
"""Seconds between copies. A killed container loses what it wrote after the last one."""


class StoreLog(logging.Handler):
    """Keeps all lines and writes them to one file of the store: every 20 s if there are new ones, and when it is closed.

    Appends to an existing file: Argo gives a lost pod's successor the same task and attempt, and so does a manual retry.
    """

    def __init__(self, store: Store, path: str) -> None:
        super().__init__()
        self.setFormatter(formatter())
        self._store, self._path = store, path
        self._lines: list[str] = []
        with suppress(BadInput, TryAgain):  # a log is never a reason to lose work
            self._lines += [store.read_text(path)] if store.exists(path) else []
        self._written = len(self._lines)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="log")
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(self.format(record) + "\n")

    def close(self) -> None:
        if not self._ended.is_set():
            self._ended.set()
            self._thread.join()
            self._write()
        super().close()

    def _run(self) -> None:
        while not self._ended.wait(EVERY_S):
            self._write()

    def _write(self) -> None:
        if (count := len(self._lines)) > self._written:
            with suppress(BadInput, TryAgain):
                self._store.write_text(self._path, "".join(self._lines[:count]))
                self._written = count
