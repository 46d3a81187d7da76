"""What a plan asks of a real S3 server."""

from __future__ import annotations

from pathlib import Path

import pytest

from burnqed.config import RunConfig
from burnqed.steps.plan import plan
from burnqed.steps.table import loop
from burnqed.store import Store
from tests.fixtures.finished import RUN, Finished
from tests.fixtures.requests import counted
from tests.fixtures.s3 import S3Server

SHARDS = 40


@pytest.fixture
def finished(s3: S3Server, tmp_path: Path) -> Finished:
    config = RunConfig.model_validate({"search": {"shards": SHARDS}, "evaluate": {"shards": SHARDS}})
    here = Finished(Store(str(tmp_path)), config, last=0)
    here.store = Store(f"s3://{s3.bucket}/plan")
    here.store.fs.put(str(tmp_path / RUN), here.store.full(RUN), recursive=True)
    return here


def test_a_plan_lists_each_family_once_and_reads_each_record_once(finished: Finished) -> None:
    units = [path for path in finished.store.list(RUN) if path.endswith("/_SUCCESS")]
    assert len(units) > 4 * SHARDS
    with counted(finished.store) as requests:
        outputs = plan(loop(), finished.context(RunConfig()))
    assert set(outputs.values()) == {"no", "[]"}
    assert requests.total() <= 1.2 * len(units), requests
