"""Training on data of one's own: pairs and proofs from files instead of the shipped corpus, with real Lean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from burnqed.config import RunConfig
from burnqed.data.pairs import PAIRS, TacticPair
from burnqed.data.proofs import PROOFS, WholeProof
from burnqed.data.theorems import dump_index
from burnqed.errors import BadInput
from burnqed.layout import Layout
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.protocol import Theorem
from burnqed.record import output
from burnqed.steps.base import Context, execute
from burnqed.steps.data import read_pairs, read_proofs
from burnqed.steps.sft import weighted_pairs
from burnqed.steps.table import step_named
from burnqed.store import Store

pytestmark = pytest.mark.asyncio(loop_scope="session")
LAYOUT = Layout("main", 0)
HELD_BACK = Theorem(name="b", statement="∀ (x y : Nat), x ≤ y → x < y + 1")


def steps(theorem: str, *rows: tuple[str, str]) -> list[TacticPair]:
    """The steps of a theorem, each with the state that the next one has."""
    after = [state for state, _ in rows[1:]] + [""]
    return [
        TacticPair(theorem=theorem, state=state, tactic=tactic, state_after=then, depth=depth, source="theirs")
        for depth, ((state, tactic), then) in enumerate(zip(rows, after, strict=True))
    ]


INDUCTION = steps(
    "p::succ", ("n : Nat\nh : 0 < n\n⊢ n ≠ 0", "intro e"), ("n : Nat\nh : 0 < n\ne : n = 0\n⊢ False", "omega")
)
PAIRS_GIVEN = [
    *INDUCTION,
    *steps("p::wrong", ("n : Nat\n⊢ n = n + 1", "omega")),
    *steps("p::held", ("a b : Nat\nh : a ≤ b\n⊢ a < b + 1", "omega")),
    *steps("p::cheat", ("⊢ 1 = 2", "sorry")),
]  # fmt: skip
PROOFS_GIVEN = [
    WholeProof(name="q::two", statement="∀ n : Nat, n + 0 = n", proof="by\n  intro n\n  rfl", source="ours"),
    WholeProof(name="q::term", statement="theorem x : 1 ≤ 2", proof=":= Nat.le_succ 1", source="ours"),
    WholeProof(name="q::broken", statement="∀ n : Nat, n = 0", proof="by omega", source="ours"),
    WholeProof(name="q::held", statement="∀ {k m : Nat} (_ : k ≤ m), k < m + 1", proof="by omega", source="ours"),
]


def context(folder: Path, **values: Any) -> Context:
    store = Store(str(folder))
    PAIRS.write(store, "pairs.jsonl", PAIRS.batches(PAIRS_GIVEN))
    PROOFS.write(store, "proofs.parquet", PROOFS.batches(PROOFS_GIVEN))
    store.write_text("held.json", dump_index([HELD_BACK]))
    data = {"benchmarks": {"mine": str(folder / "held.json")}, "closer_keep": 1.0, **values}
    config = RunConfig.model_validate({"data": data, "select": {"min_depth": 1}})
    work = folder / "work"
    work.mkdir(exist_ok=True)
    return Context(Store(str(folder / "store")), LAYOUT, config, work)


async def made(at: Context) -> tuple[list[TacticPair], dict[str, Any]]:
    """The pairs and the report of the step data."""
    await execute(step_named("benchmark"), at)
    await execute(step_named("data"), at)
    report = at.store.read_json(f"{output(at.store, LAYOUT.data)}/report.json")
    return list(PAIRS.rows(read_pairs(at.store, LAYOUT.data))), report


async def test_pairs_and_replayed_proofs_train_and_what_proves_again_gives_negatives(
    steps_lean: EmbeddedLean, tmp_path: Path
) -> None:
    files = {"pairs": [f"{tmp_path}/pairs.jsonl=2"], "proofs": [f"{tmp_path}/proofs.parquet=0.5"]}
    at = context(tmp_path, **files)
    pairs, report = await made(at)
    assert [(p.theorem, p.tactic, p.source) for p in pairs] == [
        ("q::two", "intro n", "ours"),
        ("q::two", "rfl", "ours"),
        ("q::term", "exact Nat.le_succ 1", "ours"),
        *((p.theorem, p.tactic, "theirs") for p in PAIRS_GIVEN[:3]),
    ]
    assert report["origins"] == [
        {"kind": "proofs", "weight": 0.5, "pairs": 3},
        {"kind": "pairs", "weight": 2.0, "pairs": 3},
    ]
    assert report["dropped"] == {"theorem_of_a_benchmark": 1, "theorem_with_sorry": 1}
    assert report["equal_to_benchmark"] == {"theorems": 0, "proofs": 1}
    assert list(report["failed"]) == ["q::broken"]
    assert (report["replayed"], report["reproved"], list(report["not_reproved"])) == (2, 1, ["p::wrong"])
    proofs = {p.theorem.name: p.tactics for p in read_proofs(at.store, f"{output(at.store, LAYOUT.data)}/proofs.json")}
    assert proofs["p::succ"] == ("intro n h", "intro e", "omega")
    assert set(proofs) == {"q::two", "q::term", "p::succ"}
    often = [p.theorem for p in weighted_pairs(at.store, LAYOUT.data)]
    assert often.count("p::succ") == 4
    assert often.count("q::two") + often.count("q::term") < 3
    assert not [name for name in often if name.startswith("corpus")]


async def test_a_model_is_created_from_the_given_pairs(steps_lean: EmbeddedLean, tmp_path: Path) -> None:
    at = context(tmp_path, pairs=[f"{tmp_path}/pairs.jsonl"])
    _, report = await made(at)
    assert [t["name"] for t in at.store.read_json(f"{output(at.store, LAYOUT.data)}/theorems.json")["theorems"]] == [
        "p::succ"
    ]
    assert report["proofs"] == 0
    await execute(step_named("base"), at)
    assert "model.safetensors" in {path.rpartition("/")[2] for path in at.store.list(LAYOUT.base)}


async def test_pairs_that_nothing_can_be_searched_for_or_trained_on_are_bad_input(
    steps_lean: EmbeddedLean, tmp_path: Path
) -> None:
    at = context(tmp_path, pairs=[f"{tmp_path}/pairs.jsonl"], reproved=0)
    with pytest.raises(BadInput, match=r"No proof gives a theorem to search; give another index with --theorems"):
        await made(at)
    PAIRS.write(Store(str(tmp_path)), "cheat.parquet", PAIRS.batches(PAIRS_GIVEN[-1:]))
    at = context(tmp_path, pairs=[f"{tmp_path}/cheat.parquet"])
    with pytest.raises(BadInput, match="No pair is left to train on"):
        await made(at)
