"""An interactive session with Lean: a statement, then tactics.

    burnqed lean repl "∀ a b : Nat, a + b = b + a"
    printf 'intro a b\\nomega\\n' | burnqed lean repl "∀ a b : Nat, a + b = b + a"

A line is a tactic block, or one of the commands :goals, :undo, :proof, :quit. When no goals are left the whole proof is checked, and
the session asks for the next statement.
"""

from __future__ import annotations

import asyncio
import signal
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


async def repl(backend: LeanBackend, lines: TextIO, output: TextIO, statement: str = "") -> None:
    """Runs a session until :quit or the end of `lines`; from a terminal they are typed after prompts, and can be edited."""
    is_terminal = lines.isatty()

    def say(text: str) -> None:
        output.write(text + "\n")
        output.flush()

    async def ask(prompt: str) -> str | None:
        """The next line that is not empty; None at the end."""
        while True:
            line = typed(prompt) if is_terminal else await asyncio.to_thread(lines.readline)
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


def typed(prompt: str) -> str:
    """A line from the terminal, with its end; empty at the end of input. Ctrl-C gives up the line, as in a shell.

    Meanwhile everything else waits: readline belongs to the main thread, and nothing else is under way.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # asyncio's own would wait for the line's end
    try:
        return input(prompt) + "\n"
    except EOFError:
        print()  # noqa: T201
        return ""
    except KeyboardInterrupt:
        print()  # noqa: T201
        return "\n"
    finally:
        signal.signal(signal.SIGINT, before)


async def prove(backend: LeanBackend, theorem: Theorem, root: ProofState, ask: Ask, say: Say) -> bool:
    """Asks for tactics until the theorem is proved; False when the session ends first."""
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
