"""The report: complete, static, self-contained, and its proofs are the ones in the results."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from burnqed.config import GateConfig
from burnqed.evaluate.figures import search_figures
from burnqed.evaluate.gates import verdict
from burnqed.evaluate.report import JointFigures, LossPoint, Proof, ReportInputs, write_report
from burnqed.evaluate.report.inputs import HeldOutStates
from burnqed.evaluate.report.page import render, theorem_table, time_plot
from burnqed.evaluate.report.proofs import benchmark_proofs, declarations, files
from burnqed.evaluate.results import HEAD, PLAIN, StepCost
from burnqed.key import Key
from burnqed.record import Record
from burnqed.resolve import resolve
from tests.fixtures.evaluations import HEADER, evaluation, failed, iteration, proved, solving, theorem, unproved

THEOREMS = [
    theorem("easy", "∀ n : Nat, n < n + 1"),
    theorem("github::Nat.deep", "∀ a b : Nat, a < b → a ≠ b ∧ a ≤ b"),
    theorem("other_header", "True", header="open Nat\n"),
    theorem("hard"),
    theorem("broken", "∀ n : Nat, n <"),
]


def full_inputs() -> ReportInputs:
    plain = [
        proved("easy", 2),
        unproved("github::Nat.deep"),
        unproved("other_header"),
        unproved("hard"),
        failed("broken"),
    ]
    head = [
        proved("easy", 2),
        proved("github::Nat.deep", 20, rank=2.75),
        proved("other_header", 64),
        unproved("hard"),
        failed("broken"),
    ]
    metrics = {
        "sft__evaluation_loss": 0.44, "head__rank1": 0.61, "head__rank1_chance": 0.21, "head__rank1_error": 0.02, "head__energy_gap": 1.25,
        "head__rank1_depth_1": 0.7, "head__rank1_depth_1_chance": 0.2, "head__rank1_depth_4+": 0.6, "head__rank1_depth_4+_chance": 0.3,
        "search_head__linear_probe": 0.64, "search_head__linear_probe_chance": 0.5, "head__linear_probe": 0.66,
    }  # fmt: skip
    evaluations = (evaluation(plain, THEOREMS), evaluation(head, THEOREMS, variant=HEAD))
    before = iteration(
        0, evaluation(plain, THEOREMS), evaluation(plain, THEOREMS, variant=HEAD), ever=1, head__linear_probe=0.81
    )
    result = iteration(1, *evaluations, ever=3, **metrics).model_copy(
        update={
            "search": search_figures(plain + head),
            "cost": [
                StepCost(step="sft", seconds=120.0, dollars=0.5),
                StepCost(step="search", seconds=240.0, dollars=1),
            ],
            "seconds": 300.0,
        }
    )
    record = Record(
        key=Key(step="export", version=2), outputs=[], digest="ab" * 32, versions={"torch": "2.9.1"},
        started="2026-01-02T03:04:05+00:00", finished="2026-01-02T03:05:05+00:00", seconds=60.0, host="lab",
    )  # fmt: skip
    return ReportInputs(
        result=result,
        earlier=[before],
        verdict=verdict(result, [before], GateConfig(min_rate=0.9)),
        loss=[LossPoint(step=s, train=3 / s, evaluation=3.1 / s if s % 5 == 0 else None) for s in range(1, 21)],
        joint=JointFigures(
            contrastive=[LossPoint(step=s, train=2 / s, evaluation=2.1 / s) for s in range(1, 4)],
            measured=[
                {
                    "step": s,
                    "evaluation": 1.5,
                    "temperature": 0.97,
                    "centroid_l2": 2.345,
                    "linear_probe": 0.7,
                    "rank1": 0.4,
                    "rank1_depth_4+": None,
                    "pairwise": 0.8,
                }
                for s in (1, 3)
            ],
            kept_step=3,
            accepted=False,
        ),
        positive_energies=[-1.0, -0.5, 0.1] * 20,
        negative_energies=[0.5, 1.0, 1.5] * 40,
        embeddings={"on_x": [1, 2], "on_y": [1, 2], "off_x": [3], "off_y": [4], "spectrum": [0.6, 0.3, 0.1]},
        held_out=HeldOutStates(
            version=1,
            x=[0.1 * i for i in range(12)],
            y=[0.0] * 12,
            depth=[1, 2, 3, 9] * 3,
            on_path=[True, False] * 6,
            variance=(0.4, 0.2),
            families=[[0.0, 1.0, 2.0], [0.5, 0.1]],
        ),
        kept=["search.budget went from 6 to 8"],
        training_proofs=[Proof(name="gen", statement="1 < 2", header=HEADER, proof="decide", found="noisy search")],
        config=resolve("demo").config.model_dump(mode="json"),
        records={"demo/iterations/iter_1/model": record},
    )


class Page(HTMLParser):
    """The page's elements, and the text of its <pre> blocks; fails on tags that do not match."""

    VOID = frozenset({"meta", "link", "br", "img", "path", "use", "hr"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str | None]] = []
        self.blocks: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "pre":
            self.blocks.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "pre" in self.open:
            self.blocks[-1] += data


