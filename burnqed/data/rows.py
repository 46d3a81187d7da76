"""Files of rows, read and written in batches: Parquet, or JSON lines where the name ends in `.jsonl`.

    for batch in PAIRS.read(store, "main/pairs.parquet"):   # pa.RecordBatch, of PAIRS.schema
        for pair in PAIRS.rows([batch]):                    # TacticPair
            ...
    PAIRS.write(store, "main/others.parquet", batches)

A file may be larger than memory: readers yield batches, writers take them, and models of single rows are for the edges.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Generic, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from annotated_types import Ge, MinLen
from pydantic import BaseModel, ValidationError

from burnqed.errors import BadInput
from burnqed.store import Store

LINES = ".jsonl"
BATCH = 8_192
"""Rows read at once."""
GROUP_BYTES = 32 << 20
"""Row groups of Parquet files have at least so many bytes, uncompressed, or GROUP_ROWS rows."""
GROUP_ROWS = 65_536

Row = TypeVar("Row", bound=BaseModel)
T = TypeVar("T")


@dataclass(frozen=True)
class RowFormat(Generic[Row]):
    """One kind of row, and its files."""

    row: type[Row]
    schema: pa.Schema
    """One column for each field of the row; not null where the field is required."""
    name: str
    """Of one row, for messages, as in `a tactic pair`."""

    @property
    def required(self) -> list[str]:
        return [name for name, field in self.row.model_fields.items() if field.is_required()]

    # ---- rows

    def batch(self, rows: Sequence[Row]) -> pa.RecordBatch:
        columns = {name: [getattr(row, name) for row in rows] for name in self.schema.names}
        return pa.RecordBatch.from_pydict(columns, schema=self.schema)

    def batches(self, rows: Iterable[Row]) -> Iterator[pa.RecordBatch]:
        """Takes the rows as they come."""
        return (self.batch(chunk) for chunk in chunks(rows, BATCH))

    def rows(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Row]:
        return (self.row.model_validate(row) for batch in batches for row in batch.to_pylist())

    # ---- files

    def read(self, store: Store, path: str) -> Iterator[pa.RecordBatch]:
        """Yields the rows of a file in batches of the schema; further columns are left out, optional ones may be absent.

        Raises BadInput that names the row when the file is missing or is something else.
        """
        with store.reading(path) as file:
            where = store.locate(path)
            yield from self._lines(file, where) if path.endswith(LINES) else self._parquet(file, where)

    def write(self, store: Store, path: str, batches: Iterable[pa.RecordBatch]) -> int:
        """Writes a whole file, or none if the batches end in an exception; returns the number of rows."""
        with store.writing(path) as file:
            return self._write_lines(file, batches) if path.endswith(LINES) else self._write_parquet(file, batches)

    # ---- Parquet

    def _parquet(self, file: Path, where: str) -> Iterator[pa.RecordBatch]:
        try:
            with pq.ParquetFile(file) as opened:
                names = set(opened.schema_arrow.names)
                if missing := [name for name in self.required if name not in names]:
                    raise BadInput(
                        f"{where} has no column {missing[0]!r}, which every {self.name} needs; its columns are {', '.join(sorted(names))}."
                    )
                present, start = [name for name in self.schema.names if name in names], 0
                for batch in opened.iter_batches(BATCH, columns=present):
                    yield self._checked(batch, where, start)
                    start += len(batch)
        except (pa.ArrowException, OSError) as error:
            raise BadInput(f"{where} cannot be read as Parquet ({error}); name JSON lines {LINES}.") from None

    def _checked(self, batch: pa.RecordBatch, where: str, start: int) -> pa.RecordBatch:
        """The batch, which follows `start` rows, in the schema."""
        columns = []
        for field in self.schema:
            if field.name not in batch.schema.names:
                columns.append(pa.nulls(len(batch), field.type))
                continue
            column = batch[field.name]
            try:
                column = column.cast(field.type)
                column.validate(full=True)
            except (pa.ArrowException, OSError) as error:
                raise BadInput(
                    f"The column {field.name!r} of {where} is not {field.type} in rows {start + 1} to {start + len(batch)} ({error})."
                ) from None
            wrong = [(pc.is_null(column), "is null")] if not field.nullable else []
            for mark in self.row.model_fields[field.name].metadata:
                if isinstance(mark, Ge):
                    wrong.append((pc.less(column, mark.ge), f"is less than {mark.ge}"))
                elif isinstance(mark, MinLen):
                    wrong.append((pc.less(pc.binary_length(column), mark.min_length), "is empty"))
            for rows, what in wrong:
                if (first := pc.index(rows, True).as_py()) >= 0:
                    raise BadInput(f"{where}, row {start + first + 1}, is not a {self.name}: {field.name} {what}.")
            columns.append(column)
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    @contextmanager
    def writer(self, store: Store, path: str) -> Iterator[RowWriter]:
        """Writes a Parquet file batch by batch, for those whose batches come one at a time; there is none if the block ends in an exception."""
        with store.writing(path) as file, pq.ParquetWriter(file, self.schema, compression="zstd") as opened:
            rows = RowWriter(opened)
            yield rows
            rows.flush()

    def _write_parquet(self, file: Path, batches: Iterable[pa.RecordBatch]) -> int:
        with pq.ParquetWriter(file, self.schema, compression="zstd") as opened:
            rows = RowWriter(opened)
            for batch in batches:
                rows.write(batch)
            rows.flush()
        return rows.count

    # ---- JSON lines

    def _lines(self, file: Path, where: str) -> Iterator[pa.RecordBatch]:
        with file.open("rb") as lines:
            # no text file: a JSON string may hold other line separators, as U+2028
            filled = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
            yield from self.batches(self._line(line, f"{where}, line {number}") for number, line in filled)

    def _line(self, line: bytes, where: str) -> Row:
        try:
            return self.row.model_validate_json(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            byte = f"byte {error.start + 1} is 0x{line[error.start]:02x}"
            raise BadInput(f"{where}, is not UTF-8 ({byte}); save the file as UTF-8.") from None
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            fields = ", ".join(f'"{name}"' for name in self.required)
            raise BadInput(
                f"{where}, is not a {self.name} ({f'{field}: ' if field else ''}{first['msg']}); each line is a JSON object such as {{{fields}}}."
            ) from None

    def _write_lines(self, file: Path, batches: Iterable[pa.RecordBatch]) -> int:
        count = 0
        with file.open("w", encoding="utf-8") as lines:
            for batch in batches:
                count += len(batch)
                for row in batch.to_pylist():
                    kept = {name: value for name, value in row.items() if value is not None}
                    lines.write(json.dumps(kept, ensure_ascii=False) + "\n")
        return count


class RowWriter:
    """Gathers batches into row groups of a Parquet file."""

    def __init__(self, writer: pq.ParquetWriter) -> None:
        self.count = 0
        """Rows so far."""
        self._writer = writer
        self._group: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0

    def write(self, batch: pa.RecordBatch) -> None:
        self._group.append(batch)
        self._rows, self._bytes = self._rows + len(batch), self._bytes + batch.nbytes
        self.count += len(batch)
        if self._rows >= GROUP_ROWS or self._bytes >= GROUP_BYTES:
            self.flush()

    def flush(self) -> None:
        if self._group:
            self._writer.write_table(pa.Table.from_batches(self._group))
        self._group, self._rows, self._bytes = [], 0, 0


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of `size`; the last may be shorter."""
    following = iter(items)
    while chunk := list(islice(following, size)):
        yield chunk
