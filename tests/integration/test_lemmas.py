"""Lemmas of the real library, and a small model that is trained and searches with some in its prompts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from burnqed.config import EvaluateConfig, RunConfig, SearchConfig, SftConfig
from burnqed.data.pairs import TacticPair
from burnqed.layout import Layout
from burnqed.lean.embedded.backend import EmbeddedLean
from burnqed.lean.lemmas import Lemma
from burnqed.lean.protocol import Theorem
from burnqed.policy.client import PolicyClient
from burnqed.policy.retrieval import Retrieval
from burnqed.policy.template import COMPLETION
from burnqed.policy.tiny import make_base
from burnqed.proof_search.engine import search
from burnqed.proof_search.recall import Recall
from burnqed.proof_search.settings import SearchSettings
from burnqed.resolve import resolve
from burnqed.steps import lemmas
from burnqed.steps.base import Context, execute
from burnqed.steps.data import data_unit
from burnqed.steps.searching import Tools, search_recalling
from burnqed.steps.table import step_named
from burnqed.store import Store
from burnqed.train.checkpoint import Checkpoints
from burnqed.train.export import export_model
from burnqed.train.model import load_tokenizer
from burnqed.train.packing import encode
from burnqed.train.sft import Pairs, train_sft
from burnqed.trajectory.rows import SearchResult, Task
from burnqed.trajectory.schema import ProofStatus
from tests.fixtures.joint_data import SHAPE
from tests.fixtures.policy import running

pytestmark = pytest.mark.asyncio(loop_scope="session")

# ---- the library


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def library(lean: EmbeddedLean) -> dict[str, str]:
    found = await lean.lemmas()
    assert [lemma.name for lemma in found] == sorted({lemma.name for lemma in found})
    return {lemma.name: lemma.statement for lemma in found}


@pytest.mark.long
async def test_the_well_known_lemmas_of_the_library_are_listed_as_lean_prints_them(library: dict[str, str]) -> None:
    assert 15_000 < len(library) < 30_000
    assert library["Nat.add_comm"] == "∀ (n m : Nat), n + m = m + n"
    assert library["Nat.dvd_trans"] == "∀ {a b c : Nat}, a ∣ b → b ∣ c → a ∣ c"
    assert library["List.append_assoc"] == "∀ {α : Type u} (as bs cs : List α), as ++ bs ++ cs = as ++ (bs ++ cs)"
    assert {"Int.mul_comm", "and_comm", "funext", "Classical.byContradiction", "Nat.mul_le_mul", "List.map_map"} <= set(
        library
    )


@pytest.mark.long
async def test_what_lean_makes_up_or_keeps_for_itself_is_not_listed(library: dict[str, str]) -> None:
    made_up = re.compile(
        r"(^|\.)(_.*|eq_\d+|match_\d+|injEq|inj|sizeOf_spec|noConfusion|rec|recOn|induct)(\.|$)|^Lean\.|^_private"
    )
    assert not [name for name in library if made_up.search(name)]
    assert not {"sorryAx", "Nat.rec", "Nat.add", "Nat.lt_wfRel"} & set(library)


@pytest.mark.long
async def test_of_the_whole_library_the_lemma_that_fits_is_among_the_first(library: dict[str, str]) -> None:
    retrieval = Retrieval(Lemma(name=name, statement=statement) for name, statement in library.items())
    for state, name in {
        "a b : ℕ\n⊢ a + b = b + a": "Nat.add_comm",
        "a b c : ℕ\n⊢ a * (b + c) = a * b + a * c": "Nat.mul_add",
        "xs ys : List ℕ\n⊢ (xs ++ ys).length = xs.length + ys.length": "List.length_append",
        "p q : Prop\nh : p ∧ q\n⊢ q ∧ p": "and_comm",
        "a b : ℕ\nh : a ≤ b\n⊢ a < b + 1": "Nat.lt_succ_of_le",
        "case succ\na n : ℕ\nih : a ^ n % 3 = 1\n⊢ a ^ (n + 1) % 3 = 1": "Nat.pow_succ",
    }.items():
        assert name in retrieval.names(state, 8)


# ---- in a run

STATEMENTS = {
    "Nat.add_comm": "∀ (n m : Nat), n + m = m + n",
    "Nat.mul_comm": "∀ (n m : Nat), n * m = m * n",
    "Nat.le_refl": "∀ (n : Nat), n ≤ n",
    "and_comm": "∀ {a b : Prop}, a ∧ b ↔ b ∧ a",
    "Nat.dvd_refl": "∀ (a : Nat), a ∣ a",
}
LEMMAS = [Lemma(name=name, statement=statement) for name, statement in STATEMENTS.items()]
OFFERING = COMPLETION.offering(2, Retrieval(LEMMAS))
THEOREMS = ["∀ a b : Nat, a + b = b + a", "∀ a b : Nat, a * b = b * a", "∀ a : Nat, a ≤ a"]
SHOWN = ["⊢ ∀ (a b : Nat), a + b = b + a", "⊢ ∀ (a b : Nat), a * b = b * a", "⊢ ∀ (a : Nat), a ≤ a"]
TACTICS = ["exact Nat.add_comm", "exact Nat.mul_comm", "exact Nat.le_refl"]
PAIRS = [
    TacticPair(theorem=f"t{i}", state=state, tactic=tactic, source="test")
    for i, (state, tactic) in enumerate(zip(SHOWN, TACTICS, strict=True))
]
SFT = SftConfig(learning_rate=1e-2, steps=60, batch_tokens=1_024, max_length=200, warmup_steps=5, evaluate_every=60, checkpoint_every=60)  # fmt: skip


class Overheard(PolicyClient):
    """Remembers the prompts that it sends."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.prompts: list[str] = []

    async def _request(self, url: str, kind: Any, body: Any = None, *others: Any) -> Any:
        self.prompts += (body or {}).get("text", [])
        return await super()._request(url, kind, body, *others)