@pytest.fixture(scope="module")
def inputs() -> ReportInputs:
    return full_inputs()


@pytest.fixture(scope="module")
def text(inputs: ReportInputs) -> str:
    return render(inputs, ["proofs.json"])


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def test_the_page_is_static_and_needs_nothing_from_elsewhere(text: str, page: Page) -> None:
    assert page.tags["script"] == page.tags["link"] == page.tags["img"] == page.tags["iframe"] == 0
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    addresses = [value for name, value in page.attributes if name in ("href", "src", "xlink:href")]
    assert all(re.fullmatch(r"#[\w-]+|[\w.-]+", str(a)) for a in addresses)
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)


def test_every_plot_is_drawn_described_and_follows_the_colour_scheme(text: str, page: Page) -> None:
    labels = [str(value) for name, value in page.attributes if name == "aria-label"]
    for title in (
        "Solved by budget", "Solved by iteration", "Fine-tuning loss", "Joint training: InfoNCE", "Energy of states", "Embeddings of states", "Variance spectrum", "Where the time went", "Rank-1 accuracy", "Calibration among siblings",
    ):  # fmt: skip
        assert any(label.startswith(title) for label in labels), title
    assert page.tags["svg"] == 12
    assert "with head: 1 at 16 nodes, 3 at 64 nodes" in " ".join(labels)
    assert not re.search(r"#00000\d", text), "a placeholder was left"
    colours = set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", text))
    assert colours == set(), "a colour that does not follow the scheme"


def test_ids_are_unique_and_references_lead_somewhere(page: Page) -> None:
    ids = Counter(value for name, value in page.attributes if name == "id")
    assert [i for i, count in ids.items() if count > 1] == []
    targets = [str(v)[1:] for name, v in page.attributes if name in ("href", "xlink:href") and str(v).startswith("#")]
    assert set(targets) <= set(ids)


def test_the_headline_tells_figures_changes_and_verdict(text: str) -> None:
    words = (
        " ".join(re.sub(r"<[^>]+>", " ", text[text.index("<body>") :]).split()).replace(" ,", ",").replace(" .", ".")
    )
    for expected in (
        "Iteration 1", "1 / 5", "3 / 5", "25.0% of 4 tried at 64 nodes", "75.0% of 4 tried at 64 nodes", "+2", "2 newly solved, 0 lost", "p = 0.5",
        "1 could not be tried", "No-go", "solve rate without head falls short", "newly solved: github::Nat.deep, other_header. Lost: none", "nodes, median rank on the path", "28.7 20.0 2.8",
    ):  # fmt: skip
        assert expected in words, expected


def test_searches_that_ran_with_other_settings_are_said_to(text: str) -> None:
    assert "Searches for training data were kept although search.budget went from 6 to 8: they ran with" in text


def test_every_proof_found_stands_in_the_page_as_lean_text(inputs: ReportInputs, page: Page) -> None:
    listed = [*benchmark_proofs(inputs.result), *inputs.training_proofs]
    assert [p.name for p in listed] == ["easy", "github::Nat.deep", "other_header", "gen"]
    for proof in listed:
        block = next(b for b in page.blocks if b.startswith(f"theorem {declarations([proof])[0].split()[1]}"))
        assert proof.statement in block
        assert all(line in block for line in proof.proof.splitlines())
    assert HEADER in page.blocks
    assert "open Nat\n" in page.blocks


