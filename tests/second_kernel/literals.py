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
from tests.second_kernel.constants import Axiom, Constructor, Definition, Inductive, Refused
from tests.second_kernel.equality import Equality
from tests.second_kernel.reduction import FALSE, NAT, SUCC, TRUE, ZERO
from tests.second_kernel.terms import TYPE, Lit, Term, app, apply, const, domains, lit, local, pi

STRING, CHAR = const("String"), const("Char")
LARGEST_EXPONENT = 1 << 24  # as in Lean: what would be larger is not computed
SAMPLES = (0, 1, 2, 3, 4, 7, 12)


def _bounded(operation: Callable[[int, int], int]) -> Callable[[int, int], int | None]:
    return lambda a, b: operation(a, b) if b <= LARGEST_EXPONENT else None


def _value(result: int | None) -> Term | None:
    if isinstance(result, bool):
        return TRUE if result else FALSE
    return None if result is None else lit(result)


BINARY = pi(NAT, pi(NAT, NAT))
TEST = pi(NAT, pi(NAT, const("Bool")))
FUNCTIONS: dict[str, tuple[Term, Callable[..., int | None]]] = {
    "Nat.pred": (pi(NAT, NAT), lambda a: max(a - 1, 0)),
    "Nat.add": (BINARY, lambda a, b: a + b),
    "Nat.sub": (BINARY, lambda a, b: max(a - b, 0)),
    "Nat.mul": (BINARY, lambda a, b: a * b),
    "Nat.pow": (BINARY, _bounded(lambda a, b: a**b)),
    "Nat.beq": (TEST, lambda a, b: a == b),
    "Nat.ble": (TEST, lambda a, b: a <= b),
    "Nat.shiftLeft": (BINARY, _bounded(lambda a, b: a << b)),
    "Nat.shiftRight": (BINARY, lambda a, b: a >> b),
    "Nat.div": (BINARY, lambda a, b: a // b if b else 0),
    "Nat.mod": (BINARY, lambda a, b: a % b if b else a),
    "Nat.gcd": (BINARY, math.gcd),
    "Nat.land": (BINARY, lambda a, b: a & b),
    "Nat.lor": (BINARY, lambda a, b: a | b),
    "Nat.xor": (BINARY, lambda a, b: a ^ b),
    "Nat.log2": (pi(NAT, NAT), lambda a: max(a.bit_length() - 1, 0)),
}


def _equations() -> dict[str, list[tuple[Term, Term]]]:
    """What determines a function, as pairs of equal terms."""
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


class Literals(Equality):
    def __init__(self) -> None:
        super().__init__()
        self._has_numbers = False
        self.has_texts = False

    def literal_type(self, term: Lit) -> Term:
        """A text's type is taken for granted here, since `String.ofList` itself rests on terms with texts in them; see `text`."""
        if isinstance(term.value, str):
            self.has_texts = True
            return STRING
        self._check_numbers()
        return NAT

    def _check_numbers(self) -> None:
        if self._has_numbers:
            return
        nat, zero, succ = (self.constants.get(name) for name in ("Nat", "Nat.zero", "Nat.succ"))
        if not (isinstance(nat, Inductive) and isinstance(zero, Constructor) and isinstance(succ, Constructor)):
            raise Refused("numbers are used, but Nat is no inductive type with zero and succ")
        shape = (nat.type, nat.constructors, zero.type, succ.type)
        if shape != (TYPE, ("Nat.zero", "Nat.succ"), NAT, pi(NAT, NAT)):
            raise Refused("numbers are used, but Nat is not the natural numbers")
        self._has_numbers = True

    def text(self, term: Lit) -> Term:
        assert isinstance(term.value, str)
        characters = apply(const("List.nil", levels.ZERO), [CHAR])
        for character in reversed(term.value):
            code = app(const("Char.ofNat"), lit(ord(character)))
            characters = apply(const("List.cons", levels.ZERO), [CHAR, code, characters])
        return app(const("String.ofList"), characters)

    def check_texts(self) -> None:
        """That texts, if there are any, are what `String.ofList` makes of characters: to be asked when all is declared."""
        if self.has_texts and self.check(self.text(lit("a"))) is not STRING:
            raise Refused("texts are used, but String.ofList does not make a String of characters")

    def adopt(self, constant: Axiom | Definition) -> None:
        """Lets Python compute a function that was just declared, if it is one of FUNCTIONS and does the same. Of the library's
        functions without a definition it is taken on trust that they are what they are called."""
        name = constant.name
        if name not in FUNCTIONS:
            return
        self._check_numbers()
        type, function = FUNCTIONS[name]
        arity = len(domains(type))
        if constant.type is not type:
            raise Refused("it is not the function of that name: its type is another")
        if isinstance(constant, Definition):
            samples = [] if name in EQUATIONS else product(SAMPLES, repeat=arity)
            pairs = [(apply(const(name), map(lit, numbers)), _value(function(*numbers))) for numbers in samples]
            for left, right in EQUATIONS.get(name, pairs):
                if right is None or not self.equal(left, right):
                    raise Refused("it is not the function of that name: its values are others")
        self.native[name] = arity, lambda *numbers: _value(function(*numbers))
