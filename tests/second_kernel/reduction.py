"""Computing: weak head normal forms [TTL 2.5–2.7, TCL "Weak head normalization"]."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from tests.second_kernel import levels
from tests.second_kernel.constants import Constant, Constructor, Definition, Inductive, Quotient, Recursor, Refused
from tests.second_kernel.terms import (
    App,
    Const,
    Lam,
    Let,
    Lit,
    Local,
    Pi,
    Proj,
    Sort,
    Term,
    app,
    apply,
    at_levels,
    const,
    instantiate,
    lit,
    proj,
    spine,
)

NAT, ZERO, SUCC = const("Nat"), const("Nat.zero"), const("Nat.succ")
TRUE, FALSE = const("Bool.true"), const("Bool.false")
NORMAL = {Lam, Lit, Local, Pi, Sort}


def number(term: Term) -> int | None:
    """The number that the term is, if it is written as one."""
    if term.__class__ is Lit and term.value.__class__ is int:
        return term.value
    return 0 if term is ZERO else None


def beta(fn: Term, args: Sequence[Term]) -> Term:
    """The function applied to the arguments, with its own variables replaced."""
    count = 0
    while count < len(args) and fn.__class__ is Lam:
        fn = fn.body
        count += 1
    return apply(instantiate(fn, args[:count]), args[count:])


class Reduction(ABC):
    """What is declared, and how it computes. `native`: functions on numbers that Python computes (`literals`), with how
    many numbers they take."""

    def __init__(self) -> None:
        self.constants: dict[str, Constant] = {}
        self.native: dict[str, tuple[int, Callable[..., Term | None]]] = {}
        self._cores: tuple[dict[Term, Term], dict[Term, Term]] = ({}, {})
        self._normal: dict[Term, Term] = {}
        self._unfolded: dict[Const, Term] = {}
        self._rules: dict[tuple[Const, str], Term] = {}

    @abstractmethod
    def type_of(self, term: Term) -> Term:
        """The type of a term that is known to have one."""

    @abstractmethod
    def equal(self, left: Term, right: Term) -> bool:
        """Whether two terms, which have types, are equal by definition."""

    @abstractmethod
    def text(self, term: Lit) -> Term:
        """A text as `String.ofList` of its characters."""

    def whnf(self, term: Term) -> Term:
        """The weak head normal form."""
        if term.__class__ in NORMAL:
            return term
        result = self._normal.get(term)
        if result is None:
            result = term
            while True:
                result = self.core(result)
                further = self.compute(result) or self.unfold(result) or self.compute(result, True)
                if further is None:
                    break
                result = further
            self._normal[term] = self._normal[result] = result
        return result

    def core(self, term: Term, cheap: bool = False) -> Term:
        """The weak head normal form without unfolding definitions at the head. `cheap`: nor in the values of projections."""
        if not isinstance(term, App | Let | Proj):
            return term
        known = self._cores[cheap]
        result = known.get(term)
        if result is None:
            result = term
            while (further := self._step(result, cheap)) is not None:
                result = further
                if (end := known.get(result)) is not None:
                    result = end
                    break
            known[term] = known[result] = result
        return result

    def _step(self, term: Term, cheap: bool) -> Term | None:
        fn, args = spine(term)
        if isinstance(fn, Lam):
            return beta(fn, args) if args else None
        if isinstance(fn, Let):
            return apply(instantiate(fn.body, [fn.value]), args)
        if isinstance(fn, Const):
            return self._iota(fn, args)
        if isinstance(fn, Proj):
            value = self.field(fn, cheap)
            return None if value is None else beta(value, args)
        return None

    # ---- definitions and numbers

    def definition(self, term: Term) -> Definition | None:
        """The definition at the head, if it may be unfolded."""
        while term.__class__ is App:
            term = term.fn
        if term.__class__ is Const:
            constant = self.constants.get(term.name)
            if constant.__class__ is Definition and constant.kind != "opaque":
                return constant
        return None

    def unfold(self, term: Term) -> Term | None:
        """The term with the definition at its head replaced by what it stands for."""
        definition = self.definition(term)
        if definition is None:
            return None
        fn, args = spine(term)
        assert isinstance(fn, Const)
        value = self._unfolded.get(fn)
        if value is None:
            value = self._unfolded[fn] = at_levels(definition.value, definition.params, fn.levels)
        return beta(value, args)

    def compute(self, term: Term, is_open: bool = False) -> Term | None:
        """The result of a function on numbers, where all arguments are numbers. In a term with locals that is rare and dear to
        find out, so it `is_open` only when nothing else can be done."""
        if not isinstance(term, App) or (term.fresh and not is_open):
            return None
        fn, args = spine(term)
        if not isinstance(fn, Const):
            return None
        if fn is SUCC and len(args) == 1:
            before = number(self.whnf(args[0]))
            return None if before is None else lit(before + 1)
        arity, operation = self.native.get(fn.name, (0, None))
        if operation is None or arity != len(args):
            return None
        values = []
        for arg in args:
            value = number(self.whnf(arg))
            if value is None:
                return None
            values.append(value)
        return operation(*values)

    def constructed(self, term: Term) -> Term:
        """A literal as constructors make it; other terms as they are."""
        if not isinstance(term, Lit):
            return term
        if isinstance(term.value, str):
            return self.whnf(self.text(term))
        return app(SUCC, lit(term.value - 1)) if term.value else ZERO

    # ---- projections, recursors, quotients

    def field(self, term: Proj, cheap: bool = False) -> Term | None:
        """The field of a structure whose value is known [TCL "Projections"]."""
        value = self.constructed(self.core(term.value, True) if cheap else self.whnf(term.value))
        fn, args = spine(value)
        constructor = self.constants.get(fn.name) if isinstance(fn, Const) else None
        if not isinstance(constructor, Constructor) or constructor.inductive != term.name:
            return None
        place = constructor.num_params + term.index
        return args[place] if place < len(args) else None

    def _iota(self, fn: Const, args: list[Term]) -> Term | None:
        constant = self.constants.get(fn.name)
        if constant.__class__ is Recursor:
            return self._recursor(fn, constant, args)
        if constant.__class__ is Quotient:
            return self._quotient(constant, args)
        return None

    def _quotient(self, constant: Quotient, args: list[Term]) -> Term | None:
        """`Quot.lift f h (Quot.mk r a)` is `f a`; so is `Quot.ind` [TTL 2.7.1]."""
        place = {"lift": 5, "ind": 4}.get(constant.kind)
        if place is None or len(args) <= place:
            return None
        made, parts = spine(self.whnf(args[place]))
        maker = self.constants.get(made.name) if isinstance(made, Const) else None
        if not isinstance(maker, Quotient) or maker.kind != "ctor" or len(parts) != 3:
            return None
        return apply(args[3], [parts[2], *args[place + 1 :]])

    def _recursor(self, fn: Const, recursor: Recursor, args: list[Term]) -> Term | None:
        """A recursor on a constructor is the constructor's rule [TTL 2.6.4]."""
        if len(args) <= recursor.major:
            return None
        value = args[recursor.major]
        made = self._k_constructor(recursor, value) if recursor.k else None
        if made is None:
            made = self.constructed(self.whnf(value))
            if not self._is_made(recursor, made):
                made = self.expanded(made)
        if made is None or not self._is_made(recursor, made):
            return None
        constructor, fields = spine(made)
        assert isinstance(constructor, Const)
        rule = recursor.rules[constructor.name]
        key = (fn, constructor.name)
        body = self._rules.get(key)
        if body is None:
            body = self._rules[key] = at_levels(rule.value, recursor.params, fn.levels)
        first = args[: recursor.major - recursor.num_indices]
        return beta(body, first + fields[len(fields) - rule.num_fields :] + args[recursor.major + 1 :])

    def _is_made(self, recursor: Recursor, value: Term) -> bool:
        fn, args = spine(value)
        if not isinstance(fn, Const) or fn.name not in recursor.rules:
            return False
        constructor = self.constants[fn.name]
        assert isinstance(constructor, Constructor)
        return len(args) == constructor.num_params + constructor.num_fields

    def _k_constructor(self, recursor: Recursor, value: Term) -> Term | None:
        """Any proof of such a proposition equals its constructor, if that has the same type (indices!) [TTL 2.6.4, TCL "K"]."""
        fn, args = spine(type := self.whnf(self.type_of(value)))
        (name,) = recursor.rules
        constructor = self.constants[name]
        assert isinstance(constructor, Constructor)
        if not isinstance(fn, Const) or fn.name != constructor.inductive:
            return None
        made = apply(const(name, *fn.levels), args[: constructor.num_params])
        return made if self.equal(type, self.type_of(made)) else None

    def expanded(self, value: Term) -> Term | None:
        """A value of a structure as its constructor applied to its projections [TCL "Structure eta"]; not a proof."""
        type = self.whnf(self.type_of(value))
        fn, args = spine(type)
        structure = self.structure(fn)
        if structure is None or levels.is_zero(self.level_of(type)):
            return None
        constructor = self.constants[structure.constructors[0]]
        assert isinstance(constructor, Constructor)
        assert isinstance(fn, Const)
        made = apply(const(constructor.name, *fn.levels), args[: constructor.num_params])
        return apply(made, [proj(structure.name, i, value) for i in range(constructor.num_fields)])

    def structure(self, fn: Term) -> Inductive | None:
        """The structure of which this is the name, once it is declared as a whole."""
        constant = self.constants.get(fn.name) if isinstance(fn, Const) else None
        if isinstance(constant, Inductive) and constant.is_structure and constant.constructors[0] in self.constants:
            return constant
        return None

    def level_of(self, type: Term) -> levels.Level:
        """The universe of a type."""
        sort = self.whnf(self.type_of(type))
        if not isinstance(sort, Sort):
            raise Refused("what should be a type is none")
        return sort.level