def test_proofs_json_holds_what_lean_check_reads(inputs: ReportInputs, tmp_path: Path) -> None:
    write_report(inputs, tmp_path)
    rows = json.loads((tmp_path / "proofs.json").read_text(encoding="utf-8"))
    evaluated = {o.name: o for e in inputs.result.evaluations for o in e.per_theorem if o.proof}
    for row in rows[:-1]:
        assert (row["statement"], row["proof"]) == (evaluated[row["name"]].statement, evaluated[row["name"]].proof)
    assert {row["name"]: row["header"] for row in rows} == {
        "easy": HEADER, "github::Nat.deep": HEADER, "other_header": "open Nat\n", "gen": HEADER,
    }  # fmt: skip
    assert sorted(f.name for f in tmp_path.iterdir()) == ["index.html", "proofs-2.lean", "proofs.json", "proofs.lean"]


def test_what_fine_tuning_did_to_the_embeddings_of_the_same_states_is_shown(text: str) -> None:
    table = text[text.index("before training") :]
    assert [cell in table[:1200] for cell in ("linear probe", "0.810", "0.640", "-0.170", "0.660")] == [True] * 5
    assert "search_head" not in text.replace("search_head: false", "")


def test_a_report_is_written_of_a_first_iteration_without_head_loss_or_proofs(tmp_path: Path) -> None:
    page = write_report(ReportInputs(result=iteration(0, solving("", "abc"))), tmp_path)
    text = page.read_text(encoding="utf-8")
    assert Page(text).tags["svg"] == 3
    assert "No theorem of the benchmark was proved." in text
    for absent in ("with head", "since iteration", "Gates", "Training", "None", "nan"):
        assert not re.search(rf"\b{absent}\b", text), absent
    assert json.loads((tmp_path / "proofs.json").read_text()) == []


def test_the_same_inputs_give_the_same_page(inputs: ReportInputs, text: str) -> None:
    assert render(inputs, ["proofs.json"]) == text


def test_what_chance_gives_is_shown_with_its_deviation(text: str) -> None:
    assert "0.210 ± 0.020" in text


def test_text_from_models_is_never_markup() -> None:
    name = "<script>alert(1)</script>"
    result = iteration(0, evaluation([proved(name, 1), unproved("b", reason="</details><b>")], budgets=[4]))
    text = render(ReportInputs(result=result))
    assert "<script" not in text
    assert "</details><b>" not in text


# ---- Lean text


def lean(name: str, statement: str, proof: str = "rfl") -> str:
    return declarations([Proof(name=name, statement=statement, header="", proof=proof, found="")])[0]


@pytest.mark.parametrize(
    ("name", "statement", "expected"),
    [
        ("t", "1 = 1", "theorem t : 1 = 1 := by\n  rfl\n"),
        ("github::Nat.t", "1 = 1", "theorem «github::Nat.t» : 1 = 1 := by\n  rfl\n"),
        ("t", "theorem foo (n : Nat) : n = n := by sorry", "theorem t (n : Nat) : n = n := by\n  rfl\n"),
        ("t", "lemma Nat.foo (n : Nat := 3) : n = n := by\n  simp", "theorem t (n : Nat := 3) : n = n := by\n  rfl\n"),
        ("t", "theorem foo : let x := 2; x = 2 := rfl", "theorem t : let x := 2; x = 2 := by\n  rfl\n"),
        ("t", "theorem foo{n : Nat} : n = n", "theorem t{n : Nat} : n = n := by\n  rfl\n"),
        ("t", "-- := of theorems\ntheorem foo : 1 = 1 := rfl", "-- := of theorems\ntheorem t : 1 = 1 := by\n  rfl\n"),
        ("t", "1 = 1 -- easy", "theorem t : 1 = 1 -- easy\n    := by\n  rfl\n"),
    ],
)
def test_a_statement_becomes_a_theorem_of_its_name(name: str, statement: str, expected: str) -> None:
    assert lean(name, statement) == expected


def test_the_indentation_of_a_proof_is_kept() -> None:
    proof = "  cases h with\n  | inl h =>\n    exact h\n  | inr h => exact h\n"
    assert lean("t", "True", proof).splitlines()[1:] == [
        "  cases h with",
        "  | inl h =>",
        "    exact h",
        "  | inr h => exact h",
    ]


