"""Which Lean a configuration asks for: our own one, or one that another package brings along."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from burnqed.cli import doctor
from burnqed.config import LeanConfig
from burnqed.data.theorems import common_header, dump_index, parse_index
from burnqed.errors import BadInput
from burnqed.findings import Finding
from burnqed.lean.backends import BUILT_IN, GROUP, names, open_lean
from burnqed.lean.core import DEFAULT_HEADER
from burnqed.lean.protocol import LeanBackend, Theorem
from tests.fixtures.installed import install_package
from tests.fixtures.scripted import ScriptedLean

OTHERS = {
    "mine": "tests.unit.test_lean_backends:mine",
    "broken": "tests.unit.there_is_no_such_module:Lean",
    "wrong": "tests.unit.test_lean_backends:absent",
    "embedded": "tests.unit.test_lean_backends:mine",
}
IMPERFECT = {
    "lacking": "tests.unit.test_lean_backends:Lacking",
    "module": "tests.unit.test_lean_backends",
    "quits": "tests.unit.quits:Lean",
    "raising": "tests.unit.test_lean_backends:raising",
    "silent": "tests.unit.test_lean_backends:Silent",
}


class Mine(ScriptedLean, LeanBackend):  # type: ignore[misc]
    capacity = 1

    def findings(self) -> list[Finding]:
        return [Finding("my Lean", "none", "install it")]


class Quits(ModuleType):
    def __getattr__(self, name: str) -> object:
        if name == "Lean":
            raise SystemExit(4)
        raise AttributeError(name)  # whoever else looks at all modules, as pytest does after a failure


def mine(config: LeanConfig) -> Mine:
    return Mine({}, capacity=config.workers or 1)


class Lacking(ScriptedLean):
    def __init__(self, config: LeanConfig) -> None:
        super().__init__({})


class Silent(Mine):
    def __init__(self, config: LeanConfig) -> None:
        super().__init__({})

    def findings(self) -> list[Finding]:
        return None  # type: ignore[return-value]


def raising(config: LeanConfig) -> None:
    raise RuntimeError("no licence")


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_package(tmp_path, GROUP, OTHERS, monkeypatch)


@pytest.mark.usefixtures("plugin")
def test_a_backend_of_another_package_is_found_by_its_name_and_given_the_configuration() -> None:
    lean = open_lean(LeanConfig(backend="mine", workers=7))
    assert (lean.name, lean.capacity) == ("scripted", 7)


@pytest.mark.usefixtures("plugin")
def test_our_own_backend_keeps_its_name() -> None:
    assert open_lean(LeanConfig()).name == "embedded"
    assert names() == ["embedded", "pantograph", "broken", "mine", "wrong"]


@pytest.mark.usefixtures("plugin")
def test_an_unknown_name_is_told_the_known_ones() -> None:
    with pytest.raises(
        BadInput, match=r"no Lean backend 'other'; there are: embedded, pantograph, broken, mine, wrong\. "
    ):
        open_lean(LeanConfig(backend="other"))


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("name", "why"), [("broken", "ModuleNotFoundError: No module named"), ("wrong", "AttributeError: ")]
)
def test_one_that_cannot_be_loaded_is_one_sentence(name: str, why: str) -> None:
    with pytest.raises(BadInput) as error:
        open_lean(LeanConfig(backend=name))
    assert f"The Lean backend {name!r} cannot be loaded ({OTHERS[name]}: {why}" in str(error.value)
    assert "fix plugin, or" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.usefixtures("plugin")
def test_doctor_lists_all_backends_and_needs_only_our_own() -> None:
    found = {finding.what: finding for finding in doctor.lean(LeanConfig())}
    others = {"Lean backend broken", "Lean backend embedded", "Lean backend wrong"}
    assert {"Lean", "Node", "Mathlib's Lean", "my Lean", *others} <= set(found)
    assert found["Lean"].needed
    assert not found["my Lean"].needed
    assert not found["Mathlib's Lean"].needed
    assert not found["Lean backend broken"].needed
    taken = found["Lean backend embedded"]
    assert taken.found == "tests.unit.test_lean_backends:mine of plugin is not used"
    assert "another Lean backend has this name" in taken.advice
    assert not taken.needed


def test_whatever_is_wrong_with_a_backend_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_package(tmp_path, GROUP, IMPERFECT, monkeypatch)
    monkeypatch.setitem(sys.modules, "tests.unit.quits", Quits("tests.unit.quits"))
    said = {
        "lacking": "The Lean backend 'lacking' of plugin lacks install, findings, ",
        "module": "The Lean backend 'module' of plugin cannot be made (TypeError: 'module' object is not callable); fix plugin, or",
        "quits": "The Lean backend 'quits' cannot be loaded (tests.unit.quits:Lean: SystemExit: 4); fix plugin, or",
        "raising": "The Lean backend 'raising' of plugin cannot be made (RuntimeError: no licence); fix plugin, or",
    }
    found = {finding.what: finding for finding in doctor.lean(LeanConfig())}
    for name, start in said.items():
        with pytest.raises(BadInput) as error:
            open_lean(LeanConfig(backend=name))
        assert str(error.value).startswith(start)
        assert found[f"Lean backend {name}"].advice == str(error.value)
    assert "its findings fail: TypeError" in found["Lean backend silent"].advice
    assert not any(finding.needed for what, finding in found.items() if what not in ("Lean", "Node"))


def test_the_package_registers_what_the_lookup_has_built_in() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["entry-points"][GROUP] == BUILT_IN


# ---- headers


def test_an_index_without_a_header_has_none_until_a_backend_gives_it_its_own() -> None:
    (theorem,) = parse_index('[{"name": "t", "statement": "1 = 1"}]', "it")
    assert theorem.header is None
    assert theorem.with_header(DEFAULT_HEADER).header == DEFAULT_HEADER
    assert parse_index(dump_index([theorem]), "it") == [theorem]


@pytest.mark.parametrize("text", ['{"theorems": [{"name": "t", "statement": "1 = 1"}], "header": ""}', '[{"name": "t", "statement": "1 = 1", "header": ""}]'])  # fmt: skip
def test_an_empty_header_is_a_header(text: str) -> None:
    (theorem,) = parse_index(text, "it", DEFAULT_HEADER)
    assert theorem.header == ""
    assert theorem.with_header(DEFAULT_HEADER) == theorem
    assert parse_index(dump_index([theorem]), "it", DEFAULT_HEADER) == [theorem]
    assert common_header([theorem, theorem], DEFAULT_HEADER) == ""


def test_theorems_with_several_headers_or_none_are_told_apart_from_the_default_one() -> None:
    theorem = Theorem(name="t", statement="1 = 1")
    assert common_header([theorem], "default") == "default"
    assert common_header([theorem.with_header("a"), theorem.with_header("b")], "default") == "default"
    assert common_header([theorem.with_header("a")], "default") == "a"
