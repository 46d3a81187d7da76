"""The verdict of an experiment: plan the next iteration, data was the bottleneck, or debug joint training."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from burnqed.evaluate.arms import ARMS, DISTANCE, Seed, mean_of, named, spread_of, with_heads
from burnqed.evaluate.effects import Effect, effect
from burnqed.evaluate.intervals import Interval, around, percent

HELD = 0.9
"""Joint training holds the embeddings if their distance is at least this share of iteration 0's."""
MARGIN = 0.05
"""A gain of the rate that is smaller is none."""
PLAN, DATA, DEBUG, UNDECIDED = (
    "plan the next iteration",
    "data was the bottleneck",
    "debug joint training",
    "not decided",
)
"""Verdicts."""


def verdict_of(
    names: Collection[str], heads: Sequence[Effect], steps: Sequence[Effect], seeds: Sequence[Seed], budget: int
) -> tuple[str, list[str]]:
    """The verdict on the arms that there are, by their names, with its reasons, the first of which says whether the heads pay.

    Joint training is to be debugged if the embeddings are shown not to have held, if the model proves less than the one that was fine-tuned on next-token loss alone, or if C, the model and head
    that the next iteration would search with, proves less than iteration 0 and less than S, which was trained on the same data. Else the next iteration is worth planning if C proves more than iteration 0. If that
    can be excluded, up to five points, data was the bottleneck; if not, nothing is decided.
    """
    reasons = [f"heads: {', '.join(f'{e.after} {e.shown}' for e in heads) or 'none was evaluated'}"]
    joint = next((name for name in ("C", "B") if name in names), None)
    if joint is None or "A" not in names:
        if "A" in names:
            told = "there is no result of joint training: if its own limits ended it (docs/joint.md), that is what to debug"
            return UNDECIDED, [*reasons, told]
        return UNDECIDED, [*reasons, "iteration 0 or a jointly trained model is missing"]
    common = [seed for seed in seeds if {"A", joint} <= seed.arms.keys()]
    distances = {arm.name: mean_of(arm, common, DISTANCE) for arm in ARMS if arm.name in ("A", "S", "B")}
    start, end = distances["A"], distances["B"]
    spreads = [spread_of(named(name), common, DISTANCE) for name in ("A", "B")]
    if not start or end is None or spreads[0] is None or spreads[1] is None:
        return UNDECIDED, [*reasons, "the embeddings were not measured, or iteration 0's have no distance to hold"]
    low, high = left = share((start, spreads[0]), (end, spreads[1]))
    told = ", ".join(f"{name} {value:.3f}" for name, value in distances.items() if value is not None)
    shown = "have held" if low >= HELD else "have not held" if high < HELD else "may have held or not"
    reasons.append(
        f"distance of the means of states on and off proofs, within a theorem: {told}; {end / start:.1%} of iteration 0's is left (95%: {percent(left)}), "
        f"and 90% is asked for: the embeddings {shown}"
    )
    on_model = next((e for e in steps if (e.before, e.after) == ("S", "B")), None)
    if on_model:
        reasons.append(f"B against S at {budget} nodes: {on_model.in_words}")
    pairs = with_heads(seeds, "A", joint)
    gained = effect("", "A", joint, pairs, budget) if pairs else None
    if gained:
        reasons.append(f"{joint} against A at {budget} nodes: {gained.in_words}")
    if high < HELD or (on_model and on_model.shown == "worse"):
        return DEBUG, reasons
    if gained is None:
        return UNDECIDED, [*reasons, f"A and {joint} were evaluated on different theorems"]
    if gained.shown == "worse":
        others = with_heads(seeds, "S", joint)
        from_s = effect("", "S", joint, others, budget) if others else None
        reasons.append(f"{joint} against S at {budget} nodes: {from_s.in_words if from_s else 'S is missing'}")
        if from_s is None:
            return UNDECIDED, reasons
        if from_s.shown == "worse":
            return DEBUG, reasons
    worst, best = gained.gain_interval or (-1.0, 1.0)
    if worst > 0:
        return PLAN, reasons
    if best < MARGIN:
        return DATA, reasons
    return UNDECIDED, [*reasons, "more theorems or more seeds would narrow the interval"]


def share(whole: tuple[float, float], left: tuple[float, float]) -> Interval:
    """95 % interval of one distance divided by another, each with its standard error (delta method), as if these were independent: they are of the same theorems, so the interval is
    rather too wide."""
    (start, of_start), (end, of_end) = whole, left
    return around(end / start, math.hypot(of_end, end / start * of_start) / start, is_rate=False)
