"""Adds declarations one by one, each checked against those before it [TCL "Declarations"]."""

from __future__ import annotations

from collections.abc import Collection

from tests.second_kernel import axioms, levels
from tests.second_kernel.constants import Axiom, Constant, Definition, Group, Inductive, Quotient, Recursor, Refused
from tests.second_kernel.inductive import Inductives
from tests.second_kernel.reader import Declaration
from tests.second_kernel.terms import Lit, Term, at_levels, constants, lit, parameters, subterms


def members(item: Declaration) -> tuple[Constant, ...]:
    """The constants that a declaration adds."""
    return (*item.types, *item.constructors, *item.recursors) if isinstance(item, Group) else (item,)


def parts(constant: Constant) -> list[Term]:
    """The terms of a constant."""
    if isinstance(constant, Definition):
        return [constant.type, constant.value]
    rules = constant.rules.values() if isinstance(constant, Recursor) else ()
    return [constant.type, *(rule.value for rule in rules)]


class Kernel(Inductives):
    """What a file has declared so far. `permitted`: names of the axioms that it may use."""

    def __init__(self, permitted: Collection[str] = axioms.STANDARD):
        super().__init__()
        self.permitted = frozenset(permitted)

    def add(self, item: Declaration, assume: bool = False) -> None:
        """Adds a declaration, or says why it does not hold. `assume`: types and values of definitions are taken on trust."""
        for constant in members(item):
            self._check_form(constant)
        if len({constant.name for constant in members(item)}) != len(members(item)):
            raise Refused("it declares one name twice")
        match item:
            case Group():
                self.add_group(item)
            case Quotient():
                self._check_quotient(item)
            case Axiom() if item.name not in self.permitted:
                raise Refused("this axiom is not permitted")
            case Axiom() if item.name in axioms.AXIOMS:
                self._check_standard_axiom(item)
            case Axiom() | Definition() if not assume:
                self._check_type_and_value(item)
            case _ if unknown := constants(*parts(item)) - self.constants.keys():
                raise Refused(f"{min(unknown)} was not declared before")
        if isinstance(item, Constant):
            self.constants[item.name] = item
        if isinstance(item, Axiom | Definition):
            self.adopt(item)

    def _check_form(self, constant: Constant) -> None:
        name, params = constant.name, constant.params
        if not name or name in self.constants:
            raise Refused(f"{name or 'the anonymous name'} cannot be declared{' again' * bool(name)}")
        if len(set(params)) != len(params):
            raise Refused(f"{name} has two parameters of universes with one name")
        if any(part.loose for part in parts(constant)):
            raise Refused(f"{name} contains a variable without a binder")
        if unknown := parameters(*parts(constant)) - set(params):
            raise Refused(f"{name} mentions the universe {min(unknown)}, which is none of its parameters")

    def _check_type_and_value(self, item: Axiom | Definition) -> None:
        level = self.check_type(item.type)
        if isinstance(item, Definition):
            if item.kind == "thm" and not levels.is_zero(level):
                raise Refused("it is called a theorem, but what it states is no proposition")
            if not self.equal(self.check(item.value), item.type):
                raise Refused("its value is not of its type")

    # ---- quotients and standard axioms

    def _says(self, constant: Constant | None, type: Term) -> bool:
        """Whether the constant is declared with this type, up to names of universes."""
        universes = (axioms.U, axioms.V)[: len(constant.params)] if constant else ()
        return constant is not None and at_levels(constant.type, constant.params, universes) is type

    def _require(self, name: str) -> None:
        """That the file's constant of this name is the real one."""
        found = self.constants.get(name)
        if name in axioms.INDUCTIVE:
            type, maker, maker_type = axioms.INDUCTIVE[name]
            good = isinstance(found, Inductive) and found.constructors == (maker,) and self._says(found, type)
            good = good and self._says(self.constants.get(maker), maker_type)
        else:
            good = isinstance(found, Quotient)
        if not good:
            raise Refused(f"it speaks of {name}, which is not declared as it should be")

    def _check_quotient(self, item: Quotient) -> None:
        if not (item.name in axioms.QUOTIENTS and item.kind == axioms.QUOTIENTS[item.name][0]):
            raise Refused("it is no constant of quotients")
        if not self._says(item, axioms.QUOTIENTS[item.name][1]):
            raise Refused("its type is not that of this constant of quotients")
        if item.kind == "lift":
            self._require("Eq")
        if item.kind != "type":
            self._require("Quot")
        self.check_type(item.type)

    def _check_standard_axiom(self, item: Axiom) -> None:
        type, needed = axioms.AXIOMS[item.name]
        for name in needed:
            self._require(name)
        if not self._says(item, type):
            raise Refused("it does not say what the axiom of that name says")
        self.check_type(item.type)

    # ---- axioms used

    def axioms_of(self, name: str) -> set[str]:
        """The axioms on which a constant rests."""
        seen, todo = {name}, [name]
        while todo:
            constant = self.constants[todo.pop()]
            names = constants(*parts(constant))
            if any(isinstance(term, Lit) and isinstance(term.value, str) for term in subterms(*parts(constant))):
                names |= constants(self.text(lit("a")))
            if isinstance(constant, Inductive):
                names |= set(constant.constructors)
            todo += names - seen
            seen |= names
        return {name for name in seen if isinstance(self.constants[name], Axiom)}
