"""From the files of a data set to theorems, proofs or pairs, in one pass: every row is checked, and the report says what became of it.

reading = Reading(known()["lean-github"], report, held=Held({}))
for pair in reading.records(files):
    ...
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from burnqed.data.corpus import split_tactics
from burnqed.data.filters import cheats
from burnqed.data.pairs import TacticPair
from burnqed.data.proofs import WholeProof
from burnqed.data.sets import imports
from burnqed.data.sets.catalogue import POSITION, TARGETS, DataSet, Kind
from burnqed.data.sets.files import Broken, Row, column_names, form_of, rows, value_of
from burnqed.data.sets.leaks import Held, form
from burnqed.data.sets.report import NAMED, ImportReport
from burnqed.data.sets.source import Cut, assembled, cut, cut_last, is_term
from burnqed.errors import BadInput
from burnqed.lean.characters import hidden
from burnqed.lean.outline import Unreadable
from burnqed.lean.proofs import tactics
from burnqed.lean.protocol import Theorem

Record = Theorem | WholeProof | TacticPair

MOST_BAD = 0.1
"""Share of rows that may be bad; with more the column map, or the file, is not what it is taken for."""
FEW = 100
"""Rows that are read before the share counts."""
LONG = 100
"""Tactics of a proof that counts as long."""
_INTEGER = frozenset({"depth", "num_goals"})
_IDENTIFIER = frozenset({"name", "theorem"})
_CHEAT = re.compile(r"sorry|admit|cheat")
_VALUES = 10_000
"""Different values of a column that are told apart."""


class _Bad(Exception):
    """A row's column, and what is wrong with it."""

    def __init__(self, column: str, what: str) -> None:
        self.column, self.what = column, what


class _Left(Exception):
    """Why a row that is as it should be is left out."""


