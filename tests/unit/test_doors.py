"""The doors of the command line: what help says, what shells complete, and what is loaded before anything is done."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator

import pytest
import typer.rich_utils
from typer.main import get_command
from typer.testing import CliRunner

from burnqed import workflow_names
from burnqed.cli.main import app
from burnqed_workflows.registry import WORKFLOWS

ROOT = get_command(app)


def commands(group=ROOT, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:  # type: ignore[no-untyped-def]
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, (*words, name))
    if words and not hasattr(group, "commands"):
        yield words, group


ALL = dict(commands())


def shown_help(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> str:
    """Help on a terminal that is wide enough for every text to be in one line."""
    monkeypatch.setattr(typer.rich_utils, "MAX_WIDTH", 500)
    done = CliRunner().invoke(app, [*words, "--help"])
    assert done.exit_code == 0
    return done.stdout


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_help_shows_all_of_its_text_and_defaults(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown_help(words, monkeypatch)
    for parameter in ALL[words].params:
        assert parameter.help, f"{parameter.name} says nothing"
        assert parameter.help in text
        if isinstance(parameter.show_default, str):
            assert f"[default: ({parameter.show_default})]" in text
        elif parameter.default and not isinstance(parameter.default, bool | list):
            assert f"[default: {parameter.default}]" in text


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_help_has_an_example_that_the_command_takes(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = [line for line in shown_help(words, monkeypatch).splitlines() if "Example: " in line]
    program, *given = shlex.split(line.partition("Example: ")[2])
    assert program == "burnqed"
    assert tuple(given[: len(words)]) == words
    ALL[words].make_context(" ".join(words), given[len(words) :])  # an option that there is not ends the test


@pytest.mark.parametrize("words", [words for words, command in ALL.items() if len(command.params) > 7], ids=" ".join)
def test_many_options_are_shown_in_groups(words: tuple[str, ...]) -> None:
    groups = {getattr(parameter, "rich_help_panel", None) for parameter in ALL[words].params}
    assert len(groups - {None}) >= 2


def test_words_that_are_known_without_loading_anything_are_the_right_ones() -> None:
    assert tuple(WORKFLOWS) == workflow_names.WORKFLOWS
    assert {name for name, found in WORKFLOWS.items() if found.tasks} == set(workflow_names.OF_ITERATIONS)
    own = {name for name, found in WORKFLOWS.items() if found.tasks and not {"iteration", "iters"} & {*found.options}}
    assert own == set(workflow_names.OWN_RUN)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("burnqed su", ["summary", "submit"]),
        ("burnqed run it", ["iteration", "iterations"]),
        ("burnqed step rep", ["replay", "report"]),
        ("burnqed run iteration --profile sm", ["small", "smoke"]),
        ("burnqed config show --set search.bud", ["search.budget="]),
        ("burnqed store s", ["show"]),
    ],
)
def test_a_shell_completes_words(line: str, expected: list[str]) -> None:
    words = line.split(" ")
    environment = {"_BURNQED_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    done = CliRunner().invoke(app, [], env=environment, prog_name="burnqed")
    assert sorted(done.stdout.split()) == sorted(expected)


def loaded(*words: str) -> set[str]:
    """The modules that a command has loaded when it is over."""
    code = (
        f"import sys; sys.argv = ['burnqed', *{list(words)}]\n"
        "from burnqed.cli.main import run_app\n"
        "run_app(); print('modules', *sys.modules)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "BURNQED_STORE"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    return set(done.stdout.rpartition("modules ")[2].split())


SLOW = {
    "fsspec",
    "psutil",
    "filelock",
    "platformdirs",
    "numpy",
    "pyarrow",
    "hera",
    "httpx",
    "torch",
    "s3fs",
    "matplotlib",
}
CONFIGURATION = {"yaml", "burnqed.config"}


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        (["--version"], set()),
        (["run", "--help"], set()),
        (["step", "--help"], set()),
        (["config", "show"], CONFIGURATION),
        (["run", "iteratoin"], CONFIGURATION),
        (["run", "iteration", "--iter", "1", "--store", "nowhere"], CONFIGURATION | {"fsspec"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_commands_that_only_print_do_not_load_what_is_slow(words: list[str], needed: set[str]) -> None:
    modules = loaded(*words)
    assert "typer" in modules
    assert not modules & ((SLOW | CONFIGURATION) - needed)


def test_the_version_has_a_short_option() -> None:
    assert CliRunner().invoke(app, ["-V"]).stdout == CliRunner().invoke(app, ["--version"]).stdout
