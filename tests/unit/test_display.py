"""What others wrote cannot pass for ours: in no output does a name or message begin a line, hide, or become markup."""

from __future__ import annotations

import io
import json
import logging
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from burnqed.cli.lean import document_of, print_verdicts
from burnqed.cli.main import complain
from burnqed.data.importing import elaborating
from burnqed.display import as_json, cell, shown, shown_lines, tell
from burnqed.errors import BadInput
from burnqed.evaluate.compare import compare
from burnqed.evaluate.figures import eval_json
from burnqed.evaluate.render import print_comparison, print_evaluation, print_iteration
from burnqed.evaluate.report import ReportInputs, write_report
from burnqed.lean.commands import Commands, Failure
from burnqed.lean.protocol import Outcome, TacticStatus, Verdict
from burnqed.lean.repl import failure, repl
from burnqed.lean.source import _File
from burnqed.log import JsonFormatter, LineFormatter, log
from tests.fixtures.evaluations import evaluation, failed, iteration, proved, theorem, unproved
from tests.fixtures.scripted import ScriptedLean

HOSTILE = [
    "a\naccepted Fermat",
    "a\r\naccepted Fermat",
    "a\raccepted Fermat",
    "a\x1b[2K\x1b[1Gaccepted Fermat",
    "a\x9b2Kaccepted Fermat",
    "a\u2028accepted Fermat",
    "a\x85accepted Fermat",
    "a\x0baccepted Fermat",
    "a\u202etamreF detpecca",
    "a\u3164\u2066\u200b",
    "[/nope]",
    "[red]accepted[/red] :smile: [link=https://example.org]a[/link]",
    "\\[bold",
    "<script>alert(1)</script>",
    "a\ud800",
    "a\x00b",
    "a" + " " * 200 + "accepted Fermat",
    "a" * 71 + "accepted Fermat",
]
OURS = re.compile(r"[\r\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\u3164\ud800-\udfff]")


def printed(show: Callable[[Console], None], *, is_terminal: bool) -> str:
    out = io.StringIO()
    show(Console(file=out, width=80, force_terminal=is_terminal, color_system=None, legacy_windows=False))
    return out.getvalue()


def assert_unforged(text: str, name: str) -> None:
    """Nothing hidden is left, no line begins with what a name says, and the name stands there to be read."""
    assert not OURS.search(text)
    assert not re.search(r"^(accepted Fermat|verdict: go|2 of 2)", text, re.MULTILINE)
    assert "".join(shown(name).split()) in "".join(text.split())


@pytest.mark.parametrize("name", HOSTILE)
def test_a_text_is_shown_in_one_line_without_what_is_not_seen(name: str) -> None:
    assert not OURS.search(shown(name))
    assert "\n" not in shown(name)
    assert str(cell(name)) == shown(name)


def test_what_is_seen_is_shown_as_it_is() -> None:
    honest = "∀ α : ℕ, α₁ ≤ 2 ∧ «a b» ≠ 'é' -- 中文 😀 [x] \\n"
    assert shown(honest) == honest
    assert shown_lines("a\nb\r\n c", "  ") == "a\n  b\n   c"
    assert shown("\t\x1b\u202e\U000e0041\ud800") == r"\t\x1b\u202e\U000e0041\ud800"


@pytest.mark.parametrize("name", HOSTILE)
def test_json_holds_the_text_itself_in_characters_that_are_seen(name: str) -> None:
    text = as_json([{"name": name}], indent=1)
    assert json.loads(text) == [{"name": name}]
    assert not OURS.search(text)
    assert text.count("\n") == 4


@pytest.mark.parametrize("is_terminal", [True, False])
@pytest.mark.parametrize("name", HOSTILE)
def test_a_label_and_their_text_cannot_be_mixed_up(name: str, is_terminal: bool) -> None:
    text = printed(lambda console: tell(console, "refused  ", name), is_terminal=is_terminal)
    first, *others = text.splitlines()
    assert first.startswith("refused  ")
    assert all(not line.strip() or line.startswith(" " * 9) for line in others)


