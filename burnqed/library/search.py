"""Best-first search for scripts.

results = search(theorems, policy, budget=64)
proved = prove("∀ n : Nat, 0 + n = n", lambda state: ["intro n", "omega"])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from burnqed.errors import BadInput
from burnqed.lean.protocol import Theorem
from burnqed.library.arguments import as_theorem, configured
from burnqed.library.background import wait
from burnqed.library.lean import Lean, lent
from burnqed.library.policies import Called, FunctionPolicy, PolicyFunction, ScoreFunction, as_policy, as_scorer
from burnqed.policy.protocol import Policy, Scorer
from burnqed.proof_search.engine import search as run_search
from burnqed.proof_search.settings import SearchSettings
from burnqed.trajectory.rows import SearchResult, Task
from burnqed.trajectory.schema import TheoremResult


def search(
    theorems: Iterable[Theorem | str],
    policy: Policy | PolicyFunction,
    *,
    scorer: Scorer | ScoreFunction | None = None,
    lean: Lean | None = None,
    on_result: Callable[[SearchResult], Awaitable[None] | None] | None = None,
    **settings: Any,
) -> list[SearchResult]:
    """Searches a proof of every theorem, many at a time. Returns each with its tree, in the order of the theorems.

    A statement is a theorem of that name. `policy` and `scorer` are served models (`burnqed.serve`), objects of these protocols, or
    functions (`burnqed.library.policies`); `on_result` is called with each result as soon as it is there, so that an interrupt loses none,
    and may use `lean`. A plain function is called for one thing at a time, in a thread; an async one for many. `settings` are those of the
    configuration's section `search` (`budget`, `candidates`, `seed`, …). Raises BadInput for what does not fit, TryAgain when policy or
    Lean stay away, and whatever the functions raise.
    """
    chosen = configured("search", settings).search
    used, used_scorer = as_policy(policy), as_scorer(scorer)
    if isinstance(used, FunctionPolicy) and "widening" not in settings:  # a function ignores the temperature
        chosen = chosen.model_copy(update={"widening": None})
    if isinstance(theorems, Theorem | str) or not isinstance(theorems, Iterable):
        raise BadInput(f"{theorems!r} is not a list of theorems; give one, or call burnqed.prove for a single theorem.")
    wanted = [as_theorem(theorem, name=str(theorem)) for theorem in theorems]
    names = Counter(theorem.name for theorem in wanted)
    if repeated := [name for name, count in names.items() if count > 1]:
        raise BadInput(f"Several theorems have the name {repeated[0]!r}; give each a name of its own.")
    results: dict[str, SearchResult] = {}
    tell = on_result and Called(on_result, "on_result", 1)

    async def add(searched: SearchResult) -> None:
        results[searched.result.name] = searched
        if tell:
            await tell(searched)

    tasks = [Task(theorem, seed=chosen.seed) for theorem in wanted]
    with lent(lean) as pool:
        course = SearchSettings.for_search(chosen, pool.backend.probe_tactics)
        wait(run_search(tasks, pool.backend, used, used_scorer, course, add))
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
