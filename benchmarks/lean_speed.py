"""Embedded Lean compared with the prototype it came from: same requests, same run, in turns.

    .venv/bin/python benchmarks/lean_speed.py [--rounds 3] [--prototype FOLDER]

The mix of requests is the prototype's (`client.py`): stateful tactics over its table `TACS`, and every sixth time a whole theorem by `omega`.
A request is a `start`, a tactic, or a check. The prototype is taken from $BURNQED_SHARED (or ../shared) and baked in a temporary folder,
unless --prototype names a baked one. Prints both rates, their ratio, the time until ready, and the memory after 2,000 requests.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psutil

from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.embedded.install import fetch
from burnqed.lean.embedded.node import find_node
from burnqed.lean.protocol import Theorem

INSTANCES = 2
STREAMS = 4
"""Searches that run at once: enough to keep every instance busy."""
SEARCHES = 60
"""Searches of each side in one round."""

Search = tuple[str, list[str]]
"""A statement and its tactics, or a statement and `[]` for a check of a whole proof by omega."""


def shared_folder() -> Path:
    return Path(os.environ.get("BURNQED_SHARED") or Path(__file__).parents[1].parent / "shared")


def baked_prototype(work: Path) -> Path:
    source = shared_folder() / "prototypes" / "lean_wasm"
    if not source.is_dir():
        sys.exit(f"skipped: there is no prototype in {source}")
    for file in source.iterdir():
        shutil.copy(file, work)
    archive = fetch(find_node(), work)
    subprocess.run(["tar", "xzf", str(archive)], cwd=work, check=True)
    (work / "package/lib/lean").mkdir(parents=True)
    subprocess.run(
        ["tar", "xzf", "package/lean-lib.tar.gz", "-C", "package/lib/lean", "--exclude=._*"],
        cwd=work,
        check=True,
        stderr=subprocess.DEVNULL,
    )
    subprocess.run([sys.executable, "bake.py", "package", "opt"], cwd=work, check=True, stdout=subprocess.DEVNULL)
    return work


def mix(table: list[Any], count: int, seed: int) -> list[Search]:
    draw, out = random.Random(seed), []
    for _ in range(count):
        if draw.randrange(6):
            statement, before, tactic = draw.choice(table)
            out.append((statement, [*before, tactic]))
        else:
            a, b, c = draw.randrange(50), draw.randrange(5), draw.randrange(60)
            out.append((f"∀ (a b c : Nat), a + {a} ≤ b → b < c + {b} → a < c + {c}", []))
    return out


class Prototype:
    """Drives the prototype's process; requests are answered out of order."""

    def __init__(self, client: Any) -> None:
        started = time.monotonic()
        self.worker = client.Worker("--threads", str(INSTANCES))
        self.ready_s = time.monotonic() - started
        self.loop = asyncio.get_running_loop()
        self.waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.number = 0
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        try:
            while True:
                answer = self.worker._read()
                if "id" in answer:
                    self.loop.call_soon_threadsafe(self.waiting.pop(answer["id"]).set_result, answer)
        except (EOFError, ValueError, RuntimeError):
            return

    async def ask(self, **request: Any) -> dict[str, Any]:
        import json

        self.number += 1
        future = self.waiting[self.number] = self.loop.create_future()
        self.worker.p.stdin.write(json.dumps({**request, "id": self.number}, ensure_ascii=False) + "\n")
        self.worker.p.stdin.flush()
        return await future

    async def search(self, statement: str, tactics: list[str]) -> int:
        if not tactics:
            await self.ask(cmd="check", text=f"theorem t : {statement} := by\n  omega\n")
            return 1
        answer = await self.ask(cmd="goal.start", expr=statement)
        for count, tactic in enumerate(tactics, 2):
            if "stateId" not in answer:
                return count - 1
            answer = await self.ask(cmd="goal.tactic", stateId=answer["stateId"], tactic=tactic)
        return len(tactics) + 1

    @property
    def pid(self) -> int:
        return int(self.worker.p.pid)


