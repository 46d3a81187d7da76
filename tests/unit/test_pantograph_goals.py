"""Goals as Lean prints them, from what Pantograph says of them."""

from __future__ import annotations

import json
from pathlib import Path

from burnqed.lean.pantograph.goals import text
from burnqed.lean.pantograph.wire import Goal


def goal(target: str, *variables: tuple[str, str], case: str | None = None, fragment: str = "tactic") -> Goal:
    vars = [
        {"name": "_uniq.1", "userName": name, "isInaccessible": False, "type": {"pp": type}} for name, type in variables
    ]
    case_name = {"userName": case} if case else {}
    return Goal.model_validate(
        {"name": "_uniq.2", "fragment": fragment, "target": {"pp": target}, "vars": vars} | case_name
    )


def test_variables_of_equal_types_that_follow_each_other_share_a_line() -> None:
    shown = text(goal("n + 1 = m", ("n", "Nat"), ("m", "Nat"), ("h", "n = m"), ("k", "Nat"), case="succ"))
    assert shown == "case succ\nn m : Nat\nh : n = m\nk : Nat\n⊢ n + 1 = m"


def test_what_does_not_fit_a_line_begins_on_its_own() -> None:
    fitting, longer = "x" * (120 - len("h : ")), "x" * (121 - len("h : "))
    assert text(goal("a ∧\n  b", ("h", fitting), ("k", longer), ("l", "∀ x,\n  p x"))) == (
        f"h : {fitting}\nk :\n  {longer}\nl :\n  ∀ x,\n    p x\n⊢ a ∧\n    b"
    )


def test_goals_of_conv_have_its_bar_and_names_lose_their_macro_scopes() -> None:
    assert text(goal("n", ("h✝", "p"), case="a._@.b._hyg.3", fragment="conv")) == "case a\nh✝ : p\n| n"


def test_recorded_states_read_as_the_frontend_prints_them(shared: Path) -> None:
    """A tactic's state is recorded twice: by `goal.tactic` in parts, and by `frontend.process` as Lean prints it."""
    rows = [json.loads(line) for line in (shared / "pantograph" / "all_commands.jsonl").read_text().splitlines()]
    after = next(json.loads(row["reply"]) for row in rows if '"tactic": "induction n"' in (row.get("request") or ""))
    units = [unit for row in rows if "file" in row for unit in json.loads(row["content"])["units"]]
    printed = {invocation["goalBefore"] for unit in units for invocation in unit["invocations"]}
    assert text(Goal.model_validate(after["goals"][0])) == "case zero\n⊢ 0 + 0 = 0"
    assert "case zero\n⊢ 0 + 0 = 0" in printed
