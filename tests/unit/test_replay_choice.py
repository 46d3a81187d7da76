"""Which known proofs are replayed."""

from __future__ import annotations

import json
from pathlib import Path

from burnqed.config import NegativesConfig, RunConfig
from burnqed.lean.protocol import Theorem
from burnqed.steps import replay
from burnqed.steps.select import Selection
from burnqed.store import Store
from tests.fixtures.finished import Finished


def chosen(tmp_path: Path, pool: str, iteration: int = 0) -> list[str]:
    """Of proofs of t00 to t39, with t03, t30 and t99 searched."""
    config = RunConfig(negatives=NegativesConfig.model_validate({"theorems": 6, "pool": pool}))
    done = Finished(Store(str(tmp_path / pool)), config)
    context = done.context(config, iteration)
    proofs = [{"name": f"t{i:02}", "statement": "True", "tactics": ["trivial"]} for i in range(40)]
    done.store.write_text(f"{context.layout.data}/proofs.json", json.dumps({"proofs": proofs}))
    searched = [Theorem(name=name, statement="True") for name in ("t03", "t30", "t99")]
    done.store.write_text(f"{context.layout.selection}/selection.json", Selection(theorems=searched, probe_easy=[]).model_dump_json())  # fmt: skip
    [unit] = replay.units(context)
    return [proof.theorem.name for proof in replay.chosen(context, unit)]


def test_a_sample_of_the_known_proofs_differs_from_iteration_to_iteration(tmp_path: Path) -> None:
    first, second = (chosen(tmp_path, "any", i) for i in (0, 1))
    assert len({*first}) == len({*second}) == 6
    assert first != second


def test_proofs_of_searched_theorems_come_first_if_so_configured(tmp_path: Path) -> None:
    found = chosen(tmp_path, "searched")
    assert {*found[:2]} == {"t03", "t30"}
    assert found[2:] == [name for name in chosen(tmp_path, "any") if name not in {"t03", "t30"}][:4]
