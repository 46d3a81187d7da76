"""The local runner on small workflows whose containers are Python processes."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest
from hera.workflows import DAG, Container, Env, Parameter, RetryStrategy, Suspend, UserContainer, Workflow
from hera.workflows.models import HTTPGetAction, Probe

from burnqed.errors import BadInput
from burnqed.run.local import LocalRunner, RunResult
from burnqed_workflows.retry import RetryPolicy
from burnqed_workflows.templates import question
from tests.fixtures.small_workflows import fan_out


def python(name: str, script: str, *, retry: RetryPolicy | None = None, **options: object) -> Container:
    if retry:
        options |= {"retry_strategy": retry.strategy(), "annotations": retry.annotation()}
    return Container(name=name, command=["python", "-c"], args=[textwrap.dedent(script)], **options)


def run(workflow: Workflow, lines: list[str] | None = None, **options: object) -> RunResult:
    return asyncio.run(LocalRunner(workflow, echo=(lines if lines is not None else []).append, **options).run())


def phases(result: RunResult) -> dict[str, str]:
    return {node.name: node.phase.value for node in result.nodes}


def test_tasks_run_in_the_order_of_depends_and_a_skipped_one_does_not_stop_the_rest(tmp_path: Path) -> None:
    with Workflow(generate_name="w-", entrypoint="main") as w:
        note = python("note", f"import os; open({str(tmp_path / 'order')!r}, 'a').write(os.environ['WHO'])", inputs=[Parameter(name="who")],
                      env=[Env(name="WHO", value="{{inputs.parameters.who}}")])  # fmt: skip
        with DAG(name="main"):
            note(name="c", depends="b.Succeeded || b.Skipped", arguments={"who": "c"})
            note(name="b", depends="a", when="no == yes", arguments={"who": "b"})
            note(name="a", arguments={"who": "a"})
    result = run(w)
    assert phases(result) == {"a": "Succeeded", "b": "Skipped", "c": "Succeeded"}
    assert (tmp_path / "order").read_text() == "ac"


@pytest.mark.parametrize(("mode", "phase"), [("on", "Succeeded"), ("off", "Skipped")])
def test_a_condition_and_an_argument_may_be_a_parameter_of_the_workflow(mode: str, phase: str, tmp_path: Path) -> None:
    with Workflow(generate_name="w-", entrypoint="main", arguments=[Parameter(name="mode", value=mode)]) as w:
        note = python("note", f"import sys; open({str(tmp_path / 'mode')!r}, 'w').write(sys.argv[1])", inputs=[Parameter(name="mode")])  # fmt: skip
        note.args.append("{{inputs.parameters.mode}}")
        with DAG(name="main"):
            arguments = {"mode": "{{workflow.parameters.mode}}"}
            note(name="note", when="{{workflow.parameters.mode}} == on", arguments=arguments)
    assert phases(run(w)) == {"note": phase}
    assert (tmp_path / "mode").exists() == (mode == "on")


@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_fan_out_runs_one_pod_for_each_number_that_a_parameter_lists(count: int, tmp_path: Path) -> None:
    result = run(fan_out(count, f"import sys; open({str(tmp_path)!r} + '/' + sys.argv[1], 'w')"))
    assert result.exit_code == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == [str(i) for i in range(count)]
    assert phases(result)["last"] == "Succeeded"
    assert ("shard" in phases(result)) == (count == 0)


def test_exit_75_is_repeated_and_a_bug_is_not(tmp_path: Path) -> None:
    retry = RetryPolicy(limit=3, seconds=0)
    with Workflow(generate_name="w-", entrypoint="main") as w:
        again = python(
            "again",
            f"import os, sys; p={str(tmp_path / 'x')!r}; n=os.path.exists(p); open(p,'w'); sys.exit(0 if n else 75)",
            retry=retry,
        )
        bug = python("bug", "raise RuntimeError", retry=retry)
        after = python("after", "pass")
        with DAG(name="main"):
            again(name="again")
            bug(name="bug", depends="again")
            after(name="after", depends="bug.Succeeded")
    result = run(w)
    assert {n.name: (n.phase.value, n.attempts) for n in result.nodes} == {
        "again": ("Succeeded", 2),
        "bug": ("Failed", 1),
        "after": ("Omitted", 0),
    }
    assert result.phase == "Failed"
    assert result.exit_code == 1


def test_repetitions_end_at_the_limit() -> None:
    with Workflow(generate_name="w-", entrypoint="main") as w:
        again = python("again", "import sys; sys.exit(75)", retry=RetryPolicy(limit=2, seconds=0))
        with DAG(name="main"):
            again(name="again")
    result = run(w)
    assert result.nodes[0].attempts == 3
    assert result.exit_code == 75


def test_a_pod_past_its_deadline_is_ended_and_not_repeated() -> None:
    with Workflow(generate_name="w-", entrypoint="main") as w:
        slow = python(
            "slow", "import time; time.sleep(60)", retry=RetryPolicy(limit=2, seconds=0), active_deadline_seconds=1
        )
        with DAG(name="main"):
            slow(name="slow")
    started = time.monotonic()
    result = run(w)
    assert result.nodes[0].phase == "Failed"
    assert "deadline" in result.nodes[0].message
    assert result.nodes[0].attempts == 1
    assert time.monotonic() - started < 15


SERVER = "import os, http.server as h; h.HTTPServer(('127.0.0.1', int(os.environ['BURNQED_POLICY_PORT'])), h.SimpleHTTPRequestHandler).serve_forever()"
CLIENT = """
    import os, sys, time, urllib.request
    for _ in range(100):
        try: urllib.request.urlopen('http://127.0.0.1:' + os.environ['BURNQED_POLICY_PORT']); break
        except OSError: time.sleep(0.1)
    else: sys.exit(75)