def make_model(folder: Path) -> Path:
    """One that answers prompts with lemmas."""
    make_base([OFFERING.prompt(p.state) + p.tactic for p in PAIRS], folder / "base", SHAPE, 0)
    train_sft(
        folder / "base",
        Pairs(PAIRS),
        SFT,
        iteration=0,
        validation_fraction=0.0,
        workdir=folder,
        checkpoints=Checkpoints(Store(str(folder)), "checkpoint.pt"),
        template=OFFERING,
    )
    outcome = export_model(folder / "base", folder / "adapter", folder / "model", "float32", SHOWN, OFFERING)
    assert outcome.sample_tactic == TACTICS[0]
    return folder / "model"


@pytest.mark.usefixtures("one_thread")
async def test_a_model_that_learned_with_lemmas_is_asked_with_them(lean: EmbeddedLean, tmp_path: Path) -> None:
    config = SHAPE.model_copy(update={"lemmas": 2})
    settings = SearchSettings.for_evaluation(EvaluateConfig(budgets=[8], candidates=4), SearchConfig(), ())
    tasks = [Task(Theorem(name=f"t{i}", statement=statement, header="")) for i, statement in enumerate(THEOREMS)]
    found: list[SearchResult] = []
    with running(make_model(tmp_path), SHAPE) as server:
        async with Overheard(config, server.url, server.url, Retrieval(LEMMAS)) as policy:
            await search(tasks, lean, policy, None, settings, found.append)
    assert {result.result.status for result in found} == {ProofStatus.PROVED}
    assert {result.result.proof for result in found} == set(TACTICS)
    assert set(policy.prompts) == {OFFERING.prompt(state) for state in SHOWN}
    assert all("\n\nlemmas: Nat." in prompt for prompt in policy.prompts)


@pytest.mark.usefixtures("one_thread")
async def test_answers_to_a_prompt_with_other_lemmas_are_not_recalled(lean: EmbeddedLean, tmp_path: Path) -> None:
    settings = SearchSettings.for_evaluation(EvaluateConfig(budgets=[4], candidates=2), SearchConfig(), ())
    tasks = [Task(Theorem(name="t", statement=THEOREMS[0], header=""))]
    config = RunConfig(policy=SHAPE.model_copy(update={"lemmas": 1}))
    asked = []
    make_base([OFFERING.prompt(state) for state in SHOWN], tmp_path / "base", SHAPE, 0)
    with running(tmp_path / "base", SHAPE) as server, Recall(tmp_path / "kept.sqlite") as kept:
        for known in (LEMMAS, LEMMAS, LEMMAS[1:]):
            async with Overheard(config.policy, server.url, server.url, Retrieval(known)) as policy:
                tools = Tools(policy, lean)
                await search_recalling(tasks, tools, settings, lambda _: None, asyncio.Event(), with_head=False, recall=kept, config=config)  # fmt: skip
            asked.append(len(policy.prompts))
    first, again, other = asked
    assert first > 0
    assert again == 0
    assert other > 0


@pytest.mark.usefixtures("one_thread")
async def test_lemmas_make_way_for_a_state_that_has_no_room_beside_them(tmp_path: Path) -> None:
    state = "\n".join(f"h{i} : a + b = b + a" for i in range(4)) + "\n⊢ a + b = b + a"
    make_base([OFFERING.prompt(state)] * 3, tmp_path, SHAPE, 0)
    tokenizer = load_tokenizer(tmp_path)

    def length(text: str) -> int:
        return len(tokenizer(text)["input_ids"])

    bare, whole = length(OFFERING.bare_prompt(state)), length(OFFERING.prompt(state))
    pair = TacticPair(theorem="t", state=state, tactic="rfl", source="test")
    end = length("rfl") + 1
    prompts = [encode(tokenizer, [pair], most, OFFERING) for most in (whole + end, whole + end - 1, bare + end, bare + end - 1)]  # fmt: skip
    assert [[example.prompt_length for example in found] for found in prompts] == [[whole], [bare], [bare], []]
    room = SHAPE.model_copy(update={"max_prompt_tokens": bare, "max_new_tokens": 8, "lemmas": 2})
    with running(tmp_path, room) as server:
        async with Overheard(room, server.url, server.url, Retrieval(LEMMAS)) as policy:
            (proposal,) = await policy.propose([state], candidates=1, temperature=1.0, seeds=[0])
    assert policy.prompts == [OFFERING.prompt(state), OFFERING.bare_prompt(state)]
    assert proposal.tokens > 0


async def test_the_step_data_lists_lemmas_where_prompts_offer_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def listed(_: object) -> Sequence[Lemma]:
        return LEMMAS

    monkeypatch.setattr(lemmas, "library_lemmas", listed)
    config = resolve("smoke", ["policy.lemmas=2"]).config
    context = Context(Store(str(tmp_path)), Layout("main", 0), config, tmp_path)
    (unit,) = lemmas.units(context)
    step = step_named("data")
    assert [u.prefix for u in step.work.units(context)] == [data_unit(context).prefix, unit.prefix]
    monkeypatch.setattr("burnqed.steps.data.data_unit", lambda _: unit)  # only the lemmas
    await execute(step, context)
    found = lemmas.retrieval(context.store, step_named("export").work.units(context)[0])
    assert found is not None
    assert found.names(SHOWN[0], 1) == ["Nat.add_comm"]
