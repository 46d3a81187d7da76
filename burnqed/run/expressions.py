"""The part of Argo's small languages that our workflows use: `depends`, `when`, and `{{…}}`.

https://argo-workflows.readthedocs.io/en/latest/enhanced-depends-logic/ defines a task's results.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import StrEnum

from burnqed.errors import BadInput


class Phase(StrEnum):
    """How a node ended, in Argo's terms."""

    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    ERROR = "Error"
    SKIPPED = "Skipped"
    """Its `when` was false, or its fan-out was empty."""
    OMITTED = "Omitted"
    """Its `depends` was false."""


RESULTS = {"Errored" if phase is Phase.ERROR else phase.value: phase for phase in Phase}
"""Phases by their names in `depends`."""
BARE = (Phase.SUCCEEDED, Phase.SKIPPED)
"""Results that satisfy a bare task name in `depends`: Argo reads it as `(name.Succeeded || name.Skipped || name.Daemoned)`."""

TOKEN = re.compile(r"\s*(&&|\|\||!|\(|\)|[A-Za-z0-9_-]+(?:\.[A-Za-z]+)?)")
PLACEHOLDER = re.compile(r"\{\{\s*([^{}]+?)\s*\}\}")
AS_JSON = re.compile(r"=toJson\(([a-z.]+)\['([A-Za-z0-9_-]+)'\]\)")
"""The only expression: a parameter's value as JSON."""
WHEN = re.compile(r"\s*(\S+)\s*==\s*(\S+)\s*")


def names_in(depends: str) -> set[str]:
    """Tasks that a `depends` expression refers to."""
    return {token.partition(".")[0] for token in _tokens(depends) if token not in ("&&", "||", "!", "(", ")")}


def depends_holds(depends: str, phases: Mapping[str, Phase]) -> bool:
    """Evaluates `depends` once every task that it names has ended. Precedence: `!`, `&&`, `||`."""
    left = [*_tokens(depends), ""]

    def either() -> bool:
        value = both()
        while left[0] == "||":
            left.pop(0)
            value = both() or value
        return value

    def both() -> bool:
        value = single()
        while left[0] == "&&":
            left.pop(0)
            value = single() and value
        return value

    def single() -> bool:
        token = left.pop(0)
        if token == "!":
            return not single()
        if token == "(":
            value = either()
            if left.pop(0) != ")":
                raise BadInput(f"A parenthesis is not closed in depends: {depends!r}; fix the workflow.")
            return value
        name, _, result = token.partition(".")
        if name not in phases or (result and result not in RESULTS):
            raise BadInput(f"{token!r} in depends: {depends!r} is not a task result; fix the workflow.")
        return phases[name] in BARE if not result else phases[name] == RESULTS[result]

    value = either()
    if left[0]:
        raise BadInput(f"depends: {depends!r} cannot be parsed from {left[0]!r} on; fix the workflow.")
    return value


def when_holds(when: str) -> bool:
    """Evaluates `word == word`, after substitution; no other form is supported. Raises BadInput for one."""
    match = WHEN.fullmatch(when)
    if not match:
        raise BadInput(f"when: {when!r} is not of the form `value == word`; fix the workflow.")
    return match[1] == match[2]


def substitute(text: str, values: Mapping[str, str]) -> str:
    """Replaces every `{{name}}`, and `{{=toJson(parameters['name'])}}`. Raises BadInput for a name without a value."""

    def value(match: re.Match[str]) -> str:
        as_json = AS_JSON.fullmatch(match[1])
        name = f"{as_json[1]}.{as_json[2]}" if as_json else match[1]
        if name not in values:
            raise BadInput(f"{{{{{match[1]}}}}} has no value; fix the workflow.")
        return json.dumps(values[name]) if as_json else values[name]

    return PLACEHOLDER.sub(value, text)


def _tokens(depends: str) -> list[str]:
    tokens, rest = [], depends.strip()
    while rest:
        match = TOKEN.match(rest)
        if not match:
            raise BadInput(f"depends: {depends!r} cannot be parsed at {rest!r}; fix the workflow.")
        tokens.append(match[1])
        rest = rest[match.end() :]
    return tokens
