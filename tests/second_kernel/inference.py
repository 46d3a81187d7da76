"""Types of terms [TTL 2.4, TCL "Type inference"]. `check` finds a term's type and that the term is right all through; `type_of`
only finds the type of a term that is known to be right."""

from __future__ import annotations

from abc import abstractmethod

from tests.second_kernel import levels
from tests.second_kernel.constants import Constructor, Inductive, Refused
from tests.second_kernel.reduction import Reduction
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
    at_levels,
    close,
    instantiate,
    local,
    pi,
    proj,
    sort,
    spine,
    subterms,
)


class Inference(Reduction):
    def __init__(self) -> None:
        super().__init__()
        self._types: dict[Term, Term] = {}
        self._checked: dict[Term, Term] = {}

    def type_of(self, term: Term) -> Term:
        result = self._types.get(term)
        if result is None:
            result = self._types[term] = self._infer(term, False)
        return result

    def check(self, term: Term) -> Term:
        """The type of the term; refused if any part of it is wrong."""
        result = self._checked.get(term)
        if result is None:
            result = self._checked[term] = self._types[term] = self._infer(term, True)
        return result

    def check_type(self, term: Term) -> levels.Level:
        """The universe of a type; refused if any part of it is wrong, or it is no type."""
        self.check(term)
        return self.level_of(term)

    @abstractmethod
    def literal_type(self, term: Lit) -> Term:
        """`Nat` or `String`, if that is what it should be."""

    def _infer(self, term: Term, check: bool) -> Term:
        match term:
            case App():
                return self._application(term, check)
            case Lam() | Let():
                return self._function(term, check)
            case Pi():
                return self._function_type(term, check)
            case Const():
                return self._constant(term)
            case Local():
                return term.type
            case Sort():
                return sort(levels.succ(term.level))
            case Proj():
                return self._projection(term, check)
            case Lit():
                return self.literal_type(term)
        raise Refused("a variable has no binder")

    def _check_has(self, term: Term, type: Term) -> None:
        if not self.equal(self.check(term), type):
            raise Refused("a value is not of the type that its place requires")

    def _constant(self, term: Const) -> Term:
        constant = self.constants.get(term.name)
        if constant is None:
            raise Refused(f"{term.name} was not declared before")
        if len(constant.params) != len(term.levels):
            raise Refused(f"{term.name} takes {len(constant.params)} universes, not {len(term.levels)}")
        return at_levels(constant.type, constant.params, term.levels)

    def _application(self, term: App, check: bool) -> Term:
        """Arguments are put into the function's type only where that is looked at: `type` lacks those from `start` on."""
        fn, args = spine(term)
        type = self.check(fn) if check else self.type_of(fn)
        start = 0
        for place, arg in enumerate(args):
            if not isinstance(type, Pi):
                type = self.whnf(instantiate(type, args[start:place]))
                start = place
                if not isinstance(type, Pi):
                    raise Refused("what is applied is no function")
            if check:
                self._check_has(arg, instantiate(type.type, args[start:place]))
            type = type.body
        return instantiate(type, args[start:])

    def _function(self, term: Term, check: bool) -> Term:
        """`scope`: what stands for the binders, locals for those of functions, values for those of `let`."""
        scope: list[Term] = []
        variables: list[Local] = []
        number = term.fresh
        while isinstance(term, Lam | Let):
            type = instantiate(term.type, scope)
            if check:
                self.check_type(type)
            if isinstance(term, Let):
                value = instantiate(term.value, scope)
                if check:
                    self._check_has(value, type)
                scope.append(value)
            else:
                variables.append(local(number + len(variables), type))
                scope.append(variables[-1])
            term = term.body
        body = instantiate(term, scope)
        return close(pi, variables, self.check(body) if check else self.type_of(body))

    def _function_type(self, term: Term, check: bool) -> Term:
        variables: list[Local] = []
        universes = []
        number = term.fresh
        while isinstance(term, Pi):
            type = instantiate(term.type, variables)
            universes.append(self.check_type(type) if check else self.level_of(type))
            variables.append(local(number + len(variables), type))
            term = term.body
        body = instantiate(term, variables)
        level = self.check_type(body) if check else self.level_of(body)
        for universe in reversed(universes):
            level = levels.imax(universe, level)
        return sort(level)

    def _projection(self, term: Proj, check: bool) -> Term:
        """The type of a field; of a proof only fields that are proofs can be taken [TCL "Projections"]."""
        type = self.whnf(self.check(term.value) if check else self.type_of(term.value))
        fn, args = spine(type)
        structure = self.constants.get(term.name)
        if not isinstance(fn, Const) or fn.name != term.name or not isinstance(structure, Inductive):
            raise Refused(f"a field of {term.name} is taken of something else")
        if len(structure.constructors) != 1 or structure.num_indices:
            raise Refused(f"{term.name} is no structure")
        constructor = self.constants.get(structure.constructors[0])
        if not isinstance(constructor, Constructor):
            raise Refused(f"a field of {term.name} is taken before its constructor is declared")
        if term.index >= constructor.num_fields:
            raise Refused(f"{term.name} has no field {term.index}")
        field = at_levels(constructor.type, constructor.params, fn.levels)
        earlier = [proj(term.name, i, term.value) for i in range(term.index)]
        for _ in range(constructor.num_params + term.index):
            assert isinstance(field, Pi)
            field = field.body
        assert isinstance(field, Pi)
        result = instantiate(field.type, [*args, *earlier])
        if levels.is_zero(self.level_of(type)):
            used = set(subterms(result))
            if not levels.is_zero(self.level_of(result)) or not all(self._is_proof(p) for p in earlier if p in used):
                raise Refused(f"data is taken out of a proof of {term.name}")
        return result

    def _is_proof(self, term: Term) -> bool:
        return levels.is_zero(self.level_of(self.type_of(term)))
