"""Universe levels: 0, u, l + 1, max, imax. Equal levels are the same object, so `is` compares them [TTL 2.1, TCL "Levels"]."""

from __future__ import annotations

from functools import cache


class Level:
    """One level; made by `zero`, `succ`, `maximum`, `imax` and `param` only, which make each level once."""

    __slots__ = ("args", "kind", "params")

    def __init__(self, kind: str, args: tuple[Level | str, ...]):
        self.kind = kind
        self.args = args
        self.params: frozenset[str] = frozenset().union(*({a} if isinstance(a, str) else a.params for a in args))

    def __repr__(self) -> str:
        offset, base = 0, self
        while base.kind == "succ":
            offset, base = offset + 1, base.below
        if base.kind == "zero":
            return str(offset)
        text = base.name if base.kind == "param" else f"({base.kind} {' '.join(map(repr, base.args))})"
        return f"{text}+{offset}" if offset else text

    @property
    def below(self) -> Level:
        """The l of l + 1."""
        assert isinstance(self.args[0], Level)
        return self.args[0]

    @property
    def pair(self) -> tuple[Level, Level]:
        """The two levels of max and imax."""
        left, right = self.args
        assert isinstance(left, Level)
        assert isinstance(right, Level)
        return left, right

    @property
    def name(self) -> str:
        assert isinstance(self.args[0], str)
        return self.args[0]


_made: dict[tuple[object, ...], Level] = {}


def _make(kind: str, *args: Level | str) -> Level:
    level = _made.get((kind, *args))
    if level is None:
        level = _made[(kind, *args)] = Level(kind, args)
    return level


ZERO = _make("zero")


def succ(level: Level) -> Level:
    return _make("succ", level)


def maximum(left: Level, right: Level) -> Level:
    if left is right or right is ZERO:
        return left
    return right if left is ZERO else _make("max", left, right)


def imax(left: Level, right: Level) -> Level:
    """`max`, but 0 where the right one is 0: the level of a function type, which is a proposition if its result is one."""
    if right is ZERO:
        return ZERO
    return maximum(left, right) if right.kind == "succ" else _make("imax", left, right)


def param(name: str) -> Level:
    return _make("param", name)


ONE = succ(ZERO)


@cache
def substitute(level: Level, names: tuple[str, ...], values: tuple[Level, ...]) -> Level:
    """The level with parameters replaced."""
    if level.params.isdisjoint(names):
        return level
    if level.kind == "param":
        return values[names.index(level.name)]
    if level.kind == "succ":
        return succ(substitute(level.below, names, values))
    left, right = (substitute(side, names, values) for side in level.pair)
    return maximum(left, right) if level.kind == "max" else imax(left, right)


@cache
def undecided(level: Level) -> str | None:
    """A parameter that decides whether some `imax` of a simplified level is a maximum or 0, if there is one."""
    if level.kind == "succ":
        return undecided(level.below)
    if level.kind not in ("max", "imax"):
        return None
    left, right = level.pair
    return right.name if level.kind == "imax" else undecided(left) or undecided(right)


@cache
def flatten(level: Level) -> tuple[int, dict[str, int]]:
    """A level without undecided `imax`, as the maximum of a number and of parameters with offsets."""
    if level.kind == "succ":
        number, offsets = flatten(level.below)
        return number + 1, {name: offset + 1 for name, offset in offsets.items()}
    if level.kind == "param":
        return 0, {level.name: 0}
    if level.kind == "zero":
        return 0, {}
    (number, offsets), (other, others) = (flatten(side) for side in level.pair)
    return max(number, other), {n: max(offsets.get(n, 0), others.get(n, 0)) for n in {**offsets, **others}}


@cache
def simplify(level: Level) -> Level:
    """The same level with `imax` only before a parameter."""
    if level.kind == "succ":
        return succ(simplify(level.below))
    if level.kind not in ("max", "imax"):
        return level
    left, right = (simplify(side) for side in level.pair)
    if level.kind == "max":
        return maximum(left, right)
    if right.kind == "max":  # imax a (max b c) = max (imax a b) (imax a c)
        return maximum(*(simplify(imax(left, side)) for side in right.pair))
    if right.kind == "imax":  # imax a (imax b c) = max (imax a c) (imax b c)
        return maximum(simplify(imax(left, right.pair[1])), right)
    return imax(left, right)


@cache
def at_most(left: Level, right: Level) -> bool:
    """Whether left ≤ right for all values of the parameters. Complete: each parameter that decides an `imax` is taken to be
    0 and to be positive; without `imax` levels are maxima of sums, which compare part by part."""
    left, right = simplify(left), simplify(right)
    if left is right or left is ZERO:
        return True
    decisive = undecided(left) or undecided(right)
    if decisive is not None:
        cases = (ZERO, succ(param(decisive)))
        return all(at_most(*(substitute(side, (decisive,), (case,)) for side in (left, right))) for case in cases)
    (number, offsets), (bound, bounds) = flatten(left), flatten(right)
    return number <= max([bound, *bounds.values()]) and all(n in bounds and o <= bounds[n] for n, o in offsets.items())


def equal(left: Level, right: Level) -> bool:
    return left is right or (at_most(left, right) and at_most(right, left))


def is_zero(level: Level) -> bool:
    return at_most(level, ZERO)


def is_positive(level: Level) -> bool:
    return at_most(ONE, level)
