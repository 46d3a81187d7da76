"""`burnqed compare A0,A1 B0,B1`: several seeds of each side, over the same theorems."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from burnqed.cli.main import app
from burnqed.errors import BadInput
from burnqed.evaluate.compare_seeds import compare_seeds, read_seeds
from burnqed.evaluate.render import print_seeds
from burnqed.evaluate.results import HEAD, EvaluationResult
from tests.fixtures.evaluations import evaluation, proved, solving, unproved

TWENTY = "abcdefghijklmnopqrst"
SOLVED = [("abc", "bcd"), ("abcdefgh", "abcdefghij"), ("abcdefghij", "abcdefghijk")]
"""By side, then by seed."""


def write(folder: Path, found: EvaluationResult) -> str:
    folder.mkdir(parents=True)
    (folder / "results.json").write_text(found.model_dump_json())
    return str(folder)


@pytest.fixture
def sides(tmp_path: Path) -> list[list[str]]:
    return [
        [write(tmp_path / f"{side}-{seed}", solving(names, TWENTY)) for seed, names in enumerate(solved)]
        for side, solved in enumerate(SOLVED)
    ]


def test_each_side_is_compared_with_the_next_and_the_first_with_the_last_over_all_seeds(sides: list[list[str]]) -> None:
    found = compare_seeds(read_seeds(sides))
    assert [side.solved for side in found.sides] == [{16: [3, 3], 64: [3, 3]}, {16: [8, 10], 64: [8, 10]}, {16: [10, 11], 64: [10, 11]}]  # fmt: skip
    assert [side.labels for side in found.sides] == [["0-0", "0-1"], ["1-0", "1-1"], ["2-0", "2-1"]]
    at_64 = [e for e in found.effects if e.budget == 64]
    assert [(e.before, e.after, e.seeds, e.theorems) for e in at_64] == [("1", "2", 2, 20), ("2", "3", 2, 20), ("1", "3", 2, 20)]  # fmt: skip
    assert [e.gain for e in at_64] == pytest.approx([0.3, 0.075, 0.375])
    assert at_64[0].gains == pytest.approx([0.25, 0.35])
    assert at_64[0].shown == "better"
    assert at_64[1].shown == "not shown"


def test_the_parts_of_a_benchmark_are_compared_by_what_their_theorems_are_not_by_what_was_proved() -> None:
    names = [f"generated::{kind}_{i:012x}" for kind in ("list", "system") for i in range(6)]

    def solving_some(count: int) -> EvaluationResult:
        return evaluation([proved(n, 5) if i < count else unproved(n) for i, n in enumerate(names)])

    def of_seed(k: int, found: EvaluationResult) -> EvaluationResult:
        return found.model_copy(update={"model": f"model-{k}"})

    found = compare_seeds([[("a", of_seed(k, solving_some(0))), ("b", solving_some(k))] for k in (5, 7)])
    assert [(e.question, e.gain) for e in found.parts["kind"]] == [("list", pytest.approx(11 / 12)), ("system", pytest.approx(1 / 12))]  # fmt: skip
    assert [*found.parts] == ["kind"]


def test_the_command_prints_them_and_gives_them_as_json(sides: list[list[str]]) -> None:
    words = ["compare", *(",".join(side) for side in sides)]
    text = CliRunner().invoke(app, words, catch_exceptions=False).stdout
    assert "1    plain       3, 3       3, 3     20" in text
    assert "2: 1-0, 1-1" in text
    assert "+30.0%" in text
    document = json.loads(CliRunner().invoke(app, [*words, "--json"], catch_exceptions=False).stdout)
    assert document["effects"][0]["gain"] == pytest.approx(0.3)


def test_nothing_of_a_figure_is_lost_on_a_narrow_terminal(sides: list[list[str]]) -> None:
    out = io.StringIO()
    print_seeds(compare_seeds(read_seeds(sides)), Console(file=out, width=60))
    assert "…" not in out.getvalue()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{0-0},{0-1}", "{1-0}"], "Each side needs one address for each seed, in the same order ("),
        (["{0-0},{0-1}"], "A comparison needs two results"),
        (["{0-0},nowhere", "{1-0},{1-1}"], "There are no results at nowhere"),
        (["{0-0},", "{1-0},{1-1}"], "Each side needs one address for each seed"),
        (["{0-0},{0-1}", "{1-0},{1-1}", "--explain", "a"], "--explain shows one search of each side"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_a_reason(
    words: list[str], message: str, sides: list[list[str]]
) -> None:
    places = {f"{s}-{k}": where for s, side in enumerate(sides) for k, where in enumerate(side)}
    for name, where in places.items():
        words = [word.replace(f"{{{name}}}", where) for word in words]
    with pytest.raises(BadInput) as refused:
        CliRunner().invoke(app, ["compare", *words], catch_exceptions=False)
    assert message in str(refused.value)


def test_a_side_with_and_without_heads_is_refused() -> None:
    pairs = [[("a", solving("a", "ab")), ("b", solving("b", "ab"))], [("c", solving("a", "ab", variant=HEAD)), ("d", solving("b", "ab"))]]  # fmt: skip
    with pytest.raises(BadInput, match=r"evaluated alike, with a head or without \(a: plain, c: head\)"):
        compare_seeds(pairs)


def test_what_the_seeds_of_a_side_differ_in_is_said_and_one_seed_twice_refused() -> None:
    def with_settings(names: str, **settings: object) -> EvaluationResult:
        return solving(names, TWENTY).model_copy(update=settings)

    one = [("a", with_settings("abc", made_with={"search.seed": 0})), ("b", with_settings("abd", made_with={"search.seed": 0}))]  # fmt: skip
    other = [("c", with_settings("bcd", candidates=99, lean_version="4.29.0", made_with={"search.seed": 1})), ("d", with_settings("bc", made_with={"search.seed": 1}))]  # fmt: skip
    notes = compare_seeds([one, other]).notes
    assert [note for note in notes if note.startswith("side")] == [
        "side 1: candidates differs: 8, 99",
        "side 1: lean version differs: 4.28.0, 4.29.0",
    ]
    with pytest.raises(BadInput, match="c is one seed twice on its side"):
        compare_seeds([one, [("c", one[0][1]), ("d", with_settings("bcd"))]])


def test_seeds_on_different_benchmarks_are_refused() -> None:
    with pytest.raises(BadInput, match="different benchmarks"):
        compare_seeds([[("a", solving("a", "ab")), ("b", solving("b", "ab"))], [("c", solving("a", "abc")), ("d", solving("b", "abc"))]])  # fmt: skip
