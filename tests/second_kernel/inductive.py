"""Inductive types: what makes a declaration of them right, and the recursors that follow from it [TTL 2.6, TCL "Inductive types"].

Nothing that the file says about recursors is used: they are derived here, and the file's must be the same. Two rules are stricter than
Lean's, since what computes for a variable need not compute for all values of it: after its binders a type ends in a sort that is
written out (Lean PR 14807), and that a field is recursive can be read off its type without computing (14806).

A constructor may take values of an older type that is applied to the new ones, such as `List Tree` (a nested type). It then counts
as one more type of the group, a family, whose constructors are those of the older type at these arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tests.second_kernel import levels, terms
from tests.second_kernel.constants import Constructor, Group, Inductive, Recursor, Refused, Rule
from tests.second_kernel.levels import Level
from tests.second_kernel.literals import Literals
from tests.second_kernel.reduction import beta
from tests.second_kernel.terms import (
    PROP,
    Const,
    Lam,
    Local,
    Pi,
    Sort,
    Term,
    app,
    apply,
    at_levels,
    children,
    close,
    const,
    constants,
    domains,
    instantiate,
    lam,
    local,
    pi,
    sort,
    spine,
)

Maker = tuple[str, Term, Term]


@dataclass(frozen=True, slots=True)
class Field:
    """An argument of a constructor. One of type `(binders) → F indices`, F a family, is recursive: `family` is F's place."""

    variable: Local
    family: int | None = None
    binders: tuple[Local, ...] = ()
    indices: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """A constructor at the group's parameters: `make` takes the fields and gives a value with these `indices`."""

    name: str
    make: Term
    fields: tuple[Field, ...]
    indices: tuple[Term, ...]


@dataclass(slots=True)
class Family:
    """A type at the group's parameters: `type` applied to values of the `indices`. `makers`: its constructors with their types."""

    type: Term
    indices: list[Local]
    makers: list[Maker]


class Inductives(Literals):
    def add_group(self, group: Group) -> None:
        """Checks types and constructors, derives the recursors, compares them with the file's, and declares all."""
        derivation = Derivation(self, group)
        own = derivation.recursors()
        if sorted(own) != sorted(recursor.name for recursor in group.recursors):
            raise Refused("its recursors are not those that belong to it")
        for recursor in own.values():
            self.constants[recursor.name] = recursor
        for sent in group.recursors:
            if not self._same_recursor(sent, own[sent.name]):
                raise Refused(f"{sent.name} is not the recursor that belongs to its type")

    def _same_recursor(self, sent: Recursor, own: Recursor) -> bool:
        if replace(sent, type=own.type, rules=own.rules) != own or list(sent.rules) != list(own.rules):
            return False
        rules = [(sent.rules[name], rule) for name, rule in own.rules.items()]
        return self._same(sent.type, own.type) and all(
            theirs.num_fields == ours.num_fields and self._same(theirs.value, ours.value) for theirs, ours in rules
        )

    def _same(self, sent: Term, own: Term) -> bool:
        """Whether a term of the file is right and equal to what should be there."""
        if sent is own:
            return True
        self.check(sent)
        return self.equal(sent, own)