def test_names_that_occur_again_get_a_number() -> None:
    again = [Proof(name="a", statement="1 = 1", header="", proof=p, found="") for p in ("rfl", "simp", "decide")]
    assert [d.split()[1] for d in declarations(again)] == ["a", "a_2", "a_3"]


def test_a_name_that_means_something_else_in_a_proof_gets_a_number() -> None:
    proofs = [
        Proof(name="and_comm", statement="theorem and_comm : True", header="", proof="trivial", found=""),
        Proof(name="b", statement="1 = 1", header="", proof="exact and_comm", found=""),
        Proof(name="c", statement="theorem c : 1 = 1", header="", proof="rfl", found=""),
    ]
    assert [d.split()[1] for d in declarations(proofs)] == ["and_comm_2", "b", "c"]


def test_there_is_one_lean_file_for_each_header() -> None:
    proofs = [
        Proof(name=n, statement="1 = 1", header=h, proof="rfl", found="")
        for n, h in (("a", "x\n"), ("b", ""), ("c", "x\n"))
    ]
    texts = files(proofs)
    assert texts["proofs.lean"] == "x\n\ntheorem a : 1 = 1 := by\n  rfl\n\ntheorem c : 1 = 1 := by\n  rfl\n"
    assert texts["proofs-2.lean"] == "theorem b : 1 = 1 := by\n  rfl\n"


def test_a_proof_that_both_variants_found_is_listed_once() -> None:
    result = iteration(0, solving("ab", "abc"), solving("bc", "abc", variant=HEAD))
    assert [(p.name, p.found) for p in benchmark_proofs(result)] == [
        ("a", "without head, 5 nodes"),
        ("b", "without head, 5 nodes; with head, 5 nodes"),
        ("c", "with head, 5 nodes"),
    ]


def test_each_benchmark_has_its_figures_and_says_what_was_trained_on() -> None:
    mine = [evaluation([proved("easy", 2), unproved("hard"), proved("old", 1)], variant=v, benchmark="mine", trained_on={"old"})
            for v in (PLAIN, HEAD)]  # fmt: skip
    before = iteration(0, evaluation([proved("easy", 2)], THEOREMS[:1]))
    text = render(
        ReportInputs(
            result=iteration(1, evaluation([proved("easy", 2)], THEOREMS[:1]), *mine, ever=2), earlier=[before]
        )
    )
    page = Page(text)
    assert page.tags["svg"] == 5, "two plots for each benchmark, and one of the time"
    ids = Counter(value for name, value in page.attributes if name == "id")
    assert [i for i, count in ids.items() if count > 1] == []
    words = " ".join(re.sub(r"<[^>]+>", " ", text[text.index("<body>") :]).split())
    for expected in (
        "benchmarks core", "1 of the 3 theorems are, up to renaming, statements that this run trained on: old", "1 / 2 without what it was trained on",
        "with head, not trained on 64 1 / 2 0 0 50.0%", "evaluation on mine with head", "easy core, without head, 2 nodes", "easy mine, without head, 2 nodes",
        "All 3 theorems of mine", "solved ever on core", "solved ever on mine",
    ):  # fmt: skip
        assert expected in words, expected


def test_seconds_of_a_search_that_took_from_another_are_shown_nowhere() -> None:
    plain, guided = (
        e.model_copy(update={"search": e.search.model_copy(update={"lean_s": 5.0})})
        for e in (solving("a", "ab"), solving("ab", "ab", variant=HEAD))
    )
    own = iteration(0, plain, guided)
    taken = iteration(0, plain, guided.model_copy(update={"recalled": True}))
    assert [row[8] for row in theorem_table(own).rows] == ["1.0", "1.0"]
    assert [(row[4], row[8]) for row in theorem_table(taken).rows] == [("1.0", "–"), ("4.0", "–")]
    drawn = [str(plot.svg) for result in (own, taken) if (plot := time_plot(result))]
    assert ["with head" in words for words in drawn] == [True, False]
    assert time_plot(iteration(0, plain.model_copy(update={"recalled": True}))) is None
