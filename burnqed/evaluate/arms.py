"""The arms of an experiment: a model each, with a head that learned from the trajectories of iteration 0.

A is the model of iteration 0; S that of iteration 1, fine-tuned again with the proofs that iteration 0 found, and the head that it searches with; the control is fine-tuned
again without them; B is trained jointly instead, with a head trained on its finished embeddings; and C is that model with the head that was trained with it. So A to control
is more training, control to S what found proofs do, S to B what joint training does to the model, B to C what it does to the head. Ablations, where there are any, are the
model of iteration 0 with heads that lack something, beside A. The baseline is the model as it was before any fine-tuning, and has no head.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from burnqed.evaluate.effects import Pairs, comparable
from burnqed.evaluate.results import HEAD, PLAIN, SEARCH_HEAD, SPREAD, EvaluationResult, IterationResult
from burnqed.head.metric import standard_error

DISTANCE, PROBE, CALIBRATION = "centroid_within", "linear_probe", "calibration_error"
"""Of the metrics of a head's training: the distance between the mean embeddings of states on and off the proofs of a theorem, in pooled deviations; the accuracy of a linear probe; how far the
head's confidence in its choice is from how often that is right."""
RANK1, SIBLINGS = "rank1", "rank1_siblings"
"""How often a positive has the lowest energy among its negatives, and among those that the same expansion led to."""


class Arm(NamedTuple):
    """A model and one of its heads, or none."""

    name: str
    what: str
    iteration: int
    branch: str
    """What the name of its run ends with, after the experiment's; empty for an iteration of the experiment's run itself."""
    variant: str
    """Of the evaluation with the head; `plain` where it has none."""
    figures: str
    """Begins the head's figures among those of the training."""
    is_ablation: bool = False
    """Not every experiment has it."""

    @property
    def has_head(self) -> bool:
        return self.variant != PLAIN


RAW = "raw"
"""The branch with the model as it was before any fine-tuning, as its iteration 0."""
WITHOUT = "without-"
"""Begins the branches of ablations."""
ABLATIONS = {"goal": "it does not see the goal", "noise": "it did not learn from the searches at the noise temperature"}
"""What a head of iteration 0 can lack, and what that means."""
ARMS = (
    Arm("baseline", "before any fine-tuning; no head", 0, RAW, PLAIN, ""),
    Arm("A", "iteration 0; head on its embeddings", 0, "", HEAD, "head"),
    Arm("S", "fine-tuned again, with found proofs; head on its embeddings", 1, "", SEARCH_HEAD, SEARCH_HEAD),
    Arm("B", "trained jointly; head on its finished embeddings", 1, "joint", HEAD, "head"),
    Arm("C", "trained jointly; the head of that training", 1, "joint", SEARCH_HEAD, SEARCH_HEAD),
    Arm("control", "fine-tuned again, without found proofs; head on its embeddings", 1, "control", HEAD, "head"),
    *(
        Arm(
            f"A without {name}",
            f"iteration 0; a head on its embeddings: {what}",
            1,
            f"{WITHOUT}{name}",
            HEAD,
            "head",
            is_ablation=True,
        )
        for name, what in ABLATIONS.items()
    ),
)
QUESTIONS = (
    ("baseline", "A", "fine-tuning, without a head"),
    ("A", "control", "more training"),
    ("control", "S", "found proofs"),
    ("A", "S", "both"),
    ("S", "B", "joint training, on the model"),
    ("B", "C", "joint training, on the head"),
    *((f"A without {name}", "A", f"the {name}, for the head") for name in ABLATIONS),
)
"""From which arm to which, and what the difference is."""


class Seed(NamedTuple):
    """The results of one run: of its iterations, and by arm."""

    run: str
    iterations: Sequence[IterationResult]
    arms: Mapping[str, IterationResult]


def named(name: str) -> Arm:
    return next(arm for arm in ARMS if arm.name == name)


def evaluation(seed: Seed, arm: Arm, variant: str) -> EvaluationResult | None:
    result = seed.arms.get(arm.name)
    return result.variant(variant) if result else None


def paired(seeds: Sequence[Seed], before: tuple[Arm, str], after: tuple[Arm, str]) -> Pairs:
    """Of the seeds that have both."""
    return comparable((evaluation(seed, *before), evaluation(seed, *after)) for seed in seeds)


def with_heads(seeds: Sequence[Seed], before: str, after: str) -> Pairs:
    """The evaluations of two arms, by their names: with their heads if both have one, else both without."""
    one, other = named(before), named(after)
    if not (one.has_head and other.has_head):
        return paired(seeds, (one, PLAIN), (other, PLAIN))
    return paired(seeds, (one, one.variant), (other, other.variant))


def metrics(arm: Arm, seeds: Sequence[Seed], name: str) -> list[float]:
    """Of the arm's head, for the seeds that have it."""
    trainings = [seed.arms[arm.name].training for seed in seeds if arm.name in seed.arms]
    return [training[key] for training in trainings if (key := f"{arm.figures}.{name}") in training]


def mean_of(arm: Arm, seeds: Sequence[Seed], name: str) -> float | None:
    found = metrics(arm, seeds, name)
    return sum(found) / len(found) if found else None


def spread_of(arm: Arm, seeds: Sequence[Seed], name: str) -> float | None:
    """The standard error over theorems of the mean over seeds; None where one of them has none. Theorems are averaged over seeds first, or, where a training did not note what each of
    them adds (of distances none does), it is as wide as that of one seed in the mean."""
    found, count = metrics(arm, seeds, name + SPREAD), len(metrics(arm, seeds, name))
    if not found or len(found) < count:
        return None
    every = [seed.arms[arm.name].shares.get(f"{arm.figures}.{name}", {}) for seed in seeds if arm.name in seed.arms]
    if any(not shares for shares in every):
        return sum(found) / count
    return standard_error(
        [sum(shares.get(theorem, 0.0) for shares in every) / count for theorem in sorted(set().union(*every))]
    )
