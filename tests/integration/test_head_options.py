"""What a training of the head may be told: which theorems count how much, which negatives, when to stop, what to start from."""

import itertools
import logging
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from burnqed.config import EbmConfig
from burnqed.data.split import is_validation
from burnqed.errors import TryAgain
from burnqed.head.base import Head
from burnqed.store import Store
from burnqed.train.checkpoint import Checkpoints
from burnqed.train.ebm import HeadOutcome, HeadTraining, temperature_left
from burnqed.train.embeddings import Embeddings
from burnqed.train.examples import HeadExamples
from burnqed.train.held_out import HeldOut
from burnqed.train.negatives import Kind, NegativeBatch, harder
from burnqed.train.packing import balanced
from tests.fixtures.head_examples import Positive, examples_of
from tests.integration.test_head_training import HELD_OUT, SETTINGS, problem, train

pytestmark = pytest.mark.usefixtures("one_thread")

ALL = SETTINGS.model_copy(
    update={"balance": "theorems", "hard_negatives": 0.5, "patience": 6, "steps": 400, "learning_rate": 3e-3}
)


@pytest.fixture(scope="module")
def with_all(tmp_path_factory: pytest.TempPathFactory) -> Path:
    workdir = tmp_path_factory.mktemp("all")
    train(problem("product"), workdir, ALL)
    return workdir


# ---- balance


def test_each_round_visits_every_theorem_once_and_in_time_all_of_its_positives() -> None:
    groups = [np.array([0]), np.array([1, 2, 3, 4]), np.array([5, 6])]
    drawn = list(itertools.islice(balanced(groups, seed=0), 3 * 400))
    of = {i: g for g, group in enumerate(groups) for i in group.tolist()}
    rounds = [sorted(of[i] for i in drawn[start : start + 3]) for start in range(0, len(drawn), 3)]
    assert all(round_ == [0, 1, 2] for round_ in rounds)
    counts = Counter(drawn)
    assert counts[0] == 400
    assert all(60 < counts[i] < 140 for i in (1, 2, 3, 4))
    assert drawn[:99] == list(itertools.islice(balanced(groups, seed=0), 99))
    assert drawn[:99] != list(itertools.islice(balanced(groups, seed=1), 99))


def test_a_theorem_with_many_positives_does_not_outweigh_the_others(tmp_path: Path) -> None:
    examples, embeddings = problem("linear")
    training = np.flatnonzero(examples.theorem < 50)
    many = np.concatenate([training, np.repeat(training[:1], 400)])  # theorem 0 has 402 of 502

    def share(balance: str) -> float:
        config = EbmConfig(balance=balance)  # type: ignore[arg-type]
        head = torch.nn.Linear(1, 1)
        run = HeadTraining(head, embeddings, config, examples, many, HeldOut(examples, training[:0], config), examples.states)  # type: ignore[arg-type]  # fmt: skip
        drawn = itertools.islice(run.stream(), 1_000)
        return float(np.mean([examples.theorem[many[i]] == 0 for i in drawn]))

    assert share("positives") == pytest.approx(402 / 500, abs=0.03)
    assert share("theorems") == pytest.approx(1 / 50, abs=0.01)


# ---- hard negatives


def batch_of(rows: list[list[int]], kinds: list[list[int]]) -> NegativeBatch:
    """0 stands for an absent one."""
    numbers = np.array(rows)
    return NegativeBatch(numbers, np.array(kinds, dtype=np.int8), numbers > 0)


def test_a_share_of_the_negatives_are_those_of_a_larger_draw_with_the_lowest_energies() -> None:
    drawn = batch_of([[1, 2, 3, 4]], [[0, 0, 1, 2]])
    pool = batch_of([[11, 12, 13, 14, 2, 0]], [[0, 1, 1, 2, 0, 0]])
    energies = np.array([[5.0, -1.0, 3.0, -2.0, -9.0, -99.0]], dtype=np.float32)  # what is absent never counts
    chosen = harder(drawn, pool, energies, 0.5)
    kept, hard = set(chosen.rows[0].tolist()) & {1, 2, 3, 4}, set(chosen.rows[0].tolist()) - {1, 2, 3, 4}
    assert len(kept) == 2
    assert hard <= {12, 14, 2}
    assert len(set(chosen.rows[0].tolist())) == 4
    assert harder(drawn, pool, energies, 0.0).rows.tolist() == drawn.rows.tolist()
    assert set(harder(drawn, pool, energies, 1.0).rows[0].tolist()) == {2, 14, 12, 13}


def test_the_mixture_of_kinds_stays_what_was_configured_but_for_the_hard_ones() -> None:
    random = np.random.default_rng(0)
    drawn = batch_of(
        [[i * 100 + k + 1 for k in range(10)] for i in range(50)], [[0] * 6 + [1] * 3 + [2] for _ in range(50)]
    )
    pool = batch_of([[i * 1000 + 10_000 + k for k in range(40)] for i in range(50)], [[2] * 40 for _ in range(50)])
    chosen = harder(drawn, pool, random.normal(size=(50, 40)).astype(np.float32), 0.2)
    own = chosen.rows < 10_000
    assert own.sum(axis=1).tolist() == [8] * 50
    assert (chosen.kinds[own] == Kind.SIBLING).mean() == pytest.approx(0.6, abs=0.1)


