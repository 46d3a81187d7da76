"""An interactive session with Lean: a statement, then tactics.

    burnqed lean repl "∀ a b : Nat, a + b = b + a"
    printf 'intro a b\\nomega\\n' | burnqed lean repl "∀ a b : Nat, a + b = b + a"

A line is a tactic block, or one of the commands :goals, :undo, :proof, :quit. When no goals are left the whole proof is checked, and
the session asks for the next statement.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TextIO

from burnqed.display import shown, shown_lines
from burnqed.lean.characters import hidden
from burnqed.lean.protocol import LeanBackend, Outcome, ProofState, Theorem

Ask = Callable[[str], Awaitable[str | None]]
"""Prompt → line, or None at the end."""
Say = Callable[[str], None]

INDENT = "    "
HELP = "A line is a tactic. Commands: :goals shows them, :undo takes a tactic back, :proof shows the tactics so far, :quit ends."


async def repl(backend: LeanBackend, input: TextIO, output: TextIO, statement: str = "") -> None:
    """Runs a session until :quit or the end of `input`; prompts appear only when `input` is a terminal."""
    is_terminal = input.isatty()

    def say(text: str) -> None:
        output.write(text + "\n")
        output.flush()

    async def ask(prompt: str) -> str | None:
        """The next line that is not empty; None at the end."""
        while True:
            if is_terminal:
                output.write(prompt)
                output.flush()
            line = await asyncio.to_thread(input.readline)
            if not line or line.strip() == ":quit":
                return None
            if line.strip():
                return line.rstrip()

    if is_terminal:
        say(HELP)
    while statement or (statement := await ask("statement> ") or ""):
        given, statement = statement.strip(), ""
        if character := hidden(given):
            say(f"error: The statement contains {character}.")
            continue
        theorem = Theorem(name="repl", statement=given)
        root = await backend.start(theorem)
        if root.state is None:
            say(failure(root))
            continue
        try:
            if not await prove(backend, theorem, root.state, ask, say):
                return
        finally:
            await backend.release(root.state)


async def prove(backend: LeanBackend, theorem: Theorem, root: ProofState, ask: Ask, say: Say) -> bool:
    """Asks for tactics until the theorem is proved; False when the session ends before."""
    states, tactics = [root], list[str]()
    say(show(root))
    while not states[-1].is_solved:
        line = await ask("tactic> ")
        if line is None:
            return False
        if line.startswith(":"):
            if line == ":undo" and tactics:
                states.pop()
                tactics.pop()
            proof = "\n".join(shown(tactic) for tactic in tactics)
            say({":goals": show(states[-1]), ":undo": show(states[-1]), ":proof": proof}.get(line, HELP))
            continue
        outcome = await backend.apply(states[-1], line)
        if outcome.state is None:
            say(failure(outcome))
            continue
        states.append(outcome.state)
        tactics.append(line)
        say(show(outcome.state))
    verdict = await backend.check(theorem, "\n".join(tactics))
    message = f"\n{INDENT}{shown_lines(verdict.message, INDENT)}" if verdict.message else ""
    say(
        f"Accepted. Axioms: {shown(', '.join(verdict.axioms)) or 'none'}."
        if verdict.accepted
        else f"Refused: {shown(verdict.reason)}{message}"
    )
    return True


def show(state: ProofState) -> str:
    return "\n".join(shown(line) for line in state.text.split("\n")) or "No goals."


def failure(outcome: Outcome) -> str:
    return f"{outcome.status.value}: {shown_lines(outcome.message, INDENT)}"
