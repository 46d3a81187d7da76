"""Whether a proof is accepted: proved means checked.

A whole proof is compiled in a fresh environment against the original statement, and accepted when Lean reports no error, the text was
one theorem and nothing else, the theorem that is then in the environment states what the statement alone stands for, and it depends on
no axioms but `propext`, `Classical.choice`, `Quot.sound` and the theorems of the pinned library. docs/trust.md tells what that
rests on.

    verdict = await backend.check(theorem, "intro n\\nomega")        # screen, compile, judge
"""

from __future__ import annotations

from burnqed.lean.facts import ProofFacts
from burnqed.lean.lexer import Kind, Token, tokens
from burnqed.lean.protocol import Theorem, Verdict

STANDARD_AXIOMS = frozenset({"propext", "Classical.choice", "Quot.sound"})

_DECLARATIONS = "theorem def abbrev example instance axiom opaque inductive coinductive structure class unsafe partial noncomputable private"
_SCOPES = "namespace section end variable universe export include omit import mutual attribute deriving"
_SYNTAX = "notation infix infixl infixr prefix postfix macro macro_rules syntax declare_syntax_cat elab elab_rules unif_hint binder_predicate"
_CODE = "initialize builtin_initialize run_cmd run_elab run_meta simproc dsimproc"
_HASH = "#eval #eval! #reduce #print #check #check_failure #synth #exit #guard #guard_msgs #with_exporting"
COMMANDS = frozenset(f"{_DECLARATIONS} {_SCOPES} {_SYNTAX} {_CODE} {_HASH}".split())
"""Words that begin a command. Lean reserves them, so that no name, tactic or term in a proof can be one of them."""

_TIMEOUT = "(deterministic) timeout"
_COMPILER_AXIOMS = frozenset({"Lean.ofReduceBool", "Lean.ofReduceNat", "Lean.trustCompiler"})


def screen(theorem: Theorem, proof: str) -> str | None:
    """Why a proof need not be compiled, or None: only what text alone shows beyond doubt, at no cost in Lean's time."""
    for part, text in (("header", theorem.header or ""), ("statement", theorem.statement), ("proof", proof)):
        if "\0" in text:
            return f"The {part} contains a zero character."
    last = Token(Kind.SYMBOL, "", -1)
    words = 0
    for token in tokens(proof):
        if token.kind is Kind.UNFINISHED:
            return f"The proof contains a {'comment' if token.text.startswith('/-') else 'text'} that does not end."
        is_field = last.text.endswith(".") and last.end == token.start  # `(e).prefix` is a field, whatever it is called
        if token.kind is Kind.WORD and token.text in COMMANDS and not is_field:
            return f"The proof contains the command `{token.text}`; it must be one block of tactics."
        words += token.kind is not Kind.COMMENT
        last = token
    return None if words else "The proof is empty."


def judge(theorem: Theorem, facts: ProofFacts) -> Verdict:
    """Verdict on a compiled proof, from facts of Lean's environment; printed messages only ever count against it."""
    reason = _objection(facts)
    is_timeout = any(_TIMEOUT in error.text for error in facts.errors)
    return Verdict(name=theorem.name, accepted=not reason, reason=reason, axioms=sorted(facts.axioms), could_not_check=is_timeout and bool(reason))


def _objection(facts: ProofFacts) -> str:
    """The first thing that speaks against a proof, as one sentence; empty when nothing does."""
    if facts.header_errors:
        return f"The header does not elaborate: {_first_line(facts.header_errors[0])}"
    if facts.statement_errors:
        return f"The statement does not elaborate: {_first_line(facts.statement_errors[0])}"
    if facts.refused:
        return f"Not allowed: {facts.refused}."
    if facts.commands != 1:
        return "The proof does not end where its block of tactics ends."
    if facts.errors:
        error = facts.errors[0]
        return f"Lean reports an error in line {max(error.line, 1)} of the proof: {_first_line(error.text)}"
    if not facts.theorem_found or facts.kind != "theorem":
        return "The text declares no theorem of that name."
    if not facts.type_matches or not facts.level_params_match:
        return "The theorem that was proved is not the one that was stated."
    if any(constant.kind == "axiom" for constant in facts.new_constants):
        return "The proof declares an axiom."
    axioms = set(facts.axioms) - STANDARD_AXIOMS
    if "sorryAx" in axioms:
        return "The proof, or something it uses, contains `sorry`."
    if axioms & _COMPILER_AXIOMS:
        return "The proof trusts the compiler, not the kernel."
    if axioms:
        return f"The proof depends on axioms that are neither standard nor theorems of the library: {', '.join(sorted(axioms))}."
    return ""


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
