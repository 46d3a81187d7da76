"""What steps say in their records: the same words as ever, read back as what they mean."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.key import Key
from burnqed.record import Record, write_record
from burnqed.steps.facts import Fact, Facts, HeadFacts, ModelFacts, ReportFacts, SelectFacts, SftFacts, ShardFacts
from burnqed.store import Store


def written(tmp_path: Path, facts: dict[str, Fact]) -> Record:
    return write_record(
        Store(str(tmp_path)), "x", Key(step="ebm", version=1), RunConfig(), facts, datetime.now(UTC), dollars_per_hour=0
    )


HEAD = HeadFacts(head_id="h", accepted=False, steps=7, positives=3, rank1=0.25, rank1_n=4)
REPORT = ReportFacts(go=True, solved_core_plain=3, trained_on_core=2)


@pytest.mark.parametrize(
    ("facts", "document"),
    [
        (HEAD, {"head_id": "h", "accepted": "false", "steps": 7, "positives": 3, "rank1": 0.25, "rank1_n": 4}),
        (REPORT, {"solved_core_plain": 3, "trained_on_core": 2, "go": "yes"}),
        (SelectFacts(theorems=3, probe_easy=1), {"theorems": 3, "probe_easy": 1}),
        (
            ShardFacts(theorems=3, proved=2, unproved=0, timed_out=0, error=1),
            {"theorems": 3, "proved": 2, "unproved": 0, "timed_out": 0, "error": 1},
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_records_have_the_words_that_they_always_had(tmp_path: Path, facts: Facts, document: dict[str, Fact]) -> None:
    assert json.dumps(facts.document()) == json.dumps(document)
    assert type(facts).of(written(tmp_path, document)) == facts


def test_a_record_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    said: dict[str, Fact] = {
        "start": "base", "steps": 5, "loss": 0.5, "evaluation_loss": None, "base_pairs": 9, "trajectory_pairs": 0, "tokens_per_s": 8.5,
    }  # fmt: skip
    figures = SftFacts.of(written(tmp_path, said)).figures
    assert figures == {"steps": 5, "loss": 0.5, "base_pairs": 9, "trajectory_pairs": 0, "tokens_per_s": 8.5}


def test_shards_and_heads_of_earlier_versions_are_read(tmp_path: Path) -> None:
    assert ShardFacts.of(written(tmp_path, {"theorems": 3, "proved": 2, "unproved": 0, "error": 1})).timed_out == 0
    head: dict[str, Fact] = {"head_id": "h", "accepted": "false", "steps": 7, "positives": 3, "gap": None}
    assert HeadFacts.of(written(tmp_path, head)).figures == {"steps": 7, "positives": 3}


def test_only_numbers_are_figures() -> None:
    assert HEAD.figures == {"steps": 7, "positives": 3, "rank1": 0.25, "rank1_n": 4}


def test_a_record_that_does_not_say_what_it_should_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="of the step ebm lacks its version; --redo ebm redoes it"):
        ModelFacts.of(written(tmp_path, {"parameters": 3}))


def test_a_log_has_the_metrics_of_a_head_that_say_whether_it_ranks_beside_chance() -> None:
    head = HEAD.model_copy(update={"rank1_chance": 0.06, "rank1_depth_3": 0.5, "auc": 0.7, "loss": 2.4})
    assert head.told == HEAD.told | {"rank1_chance": 0.06, "loss": 2.4}
    assert set(HEAD.told) == {"head_id", "accepted", "steps", "positives", "rank1"}
    assert REPORT.told == REPORT.document()
