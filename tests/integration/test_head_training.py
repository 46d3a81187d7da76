"""Training the energy head: on problems whose answer is known, and from trajectories to a head that is loaded again."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from burnqed.config import EbmConfig, PolicyConfig
from burnqed.data.split import is_validation
from burnqed.errors import BadInput, TryAgain
from burnqed.head.base import Head
from burnqed.lean.protocol import TacticStatus, Theorem
from burnqed.policy.encode import Encoder
from burnqed.policy.pooling import Pooling
from burnqed.policy.tiny import make_base
from burnqed.store import Store
from burnqed.train.checkpoint import Checkpoints
from burnqed.train.ebm import HeadOutcome, train_head
from burnqed.train.embeddings import EmbeddingCache, Embeddings
from burnqed.train.examples import HeadExamples
from burnqed.trajectory.rows import SearchResult, StateRow, to_table
from burnqed.trajectory.schema import ProofStatus, TheoremResult
from tests.fixtures.head_examples import Positive, examples_of, spelled_out

pytestmark = pytest.mark.usefixtures("one_thread")

SETTINGS = EbmConfig(steps=150, batch=48, learning_rate=3e-3, log_every=25)
THEOREMS, DEPTHS, SIBLINGS, D = 200, 2, 4, 24
HELD_OUT = 0.4


def problem(rule: str, seed: int = 0) -> tuple[HeadExamples, Embeddings]:
    """Embeddings at random, in which a state is provable or not by a hidden rule: `linear` in the state, `product` of state
    and goal (of either alone nothing follows), or `none` at all.
    """
    random = np.random.default_rng(seed)
    hidden = random.normal(size=D)
    vectors: dict[str, np.ndarray[Any, Any]] = {}

    def draw(name: str, goal: str, sign: int) -> str:
        while True:
            z = random.normal(size=D)
            score = {"linear": z @ hidden, "product": (z * vectors[goal]) @ hidden, "none": float(sign)}[rule]
            if score * sign > 0.5:
                vectors[name] = z
                return name

    positives, states = [], {}
    for t in range(THEOREMS):
        goal = f"goal {t}"
        vectors[goal] = random.normal(size=D)
        found: list[str] = []
        for depth in range(1, DEPTHS + 1):
            siblings = tuple(draw(f"off {t}.{depth}.{i}", goal, -1) for i in range(SIBLINGS))
            positives.append(Positive(f"t{t}", goal, draw(f"on {t}.{depth}", goal, 1), depth, siblings))
            found += siblings
        states[f"t{t}"] = tuple(found)
    matrix = np.stack(list(vectors.values())).astype(np.float32)
    return examples_of(positives, states, list(vectors)), Embeddings("e1", matrix)


def train(
    data: tuple[HeadExamples, Embeddings], workdir: Path, config: EbmConfig = SETTINGS, **options: Any
) -> HeadOutcome:
    options.setdefault("checkpoints", Checkpoints(Store(str(workdir / "store")), "checkpoint.pt"))
    return train_head(*data, config, validation_fraction=HELD_OUT, workdir=workdir, **options)


@pytest.fixture(scope="module")
def linear(tmp_path_factory: pytest.TempPathFactory) -> tuple[HeadOutcome, Path]:
    workdir = tmp_path_factory.mktemp("linear")
    return train(problem("linear"), workdir), workdir


def test_a_head_learns_what_makes_states_of_unseen_theorems_provable(linear: tuple[HeadOutcome, Path]) -> None:
    outcome, _ = linear
    assert outcome.accepted, outcome.reason
    assert outcome.metrics["pairwise"].value > 0.95
    assert outcome.metrics["rank1"].value > 0.8
    assert outcome.metrics["rank1"].chance == pytest.approx(1 / 9)  # 4 siblings and 4 other states of the theorem
    assert outcome.metrics["rank1_siblings"].chance == pytest.approx(1 / 5)
    assert outcome.metrics["loss"].chance == pytest.approx(math.log(16))
    assert outcome.metrics["energy_gap"].value > 0
    assert outcome.metrics["linear_probe"].value > 0.9
    held_out = sum(is_validation(f"t{t}", HELD_OUT) for t in range(THEOREMS))
    assert outcome.validation_positives == DEPTHS * held_out
    assert outcome.positives == DEPTHS * (THEOREMS - held_out)


def test_the_log_begins_at_chance_and_the_best_weights_are_kept(linear: tuple[HeadOutcome, Path]) -> None:
    outcome, _ = linear
    assert [row.step for row in outcome.rows] == [0, 25, 50, 75, 100, 125, 150]
    losses = {row.step: row.metrics["loss"].value for row in outcome.rows}
    assert losses[0] == pytest.approx(math.log(16), abs=0.1)
    assert outcome.rows[0].temperature == pytest.approx(1.0)
    assert outcome.best_step == min(losses, key=losses.__getitem__)
    assert outcome.metrics["loss"].value == pytest.approx(losses[outcome.best_step])


def test_the_kinds_of_negatives_are_recorded_as_they_were_drawn(linear: tuple[HeadOutcome, Path]) -> None:
    """9, 4.5 and 1.5 of 15 are wanted on average; of 4 siblings and 4 other states of the theorem there are not enough."""
    shares = linear[0].shares
    assert shares["sibling"] == pytest.approx(4 / 15)
    assert shares["theorem"] == pytest.approx(4 / 15)
    assert shares["other"] == pytest.approx(7 / 15)


def test_the_written_head_gives_the_energies_it_was_measured_by(linear: tuple[HeadOutcome, Path]) -> None:
    outcome, workdir = linear
    head = Head.load(workdir / "head")
    assert (head.embedding_id, head.head_id) == ("e1", outcome.head.head_id)
    examples, embeddings = problem("linear")
    positives, _ = spelled_out(examples)
    held_out = [p for p in positives if is_validation(p.theorem, HELD_OUT)]
    row = {text: i for i, text in enumerate(examples.texts)}

    def energies(states: list[str], goals: list[str]) -> torch.Tensor:
        z, g = (torch.from_numpy(embeddings.matrix[[row[t] for t in texts]]) for texts in (states, goals))
        return head.energies(z, g)

    first = [
        bool(energies([p.state], [p.goal]).item() < energies(list(p.siblings), [p.goal] * SIBLINGS).min().item())
        for p in held_out
    ]
    assert sum(first) / len(first) == pytest.approx(outcome.metrics["rank1_siblings"].value)
    assert json.loads((workdir / "head/ebm.json").read_text())["best_step"] == outcome.best_step


def test_a_head_judges_states_by_the_goal_where_no_linear_probe_can(tmp_path: Path) -> None:
    outcome = train(problem("product"), tmp_path)
    assert outcome.metrics["rank1_siblings"].value > 0.8
    assert outcome.metrics["linear_probe"].value == pytest.approx(0.5, abs=0.12)
    assert outcome.accepted, outcome.reason


def test_a_head_that_finds_nothing_to_learn_is_at_chance_and_not_accepted(tmp_path: Path) -> None:
    outcome = train(problem("none"), tmp_path)
    assert not outcome.accepted
    assert outcome.metrics["pairwise"].value == pytest.approx(0.5, abs=0.1)
    assert outcome.metrics["centroid_l2"].value == pytest.approx(outcome.metrics["centroid_l2"].chance, rel=0.4)
    assert (tmp_path / "head/head.json").exists()  # to look at


def test_a_temperature_at_its_floor_aborts_the_training(tmp_path: Path) -> None:
    outcome = train(problem("linear"), tmp_path, SETTINGS.model_copy(update={"min_temperature": 0.95, "dropout": 0.0}))
    assert outcome.aborted.startswith("its temperature reached the floor 0.95 at step ")
    assert outcome.steps < SETTINGS.steps
    assert outcome.rows[-1].step == outcome.steps
    assert not outcome.accepted
    assert outcome.reason == outcome.aborted


def test_an_interrupted_head_training_continues_to_the_same_rows_and_weights(
    tmp_path: Path, linear: tuple[HeadOutcome, Path]
) -> None:
    whole, folder = linear
    checkpoints = Checkpoints(Store(str(tmp_path)), "checkpoint.pt")
    for attempt, steps in enumerate((40, 30)):
        asked = iter(range(10_000))
        torch.manual_seed(attempt)
        with pytest.raises(TryAgain, match=f"step {40 + 30 * attempt}"):
            train(problem("linear"), tmp_path, checkpoints=checkpoints, should_stop=lambda: next(asked) >= steps)  # noqa: B023
    resumed = train(problem("linear"), tmp_path, checkpoints=checkpoints)
    assert resumed.rows == whole.rows
    assert resumed.shares == whole.shares
    expected, found = (load_file(f / "head/head.safetensors") for f in (folder, tmp_path))
    assert all(torch.equal(expected[name], found[name]) for name in expected)


def test_nothing_to_train_on_is_bad_input(tmp_path: Path) -> None:
    _, embeddings = problem("linear")
    with pytest.raises(BadInput, match="no state on a proof"):
        train((HeadExamples.from_tables([]), embeddings), tmp_path)


def test_without_validation_theorems_nothing_is_accepted(tmp_path: Path) -> None:
    examples, embeddings = problem("linear")
    positives, states = spelled_out(examples)
    training = [p for p in positives if not is_validation(p.theorem, HELD_OUT)]
    outcome = train(
        (examples_of(training, states, examples.texts), embeddings), tmp_path, SETTINGS.model_copy(update={"steps": 20})
    )
    assert not outcome.accepted
    assert "0 validation positives" in outcome.reason
    assert outcome.best_step == 20


# ---- from trajectories


def search(number: int) -> SearchResult:
    """A proof of three steps whose states keep `x = x` as their goal, and at each step two siblings that lost it."""
    random = np.random.default_rng(number)
    a, b, c = random.permutation(list("abcdkmnxyz"))[:3]
    context = f"{a} {b} {c} : Nat\n"
    rows = [StateRow(0, None, 0, None, TacticStatus.OK, f"⊢ ∀ {a} {b} {c} : Nat, {a} + {b} = {b} + {a}", 1, 0)]
    parent = 0
    for depth in (1, 2, 3):
        hypotheses = "".join(f"h{i} : {random.choice([a, b, c])} ≤ {i}\n" for i in range(depth))
        good = [(f"{context}{hypotheses}⊢ {a} + {b} = {a} + {b}", depth < 3)]
        bad = [(f"{context}{hypotheses}⊢ {x} + {y} = {y} + {c}", True) for x, y in ((a, b), (b, a))]
        order = [(good[0], True), *((s, False) for s in bad)]
        for i in random.permutation(len(order)).tolist():
            (text, is_open), on_path = order[i]
            rows.append(
                StateRow(
                    len(rows), parent, depth, f"step {len(rows)}", TacticStatus.OK, text if is_open else "",
                    int(is_open), 0, is_terminal=not is_open, on_proof_path=on_path, remaining_depth=3 - depth,
                )
            )  # fmt: skip
        parent = next(r.state_id for r in reversed(rows) if r.on_proof_path)
    rows[0].on_proof_path, rows[0].remaining_depth = True, 3
    theorem = Theorem(name=f"t{number}", statement=rows[0].state or "")
    return SearchResult(theorem, TheoremResult(name=theorem.name, status=ProofStatus.PROVED), rows)


def test_from_trajectories_to_a_head_that_ranks_states_of_unseen_theorems(tmp_path: Path) -> None:
    rows = [to_table(search(i), "run", 0) for i in range(THEOREMS)]
    examples = HeadExamples.from_tables(rows)
    assert len(examples) == 2 * THEOREMS  # the last step of each proof leaves no goals
    texts = examples.texts
    make_base(texts, tmp_path / "model", PolicyConfig(hidden_size=48, layers=2, heads=3, vocabulary=400), seed=0)
    encoder = Encoder(tmp_path / "model", Pooling(128))
    cache = EmbeddingCache(Store(str(tmp_path)), "embeddings", encoder.embedding_id)
    assert cache.add(texts, encoder.embed) == len(texts)
    outcome = train((examples, cache.select(texts)), tmp_path)
    assert outcome.accepted, outcome.reason
    assert outcome.metrics["rank1_siblings"].value > outcome.metrics["rank1_siblings"].chance + 0.3

    head = Head.load(tmp_path / "head")
    assert head.embedding_id == encoder.embedding_id
    example = next(p for p in spelled_out(examples)[0] if is_validation(p.theorem, HELD_OUT))
    z = torch.from_numpy(encoder.embed([example.state, *example.siblings]))
    g = torch.from_numpy(encoder.embed([example.goal])).expand_as(z)
    assert head.energies(z, g).shape == (3,)