class Derivation:
    """One group. Making it checks its types and constructors and declares them."""

    def __init__(self, kernel: Inductives, group: Group):
        self.kernel = kernel
        self.group = group
        self.names = {type.name for type in group.types}
        self._count = 0
        self._check_data()
        first = group.types[0]
        self.universes = tuple(map(levels.param, first.params))
        self.params, end = self._open(first.type, first.num_params)
        if len(self.params) != first.num_params:
            raise Refused(f"{first.name} has fewer parameters than it says")
        self.level = self._sort(self._open(end)[1])
        self.families = [self._family(type) for type in group.types]
        for type in group.types:
            kernel.constants[type.name] = type
        for type, family in zip(group.types, self.families, strict=True):
            family.makers = [self._maker(maker) for maker in group.constructors if maker.inductive == type.name]
        self._check_uniform()
        for family in self.families:  # grows meanwhile
            for _, _, maker in family.makers:
                self._add_nested(maker)
        self.branches = [[self._branch(family, *maker) for maker in family.makers] for family in self.families]
        fields = [field for family in self.families for _, _, maker in family.makers for field in domains(maker)]
        reflexive = any(isinstance(field, Pi) and self.mentions(field) for field in fields)
        num_nested = len(self.families) - len(group.types)
        if {(type.num_nested, type.reflexive) for type in group.types} != {(num_nested, reflexive)}:
            raise Refused(f"{first.name} says wrongly how its constructors take values of it")

    # ---- helpers

    def fresh(self, type: Term) -> Local:
        self._count += 1
        return local(self._count - 1, type)

    def mentions(self, *terms: Term) -> bool:
        """Whether the types that are being declared occur in the terms."""
        return not self.names.isdisjoint(constants(*terms))

    def _open(self, type: Term, most: int | None = None) -> tuple[list[Local], Term]:
        """The binders of a function type, at most so many, as locals, and what is below."""
        opened: list[Local] = []
        while isinstance(type, Pi) and len(opened) != most:
            opened.append(self.fresh(instantiate(type.type, opened)))
            type = type.body
        return opened, instantiate(type, opened)

    def _at_params(self, type: Term) -> Term:
        """The type with the group's parameters put in for its own, which must be the same."""
        for place, param in enumerate(self.params):
            if not isinstance(type, Pi) or not self.kernel.equal(
                instantiate(type.type, self.params[:place]), param.type
            ):
                raise Refused("its parameters are not those of its group")
            type = type.body
        return instantiate(type, self.params)

    # ---- types and constructors

    def _check_data(self) -> None:
        """What the file says about the group agrees with itself and with the constructors' types."""
        types, makers = self.group.types, self.group.constructors
        if not types:
            raise Refused("a group has no types")
        first = types[0]
        names = tuple(type.name for type in types)
        fields = [field for maker in makers for field in domains(maker.type)[maker.num_params :]]
        recursive = any(self.mentions(field) for field in fields)
        for type in types:
            own = tuple(maker for maker in makers if maker.inductive == type.name)
            if (type.group, type.params, type.num_params) != (names, first.params, first.num_params):
                raise Refused(f"{type.name} disagrees with its group")
            if type.recursive != recursive:
                raise Refused(f"{type.name} says wrongly whether its constructors take values of it")
            if type.constructors != tuple(maker.name for maker in own):
                raise Refused(f"{type.name} has other constructors than it says")
            for index, maker in enumerate(own):
                if (maker.params, maker.index, maker.num_params) != (first.params, index, first.num_params):
                    raise Refused(f"{maker.name} disagrees with its type")
                if maker.num_params + maker.num_fields != len(domains(maker.type)):
                    raise Refused(f"{maker.name} has another number of fields than it says")
        if len(makers) != sum(len(type.constructors) for type in types):
            raise Refused("a constructor belongs to no type of its group")

    def _sort(self, term: Term) -> Level:
        if not isinstance(term, Sort):
            raise Refused("its type does not end in a sort")
        return term.level

    def _family(self, type: Inductive) -> Family:
        self.kernel.check_type(type.type)
        indices, end = self._open(self._at_params(type.type))
        if not levels.equal(self._sort(end), self.level):
            raise Refused("types of one group are in different universes")
        if len(indices) != type.num_indices:
            raise Refused(f"{type.name} has {len(indices)} indices, not {type.num_indices}")
        return Family(apply(const(type.name, *self.universes), self.params), indices, [])

    def _maker(self, maker: Constructor) -> Maker:
        self.kernel.check_type(maker.type)
        self.kernel.constants[maker.name] = maker
        return maker.name, apply(const(maker.name, *self.universes), self.params), self._at_params(maker.type)

    def _check_uniform(self) -> None:
        """The new types occur at the group's own parameters only."""
        own = {family.type for family in self.families}
        for name, _, type in (maker for family in self.families for maker in family.makers):
            if self.mentions(terms.replace(type, lambda term: PROP if term in own else None)):
                raise Refused(f"{name} mentions the new type at other parameters than its own")

    def _add_nested(self, type: Term) -> None:
        """Finds older types at arguments that mention the new ones, outermost and leftmost first."""
        fn, args = spine(type)
        older = self.kernel.constants.get(fn.name) if isinstance(fn, Const) and fn.name not in self.names else None
        if isinstance(older, Inductive) and len(args) >= older.num_params and self.mentions(*args[: older.num_params]):
            assert isinstance(fn, Const)
            self._add_families(older, fn.levels, args[: older.num_params])
        else:
            for part in children(type):
                self._add_nested(part)

    def _add_families(self, older: Inductive, universes: tuple[Level, ...], args: list[Term]) -> None:
        if any(arg.loose for arg in args):
            raise Refused(f"{older.name} is applied to a new type together with bound variables")
        if any(family.type is apply(const(older.name, *universes), args) for family in self.families):
            return

        def at_args(type: Term) -> Term:
            for _ in args:
                assert isinstance(type, Pi)
                type = type.body
            return instantiate(at_levels(type, older.params, universes), args)

        for name in older.group:
            type = self.kernel.constants[name]
            assert isinstance(type, Inductive)
            indices, end = self._open(at_args(type.type))
            if not levels.equal(self._sort(end), self.level):
                raise Refused(f"{name} is in another universe than the new type in it")
            makers = [
                (maker, apply(const(maker, *universes), args), at_args(self.kernel.constants[maker].type))
                for maker in type.constructors
            ]
            self.families.append(Family(apply(const(name, *universes), args), indices, makers))

    # ---- fields

    def _branch(self, family: Family, name: str, make: Term, type: Term) -> Branch:
        variables, end = self._open(type)
        for variable in variables:
            universe = self.kernel.level_of(variable.type)
            if not (levels.at_most(universe, self.level) or levels.is_zero(self.level)):
                raise Refused(f"a field of {name} is too large for the universe of its type")
        fields = tuple(self._field(name, variable) for variable in variables)
        place, indices = self._value(end)
        if place is None or self.families[place] is not family or self.mentions(*indices):
            raise Refused(f"{name} does not make a value of its type")
        return Branch(name, make, fields, indices)

    def _field(self, name: str, variable: Local) -> Field:
        """What the field contributes; new types may occur only as what it, or a function in it, gives (strict positivity)."""
        type = variable.type
        binders: list[Local] = []
        while self.mentions(type):
            fn, args = spine(type)
            if isinstance(fn, Lam) and args:  # from putting arguments into an older type
                type = beta(fn, args)
                continue
            place, indices = self._value(type)
            if place is not None and not self.mentions(*indices):
                return Field(variable, place, tuple(binders), indices)
            if not isinstance(type, Pi) or self.mentions(type.type):
                raise Refused(f"a field of {name} has the new type in a place where it may not stand")
            binders.append(self.fresh(type.type))
            type = instantiate(type.body, binders[-1:])
        return Field(variable)

    def _value(self, type: Term) -> tuple[int | None, tuple[Term, ...]]:
        """The family to which the type belongs, and its indices."""
        fn, args = spine(type)
        for place, family in enumerate(self.families):
            own, params = spine(family.type)
            if isinstance(fn, Const) and isinstance(own, Const) and fn.name == own.name:
                fits = len(args) == len(params) + len(family.indices)
                if fits and self.kernel.equal(apply(fn, args[: len(params)]), family.type):
                    return place, tuple(args[len(params) :])
        return None, ()

    # ---- recursors

    def _eliminates_largely(self) -> bool:
        """Whether the recursors may give data: always from data; from a proof only if it can be made in one way at most and
        its fields are proofs or can be read off its type."""
        if levels.is_positive(self.level):
            return True
        if len(self.families) > 1 or len(self.branches[0]) > 1:
            return False
        return all(
            field.variable in branch.indices or levels.is_zero(self.kernel.level_of(field.variable.type))
            for branch in self.branches[0]
            for field in branch.fields
        )

    def recursors(self) -> dict[str, Recursor]:
        """A recursor for every family."""
        first = self.group.types[0]
        names = [f"{type.name}.rec" for type in self.group.types]
        names += [f"{first.name}.rec_{i + 1}" for i in range(len(self.families) - len(names))]
        params, universes, target = first.params, self.universes, PROP
        if self._eliminates_largely():
            sent = self.group.recursors[0].params if self.group.recursors else ()
            if not sent or sent[0] in params:
                raise Refused("a recursor lacks the universe of its result")
            params, target = sent[:1] + params, sort(levels.param(sent[0]))
            universes = (target.level, *universes)
        majors = [self.fresh(apply(family.type, family.indices)) for family in self.families]
        motives = [
            self.fresh(close(pi, [*family.indices, major], target))
            for family, major in zip(self.families, majors, strict=True)
        ]
        minors = [
            [self.fresh(self._minor(branch, motive, motives)) for branch in branches]
            for branches, motive in zip(self.branches, motives, strict=True)
        ]
        first_args = [*self.params, *motives, *(minor for some in minors for minor in some)]
        calls = [apply(const(name, *universes), first_args) for name in names]
        k = levels.is_zero(self.level) and [[len(branch.fields) for branch in some] for some in self.branches] == [[0]]
        made = {}
        for place, name in enumerate(names):
            family, major = self.families[place], majors[place]
            result = app(apply(motives[place], family.indices), major)
            rules = {
                branch.name: Rule(len(branch.fields), self._rule(branch, minor, first_args, calls))
                for branch, minor in zip(self.branches[place], minors[place], strict=True)
            }
            made[name] = Recursor(
                name,
                params,
                close(pi, [*first_args, *family.indices, major], result),
                num_params=len(self.params),
                num_motives=len(motives),
                num_minors=len(first_args) - len(self.params) - len(motives),
                num_indices=len(family.indices),
                k=k,
                rules=rules,
            )
        return made

    def _minor(self, branch: Branch, motive: Local, motives: list[Local]) -> Term:
        """What has to be given for a constructor: a value of the motive, from its fields and the results for the recursive ones."""
        variables = [field.variable for field in branch.fields]
        results = [self.fresh(result) for result in self._results(branch, motives, pi)]
        return close(pi, [*variables, *results], app(apply(motive, branch.indices), apply(branch.make, variables)))

    def _rule(self, branch: Branch, minor: Local, first_args: list[Local], calls: list[Term]) -> Term:
        """The recursor on a constructor: what was given for it, at the fields and at the recursor's results on the recursive ones."""
        variables = [field.variable for field in branch.fields]
        results = self._results(branch, calls, lam)
        return close(lam, [*first_args, *variables], apply(minor, [*variables, *results]))

    def _results(self, branch: Branch, of: Sequence[Term], binder: Callable[[Term, Term], Term]) -> list[Term]:
        """For each recursive field, `of` its family at it, or at what it gives for all arguments."""
        return [
            close(
                binder, field.binders, app(apply(of[field.family], field.indices), apply(field.variable, field.binders))
            )
            for field in branch.fields
            if field.family is not None
        ]
