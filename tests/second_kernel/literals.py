"""Numbers and texts as terms of their own, and functions on numbers that Python computes [TCL "Nat and String literals"].

A literal only abbreviates what constructors make, so it is as good as `Nat` is, which is looked at. A function is computed by Python
only after the file's own definition was seen to do the same, by equations that hold for all numbers by definition and determine its
values. Where the definition is no such recursion (division and what rests on it), its values are compared on SAMPLES.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

from tests.second_kernel import levels
from tests.second_kernel.constants import Constructor, Definition, Inductive, Refused
from tests.second_kernel.equality import Equality
from tests.second_kernel.reduction import FALSE, NAT, SUCC, TRUE, ZERO
from tests.second_kernel.terms import TYPE, Lit, Term, app, apply, const, lit, local, pi

BOOL, STRING, CHAR = const("Bool"), const("String"), const("Char")
LARGEST_EXPONENT = 1 << 24  # as in Lean: what would be larger is not computed
SAMPLES = (0, 1, 2, 3, 4, 7, 12)


def _bounded(operation: Callable[[int, int], int]) -> Callable[[int, int], int | None]:
    return lambda a, b: operation(a, b) if b <= LARGEST_EXPONENT else None


FUNCTIONS: dict[str, tuple[int, Callable[..., int | bool | None]]] = {
    "Nat.add": (2, lambda a, b: a + b),
    "Nat.sub": (2, lambda a, b: max(a - b, 0)),
    "Nat.mul": (2, lambda a, b: a * b),
    "Nat.pow": (2, _bounded(lambda a, b: a**b)),
    "Nat.beq": (2, lambda a, b: a == b),
    "Nat.ble": (2, lambda a, b: a <= b),
    "Nat.shiftLeft": (2, _bounded(lambda a, b: a << b)),
    "Nat.shiftRight": (2, lambda a, b: a >> b),
    "Nat.div": (2, lambda a, b: a // b if b else 0),
    "Nat.mod": (2, lambda a, b: a % b if b else a),
    "Nat.gcd": (2, math.gcd),
    "Nat.land": (2, lambda a, b: a & b),
    "Nat.lor": (2, lambda a, b: a | b),
    "Nat.xor": (2, lambda a, b: a ^ b),
    "Nat.log2": (1, lambda a: max(a.bit_length() - 1, 0)),
}


def _equations() -> dict[str, list[tuple[Term, Term]]]:
    """What determines a function, as pairs of equal terms. The predecessor is spelled out by recursion on Nat."""
    x, y = local(0, NAT), local(1, NAT)

    def call(name: str, *args: Term) -> Term:
        return apply(const(f"Nat.{name}"), args)

    def succ(term: Term) -> Term:
        return app(SUCC, term)

    return {
        "Nat.add": [(call("add", x, ZERO), x), (call("add", x, succ(y)), succ(call("add", x, y)))],
        "Nat.pred": [(call("pred", ZERO), ZERO), (call("pred", succ(x)), x)],
        "Nat.sub": [(call("sub", x, ZERO), x), (call("sub", x, succ(y)), call("pred", call("sub", x, y)))],
        "Nat.mul": [(call("mul", x, ZERO), ZERO), (call("mul", x, succ(y)), call("add", call("mul", x, y), x))],
        "Nat.pow": [(call("pow", x, ZERO), lit(1)), (call("pow", x, succ(y)), call("mul", call("pow", x, y), x))],
        "Nat.beq": [
            (call("beq", ZERO, ZERO), TRUE),
            (call("beq", ZERO, succ(y)), FALSE),
            (call("beq", succ(x), ZERO), FALSE),
            (call("beq", succ(x), succ(y)), call("beq", x, y)),
        ],
        "Nat.ble": [
            (call("ble", ZERO, ZERO), TRUE),
            (call("ble", ZERO, succ(y)), TRUE),
            (call("ble", succ(x), ZERO), FALSE),
            (call("ble", succ(x), succ(y)), call("ble", x, y)),
        ],
        "Nat.shiftLeft": [
            (call("shiftLeft", x, ZERO), x),
            (call("shiftLeft", x, succ(y)), call("shiftLeft", call("mul", lit(2), x), y)),
        ],
        "Nat.shiftRight": [
            (call("shiftRight", x, ZERO), x),
            (call("shiftRight", x, succ(y)), call("div", call("shiftRight", x, y), lit(2))),
        ],
    }


EQUATIONS = _equations()


def _value(result: int | bool | None) -> Term | None:
    if result is None:
        return None
    return (TRUE if result else FALSE) if isinstance(result, bool) else lit(result)


class Literals(Equality):
    def __init__(self) -> None:
        super().__init__()
        self._literal_types: dict[type, Term] = {}

    def literal_type(self, term: Lit) -> Term:
        kind = term.value.__class__
        if kind not in self._literal_types:
            self._literal_types[kind] = self._natural_numbers() if kind is int else self._texts()
        return self._literal_types[kind]

    def _natural_numbers(self) -> Term:
        nat, zero, succ = (self.constants.get(name) for name in ("Nat", "Nat.zero", "Nat.succ"))
        if not (isinstance(nat, Inductive) and isinstance(zero, Constructor) and isinstance(succ, Constructor)):
            raise Refused("numbers are used, but Nat is no inductive type with zero and succ")
        shape = (nat.type, nat.constructors, zero.type, succ.type)
        if shape != (TYPE, ("Nat.zero", "Nat.succ"), NAT, pi(NAT, NAT)):
            raise Refused("numbers are used, but Nat is not the natural numbers")
        return NAT

    def _texts(self) -> Term:
        if self.check(self.text(lit("a"))) is not STRING:
            raise Refused("texts are used, but String.ofList does not make a String of characters")
        return STRING

    def text(self, term: Lit) -> Term:
        assert isinstance(term.value, str)
        characters = apply(const("List.nil", levels.ZERO), [CHAR])
        for character in reversed(term.value):
            code = app(const("Char.ofNat"), lit(ord(character)))
            characters = apply(const("List.cons", levels.ZERO), [CHAR, code, characters])
        return app(const("String.ofList"), characters)

    def adopt(self, definition: Definition) -> None:
        """Lets Python compute a function that was just declared, if it is one of FUNCTIONS and does the same."""
        name = definition.name
        if name in EQUATIONS:
            for left, right in EQUATIONS[name]:
                if not (self.equal(self.check(left), self.check(right)) and self.equal(left, right)):
                    raise Refused(f"{name} is not the function of that name: it does not satisfy its equations")
        if name not in FUNCTIONS:
            return
        arity, function = FUNCTIONS[name]
        if name not in EQUATIONS:
            for numbers in product(SAMPLES, repeat=arity):
                value = self.whnf(apply(const(name), map(lit, numbers)))
                if value is not _value(function(*numbers)):
                    raise Refused(f"{name} is not the function of that name: see its value at {numbers}")
        self.native[name] = arity, lambda *numbers: _value(function(*numbers))
