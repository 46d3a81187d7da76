"""Lemma retrieval (premise selection): which lemmas of the library fit a proof state best, from their texts alone.

    retrieval = Retrieval(lemmas)
    retrieval.names("a b : ℕ\\n⊢ a + b = b + a", 8)     # ['Nat.add_comm', …]

A sparse, TF-IDF-like index. A term's features are its symbols, pairs of symbols of which one stands directly above the other, and the shapes of its
small subterms, whose variables have no names; each weighs the more the fewer lemmas have it. A lemma's score says how much of what it speaks about is
in the state: the weight of its features that the state has, over that of all of them. Of an equation only the left side counts, as it is what a
rewrite looks for. `benchmarks/lemma_recall.py` measures it. (BM25 over tokens and their n-grams, which was tried first, had a third of its recall: it asks
how much of the state is in the lemma, and states speak of more than any lemma does.)
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from burnqed.key import digest_of
from burnqed.lean.lemmas import Lemma
from burnqed.lean.terms import Term, bound_names, is_infix, premises, subterms, term

PAIR = 0.15
SHAPE = 0.05
"""Weights of features, where a symbol has 1."""
LARGEST_SHAPE = 9
"""Symbols and variables of a subterm whose shape is a feature."""
PREMISE = 0.5
"""Weight of what stands in a lemma's premises and the types of its variables."""
RELATION = 0.5
"""Weight of the `=` or `↔` of a lemma whose left side alone counts."""
SMALLEST = 3.0
"""Added to the weight of all of a lemma's features: a lemma of one common symbol would else fit everything."""
SEPARATOR = re.compile(r"\n(?! )")
"""Before each hypothesis of a state; longer ones go on in further lines."""
COMMON = 0.5
"""A feature that more than this share of the lemmas has (`=`) tells nothing, and would take most of the time."""
LONGEST = 10_000
"""Characters of a state that are looked at, those of its goal first."""

Features = dict[str, float]
Hashes = NDArray[np.uint32]
NO_HASHES = np.empty(0, dtype=np.uint32)


class Retrieval:
    """An inverted index of lemmas: 16 bytes for each feature of each lemma."""

    def __init__(self, lemmas: Iterable[Lemma]) -> None:
        ordered = sorted(lemmas, key=lambda lemma: (len(lemma.name), lemma.name))  # of equals, the basic one first
        described = [(hashed(f), np.fromiter(f.values(), dtype=np.float64)) for f in map(lemma_features, ordered)]
        hashes = np.concatenate([NO_HASHES, *(hashes for hashes, _ in described)])  # [n]
        weights = np.concatenate([np.empty(0), *(weights for _, weights in described)])  # [n]
        lemma_of = np.repeat(np.arange(len(ordered)), [len(hashes) for hashes, _ in described])  # [n]
        keys, feature, counts = np.unique(hashes, return_inverse=True, return_counts=True)
        weights *= np.log(len(ordered) / counts)[feature]
        whole = SMALLEST + np.bincount(lemma_of, weights=weights, minlength=len(ordered))  # [lemmas]
        told = np.flatnonzero(counts[feature] <= COMMON * len(ordered))
        told = told[np.argsort(feature[told], kind="stable")]
        self.digest = digest_of([lemma.model_dump() for lemma in ordered])
        self._names = [lemma.name for lemma in ordered]
        self._keys = keys
        self._starts = np.searchsorted(feature[told], np.arange(len(keys) + 1))
        self._lemma_of, self._weights = lemma_of[told], weights[told] / whole[lemma_of[told]]

    def names(self, state: str, count: int) -> list[str]:
        """Of the `count` lemmas that fit the main goal of a state best, the best first; fewer where fewer have anything to do with it."""
        wanted = np.unique(hashed(state_features(state)))
        first, after = np.searchsorted(self._keys, wanted), np.searchsorted(self._keys, wanted, "right")
        parts = [slice(self._starts[a], self._starts[b]) for a, b in zip(first, after, strict=True) if a < b]
        if not parts:
            return []
        lemmas, weights = (np.concatenate([array[part] for part in parts]) for array in (self._lemma_of, self._weights))
        scores = np.bincount(lemmas, weights=weights, minlength=len(self._names))
        least = np.partition(scores, -count)[-count] if count < len(scores) else 0.0
        best = np.flatnonzero((scores >= least) & (scores > 0))
        order = np.argsort(-scores[best], kind="stable")[:count]  # equals in the order of the index, on every machine
        return [self._names[i] for i in best[order]]


def lemma_features(lemma: Lemma) -> Features:
    """What a lemma speaks about."""
    before, conclusion = premises(term(lemma.statement, bound_names(lemma.statement)))
    features: Features = {}
    if conclusion.head in ("=", "↔") and len(conclusion.children) == 2:
        _add(features, features_of(conclusion.children[0]))
        _add(features, {conclusion.head: RELATION})
        _add(features, _shape(conclusion))
    else:
        _add(features, features_of(conclusion))
    for premise in before:
        _add(features, features_of(premise), PREMISE)
    _add(features, dict.fromkeys(lemma.name.split(".")[:-1], 1.0))
    return features


def state_features(state: str) -> Features:
    """What the main goal of a state and its hypotheses speak about."""
    main = state.partition("\n\n")[0][-LONGEST:]
    variables = bound_names(main)
    context, _, goal = main.rpartition("⊢")
    features: Features = {}
    for line in SEPARATOR.split(context):
        if not line.startswith("case "):
            _add(features, features_of(term(line.partition(" : ")[2], variables)))
    _add(features, features_of(term(goal, variables)))
    return features


def features_of(whole: Term) -> Features:
    features: Features = {}
    for part in subterms(whole):
        if symbol := part.symbol:
            features[symbol] = 1.0
            for number, child in enumerate(part.children):
                if (
                    child.symbol
                ):  # functions of a namespace are printed in two ways, with their arguments in another order
                    features[f"{symbol} {number if is_infix(symbol) else ''} {child.symbol}"] = PAIR
        features |= _shape(part)
    return features


def _shape(part: Term) -> Features:
    """The shape of a term of more than a symbol: of `a + b` as of `n + m`, `(+ 0 1)`."""
    names: dict[str, int] = {}
    left = LARGEST_SHAPE

    def words(at: Term) -> Iterator[str]:
        nonlocal left
        left -= 1
        if left < 0:
            return
        yield f"({names.setdefault(at.head, len(names))}" if at.is_variable else f"({at.head}"
        for child in at.children:
            yield from words(child)
        yield ")"

    shape = " ".join(words(part)) if part.children else ""
    return {shape: SHAPE} if shape and left >= 0 else {}


def _add(features: Features, others: Features, weight: float = 1.0) -> None:
    for name, value in others.items():
        features[name] = max(features.get(name, 0.0), weight * value)


def hashed(features: Iterable[str]) -> Hashes:
    """32 bits of each, the same in every process."""
    return np.fromiter((zlib.crc32(name.encode()) for name in features), dtype=np.uint32)
