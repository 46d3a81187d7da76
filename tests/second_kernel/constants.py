"""What is declared: constants of the eight kinds, and why a file is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.second_kernel.terms import Term


class NotAnExport(Exception):
    """The file is not written in the format."""


class Refused(Exception):
    """A declaration does not hold."""


@dataclass(frozen=True, slots=True)
class Constant:
    """`params`: the names of its parameters of universes."""

    name: str
    params: tuple[str, ...]
    type: Term


@dataclass(frozen=True, slots=True)
class Axiom(Constant):
    pass


@dataclass(frozen=True, slots=True)
class Definition(Constant):
    """A definition, theorem (`kind` "thm") or opaque constant. `height` says which one of two to unfold first: the larger."""

    value: Term
    kind: str
    height: float = 0


@dataclass(frozen=True, slots=True)
class Quotient(Constant):
    """One of `Quot`, `Quot.mk`, `Quot.lift`, `Quot.ind`."""

    kind: str


@dataclass(frozen=True, slots=True)
class Inductive(Constant):
    """`group`: the types defined together with it; `recursive`: a constructor takes values of the group."""

    num_params: int
    num_indices: int
    group: tuple[str, ...]
    constructors: tuple[str, ...]
    recursive: bool
    reflexive: bool
    num_nested: int

    @property
    def is_structure(self) -> bool:
        """Whether its values are determined by their fields."""
        return len(self.constructors) == 1 and not self.num_indices and not self.recursive


@dataclass(frozen=True, slots=True)
class Constructor(Constant):
    inductive: str
    index: int
    num_params: int
    num_fields: int


@dataclass(frozen=True, slots=True)
class Rule:
    """What a recursor becomes on a constructor: `value` takes parameters, motives, minor premises and the constructor's fields."""

    num_fields: int
    value: Term


@dataclass(frozen=True, slots=True)
class Recursor(Constant):
    """Arguments: parameters, motives, minor premises, indices, and the value that it is about. `k`: on a proposition with a
    constructor without fields, any proof counts as that constructor."""

    num_params: int
    num_motives: int
    num_minors: int
    num_indices: int
    k: bool
    rules: Mapping[str, Rule] = field(hash=False)

    @property
    def major(self) -> int:
        """The place of the value that it is about."""
        return self.num_params + self.num_motives + self.num_minors + self.num_indices


@dataclass(frozen=True, slots=True)
class Group:
    """Inductive types that are defined together, with their constructors and recursors."""

    types: tuple[Inductive, ...]
    constructors: tuple[Constructor, ...]
    recursors: tuple[Recursor, ...]
