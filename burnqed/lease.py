"""Only one process or workflow works on a run at a time: its holder renews a lease in the store, `RUN/_LEASE`.

    with lease.held(store, "main", "burnqed run"):
        ...

It is written only if nobody has written it since it was read: when two take it, one is refused, whatever their machines. A silent holder
loses it after 15 minutes, and a process of this machine that is gone, at once. All parts of a workflow share a token: its plan takes the lease,
its steps renew it, its exit handler releases it.
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
"""A holder that is silent for longer counts as gone: more than most pods wait for a node."""
RENEWED_S = 60.0
VARIABLE = "BURNQED_LEASE"
"""The holder's token, in the environment of the processes that it starts on this machine."""
ATTEMPTS = 5


class Lease(BaseModel):
    token: str
    who: str
    since: str
    renewed: str
    machine: str = ""
    """The machine of the holder's process; empty for a workflow's lease."""
    process: int = 0
    born: float = 0.0
    """When that process was created, since process numbers are reused."""

    @staticmethod
    def new(token: str, who: str, *, is_process: bool) -> Lease:
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        place = {"machine": this_machine(), "process": os.getpid(), "born": psutil.Process().create_time()}
        return Lease(token=token, who=who, since=now, renewed=now, **(place if is_process else {}))

    def is_gone(self) -> bool:
        """Whether the holder was a process of this machine that has ended."""
        if self.machine != this_machine():
            return False
        try:
            return abs(psutil.Process(self.process).create_time() - self.born) > 1
        except psutil.NoSuchProcess:
            return True


def this_machine() -> str:
    """Identifies a machine or container since its last start."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    return f"{platform.node()} {boot.read_text().strip() if boot.is_file() else f'{psutil.boot_time():.0f}'}"


@contextmanager
def held(store: Store, run: str, who: str, *, token: str | None = None) -> Iterator[str]:
    """Holds the run while the block runs; yields the token. With a workflow's token, the lease is not released at the end.

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
        stamp, holder = _read(store, path)
        if stamp and holder and holder.token != mine.token and stamp[1] < SILENCE_S and not holder.is_gone():
            minutes = (SILENCE_S - stamp[1]) / 60
            raise BadInput(
                f"{holder.who} has been working on the run {run!r} in {store.uri} since {holder.since[:16].replace('T', ' ')} UTC; wait for "
                f"it, stop it, or choose another --run. (If it was killed, the run is free in {minutes:.0f} minutes.)"
            )
        content = mine.model_dump_json(indent=1).encode()
        if store.write_if(path, content, stamp and stamp[0]):
            if stamp is None and store.write_if(path, content, None):
                log.warning(
                    "%s has no conditional writes, so two may work on the run %s at once unnoticed", store.uri, run
                )
            return
    raise TryAgain(f"Several processes want the run {run!r} in {store.uri} at once; run the same command again.")


def release(store: Store, run: str, token: str) -> None:
    """Releases the lease, if it has this token."""
    path = Layout(run).lease
    _, holder = _read(store, path)
    if holder and holder.token == token:
        store.delete(path)


def _read(store: Store, path: str) -> tuple[tuple[str, float] | None, Lease | None]:
    stamp = store.stamp(path)
    if stamp is None:
        return None, None
    try:
        return stamp, Lease.model_validate_json(store.read_bytes(path))
    except BadInput:
        if store.stamp(path) is None:  # it has just been released
            return None, None
        raise
    except ValidationError:
        raise BadInput(
            f"{store.locate(path)} does not say who is working on the run; if nobody is, remove it."
        ) from None


def _renew(store: Store, run: str, mine: Lease, ended: threading.Event) -> None:
    """Renews until the block ends, somebody else has the lease, or it is gone (`clean` deletes it with the run)."""
    path = Layout(run).lease
    while not ended.wait(RENEWED_S):
        try:
            stamp, holder = _read(store, path)
            if stamp is None or holder is None:
                return
            if holder.token != mine.token:
                log.error("%s took over the run %s, because this process was silent for too long", holder.who, run)
                os.kill(os.getpid(), signal.SIGTERM)  # current work is saved, and nothing new begins
                return
            renewed = holder.model_copy(update={"renewed": datetime.now(UTC).isoformat(timespec="microseconds")})
            store.write_if(path, renewed.model_dump_json(indent=1).encode(), stamp[0])
        except (BadInput, TryAgain) as error:
            log.warning("the lease of the run %s could not be renewed: %s", run, error)
