"""Reads an export: NDJSON 3.1.0 of lean4export (format_ndjson.md there), strictly. One line is one JSON object: a name, level or
term with its number, or a declaration. A line refers to numbers of earlier lines only. Binder names, binder kinds and metadata
mean nothing to a kernel and are dropped."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from tests.second_kernel import levels, terms
from tests.second_kernel.constants import (
    Axiom,
    Constant,
    Constructor,
    Definition,
    Group,
    Inductive,
    NotAnExport,
    Quotient,
    Recursor,
    Refused,
    Rule,
)
from tests.second_kernel.levels import Level
from tests.second_kernel.terms import Term

Declaration = Constant | Group
T = TypeVar("T")

BINDER = {"name": int, "type": int, "body": int, "binderInfo": str}
CONSTANT = {"name": int, "levelParams": list, "type": int}
DEFINITION = CONSTANT | {"value": int, "all": list}
INDUCTIVE = CONSTANT | dict.fromkeys(("numParams", "numIndices", "numNested"), int)
INDUCTIVE |= {"all": list, "ctors": list, "isRec": bool, "isUnsafe": bool, "isReflexive": bool}
CONSTRUCTOR = CONSTANT | dict.fromkeys(("induct", "cidx", "numParams", "numFields"), int) | {"isUnsafe": bool}
RECURSOR = CONSTANT | dict.fromkeys(("numParams", "numIndices", "numMotives", "numMinors"), int)
RECURSOR |= {"all": list, "rules": list, "k": bool, "isUnsafe": bool}


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotAnExport("a key stands twice in one object")
    return found


def _no_number(text: str) -> Any:
    raise NotAnExport(f"{text} is no natural number")


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_float=_no_number, parse_constant=_no_number)


def component(text: str) -> str:
    """One part of a name, as burnqed writes it. Different parts give different texts, and none can disturb a terminal."""
    plain = text[:1].isalpha() or text[:1] == "_"
    if plain and all(c.isalnum() or c in "_'!?" for c in text):
        return text
    shown = (c if c.isprintable() and c not in "»\\" else f"\\{ord(c):x};" for c in text)
    return f"«{''.join(shown)}»"


class Reader:
    """The tables of one file."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {0: ""}
        self.levels: dict[int, Level] = {0: levels.ZERO}
        self.terms: dict[int, Term] = {}

    def declarations(self, lines: Iterable[str]) -> Iterator[Declaration]:
        """The file's declarations, in order."""
        number = 0
        for number, line in enumerate(lines, 1):
            try:
                item = self._line(line, number)
            except ValueError as error:
                raise NotAnExport(f"line {number} is no JSON: {error}") from None
            except RecursionError:
                raise NotAnExport(f"line {number} is nested too deep") from None
            except NotAnExport as error:
                raise NotAnExport(f"line {number}: {error}") from None
            if item is not None:
                yield item
        if not number:
            raise NotAnExport("it is empty")

    def _line(self, line: str, number: int) -> Declaration | None:
        item = _decoder.decode(line)
        if not isinstance(item, dict):
            raise NotAnExport("not an object")
        if (number == 1) != ("meta" in item):
            raise NotAnExport("the first line, and no other, says who exported what (meta)")
        if number == 1:
            self._meta(item)
        elif "ie" in item:
            self._enter(self.terms, item, "ie", self._term)
        elif "in" in item:
            self._enter(self.names, item, "in", self._name)
        elif "il" in item:
            self._enter(self.levels, item, "il", self._level)
        else:
            return self._declaration(*self._single(item))
        return None

    def _meta(self, item: dict[str, Any]) -> None:
        meta = self._fields(
            self._fields(item, {"meta": dict})["meta"], {"exporter": dict, "lean": dict, "format": dict}
        )
        self._fields(meta["exporter"], {"name": str, "version": str})
        self._fields(meta["lean"], {"githash": str, "version": str})
        if (version := self._fields(meta["format"], {"version": str})["version"]) != "3.1.0":
            raise NotAnExport(f"format {version!r} is not 3.1.0")

    # ---- parts of lines

    def _fields(self, item: Any, kinds: dict[str, Any]) -> dict[str, Any]:
        """The object, if it has exactly these keys and kinds of values; numbers are natural."""
        if not isinstance(item, dict) or item.keys() != kinds.keys():
            raise NotAnExport(f"expected an object with {', '.join(kinds)}")
        for key, kind in kinds.items():
            value = item[key]
            if value.__class__ is not kind or (kind is int and value < 0):
                raise NotAnExport(f"the value of {key} is not of its kind")
        return item

    def _single(self, item: dict[str, Any]) -> tuple[str, Any]:
        if len(item) != 1:
            raise NotAnExport(f"unknown keys among {', '.join(map(repr, item))}")
        return next(iter(item.items()))

    def _get(self, table: dict[int, T], index: Any) -> T:
        if index.__class__ is not int or index not in table:
            raise NotAnExport(f"{index!r} was not defined before")
        return table[index]

    def _all(self, table: dict[int, T], indices: Any) -> tuple[T, ...]:
        if not isinstance(indices, list):
            raise NotAnExport("expected a list")
        return tuple(self._get(table, index) for index in indices)

    def _enter(self, table: dict[int, T], item: dict[str, Any], key: str, make: Callable[[str, Any], T]) -> None:
        index = item.pop(key)
        if index.__class__ is not int or index < 0 or index in table:
            raise NotAnExport(f"{key} {index!r} is no new number")
        table[index] = make(*self._single(item))

    # ---- names, levels, terms

    def _name(self, kind: str, item: Any) -> str:
        if kind == "str":
            parts = self._fields(item, {"pre": int, "str": str})
            own = component(self._text(parts["str"]))
        elif kind == "num":
            parts = self._fields(item, {"pre": int, "i": int})
            own = str(parts["i"])
        else:
            raise NotAnExport(f"unknown kind of name {kind!r}")
        before = self._get(self.names, parts["pre"])
        return f"{before}.{own}" if before else own

    def _text(self, text: str) -> str:
        if any("\ud800" <= c <= "\udfff" for c in text):
            raise NotAnExport("half a surrogate pair in a text")
        return text

    def _level(self, kind: str, item: Any) -> Level:
        if kind == "succ":
            return levels.succ(self._get(self.levels, item))
        if kind in ("max", "imax"):
            pair = self._all(self.levels, item)
            if len(pair) != 2:
                raise NotAnExport(f"{kind} takes two levels")
            return levels.maximum(*pair) if kind == "max" else levels.imax(*pair)
        if kind == "param":
            return levels.param(self._get(self.names, item))
        raise NotAnExport(f"unknown kind of level {kind!r}")

    def _term(self, kind: str, item: Any) -> Term:
        term = self._get
        if kind == "app":
            parts = self._fields(item, {"fn": int, "arg": int})
            return terms.app(term(self.terms, parts["fn"]), term(self.terms, parts["arg"]))
        if kind == "bvar":
            if item.__class__ is not int or item < 0:
                raise NotAnExport(f"{item!r} is no variable")
            return terms.var(item)
        if kind == "const":
            parts = self._fields(item, {"name": int, "us": list})
            return terms.const(self._get(self.names, parts["name"]), *self._all(self.levels, parts["us"]))
        if kind in ("lam", "forallE"):
            parts = self._fields(item, BINDER)
            self._get(self.names, parts["name"])
            if parts["binderInfo"] not in ("default", "implicit", "strictImplicit", "instImplicit"):
                raise NotAnExport(f"unknown kind of binder {parts['binderInfo']!r}")
            binder = terms.lam if kind == "lam" else terms.pi
            return binder(term(self.terms, parts["type"]), term(self.terms, parts["body"]))
        if kind == "sort":
            return terms.sort(self._get(self.levels, item))
        if kind == "letE":
            parts = self._fields(item, {"name": int, "type": int, "value": int, "body": int, "nondep": bool})
            self._get(self.names, parts["name"])
            return terms.let(*(term(self.terms, parts[key]) for key in ("type", "value", "body")))
        if kind == "proj":
            parts = self._fields(item, {"typeName": int, "idx": int, "struct": int})
            return terms.proj(self._get(self.names, parts["typeName"]), parts["idx"], term(self.terms, parts["struct"]))
        if kind == "natVal":
            if not (isinstance(item, str) and item.isascii() and item.isdecimal() and (item == "0" or item[0] != "0")):
                raise NotAnExport("natVal is no natural number")
            if len(item) > 4300:  # Python's own limit
                raise NotAnExport("natVal has more than 4300 digits")
            return terms.lit(int(item))
        if kind == "strVal" and isinstance(item, str):
            return terms.lit(self._text(item))
        if kind == "mdata":
            return term(self.terms, self._fields(item, {"expr": int, "data": dict})["expr"])
        raise NotAnExport(f"unknown kind of term {kind!r}")

    # ---- declarations

    def _declaration(self, kind: str, item: Any) -> Declaration:
        if kind == "inductive":
            parts = self._fields(item, {"types": list, "ctors": list, "recs": list})
            types = tuple(map(self._inductive, parts["types"]))
            names = tuple(type.name for type in types)
            recursors = tuple(self._recursor(recursor, names) for recursor in parts["recs"])
            return Group(types, tuple(map(self._constructor, parts["ctors"])), recursors)
        if kind == "axiom":
            parts = self._fields(item, CONSTANT | {"isUnsafe": bool})
            return Axiom(*self._constant(parts))
        if kind == "quot":
            parts = self._fields(item, CONSTANT | {"kind": str})
            return Quotient(*self._constant(parts), parts["kind"])
        if kind == "thm":
            parts = self._fields(item, DEFINITION)
            height: float = -1
        elif kind == "opaque":
            parts = self._fields(item, DEFINITION | {"isUnsafe": bool})
            height = -1
        elif kind == "def":
            hints = item.get("hints") if isinstance(item, dict) else None
            parts = self._fields(item, DEFINITION | {"hints": hints.__class__, "safety": str})
            if parts["safety"] != "safe":
                raise Refused(f"{self._get(self.names, parts['name'])}: it is not safe, but {parts['safety']}")
            height = self._height(hints)
        else:
            raise NotAnExport(f"unknown kind of line {kind!r}")
        self._all(self.names, parts["all"])
        return Definition(*self._constant(parts), self._get(self.terms, parts["value"]), kind, height)

    def _height(self, hints: Any) -> float:
        if hints in ("opaque", "abbrev"):
            return -1 if hints == "opaque" else math.inf
        height: int = self._fields(hints, {"regular": int})["regular"]
        return height

    def _constant(self, parts: dict[str, Any]) -> tuple[str, tuple[str, ...], Term]:
        name = self._get(self.names, parts["name"])
        if parts.get("isUnsafe"):
            raise Refused(f"{name}: it is unsafe")
        return name, self._all(self.names, parts["levelParams"]), self._get(self.terms, parts["type"])

    def _inductive(self, item: Any) -> Inductive:
        parts = self._fields(item, INDUCTIVE)
        return Inductive(
            *self._constant(parts),
            num_params=parts["numParams"],
            num_indices=parts["numIndices"],
            group=self._all(self.names, parts["all"]),
            constructors=self._all(self.names, parts["ctors"]),
            recursive=parts["isRec"],
            reflexive=parts["isReflexive"],
            num_nested=parts["numNested"],
        )

    def _constructor(self, item: Any) -> Constructor:
        parts = self._fields(item, CONSTRUCTOR)
        inductive = self._get(self.names, parts["induct"])
        return Constructor(*self._constant(parts), inductive, parts["cidx"], parts["numParams"], parts["numFields"])

    def _recursor(self, item: Any, group: tuple[str, ...]) -> Recursor:
        parts = self._fields(item, RECURSOR)
        constant = self._constant(parts)
        if self._all(self.names, parts["all"]) != group:
            raise Refused(f"{constant[0]}: it belongs to another group than it says")
        rules = {}
        for rule in parts["rules"]:
            rule = self._fields(rule, {"ctor": int, "nfields": int, "rhs": int})
            rules[self._get(self.names, rule["ctor"])] = Rule(rule["nfields"], self._get(self.terms, rule["rhs"]))
        if len(rules) != len(parts["rules"]):
            raise NotAnExport("two rules for one constructor")
        return Recursor(
            *constant,
            num_params=parts["numParams"],
            num_motives=parts["numMotives"],
            num_minors=parts["numMinors"],
            num_indices=parts["numIndices"],
            k=parts["k"],
            rules=rules,
        )
