"""Best-first search for scripts.

results = search(theorems, policy, budget=64)
proved = prove("∀ n : Nat, 0 + n = n", lambda state: ["intro n", "omega"])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from burnqed.lean.protocol import Theorem
from burnqed.library.background import wait
from burnqed.library.lean import Lean, as_theorem, lent
from burnqed.library.policies import FunctionPolicy, PolicyFunction, ScoreFunction, as_policy, as_scorer
from burnqed.library.settings import configured
from burnqed.policy.protocol import Policy, Scorer
from burnqed.proof_search.engine import search as run_search
from burnqed.proof_search.settings import SearchSettings
from burnqed.trajectory.rows import SearchResult, Task
from burnqed.trajectory.schema import TheoremResult


def search(
    theorems: Iterable[Theorem],
    policy: Policy | PolicyFunction,
    *,
    scorer: Scorer | ScoreFunction | None = None,
    lean: Lean | None = None,
    on_result: Callable[[SearchResult], None] | None = None,
    **settings: Any,
) -> list[SearchResult]:
    """Searches a proof of every theorem, many at a time. Returns each with its tree, in the order of the theorems.

    `policy` and `scorer` are served models (`burnqed.serve`), objects of these protocols, or functions; `on_result` is called with
    each result as soon as it is there, so that an interrupt loses none. `settings` are those of the configuration's section `search`
    (`budget`, `candidates`, `seed`, …). Raises BadInput for a setting that does not fit, TryAgain when policy or Lean stay away.
    """
    chosen = configured("search", settings).search
    used = as_policy(policy)
    if isinstance(used, FunctionPolicy) and "widening" not in settings:  # a function ignores the temperature
        chosen = chosen.model_copy(update={"widening": None})
    wanted = list(theorems)
    results: dict[str, SearchResult] = {}

    def add(searched: SearchResult) -> None:
        results[searched.result.name] = searched
        if on_result:
            on_result(searched)

    tasks = [Task(theorem, seed=chosen.seed) for theorem in wanted]
    with lent(lean) as pool:
        course = SearchSettings.for_search(chosen, pool.backend.probe_tactics)
        wait(run_search(tasks, pool.backend, used, as_scorer(scorer), course, add))
    return [results[theorem.name] for theorem in wanted]


def prove(
    theorem: Theorem | str,
    policy: Policy | PolicyFunction,
    *,
    scorer: Scorer | ScoreFunction | None = None,
    lean: Lean | None = None,
    **settings: Any,
) -> TheoremResult:
    """As `search`, for one theorem or statement: its `status`, `proof` (checked, or None), `nodes`, and `reason`."""
    [searched] = search([as_theorem(theorem)], policy, scorer=scorer, lean=lean, **settings)
    return searched.result