class Reading:
    """One import. `default_header`: of the Lean backend; theorems that have just that need none of their own. `given_header`: for those without any."""

    def __init__(
        self,
        data_set: DataSet,
        report: ImportReport,
        *,
        held: Held,
        split: str = "",
        given_header: str | None = None,
        default_header: str = "",
        allowed_imports: Sequence[str] = (),
        most_bad: float = MOST_BAD,
    ) -> None:
        self.data_set, self.report, self.held = data_set, report, held
        self.split, self.allowed, self.most_bad = split, frozenset(allowed_imports), most_bad
        self.given_header, self.default_header = given_header, default_header
        self.targets = {target: column.split("|") for target, column in data_set.columns.items()}
        self._names: dict[str, int] = {}
        """What a name stands for, as a hash."""
        self._seen: set[int] = set()
        self._leaked: dict[str, str] = {}
        """Theorems one of whose states is a benchmark's statement, and which: nothing that follows of them is imported."""
        self._headers: set[str] = set()
        self._long: Counter[str] = Counter()
        self._counts = {column: Counter[str]() for column in data_set.counted}
        self._splits: Counter[str] = Counter()
        self._modules: Counter[str] = Counter()

    # ---- files

    def records(self, files: Sequence[tuple[str, Path, str]]) -> Iterator[Record]:
        """What the files hold, in their order: each is its name within the source, where it lies, and its split, or empty.

        Raises BadInput when too many rows are bad, or a file lacks a column that is needed.
        """
        for name, path, split in files:
            is_first = True
            for number, row in rows(path, self._roots(), name=name):
                if is_first and isinstance(row, dict):
                    self._check_columns(name, row, is_lean=form_of(path) == ".lean")
                    is_first = False
                for view, label in self._views(row):
                    self.report.rows += 1
                    yield from self._row(name, number, view, label or split)
                self._stop_if_bad(at_least=FEW)
        self._stop_if_bad(at_least=1)
        self._finish()

    def _roots(self) -> list[str]:
        data_set = self.data_set
        paths = [path for paths in self.targets.values() for path in paths]
        conditions = [column for condition in data_set.only_if.values() for column in condition]
        paths += [
            *data_set.where,
            *conditions,
            *data_set.counted,
            *data_set.distinct_by,
            *filter(None, [data_set.each]),
        ]
        return list(dict.fromkeys([*paths, *(path.partition(".")[0] for path in paths)]))

    def _check_columns(self, file: str, row: Row, *, is_lean: bool) -> None:
        if is_lean and "statement" not in self.targets and "proof" not in self.targets:
            raise BadInput(
                f"{file} is Lean source, and {self.data_set.kind} come from rows; trace it with `burnqed data trace`."
            )
        needed = TARGETS[self.data_set.kind]
        each = self.data_set.each
        if each and each not in row:
            raise BadInput(f"{file} has no column {each!r}; its columns are {column_names(row)}.")
        for target, paths in self.targets.items():
            if any(self._is_there(row, path) for path in paths):
                continue
            if needed[target] or (target == "statement" and not row.get("proof")):
                raise BadInput(
                    f"{file} has no column {paths[0]!r} for `{target}`; its columns are {column_names(row)}. Give yours with --columns {target}=COLUMN."
                )
            if paths[0] not in self.report.absent:
                self.report.absent.append(paths[0])

    def _is_there(self, row: Row, path: str) -> bool:
        root, _, rest = path.partition(".")
        return path == POSITION or path in row or (root in row and (bool(rest) or root == self.data_set.each))

    def _views(self, row: Row | Broken) -> Iterator[tuple[Row | Broken, str]]:
        """The row, or one for each element of `each`, with the split that it names."""
        each = self.data_set.each
        elements = value_of(row, each) if each and isinstance(row, dict) else None
        if not each or isinstance(row, Broken):
            yield row, ""
        elif isinstance(elements, list):
            for position, element in enumerate(elements):
                yield {**row, each: element, POSITION: position}, ""
        elif elements is not None:
            yield Broken(f"has {each} that is no list"), ""

    def _stop_if_bad(self, *, at_least: int) -> None:
        report = self.report
        if report.rows >= at_least and report.bad > self.most_bad * report.rows:
            first = "\n  ".join(str(bad) for bad in report.bad_rows[:5])
            raise BadInput(
                f"{report.bad} of the first {report.rows} rows are bad, so nothing was written; check the column map, or allow more with --most-bad:\n  {first}"
            )

    def _finish(self) -> None:
        report = self.report
        report.theorems = len(self._long) if self.data_set.kind is Kind.PAIRS else report.imported
        report.headers = len(self._headers)
        report.counts = {column: dict(counter.most_common(NAMED)) for column, counter in self._counts.items()}
        report.splits = dict(self._splits.most_common(NAMED))
        report.foreign_imports = dict(self._modules.most_common(NAMED))
        if self.data_set.kind is Kind.PAIRS:
            report.long_proofs = sum(count > LONG for count in self._long.values())
        if not report.imported:
            reasons = "; ".join(
                f"{reason}: {count}" + (f" ({', '.join(named[:20])})" if (named := report.names.get(reason)) else "")
                for reason, count in report.left_out.items()
            )
            raise BadInput(f"None of the {report.rows} rows can be imported{f'; {reasons}' if reasons else ''}.")

    # ---- rows

    def _row(self, file: str, number: int, row: Row | Broken, split: str) -> Iterator[Record]:
        report = self.report
        if isinstance(row, Broken):
            report.broken(file, number, "", row.what)
            return
        for column, counter in self._counts.items():
            value = value_of(row, column)
            label = "" if value is None else str(value)[:80]
            if label in counter or len(counter) < _VALUES:
                counter[label] += 1
        name = ""
        try:
            self._check_condition(row)
            values = {target: self._value(target, paths, row) for target, paths in self.targets.items()}
            name = str(values.get("name") or values.get("theorem") or "")
            found_split = str(values.pop("split", None) or split)
            if found_split:
                self._splits[found_split] += 1
            if self.split and found_split != self.split:
                raise _Left(f"split is not {self.split}")
            for record in self._made(values, row, is_file=number == 1 and file.endswith(".lean")):
                report.imported += 1
                yield record
        except _Bad as bad:
            report.broken(file, number, bad.column, bad.what)
        except _Left as left:
            report.leave_out(str(left), name)

    def _check_condition(self, row: Row) -> None:
        if not _fits(row, self.data_set.where):
            raise _Left(f"{', '.join(self.data_set.where)} is another")

    def _value(self, target: str, paths: Sequence[str], row: Row) -> Any:
        """A value of the type that the target has; None where the row has none."""
        for path in paths:
            if path in self.data_set.only_if and not _fits(row, self.data_set.only_if[path]):
                continue
            value = value_of(row, path)
            if value is None or (
                isinstance(value, str) and not value.strip() and target not in ("state_after", "tactic")
            ):
                continue
            if target in _INTEGER:
                if isinstance(value, str) and value.strip().isdecimal():
                    value = int(value)
                if isinstance(value, float) and value.is_integer():
                    value = int(value)
                if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 31:
                    raise _Bad(path, f"is {_shape(value)} and no number from 0")
                return value
            if target in _IDENTIFIER and isinstance(value, int) and not isinstance(value, bool):
                return str(value)
            if not isinstance(value, str):
                raise _Bad(path, f"is {_shape(value)} and no text")
            try:
                value.encode()
            except UnicodeEncodeError as error:
                raise _Bad(path, f"is not UTF-8 at character {error.start + 1}") from None
            return value
        return None

    def _made(self, values: dict[str, Any], row: Row, *, is_file: bool) -> Iterator[Record]:
        if self.data_set.kind is Kind.PAIRS:
            yield self._pair(values, row)
            return
        statement: str | None = values.get("statement")
        proof: str | None = values.get("proof")
        column = self.data_set.columns.get("statement") or self.data_set.columns["proof"]
        if self.data_set.kind is Kind.PROOFS and proof is None and not is_file:
            raise _Left("no proof")
        whole, value = (proof, None) if statement is None else (statement, proof)
        if whole is None:
            raise _Bad(column, "is null or empty")
        try:
            if is_file:
                cuts = cut(whole)
            else:
                cuts = [cut_last(assembled(values.get("header"), whole, value), _declared(whole) if value else "")]
        except Unreadable as error:
            raise _Bad(column, str(error)) from None
        for one in cuts:
            if is_file:
                try:
                    yield self._theorem(one, one.name or values.get("name"), values)
                except _Left as left:
                    self.report.leave_out(str(left), one.name)
            else:
                yield self._theorem(one, values.get("name") or one.name, values)

    # ---- theorems and proofs

    def _theorem(self, cut_out: Cut, name: str | None, values: Mapping[str, Any]) -> Theorem | WholeProof:
        report = self.report
        if not name:
            raise _Bad(self.data_set.columns.get("name", "name"), "is empty, and the statement has no name either")
        if foreign := imports.foreign(cut_out.header, self.allowed):
            self._modules.update(foreign)
            raise _Left("imports what is neither Mathlib nor Lean's own")
        if cut_out.has_hole:
            raise _Left("a definition is left open (sorry)")
        for part, text in (("header", cut_out.header), ("statement", cut_out.statement), ("proof", cut_out.proof)):
            if character := hidden(text):
                raise _Bad(self.data_set.columns.get(part, part), f"contains {character}")
        if leak := self.held.leak(cut_out.statement):
            raise _Left(f"in the benchmark {leak.partition(':')[0]}")
        header = cut_out.header or None
        if header is None:
            header = self.given_header
        elif self.given_header is None and imports.comparable(header) == imports.comparable(self.default_header):
            header = None
        proof = cut_out.proof if self.data_set.kind is Kind.PROOFS else ""
        identity = hash((form(cut_out.statement), imports.comparable(header or ""), proof))
        if identity in self._seen:
            raise _Left("equal to an earlier one")
        if self.data_set.kind is Kind.PROOFS:
            if not proof:
                raise _Left("no proof")
            if _CHEAT.search(proof + cut_out.header) and cheats(f"{cut_out.header}\n{proof}"):
                report.cheats += 1
                raise _Left("sorry or admit in the proof")
            report.terms += is_term(proof)
            report.long_proofs += len(split_tactics(tactics(proof))) > LONG
        self._seen.add(identity)
        self._headers.add(header or "")
        report.answers += cut_out.answers
        full = self._named(name, identity)
        common = {"name": full, "statement": cut_out.statement, "header": header, "file_path": values.get("file_path")}
        if self.data_set.kind is Kind.PROOFS:
            return WholeProof(**common, proof=proof, source=self.data_set.source)
        return Theorem(**common)

    # ---- pairs

    def _pair(self, values: dict[str, Any], row: Row) -> TacticPair:
        report, columns = self.report, self.data_set.columns
        for target in ("theorem", "state", "tactic"):
            if values.get(target) is None:
                raise _Bad(columns[target], "is null or empty")
        state, tactic, after = values["state"], values["tactic"], values.get("state_after")
        if "⊢" not in state:
            raise _Left("no goal in the state")
        if not tactic.strip():
            raise _Left("no tactic")
        theorem = self._named(values["theorem"], hash(tuple(str(value_of(row, c)) for c in self.data_set.distinct_by)))
        if self.held and values.get("depth") in (None, 0) and (leak := self.held.leak_of_state(state)):
            self._leaked[theorem] = leak.partition(":")[0]
        if theorem in self._leaked:
            raise _Left(f"in the benchmark {self._leaked[theorem]}")
        identity = hash((theorem, state, tactic))
        if identity in self._seen:
            raise _Left("equal to an earlier one")
        self._seen.add(identity)
        if _CHEAT.search(tactic) and cheats(tactic):
            report.cheats += 1
        self._long[theorem] += 1
        try:
            return TacticPair(
                theorem=theorem,
                state=state,
                tactic=tactic.strip("\n"),
                state_after="" if after is not None and after.strip() == "no goals" else after,
                depth=values.get("depth"),
                source=self.data_set.source,
                num_goals=values.get("num_goals"),
            )
        except ValidationError as error:
            first = error.errors()[0]
            raise _Bad(str(first["loc"][0]), first["msg"]) from None

    def _named(self, name: str, identity: int) -> str:
        """The name with its source; with a number where it stands for something else already."""
        prefix = f"{self.data_set.source}::"
        bare = full = name if name.startswith(prefix) else prefix + name
        number = 1
        while self._names.setdefault(full, identity) != identity:
            number += 1
            full = f"{bare}#{number}"
        self.report.renamed += number > 1
        return full


def _fits(row: Row, condition: Mapping[str, Sequence[str]]) -> bool:
    return all(str(value_of(row, column)) in values for column, values in condition.items())


def _declared(statement: str) -> str:
    """The name of the theorem that a statement declares; empty where it cannot be told."""
    try:
        return cut_last(statement).name
    except Unreadable:
        return ""


def _shape(value: object) -> str:
    match value:
        case list():
            return "a list"
        case dict():
            return "an object"
        case str():
            return "a text"
    return f"{value!r:.40}"
