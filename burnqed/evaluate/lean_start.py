"""What a head is worth to a search, before more is spent: the same theorems searched without it and with it, compared theorem by theorem.

The head has learned from the first of these searches, so the verdict is about the theorems that were held out of its training. Over all of them the figures
are shown beside it.
"""

from __future__ import annotations

from burnqed.evaluate.compare import Change, change
from burnqed.evaluate.effects import FEWER
from burnqed.evaluate.intervals import signed
from burnqed.evaluate.results import EvaluationResult, Result

GO, NO_GO = "go", "no-go"
COLUMNS = ("theorems", "without head", "with head", "newly solved", "lost", "p", "gain, 95%", "nodes", "95%")
HELD_OUT, ALL = "held out", "all, training too"
FILE = "lean-start.json"


class LeanStart(Result):
    """What `FILE` holds."""

    run: str
    model: str
    head: str
    accepted: bool
    """Whether the head's training found that it ranks better than chance: searches for training data use no other."""
    is_raw: bool
    """Whether the model is the base model."""
    theorems: int
    trained_on: int
    """Of these the head, or a theorem with the same statement was in its training."""
    held_out: Change
    """Over the others: what the verdict is about."""
    every: Change
    verdict: str
    reason: str

    @property
    def rows(self) -> list[list[str]]:
        """As a table: a name, and `COLUMNS`."""
        return [[name, *cells(found)] for name, found in ((HELD_OUT, self.held_out), (ALL, self.every))]


def judged(
    run: str, plain: EvaluationResult, guided: EvaluationResult, *, accepted: bool, is_raw: bool, max_p: float
) -> LeanStart:
    """Compares two searches of the same theorems, whose `trained_on` are those that the head was trained on; a gain counts up to McNemar's p of `max_p`."""
    budget = plain.at_largest.budget
    held_out = change(("without head", plain), ("with head", guided), budget, effort=True)
    one, other = (e.model_copy(update={"trained_on": []}) for e in (plain, guided))
    every = change(("without head", one), ("with head", other), budget, effort=True)
    verdict, reason = verdict_of(held_out, accepted, max_p)
    return LeanStart(
        run=run,
        model=plain.model,
        head=guided.head or "",
        accepted=accepted,
        is_raw=is_raw,
        theorems=len(plain.per_theorem),
        trained_on=len(plain.trained_on),
        held_out=held_out,
        every=every,
        verdict=verdict,
        reason=reason,
    )


def verdict_of(found: Change, accepted: bool, max_p: float) -> tuple[str, str]:
    """Go if the head's search proves more, by more than chance, or as many with less than three quarters of the nodes."""
    if not found.tried:
        return (
            NO_GO,
            "none of the theorems that the head was not trained on could be tried; select.theorems has to be larger",
        )
    told = (
        f"of {found.tried} theorems that the head was not trained on, the search proves {solved_after(found)} with it and {solved_before(found)} without "
        f"({len(found.newly_solved)} newly solved, {len(found.lost)} lost, p = {found.p:.2g}), and expands {found.effort or 1:.2f} times the nodes"
    )
    if not accepted:
        return NO_GO, f"its training did not accept the head, so no search would use it; {told}"
    is_shown = found.p <= max_p
    if is_shown and found.net > 0:
        return GO, told
    if is_shown and found.net < 0:
        return NO_GO, f"{told}; it does harm: look at the negatives and at the embeddings"
    if found.effort_interval and found.effort_interval[1] < FEWER and found.net >= 0:
        return GO, told
    return (
        NO_GO,
        f"{told}, which chance may give, too; more theorems (select.theorems) would tell, if there is anything",
    )


def solved_before(found: Change) -> int:
    return found.both + len(found.lost)


def solved_after(found: Change) -> int:
    return found.both + len(found.newly_solved)


def cells(found: Change) -> list[str]:
    effort = "-" if found.effort is None else f"× {found.effort:.2f}"
    spread = "{:.2f} to {:.2f}".format(*found.effort_interval) if found.effort_interval else ""
    numbers = (found.tried, solved_before(found), solved_after(found), len(found.newly_solved), len(found.lost))
    return [*map(str, numbers), f"{found.p:.2g}", signed(found.gain), effort, spread]
