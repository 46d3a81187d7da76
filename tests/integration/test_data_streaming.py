"""Memory does not grow with the data: what `make streaming` measures, at a size at which rows kept as objects would show."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import data_streaming as streaming
from burnqed.data.pairs import PAIRS, TacticPair
from burnqed.store import Store


def more_mb(part: str, small: Path, large: Path) -> float:
    """How much more memory a part takes for the larger data."""
    return float(streaming.measure(part, large)["peak_mb"] - streaming.measure(part, small)["peak_mb"])


@pytest.mark.long
def test_pairs_are_filtered_and_inspected_in_the_same_memory_however_many_there_are(tmp_path: Path) -> None:
    sizes = {name: tmp_path / name for name in ("small", "large")}
    for folder, count in zip(sizes.values(), (10_000, 90_000), strict=True):
        folder.mkdir()
        pairs = (
            TacticPair(theorem=f"t{i // 8}", state=f"n : Nat\nh : n ≤ {i}\n⊢ n ≤ {i + 1}", tactic="omega", depth=i % 8, source="s")
            for i in range(count)
        )  # fmt: skip
        PAIRS.write(Store(str(folder)), "pairs.parquet", PAIRS.batches(pairs))
    for part in ("filter and split", "inspect"):
        # as objects, 80,000 pairs take 90 MB
        assert more_mb(part, sizes["small"], sizes["large"]) < 45


@pytest.mark.long
def test_the_heads_examples_take_little_for_each_row(tmp_path: Path) -> None:
    sizes = {name: tmp_path / name for name in ("small", "large")}
    for folder, rows in zip(sizes.values(), (20_000, 140_000), strict=True):
        folder.mkdir()
        streaming.trajectories(folder, rows)
    # as Python's rows, 120,000 take more than 150 MB
    assert more_mb("negatives", sizes["small"], sizes["large"]) < 70
    for part in ("select", "inspect rows"):
        assert more_mb(part, sizes["small"], sizes["large"]) < 60
