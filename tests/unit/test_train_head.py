"""The energy head's parts: energies, InfoNCE, negatives, metrics, embeddings."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from burnqed.config import EbmConfig
from burnqed.errors import BadInput, TryAgain
from burnqed.head.base import Head, make_head
from burnqed.head.calibration import calibration_error, reliability
from burnqed.head.metric import Metric, Metrics, standard_error
from burnqed.head.mlp import FIRST_LAYER_SCALE, MlpHead
from burnqed.store import Store
from burnqed.train.depth import NATS, depth_loss, earlier_states
from burnqed.train.embeddings import EmbeddingCache
from burnqed.train.examples import HeadExamples
from burnqed.train.held_out import HeldOut
from burnqed.train.losses import info_nce
from burnqed.train.monitor import Scored, head_metrics, rank_shares, verdict
from burnqed.train.negatives import Kind, NegativeSampler
from burnqed.train.quality import embedding_metrics, linear_probe
from tests.fixtures.head_examples import Positive, examples_of, random_trajectories

pytestmark = pytest.mark.usefixtures("one_thread")


# ---- InfoNCE


def test_info_nce_has_the_value_computed_by_hand() -> None:
    loss = info_nce(torch.tensor([1.0]), torch.tensor([[2.0, 3.0]]), torch.tensor([[True, True]]))
    expected = -math.log(math.exp(-1) / (math.exp(-1) + math.exp(-2) + math.exp(-3)))
    assert loss.item() == pytest.approx(expected)


def test_info_nce_is_the_mean_over_positives_and_ignores_absent_negatives() -> None:
    loss = info_nce(
        torch.tensor([0.5, -1.0]),
        torch.tensor([[0.5, -99.0], [2.0, 0.0]]),
        torch.tensor([[True, False], [True, True]]),
    )
    first = math.log(2)
    second = -math.log(math.e / (math.e + math.exp(-2) + 1))
    assert loss.item() == pytest.approx((first + second) / 2)


def test_info_nce_scales_with_the_energies_alone() -> None:
    """It has no temperature: halving energies (a head's temperature of 2) must change it as the formula says."""
    energies, present = torch.tensor([[3.0, 1.0]]), torch.tensor([[True, True]])
    for temperature in (0.5, 1.0, 2.0):
        logits = torch.tensor([0.0, -3.0, -1.0]) / temperature
        expected = -torch.log_softmax(logits, 0)[0].item()
        assert info_nce(torch.zeros(1), energies / temperature, present).item() == pytest.approx(expected)


# ---- the head


def embeddings(n: int, d: int, norm: float, seed: int = 0) -> torch.Tensor:
    z = torch.randn(n, d, generator=torch.Generator().manual_seed(seed))
    return norm * z / z.norm(dim=1, keepdim=True)


def test_widths_are_those_of_the_large_model_in_proportion() -> None:
    assert MlpHead.default_widths(4096) == [2048, 1024, 512]
    assert MlpHead.default_widths(1024) == [512, 256, 128]
    assert MlpHead.default_widths(128) == [64, 32, 32]


def test_energies_are_small_at_the_start_even_with_many_large_inputs() -> None:
    """With 12,288 inputs of a large model's size, energies must not explode; the first layer's scale is what prevents it."""
    torch.manual_seed(0)
    head = MlpHead(4096, [64, 32, 16])
    z, g = embeddings(32, 4096, 200.0), embeddings(32, 4096, 200.0, seed=1)
    small = head.energies(z, g).abs().max().item()
    with torch.no_grad():
        head.linear[0].weight.div_(FIRST_LAYER_SCALE)
    large = head.energies(z, g).abs().max().item()
    assert small < 1.0
    assert large > 2 * small


def test_every_layer_keeps_a_spectral_norm_of_at_most_one_and_a_smaller_one_is_left_alone() -> None:
    torch.manual_seed(0)
    head = make_head(embeddings(100, 64, 8.0), EbmConfig(widths=[48, 32], power_iterations=5))
    with torch.no_grad():
        for layer in head.linear:
            layer.parametrizations.weight.original.mul_(20)
    exact = head.plain()
    for layer in exact.linear:
        assert torch.linalg.matrix_norm(layer.weight, ord=2).item() == pytest.approx(1.0, abs=0.01)
    head.train()
    for layer in head.linear:  # five power iterations from a random start: near, from below
        assert torch.linalg.matrix_norm(layer.weight, ord=2).item() < 1.25
    with torch.no_grad():
        for layer in head.linear:
            layer.parametrizations.weight.original.mul_(1e-3)
    for mine, its in zip(head.linear, head.plain().linear, strict=True):
        assert torch.equal(mine.parametrizations.weight.original, its.weight)


def test_training_passes_start_the_power_iteration_anew_and_evaluation_does_not_depend_on_chance() -> None:
    head = make_head(embeddings(100, 16, 1.0), EbmConfig(widths=[8], dropout=0.0, power_iterations=1))
    with torch.no_grad():
        head.linear[0].parametrizations.weight.original.mul_(100)
    z, g = embeddings(4, 16, 1.0), embeddings(4, 16, 1.0, seed=1)
    head.train()
    assert not torch.equal(head(z, g), head(z, g))
    assert torch.equal(head.energies(z, g), head.energies(z, g))


def test_the_temperature_divides_the_energies() -> None:
    head = MlpHead(8, [8])
    z, g = embeddings(5, 8, 1.0), embeddings(5, 8, 1.0, seed=1)
    before = head.energies(z, g)
    with torch.no_grad():
        head.log_temperature.fill_(math.log(4.0))
    assert head.temperature == pytest.approx(4.0)
    np.testing.assert_allclose(head.energies(z, g).numpy(), before.numpy() / 4, rtol=1e-5)


def test_the_size_and_the_common_part_of_embeddings_do_not_matter() -> None:
    torch.manual_seed(0)
    z, g = embeddings(50, 16, 1.0), embeddings(50, 16, 1.0, seed=1)
    found = []
    for factor, offset in ((1.0, 0.0), (30.0, 500.0)):
        torch.manual_seed(1)
        head = make_head(torch.cat([z, g]) * factor + offset, EbmConfig())
        found.append(head.energies(z * factor + offset, g * factor + offset).numpy())
    np.testing.assert_allclose(found[0], found[1], atol=1e-4)
    constant = make_head(torch.ones(10, 4), EbmConfig())
    assert torch.isfinite(constant.energies(torch.ones(3, 4), torch.ones(3, 4))).all()


def test_the_energy_of_a_state_depends_on_the_goal() -> None:
    head = MlpHead(8, [8])
    z, g = embeddings(5, 8, 3.0), embeddings(5, 8, 3.0, seed=1)
    assert not torch.allclose(head.energies(z, g), head.energies(z, g.flip(0)))


def test_a_loaded_head_gives_the_energies_of_the_trained_one(tmp_path: Path) -> None:
    torch.manual_seed(0)
    head = make_head(embeddings(100, 16, 5.0), EbmConfig(dropout=0.5))
    with torch.no_grad():
        head.linear[0].parametrizations.weight.original.mul_(50)  # so that the limit matters
        head.log_temperature.fill_(0.3)
    z, g = embeddings(9, 16, 5.0), embeddings(9, 16, 5.0, seed=1)
    metrics = {"pairwise": Metric(value=0.7, chance=0.5, count=30)}
    description = head.save(tmp_path, "embeddings-1", metrics)
    loaded = Head.load(tmp_path)
    np.testing.assert_allclose(loaded.energies(z, g).numpy(), head.energies(z, g).numpy(), rtol=1e-5)
    assert (loaded.embedding_id, loaded.head_id) == ("embeddings-1", description.head_id)
    assert description.metrics == metrics
    assert description.temperature == pytest.approx(math.exp(0.3))


def test_other_weights_or_other_embeddings_make_another_head(tmp_path: Path) -> None:
    torch.manual_seed(0)
    head = MlpHead(8, [8])
    first = head.save(tmp_path / "a", "x", {}).head_id
    assert head.save(tmp_path / "b", "x", {}).head_id == first
    assert head.save(tmp_path / "c", "y", {}).head_id != first
    assert MlpHead(8, [8]).save(tmp_path / "d", "x", {}).head_id != first


def test_a_missing_or_mixed_up_head_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no head at"):
        Head.load(tmp_path)
    MlpHead(8, [8]).save(tmp_path / "a", "x", {})
    MlpHead(8, [8]).save(tmp_path / "b", "x", {})
    (tmp_path / "a/head.json").write_bytes((tmp_path / "b/head.json").read_bytes())
    with pytest.raises(BadInput, match="copy the head again"):
        Head.load(tmp_path / "a")


# ---- negatives


def sampler(
    config: EbmConfig, siblings: int = 20, same: int = 20, others: int = 200
) -> tuple[NegativeSampler, dict[int, str]]:
    """One positive `p` of theorem t, with so many states of each kind; and the text of each row."""
    names = {
        kind: [f"{kind}{i}" for i in range(n)]
        for kind, n in (("sibling", siblings), ("theorem", same), ("other", others))
    }
    texts = ["p", "g", *names["sibling"], *names["theorem"], *names["other"]]
    example = Positive("t", "g", "p", 1, tuple(names["sibling"]))
    pool = {
        "a": tuple(names["other"][:30]),
        "t": tuple(names["sibling"] + names["theorem"]),
        "z": tuple(names["other"][30:]),
    }
    examples = examples_of([example], {t: s for t, s in pool.items() if s}, texts)
    return NegativeSampler(examples, np.array([0]), examples.states, config), dict(enumerate(texts))


def draw_all(found: NegativeSampler, texts: dict[int, str], times: int = 200) -> list[list[str]]:
    drawn = [found.draw([0], np.random.default_rng(i)) for i in range(times)]
    for batch in drawn:
        for row, kind in zip(batch.rows[0][batch.present[0]], batch.kinds[0][batch.present[0]], strict=True):
            assert texts[row].startswith(Kind(kind).name.lower())
    return [[texts[row] for row in batch.rows[0][batch.present[0]]] for batch in drawn]


def test_negatives_come_in_their_shares_without_repetition() -> None:
    found, texts = sampler(EbmConfig(negatives=15))
    drawn = draw_all(found, texts)
    assert all(len(names) == len(set(names)) == 15 for names in drawn)
    flat = [name.rstrip("0123456789") for names in drawn for name in names]
    for kind, share in (("sibling", 0.6), ("theorem", 0.3), ("other", 0.1)):
        assert flat.count(kind) / len(flat) == pytest.approx(share, abs=0.02)
    assert {name for names in drawn for name in names} >= {f"other{i}" for i in range(0, 200, 40)}


def test_a_share_of_the_negatives_can_be_states_earlier_on_the_proof() -> None:
    first = Positive("t", "g", "p1", 1, ("sibling0",))
    last = Positive("t", "g", "p5", 5, ("sibling1",), ("p1", "p2", "p3", "p4"))
    others = {"u": tuple(f"other{i}" for i in range(40))}
    examples = examples_of([first, last], {"t": ("sibling0", "sibling1"), **others})

    def kinds(share: float, positive: int, seed: int) -> list[Kind]:
        config = EbmConfig(negatives=10, earlier_share=share)
        found = NegativeSampler(examples, np.array([0, 1]), examples.states, config)
        batch = found.draw([positive], np.random.default_rng(seed))
        assert batch.present.all()
        texts = [examples.texts[row] for row in batch.rows[0]]
        assert len(set(texts)) == 10
        for text, kind in zip(texts, batch.kinds[0], strict=True):
            assert text.startswith("p" if kind == Kind.EARLIER else ("sibling", "sibling", "other")[kind])
        return [Kind(kind) for kind in batch.kinds[0]]

    assert Kind.EARLIER not in kinds(0.0, 1, 0)
    assert Kind.EARLIER not in kinds(0.5, 0, 0), "nothing comes before the first step"
    assert kinds(0.9, 1, 0).count(Kind.EARLIER) == 4, "there are no more"
    counts = [kinds(0.25, 1, seed).count(Kind.EARLIER) for seed in range(200)]
    assert np.mean(counts) == pytest.approx(2.5, abs=0.15)


def test_a_share_of_the_negatives_can_be_states_that_search_expanded_before() -> None:
    siblings, same = tuple(f"sibling{i}" for i in range(4)), tuple(f"theorem{i}" for i in range(4))
    expanded = (*siblings[:3], *same[:3])
    positive = Positive("t", "g", "p", 2, siblings, ("p1", "p2"), expanded)
    examples = examples_of(
        [positive], {"t": (*siblings, *same), "u": tuple(f"other{i}" for i in range(40))}, ["p", "g", "p1", "p2", *siblings, *same, *(f"other{i}" for i in range(40))]
    )  # fmt: skip

    def drawn(share: float, seed: int = 0, **settings: Any) -> dict[str, Kind]:
        found = NegativeSampler(examples, np.array([0]), examples.states, EbmConfig(expanded_share=share, **settings))
        batch = found.draw([0], np.random.default_rng(seed))
        assert batch.present.all()
        texts = [examples.texts[row] for row in batch.rows[0]]
        assert len(set(texts)) == len(texts), "nothing twice, though kinds overlap"
        return {text: Kind(kind) for text, kind in zip(texts, batch.kinds[0], strict=True)}

    assert Kind.EXPANDED not in drawn(0.0).values()
    mixed = drawn(0.9, negatives=12)
    assert {text for text, kind in mixed.items() if kind == Kind.EXPANDED} == set(expanded), "there are no more"
    assert {text for text, kind in mixed.items() if kind < Kind.OTHER} <= {"sibling3", "theorem3"}
    both = drawn(0.9, negatives=10, earlier_share=0.2)
    assert [list(both.values()).count(kind) for kind in (Kind.EARLIER, Kind.EXPANDED)] == [2, 6]
    assert list(drawn(0.9, negatives=4, earlier_share=0.5).values()).count(Kind.EXPANDED) == 2, "no more than is left"
    counts = [list(drawn(0.25, seed, negatives=10).values()).count(Kind.EXPANDED) for seed in range(200)]
    assert np.mean(counts) == pytest.approx(2.5, abs=0.15)


@pytest.mark.parametrize("share", ["earlier_share", "expanded_share"])
def test_what_is_trained_on_does_not_change_what_is_measured(share: str) -> None:
    examples = HeadExamples.from_tables(random_trajectories(30, 20))
    config, everything = EbmConfig(negatives=10), np.arange(len(examples))
    with_share = EbmConfig(**{**config.model_dump(), share: 0.9})
    random = (np.random.default_rng(0) for _ in range(2))
    draws = [
        NegativeSampler(examples, everything, examples.states, c).draw(everything.tolist(), next(random))
        for c in (config, with_share)
    ]
    assert (draws[0].kinds != draws[1].kinds).any()
    measured = [HeldOut(examples, everything, c).negatives.rows for c in (config, with_share)]
    assert (measured[0] == measured[1]).all()


@pytest.mark.parametrize(
    ("available", "expected"),
    [
        ((2, 20, 200), (2, 11.5, 1.5)),
        ((20, 0, 200), (13.5, 0, 1.5)),
        ((0, 0, 200), (0, 0, 15)),
        ((20, 20, 0), (9, 6, 0)),
        ((3, 2, 4), (3, 2, 4)),
    ],
)
def test_where_a_kind_runs_out_another_stands_in(available: tuple[int, int, int], expected: tuple[float, ...]) -> None:
    found, texts = sampler(EbmConfig(negatives=15), *available)
    drawn = draw_all(found, texts)
    mean = [
        sum(name.startswith(kind) for names in drawn for name in names) / len(drawn)
        for kind in ("sibling", "theorem", "other")
    ]
    assert mean == pytest.approx(expected, abs=0.15)


def test_a_positive_without_any_other_state_cannot_be_used() -> None:
    found, _ = sampler(EbmConfig(), 0, 0, 0)
    assert found.usable() == []
    assert sampler(EbmConfig(), 0, 0, 1)[0].usable() == [0]


def test_another_theorems_state_with_the_positives_own_text_is_no_negative() -> None:
    examples = examples_of([Positive("t", "g", "p", 1, ())], {"u": ("p", "q")}, ("p", "g", "q"))
    found = NegativeSampler(examples, np.array([0]), examples.states, EbmConfig(negatives=4))
    batch = found.draw([0], np.random.default_rng(0))
    assert batch.rows[0][batch.present[0]].tolist() == [2]


# ---- metrics


def scored(
    positive: Sequence[float],
    negatives: Sequence[Sequence[float]],
    depth: Sequence[int] | None = None,
    theorem: Sequence[int] | None = None,
) -> Scored:
    width = max(map(len, negatives))
    matrix = np.array([[*row, *[-9e9] * (width - len(row))] for row in negatives], dtype=np.float32)
    present = np.array([[i < len(row) for i in range(width)] for row in negatives])
    kinds = np.array([[Kind.SIBLING if i == 0 else Kind.THEOREM for i in range(width)]] * len(negatives), dtype=np.int8)
    depths = np.array(depth or [1] * len(positive))
    theorems = np.array(theorem or range(len(positive)))
    return Scored(np.array(positive, dtype=np.float32), matrix, present, kinds, depths, 5 - depths, theorems)


def test_metrics_have_the_values_counted_by_hand() -> None:
    found = head_metrics(scored([1, 5, 2], [[2, 3], [4, 6, 7], [3]], depth=[1, 2, 7]))
    figures = {name: (metric.value, metric.chance, metric.count) for name, metric in found.items()}
    assert figures["rank1"] == pytest.approx((2 / 3, (1 / 3 + 1 / 4 + 1 / 2) / 3, 3))
    assert figures["rank1_depth_1"] == pytest.approx((1.0, 1 / 3, 1))
    assert figures["rank1_depth_2"] == pytest.approx((0.0, 0.25, 1))
    assert figures["rank1_depth_4+"] == pytest.approx((1.0, 0.5, 1))
    assert "rank1_depth_3" not in found
    assert figures["rank1_siblings"] == pytest.approx((2 / 3, 0.5, 3))
    assert found["pairwise"].value == pytest.approx((1 + 2 / 3 + 1) / 3)
    assert found["auc"].value == pytest.approx((6 + 2 + 5.5) / 18)
    assert found["energy_gap"].value == pytest.approx((1.5 + 2 / 3 + 1) / 3)
    # probabilities of the choices 1 / (1 + e⁻¹ + e⁻²), 1 / (1 + e⁻¹ + e⁻² + e⁻³) and 1 / (1 + e⁻¹); right is the first and the last
    sure = [1 / sum(math.exp(-k) for k in range(n)) for n in (3, 4, 2)]
    expected = (abs(sure[0] + sure[1] - 1) + abs(sure[2] - 1)) / 3
    assert figures["calibration_error"] == (pytest.approx(expected), None, 3)


def test_states_of_other_theorems_say_nothing_about_what_search_chooses_between() -> None:
    """Energies of two others beside each positive's own negatives, far above all of these: only `pairwise` and `auc`, which are over all negatives, are better for them."""
    own = scored([1, 5, 2], [[2, 3], [4, 6, 7], [3]], depth=[1, 2, 7])
    both = replace(
        own,
        negatives=np.concatenate([own.negatives, np.full((3, 2), 90.0, dtype=np.float32)], axis=1),
        present=np.concatenate([own.present, np.ones((3, 2), dtype=np.bool_)], axis=1),
        kinds=np.concatenate([own.kinds, np.full((3, 2), Kind.OTHER, dtype=np.int8)], axis=1),
    )
    alone, beside = head_metrics(own), head_metrics(both)
    over_all: dict[str, Any] = dict.fromkeys(["pairwise", "auc"])
    assert all(beside[name].value > alone[name].value for name in over_all)
    assert {**beside, **over_all} == {**alone, **over_all}


def test_the_spread_is_over_theorems_whose_positives_depend_on_each_other() -> None:
    """Ten theorems, of which a head is right about half: four equal positives of each tell no more than one."""
    right = [1.0, 3.0] * 5
    one = head_metrics(scored(right, [[2.0]] * 10))["rank1"]
    fourfold = scored([e for e in right for _ in range(4)], [[2.0]] * 40, theorem=[t for t in range(10) for _ in range(4)])  # fmt: skip
    four, shares = head_metrics(fourfold)["rank1"], rank_shares(fourfold)["rank1"]
    assert shares == pytest.approx({t: (0.5 if t % 2 == 0 else -0.5) / 10 for t in range(10)})
    assert standard_error([*shares.values()]) == four.spread
    student = 2.262 / 1.96  # of nine degrees of freedom
    assert one.spread == pytest.approx(student * np.std([1, 0] * 5, ddof=1) / math.sqrt(10), rel=1e-3)
    assert (four.value, four.spread) == (one.value, pytest.approx(one.spread))
    assert four.error == pytest.approx(one.error / 2), "as if all were independent"  # type: ignore[operator]
    few, alike = (
        head_metrics(scored(energies, [[2.0]] * len(energies)))["rank1"] for energies in (right[:5], [1.0] * 10)
    )
    assert (few.spread, alike.spread) == (None, None)


def test_energies_that_are_not_finite_are_no_ground_for_a_calibration() -> None:
    nothing = [[math.nan, 1.0], [-math.inf, 1.0], [0.5, math.inf], [1.0]]
    assert reliability(nothing) == []
    assert reliability([*nothing, [0.0, 1.0]]) == reliability([[0.0, 1.0]])
    assert "calibration_error" not in head_metrics(scored([math.nan], [[1.0]]))


def test_calibration_counts_in_tenths_what_was_right_of_what_was_likely() -> None:
    def group(probability: float, is_right: bool) -> list[float]:
        own, other = -math.log(probability), -math.log(1 - probability)
        return [own, other] if is_right else [other, own]

    groups = [group(0.82, True), group(0.88, False), group(0.85, True), group(0.58, True), [0.3], [2.0, 2.0, 5.0]]
    tied = 1 / (2 + math.exp(-3))
    low, middle, high = reliability(groups)
    assert low == pytest.approx((tied, 0.5, 1)), "of equals, every other draw is right"
    assert middle == pytest.approx((0.58, 1.0, 1))
    assert high == pytest.approx((0.85, 2 / 3, 3))
    error = (abs(0.5 - tied) + 0.42 + 3 * (0.85 - 2 / 3)) / 5
    assert calibration_error([low, middle, high]) == pytest.approx(error)
    assert [b.confidence for b in reliability([group(0.999999, True), [0.0, 800.0]])] == [pytest.approx(1.0)]


def test_a_head_that_tells_nothing_apart_has_the_chance_value_everywhere() -> None:
    for metric in head_metrics(scored([0] * 4, [[0, 0], [0] * 5, [0], [0] * 3], depth=[1, 2, 3, 4])).values():
        assert metric.value == pytest.approx(metric.chance or 0.0)


def test_random_energies_come_out_at_the_chance_values() -> None:
    random = np.random.default_rng(0)
    n = 4_000
    rows = [random.normal(size=random.integers(1, 12)).tolist() for _ in range(n)]
    found = head_metrics(scored(random.normal(size=n).tolist(), rows, random.integers(1, 7, n).tolist()))
    assert len(found) == 12
    assert found.pop("calibration_error").value > 0.1, "it is sure of what it does not know"
    for name, metric in found.items():
        assert metric.value == pytest.approx(metric.chance, abs=4 / math.sqrt(metric.count)), name


def test_the_error_of_a_figure_is_how_far_it_strays_from_chance() -> None:
    random = np.random.default_rng(0)
    repeats = []
    for _ in range(300):
        rows = [random.normal(size=k % 11 + 1).tolist() for k in range(100)]
        repeats.append(head_metrics(scored(random.normal(size=100).tolist(), rows)))
    for name in ("rank1", "rank1_siblings", "pairwise", "energy_gap"):
        spread = np.std([found[name].value for found in repeats])
        assert spread == pytest.approx(np.mean([found[name].error for found in repeats]), rel=0.15), name


def metrics(pairwise: float, gap: float, count: int) -> dict[str, Metric]:
    return {
        "pairwise": Metric(value=pairwise, chance=0.5, count=count),
        "energy_gap": Metric(value=gap, chance=0.0, count=count),
    }


def test_a_head_is_accepted_above_the_thresholds_only() -> None:
    assert verdict(metrics(0.61, 0.1, 50)) == ""
    assert "rank accuracy is 0.600" in verdict(metrics(0.6, 0.1, 50))
    assert "energy gap is -0.100" in verdict(metrics(0.61, -0.1, 50))
    assert "19 validation positives are too few" in verdict(metrics(0.9, 0.1, 19))
    assert "0 validation positives" in verdict({})


def clouds(distance: float, n: int, d: int, seed: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    random = np.random.default_rng(seed)
    shift = np.zeros(d)
    shift[0] = distance
    return random.normal(size=(n, d)).astype(np.float32), (random.normal(size=(n, d)) + shift).astype(np.float32)


def test_separated_classes_show_in_centroid_distance_and_probe_and_equal_ones_do_not() -> None:
    def measured(distance: float) -> Metrics:
        parts = (*clouds(distance, 300, 16, 0), *clouds(distance, 100, 16, 1))
        rows = np.split(np.arange(800), np.cumsum([len(part) for part in parts])[:-1])
        return embedding_metrics(np.concatenate(parts), *rows, seed=0)

    apart = measured(6.0)
    assert apart["centroid_l2"].value == pytest.approx(6.0, abs=0.5)
    assert apart["linear_probe"].value > 0.95
    alike = measured(0.0)
    for metric, margin in ((alike["centroid_l2"], 0.2), (alike["linear_probe"], 0.12)):
        assert metric.value == pytest.approx(metric.chance, abs=margin)
    assert apart["centroid_l2"].chance == pytest.approx(alike["centroid_l2"].chance, abs=0.5)


def test_the_probe_does_not_mind_the_scale_of_features() -> None:
    a, b = clouds(2.0, 300, 4, 0)
    x, y = np.concatenate([a, b]), np.repeat([1.0, 0.0], 300)
    scales = np.array([1e-3, 1.0, 1e3, 10.0], dtype=np.float32)
    assert linear_probe(x * scales, y, x * scales, y) == pytest.approx(linear_probe(x, y, x, y), abs=0.01)


# ---- cached embeddings


class Encoder:
    """Embeds a text as three numbers of its hash, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return np.array([self.value(t) for t in texts], dtype=np.float32)

    @staticmethod
    def value(text: str) -> list[int]:
        return list(hashlib.sha256(text.encode()).digest()[:3])


def test_only_new_texts_are_encoded_and_all_are_found_again(tmp_path: Path) -> None:
    store, encoder = Store(str(tmp_path)), Encoder()
    assert EmbeddingCache(store, "emb", "id1").add(["a", "b", "a", "⊢ c"], encoder) == 3
    assert sorted(encoder.asked) == ["a", "b", "⊢ c"]
    cache = EmbeddingCache(store, "emb", "id1")
    assert cache.add(["b", "d"], encoder) == 1
    assert encoder.asked[3:] == ["d"]
    found = EmbeddingCache(store, "emb", "id1").select(["d", "⊢ c", "a"])
    assert found.matrix.tolist() == [Encoder.value(t) for t in ("d", "⊢ c", "a")]
    assert (found.embedding_id, found.matrix.shape[1]) == ("id1", 3)


def test_another_model_encodes_everything_anew(tmp_path: Path) -> None:
    store, encoder = Store(str(tmp_path)), Encoder()
    EmbeddingCache(store, "emb", "id1").add(["a"], encoder)
    assert EmbeddingCache(store, "emb", "id2").add(["a"], encoder) == 1
    with pytest.raises(BadInput, match="1 of 1 states have no embedding id3"):
        EmbeddingCache(store, "emb", "id3").select(["a"])


def test_the_embeddings_of_an_earlier_stage_are_read_and_not_written_again(tmp_path: Path) -> None:
    store, encoder = Store(str(tmp_path)), Encoder()
    EmbeddingCache(store, "search", "id").add(["a", "b"], encoder)
    assert EmbeddingCache(store, "final", "id", earlier=["search"]).add(["a", "b", "c"], encoder) == 1
    found = EmbeddingCache(store, "final", "id", earlier=["search"]).select(["a", "c"])
    assert found.matrix.tolist() == [Encoder.value("a"), Encoder.value("c")]
    with pytest.raises(BadInput):
        EmbeddingCache(store, "final", "id").select(["a"])


def test_a_stopped_encoding_keeps_what_it_has_and_goes_on_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("burnqed.train.embeddings.CHUNK", 64)
    store, encoder = Store(str(tmp_path)), Encoder()
    texts = [f"state {i:03}" for i in range(500)]
    polls = iter([False, False, True])
    with pytest.raises(TryAgain, match="192 of 500"):
        EmbeddingCache(store, "emb", "id").add(texts, encoder, save_every=100, should_stop=lambda: next(polls))
    assert len(store.list("emb")) == 2  # one part of 128 texts, and the rest at the stop
    cache = EmbeddingCache(store, "emb", "id")
    assert cache.add(texts, encoder, save_every=100) == 500 - 192
    assert sorted(encoder.asked) == texts  # none twice
    assert cache.select(texts).matrix.tolist() == [Encoder.value(t) for t in texts]


# ---- remaining depth


def three_steps() -> HeadExamples:
    """A proof of three states behind its root state, each with those before it."""
    way = ("one", "two", "three")
    return examples_of(
        [Positive("t", "goal", state, i + 1, (f"off {i}",), way[:i], remaining=3 - i) for i, state in enumerate(way)],
        {"t": ("off 0", "off 1", "off 2")},
    )


def test_earlier_states_come_with_the_tactics_between() -> None:
    examples = three_steps()
    batch = earlier_states(examples, np.arange(3), 2, np.random.default_rng(0))
    assert batch.present.tolist() == [[False, False], [True, False], [True, True]]
    found = {examples.texts[row]: int(n) for row, n in zip(batch.rows[2], batch.between[2], strict=True)}
    assert found == {"one": 2, "two": 1}
    assert examples.texts[batch.rows[1, 0]] == "one"
    assert batch.between[1].tolist() == [1, 0]


def test_the_depth_loss_asks_for_half_a_nat_with_each_tactic_within_a_proof_and_nothing_between_two() -> None:
    examples = three_steps()
    batch = earlier_states(examples, np.arange(3), 2, np.random.default_rng(0))
    energies = torch.zeros(len(examples.texts))
    for n, name in enumerate(("three", "two", "one")):
        energies[examples.texts.index(name)] = 7 + NATS * n

    def loss(energies: torch.Tensor) -> float:
        return depth_loss(energies[examples.state], energies[batch.rows], batch).item()

    assert loss(energies) == pytest.approx(0)
    assert loss(energies * 0) == pytest.approx((2 * 0.5**2 / 2 + (1 - 0.5)) / 3)  # smooth L1 of 0.5, 0.5 and 1
    assert loss(-energies) > loss(energies * 0)
    first = earlier_states(examples, np.arange(1), 2, np.random.default_rng(0))
    assert depth_loss(energies[:1], energies[first.rows], first).item() == 0  # there is none before it


def test_the_correlation_with_what_remains_is_measured() -> None:
    found = head_metrics(scored([4, 3, 2, 1], [[5], [5], [5], [5]], depth=[1, 2, 3, 4]))["depth_correlation"]
    assert (found.value, found.chance, found.count) == (pytest.approx(1.0), 0.0, 4)
    assert "depth_correlation" not in head_metrics(scored([1, 1, 1], [[5], [5], [5]], depth=[1, 2, 3]))


def test_energies_that_are_not_finite_have_no_correlation() -> None:
    assert "depth_correlation" not in head_metrics(scored([1, math.inf, 3], [[5], [5], [5]], depth=[1, 2, 3]))