"""


def sidecar(script: str) -> UserContainer:
    return UserContainer(
        name="policy",
        command=["python", "-c"],
        args=[script],
        env=[Env(name="BURNQED_POLICY_PORT", value="30000")],
        readiness_probe=Probe(http_get=HTTPGetAction(path="/", port=30000)),
    )


def test_a_sidecar_serves_main_at_a_free_port_and_ends_with_it() -> None:
    with Workflow(generate_name="w-", entrypoint="main") as w:
        search = python(
            "search",
            CLIENT,
            sidecars=[sidecar(SERVER)],
            env=[Env(name="BURNQED_POLICY_PORT", value="30000")],
            inputs=[Parameter(name="i")],
        )
        with DAG(name="main"):
            search(name="search", with_param="[0, 1]", arguments={"i": "{{item}}"})
    before = set(psutil.Process().children(recursive=True))
    result = run(w)
    assert result.exit_code == 0, result.nodes
    after = set(psutil.Process().children(recursive=True))
    assert not [p for p in after - before if p.status() != psutil.STATUS_ZOMBIE]


def test_a_field_outside_the_vocabulary_is_an_error() -> None:
    with Workflow(generate_name="w-", entrypoint="main", priority=3) as w, DAG(name="main"):
        pass
    with pytest.raises(BadInput, match="priority"):
        LocalRunner(w)


def test_a_retry_that_is_not_a_retry_policy_is_an_error() -> None:
    with Workflow(generate_name="w-", entrypoint="main") as w:
        odd = python("odd", "pass", retry_strategy=RetryStrategy(limit=2))
        with DAG(name="main"):
            odd(name="odd")
    with pytest.raises(BadInput, match="retryStrategy"):
        run(w)


def test_the_exit_handler_sees_how_the_workflow_ended(tmp_path: Path) -> None:
    with Workflow(generate_name="w-", entrypoint="main", on_exit="outcome") as w:
        bug = python("bug", "raise RuntimeError")
        python(
            "outcome",
            f"import os; open({str(tmp_path / 'x')!r}, 'w').write(os.environ['STATUS'])",
            env=[Env(name="STATUS", value="{{workflow.status}}")],
        )
        with DAG(name="main"):
            bug(name="bug")
    assert run(w).exit_code == 1
    assert (tmp_path / "x").read_text() == "Failed"


@pytest.mark.parametrize(("answer", "phase"), [(True, "Succeeded"), (False, "Failed")])
def test_a_gate_asks(answer: bool, phase: str) -> None:
    with Workflow(generate_name="w-", entrypoint="main") as w:
        gate = Suspend(name="gate")
        with DAG(name="main"):
            gate(name="gate")
    assert phases(run(w, confirm=lambda _: answer)) == {"gate": phase}


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_an_answer_is_an_output_of_the_gate_that_asked(answer: str, tmp_path: Path) -> None:
    with Workflow(generate_name="w-", entrypoint="main") as w:
        ask = question("ask", "go", "Shall we?")
        note = python("note", f"import sys; open({str(tmp_path / 'answer')!r}, 'w').write(sys.argv[1])", inputs=[Parameter(name="go")])  # fmt: skip
        note.args.append("{{inputs.parameters.go}}")
        with DAG(name="main"):
            ask(name="ask")
            note(name="note", depends="ask.Succeeded", arguments={"go": "{{tasks.ask.outputs.parameters.go}}"})
    assert run(w, confirm=lambda _: answer == "yes").exit_code == 0
    assert (tmp_path / "answer").read_text() == answer


def test_processes_of_a_killed_runner_that_watch_their_lifeline_end_within_5_s(tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(
        textwrap.dedent("""
        import asyncio
        from hera.workflows import DAG, Container, UserContainer, Workflow
        from burnqed.run.local import LocalRunner
        sleep = "from burnqed.lifeline import watch; watch(); print('up', flush=True); import time; time.sleep(600)"
        with Workflow(generate_name="w-", entrypoint="main") as w:
            main = Container(name="c", command=["python", "-c"], args=[sleep], sidecars=[UserContainer(name="s", command=["python", "-c"], args=[sleep])])
            with DAG(name="main"):
                main(name="t")
        asyncio.run(LocalRunner(w, echo=lambda line: print(line, flush=True)).run())
        """)
    )
    runner = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    assert runner.stdout is not None
    assert b"up" in runner.stdout.readline()
    children = psutil.Process(runner.pid).children(recursive=True)
    assert len(children) == 2
    runner.kill()
    runner.wait()
    runner.stdout.close()
    _, alive = psutil.wait_procs(children, timeout=5)
    assert not alive
