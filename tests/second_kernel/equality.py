"""Equality by definition [TTL 2.5, TCL "Definitional equality"]: what computes to the same, functions and structures with equal
parts, proofs of one proposition. Definitions are unfolded as late as possible, the one built from more of the others first."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tests.second_kernel import levels
from tests.second_kernel.constants import Constructor, Definition
from tests.second_kernel.inference import Inference
from tests.second_kernel.reduction import SUCC, TRUE, number
from tests.second_kernel.terms import (
    App,
    Binder,
    Const,
    Lam,
    Lit,
    Local,
    Pi,
    Proj,
    Sort,
    Term,
    app,
    head,
    instantiate,
    lam,
    lit,
    local,
    proj,
    spine,
    var,
)


class Equality(Inference):
    def __init__(self) -> None:
        super().__init__()
        self._equal: dict[tuple[Term, Term], bool] = {}

    def equal(self, left: Term, right: Term) -> bool:
        if left is right:
            return True
        known = self._equal.get((left, right))
        if known is None:
            known = self._decide(left, right)
            self._equal[left, right] = self._equal[right, left] = known
        return known

    def all_equal(self, lefts: Sequence[Term], rights: Sequence[Term]) -> bool:
        return len(lefts) == len(rights) and all(map(self.equal, lefts, rights))

    def _decide(self, left: Term, right: Term) -> bool:
        known = self._by_form(left, right)
        if known is not None:
            return known
        if (right is TRUE and self.whnf(left) is TRUE) or (left is TRUE and self.whnf(right) is TRUE):
            return True  # a decision procedure: nothing is gained by unfolding step by step
        a, b = self.core(left, True), self.core(right, True)
        if a is not left or b is not right:
            return self.equal(a, b)
        return self._same_proofs(left, right) or self._lazily(left, right)

    def _by_form(self, left: Term, right: Term) -> bool | None:
        """What the outermost form already decides."""
        if left is right:
            return True
        kind = left.__class__
        if kind is right.__class__:
            if kind is Lam or kind is Pi:
                return self._binders(left, right)
            if isinstance(left, Sort) and isinstance(right, Sort):
                return levels.equal(left.level, right.level)
            if kind is Lit:
                return False
        return None

    def _binders(self, left: Term, right: Term) -> bool:
        kind = left.__class__
        fresh = max(left.fresh, right.fresh)
        variables: list[Local] = []
        while left.__class__ is kind and right.__class__ is kind:
            assert isinstance(left, Binder)
            assert isinstance(right, Binder)
            type = instantiate(left.type, variables)
            if left.type is not right.type and not self.equal(type, instantiate(right.type, variables)):
                return False
            variables.append(local(fresh + len(variables), type))
            left, right = left.body, right.body
        return self.equal(instantiate(left, variables), instantiate(right, variables))

    def _same_proofs(self, left: Term, right: Term) -> bool:
        type = self.type_of(left)
        return levels.is_zero(self.level_of(type)) and self.equal(type, self.type_of(right))

    # ---- unfolding

    def _lazily(self, left: Term, right: Term) -> bool:
        while True:
            if (known := self._numbers(left, right)) is not None:
                return known
            one, other = self.definition(left), self.definition(right)
            is_last = one is None and other is None
            a = b = None
            if is_last or not (left.fresh or right.fresh):
                a, b = self.compute(left, is_last), self.compute(right, is_last)
            if a is None and b is None:
                if is_last:
                    return self._stuck(left, right)
                if one is other and one is not None and self._same_call(one, left, right):
                    return True
                a, b = self._unfold_higher(one, left, other, right)
            left = left if a is None else self.core(a, True)
            right = right if b is None else self.core(b, True)
            if (known := self._by_form(left, right)) is not None:
                return known

    def _unfold_higher(
        self, one: Definition | None, left: Term, other: Definition | None, right: Term
    ) -> tuple[Term | None, Term | None]:
        """Both sides, unfolded where it is that side's turn; None where it is not."""
        if one is None or other is None:  # a projection of a structure that is still to be unfolded goes first
            stuck = left if one is None else right
            further = self.core(stuck) if isinstance(head(stuck), Proj) else stuck
            if further is not stuck:
                return (further, None) if one is None else (None, further)
        first, second = (-2 if d is None else d.height for d in (one, other))
        return self.unfold(left) if first >= second else None, self.unfold(right) if second >= first else None

    def _same_call(self, definition: Definition, left: Term, right: Term) -> bool:
        """Whether two calls of one definition have equal arguments; if not, they may still compute to the same."""
        if not 0 <= definition.height < math.inf:
            return False
        (fn, args), (other, others) = spine(left), spine(right)
        assert isinstance(fn, Const)
        assert isinstance(other, Const)
        return all(map(levels.equal, fn.levels, other.levels)) and self.all_equal(args, others)

    def _numbers(self, left: Term, right: Term) -> bool | None:
        """Numbers, and successors of terms."""
        a, b = number(left), number(right)
        if a is not None and b is not None:
            return a == b
        x, y = self._before(left), self._before(right)
        return self.equal(x, y) if x is not None and y is not None else None

    def _before(self, term: Term) -> Term | None:
        value = number(term)
        if value:
            return lit(value - 1)
        return term.arg if isinstance(term, App) and term.fn is SUCC else None

    # ---- what computes no further

    def _stuck(self, left: Term, right: Term) -> bool:
        match left, right:
            case Const(), Const() if left.name == right.name:
                return all(map(levels.equal, left.levels, right.levels))
            case Proj(), Proj() if (left.name, left.index) == (right.name, right.index) and self.equal(
                left.value, right.value
            ):
                return True
        a, b = self.core(left), self.core(right)
        if a is not left or b is not right:
            return self.equal(a, b)
        if isinstance(left, App) and isinstance(right, App):
            (fn, args), (other, others) = spine(left), spine(right)
            if len(args) == len(others) and self.equal(fn, other) and self.all_equal(args, others):
                return True
        return (
            self._eta(left, right)
            or self._eta(right, left)
            or self._structure(left, right)
            or self._structure(right, left)
            or self._no_fields(left, right)
        )

    def _eta(self, left: Term, right: Term) -> bool:
        """`fun x => f x` is f."""
        if not isinstance(left, Lam) or isinstance(right, Lam):
            return False
        type = self.whnf(self.type_of(right))
        return isinstance(type, Pi) and self.equal(left, lam(type.type, app(right, var(0))))

    def _structure(self, left: Term, right: Term) -> bool:
        """A structure's value is its constructor applied to the value's projections."""
        fn, args = spine(right)
        constructor = self.constants.get(fn.name) if isinstance(fn, Const) else None
        if not isinstance(constructor, Constructor) or len(args) != constructor.num_params + constructor.num_fields:
            return False
        type = self.type_of(right)
        structure = self.structure(head(self.whnf(type)))
        if structure is None or levels.is_zero(self.level_of(type)) or not self.equal(self.type_of(left), type):
            return False
        fields = [proj(structure.name, i, left) for i in range(constructor.num_fields)]
        return self.all_equal(fields, args[constructor.num_params :])

    def _no_fields(self, left: Term, right: Term) -> bool:
        """Values of a structure without fields are equal."""
        type = self.whnf(self.type_of(left))
        structure = self.structure(head(type))
        if structure is None:
            return False
        constructor = self.constants[structure.constructors[0]]
        assert isinstance(constructor, Constructor)
        return not constructor.num_fields and self.equal(type, self.type_of(right))
