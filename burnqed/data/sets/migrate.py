"""Whole proofs of another Lean, brought to this one: each is checked as it stands, then with names replaced.

Replaced are the names of a table, and those for which Lean's own message says what to write instead. What is accepted in the end is kept; what each
proof came to is written down as it comes, so that an interrupted migration continues.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel

from burnqed.data.proofs import WholeProof
from burnqed.data.sets.causes import suggested
from burnqed.data.sets.validate import Failure, checked
from burnqed.errors import BadInput
from burnqed.key import digest_of
from burnqed.lean.lexer import Kind, tokens
from burnqed.lean.protocol import LeanBackend
from burnqed.progress import Progress
from burnqed.yaml_files import parse_yaml

ROUNDS = 5
"""Times that a proof is tried with further names replaced."""
PER_CAUSE = 20


class Migrated(BaseModel):
    """What became of one proof."""

    key: str
    """Of the proof as it was, the Lean and the renames."""
    proof: WholeProof | None = None
    """As it is accepted here; None where it is not."""
    renamed: dict[str, str] = {}
    """Names that were replaced, by the old ones."""
    failure: Failure | None = None


class MigrationReport(BaseModel):
    lean: str
    proofs: int
    as_written: int = 0
    """Accepted without a change."""
    after_renames: int = 0
    statements_changed: int = 0
    """Accepted proofs in whose header or statement, too, a name was replaced."""
    causes: dict[str, int] = {}
    renames: dict[str, int] = {}
    """Accepted proofs by the renaming, `old → new`, that they needed."""
    failures: list[Failure] = []
    """The first of each cause."""

    @property
    def survived(self) -> int:
        return self.as_written + self.after_renames


def read_renames(path: Path) -> dict[str, str]:
    """A table `old name: new name` in YAML. Raises BadInput."""
    from burnqed.files import read_given

    table = parse_yaml(
        read_given(path, "table of renames", "a YAML file with lines such as `Nat.old: Nat.new`"), str(path)
    )
    if not isinstance(table, dict) or not all(isinstance(n, str) and n.strip() for pair in table.items() for n in pair):
        raise BadInput(f"{path} is not a table of names; write lines such as `Nat.old: Nat.new`.")
    return table


def with_renames(text: str, renames: Mapping[str, str]) -> tuple[str, set[str]]:
    """The text with whole names replaced, and which of them were found; comments and texts in quotes stay. `Nat.old` also stands in `Nat.old.symm`."""
    pieces, position, found = list[str](), 0, set[str]()
    for token in tokens(text):
        if token.kind is not Kind.WORD:
            continue
        old = next((old for old in _prefixes(token.text) if old in renames), None)
        if old is not None:
            found.add(old)
            pieces += [text[position : token.start], renames[old], token.text[len(old) :]]
            position = token.end
    return "".join([*pieces, text[position:]]), found


def _prefixes(name: str) -> list[str]:
    """The name, and what is left of it without its last components."""
    parts = name.split(".")
    return [".".join(parts[:length]) for length in range(len(parts), 0, -1)]


async def migrate(
    proofs: Sequence[WholeProof], lean: LeanBackend, renames: Mapping[str, str], journal: Path
) -> tuple[MigrationReport, list[WholeProof]]:
    """The report, and the proofs that are accepted. `journal` keeps what is done until its owner deletes it."""
    report, done = MigrationReport(lean=lean.version, proofs=len(proofs)), read_journal(journal)
    keys = [digest_of([proof.model_dump(), lean.version, sorted(renames.items())]) for proof in proofs]
    free, causes, used = asyncio.Semaphore(2 * lean.capacity), Counter[str](), Counter[str]()
    accepted: list[WholeProof] = []
    with (
        Progress(len(proofs), "migrate", "proofs", done=sum(key in done for key in keys)) as progress,
        journal.open("a", encoding="utf-8") as written,
    ):
        written.write("\n")  # after half a line

        async def work(proof: WholeProof, key: str) -> Migrated:
            if key in done:
                return done[key]
            async with free:
                migrated = await _migrated(proof, key, lean, renames)
            written.write(migrated.model_dump_json(exclude_defaults=True) + "\n")
            written.flush()
            progress.advance()
            return migrated

        results = await asyncio.gather(*(work(proof, key) for proof, key in zip(proofs, keys, strict=True)))
    for before, result in zip(proofs, results, strict=True):
        if result.proof is None:
            assert result.failure is not None
            causes[result.failure.cause] += 1
            if causes[result.failure.cause] <= PER_CAUSE:
                report.failures.append(result.failure)
            continue
        accepted.append(result.proof)
        report.as_written += not result.renamed
        report.after_renames += bool(result.renamed)
        report.statements_changed += result.proof.theorem != before.theorem
        used.update(f"{old} → {new}" for old, new in result.renamed.items())
    report.causes, report.renames = dict(causes.most_common()), dict(used.most_common())
    return report, accepted


async def _migrated(proof: WholeProof, key: str, lean: LeanBackend, renames: Mapping[str, str]) -> Migrated:
    known, renamed = dict(renames), dict[str, str]()
    failure = await checked(proof, lean)
    for _ in range(ROUNDS):
        if failure is None:
            return Migrated(key=key, proof=proof, renamed=renamed)
        known |= {old: new for old, new in suggested(failure.message).items() if old not in known}
        parts = {part: with_renames(getattr(proof, part) or "", known) for part in ("header", "statement", "proof")}
        found = set[str]().union(*(names for _, names in parts.values()))
        if not found:
            break
        changed = {part: text for part, (text, names) in parts.items() if names}
        proof, renamed = proof.model_copy(update=changed), renamed | {old: known[old] for old in found}
        known = {old: new for old, new in known.items() if old not in found}  # or a ↦ a.b would never end
        failure = await checked(proof, lean)
    if failure is None:
        return Migrated(key=key, proof=proof, renamed=renamed)
    return Migrated(key=key, failure=failure)


def read_journal(journal: Path) -> dict[str, Migrated]:
    """What an interrupted migration did, by key; its last line may be half of one."""
    if not journal.exists():
        return {}
    done = {}
    for line in journal.read_text(encoding="utf-8").split("\n"):
        try:
            migrated = Migrated.model_validate(json.loads(line))
        except ValueError:
            continue
        done[migrated.key] = migrated
    return done