def test_fewer_negatives_than_asked_for_stay_fewer() -> None:
    drawn, pool = batch_of([[5, 6, 0, 0]], [[0] * 4]), batch_of([[5, 6, 0, 0]], [[0] * 4])
    chosen = harder(drawn, pool, np.zeros((1, 4), dtype=np.float32), 1.0)
    assert sorted(chosen.rows[chosen.present].tolist()) == [5, 6]


@pytest.mark.long
def test_the_share_of_hard_negatives_rises_and_makes_the_training_loss_higher(tmp_path: Path) -> None:
    """The same training with the hardest half of its negatives: they are harder, and the head still learns."""
    plain = train(problem("linear"), tmp_path / "plain")
    hard = train(problem("linear"), tmp_path / "hard", SETTINGS.model_copy(update={"hard_negatives": 1.0}))
    first, last = (lambda outcome: outcome.rows[1].loss), (lambda outcome: outcome.rows[-1].loss)
    assert last(hard) - last(plain) > 2 * abs(first(hard) - first(plain))
    assert hard.metrics["pairwise"].value > 0.9


def ways(alone: range) -> tuple[HeadExamples, Embeddings]:
    """Proofs of five states. States of proofs are apart from the others in one direction, and from those before them in another, which siblings do not tell.
    The theorems `alone` have no states but those of their proofs; if there are such, the others have proofs of one state."""
    random = np.random.default_rng(0)
    vectors: dict[str, np.ndarray[Any, Any]] = {}
    positives, states = [], {}
    for t in range(120):
        vectors[f"goal {t}"] = random.normal(size=8)
        way: list[str] = []
        off: list[str] = []
        for depth in range(1, 6 if t in alone or not alone else 2):
            for name, on_proof in ((f"on {t}.{depth}", 1), (f"off {t}.{depth}", -1)):
                vectors[name] = random.normal(size=8)
                vectors[name][:2] = on_proof, depth + random.normal(scale=0.3)
            siblings = () if t in alone else (f"off {t}.{depth}",)
            positives.append(
                Positive(f"t{t}", f"goal {t}", f"on {t}.{depth}", depth, siblings, tuple(way), remaining=6 - depth)
            )
            way.append(f"on {t}.{depth}")
            off += siblings
        states[f"t{t}"] = tuple(off)
    matrix = np.stack([*vectors.values()]).astype("f4")
    return examples_of(positives, states, list(vectors)), Embeddings("e1", matrix)


def falling(data: tuple[HeadExamples, Embeddings], workdir: Path, key: str, value: float) -> tuple[float, HeadOutcome]:
    """How often a state lies below one before it on its proof, for a head trained with this value."""
    examples, matrix = data[0], torch.from_numpy(data[1].matrix)
    outcome = train(data, workdir, SETTINGS.model_copy(update={key: value, "steps": 400, "widths": [64]}))
    head = Head.load(workdir / "head").plain()

    def energy(state: int, goal: int) -> float:
        return head(matrix[state][None, None], matrix[goal][None, None]).item()

    falls = [
        energy(int(examples.state[i]), int(examples.goal[i])) < energy(int(before), int(examples.goal[i]))
        for i in range(len(examples))
        for before in examples.earlier[i]
    ]
    return float(np.mean(falls)), outcome


@pytest.mark.long
def test_with_earlier_states_as_negatives_or_a_weight_of_depth_the_energy_falls_along_a_proof(tmp_path: Path) -> None:
    data = ways(range(0))
    plain, by_negatives, by_depth = (
        falling(data, tmp_path / name, key, value)
        for name, key, value in (
            ("plain", "depth_weight", 0),
            ("negatives", "earlier_share", 0.5),
            ("depth", "depth_weight", 1),
        )
    )
    assert plain[0] < 0.7
    assert by_negatives[0] > 0.9
    assert by_depth[0] > 0.9
    for share, outcome in (plain, by_negatives, by_depth):
        assert outcome.metrics["progress"].value == pytest.approx(share, abs=0.15)
        assert outcome.metrics["sibling_discrimination"].value > 0.9
    assert by_depth[1].metrics["depth_correlation"].value > 0.9 > plain[1].metrics["depth_correlation"].value


@pytest.mark.long
def test_states_of_known_proofs_teach_the_depth_and_nothing_else(tmp_path: Path) -> None:
    """Here only theorems without other states have proofs of several."""
    data = ways(range(60))
    share, outcome = falling(data, tmp_path / "with", "depth_weight", 1)
    assert share > 0.9
    assert falling(data, tmp_path / "without", "depth_weight", 0)[0] < 0.7
    held_out = {t for t in range(60, 120) if is_validation(f"t{t}", HELD_OUT)}
    assert (outcome.positives, outcome.validation_positives) == (60 - len(held_out), len(held_out))
    assert outcome.metrics["sibling_discrimination"].value > 0.9


