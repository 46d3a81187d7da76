"""Two statements at once: both halves must be proved."""

from __future__ import annotations

from random import Random

from burnqed.data.families import functions, inequalities, lists, recurrences, residues, systems, witnesses


def both(rng: Random) -> str | None:
    """Short statements of two families, joined."""
    parts = [
        rng.choice(rng.choice([recurrences, systems, residues, witnesses, inequalities, lists, functions]).TEMPLATES)(
            rng
        )
        for _ in range(2)
    ]
    if parts[0] is None or parts[1] is None or len(parts[0]) + len(parts[1]) > 150:
        return None
    return rng.choice(["({}) ∧ ({})", "({}) ∧ {}"]).format(*parts)


TEMPLATES = (both,)
