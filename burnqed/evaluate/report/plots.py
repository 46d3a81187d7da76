"""The report's plots: one function each, from numbers to an inline SVG.

Colours are placeholders that become CSS variables, and text stays text, so a plot follows the page's light or dark scheme and its
fonts. Every plot has a description that gives its figures to people who cannot see it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from markupsafe import Markup, escape

from burnqed.evaluate.report.inputs import LossPoint
from burnqed.evaluate.results import (
    HEAD,
    PLAIN,
    SEARCH_HEAD,
    VARIANTS,
    EvaluationResult,
    IterationResult,
    SearchFigures,
)

SIZE = (4.8, 2.85)
"""Of the drawing, in inches; the page scales it."""

INK, MUTED, LINE, PAPER = "#000001", "#000002", "#000003", "#000004"
WITHOUT, WITH, EVER, BEFORE, SEARCHED = "#000005", "#000006", "#000007", "#000008", "#000009"
DEPTHS = ("#00000a", "#00000b", "#00000c", "#00000d")
"""Of states at depths 1, 2, 3, and 4 and more."""
VARIABLES = {
    INK: "--ink", MUTED: "--muted", LINE: "--line", PAPER: "--paper",
    **{colour: f"--depth-{depth}" for depth, colour in enumerate(DEPTHS, start=1)},
    WITHOUT: "--without", WITH: "--with", EVER: "--ever", BEFORE: "--before", SEARCHED: "--searched",
}  # fmt: skip

STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "burnqed",
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.labelsize": 8.5,
    "axes.edgecolor": LINE,
    "axes.linewidth": 0.8,
    **{f"axes.spines.{side}": False for side in ("top", "right", "left")},
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    **{f"{axis}tick.{part}": colour for axis in "xy" for part, colour in (("color", LINE), ("labelcolor", MUTED))},
    **{f"{axis}tick.labelsize": 8.5 for axis in "xy"},
    "ytick.major.size": 0,
    "xtick.major.size": 3,
    "lines.linewidth": 1.9,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
}  # fmt: skip

COLOURS = {PLAIN: WITHOUT, HEAD: WITH, SEARCH_HEAD: SEARCHED}

Searches = Sequence[tuple[str, SearchFigures]]
"""Sets of searches, each with its name."""


@dataclass(frozen=True)
class Plot:
    """A drawing, with its title and caption."""

    title: str
    caption: str
    svg: Markup


def draw(key: str, title: str, caption: str, description: str, paint: Callable[[Any], None]) -> Plot:
    """Runs `paint` on new axes. `key` makes the drawing's ids unique on the page."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=SIZE, layout="constrained")
        paint(figure.add_subplot())
        out = io.StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return Plot(title, caption, inline(out.getvalue(), key, description))


