"""What a run has cost, finished or not: `RUN/costs/NAME.json`, an account for each workflow and for each command on one machine.

    with metered(store, layout, name, "search(3)", of_machine(), config.cost):
        ...
    sum(account.dollars for account in accounts(store, "main"))

An account lists every attempt at every task, also those that failed. Whoever makes an attempt notes its time every minute and at its end, on
condition that nobody has written since it was read, so that hundreds can; who is killed loses a minute. No failure of this ends the work.
On a cluster that is an estimate, which the exit handler replaces by the pods' times in Argo's own record (`settle`).
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from pydantic import BaseModel, ConfigDict

from burnqed.cluster_config import CostConfig
from burnqed.documents import read_documents
from burnqed.errors import TryAgain
from burnqed.holding import Holding
from burnqed.layout import Layout
from burnqed.log import log
from burnqed.store import Store

NOTED_S = 60.0
"""So often an attempt notes its time, give or take a fifth."""
TRIES = 12
"""To write an account that others write too."""
WAIT_S = 300.0
"""So much of the time before a pod's step begins counts: the start of a node, images. Who waits longer waits for a place."""
SKEW_S = 1.0
"""By which a pod's clock may be behind that of Argo, which counts whole seconds."""


class Attempt(BaseModel):
    model_config = ConfigDict(frozen=True)

    task: str
    """`sft`, `search(3)`."""
    began: float
    """Seconds since 1970."""
    seconds: float
    held: Holding
    dollars: float
    billed: bool = False
    """By the cluster's record; else an estimate of the attempt's own."""

    @property
    def step(self) -> str:
        return self.task.partition("(")[0]

    @property
    def ended(self) -> float:
        return self.began + self.seconds


class Account(BaseModel):
    model_config = ConfigDict(frozen=True)

    iteration: int
    """-1 for work that belongs to none."""
    before: float = 0.0
    """US dollars of the run's other accounts when this one was begun: nobody else works on the run meanwhile."""
    attempts: list[Attempt] = []

    @property
    def dollars(self) -> float:
        return sum(attempt.dollars for attempt in self.attempts)

    def with_attempt(self, mine: Attempt) -> Self:
        """With what an attempt says of itself, which replaces what it said before; not once its pod was billed."""
        own = [a for a in self.attempts if a.task == mine.task]
        if any(a.billed and a.began - SKEW_S <= mine.began <= a.ended + SKEW_S for a in own):
            return self
        others = [a for a in self.attempts if (a.task, a.began) != (mine.task, mine.began)]
        return self.model_copy(update={"attempts": [*others, mine]})

    def settled(self, pods: Sequence[PodTime], prices: CostConfig) -> Self:
        """With the cluster's record of pods in place of what their attempts said; what was billed before stays, also of pods that a retry forgot."""
        found = list(self.attempts)
        by_task: dict[str, list[PodTime]] = {}
        for pod in sorted(pods, key=lambda pod: pod.began):
            by_task.setdefault(pod.task, []).append(pod)
        for task, together in by_task.items():
            for pod, following in zip(together, [*together[1:], None], strict=True):
                until = following.began - SKEW_S if following else float("inf")
                # By its end: the clock of a pod that is behind puts the beginning before Argo's.
                own = [
                    a
                    for a in found
                    if a.task == task and a.began < until and (a.began if a.billed else a.ended) >= pod.began - SKEW_S
                ]
                if not any(a.billed for a in own):
                    found = [a for a in found if a not in own]
                    found.append(pod.billed(min((a.began for a in own), default=pod.ended), prices))
        return self.model_copy(update={"attempts": found})


@dataclass(frozen=True)
class PodTime:
    """What a cluster knows of a pod: when it was made and when it ended, in seconds since 1970."""

    task: str
    began: float
    ended: float
    held: Holding

    def billed(self, at_work: float, prices: CostConfig) -> Attempt:
        """`at_work` is when its step began; the pod's end where it never did."""
        began = max(self.began, at_work - WAIT_S)
        seconds = max(0.0, self.ended - began)
        return Attempt(
            task=self.task,
            began=began,
            seconds=seconds,
            held=self.held,
            dollars=self.held.dollars(prices, seconds),
            billed=True,
        )


def accounts(store: Store, run: str) -> list[Account]:
    """All of a run. Raises BadInput for one that is malformed."""
    return read(store, store.list(Layout(run).costs))


def read(store: Store, paths: Sequence[str]) -> list[Account]:
    return read_documents(store, paths, Account, "move it away to go on without what it counts")


def spent(store: Store, run: str, name: str = "") -> float:
    """US dollars of a run so far; by two requests for whoever works on it and has the account `name`."""
    path = Layout(run).account(name)
    if name and store.exists(path):
        (mine,) = read(store, [path])
        return mine.before + mine.dollars
    return sum(account.dollars for account in accounts(store, run))


@contextmanager
def metered(store: Store, layout: Layout, name: str, task: str, held: Holding, prices: CostConfig) -> Iterator[None]:
    """Notes in the account `name` what the block holds, and for how long."""
    began, start = round(time.time(), 3), time.monotonic()
    opened = False

    def note() -> None:
        nonlocal opened
        seconds = round(time.monotonic() - start, 3)
        mine = Attempt(task=task, began=began, seconds=seconds, held=held, dollars=held.dollars(prices, seconds))
        try:
            # Deleted with its run, it stays away.
            update(store, layout, name, lambda account: account.with_attempt(mine), create=not opened)
            opened = True
        except Exception as error:  # whatever it is, the work goes on
            log.warning("what %s costs could not be noted: %s", task, error)

    def keep_noting() -> None:
        while not ended.wait(NOTED_S * random.uniform(0.8, 1.2)):
            note()

    note()
    ended = threading.Event()
    noting = threading.Thread(target=keep_noting, daemon=True, name="costs")
    noting.start()
    try:
        yield
    finally:
        ended.set()
        noting.join()
        note()


def settle(store: Store, layout: Layout, name: str, pods: Sequence[PodTime], prices: CostConfig) -> Account | None:
    """Replaces estimates in an account by a cluster's record. None where there is no account: it was deleted with its run."""
    return update(store, layout, name, lambda account: account.settled(pods, prices), create=False)


def update(
    store: Store, layout: Layout, name: str, change: Callable[[Account], Account], *, create: bool
) -> Account | None:
    """Changes an account that others change too; with `create` also one that is not there yet. Raises TryAgain, BadInput."""
    path = layout.account(name)
    for number in range(TRIES):
        stamp = store.stamp(path)
        if stamp is None and not create:
            return None
        found = read(store, [path])[0] if stamp else Account(iteration=layout.iteration)
        if all(attempt.billed for attempt in found.attempts):  # nobody has worked on it yet, or since it was settled
            others = [other for other in store.list(layout.costs) if other != path]
            before = sum(account.dollars for account in read(store, others))
            found = found.model_copy(update={"before": before})
        changed = change(found)
        if store.write_if(path, changed.model_dump_json().encode(), stamp and stamp[0]):
            return changed
        time.sleep(random.uniform(0, min(2.0, 0.05 * 2**number)))
    raise TryAgain(f"Too many write {store.locate(path)} at once.")