# ---- lean check and repl


@pytest.mark.parametrize("is_terminal", [True, False])
@pytest.mark.parametrize("name", HOSTILE)
def test_verdicts_begin_lines_and_nothing_else_does(name: str, is_terminal: bool) -> None:
    try:
        name.encode()
    except UnicodeEncodeError:
        pytest.skip("no theorem can have this name")
    verdicts = [
        Verdict(
            name=name,
            accepted=False,
            reason=f"Lean reports {name}",
            message=f"{name}\naccepted Fermat\n2 of 2 accepted",
        ),
        Verdict(name=name, accepted=True),
    ]
    text = printed(lambda console: print_verdicts(verdicts, console), is_terminal=is_terminal)
    assert_unforged(text, name)
    ours = [line[:10] for line in text.splitlines() if not line.startswith(" ")]
    assert ours == ["refused   ", "accepted  ", "1 of 2 acc"]


def test_leans_message_is_shown_whole_and_its_first_line_once() -> None:
    verdict = Verdict(
        name="t", accepted=False, reason="Lean reports: unsolved goals", message="unsolved goals\n⊢ False\n"
    )
    text = printed(lambda console: print_verdicts([verdict], console), is_terminal=False)
    assert text == "refused   t\n          Lean reports: unsolved goals\n          ⊢ False\n0 of 1 accepted\n"
    assert document_of(verdict)["message"] == verdict.message
    keys = {"name", "accepted", "reason", "axioms", "could_not_check"}
    assert set(document_of(Verdict(name="t", accepted=True))) == keys


def test_a_message_whose_first_line_the_reason_cuts_is_shown_from_its_beginning() -> None:
    verdict = Verdict(name="t", accepted=False, reason="It ends at ')'.", message="unexpected ')'; expected a, b or c")
    text = printed(lambda console: print_verdicts([verdict], console), is_terminal=False)
    assert "          unexpected ')'; expected a, b or c\n" in text


