"""Deep theorems about moves: that a position can be reached by some of several moves, where most orders of them lead astray.

    ∀ (α : Type) (a : α) (P : List α → List α → Prop), P [a] [a, a] → (∀ x y, P x (a :: a :: y) → P (a :: x) y) → … → P [a, a, a] []

A proof goes back from the position of the conclusion to the one that is given, by one of the moves at each step. Positions are piles side by side, or a
stack of letters, of which a move changes the top.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import factorial, prod
from random import Random

from burnqed.data.deep.draft import LONGEST, Draft

Position = tuple[int, ...]
LEAST, MOST = 9, LONGEST - 2
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
"""Letters of a list, beyond which no way is looked for."""
HIGHEST = 6
"""A pile of the conclusion."""
PILES = "xyzw"
LETTERS = "abc"


@dataclass(frozen=True)
class Move:
    """As a hypothesis leads from one position to another; a proof uses it backwards."""

    before: Position
    after: Position


def back_by_piles(move: Move, position: Position) -> Position | None:
    """The position from which the move leads to this one: each pile is reduced by what the move adds to it, and increased by what it takes."""
    found = tuple(p - a + b for p, a, b in zip(position, move.after, move.before, strict=True))
    return None if any(p < a for p, a in zip(position, move.after, strict=True)) or max(found) > LARGEST else found


def back_by_stack(move: Move, position: Position) -> Position | None:
    """The stack from which the move leads to this one: its top is exchanged."""
    if position[: len(move.after)] != move.after:
        return None
    found = move.before + position[len(move.after) :]
    return None if len(found) > LARGEST else found


@dataclass(frozen=True)
class Board:
    """How moves go back, and how all of it is written."""

    back: Callable[[Move, Position], Position | None]
    """What comes before a position; None where the move does not lead there, or too far."""
    binders: str
    names: str
    """Of what the binders bind."""
    place: Callable[[Position], str]
    hypothesis: Callable[[Move], str]


def ways(moves: list[Move], goal: Position, board: Board) -> list[tuple[Position, list[int]]]:
    """The positions from which the goal is reached, nearest first, with the numbers of the moves of a shortest proof."""
    found: dict[Position, list[int]] = {goal: []}
    queue = [goal]
    for position in queue:
        if len(found) > EXPLORED:
            break
        for number, move in enumerate(moves):
            before = board.back(move, position)
            if before is not None and before not in found:
                found[before] = [*found[position], number]
                queue.append(before)
    return list(found.items())


def orders(moves: list[Move], way: list[int], goal: Position, board: Board) -> float:
    """The share of the orders of these moves that are possible."""
    counts = Counter(way)
    layer: dict[tuple[Position, tuple[int, ...]], int] = {(goal, tuple(counts[n] for n in range(len(moves)))): 1}
    for _ in way:
        following: dict[tuple[Position, tuple[int, ...]], int] = defaultdict(int)
        for (position, left), ways_here in layer.items():
            for number, move in enumerate(moves):
                if left[number] and (before := board.back(move, position)) is not None:
                    following[before, (*left[:number], left[number] - 1, *left[number + 1 :])] += ways_here
        layer = following
    every = factorial(len(way)) // prod(factorial(count) for count in counts.values())
    return sum(layer.values()) / every


def assembled(rng: Random, board: Board, moves: list[Move], goal: Position) -> Draft | None:
    """The theorem that one of the far positions leads to the goal; None where none is far enough, or too many orders of the moves lead there."""
    found = ways(moves, goal, board)[ASTRAY:]
    far = [(start, way) for start, way in found if LEAST <= len(way) <= MOST and len(set(way)) >= VARIETY]
    some = rng.sample(far, min(len(far), TRIED))
    hard = next(((start, way) for start, way in some if orders(moves, way, goal, board) <= POSSIBLE), None)
    if hard is None:
        return None
    start, way = hard
    hypotheses = [board.place(start), *(f"({board.hypothesis(move)})" for move in moves)]
    introduced = " ".join([board.names, *(f"h{number}" for number in range(len(hypotheses)))])
    statement = f"∀ {board.binders}, {' → '.join([*hypotheses, board.place(goal)])}"
    proof = (f"intro {introduced}", *(f"apply h{number + 1}" for number in way), "exact h0")
    return Draft("moves", statement, proof)


def listed(letters: Iterable[str]) -> str:
    return f"[{', '.join(letters)}]"


def piles(rng: Random) -> Draft | None:
    """Piles side by side: each move takes from some and adds to others. They are lists, as numbers would stay unevaluated sums in the goal, of which one position has many."""
    width, count = rng.choice([2, 3, 3, 4]), rng.randint(3, 5)
    names = PILES[:width]

    def drawn() -> Move:
        changes = [rng.choice([0, 0, 1, 1, -1, -1]) * rng.randint(1, 3) for _ in names]
        return Move(tuple(max(-c, 0) for c in changes), tuple(max(c, 0) for c in changes))

    moves = [drawn() for _ in range(count)]
    if len(set(moves)) < count or not all(any(move.after) for move in moves):
        return None

    def places(added: Position) -> str:
        return " ".join(
            f"({'a :: ' * number}{name})" if number else name for name, number in zip(names, added, strict=True)
        )

    board = Board(
        back_by_piles,
        f"(α : Type) (a : α) (P : {'List α → ' * width}Prop)",
        "α a P",
        lambda position: " ".join(["P", *(listed("a" * number) for number in position)]),
        lambda move: f"∀ {' '.join(names)}, P {places(move.before)} → P {places(move.after)}",
    )
    return assembled(rng, board, moves, tuple(rng.randint(0, HIGHEST) for _ in names))


def stack(rng: Random) -> Draft | None:
    """A stack of letters, of which each move exchanges the top."""
    count = rng.randint(4, 6)

    def top(least: int, most: int) -> Position:
        return tuple(rng.randrange(len(LETTERS)) for _ in range(rng.randint(least, most)))

    moves = [Move(top(0, 3), top(1, 2)) for _ in range(count)]
    if any(move.before == move.after for move in moves) or len({move.after for move in moves}) == count:
        return None  # without a choice

    def rule(move: Move) -> str:
        before, after = (
            "".join(f"{LETTERS[letter]} :: " for letter in part) + "l" for part in (move.before, move.after)
        )
        return f"∀ l, P {f'({before})' if move.before else before} → P ({after})"

    letters = " ".join(LETTERS)
    board = Board(
        back_by_stack,
        f"(α : Type) ({letters} : α) (P : List α → Prop)",
        f"α {letters} P",
        lambda position: f"P {listed([LETTERS[letter] for letter in position])}",
        rule,
    )
    return assembled(rng, board, moves, top(1, 5))
