"""Proofs from instances that are not Lean any more: no false theorem becomes accepted, no honest one stays refused.

The scripts are copied and the copy of instance.cjs is changed, as a debugger would change what runs: rules and guard off for the attacks that
are known to have worked, and memory or answers overwritten on purpose.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from burnqed.lean.check import judge
from burnqed.lean.embedded import supervisor
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.facts import ProofFacts
from burnqed.lean.proofs import read_json, read_lean
from burnqed.lean.protocol import Theorem
from burnqed.lean.source import ProofToCheck
from tests.fixtures.addresses import kernel_false, with_addresses

HONEST = [
    ("2 + 2 = 4", "rfl"),
    ("∀ a b : Nat, a + b = b + a", "intro a b\nomega"),
    ("10 * 10 = 100", "decide +kernel"),
    ("∀ xs : List Nat, xs ++ [] = xs", "simp"),
    ("∀ p : Prop, p ∨ ¬p", "exact Classical.em"),
]
FALSE = [
    ("1 = 2", "decide +kernel"),
    ("2 + 2 = 5", "rfl"),
    ("∀ a : Nat, a = a + 1", "intro a\nomega"),
    ("False", "first | trivial | decide | simp"),
]
RULES_OFF = ("const { baked, snapshot", "require('./rules.cjs').switchOff();\n  const { baked, snapshot")
GUARD_OFF = ("memoryMb, source:", "memoryMb, isGuarded: false, source:")
ANSWER = "const answer = answerTo(handlers[request.kind], request);"

# What happens to an author's instance from its second proof on; `lean`, `request`, `answer` and `past` (answers so far) are there.
SCRIBBLE = """
lean.views();
let seed = past.length * 7919 + 17;
const random = below => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % below;
for (let i = 0; i < 3000; i++) lean.words[(30e6 + random(100e6)) >> 2] = random(0x7fffffff);
"""
BEFORE = {
    "the kernel's false is its true": "lean.setWord(FALSE, TRUE);",
    "words anywhere in its memory": SCRIBBLE,
    "constants that become others": "lean.views(); for (const name of ['Nat.add_comm', 'rfl', 'Eq.refl', 'of_decide_eq_true', 'List.append_nil']) {"
    " const info = find(lean, kernel(lean, environment), lean.name(name)); const cv = lean.field(lean.field(info, 0), 0);"
    " lean.setWord(cv + 16, lean.field(lean.field(lean.field(find(lean, kernel(lean, environment), lean.name('absurd')), 0), 0), 2)); }",
}
FORGED = """[
  '{"meta":{"exporter":{"name":"x","version":"3.1.0"},"lean":{"githash":"","version":""},"format":{"version":"3.1.0"}}}',
  '{"str":{"pre":0,"str":"burnqed_goal"},"in":1}', '{"str":{"pre":0,"str":"False"},"in":2}', '{"const":{"name":2,"us":[]},"ie":0}',
  '{"axiom":{"name":1,"levelParams":[],"type":0,"isUnsafe":false}}', ''].join('\\n')"""
AFTER = {
    "the text of another proof": "if (past[0]?.proof) answer.proof = past[0].proof;",
    "a text that states what it proves": f"answer.proof = {FORGED};",
    "no text": "answer.proof = '';",
    "half a text": "answer.proof = answer.proof.slice(0, answer.proof.length / 2);",
    "a text about another statement": 'answer.proof = answer.proof.replaceAll(\'"natVal":"5"\', \'"natVal":"4"\').replaceAll(\'"natVal":"2"\', \'"natVal":"1"\');',
    "no errors, whatever happened": "answer.messages = []; answer.commands = 1; answer.refused = '';",
    "errors, whatever happened": "answer.messages = [{ severity: 'error', line: 1, column: 0, text: 'no' }];",
    "a refusal by the rules": "answer.refused = 'no';",
    "a crash": "answer.fatal = 'no';",
    "an error": "answer.error = { kind: 'error', message: 'no' };",
}


FIRST = {
    *("the kernel's false is its true", "the text of another proof", "a text that states what it proves"),
    *("no errors, whatever happened", "a crash"),
}
"""The others are run by `make test-long`."""


def hostile(before: str = "", after: str = "") -> list[tuple[str, str]]:
    cell, true = kernel_false()
    before = before.replace("FALSE", str(cell)).replace("TRUE", str(true))
    is_used = "role === 'author' && request.kind === 'proof' && past.length"
    return [
        ("const handlers =", "const past = [], { find, kernel } = require('./environment.cjs');\n  const handlers ="),
        (
            ANSWER,
            f"if ({is_used}) {{ {before} }}\n{ANSWER}\nif ({is_used}) {{ {after} }}\n"
            "if (role === 'author' && request.kind === 'proof') past.push(structuredClone(answer));",
        ),
    ]


@asynccontextmanager
async def changed_lean(
    monkeypatch: pytest.MonkeyPatch, folder: Path, changes: list[tuple[str, str]]
) -> AsyncIterator[EmbeddedLean]:
    """Lean with an instance.cjs in which each first text of `changes` is replaced by the second."""
    shutil.copy(supervisor.SCRIPTS.parent / "rules.json", folder)
    scripts = folder / "embedded"
    scripts.mkdir()
    for script in supervisor.SCRIPTS.glob("*.cjs"):
        shutil.copy(script, scripts)
    instance = scripts / "instance.cjs"
    text = instance.read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    instance.write_text(text, encoding="utf-8")
    monkeypatch.setattr(supervisor, "SCRIPTS", scripts)
    async with EmbeddedLean(workers=1, check_timeout_s=30) as lean:
        yield lean


async def accepts(lean: EmbeddedLean, statement: str, proof: str) -> bool:
    return (await lean.check(Theorem(name="t", statement=statement), proof)).accepted


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=[pytest.mark.long] * (what not in FIRST)) for what in [*BEFORE, *AFTER]]
)
async def test_an_instance_that_is_not_to_be_trusted_changes_no_verdict(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, what: str
) -> None:
    changes = hostile(BEFORE.get(what, ""), AFTER.get(what, ""))
    async with changed_lean(monkeypatch, tmp_path, changes) as lean:
        for (statement, proof), (untrue, attempt) in zip(HONEST, [*FALSE, FALSE[0]], strict=True):
            assert await accepts(lean, statement, proof), statement
            assert not await accepts(lean, untrue, attempt), untrue


async def test_a_judge_that_others_proofs_have_worn_out_spoils_no_proof(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    worn = f"{ANSWER}\nif (role === 'judge' && past.push(0) > 1) answer.fatal = 'out of memory';"
    async with changed_lean(monkeypatch, tmp_path, [hostile()[0], (ANSWER, worn)]) as lean:
        for statement, proof in HONEST[:3]:
            assert (await lean.check(Theorem(name="t", statement=statement), proof, is_trusted=False)).accepted


async def test_what_one_stranger_does_to_the_memory_is_gone_for_the_next(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ruined = f"{ANSWER}\nif (request.kind === 'check') {{ past.push(0); {SCRIBBLE} }}"
    async with changed_lean(monkeypatch, tmp_path, [hostile()[0], (ANSWER, ruined)]) as lean:
        for statement, proof in HONEST:
            assert (await lean.check(Theorem(name="t", statement=statement), proof, is_trusted=False)).accepted
        for statement, proof in FALSE:
            assert not (await lean.check(Theorem(name="t", statement=statement), proof, is_trusted=False)).accepted
        assert (await lean.stats())["recycled"] == len(HONEST) + len(FALSE) - 1
        assert (await lean.stats())["restarts"] == 0


async def known_attacks(shared: Path) -> list[ProofToCheck]:
    """The file is cut by a Lean that nobody has changed."""
    folder = shared / "attacks"
    moved = [ProofToCheck.of(p.theorem, with_addresses(p.proof)) for p in read_json(folder / "bare.json")]
    async with EmbeddedLean(workers=1) as lean:
        return [*moved, *await read_lean(folder / "kernel.lean", lean, is_trusted=True)]


@pytest.mark.parametrize(
    "off",
    [
        pytest.param([], id="whole"),
        pytest.param([RULES_OFF], id="no rules", marks=pytest.mark.long),
        pytest.param([RULES_OFF, GUARD_OFF], id="judge alone"),
    ],
)
async def test_known_attacks_are_refused_and_honest_proofs_beside_them_accepted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shared: Path, off: list[tuple[str, str]]
) -> None:
    attacks = await known_attacks(shared)
    async with changed_lean(monkeypatch, tmp_path, off) as lean:
        for attack in attacks:
            for statement, proof in HONEST[:3]:
                assert await accepts(lean, statement, proof), (attack.theorem.name, statement)
            facts = await lean.facts(attack.theorem, attack.proof)
            assert isinstance(facts, ProofFacts), facts
            assert not judge(attack.theorem, facts).accepted, attack.theorem.name
            if len(off) == 2:  # it does succeed in the instance: nothing but the judge speaks against it
                assert (facts.refused, facts.errors, facts.commands) == ("", [], 1), attack.theorem.name
                assert facts.objection
            assert not (await lean.check(attack.theorem, attack.proof, is_trusted=False)).accepted
        for statement, proof in HONEST:
            assert await accepts(lean, statement, proof), statement
