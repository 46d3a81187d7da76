"""Figures of theorem indices and of whole proofs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from burnqed.data.corpus import split_tactics
from burnqed.data.filters import cheats
from burnqed.data.inspection.distributions import by_size, spread
from burnqed.data.proofs import WholeProof
from burnqed.data.sets.source import is_term
from burnqed.data.skeleton import normal_form, skeleton
from burnqed.lean.proofs import tactics
from burnqed.lean.protocol import Theorem


def describe_theorems(theorems: Sequence[Theorem], examples: int) -> tuple[dict[str, object], list[str]]:
    """Figures of a theorem index, and some of its statements."""
    shapes = Counter(skeleton(t.statement) for t in theorems)
    facts: dict[str, object] = {
        "theorems": len(theorems),
        "distinct up to renaming": len({normal_form(t.statement) for t in theorems}),
        "skeletons": len(shapes),
        "most of one skeleton": max(shapes.values(), default=0),
        "statement characters": spread(Counter(len(t.statement) for t in theorems)),
        "headers": len({t.header for t in theorems}),
    }
    step = max(1, len(theorems) // max(1, examples))
    return facts, [f"{t.name}: {t.statement}" for t in theorems[::step][:examples]]


def describe_proofs(proofs: Iterable[WholeProof], examples: int) -> tuple[dict[str, object], list[str]]:
    """Figures of whole proofs, taken as they come, and the first of them."""
    lengths, steps, sources, statements = Counter[int](), Counter[int](), Counter[str](), set[int]()
    terms = cheating = 0
    shown = list[str]()
    for proof in proofs:
        lengths[len(proof.proof)] += 1
        sources[proof.source] += 1
        statements.add(hash(normal_form(proof.statement)))
        cheating += cheats(proof.proof)
        if is_term(proof.proof):
            terms += 1
        else:
            steps[len(split_tactics(tactics(proof.proof)))] += 1
        if len(shown) < examples:
            shown.append(f"{proof.name}: {proof.statement} :=\n{proof.proof}")
    count = sum(lengths.values())
    facts: dict[str, object] = {
        "proofs": count,
        "distinct statements": len(statements),
        "terms": terms,
        "tactics of a proof": by_size(steps),
        "proof characters": spread(lengths),
        "with sorry or admit": {"proofs": cheating, "%": round(100 * cheating / max(1, count), 2)},
        "sources": dict(sources.most_common()),
    }
    return facts, shown
