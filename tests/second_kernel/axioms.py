"""What the standard axioms and the constants of quotients must say [TTL 2.7.1, TCL "Quotients"]. A name alone is no licence: the types
are compared, and those of the inductive types that they speak of."""

from __future__ import annotations

from tests.second_kernel import levels
from tests.second_kernel.terms import PROP, Term, app, apply, close, const, local, pi, sort

STANDARD = ("propext", "Classical.choice", "Quot.sound")

U, V = levels.param("u"), levels.param("v")


def _arrow(*types: Term) -> Term:
    *arguments, result = types
    for argument in reversed(arguments):
        result = pi(argument, result)
    return result


def _eq(level: levels.Level, type: Term, left: Term, right: Term) -> Term:
    return apply(const("Eq", level), [type, left, right])


_A = local(0, sort(U))
_R = local(1, _arrow(_A, _A, PROP))
_X, _Y = local(4, _A), local(5, _A)
_RELATED = apply(_R, [_X, _Y])
_QUOT = apply(const("Quot", U), [_A, _R])
_OF_X, _OF_Y = (apply(const("Quot.mk", U), [_A, _R, value]) for value in (_X, _Y))
_B = local(2, sort(V))
_F = local(3, _arrow(_A, _B))
_RESPECTS = close(pi, [_X, _Y], _arrow(_RELATED, _eq(V, _B, app(_F, _X), app(_F, _Y))))
_P = local(2, _arrow(_QUOT, PROP))
_Q = local(5, _QUOT)
_a, _b = local(0, PROP), local(1, PROP)
_IFF = apply(const("Iff"), [_a, _b])

QUOTIENTS: dict[str, tuple[str, Term]] = {
    "Quot": ("type", close(pi, [_A, _R], sort(U))),
    "Quot.mk": ("ctor", close(pi, [_A, _R, _X], _QUOT)),
    "Quot.lift": ("lift", close(pi, [_A, _R, _B, _F], _arrow(_RESPECTS, _QUOT, _B))),
    "Quot.ind": ("ind", close(pi, [_A, _R, _P], _arrow(close(pi, [_X], app(_P, _OF_X)), close(pi, [_Q], app(_P, _Q))))),
}
"""Kind and type, with universes u and v."""

AXIOMS: dict[str, tuple[Term, tuple[str, ...]]] = {
    "propext": (close(pi, [_a, _b], _arrow(_IFF, _eq(levels.ONE, PROP, _a, _b))), ("Iff", "Eq")),
    "Classical.choice": (close(pi, [_A], _arrow(app(const("Nonempty", U), _A), _A)), ("Nonempty",)),
    "Quot.sound": (close(pi, [_A, _R, _X, _Y], _arrow(_RELATED, _eq(U, _QUOT, _OF_X, _OF_Y))), ("Quot.mk", "Eq")),
}
"""Type, and of what else it speaks."""

INDUCTIVE: dict[str, tuple[Term, str, Term]] = {
    "Eq": (close(pi, [_A], _arrow(_A, _A, PROP)), "Eq.refl", close(pi, [_A, _X], _eq(U, _A, _X, _X))),
    "Iff": (
        _arrow(PROP, PROP, PROP),
        "Iff.intro",
        close(pi, [_a, _b], _arrow(_arrow(_a, _b), _arrow(_b, _a), _IFF)),
    ),
    "Nonempty": (
        _arrow(sort(U), PROP),
        "Nonempty.intro",
        close(pi, [_A], _arrow(_A, app(const("Nonempty", U), _A))),
    ),
}
"""Type, the only constructor, and its type."""
