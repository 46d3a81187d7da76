"""Deep theorems: conclusions about one or more parts, with the proofs that they are made from.

A proof introduces everything, states the lemmas, concludes, and then proves the lemmas, the last one first: `have … := ?_` leaves its goal behind the main one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from burnqed.data.deep import parts
from burnqed.data.deep.moves import LONGEST
from burnqed.data.deep.parts import Lemma, Part
from burnqed.data.draft import Draft
from burnqed.data.families.terms import at_most, equation, times, total

NUMBERS = (
    *(parts.linear, parts.quadratic, parts.geometric, parts.affine, parts.registers, parts.coupled),
    *(parts.product, parts.nested, parts.alternating),
    *(parts.orbit, parts.fibonacci, parts.iterated),
)
COUNTED = NUMBERS[:9]
"""Whose values are known as numbers."""
LISTS = (parts.listed, parts.reversed_, parts.folded)
NAMES = ("f", "g", "h")
FIRST = 12
"""Numbers for which a conclusion is tried."""


@dataclass(frozen=True)
class Conclusion:
    """A proposition about `n` or `xs`, and the tactics that derive it from the lemmas."""

    text: str
    proof: tuple[str, ...] = ("grind",)


# ---- conclusions about one part


def known(rng: Random, part: Part) -> Conclusion:
    """What the lemma says about the term."""
    if part.values:
        return excluded(rng, part)
    left, right = (part.term, part.value) if part.value else part.equation
    return Conclusion(equation(rng, left, right))


def excluded(rng: Random, part: Part) -> Conclusion:
    """A consequence of the few values that the term has."""
    least, most = min(part.values), max(part.values)
    choices = [f"{part.term} ≠ {rng.choice(part.others)}"] * 3
    if most < part.modulus - 1:
        choices.append(at_most(rng, part.term, str(most)))
    if least > 0:
        choices.append(at_most(rng, str(least), part.term))
    choices += [f"{part.term} % {m} = {least % m}" for m in (2, 3) if len({v % m for v in part.values}) == 1]
    return Conclusion(rng.choice(choices))


def bounded(rng: Random, part: Part) -> Conclusion | None:
    """A bound that is weaker than the closed form."""
    if part.variable != "n" or not (part.value and part.count):
        return None
    return Conclusion(at_most(rng, part.term, total(rng, [part.value, rng.choice(["n", str(rng.randint(1, 4))])])))


def residue(rng: Random, part: Part) -> Conclusion | None:
    """The remainder that all values leave."""
    m = divisor(rng, part, 7)
    if m is None:
        return None
    return Conclusion(f"{part.term} % {m} = {part.start % m}")


def divisor(rng: Random, part: Part, most: int) -> int | None:
    """A divisor, up to `most`, of what a linear term grows by; None where there is none."""
    found = [m for m in range(2, most + 1) if part.slope % m == 0] if part.is_linear else []
    return rng.choice(found) if found else None


def multiple(rng: Random, part: Part) -> Conclusion | None:
    """A number k, depending on n, with which the term is m · k + r."""
    m = divisor(rng, part, 6)
    if m is None:
        return None
    r = part.start - m * rng.randint(0, part.start // m)
    witness = total(rng, [times(rng, part.slope // m, "n"), (part.start - r) // m])
    return Conclusion(f"∃ k, {part.term} = {total(rng, [f'{m} * k', r])}", (f"refine ⟨{witness}, ?_⟩", "grind"))


ABOUT_ONE: tuple[Callable[[Random, Part], Conclusion | None], ...] = (known, known, bounded, residue, multiple)


# ---- kinds of theorems


def single(rng: Random) -> Draft | None:
    """One part, one conclusion."""
    part = rng.choice(NUMBERS + LISTS)(rng, NAMES[0])
    conclusion = rng.choice(ABOUT_ONE)(rng, part)
    return assembled(rng, "strengthened", [part], conclusion) if conclusion else None


def reached(rng: Random) -> Draft | None:
    """That a value is reached: the witness is computed from the closed form."""
    part = rng.choice(COUNTED)(rng, NAMES[0])
    assert part.count
    n = rng.randint(2, 4) if part.grows_fast else rng.randint(3, 20)
    steps = (f"refine ⟨{n}, ?_⟩", f"have h := {key(len(part.lemmas) - 1)} {n}", "grind")
    return assembled(rng, "witness", [part], Conclusion(f"∃ n, {part.term} = {part.count(n)}", steps), variable="")


def reached_together(rng: Random) -> Draft | None:
    """That two terms reach their values at the same number, or their sum reaches one."""
    chosen = [rng.choice(COUNTED)(rng, name) for name in NAMES[:2]]
    if any(part.grows_fast or len(part.lemmas) > 1 for part in chosen):
        return None
    n = rng.randint(3, 12)
    values = [part.count(n) for part in chosen if part.count]
    terms = [part.term for part in chosen]
    text = rng.choice(
        [f"{terms[0]} = {values[0]} ∧ {terms[1]} = {values[1]}", f"{terms[0]} + {terms[1]} = {sum(values)}"]
    )
    steps = (f"refine ⟨{n}, ?_⟩", *(f"have e{place or ''} := {key(place)} {n}" for place in range(2)), "grind")
    return assembled(rng, "witness", chosen, Conclusion(f"∃ n, {text}", steps), variable="")


def joined(rng: Random) -> Draft | None:
    """Several independent conclusions, one for each part."""
    chosen = several(rng, rng.choice([2, 2, 3]))
    found = [c for part in chosen if (c := rng.choice(ABOUT_ONE)(rng, part))]
    if len(found) < len(chosen):
        return None
    text = " ∧ ".join(f"({c.text})" if "∃" in c.text else c.text for c in found)
    steps = [tactic for c in found[:-1] for tactic in ("constructor", *c.proof)]
    return assembled(rng, "goals", chosen, Conclusion(text, (*steps, *found[-1].proof)))


def added(rng: Random) -> Draft | None:
    """A conclusion about a sum of two terms."""
    one, other = (rng.choice((*COUNTED, parts.fibonacci))(rng, name) for name in NAMES[:2])
    if not (one.value and other.value):
        return None
    scale = rng.choice([1, 1, 2, 3])
    left = total(rng, [one.term, times(rng, scale, other.term)])
    right = total(rng, [one.value, times(rng, scale, other.value if scale == 1 else f"({other.value})")])
    return assembled(rng, "strengthened", [one, other], Conclusion(equation(rng, left, right)))


def either_way(rng: Random) -> Draft | None:
    """A sequence that is one of two others at each place: each case needs the lemma of its own part."""
    one, other = (rng.choice(COUNTED)(rng, name) for name in NAMES[:2])
    pair = [one, other] if rng.random() < 0.5 else [other, one]
    if not (one.is_linear and other.is_linear and one.slope <= other.slope and one.start <= other.start):
        return None
    hypothesis = f"∀ n, t n = {pair[0].term} ∨ t n = {pair[1].term}"
    hypotheses = [*one.hypotheses, *other.hypotheses, hypothesis]
    least, most = at_most(rng, one.value, "t n"), at_most(rng, "t n", other.value)
    goal = rng.choice([least, most, f"{least} ∧ {most}"])
    functions = {**one.functions, **other.functions, "t": "Nat → Nat"}
    tactics = [introduction(functions, hypotheses, "n"), f"rcases h{len(hypotheses) - 1} n with h | h"]
    for part in pair:
        tactics += [*stated(part.lemmas), "grind", *(t for lemma in reversed(part.lemmas) for t in lemma.short)]
    return Draft("cases", closed(functions, hypotheses, f"∀ n, {goal}"), tuple(tactics))


KINDS = (single, single, reached, reached_together, joined, joined, added, *[either_way] * 4)


# ---- texts


def several(rng: Random, number: int) -> list[Part]:
    """Parts about one variable."""
    family = NUMBERS if rng.random() < 0.75 else LISTS
    return [rng.choice(family)(rng, name) for name in NAMES[:number]]


def key(number: int) -> str:
    """The name of a lemma in a proof."""
    return f"key{number or ''}"


def stated(lemmas: Sequence[Lemma]) -> list[str]:
    return [f"have {key(number)} : {lemma.statement} := ?_" for number, lemma in enumerate(lemmas)]


def introduction(functions: dict[str, str], hypotheses: Sequence[str], variable: str) -> str:
    names = [*functions, *(f"h{number}" for number in range(len(hypotheses))), variable]
    return f"intro {' '.join(names)}".rstrip()


def closed(functions: dict[str, str], hypotheses: Sequence[str], conclusion: str) -> str:
    binders = " ".join(f"({name} : {kind})" for name, kind in functions.items())
    assumed = [f"({h})" if h.startswith("∀") else h for h in hypotheses]
    return f"∀ {binders}, {' → '.join([*assumed, conclusion])}"


def assembled(
    rng: Random, kind: str, chosen: Sequence[Part], conclusion: Conclusion, variable: str | None = None
) -> Draft:
    """The theorem of a conclusion about the chosen parts. `variable` is what it is about, if not what the parts are.

    As many lemmas as the length allows are proved step by step, the others in short.
    """
    about = chosen[0].variable if variable is None else variable
    functions = {name: kind for part in chosen for name, kind in part.functions.items()}
    hypotheses = [h for part in chosen for h in part.hypotheses]
    lemmas = [lemma for part in chosen for lemma in part.lemmas]
    tactics = [introduction(functions, hypotheses, about), *stated(lemmas), *conclusion.proof]
    proofs = [lemma.short or lemma.proof for lemma in reversed(lemmas)]
    for number, lemma in enumerate(reversed(lemmas)):
        longer = len(tactics) + sum(map(len, proofs)) - len(proofs[number]) + len(lemma.proof)
        if longer <= LONGEST and rng.random() < 0.6:
            proofs[number] = lemma.proof
    text = f"∀ {about}, {conclusion.text}" if about else conclusion.text
    return Draft(kind, closed(functions, hypotheses, text), (*tactics, *(t for proof in proofs for t in proof)))
