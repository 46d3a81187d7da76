"""Replies of Pantograph's REPL, as far as we read them (docs/pantograph.md). Unknown fields are ignored; of a wrong list, which may be long, nothing is
looked at after its first wrong part.

A request is a line `COMMAND {JSON}`, a reply one line of JSON: what the command gives, or a `Failure`.
"""

from __future__ import annotations

import json

from pydantic import BaseModel, ConfigDict, Field

READY = "ready."
"""The greeting."""


def request(command: str, **fields: object) -> str:
    return f"{command} {json.dumps(fields, ensure_ascii=False)}"


class Reply(BaseModel):
    """Also of commands whose replies hold nothing that is read."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Failure(Reply):
    """A request that could not be carried out, which may be because of what it was about."""

    error: str
    """Kind: command, index, io, elab, parse, exception, structure, invalid; in other versions also core, internal, operation, arguments."""
    desc: str


class Expression(Reply):
    pp: str = ""
    """As Lean prints it, 120 characters wide."""


class Variable(Reply):
    """Of a goal. Those made by `have` or `let` have a `value`, too, which is not read: Lean prints that of `have` nowhere."""

    user_name: str = Field(alias="userName")
    """With Lean's dagger where it cannot be written."""
    type: Expression | None = None


class Goal(Reply):
    user_name: str = Field("", alias="userName")
    """Its case."""
    fragment: str = "tactic"
    target: Expression
    vars: list[Variable] = Field(fail_fast=True)


class Message(Reply):
    data: str
    severity: str = "error"


class Started(Reply):
    """Of `goal.start`."""

    state: int = Field(alias="stateId")


class Printed(Reply):
    """Of `goal.print`."""

    goals: list[Goal] = Field(default_factory=list, fail_fast=True)
    has_hole: bool = Field(False, alias="rootHasMVar")
    has_sorry: bool = Field(False, alias="rootHasSorry")
    has_unsafe: bool = Field(False, alias="rootHasUnsafe")


class Target(Reply):
    """A place in a file that is left open."""

    state: int = Field(alias="stateId")
    goals: list[Goal] = Field(fail_fast=True)


class Distilled(Reply):
    """Of `frontend.distil`."""

    targets: list[Target] = Field(fail_fast=True)


class Applied(Reply):
    """Of `goal.tactic`. It failed where there are no goals."""

    state: int | None = Field(None, alias="nextStateId")
    goals: list[Goal] | None = Field(None, fail_fast=True)
    messages: list[Message] = Field(default_factory=list, fail_fast=True)
    parse_error: str = Field("", alias="parseError")
    tactic_errors: list[str] = Field(default_factory=list, fail_fast=True, alias="tacticErrors")
    """Of earlier versions."""
    has_sorry: bool = Field(False, alias="hasSorry")
    """About this step alone."""
    has_unsafe: bool = Field(False, alias="hasUnsafe")

    @property
    def errors(self) -> list[str]:
        """Why it failed; or why it did not quite succeed."""
        logged = [message.data for message in self.messages if message.severity == "error"]
        return [*([self.parse_error] if self.parse_error else []), *self.tactic_errors, *logged]
