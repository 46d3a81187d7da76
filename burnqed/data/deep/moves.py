"""Deep theorems about moves: that a position can be reached by some of several moves, where most orders of them lead astray.

    ∀ (α : Type) (a : α) (P : List α → List α → Prop), P [a] [a, a] → (∀ x y, P x (a :: a :: y) → P (a :: x) y) → … → P [a, a, a] []

A proof goes back from the position of the conclusion to the one that is given, by one of the moves at each step. A position is a row of piles, of which each move takes from some and
adds to others. Piles are lists: as numbers they would stay sums in the goal (`2 + 3`), and one position would have many texts. (A stack whose top is exchanged is no choice: there
`grind` finds the way.)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import factorial, prod
from operator import add, lt, sub
from random import Random

from burnqed.data.draft import Draft

Position = tuple[int, ...]
LONGEST = 15
"""Tactics of any deep proof."""
LEAST, MOST = 10, LONGEST - 2
"""Moves of a proof, which has two further tactics."""
ASTRAY = 60
"""Positions, at least, that are as near to the conclusion as the given one: an uninformed search meets most of them first."""
VARIETY = 3
"""Different moves in a proof, at least."""
TRIED = 3
"""Far positions of one set of moves."""
POSSIBLE = 0.1
"""The largest share of the orders of a proof's moves that may be possible at all."""
EXPLORED = 3_000
"""Positions that are looked at to find the nearest way."""
LARGEST = 20
"""A pile beyond which no way is looked for."""
HIGHEST = 6
"""A pile of the conclusion."""
PILES = "xyzw"


@dataclass(frozen=True)
class Move:
    """As a hypothesis leads from one position to another; a proof uses it backwards."""

    before: Position
    after: Position

    def back(self, position: Position) -> Position | None:
        """The position from which it leads to this one: each pile is reduced by what the move adds to it, and increased by what it takes. None where it does not lead there, or too far."""
        if any(map(lt, position, self.after)):
            return None
        found = tuple(map(add, position, self.change))
        return None if max(found) > LARGEST else found

    @cached_property
    def change(self) -> Position:
        """Of each pile, backwards."""
        return tuple(map(sub, self.before, self.after))


def moves(rng: Random) -> Draft | None:
    """The theorem that a position far from the conclusion's leads there; None where none is far enough, or too many orders of the moves do."""
    width, count = rng.choice([2, 3, 3, 4]), rng.randint(3, 5)
    rules = [drawn(rng, width) for _ in range(count)]
    if len(set(rules)) < count or not all(any(rule.after) for rule in rules):
        return None
    goal = tuple(rng.randint(0, HIGHEST) for _ in range(width))
    found = ways(rules, goal)[ASTRAY:]
    far = [(start, way) for start, way in found if LEAST <= len(way) <= MOST and len(set(way)) >= VARIETY]
    some = rng.sample(far, min(len(far), TRIED))
    hard = next(((start, way) for start, way in some if orders(rules, way, goal) <= POSSIBLE), None)
    if hard is None:
        return None
    start, way = hard
    hypotheses = [place(start), *(f"({hypothesis(rule, PILES[:width])})" for rule in rules)]
    binders = f"(α : Type) (a : α) (P : {'List α → ' * width}Prop)"
    introduced = " ".join(["α a P", *(f"h{number}" for number in range(len(hypotheses)))])
    statement = f"∀ {binders}, {' → '.join([*hypotheses, place(goal)])}"
    return Draft("moves", statement, (f"intro {introduced}", *(f"apply h{number + 1}" for number in way), "exact h0"))


def drawn(rng: Random, width: int) -> Move:
    changes = [rng.choice([0, 0, 1, 1, -1, -1]) * rng.randint(1, 3) for _ in range(width)]
    return Move(tuple(max(-c, 0) for c in changes), tuple(max(c, 0) for c in changes))


def place(position: Position) -> str:
    return " ".join(["P", *(f"[{', '.join('a' * number)}]" for number in position)])


def hypothesis(rule: Move, names: str) -> str:
    before, after = (
        " ".join(f"({'a :: ' * number}{name})" if number else name for name, number in zip(names, side, strict=True))
        for side in (rule.before, rule.after)
    )
    return f"∀ {' '.join(names)}, P {before} → P {after}"


def ways(rules: list[Move], goal: Position) -> list[tuple[Position, tuple[int, ...]]]:
    """The positions from which the goal is reached, nearest first, with the numbers of the moves of a shortest proof."""
    found: dict[Position, tuple[int, ...]] = {goal: ()}
    queue = [goal]
    for position in queue:
        if len(found) > EXPLORED:
            break
        way = found[position]
        for number, rule in enumerate(rules):
            before = rule.back(position)
            if before is not None and before not in found:
                found[before] = (*way, number)
                queue.append(before)
    return list(found.items())


def orders(rules: list[Move], way: Sequence[int], goal: Position) -> float:
    """The share of the orders of these moves that are possible."""
    counts = Counter(way)
    layer: dict[tuple[Position, tuple[int, ...]], int] = {(goal, tuple(counts[n] for n in range(len(rules)))): 1}
    for _ in way:
        following: dict[tuple[Position, tuple[int, ...]], int] = defaultdict(int)
        for (position, left), ways_here in layer.items():
            for number, rule in enumerate(rules):
                if left[number] and (before := rule.back(position)) is not None:
                    following[before, (*left[:number], left[number] - 1, *left[number + 1 :])] += ways_here
        layer = following
    every = factorial(len(way)) // prod(factorial(count) for count in counts.values())
    return sum(layer.values()) / every
