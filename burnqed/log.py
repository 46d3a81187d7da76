"""The log of a command: readable lines on standard error, unbuffered."""

from __future__ import annotations

import logging
import sys

log = logging.getLogger("burnqed")


def set_up(level: int = logging.INFO) -> None:
    """Sends the package's log to standard error; called once by the command line."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname).1s %(message)s", "%H:%M:%S"))
    log.handlers[:] = [handler]
    log.setLevel(level)
    log.propagate = False
