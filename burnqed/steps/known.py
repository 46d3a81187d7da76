"""What a run's data is made from: the shipped corpus with generated statements, or the theorems, proofs and pairs that the configuration names.

`index` lists the theorems that could be searched; the step `data` leaves out those of benchmarks, and what Lean refuses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from burnqed.config import DataConfig
from burnqed.data import deep
from burnqed.data.corpus import load_corpus
from burnqed.data.deep import deep_proofs
from burnqed.data.exercises import VERSION, exercises
from burnqed.data.generate import generate
from burnqed.data.pairs import PAIRS, TacticPair
from burnqed.data.sets.validate import sampled
from burnqed.data.theorems import shipped_benchmark
from burnqed.data.trace.reassemble import reassembled
from burnqed.data.trace.replay import KnownProof
from burnqed.key import digest_of
from burnqed.lean.protocol import Theorem
from burnqed.steps.base import Context
from burnqed.steps.given import given
from burnqed.steps.indices import default_header, read_configured, some

Where = tuple[str, float]
"""Kind and weight of an origin."""


def is_own(context: Context) -> bool:
    """Whether the run trains on pairs or proofs of its own instead of the shipped corpus."""
    return bool(context.config.data.pairs or context.config.data.proofs)


def contents(context: Context) -> tuple[tuple[str, str], ...]:
    """Digests of what lies at the addresses, or of the shipped corpus: parameters of the units that are made from it."""
    config, header = context.config.data, default_header(context)
    theorems = [t.model_dump() for t in read_configured(context, config.theorems)] if config.theorems else []
    index = ("what lies at data.theorems", digest_of(theorems))
    if not is_own(context):
        corpus = [[p.theorem.model_dump(), p.tactics] for p in known_proofs(header)]
        tiers: tuple[tuple[str, str], ...] = (("the exercises", str(VERSION)),) if config.exercises else ()
        if config.deep + config.deep_statements:
            apart_from = [t.statement for t in shipped_benchmark()]
            tiers += (("the deep theorems", digest_of([deep.VERSION, *apart_from])),)
        return ("the shipped corpus", digest_of(corpus)), index, *tiers
    addresses = (("pairs", config.pairs), ("proofs", config.proofs))
    return index, *(
        (f"what lies at data.{name}", digest_of([g.digest for g in given(context, where)])) for name, where in addresses
    )


def index(context: Context) -> dict[str, tuple[Theorem, int | None]]:
    """The theorems that could be searched, by name, each with the number of tactics of its known proof, where there is one."""
    config, header = context.config, default_header(context)
    proofs, _ = known_with_origins(context, header)
    if config.data.theorems:
        lengths = {p.theorem.name: len(p.tactics) for p in proofs}
        return {t.name: (t, lengths.get(t.name)) for t in read_configured(context, config.data.theorems)}
    again = [proof for steps in traced(context) if (proof := reassembled(steps, header))]
    found = {p.theorem.name: (p.theorem, len(p.tactics)) for p in reversed([*proofs, *again])}
    long = {name: (t, length) for name, (t, length) in found.items() if length >= config.select.min_depth}
    return long | {t.name: (t, None) for t in generated(context, header)}


def generated(context: Context, header: str) -> list[Theorem]:
    """Generated statements, which go with the shipped corpus: none of them comes with a proof."""
    return [] if is_own(context) else [t.with_header(header) for t in statements(context.config.data)]


def statements(config: DataConfig) -> list[Theorem]:
    tier = deep_tier(config)
    renamed = [
        p.theorem.model_copy(update={"name": p.theorem.name.replace("deep::", "deep-statement::")})
        for p in tier[config.deep :]
    ]
    return [*generate(config.generator_seed, config.generated), *renamed]


def deep_tier(config: DataConfig) -> Sequence[KnownProof]:
    """Those with proofs and those without are made together."""
    return deep_drawn(config.generator_seed, config.deep + config.deep_statements, frozenset(config.deep_kinds))


@cache
def deep_drawn(seed: int, count: int, kinds: frozenset[str]) -> Sequence[KnownProof]:
    """Once: a thousand take half a minute."""
    return deep_proofs(seed, count, kinds=kinds)


def traced(context: Context) -> Sequence[list[TacticPair]]:
    """The pairs of `data.reproved` of the theorems of given pairs."""
    size = context.config.data.reproved
    files = given(context, context.config.data.pairs) if size else []
    return list(sampled((pair for g in files for pair in PAIRS.rows(g.pairs())), size)) if files else []


def known_with_origins(context: Context, header: str) -> tuple[list[KnownProof], dict[str, tuple[Where, str]]]:
    """The known proofs, and for each name its origin and source: the shipped ones, or those given. Of equal names the first counts."""
    if is_own(context):
        found = [
            (proof, (("proofs", g.weight), source))
            for g in given(context, context.config.data.proofs)
            for proof, source in g.proofs(header)
        ]
    else:
        config = context.config.data
        seed, tier = config.generator_seed, deep_tier(config)
        drawn = [
            replace(p, theorem=p.theorem.with_header(header))
            for p in (*exercises(seed, config.exercises), *tier[: config.deep])
        ]
        found = [(proof, (("corpus", 1.0), "corpus")) for proof in (*known_proofs(header), *drawn)]
    first = {proof.theorem.name: (proof, where) for proof, where in reversed(found)}
    known = [first[name][0] for name in dict.fromkeys(proof.theorem.name for proof, _ in found)]
    known = some(known, context.config.data.known_proofs, lambda p: p.theorem.name)
    return known, {p.theorem.name: first[p.theorem.name][1] for p in known}


def known_proofs(header: str) -> list[KnownProof]:
    """The shipped corpus, with its header spelled out."""
    return [KnownProof(t.theorem.with_header(header), t.tactics) for t in load_corpus()]
