"""The reason why a pod's policy server will never serve, in a file that its containers share ($BURNQED_REFUSAL).

A container cannot see how another one ended: without the file, the search would wait for its server until it gives up, and would be
retried.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from burnqed.errors import BadInput

VARIABLE = "BURNQED_REFUSAL"


@contextmanager
def noted() -> Iterator[None]:
    """Writes down the BadInput that the block raises."""
    try:
        yield
    except BadInput as error:
        if place := os.environ.get(VARIABLE):
            note = Path(place)
            note.parent.mkdir(parents=True, exist_ok=True)
            note.with_suffix(".new").write_text(str(error), encoding="utf-8")
            note.with_suffix(".new").replace(note)
        raise


def not_refused() -> bool:
    """True; raises BadInput with the server's reason if it wrote one."""
    note = Path(os.environ.get(VARIABLE, os.devnull))
    if note.is_file():
        raise BadInput(f"The policy server ended: {note.read_text(encoding='utf-8')}")
    return True
