"""One at a time works on a run: a lease in the run's own store, `RUN/_LEASE`, which its holder renews.

    with lease.held(store, "main", "burnqed run"):
        ...

It is written only if nobody has written it since it was read, so that of two who take it one is refused, whatever their machines. Who falls
silent loses it after 15 minutes; a process of this machine that is gone, at once. What belongs to one workflow has one token: its plan takes
the lease, its steps renew it, its exit handler gives it back.
"""

from __future__ import annotations

import os
import platform
import signal
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import psutil
from pydantic import BaseModel, ValidationError

from burnqed.errors import BadInput, TryAgain
from burnqed.layout import Layout
from burnqed.log import log
from burnqed.store import Store

SILENCE_S = 900.0
"""After which a holder counts as gone: longer than most pods wait for a node."""
RENEWED_S = 60.0
VARIABLE = "BURNQED_LEASE"
"""In the environment of what works for a holder on the same machine: its token."""
ATTEMPTS = 5


class Lease(BaseModel):
    token: str
    who: str
    since: str
    renewed: str
    machine: str = ""
    """Where the holder's process can be looked for; empty where it cannot."""
    process: int = 0
    born: float = 0.0
    """When that process was created, since numbers are used again."""

    @staticmethod
    def new(token: str, who: str, *, is_process: bool) -> Lease:
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        place = {"machine": this_machine(), "process": os.getpid(), "born": psutil.Process().create_time()}
        return Lease(token=token, who=who, since=now, renewed=now, **(place if is_process else {}))

    def is_gone(self) -> bool:
        """Whether the holder's process was one of this machine and is no more."""
        if self.machine != this_machine():
            return False
        try:
            return abs(psutil.Process(self.process).create_time() - self.born) > 1
        except psutil.NoSuchProcess:
            return True


def this_machine() -> str:
    """Tells machines, their starts, and containers apart."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    return f"{platform.node()} {boot.read_text().strip() if boot.is_file() else f'{psutil.boot_time():.0f}'}"


@contextmanager
def held(store: Store, run: str, who: str, *, token: str | None = None) -> Iterator[str]:
    """Holds the run while the block runs; gives the token. With a token of a workflow's it is not given back at the end.

    Raises BadInput when somebody else holds it.
    """
    mine = Lease.new(token or uuid.uuid4().hex, who, is_process=token is None)
    take(store, run, mine)
    ended = threading.Event()
    renewing = threading.Thread(target=_renew, args=(store, run, mine, ended), daemon=True, name="lease")
    renewing.start()
    try:
        yield mine.token
    finally:
        ended.set()
        renewing.join()
        if token is None:
            release(store, run, mine.token)


def take(store: Store, run: str, mine: Lease) -> None:
    """Takes the lease, or renews it when it has the token already. Raises BadInput when somebody else holds it."""
    path = Layout(run).lease
    for _ in range(ATTEMPTS):
        stamp, found = _read(store, path)
        if stamp and found and found.token != mine.token and stamp[1] < SILENCE_S and not found.is_gone():
            minutes = (SILENCE_S - stamp[1]) / 60
            raise BadInput(
                f"{found.who} has been working on the run {run!r} in {store.uri} since {found.since[:16].replace('T', ' ')} UTC; wait for "
                f"it, stop it, or choose another --run. (If it is gone without a word, the run is free in {minutes:.0f} minutes.)"
            )
        if store.write_if(path, mine.model_dump_json(indent=1).encode(), stamp and stamp[0]):
            if stamp is None and store.write_if(path, mine.model_dump_json(indent=1).encode(), None):
                log.warning(
                    "%s has no conditional writes: it cannot be seen whether two work on the run %s at once",
                    store.uri,
                    run,
                )
            return
    raise TryAgain(f"Several processes want the run {run!r} in {store.uri} at once; run the same command again.")


def release(store: Store, run: str, token: str) -> None:
    """Gives the lease back, if it is the token's."""
    path = Layout(run).lease
    _, found = _read(store, path)
    if found and found.token == token:
        store.delete(path)


def _read(store: Store, path: str) -> tuple[tuple[str, float] | None, Lease | None]:
    stamp = store.stamp(path)
    if stamp is None:
        return None, None
    try:
        return stamp, Lease.model_validate_json(store.read_bytes(path))
    except BadInput:
        if store.stamp(path) is None:  # it was given back just now
            return None, None
        raise
    except ValidationError:
        raise BadInput(f"{store.locate(path)} does not tell who works on the run; if nobody does, remove it.") from None


def _renew(store: Store, run: str, mine: Lease, ended: threading.Event) -> None:
    """Until the block ends, or the lease is somebody else's or gone (`clean` deletes it with the run)."""
    path = Layout(run).lease
    while not ended.wait(RENEWED_S):
        try:
            stamp, found = _read(store, path)
            if stamp is None or found is None:
                return
            if found.token != mine.token:
                log.error("%s has taken the run %s from us, because we were silent for too long", found.who, run)
                os.kill(os.getpid(), signal.SIGTERM)  # what is at hand is kept, and nothing more is begun
                return
            renewed = found.model_copy(update={"renewed": datetime.now(UTC).isoformat(timespec="microseconds")})
            store.write_if(path, renewed.model_dump_json(indent=1).encode(), stamp[0])
        except (BadInput, TryAgain) as error:
            log.warning("the lease of the run %s could not be renewed: %s", run, error)
