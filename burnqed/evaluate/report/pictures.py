"""The report's pictures of held-out states: their embeddings in a plane by depth, the energies of states on proofs beside those of their siblings, and how far the
probabilities that follow from these can be believed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from burnqed.evaluate.report.inputs import HeldOutStates
from burnqed.evaluate.report.plots import DEPTHS, INK, PAPER, WITH, Plot, draw, histograms
from burnqed.head.calibration import calibration_error, reliability


def by_depth(states: HeldOutStates) -> Plot:
    """The states in the plane of their first two principal components: colours are depths, crosses are off the path."""
    shares, deepest = states.variance, len(DEPTHS)
    depths = [min(depth, deepest) for depth in states.depth]
    present = sorted(set(depths))

    def name(depth: int) -> str:
        return f"depth {depth}" + ("+" if depth == deepest else "")

    def paint(axes: Any) -> None:
        for depth in present:
            colour = DEPTHS[depth - 1]
            for is_on, style in (
                (False, {"marker": "x", "s": 9, "lw": 0.7, "alpha": 0.6}),
                (True, {"s": 11, "lw": 0, "alpha": 0.8}),
            ):
                at = [i for i, d in enumerate(depths) if d == depth and states.on_path[i] == is_on]
                label = name(depth) if is_on else None
                axes.scatter([states.x[i] for i in at], [states.y[i] for i in at], color=colour, label=label, **style)
        axes.scatter([], [], marker="x", s=9, lw=0.7, color=INK, label="off the path")
        axes.set(xticks=[], yticks=[], xlabel=f"first component ({shares[0]:.0%} of the variance)")
        axes.set_ylabel(f"second ({shares[1]:.0%})")
        axes.grid(False)
        axes.legend(
            loc="upper right",
            ncols=len(present) + 1,
            bbox_to_anchor=(1.0, 1.14),
            markerscale=1.8,
            handletextpad=0.1,
            columnspacing=0.9,
        )

    count = ", ".join(
        f"{sum(d == depth and on for d, on in zip(depths, states.on_path, strict=True))} on a proof's path and "
        f"{sum(d == depth and not on for d, on in zip(depths, states.on_path, strict=True))} siblings at {name(depth)}"
        for depth in present
    )
    caption = f"held-out states and siblings; the plane has {sum(shares):.0%} of their variance, so what overlaps here may be apart elsewhere"
    return draw(
        "embeddings-depth",
        "Embeddings by depth",
        caption,
        f"Embeddings by depth: {count}; {sum(shares):.0%} of the variance.",
        paint,
    )


def siblings(families: Sequence[Sequence[float]]) -> Plot:
    """Energies of states on proofs and of their siblings, each from the mean of its family: energies compare only among states of one theorem."""
    own, others = [], []
    for family in families:
        mean = sum(family) / len(family)
        own.append(family[0] - mean)
        others += [energy - mean for energy in family[1:]]
    pairs = [(family[0], energy) for family in families for energy in family[1:]]
    right = sum((mine < other) + 0.5 * (mine == other) for mine, other in pairs) / len(pairs)

    def paint(axes: Any) -> None:
        histograms(axes, {"siblings": others, "on a proof's path": own})
        axes.axvline(0, color=INK, lw=0.8, ls=(0, (3, 2)))
        axes.set(yticks=[], xlabel="energy, from the mean of a state and its siblings", ylabel="share of states")
        axes.legend(loc="upper right")

    caption = f"held-out: {len(own):,} states on proofs, {len(others):,} siblings; lower in {right:.0%} of the pairs"
    words = f"in {right:.0%} of {len(pairs):,} pairs the state on the proof's path has the lower energy; chance is 50%"
    return draw("siblings", "Energy among siblings", caption, f"Energy among siblings: {words}.", paint)


def calibration(families: Sequence[Sequence[float]]) -> Plot | None:
    """Of the states that the head finds likeliest among their siblings: how likely it finds them, and how often they are the ones on a proof's path. None of nothing."""
    if not (bins := reliability(families)):
        return None

    def paint(axes: Any) -> None:
        axes.plot([0, 1], [0, 1], color=INK, lw=0.8, ls=(0, (3, 2)))
        axes.plot([b.confidence for b in bins], [b.accuracy for b in bins], "o-", color=WITH, mec=PAPER, mew=1)
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="confidence in the likeliest of a state and its siblings")
        axes.set_ylabel("it is on the path")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_ticks([0, 0.25, 0.5, 0.75, 1.0], ["0", "25%", "50%", "75%", "100%"])

    count, error = sum(b.groups for b in bins), calibration_error(bins)
    caption = f"held-out: {count:,} states on proofs and their siblings; calibration error {error:.3f}; below the dashed line the head is too sure"
    words = ", ".join(f"{b.accuracy:.0%} right of {b.groups:,} at a confidence of {b.confidence:.0%}" for b in bins)
    return draw("calibration", "Calibration among siblings", caption, f"Calibration among siblings: {words}.", paint)
