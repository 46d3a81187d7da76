"""The second kernel (`tests/second_kernel`): what holds is accepted, what does not is refused for the right reason."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.exports import NAT, TRUE, Writer, call, definition, export, theorem
from tests.fixtures.wrong_exports import HOLDS, LIBRARY, TRIVIAL, WRONG, Case, rfl, suc
from tests.second_kernel.__main__ import check
from tests.second_kernel.constants import Axiom, NotAnExport, Refused
from tests.second_kernel.levels import ZERO, Level, at_most, imax, maximum, param, substitute, succ
from tests.second_kernel.reader import component
from tests.second_kernel.terms import Term, const, let, lit


def lines_of(case: Case) -> list[str]:
    return export([*case.library, *case.items])


@pytest.mark.parametrize("case", HOLDS, ids=lambda case: case.what)
def test_what_holds_is_accepted(case: Case) -> None:
    assert check(lines_of(case))[-1].endswith("constants")


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case.what)
def test_what_does_not_hold_is_refused(case: Case) -> None:
    with pytest.raises(Refused, match=case.reason):
        check(lines_of(case))


# ---- axioms


def test_the_axioms_of_each_theorem_are_listed() -> None:
    case = next(case for case in HOLDS if case.what == "propext")
    assert "a: proved (axioms: propext)" in check(lines_of(case))
    case = next(case for case in HOLDS if case.what == "addition computes")
    assert "a: proved (no axioms)" in check(lines_of(case))


def test_permitted_axioms_count_as_the_library() -> None:
    items = [*LIBRARY, Axiom("old", (), TRUE), theorem("new", TRUE, const("old"))]
    assert "new: proved (axioms: 1 of the library)" in check(export(items), {"propext", "old"})
    with pytest.raises(Refused, match="^old: this axiom is not permitted"):
        check(export(items))


def test_only_the_named_declarations_and_later_ones_need_to_hold() -> None:
    items = [*LIBRARY, theorem("wrong", NAT, TRIVIAL), theorem("right", TRUE, TRIVIAL), theorem("late", NAT, TRIVIAL)]
    assert check(export(items[:-1]), only=["right"])[0] == "right: proved (no axioms)"
    with pytest.raises(Refused, match="^wrong"):
        check(export(items[:-1]))
    with pytest.raises(Refused, match="^late"):
        check(export(items), only=["right"])
    with pytest.raises(Refused, match="nothing is called nobody"):
        check(export(items[:-1]), only=["nobody"])


# ---- universes


def value(level: Level, of: dict[str, int]) -> int:
    """What the level is at numbers for its parameters."""
    if level.kind == "zero":
        return 0
    if level.kind == "param":
        return of[level.name]
    if level.kind == "succ":
        return value(level.below, of) + 1
    left, right = (value(side, of) for side in level.pair)
    return 0 if level.kind == "imax" and right == 0 else max(left, right)


def test_levels_compare_as_their_values_do() -> None:
    numbers = random.Random(7)
    names = ["u", "v", "w"]

    def any_level(size: int) -> Level:
        if size == 0:
            return numbers.choice([ZERO, succ(ZERO), *map(param, names)])
        make = numbers.choice([succ, maximum, imax, imax])
        return succ(any_level(size - 1)) if make is succ else make(any_level(size - 1), any_level(size - 1))  # type: ignore[operator]

    settings = [dict(zip(names, some, strict=True)) for some in itertools.product(range(5), repeat=3)]
    for _ in range(1500):
        left, right = any_level(numbers.randrange(4)), any_level(numbers.randrange(4))
        assert at_most(left, right) == all(value(left, of) <= value(right, of) for of in settings), (left, right)
        replaced = substitute(left, ("u",), (right,))
        assert all(value(replaced, of) == value(left, of | {"u": value(right, of)}) for of in settings)


# ---- the format

META, *DECLARED = export([theorem("a", TRUE, let(NAT, lit(3), TRIVIAL))])


def changed(line: dict[str, Any], **fields: Any) -> str:
    return json.dumps({**line, **fields})


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([], "empty"),
        (["not JSON"], "line 1 is no JSON"),
        ([META, ""], "line 2 is no JSON"),
        ([META, "[]"], "not an object"),
        ([META, META], "first line"),
        (DECLARED, "first line"),
        ([META.replace("3.1.0", "3.0.0")], "3.0.0"),
        ([META, '{"in":1,"str":{"pre":0,"str":"a","more":1}}'], "expected an object with pre, str"),
        ([META, '{"in":1,"str":{"pre":0,"str":"a"},"num":{"pre":0,"i":1}}'], "unknown keys"),
        ([META, '{"in":1,"str":{"pre":0,"str":"a"},"in":2}'], "twice"),
        ([META, '{"in":1,"str":{"pre":1,"str":"a"}}'], "1 was not defined"),
        ([META, '{"in":0,"str":{"pre":0,"str":"a"}}'], "no new number"),
        ([META, '{"in":1.0,"str":{"pre":0,"str":"a"}}'], "no natural number"),
        ([META, '{"in":true,"str":{"pre":0,"str":"a"}}'], "no new number"),
        ([META, '{"in":-1,"str":{"pre":0,"str":"a"}}'], "no new number"),
        ([META, '{"in":1,"str":{"pre":0,"str":"\\ud800"}}'], "surrogate"),
        ([META, '{"ie":0,"bvar":-1}'], "no variable"),
        ([META, '{"ie":0,"bvar":NaN}'], "no natural number"),
        ([META, '{"ie":0,"bvar":' + "9" * 5000 + "}"], "no JSON"),
        ([META, '{"ie":0,"natVal":"-1"}'], "no natural number"),
        ([META, '{"ie":0,"natVal":"01"}'], "no natural number"),
        ([META, '{"ie":0,"natVal":"１"}'], "no natural number"),
        ([META, '{"ie":0,"natVal":1}'], "no natural number"),
        ([META, '{"ie":0,"sort":1}'], "1 was not defined"),
        ([META, '{"ie":0,"mvar":1}'], "unknown kind of term"),
        ([META, '{"ie":0,"app":{"fn":0,"arg":0}}'], "0 was not defined"),
        ([META, '{"il":1,"max":[0]}'], "two levels"),
        ([META, '{"cheat":{}}'], "unknown kind of line"),
        ([META, "[" * 100_000], "nested too deep|no JSON"),
        ([META, DECLARED[0], DECLARED[0]], "no new number"),
    ],
    ids=lambda value: "" if isinstance(value, list) else value,
)
def test_what_is_no_export_is_told_from_what_is_wrong(lines: list[str], reason: str) -> None:
    with pytest.raises(NotAnExport, match=reason):
        check(lines)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d: d["def"].update(safety="unsafe"), "Nat.add: it is not safe"),
        (lambda d: d["def"].update(safety="partial"), "but partial"),
        (lambda d: d["def"].update(hints="cheat"), "regular"),
        (lambda d: d["def"].update(extra=1), "expected an object"),
        (lambda d: d["def"].pop("all"), "expected an object"),
        (lambda d: d["def"].update(levelParams=[99]), "99 was not defined"),
    ],
)
def test_definitions_are_read_strictly(change: Callable[[dict[str, Any]], object], reason: str) -> None:
    *lines, last = export([item for item in LIBRARY if getattr(item, "name", "") == "Nat.add"])
    declaration = json.loads(last)
    change(declaration)
    with pytest.raises((NotAnExport, Refused), match=reason):
        check([*lines, json.dumps(declaration)])


def test_numbers_of_names_need_no_order() -> None:
    lines = [META, '{"in":7,"str":{"pre":0,"str":"P"}}', '{"il":5,"succ":0}', '{"ie":3,"sort":0}']
    axiom = {"axiom": {"name": 7, "levelParams": [], "type": 3, "isUnsafe": False}}
    assert check([*lines, json.dumps(axiom)], {"P"})


def test_names_cannot_be_confused_and_disturb_no_terminal() -> None:
    parts = ["a", "a.b", "«a»", "", "1", "x y", "a\n", "a\x1b[31m", "\u202e", "a\\", "a»", "a\\bb;", "_", "α₁", "h'"]
    shown = [component(part) for part in parts]
    assert len(set(shown)) == len(parts)
    assert all(text.isprintable() for text in shown)
    assert [component(part) for part in ("foo_1", "α₁", "h'", "get!")] == ["foo_1", "α₁", "h'", "get!"]


# ---- the command


def run(*arguments: str | Path) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.second_kernel", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        timeout=60,
    )
    assert not done.stderr
    return done.returncode, done.stdout.splitlines()


def test_the_command_says_in_its_exit_code_what_it_found(tmp_path: Path) -> None:
    file, permitted = tmp_path / "a.ndjson", tmp_path / "axioms.txt"
    items = [*LIBRARY, Axiom("old", (), TRUE), theorem("new", TRUE, const("old"))]
    file.write_text("\n".join(export(items)) + "\n")
    permitted.write_text("old\n")
    code, said = run(file, "--permitted", permitted)
    assert (code, said[0]) == (0, "new: proved (axioms: 1 of the library)")
    assert run(file) == (1, ["refused: old: this axiom is not permitted"])
    assert run(file, "--axioms", "old")[1] == ["refused: propext: this axiom is not permitted"]
    file.write_text("what\n")
    code, said = run(file)
    assert (code, said[0][:31]) == (2, "no export: line 1 is no JSON: E")
    assert run(tmp_path / "nothing")[0] == 2


def test_deep_terms_are_no_obstacle(tmp_path: Path) -> None:
    writer = Writer()
    for item in LIBRARY:
        writer.declaration(item)
    term: Term = lit(0)
    for _ in range(20_000):
        term = suc(term)
        writer.term(term)
    writer.declaration(definition("deep", NAT, term))
    writer.declaration(rfl("sum", call("Nat.add", const("deep"), lit(1)), lit(20_001)))
    file = tmp_path / "a.ndjson"
    file.write_text("\n".join(writer.lines) + "\n")
    assert run(file)[0] == 0
