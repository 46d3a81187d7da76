"""The workflow reset: an iteration with other settings, which the run does not keep."""

from __future__ import annotations

import pytest

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.resolve import resolve
from burnqed.run.works import place_of, works_of
from burnqed_workflows import iteration, reset


def settings(*overrides: str) -> tuple[RunConfig, RunConfig]:
    """Of a run, and those that a reset of its iteration 3 has."""
    config = resolve("cluster-7b", overrides).config
    (work,) = works_of(reset.build(config, store="s", run="r", iteration=3).to_dict())
    layout, found = place_of(work)
    assert (layout.run, layout.iteration) == ("r", 3)
    return config, found


def test_it_starts_from_the_base_model_like_the_first_iteration_with_a_new_head() -> None:
    before, found = settings("ebm.resume=auto", "sft.steps=70")
    assert (found.sft.start, found.ebm.resume) == ("base", "none")
    assert (found.sft.later_steps, found.sft.learning_rate_decay, found.sft.base_pairs) == (70, 1.0, 0)
    same = {"start", "later_steps", "learning_rate_decay", "base_pairs"}
    assert found.sft.model_dump(exclude=same) == before.sft.model_dump(exclude=same)
    assert found.search == before.search


def test_its_plan_makes_no_settings_the_run_s_own() -> None:
    built = reset.build(RunConfig(), store="s", run="r", iteration=1).to_dict()
    (plan,) = (t for t in built["spec"]["templates"] if t["name"] == "plan")
    only = plan["container"]["args"][plan["container"]["args"].index("--only") + 1].split(",")
    whole = iteration.build(RunConfig(), store="s", run="r", iteration=1).to_dict()
    tasks = {t["name"] for t in whole["spec"]["templates"]}
    assert not {"benchmark", "data", "base"} & {*only}
    assert {"sft", "export", "embed-search", "ebm-search", "search", "evaluate", "report"} <= {*only} <= tasks


def test_what_cannot_be_reset_is_said() -> None:
    with pytest.raises(BadInput, match="from the base model anyway"):
        reset.build(RunConfig(), store="s", run="r", iteration=0)
    with pytest.raises(BadInput, match=r"set sft\.enabled=true"):
        reset.build(resolve("default", ["sft.enabled=false"]).config, store="s", run="r", iteration=1)
