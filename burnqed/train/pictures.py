"""What a report draws of held-out theorems: their states in a plane, by depth, and the energies of states on proofs beside those of their siblings.

held_out_states(Head.load(folder), examples, embeddings.matrix, 0.05, seed=0)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from burnqed.head.base import Head
from burnqed.train.examples import HeadExamples
from burnqed.train.quality import Floats, some
from burnqed.train.ragged import Indices

VERSION = 1
"""Of the document; raised when the meaning of a field changes."""
MOST_STATES = 600
"""Of each class in the plane."""
MOST_FAMILIES, MOST_SIBLINGS = 500, 15


def held_out_states(
    head: Head, examples: HeadExamples, matrix: Floats, fraction: float, *, seed: int
) -> dict[str, Any]:
    """States of the theorems that are held out for validation, of embeddings [N, d]; the fields of `burnqed.evaluate.report.inputs.HeldOutStates`.

    In the plane are states on proofs and their siblings, which are as deep as they; a state that is reached at several depths counts at the least. The two principal
    components are those of the states that are shown, each of length 1.
    """
    random = np.random.default_rng(seed)
    positives = examples.contrasted(np.flatnonzero(examples.held_out(fraction)[examples.theorem]))
    on, on_depth = shallowest(examples.state[positives], examples.depth[positives])
    siblings = [examples.siblings[p] for p in positives.tolist()]
    deep = np.repeat(examples.depth[positives], [len(s) for s in siblings])
    off, off_depth = shallowest(np.concatenate([*siblings, positives[:0]]), deep)
    is_off = ~np.isin(off, on)
    off, off_depth = off[is_off], off_depth[is_off]
    chosen = [some(np.arange(len(part)), MOST_STATES, random) for part in (on, off)]
    states = np.concatenate([on[chosen[0]], off[chosen[1]]])
    depth = np.concatenate([on_depth[chosen[0]], off_depth[chosen[1]]])
    plane, variance = principal_plane(matrix[states])
    return {
        "version": VERSION,
        "x": [round(float(v), 3) for v in plane[:, 0]],
        "y": [round(float(v), 3) for v in plane[:, 1]],
        "depth": depth.tolist(),
        "on_path": (np.arange(len(states)) < len(chosen[0])).tolist(),
        "variance": variance,
        "families": families(head, examples, matrix, positives, random),
    }


def shallowest(states: Indices, depth: Indices) -> tuple[Indices, Indices]:
    """Each state once, with its least depth."""
    order = np.lexsort((depth, states))
    found, first = np.unique(states[order], return_index=True)
    return found, depth[order][first]


def principal_plane(points: Floats) -> tuple[np.ndarray[Any, Any], list[float]]:
    """Coordinates [n, 2] in the first two principal components of points [n, d], and their shares of the variance; without points in several places, zeros."""
    n = len(points)
    centred = points.astype(np.float64) - (points.mean(axis=0) if n else 0.0)
    _, singular, axes = np.linalg.svd(centred, full_matrices=False) if n > 2 else (None, np.zeros(2), None)
    if axes is None or not singular[0]:
        return np.zeros((n, 2)), [0.0, 0.0]
    shares = [*(singular**2 / (singular**2).sum()), 0.0][:2]
    plane = centred @ axes[:2].T
    return np.pad(plane, ((0, 0), (0, 2 - plane.shape[1]))), [round(float(share), 6) for share in shares]


def families(
    head: Head, examples: HeadExamples, matrix: Floats, positives: Indices, random: np.random.Generator
) -> list[list[float]]:
    """Of positives with siblings: the energy of the state on the proof, then those of its siblings, all under the same root state."""
    with_siblings = positives[np.diff(examples.siblings.starts)[positives] > 0]
    embedded, found = torch.from_numpy(matrix), []
    for p in some(with_siblings, MOST_FAMILIES, random).tolist():
        rows = np.concatenate([examples.state[p : p + 1], some(examples.siblings[p], MOST_SIBLINGS, random)])
        goals = np.repeat(examples.goal[p], len(rows))
        found.append([round(float(e), 4) for e in head.energies(embedded[rows], embedded[goals])])
    return found
