"""The log of a command on standard error, unbuffered: lines for people, or, in a pod, one JSON object a line.

In a pod, each object has the fields given to `bind`: run, iteration, workflow, task, attempt.
"""

from __future__ import annotations

import logging
import os
import sys
from datetime import UTC, datetime

from burnqed.display import as_json, shown_lines

log = logging.getLogger("burnqed")

_identity: dict[str, str | int] = {}


def in_pod() -> bool:
    """Whether Argo runs this process."""
    return "ARGO_CONTAINER_NAME" in os.environ


def bind(**identity: str | int) -> None:
    """Adds fields to every JSON line from now on."""
    _identity.update(identity)


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": time, "level": record.levelname.lower(), **_identity, "message": record.getMessage()}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return as_json(line)


class LineFormatter(logging.Formatter):
    """Lines for people. A message may quote anybody's text: its lines after the first are indented."""

    def format(self, record: logging.LogRecord) -> str:
        return shown_lines(super().format(record))


def formatter() -> logging.Formatter:
    return JsonFormatter() if in_pod() else LineFormatter("%(asctime)s %(levelname).1s %(message)s", "%H:%M:%S")


def set_up() -> None:
    """Sends the package's log, and Python's warnings, to standard error; called once by the command line."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter())
    log.handlers[:] = [handler]
    log.setLevel(logging.INFO)
    log.propagate = False
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)  # recommends other packages whenever it is imported
    if in_pod():
        logging.captureWarnings(True)
        logging.getLogger("py.warnings").handlers[:] = [handler]


def close() -> None:
    """Closes every handler, which writes what it still holds; the last thing a command does."""
    for handler in log.handlers[:]:
        handler.close()
        log.removeHandler(handler)