class Ours:
    def __init__(self, lean: EmbeddedLean) -> None:
        self.lean = lean

    async def search(self, statement: str, tactics: list[str]) -> int:
        theorem = Theorem(name="t", statement=statement)
        if not tactics:
            await self.lean.check(theorem, "intro a b c h1 h2\nomega")
            return 1
        root = outcome = await self.lean.start(theorem)
        count = 1
        for tactic in tactics:
            if outcome.state is None:
                break
            outcome = await self.lean.apply(outcome.state, tactic)
            count += 1
        if root.state:
            await self.lean.release(root.state)
        return count

    @property
    def pid(self) -> int:
        return self.lean.pid


async def drive(side: Prototype | Ours, searches: list[Search]) -> tuple[int, float, float]:
    """Requests answered, seconds, and seconds of CPU time."""
    queue, requests = list(reversed(searches)), 0

    async def stream() -> None:
        nonlocal requests
        while queue:
            answered = await side.search(*queue.pop())
            requests += answered  # a separate statement, because other tasks add to it meanwhile

    started, before = time.monotonic(), cpu_seconds(side.pid)
    await asyncio.gather(*(stream() for _ in range(STREAMS)))
    return requests, time.monotonic() - started, cpu_seconds(side.pid) - before


def cpu_seconds(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


def tree_mb(pid: int) -> float:
    root = psutil.Process(pid)
    return sum(process.memory_info().rss for process in [root, *root.children(recursive=True)]) / 2**20


async def main(rounds: int, prototype: Path) -> None:
    spec = importlib.util.spec_from_file_location("prototype_client", prototype / "client.py")
    assert spec is not None
    assert spec.loader is not None
    client = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(client)
    client.NODE = find_node().path
    table = client.TACS
    theirs = Prototype(client)
    started = time.monotonic()
    async with EmbeddedLean(workers=INSTANCES) as lean:
        ready = time.monotonic() - started
        ours = Ours(lean)
        totals: dict[str, list[float]] = {"prototype": [0, 0, 0], "ours": [0, 0, 0]}
        for side in (theirs, ours):
            await drive(side, mix(table, SEARCHES, 0))  # both are warm afterwards
        for number in range(1, rounds + 1):
            for name, side in (("prototype", theirs), ("ours", ours)):
                measured = await drive(side, mix(table, SEARCHES, number))
                totals[name] = [sum(pair) for pair in zip(totals[name], measured, strict=True)]
                print(
                    f"round {number}  {name:10} {measured[0] / measured[1]:7.1f} requests/s, {1000 * measured[2] / measured[0]:6.1f} ms of CPU time each"
                )
        rates = {name: total[0] / total[1] for name, total in totals.items()}
        costs = {name: 1000 * total[2] / total[0] for name, total in totals.items()}
        done = sum(instance["served"] for instance in (await lean.stats())["instances"])
        while done < 2000:
            done += (await drive(ours, mix(table, SEARCHES, done)))[0]
        print(f"\nready after       ours {ready:.2f} s, prototype {theirs.ready_s:.2f} s")
        print(
            f"memory            ours {tree_mb(ours.pid):.0f} MB after {done} requests, prototype {tree_mb(theirs.pid):.0f} MB"
        )
        print(f"requests/s        ours {rates['ours']:.1f}, prototype {rates['prototype']:.1f}")
        print(f"CPU ms each       ours {costs['ours']:.1f}, prototype {costs['prototype']:.1f}")
        print(
            f"ratio             {rates['ours'] / rates['prototype']:.2f} in requests/s, {costs['prototype'] / costs['ours']:.2f} in CPU time  (1 or more: not slower)"
        )
    theirs.worker.p.kill()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--prototype", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(arguments.rounds, arguments.prototype or baked_prototype(Path(folder))))