# ---- when it ends


def test_without_a_better_rank_it_stops_and_keeps_the_best(with_all: Path) -> None:
    outcome = train(problem("none"), with_all / "none", ALL)  # there is nothing to learn
    assert outcome.steps < 400
    ranks = {row.step: row.metrics["rank1"].value for row in outcome.rows}
    assert ranks[outcome.best_step] == max(ranks.values())
    assert outcome.steps - outcome.best_step == 6 * ALL.log_every
    assert outcome.metrics["rank1"].value == pytest.approx(ranks[outcome.best_step])


@pytest.mark.long
def test_without_held_out_theorems_all_steps_are_made(tmp_path: Path) -> None:
    from burnqed.train.ebm import train_head

    config = ALL.model_copy(update={"steps": 200})
    checkpoints = Checkpoints(Store(str(tmp_path / "store")), "c.pt")
    outcome = train_head(*problem("none"), config, validation_fraction=0.0, workdir=tmp_path, checkpoints=checkpoints)
    assert outcome.steps == 200


@pytest.mark.long
@pytest.mark.parametrize("steps", [7, 60, 140] if os.environ.get("BURNQED_KILLS") else [140])
def test_an_interrupted_training_with_all_of_this_continues_to_the_same_head(
    with_all: Path, tmp_path: Path, steps: int
) -> None:
    checkpoints = Checkpoints(Store(str(tmp_path / "store")), "checkpoint.pt")
    asked = itertools.count()
    with pytest.raises(TryAgain):
        train(problem("product"), tmp_path, ALL, checkpoints=checkpoints, should_stop=lambda: next(asked) >= steps)
    train(problem("product"), tmp_path, ALL, checkpoints=checkpoints)
    for file in ("head.safetensors", "ebm.json"):
        assert (tmp_path / "head" / file).read_bytes() == (with_all / "head" / file).read_bytes()


# ---- what it starts from


def test_a_head_of_the_same_embeddings_is_trained_further_and_any_other_is_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("burnqed"), "propagate", True)
    caplog.set_level("INFO", logger="burnqed")
    train(problem("product"), tmp_path / "earlier", SETTINGS.model_copy(update={"steps": 300}))
    earlier = Head.load(tmp_path / "earlier" / "head")
    before = train(problem("product"), tmp_path / "new", SETTINGS)
    after = train(problem("product"), tmp_path / "continued", SETTINGS, earlier=earlier)
    assert (before.continued, after.continued) == ("", earlier.head_id)
    assert after.rows[0].metrics["loss"].value < before.rows[0].metrics["loss"].value - 0.3
    assert after.rows[0].temperature == pytest.approx(earlier.temperature)
    earlier.embedding_id = "another model's"
    assert train(problem("product"), tmp_path / "other", SETTINGS, earlier=earlier).rows == before.rows
    assert "belongs to other embeddings" in caplog.text
    earlier.embedding_id = "e1"
    narrow = SETTINGS.model_copy(update={"widths": [8], "steps": 25})
    assert train(problem("product"), tmp_path / "narrow", narrow, earlier=earlier).continued == ""
    assert "has another shape (widths" in caplog.text


# ---- figures


def test_the_share_of_groups_that_still_teach_falls_as_the_head_learns(tmp_path: Path) -> None:
    learns = {"dropout": 0.0, "learning_rate": 1e-2, "steps": 400, "weight_decay": 0.0}
    outcome = train(problem("linear"), tmp_path, SETTINGS.model_copy(update=learns))
    ratios = [row.active_ratio for row in outcome.rows]
    assert ratios[0] is None
    assert ratios[1] == pytest.approx(1.0, abs=0.05)
    assert ratios[-1] < 0.8  # type: ignore[operator]
    assert outcome.metrics["sibling_discrimination"].value > 0.9
    assert outcome.metrics["sibling_discrimination"].chance == 0.5


def test_a_temperature_that_leaves_the_healthy_range_is_said_once_and_its_return_too(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("burnqed"), "propagate", True)
    caplog.set_level("INFO", logger="burnqed")
    temperatures = [1.0, 0.6, 0.49, 0.4, 0.55, 2.9, 3.1]
    left = [temperature_left(step, now, before) for step, (before, now) in enumerate(itertools.pairwise(temperatures))]
    assert [steps for steps in left if steps] == [[1], [5]]
    said = [record.message for record in caplog.records]
    assert said == [
        "head: the temperature is 0.490 at step 1; between 0.5 and 3 is healthy",
        "head: the temperature is 0.550 at step 3, healthy again",
        "head: the temperature is 3.100 at step 5; between 0.5 and 3 is healthy",
    ]
