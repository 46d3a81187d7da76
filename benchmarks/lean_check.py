"""Checks of whole proofs, and a search that ends in one, compared with an earlier commit: same proofs, same run, in turns.

    .venv/bin/python benchmarks/lean_check.py [--before COMMIT] [--rounds 3]

Without --before, compares with the last commit in which the instance that had elaborated a proof also checked it. Prints milliseconds of CPU
time per trusted check by kind of proof, per check that ends in a refusal, per check of an untrusted proof, and for a search over the known
proofs of the corpus (start, three tactics that mostly fail and the right one at each step, the check at the end), each with the ratio.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[1]
BEFORE = "75ab427"
INSTANCES = 2
EACH = 8
"""Proofs of one kind in a round, all different."""
SEARCHES = 24
DECOYS = ("rfl", "simp", "omega")

DEFINITIONS = "def tri : Nat → Nat\n  | 0 => 0\n  | n + 1 => n + 1 + tri n\ninductive Tree where\n  | leaf\n  | node (l r : Tree)\ndef Tree.size : Tree → Nat\n  | .leaf => 0\n  | .node l r => l.size + r.size + 1\n"


def proofs(kind: str, number: int) -> dict[str, Any]:
    """The `number`-th proof of a kind: {statement, proof, header}."""
    n = number + 2
    statement, proof, header = {
        "rfl": (f"{n} + {n} = {2 * n}", "rfl", None),
        "decide": (f"∀ k : Fin {n % 40 + 2}, k.val < {n % 40 + 2}", "decide", None),
        "simp": (
            f"∀ xs ys : List Nat, (xs ++ ys ++ [{n}]).length = xs.length + ys.length + 1",
            "intro xs ys\nsimp [Nat.add_assoc]",
            None,
        ),
        "omega": (f"∀ a b c : Nat, a + {n} ≤ b → b < c + {n} → a < c", "omega", None),
        "grind": (f"∀ (f : Nat → Nat), (∀ x, f (f x) = x) → f (f (f (f {n}))) = {n}", "grind", None),
        "induction": (
            f"∀ k : Nat, {n} * tri k * 2 = {n} * (k * (k + 1))",
            "intro k\ninduction k with\n| zero => simp [tri]\n| succ k ih => simp only [tri]; grind",
            DEFINITIONS,
        ),
        "trees": (
            f"∀ l r : Tree, (Tree.node l r).size + {n} = r.size + l.size + {n + 1}",
            "intro l r\nsimp only [Tree.size]\nomega",
            DEFINITIONS,
        ),
        "refused": (f"{n} + 1 = {n}", "first | rfl | omega | simp", None),
    }[kind]
    return {"statement": statement, "proof": proof, "header": header}


KINDS = ["rfl", "decide", "simp", "omega", "grind", "induction", "trees", "refused"]


async def serve() -> None:
    """The measured side: reads requests from standard input and writes seconds to standard output."""
    import psutil

    from burnqed.data.corpus import load_corpus
    from burnqed.lean.embedded.backend import EmbeddedLean
    from burnqed.lean.protocol import Theorem

    async with EmbeddedLean(workers=INSTANCES) as lean:
        (node,) = psutil.Process().children()

        async def check(statement: str, proof: str, header: str | None, is_trusted: bool) -> bool:
            theorem = Theorem(name="t", statement=statement, header=header)
            return (await lean.check(theorem, proof, is_trusted=is_trusted)).accepted

        async def search(number: int) -> bool:
            known = corpus[number * 37 % len(corpus)]
            outcome = root = await lean.start(known.theorem)
            for tactic in known.tactics:
                assert outcome.state is not None, outcome.message
                *_, outcome = await asyncio.gather(*(lean.apply(outcome.state, t) for t in (*DECOYS, tactic)))
            assert root.state is not None
            await lean.release(root.state)
            return (await lean.check(known.theorem, "\n".join(known.tactics))).accepted

        corpus = load_corpus()
        for line in sys.stdin:
            request = json.loads(line)
            times = node.cpu_times()
            started, before = time.monotonic(), times.user + times.system
            if "searches" in request:
                accepted = await asyncio.gather(*(search(number) for number in request["searches"]))
            else:
                accepted = [await check(**proof, is_trusted=request["trusted"]) for proof in request["proofs"]]
            times = node.cpu_times()
            wall, processor = time.monotonic() - started, times.user + times.system - before
            print(json.dumps({"wall": wall, "processor": processor, "accepted": sum(accepted)}), flush=True)


class Side:
    def __init__(self, tree: Path) -> None:
        command = [sys.executable, str(Path(__file__).resolve()), "--serve"]
        environment = {**os.environ, "PYTHONPATH": str(tree)}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tree, env=environment
        )

    def ask(self, request: dict[str, Any]) -> dict[str, float]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer: dict[str, float] = json.loads(self.process.stdout.readline() or "{}")
        if not answer:
            sys.exit("one of the two sides ended; see its message above")
        return answer

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def measure(sides: dict[str, Side], rounds: int) -> None:
    spent: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    walls: dict[str, list[float]] = defaultdict(list)
    for number in range(rounds + 1):  # the first round warms up
        for kind in [*KINDS, "strangers", "search"]:
            first = (number + 1) * 1000
            request: dict[str, Any] = {"searches": list(range(number * SEARCHES, (number + 1) * SEARCHES))}
            if kind != "search":
                kinds = [k for k in KINDS if k != "refused"] if kind == "strangers" else [kind] * EACH
                drawn = [proofs(k, first + count) for count, k in enumerate(kinds)]
                request = {"trusted": kind != "strangers", "proofs": drawn}
            accepted = {}
            for name, side in sides.items():
                answer = side.ask(request)
                accepted[name] = answer["accepted"]
                count = len(request.get("searches") or request["proofs"])
                if number:
                    spent[kind][name].append(1000 * answer["processor"] / count)
                if number and kind == "search":
                    walls[name].append(1000 * answer["wall"] / count)
            expected = 0 if kind == "refused" else count
            assert set(accepted.values()) == {expected}, f"of {count} proofs of kind {kind} were accepted {accepted}"
    print(f"{'ms of CPU time each':22}{'before':>10}{'after':>10}{'ratio':>8}")
    for kind, by_side in spent.items():
        before, after = median(by_side["before"]), median(by_side["after"])
        print(f"{kind:22}{before:10.1f}{after:10.1f}{after / before:8.2f}")
    before, after = median(walls["before"]), median(walls["after"])
    print(f"{'search, wall clock':22}{before:10.1f}{after:10.1f}{after / before:8.2f}")
    trusted = [kind for kind in KINDS if kind != "refused"]
    sums = [sum(median(spent[kind][name]) for kind in trusted) for name in ("before", "after")]
    print(f"{'accepted, all kinds':22}{sums[0]:10.1f}{sums[1]:10.1f}{sums[1] / sums[0]:8.2f}")


def main(before: str, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "before"
        git = ["git", "-C", str(ROOT), "worktree"]
        if subprocess.run([*git, "add", "--detach", "--quiet", str(tree), before]).returncode:
            sys.exit(f"skipped: the commit {before} is not in this clone")
        sides = {}
        try:
            sides = {"before": Side(tree), "after": Side(ROOT)}
            measure(sides, rounds)
        finally:
            for side in sides.values():
                side.close()
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", default=BEFORE)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        asyncio.run(serve())
    else:
        main(arguments.before, arguments.rounds)
