"""`import burnqed` loads nothing by itself, and its names are what they say."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest

import burnqed
from burnqed.library.policies import proposal

IMPORTED = "import sys; before = set(sys.modules); import burnqed; print(*{m.partition('.')[0] for m in set(sys.modules) - before})"


def test_importing_it_loads_no_library() -> None:
    printed = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True).stdout
    assert not set(printed.split()) - set(sys.stdlib_module_names) - {"burnqed"}


def test_every_name_is_there_and_stays_what_it_is_when_packages_are_loaded() -> None:
    everything = (
        "import burnqed, burnqed.proof_search.engine, burnqed.run.standalone, burnqed.lean.check, burnqed.steps.search"
    )
    script = f"{everything}\nfor name in burnqed.__all__: assert callable(getattr(burnqed, name)), name\nprint(*dir(burnqed))"
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert set(burnqed.__all__) <= set(printed.split())
    with pytest.raises(AttributeError, match="no attribute 'prover'"):
        burnqed.prover  # noqa: B018


def test_tactics_without_a_probability_share_it_and_the_likeliest_come_first() -> None:
    even = proposal(["a", "b", "a", "c", "d"], 3)
    assert [(c.tactic, c.log_prob) for c in even.candidates] == [(tactic, -math.log(4)) for tactic in "abc"]
    known = proposal([("a", -3.0), ("b", -1.0), ("c", -1.0)], 2)
    assert [c.tactic for c in known.candidates] == ["b", "c"]
    assert proposal([], 2).candidates == ()
