"""The 18 probe tactics, and whether one of them proves a theorem on its own.

A theorem is probe-easy when one of them proves it from the root, alone or after `intros`. Such theorems teach nothing, and are
the baseline that every comparison states. Search can also try them at every expanded state (`search.probe_tactics`).
"""

from __future__ import annotations

from burnqed.lean.protocol import LeanBackend, ProofState, TacticStatus, Theorem

PROBE_TACTICS = (
    "rfl",
    "trivial",
    "assumption",
    "contradiction",
    "decide",
    "omega",
    "simp",
    "simp_all",
    "grind",
    "ac_rfl",
    "nofun",
    "infer_instance",
    "simp at *",
    "simp <;> omega",
    "simp_all <;> omega",
    "constructor <;> omega",
    "split <;> simp_all",
    "norm_cast",
)

NONE_PROVES = "no probe tactic proves this"


def all_at_once() -> str:
    """One tactic block that tries all probes, alone and after `intros`, and fails with NONE_PROVES when it tried them all."""
    closers = " | ".join(f"({tactic}; done)" for tactic in PROBE_TACTICS)
    return f'first | {closers} | (intros; first | {closers}) | fail "{NONE_PROVES}"'


async def probe_easy(theorem: Theorem, lean: LeanBackend, timeout: float) -> bool:
    """Whether one probe tactic proves the theorem, checked as a whole proof. `timeout`: seconds for each tactic.

    All are tried in one request. `first` does not survive a probe that runs out of time, heartbeats or recursion depth; only then
    are they tried one by one. A theorem that does not elaborate is not probe-easy.
    """
    root = (await lean.start(theorem)).state
    if root is None:
        return False
    try:
        outcome = await lean.apply(root, all_at_once(), timeout=timeout)
        if outcome.state is not None:
            return await accepted(theorem, lean, all_at_once())
        if NONE_PROVES in outcome.message:
            return False
        return await one_by_one(theorem, root, lean, timeout)
    finally:
        await lean.release(root)


async def one_by_one(theorem: Theorem, root: ProofState, lean: LeanBackend, timeout: float) -> bool:
    opened = (await lean.apply(root, "intros", timeout=timeout)).state
    for state, before in ((root, ""), (opened, "intros\n")):
        for tactic in PROBE_TACTICS:
            if state is None:
                continue
            outcome = await lean.apply(state, f"({tactic}; done)", timeout=timeout)
            if outcome.status is TacticStatus.OK and await accepted(theorem, lean, before + tactic):
                return True
    return False


async def accepted(theorem: Theorem, lean: LeanBackend, proof: str) -> bool:
    return (await lean.check(theorem, proof)).accepted
