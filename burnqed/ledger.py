"""What a run has cost, finished or not: `RUN/costs/NAME.json`, an account for each workflow and for each local command.

    with metered(store, layout, name, "search(3)", of_machine(), config.cost):
        ...
    sum(account.dollars for account in accounts(store, "main"))

An account lists every attempt at every task, including failed ones. Each attempt writes its time every minute and at its end, on condition that
nobody has written since it read the account: hundreds can share one. An attempt that is killed loses a minute. A failure to write never ends
the work. On a cluster these times are estimates, which the exit handler replaces with the pods' times from Argo (`settle`).
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
"""Seconds between an attempt's writes, give or take a fifth."""
TRIES = 12
"""Tries at writing an account that others are writing, too."""
WAIT_S = 300.0
"""The most time before a pod's step begins that is charged: starting a node, pulling images. A longer wait is for a free node."""
SKEW_S = 1.0
"""How far a pod's clock may be behind Argo's, which counts whole seconds."""


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
    """Whether the times are from the cluster's record; otherwise the attempt estimated them."""

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
    """US dollars in the run's other accounts when this one was begun; they stay, since nobody else works on the run meanwhile."""
    attempts: list[Attempt] = []

    @property
    def dollars(self) -> float:
        return sum(attempt.dollars for attempt in self.attempts)

    def with_attempt(self, mine: Attempt) -> Self:
        """Adds an attempt, or replaces what it said earlier; ignored once its pod has been billed."""
        own = [a for a in self.attempts if a.task == mine.task]
        if any(a.billed and a.began - SKEW_S <= mine.began <= a.ended + SKEW_S for a in own):
            return self
        others = [a for a in self.attempts if (a.task, a.began) != (mine.task, mine.began)]
        return self.model_copy(update={"attempts": [*others, mine]})

    def settled(self, pods: Sequence[PodTime], prices: CostConfig) -> Self:
        """Replaces attempts' estimates with the cluster's record of their pods. What was billed before stays, even for pods that a retry has dropped."""
        attempts = list(self.attempts)
        by_task: dict[str, list[PodTime]] = {}
        for pod in sorted(pods, key=lambda pod: pod.began):
            by_task.setdefault(pod.task, []).append(pod)
        for task, together in by_task.items():
            for pod, following in zip(together, [*together[1:], None], strict=True):
                until = following.began - SKEW_S if following else float("inf")
                # An estimate is matched by its end: a slow clock can put its beginning before the pod's.
                since = pod.began - SKEW_S
                same_task = [a for a in attempts if a.task == task and a.began < until]
                own = [a for a in same_task if (a.began if a.billed else a.ended) >= since]
                if not any(a.billed for a in own):
                    attempts = [a for a in attempts if a not in own]
                    attempts.append(pod.billed(min((a.began for a in own), default=pod.ended), prices))
        return self.model_copy(update={"attempts": attempts})


@dataclass(frozen=True)
class PodTime:
    """A cluster's record of a pod: when it was created and when it ended, in seconds since 1970."""

    task: str
    began: float
    ended: float
    held: Holding

    def billed(self, at_work: float, prices: CostConfig) -> Attempt:
        """`at_work` is when its step began, or the pod's end if it never did."""
        began = max(self.began, at_work - WAIT_S)
        seconds = max(0.0, self.ended - began)
        dollars = self.held.dollars(prices, seconds)
        return Attempt(task=self.task, began=began, seconds=seconds, held=self.held, dollars=dollars, billed=True)


def accounts(store: Store, run: str) -> list[Account]:
    """All accounts of a run. Raises BadInput for a malformed one."""
    return read(store, store.list(Layout(run).costs))


def read(store: Store, paths: Sequence[str]) -> list[Account]:
    return read_documents(store, paths, Account, "move it away to go on without what it counts")


def spent(store: Store, run: str, name: str = "") -> float:
    """US dollars that a run has cost so far; with the name of the current account, two requests are enough."""
    path = Layout(run).account(name)
    if name and store.exists(path):
        (mine,) = read(store, [path])
        return mine.before + mine.dollars
    return sum(account.dollars for account in accounts(store, run))


@contextmanager
def metered(store: Store, layout: Layout, name: str, task: str, held: Holding, prices: CostConfig) -> Iterator[None]:
    """Charges the account `name` for what the block holds, as long as it runs."""
    began, start = round(time.time(), 3), time.monotonic()
    opened = False

    def note() -> None:
        nonlocal opened
        seconds = round(time.monotonic() - start, 3)
        mine = Attempt(task=task, began=began, seconds=seconds, held=held, dollars=held.dollars(prices, seconds))
        try:
            # Created once only: `clean` may have deleted it with the run.
            update(store, layout, name, lambda account: account.with_attempt(mine), create=not opened)
            opened = True
        except Exception as error:  # whatever it is, the work continues
            log.warning("the cost of %s could not be recorded: %s", task, error)

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
    """Replaces an account's estimates with a cluster's record. None where there is no account: it was deleted with its run."""
    return update(store, layout, name, lambda account: account.settled(pods, prices), create=False)


def update(
    store: Store, layout: Layout, name: str, change: Callable[[Account], Account], *, create: bool
) -> Account | None:
    """Changes an account that others may be changing; with `create`, one that may not exist yet. Raises TryAgain or BadInput."""
    path = layout.account(name)
    for number in range(TRIES):
        stamp = store.stamp(path)
        if stamp is None and not create:
            return None
        account = read(store, [path])[0] if stamp else Account(iteration=layout.iteration)
        if all(attempt.billed for attempt in account.attempts):  # it is new, or nothing was added since it was settled
            others = [other for other in store.list(layout.costs) if other != path]
            before = sum(other.dollars for other in read(store, others))
            account = account.model_copy(update={"before": before})
        changed = change(account)
        if store.write_if(path, changed.model_dump_json().encode(), stamp and stamp[0]):
            return changed
        time.sleep(random.uniform(0, min(2.0, 0.05 * 2**number)))
    raise TryAgain(f"Too many processes are writing {store.locate(path)} at once.")
