"""Sections of the configuration: typed fields, each marked with what it decides and its unit."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Self, TypeVar

from pydantic import BaseModel, ConfigDict, field_validator
from pydantic_core import to_jsonable_python

Value = TypeVar("Value")


class Kind(Enum):
    """What a value decides. A value without a mark decides what the outputs mean, and enters the keys of the steps that read it."""

    OPERATION = "operation"
    ADDRESS = "address"
    STRUCTURE = "structure"


Operation = Annotated[Value, Kind.OPERATION]
"""How work is done, not what its result is: workers, memory, batch sizes, prices. Every step may read it, and changing it remakes nothing."""
Address = Annotated[Value, Kind.ADDRESS]
"""Where something is. The content there enters the keys (as a parameter of the unit that reads it), the address does not."""
Structure = Annotated[Value, Kind.STRUCTURE]
"""Which outputs there are. No step reads it while it makes one; keys reflect it as inputs that are present or absent."""
LATER = "later"
Later = Annotated[Value, LATER]
"""Added after stores had been written: it enters keys only where it is not the default, and older outputs stay valid."""


@dataclass(frozen=True)
class Unit:
    """What a number is measured in, or counts."""

    name: str


Seconds = Annotated[Value, Unit("s")]
Minutes = Annotated[Value, Unit("min")]
Hours = Annotated[Value, Unit("h")]
Days = Annotated[Value, Unit("days")]
Megabytes = Annotated[Value, Unit("MB")]
Characters = Annotated[Value, Unit("characters")]
Tokens = Annotated[Value, Unit("tokens")]
Nodes = Annotated[Value, Unit("nodes")]
Steps = Annotated[Value, Unit("steps")]
Pairs = Annotated[Value, Unit("pairs")]
Theorems = Annotated[Value, Unit("theorems")]
Dollars = Annotated[Value, Unit("US$")]


class Undeclared(AttributeError):
    """A step reads a value that is not in its key."""


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)

    @field_validator("*")
    @classmethod
    def fits(cls, value: object) -> object:
        """Accepts only whole numbers that JSON, Arrow and numpy represent exactly."""
        for number in value if isinstance(value, list) else [value]:
            if isinstance(number, int) and abs(number) >= 1 << 53:
                raise ValueError("whole numbers are below 2^53")
        return value

    @classmethod
    def kind(cls, name: str) -> Kind | None:
        """The mark of a field."""
        return next((mark for mark in cls.model_fields[name].metadata if isinstance(mark, Kind)), None)

    @classmethod
    def unit(cls, name: str) -> str:
        """The unit of a field; empty where it is obvious."""
        return next((mark.name for mark in cls.model_fields[name].metadata if isinstance(mark, Unit)), "")

    def meaning(self, *kinds: Kind) -> dict[str, object]:
        """The values that decide what the outputs mean, as JSON, by dotted name; and those of the `kinds`."""
        values: dict[str, object] = {}
        for name, value in vars(self).items():
            field = type(self).model_fields[name]
            if self.kind(name) in (None, *kinds) and not (LATER in field.metadata and value == field.default):
                values |= (
                    {f"{name}.{inner}": v for inner, v in value.meaning(*kinds).items()}
                    if isinstance(value, Section)
                    else {name: to_jsonable_python(value)}
                )
        return values

    def only(self, declared: Collection[str], without: Collection[str] = ()) -> Self:
        """A copy with the declared values, but for those in `without`, and those of operation; reading any other raises Undeclared.

        `declared` names sections and single values (`search`, `policy.dtype`), `without` single values.
        """
        copy = self.model_copy()
        for name, value in vars(self).items():
            inner, outside = (
                [key.removeprefix(f"{name}.") for key in keys if key.startswith(f"{name}.")]
                for keys in (declared, without)
            )
            if self.kind(name) is Kind.OPERATION:
                continue
            if isinstance(value, Section):
                vars(copy)[name] = value.only(vars(value) if name in declared else inner, outside)
            elif name not in declared or name in without or self.kind(name) is Kind.STRUCTURE:
                del vars(copy)[name]
        return copy

    if not TYPE_CHECKING:  # a type checker would otherwise accept any name as a field

        def __getattr__(self, name: str) -> object:
            if name in type(self).model_fields:
                raise Undeclared(f"{type(self).__name__}.{name} is read by a step that does not declare it")
            return super().__getattr__(name)
