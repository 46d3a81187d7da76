"""burnqed: train a Lean 4 theorem prover by expert iteration.

    import burnqed

    burnqed.check("∀ n : Nat, n + 0 = n", "intro n; rfl").accepted          # in a fresh Lean
    burnqed.prove("∀ n : Nat, 0 + n = n", lambda state: ["intro n", "omega"]).proof
    burnqed.Run("runs").iterations[-1].results                              # the results of a run in a store

All of it works in scripts, notebooks and threads. Each part is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from burnqed.errors import BadInput as BadInput
    from burnqed.errors import TryAgain as TryAgain
    from burnqed.lean.protocol import LeanBackend as LeanBackend
    from burnqed.lean.protocol import Theorem as Theorem
    from burnqed.lean.protocol import Verdict as Verdict
    from burnqed.library.lean import Lean as Lean
    from burnqed.library.lean import check as check
    from burnqed.library.policies import serve as serve
    from burnqed.library.runs import Run as Run
    from burnqed.library.runs import load_trajectories as load_trajectories
    from burnqed.library.search import prove as prove
    from burnqed.library.search import search as search
    from burnqed.policy.protocol import Candidate as Candidate
    from burnqed.policy.protocol import Policy as Policy
    from burnqed.policy.protocol import Proposal as Proposal
    from burnqed.policy.protocol import Scorer as Scorer
    from burnqed.trajectory.rows import SearchResult as SearchResult
    from burnqed.trajectory.schema import TheoremResult as TheoremResult

_HOME = {
    "burnqed.errors": ("BadInput", "TryAgain"),
    "burnqed.lean.protocol": ("LeanBackend", "Theorem", "Verdict"),
    "burnqed.library.lean": ("Lean", "check"),
    "burnqed.library.policies": ("serve",),
    "burnqed.library.runs": ("Run", "load_trajectories"),
    "burnqed.library.search": ("prove", "search"),
    "burnqed.policy.protocol": ("Candidate", "Policy", "Proposal", "Scorer"),
    "burnqed.trajectory.rows": ("SearchResult",),
    "burnqed.trajectory.schema": ("TheoremResult",),
}
__all__ = sorted(name for names in _HOME.values() for name in names)


def __getattr__(name: str) -> object:
    for module, names in _HOME.items():
        if name in names:
            globals()[name] = getattr(import_module(module), name)
            return globals()[name]
    raise AttributeError(f"module 'burnqed' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
