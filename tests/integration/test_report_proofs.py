"""Every proof that a report lists compiles again from the report alone: from its files, and from the text of its page."""

from __future__ import annotations

import asyncio
from html.parser import HTMLParser
from pathlib import Path

import pytest

from burnqed.evaluate.report import Proof, ReportInputs, write_report
from burnqed.lean.check import check_all
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.proofs import read_proofs
from burnqed.lean.protocol import Verdict
from burnqed.trajectory.schema import ProofStatus, TheoremResult
from tests.fixtures.evaluations import HEADER, evaluation, iteration, theorem, unproved

DOUBLE = "def double (n : Nat) : Nat := n + n\n"
PROVED = [
    (theorem("ineq", "∀ n : ℕ, n < n + 1"), "intro n\nomega"),
    (
        theorem("github::Nat.or_swap", "∀ p q : Prop, p ∨ q → q ∨ p"),
        "intro p q h\ncases h with\n| inl h =>\n  -- left\n  exact Or.inr h\n| inr h => exact Or.inl h",
    ),
    (
        theorem("long", "∀ (a b c d : Nat), a ≤ b → c ≤ d → (∃ k, b = a + k) ∧ a + c ≤ b + d ∧ ¬ (b + d < a + c)"),
        "intro a b c d h₁ h₂\nrefine ⟨⟨b - a, ?_⟩, ?_, ?_⟩\n· omega\n· omega\n· omega",
    ),
    (
        theorem("full", "theorem stated (n : Nat) (h : 0 < n) : ∃ m, n = m + 1 := by\n  sorry"),
        "exact ⟨n - 1, by omega⟩",
    ),
    (theorem("let_in", "let x := 2; x + x = 4", header=""), "intro x\nrfl"),
    (theorem("own_header", "∀ n, double n = 2 * n", header=DOUBLE), "intro n\nunfold double\nomega"),
    (theorem("and_comm", "∀ p q : Prop, p ∧ q → q ∧ p"), "rintro p q ⟨hp, hq⟩\nexact ⟨hq, hp⟩"),
    (theorem("uses_library", "∀ p q : Prop, p ∧ q ↔ q ∧ p"), "intro p q\nexact and_comm"),
]


class Blocks(HTMLParser):
    """Lean text of the page, each theorem below its header."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.header, self.proofs, self.text, self.kind = "", [], None, ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "div" and ("class", "proofs") in attrs and self.kind != "header":
            self.header = ""  # proofs without a header
        if tag == "pre":
            self.text, self.kind = "", dict(attrs).get("class") or "proof"

    def handle_data(self, data: str) -> None:
        if self.text is not None:
            self.text += data

    def handle_endtag(self, tag: str) -> None:
        if tag != "pre" or self.text is None:
            return
        if self.kind == "header":
            self.header = self.text
        elif self.kind == "proof":
            self.proofs.append((self.header, self.text))
            self.kind = ""
        self.text = None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = [
        TheoremResult(
            name=t.name, status=ProofStatus.PROVED, nodes=3, nodes_at_proof=3, lean_calls=9, seconds=0.1, proof=p
        )
        for t, p in PROVED
    ]
    result = iteration(0, evaluation([*results, unproved("hard")], [*(t for t, _ in PROVED), theorem("hard")]))
    found = Proof(name="ineq", statement="∀ n : ℕ, 0 + n = n", header=HEADER, proof="simp", found="search")
    folder = tmp_path_factory.mktemp("report")
    write_report(ReportInputs(result=result, training_proofs=[found]), folder)
    return folder


@pytest.fixture(scope="module")
def verdicts(folder: Path) -> dict[str, list[Verdict]]:
    """What Lean says about the proofs of the JSON file, of the Lean files, and of the page, each taken out of the page by itself."""
    sources = {"json": [folder / "proofs.json"], "lean": sorted(folder.glob("*.lean")), "page": []}
    (folder / "page").mkdir()
    for number, (header, text) in enumerate(Blocks((folder / "index.html").read_text(encoding="utf-8")).proofs):
        sources["page"].append(folder / "page" / f"{number}.lean")
        sources["page"][-1].write_text(f"{header}\n{text}", encoding="utf-8")

    async def check() -> dict[str, list[Verdict]]:
        async with EmbeddedLean(workers=2) as lean:
            return {
                name: await check_all([proof for file in files for proof in await read_proofs(file, lean)], lean)
                for name, files in sources.items()
            }

    return asyncio.run(check())


@pytest.mark.parametrize("source", ["json", "lean", "page"])
def test_every_proof_compiles_again(source: str, verdicts: dict[str, list[Verdict]]) -> None:
    assert len(verdicts[source]) == len(PROVED) + 1
    assert [f"{v.name}: {v.reason}" for v in verdicts[source] if not v.accepted] == []
