"""`burnqed eval`: an evaluation into a folder, which continues there, and mixes with no other."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.evaluate.render import print_sweep
from burnqed.evaluate.results import EvaluationResult
from burnqed.proof_search.recall import Recall
from burnqed.resolve import resolve
from burnqed.run.standalone import run_evaluation
from burnqed.run.sweep import combinations, sweep
from tests.fixtures.policy import SHAPE, make_tiny, running

SETTINGS = ["evaluate.budgets=[2]", "evaluate.candidates=2", "search.widening=null", "lean.workers=1"]


def configured(url: str, *settings: str) -> RunConfig:
    shape = [f"policy.{name}={getattr(SHAPE, name)}" for name in ("max_prompt_tokens", "max_new_tokens")]
    return resolve("small", [*SETTINGS, *shape, f"policy.generate_url={url}", *settings]).config


async def test_it_continues_its_folder_and_refuses_that_of_another(tmp_path: Path) -> None:
    index, out = tmp_path / "two.json", tmp_path / "out"
    theorems = [{"name": f"t{k}", "statement": f"∀ n : Nat, n + {k} = {k} + n"} for k in range(2)]
    index.write_text(json.dumps({"theorems": theorems}))
    with running(make_tiny(tmp_path / "model")) as server:
        asked = server.faults.requests

        async def evaluate(*settings: str, out: Path = out) -> EvaluationResult:
            config = configured(server.url, *settings)
            with Recall(tmp_path / "expansions") as recall:
                result = await run_evaluation(str(index), "unused", None, None, config, out, recall=recall)
            assert [o.name for o in result.per_theorem] == ["t0", "t1"]
            assert result.made_with["policy.top_p"] == SHAPE.top_p
            return result

        first = await evaluate()
        assert "/generate" in asked
        asked.clear()
        await evaluate()
        assert "/generate" not in asked
        again = await evaluate("search.alpha=0.5", out=tmp_path / "another")  # orders a tree of two nodes as before
        assert "/generate" not in asked
        assert [(o.status, o.nodes, o.proof) for o in again.per_theorem] == [
            (o.status, o.nodes, o.proof) for o in first.per_theorem
        ]
        assert first.at_largest.solved == 0
        probed = await evaluate("evaluate.probe_tactics=true", out=tmp_path / "probed")
        assert "/generate" not in asked, "the policy's own candidates are the same"
        assert probed.at_largest.solved == 2
        assert probed.made_with["evaluate.probe_tactics"] is True
        await evaluate("policy.deterministic=false", out=tmp_path / "seedless")
        with pytest.raises(BadInput, match="deterministic differ"):  # the default is in no key
            await evaluate(out=tmp_path / "seedless")
        for other in (
            "policy.template=kimina",
            "lean.heartbeats=1000",
            "evaluate.samples=2",
            "evaluate.draws=2",
            "evaluate.probe_tactics=true",
            "evaluate.seed=1",
        ):
            with pytest.raises(
                BadInput, match=f"holds another evaluation .*{other.partition('=')[0].rpartition('.')[2]}.* differ"
            ):
                await evaluate(other)


def test_a_sweep_asks_the_policy_once_for_what_its_settings_have_in_common(tmp_path: Path) -> None:
    index = tmp_path / "two.json"
    theorems = [{"name": f"t{k}", "statement": f"∀ n : Nat, n + {k} = {k} + n"} for k in range(2)]
    index.write_text(json.dumps({"theorems": theorems}))
    with running(make_tiny(tmp_path / "model")) as server:
        configs = [(values, configured(server.url, *values)) for values in combinations(["alpha=1,0.5", "beta=0,2"])]
        found = sweep(str(index), "unused", None, None, configs[:1], tmp_path / "out")
        asked = len(server.faults.requests)
        found = sweep(str(index), "unused", None, None, configs, tmp_path / "out")
        assert "/generate" not in server.faults.requests[asked:]
    assert [label for label, _ in found] == [
        f"search.alpha={alpha} search.beta={beta}" for alpha in ("1", "0.5") for beta in ("0", "2")
    ]
    screen = Console(file=io.StringIO(), width=160)
    print_sweep(found, screen)
    assert isinstance(screen.file, io.StringIO)
    lines = screen.file.getvalue().splitlines()
    assert len(lines) == 5
    assert lines[1].split()[:3] == ["search.alpha=1", "search.beta=0", "0"]


@pytest.mark.parametrize(
    "words", [["beta"], ["beta="], ["beta=1,,2"], ["=1"], ["beta =1", "search.beta=2"], ["evaluate.budgets=16,64"]]
)
def test_a_sweep_that_is_none_is_refused(words: list[str]) -> None:
    with pytest.raises(BadInput, match=r"names no values|is swept twice|give --budgets"):
        combinations(words)