def inline(svg: str, key: str, description: str) -> Markup:
    """Makes matplotlib's file part of a page: unique ids, CSS colours, the page's font, a description, no fixed size."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\b(id|xlink:href)="(#?)', rf'\1="\2{key}-', svg)
    svg = svg.replace("url(#", f"url(#{key}-")
    for placeholder, variable in VARIABLES.items():
        svg = svg.replace(placeholder, f"var({variable})")
    svg = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font: \1px var(--sans)", svg)
    box = re.search(r'viewBox="[^"]*"', svg)
    assert box, "matplotlib writes a viewBox"
    opening = f'<svg {box[0]} role="img" aria-label="{escape(description)}" xmlns:xlink="http://www.w3.org/1999/xlink">'
    return Markup(opening + svg[svg.index(">") + 1 :])


def whole_numbers(axis: Any) -> None:
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True, nbins=6, min_n_ticks=1))


def solved_by_budget(evaluations: Sequence[EvaluationResult], before: EvaluationResult | None = None) -> Plot:
    """How many theorems are solved within each number of expanded nodes; `before` is drawn faintly for comparison. All on one benchmark."""

    def curve(axes: Any, e: EvaluationResult, colour: str, **style: Any) -> None:
        nodes = sorted(max(1, o.nodes_at_proof) for o in e.per_theorem if o.nodes_at_proof is not None)
        xs, ys = [1, *nodes, e.at_largest.budget], [0, *range(1, len(nodes) + 1), len(nodes)]
        axes.step(xs, ys, where="post", color=colour, **style)

    def paint(axes: Any) -> None:
        if before:
            curve(axes, before, BEFORE, lw=1.3, label="previous iteration")
        for e in evaluations:
            colour = COLOURS[e.variant]
            curve(axes, e, colour, label=VARIANTS[e.variant])
            axes.plot(
                [b.budget for b in e.budgets], [b.solved for b in e.budgets], "o", ms=5, color=colour, mec=PAPER, mew=1
            )
        axes.set_xscale("log", base=2)
        ticks = sorted({1, *(b.budget for e in evaluations for b in e.budgets)})
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.minorticks_off()
        axes.set(ylim=(0, None), xlabel="nodes expanded per theorem", ylabel="solved")
        whole_numbers(axes.yaxis)
        axes.legend(loc="upper left")

    words = "; ".join(
        f"{VARIANTS[e.variant]}: " + ", ".join(f"{b.solved} at {b.budget} nodes" for b in e.budgets)
        for e in evaluations
    )
    first = evaluations[0]
    caption = f"of {first.at_largest.total} theorems, by nodes expanded"
    return draw(f"budget-{first.benchmark}", "Solved by budget", caption, f"Solved by budget. {words}.", paint)


def solved_by_iteration(iterations: Sequence[IterationResult]) -> Plot:
    """Solved at the largest budget in every iteration so far, and by any of them; all on one benchmark."""
    numbers = [r.iteration for r in iterations]
    now = iterations[-1].evaluations[0]
    solid, dashed = {"ls": "-"}, {"ls": (0, (4, 2)), "lw": 1.3}
    series: list[tuple[str, str, dict[str, Any], list[tuple[int, int]]]] = [
        (
            VARIANTS[v],
            COLOURS[v],
            solid,
            [(r.iteration, e.at_largest.solved) for r in iterations if (e := r.variant(v))],
        )
        for v in VARIANTS
    ]
    series.append(("ever", EVER, dashed, [(r.iteration, r.ever[now.benchmark]) for r in iterations]))
    series = [row for row in series if row[-1]]

    def paint(axes: Any) -> None:
        for name, colour, style, points in series:
            axes.plot(*zip(*points, strict=True), marker="o", ms=5, color=colour, mec=PAPER, mew=1, label=name, **style)
        axes.set(xticks=numbers, xlim=(min(numbers) - 0.4, max(numbers) + 0.4), ylim=(0, 1.12 * axes.get_ylim()[1]))
        axes.set(xlabel="iteration", ylabel="solved")
        whole_numbers(axes.yaxis)
        axes.legend(loc="lower right")

    words = "; ".join(
        f"{name}: " + ", ".join(f"{y} at iteration {x}" for x, y in points) for name, *_, points in series
    )
    caption = f"at {now.at_largest.budget} nodes; ever: by any variant so far"
    return draw(f"iteration-{now.benchmark}", "Solved by iteration", caption, f"Solved by iteration. {words}.", paint)


def loss(points: Sequence[LossPoint]) -> Plot:
    """Loss of the fine-tuning."""
    return losses("loss", "Fine-tuning loss", "next-token loss over tactics", "loss per token", points)


def contrastive_loss(points: Sequence[LossPoint]) -> Plot:
    """The second loss of a joint training."""
    return losses(
        "info-nce", "Joint training: InfoNCE", "states on proofs against other states", "InfoNCE in nats", points
    )


def losses(key: str, title: str, caption: str, unit: str, points: Sequence[LossPoint]) -> Plot:
    """The training curve faint with its running mean, and the held-out theorems' points."""
    train = [(p.step, p.train) for p in points if p.train is not None]
    held_out = [(p.step, p.evaluation) for p in points if p.evaluation is not None]

    def paint(axes: Any) -> None:
        if train:
            steps, values = zip(*train, strict=True)
            window = max(1, len(values) // 30)
            axes.plot(steps, values, color=WITHOUT, alpha=0.28, lw=0.9)
            smooth = [sum(values[max(0, i - window + 1) : i + 1]) / min(window, i + 1) for i in range(len(values))]
            axes.plot(steps, smooth, color=WITHOUT, label="training")
        if held_out:
            steps, values = zip(*held_out, strict=True)
            axes.plot(steps, values, "o-", ms=4, color=WITH, mec=PAPER, mew=0.8, label="held-out theorems")
        axes.set(ylim=(0, None), xlabel="step", ylabel=unit)
        axes.legend(loc="upper right", ncols=2, bbox_to_anchor=(1.0, 1.13))

    curves = (("training", train), ("held-out theorems", held_out))
    words = ", ".join(f"{name} from {curve[0][1]:.3f} to {curve[-1][1]:.3f}" for name, curve in curves if curve)
    return draw(key, title, caption, f"{title}: {words}.", paint)


def histograms(axes: Any, groups: Mapping[str, Sequence[float]]) -> None:
    """The values of two groups of states, off and on proofs, each as shares of its group."""
    values = sorted(chain.from_iterable(groups.values()))
    low, high = values[len(values) // 200], values[-1 - len(values) // 200]  # a few outliers would flatten the rest
    width = (high - low or 1.0) / 36
    bins = [low + i * width for i in range(37)]
    for (name, found), colour in zip(groups.items(), (WITHOUT, WITH), strict=True):
        inside = [v for v in found if low <= v <= high]
        shares = [1 / len(found)] * len(inside)
        axes.hist(inside, bins, weights=shares, color=colour, alpha=0.45, label=name)
        axes.hist(inside, bins, weights=shares, color=colour, histtype="step", lw=1.3)


def energies(positive: Sequence[float], negative: Sequence[float]) -> Plot:
    """How far the head tells states on a proof's path from the others."""
    means = (sum(positive) / len(positive), sum(negative) / len(negative))

    def paint(axes: Any) -> None:
        histograms(axes, {"off the path": negative, "on a proof's path": positive})
        for mean, colour in zip(means, (WITH, WITHOUT), strict=True):
            axes.axvline(mean, color=colour, lw=1.2, ls=(0, (3, 2)))
        axes.set(yticks=[], xlabel="energy (lower: more provable)", ylabel="share of states")
        axes.legend(loc="upper right")

    words = f"states on a proof's path have mean energy {means[0]:.2f}, others {means[1]:.2f}"
    return draw("energy", "Energy of states", "held-out states; dashed: means", f"Energy of states: {words}.", paint)


def embeddings(picture: Mapping[str, Sequence[float]]) -> Plot:
    """States on and off proofs in the plane of the first two principal components."""
    shares = picture["spectrum"]

    def paint(axes: Any) -> None:
        for name, key, colour in (("off the path", "off", WITHOUT), ("on a proof's path", "on", WITH)):
            axes.scatter(picture[f"{key}_x"], picture[f"{key}_y"], s=7, alpha=0.45, lw=0, color=colour, label=name)
        axes.set(xticks=[], yticks=[], xlabel=f"first component ({shares[0]:.0%} of the variance)")
        axes.set_ylabel(f"second ({shares[1]:.0%})")
        axes.grid(False)
        axes.legend(loc="upper right", ncols=2, bbox_to_anchor=(1.0, 1.13), markerscale=2.5)

    count = f"{len(picture['on_x']):,} states on a proof's path and {len(picture['off_x']):,} others"
    words = f"{count}; the first two components have {sum(shares[:2]):.0%} of the variance, the first ten {sum(shares[:10]):.0%}"
    return draw("embeddings", "Embeddings of states", "principal components", f"Embeddings of states: {words}.", paint)


def spectrum(shares: Sequence[float]) -> Plot:
    """The variance that the principal components have."""

    def paint(axes: Any) -> None:
        axes.plot(range(1, len(shares) + 1), shares, color=WITH)
        axes.set(yscale="log", xlabel="principal component", ylabel="share of the variance")

    words = f"the first component has {shares[0]:.1%}, the last of {len(shares)} shown {shares[-1]:.2%}"
    caption = "a steep fall: few directions are used"
    return draw("spectrum", "Variance spectrum", caption, f"Variance spectrum of the embeddings: {words}.", paint)


def time_split(searches: Searches) -> Plot:
    """Shares of the time that theorems spent waiting, for each set of searches."""
    parts = (("generation", WITH), ("Lean", WITHOUT), ("scoring", EVER))
    shares = []
    for name, figures in searches:
        seconds = (figures.generation_s, figures.lean_s, figures.scoring_s)
        shares.append((name, [s / sum(seconds) for s in seconds]))

    def paint(axes: Any) -> None:
        names = [name for name, _ in shares]
        left = [0.0] * len(names)
        for i, (part, colour) in enumerate(parts):
            widths = [row[i] for _, row in shares]
            if not any(widths):
                continue
            axes.barh(names, widths, left=left, height=0.55, color=colour, edgecolor=PAPER, linewidth=1.2, label=part)
            for y, (width, start) in enumerate(zip(widths, left, strict=True)):
                if width > 0.08:
                    axes.text(start + width / 2, y, f"{width:.0%}", ha="center", va="center", color=PAPER, fontsize=9)
            left = [a + b for a, b in zip(left, widths, strict=True)]
        axes.invert_yaxis()
        axes.set(xlim=(0, 1), ylim=(len(names) - 0.4, -0.6), xticks=[])
        axes.grid(False)
        axes.spines["bottom"].set_visible(False)
        axes.legend(loc="upper center", ncols=3, bbox_to_anchor=(0.5, 0.0))

    words = "; ".join(
        f"{name}: " + ", ".join(f"{part} {share:.0%}" for (part, _), share in zip(parts, row, strict=True))
        for name, row in shares
    )
    title = "Where the time went"
    return draw("time", title, "time that theorems spent waiting", f"{title}. {words}.", paint)


def rank_by_depth(rows: Sequence[tuple[str, float, float]]) -> Plot:
    """(depth, rank-1 accuracy of the head, that of random choice)."""
    depths, values, chances = zip(*rows, strict=True)

    def paint(axes: Any) -> None:
        axes.bar(depths, values, width=0.56, color=WITH, label="head")
        for x, chance in enumerate(chances):
            name = "random choice" if x == 0 else None
            axes.plot([x - 0.36, x + 0.36], [chance] * 2, color=WITHOUT, lw=2, label=name)
        axes.set(ylim=(0, 1), xlabel="depth of the state", ylabel="ranked first")
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1.0], ["0", "25%", "50%", "75%", "100%"])
        axes.legend(loc="upper right", ncols=2, bbox_to_anchor=(1.0, 1.13))

    words = ", ".join(f"{v:.0%} at depth {d} (random choice {c:.0%})" for d, v, c in rows)
    return draw("rank", "Head: right state first", "rank-1 accuracy by depth", f"Rank-1 accuracy: {words}.", paint)
