"""Rules on the text of tactics and proofs, and that both backends tell of them in the same words."""

from __future__ import annotations

import pytest

from burnqed.lean.proofs import tactics
from burnqed.lean.rules import RULES, refusal
from tests.fixtures.cheats import CHEATS
from tests.fixtures.escapes import ESCAPES
from tests.fixtures.honest import HONEST
from tests.fixtures.native_cheats import HONEST_CONFIGURATIONS, NATIVE_CHEATS

NO_TEXT_SHOWS = {"trustCompiler (proof)", "a local instance of a numeral (proof)", "a variable called true (proof)"}
"""The first is an axiom, which the judge refuses; the others run a pure function."""


def told(rule: str, name: str = "") -> str:
    return str(RULES[rule]["why"]).replace("{name}", name)


@pytest.mark.parametrize(
    ("tactic", "why"),
    [
        ("native_decide", RULES["words"]["native_decide"]),
        ("all_goals (try native_decide)", RULES["words"]["native_decide"]),
        ("decide +native", RULES["configurations"]["native"]),
        ("decide («native» := true)", RULES["configurations"]["native"]),
        ("exact Lean.«ofReduceBool» _ true rfl", told("compiler", "Lean.ofReduceBool")),
        ("simp (config := .mk false true true false)", told("configurations")),
        ("simp (maxSteps := n + 1)", told("configurations")),
        ("simp (config := { maxSteps := unsafeIO f })", told("configurations")),
        ("simp (config := { c with maxSteps := 5 })", told("configurations")),
        ("rw (occs := .pos [f 1]) [h]", told("configurations")),
        ("exact unsafeCast 5", told("unsafe")),
        ("set_option debug.skipKernelTC true in rfl", told("options", "debug.skipKernelTC")),
        ("let rec @[simp, implemented_by f] g := 1\nrfl", told("attributes", "implemented_by")),
        ("have := eval% 1 + 1", RULES["words"]["eval%"]),
        ('exact f s!"{(by native_decide : p)}"', RULES["words"]["native_decide"]),
        ("plausible", RULES["words"]["plausible"]),
    ],
)
def test_what_would_run_code_is_refused_in_the_words_of_its_rule(tactic: str, why: str) -> None:
    assert refusal(tactic) == why


@pytest.mark.parametrize(
    "tactic",
    [
        *HONEST_CONFIGURATIONS.values(),
        "simp -native",
        "exact add_comm (a := f x) (b := y)",
        "-- native_decide",
        'exact "native_decide"',
        "simp (config := { maxSteps := 5, etaStruct := .all }) only [h]",
        "set_option maxHeartbeats 400000 in\nsimp",
        "let rec @[simp, local grind =] f (n : Nat) : Nat := n\nsimp",
        "exact @f [1] (by simp)",
    ],
)
def test_honest_tactics_pass(tactic: str) -> None:
    assert refusal(tactic) is None


def test_no_honest_proof_is_refused_but_for_names_that_are_words_of_tactics() -> None:
    refused = [a.tries for a in HONEST if refusal(tactics(a.proof))]
    assert [tries for tries in refused if "called" not in tries] == []


def test_what_hides_in_a_proof_to_be_run_is_refused_but_for_what_only_a_tree_shows() -> None:
    hidden = [a for a in NATIVE_CHEATS if a.header is None]
    assert {a.tries for a in hidden if refusal(a.proof) is None} == NO_TEXT_SHOWS
    assert any(refusal(a.proof) for a in CHEATS)


@pytest.mark.parametrize("name", ESCAPES)
def test_every_way_out_of_lean_is_refused_by_its_text_alone(name: str) -> None:
    assert refusal(ESCAPES[name].format(canary="/tmp/x", secret="/etc/passwd", port=1)) is not None
