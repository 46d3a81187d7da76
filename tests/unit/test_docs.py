"""The documents name what the code has: fields, columns, routes, variables, paths."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import Any, cast

import pytest
import yaml
from pydantic import BaseModel
from typer.main import get_command

from burnqed.cli.main import app
from burnqed.data.pairs import TacticPair
from burnqed.data.proofs import WholeProof
from burnqed.data.theorems import TheoremIndex
from burnqed.evaluate.results import EvaluationResult, IterationResult
from burnqed.key import Key
from burnqed.layout import Layout
from burnqed.lean.proofs import Written
from burnqed.lean.protocol import Theorem
from burnqed.record import Record
from burnqed.trajectory.schema import SCHEMA
from tests.fixtures.shared import ROOT

VARIABLE = re.compile(r"\b(?:(?:BURNQED|ARGO|AWS|HF)_[A-Z_]*[A-Z]|KUBECONFIG|CUDA_VISIBLE_DEVICES|OMP_WAIT_POLICY)\b")
DOCS = ROOT / "docs"


def tables(document: str, heading: str) -> list[list[str]]:
    """For each table below a heading: what stands in backticks in its first column."""
    text = (DOCS / document).read_text(encoding="utf-8")
    _, found, section = text.partition(f"{heading}\n")
    assert found, f"{document} has no {heading}"
    section = re.split(r"^## ", section, flags=re.MULTILINE)[0]
    blocks = [block.splitlines()[2:] for block in re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE)]
    return [[name for row in block for name in re.findall(r"`([^`]+)`", row.split("|")[1])] for block in blocks]


def fields(*models: type[BaseModel]) -> list[str]:
    return list(dict.fromkeys(name for model in models for name in model.model_fields if name != "file_path"))


@pytest.mark.parametrize(
    ("heading", "number", "expected"),
    [
        ("## `_SUCCESS`", 0, fields(Record)),
        ("## `_SUCCESS`", 1, fields(Key)),
        ("## Trajectories", 0, SCHEMA.names),
        ("## Pairs", 0, fields(TacticPair)),
        ("## Whole proofs", 0, fields(WholeProof)),
        ("## Theorem index", 0, fields(TheoremIndex, Theorem)),
        ("## `results.json`", 0, fields(IterationResult)),
        ("## `results.json`", 1, fields(EvaluationResult)),
        ("## `proofs.json`", 0, fields(Written)),
    ],
)
def test_formats_names_the_fields_that_are_written(heading: str, number: int, expected: Iterable[str]) -> None:
    named = tables("formats.md", heading)[number]
    assert sorted(named) == sorted(expected)


def test_formats_names_where_everything_lies() -> None:
    layout = Layout("RUN", 7)
    paths = {
        getattr(layout, name)
        for name, attribute in vars(Layout).items()
        if isinstance(attribute, property) and name not in ("root", "trunk", "benchmarks", "costs", "address")
    }
    paths |= {layout.account("NAME"), layout.benchmark("NAME"), layout.trajectories("VARIANT")}
    paths |= {layout.embeddings("STAGE"), layout.head("STAGE"), layout.evaluation("NAME", "VARIANT")}
    assert set(tables("formats.md", "# What a store holds")[0]) >= {path.replace("iter_7", "iter_N") for path in paths}


def test_the_table_of_environment_variables_is_complete() -> None:
    files = [file for folder in ("burnqed", "workflows") for file in (ROOT / folder).rglob("*.py")]
    read = {name for file in files for name in VARIABLE.findall(file.read_text(encoding="utf-8"))}
    yours, ours = tables("configuration.md", "## Environment variables")
    assert len(set(yours + ours)) == len(yours + ours)
    assert set(yours + ours) == read


@pytest.mark.filterwarnings("ignore:Duplicate Operation ID")  # a route with two methods
def test_serve_names_the_routes_and_the_fields_of_requests() -> None:
    pytest.importorskip("torch")
    from burnqed.policy.sampling import SamplingParams
    from burnqed.policy.server import EmbedRequest, GenerateRequest, ScoreRequest, UpdateRequest, make_app

    text = (DOCS / "serve.md").read_text(encoding="utf-8")
    paths = make_app(cast(Any, None)).openapi()["paths"]
    named = {
        path: set(methods.split(", "))
        for path, methods in re.findall(r"^\| `(/\w+)` \| ([A-Z, ]+) \|", text, re.MULTILINE)
    }
    assert named == {path: {method.upper() for method in methods} for path, methods in paths.items()}
    generate, sampling = tables("serve.md", "## `/generate`")
    assert sorted(generate) == sorted(GenerateRequest.model_fields)
    assert sorted(sampling) == sorted(SamplingParams.model_fields)
    for model in (EmbedRequest, ScoreRequest, UpdateRequest):
        assert all(f"`{name}`" in text for name in model.model_fields)


def test_the_citation_is_of_this_version() -> None:
    from burnqed import __version__

    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__
    assert {"cff-version", "message", "title", "authors", "license"} <= citation.keys()
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in changes or f"## [{__version__}]" in changes


@pytest.mark.parametrize("document", ["README.md", *sorted(f"docs/{file.name}" for file in DOCS.glob("*.md"))])
def test_commands_of_the_documents_exist_with_their_options(document: str) -> None:
    for line in re.findall(r"^    ((?:burnqed|hera) .+)", (ROOT / document).read_text(encoding="utf-8"), re.MULTILINE):
        if "|" in line or "   hera " in line:  # several in one line
            continue
        command: Any = get_command(app)
        _, *words = shlex.split(line, comments=True)
        while hasattr(command, "commands"):
            assert words[0] in command.commands, line
            command = command.commands[words.pop(0)]
        command.make_context(line, words)  # an option that there is not ends the test


def test_the_files_that_architecture_names_are_there() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:burnqed|workflows|benchmarks|tests|docs)/[\w./-]+)`", text))
    assert len(named) > 20
    assert not [path for path in named if "NAME" not in path and not (ROOT / path).exists()]
