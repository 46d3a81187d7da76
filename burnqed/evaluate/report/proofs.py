"""The proofs that a report lists: as Lean text, and as files that `burnqed lean check` reads."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from itertools import pairwise

from burnqed.display import as_json, shown
from burnqed.evaluate.results import VARIANTS, IterationResult, Result
from burnqed.lean.lexer import Kind, tokens

WIDTH = 80
BARE = re.compile(r"[A-Za-z_]\w*")
OPENING, CLOSING = frozenset("([{⟨⦃"), frozenset(")]}⟩⦄")
DEFINING = frozenset({"let", "have", "letI", "haveI"})
"""Words whose `:=` belongs to the statement."""


class Proof(Result):
    """A checked proof."""

    name: str
    statement: str
    """A closed proposition or a full theorem, as in burnqed.lean.protocol.Theorem."""
    header: str
    proof: str
    """The tactic block after `by`."""
    found: str
    """How it was found, for display: `with head, 9 nodes`."""


def benchmark_proofs(result: IterationResult) -> list[Proof]:
    """Every proof of the iteration's evaluations, by theorem; one that two evaluations both found is listed once."""
    listed: dict[tuple[str, str, str], Proof] = {}
    for evaluation in result.evaluations:
        way = VARIANTS[evaluation.variant]
        if len(result.benchmarks) > 1:
            way = f"{evaluation.benchmark}, {way}"
        for o in evaluation.per_theorem:
            if o.proof is None:
                continue
            note = f"{way}, {o.nodes_at_proof} node{'' if o.nodes_at_proof == 1 else 's'}"
            if same := listed.get((o.name, o.statement, o.proof)):
                note = f"{same.found}; {note}"
            header = evaluation.header if o.header is None else o.header
            listed[o.name, o.statement, o.proof] = Proof(
                name=o.name, statement=o.statement, header=header, proof=o.proof, found=note
            )
    return sorted(listed.values(), key=lambda p: p.name)


def declarations(proofs: Sequence[Proof]) -> list[str]:
    """Each proof as a Lean theorem that can share a file with the others.

    A name that occurs again, or that a statement or a proof mentions (where it means something from the library), gets a number.
    """
    taken = {word for p in proofs for text in (signature(p.statement, "_"), p.proof) for word in names_in(text)}
    texts = []
    for proof in proofs:
        name, count = shown(proof.name).translate({ord("«"): None, ord("»"): None}), 1
        while (unique := name if count == 1 else f"{name}_{count}") in taken:
            count += 1
        taken.add(unique)
        # a quoted name is one component: `Nat.foo` unquoted would open the namespace Nat and change what names mean
        stated = signature(proof.statement, unique if BARE.fullmatch(unique) else f"«{unique}»")
        end = "\n    := by" if "--" in stated.rpartition("\n")[2] else " := by"  # not within a comment
        body = textwrap.indent(textwrap.dedent(proof.proof).strip("\n"), "  ")
        texts.append(f"{stated}{end}\n{body}\n")
    return texts


def names_in(text: str) -> set[str]:
    return {token.text for token in tokens(text) if token.kind is Kind.WORD}


def signature(statement: str, identifier: str) -> str:
    """`theorem IDENTIFIER …` up to, and without, `:=`."""
    words = [t for t in tokens(statement) if t.kind is not Kind.COMMENT]
    at = next((i for i, w in enumerate(words) if w.text in ("theorem", "lemma")), None)
    if at is None:
        line = f"theorem {identifier} : {statement.strip()}"
        return line if len(line) <= WIDTH else f"theorem {identifier} :\n    {statement.strip()}"
    end, depth, definitions = len(statement), 0, 0
    for word, following in pairwise(words[at:]):
        depth += (word.text in OPENING) - (word.text in CLOSING)
        definitions += depth == 0 and word.text in DEFINING
        if depth == 0 and word.text + following.text == ":=":
            if definitions == 0:
                end = word.start
                break
            definitions -= 1
    return f"{statement[: words[at].start]}theorem {identifier}{statement[words[at + 1].end : end]}".strip()


def by_header(proofs: Sequence[Proof]) -> dict[str, list[Proof]]:
    """Proofs that can be compiled together in one file."""
    groups: dict[str, list[Proof]] = {}
    for proof in proofs:
        groups.setdefault(proof.header, []).append(proof)
    return groups


def files(proofs: Sequence[Proof]) -> dict[str, str]:
    """`proofs.json` with everything, and `proofs.lean` (`proofs-2.lean` … for further headers), by file name."""
    rows = [p.model_dump(include={"name", "statement", "proof", "header"}) for p in proofs]
    texts = {"proofs.json": as_json(rows, indent=1) + "\n"}
    for number, (header, group) in enumerate(by_header(proofs).items(), start=1):
        name = "proofs.lean" if number == 1 else f"proofs-{number}.lean"
        texts[name] = "\n".join([*([header.rstrip("\n") + "\n"] if header else []), *declarations(group)])
    return texts