async def test_why_a_statement_is_left_out_is_said_whole(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = "type mismatch\n  x\nhas type\n  " + "y" * 300
    lean = ScriptedLean({})
    lean.start_failures["b"] = [Outcome(TacticStatus.ERROR, message=message)]
    monkeypatch.setattr(log, "propagate", True)
    kept = await elaborating([theorem("a"), theorem("b")], lean)
    assert [t.name for t in kept] == ["a"]
    assert f"b is left out: {message}" in caplog.messages


def test_a_file_that_lean_cannot_read_on_is_refused_with_all_that_it_said() -> None:
    short = Failure(line=3, text="unexpected token\nin a block")
    long = Failure(line=3, text=f"unexpected ')'; expected {', '.join(['term'] * 99)}")
    found = [Commands(start=0, imports=[], failure=said, commands=[], unread=False) for said in (short, long)]
    proofs = [next(_File("", commands).proofs()) for commands in found]
    assert [p.refusal for p in proofs] == [
        "Lean cannot read on from line 3: unexpected token.",
        "Lean cannot read on from line 3: unexpected ')'.",
    ]
    assert [p.message for p in proofs] == [short.text, long.text]


def test_what_could_not_be_checked_is_told_from_what_is_refused() -> None:
    verdict = Verdict(name="t", accepted=False, reason="no answer within 60 s", could_not_check=True)
    text = printed(lambda console: print_verdicts([verdict], console), is_terminal=False)
    assert text == "unchecked t\n          no answer within 60 s\n0 of 1 accepted\n"
    assert document_of(verdict)["could_not_check"] is True


async def test_a_session_shows_states_and_messages_behind_an_indent() -> None:
    lean = ScriptedLean(
        {"1 = \u200d1": {}},
        check=lambda _: Verdict(name="t", accepted=False, reason="a\nAccepted.", message="b\nAccepted."),
    )
    out = io.StringIO()
    await repl(lean, io.StringIO("1 = \ud800\n1 = 1\n"), out)
    assert "error: The statement contains U+D800" in out.getvalue()
    assert (
        failure(Outcome(TacticStatus.ERROR, message="x\nAccepted. Axioms: none.\x1b"))
        == "error: x\n    Accepted. Axioms: none.\\x1b"
    )


# ---- evaluations


@pytest.mark.parametrize("is_terminal", [True, False])
@pytest.mark.parametrize("name", [n.replace("accepted Fermat", "verdict: go") for n in HOSTILE if "\ud800" not in n])
def test_evaluations_and_comparisons_cannot_be_forged_by_names_and_reasons(name: str, is_terminal: bool) -> None:
    theorems = [theorem(name), theorem("other")]
    first = evaluation([failed(name, reason=f"x {name}"), proved("other", 2)], theorems)
    text = printed(lambda console: print_evaluation(first, console), is_terminal=is_terminal)
    assert_unforged(text, name)
    assert json.loads(as_json(eval_json(first)))["theorems"][0]["name"] == name

    before = evaluation([unproved(name), unproved("other")], theorems)
    after = evaluation([proved(name, 3), proved("other", 2)], theorems)
    sides = [(name, before), ("after", after)]
    text = printed(lambda console: print_comparison(compare(sides), console), is_terminal=is_terminal)
    assert not OURS.search(text)
    assert "newly solved from first to last: " in text
    assert not re.search(r"^(verdict: go|accepted)", text, re.MULTILINE)
    printed(
        lambda console: print_iteration(iteration(1, after), [iteration(0, before)], None, console),
        is_terminal=is_terminal,
    )


@pytest.mark.parametrize("name", [n for n in HOSTILE if "\ud800" not in n])
def test_a_report_shows_names_and_reasons_as_text(name: str, tmp_path: Path) -> None:
    theorems = [theorem(name), theorem("broken")]
    results = [proved(name, 2).model_copy(update={"proof": "simp"}), failed("broken", reason=f"x {name}")]
    write_report(ReportInputs(result=iteration(0, evaluation(results, theorems))), tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert not OURS.search(page)
    assert "<script>" not in page
    rows = json.loads((tmp_path / "proofs.json").read_text(encoding="utf-8"))
    assert rows[0]["name"] == name
    lean = (tmp_path / "proofs.lean").read_text(encoding="utf-8")
    assert not OURS.search(lean)
    assert len(re.findall(r"^theorem ", lean, re.MULTILINE)) == 1


# ---- logs and complaints


@pytest.mark.parametrize("text", HOSTILE)
def test_a_log_has_a_line_or_an_object_for_each_entry(text: str) -> None:
    record = logging.makeLogRecord({"msg": "%s is left out", "args": (text,), "levelname": "WARNING"})
    line = JsonFormatter().format(record)
    assert len(line.splitlines()) == 1
    assert json.loads(line)["message"] == f"{text} is left out"
    assert not OURS.search(line)
    first, *others = LineFormatter("%(levelname).1s %(message)s").format(record).splitlines()
    assert first.startswith("W ")
    assert all(other.startswith("    ") for other in others)
    assert not OURS.search("".join([first, *others]))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_complaint_is_ours_from_its_first_word_on(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    complain(BadInput(f"Entry 1 ({text}) is wrong."), 2)
    err = capsys.readouterr().err
    first, *others = err.splitlines()
    assert first.startswith("burnqed: Entry 1 (a") or text[0] in "[\\<"
    assert all(other.startswith("    ") for other in others)
    assert not OURS.search(err)


def test_every_command_prints_what_it_has_to_where_others_cannot_follow() -> None:
    """Texts of others go through `burnqed.display`: nobody prints a name or message with markup of rich."""
    source = Path(sys.modules["burnqed"].__file__ or "").parent
    found = [
        f"{path.relative_to(source)}: {line.strip()}"
        for path in source.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(
            r"""(console\.print|add_row)\(f?["'].*\{[^}]*(name|reason|message|error|statement|proof)\b""", line
        )
    ]
    assert found == []
