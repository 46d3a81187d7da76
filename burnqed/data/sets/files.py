"""Files of data sets, row by row, whatever their form.

    for number, row in rows(Path("train.jsonl.gz"), ["full_name", "tactic"]):
        ...                                    # a dict, or Broken with the reason

JSON lines, JSON (a list, `{"theorems": […]}`, or lists by split), CSV, TSV, Parquet, and Lean source (one row, `text` and `file_path`), each also compressed
(.gz, .bz2, .xz, .zst). Which of the two a JSON file is, its content says, for many lists are called .jsonl and many lines .json. Rows are
read as they are asked for; only a JSON object that holds everything is read whole.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import re
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from burnqed.errors import BadInput
from burnqed.files import once

FORMS = (".jsonl", ".json", ".csv", ".tsv", ".parquet", ".lean")
PACKED = (".gz", ".bz2", ".xz", ".zst")
MOST_BYTES = 64 << 20
"""Of one row as text; a longer one is no row of a data set."""
WHOLE_BYTES = 1 << 30
"""Of a JSON object that is read whole."""
PIECE = 1 << 20
BATCH = 1_024
LISTS = ("theorems", "data", "rows")
"""Keys under which a JSON object holds its rows."""
SPLITS = frozenset({"train", "training", "valid", "validation", "val", "test", "dev"})

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Broken:
    """A row that cannot be read."""

    what: str


def form_of(path: Path) -> str:
    """`.jsonl`, `.csv`, …; empty for a file of another form."""
    name = path.name.lower()
    for suffix in PACKED:
        name = name.removesuffix(suffix)
    return next((form for form in (*FORMS, ".ndjson") if name.endswith(form)), "")


def rows(path: Path, columns: Sequence[str], *, name: str = "") -> Iterator[tuple[int, Row | Broken]]:
    """The rows of a file, numbered from 1; of Parquet only these columns are read. `name`: how Lean source calls its file.

    Raises BadInput when it cannot be read at all, or ends in the middle.
    """
    form = form_of(path)
    try:
        if form == ".parquet":
            yield from _parquet(path, columns)
            return
        with _unpacked(path) as file:
            if form in (".csv", ".tsv"):
                yield from _table(file, "\t" if form == ".tsv" else ",")
            elif form == ".lean":
                yield 1, _lean(file, name or path.name)
            else:
                yield from _json(file, path)
    except FileNotFoundError:
        raise BadInput(f"There is no file {path}; give the path of a data set.") from None
    except (OSError, EOFError, zlib.error, lzma.LZMAError, pa.ArrowException) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"{path} cannot be read ({reason}); fetch it again.") from None


@contextmanager
def _unpacked(path: Path) -> Iterator[IO[bytes]]:
    openers: dict[str, Callable[[Path], Any]] = {
        ".gz": gzip.open,
        ".bz2": bz2.open,
        ".xz": lzma.open,
        ".zst": _zstandard,
    }
    with openers.get(path.suffix.lower(), _plain)(path) as file:
        yield file


def _plain(path: Path) -> IO[bytes]:
    return path.open("rb")


def _zstandard(path: Path) -> io.BufferedReader[Any]:
    return io.BufferedReader(_Readable(pa.input_stream(str(path), compression="zstd")))


class _Readable(io.RawIOBase):
    """An Arrow stream as Python's, which can read lines."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = self.stream.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)


# ---- JSON


def _json(file: IO[bytes], path: Path) -> Iterator[tuple[int, Row | Broken]]:
    first = file.readline(MOST_BYTES + 1).removeprefix(b"\xef\xbb\xbf")
    while first and not first.strip():
        first = file.readline(MOST_BYTES + 1)
    if first.lstrip().startswith(b"["):
        yield from _list(first, file, path)
    elif first.lstrip().startswith(b"{") and isinstance(_object(first), Broken):
        rest = file.readline(PIECE)
        second = rest
        while second and not second.strip():
            second = file.readline(PIECE)
            rest += second
        if form_of(path) == ".jsonl" or second.lstrip().startswith(b"{"):
            yield from _lines(first, rest, file)
        else:
            yield from _whole(first + rest, file, path)
    else:
        parsed = _object(first)
        if isinstance(parsed, dict) and _holds_lists(parsed):
            yield from _whole(first, file, path)
        else:
            yield from _lines(first, b"", file)


def _object(line: bytes, most: int | None = None) -> Row | Broken:
    most = most or MOST_BYTES
    if len(line) > most:
        return Broken(f"has more than {most >> 20} MB")
    try:
        value = json.loads(line.decode("utf-8"), object_pairs_hook=once)
    except UnicodeDecodeError as error:
        return Broken(f"is not UTF-8 (byte {error.start + 1} is 0x{line[error.start]:02x})")
    except json.JSONDecodeError as error:
        return Broken(f"is not JSON ({error.msg} at character {error.colno})")
    except (ValueError, RecursionError) as error:
        return Broken(f"cannot be read ({error})")
    return value if isinstance(value, dict) else Broken("is not a JSON object")


def _lines(first: bytes, second: bytes, file: IO[bytes]) -> Iterator[tuple[int, Row | Broken]]:
    number = 0

    def following() -> Iterator[bytes]:
        yield first
        if second:
            yield second if second.endswith(b"\n") else second + file.readline(MOST_BYTES)
        while line := file.readline(MOST_BYTES + 1):
            yield line

    for line in following():
        number += 1
        if not line.strip():
            continue
        yield number, _object(line)
        while len(line) > MOST_BYTES and not line.endswith(b"\n"):
            line = file.readline(MOST_BYTES + 1)


def _list(start: bytes, file: IO[bytes], path: Path) -> Iterator[tuple[int, Row | Broken]]:
    """Elements of a JSON list, decoded as they come."""
    reader = io.TextIOWrapper(file, encoding="utf-8")
    decoder = json.JSONDecoder(object_pairs_hook=once)
    number, piece = 0, PIECE
    try:
        text = start.decode("utf-8").lstrip()[1:].lstrip()
        while True:
            text = text.lstrip()
            if text.startswith("]"):
                return
            try:
                if not text:
                    raise json.JSONDecodeError("the list does not end", text, 0)
                value, end = decoder.raw_decode(text)
                if end == len(text):  # a number may go on
                    raise json.JSONDecodeError("the list does not end", text, end)
            except json.JSONDecodeError as error:
                more = reader.read(piece) if len(text) <= MOST_BYTES else ""
                if not more:
                    raise BadInput(
                        f"{path} is not a JSON list: {error.msg} in element {number + 1}; fix it, or fetch it again."
                    ) from None
                text, piece = text + more, min(2 * piece, MOST_BYTES)
                continue
            number, piece = number + 1, PIECE
            yield number, value if isinstance(value, dict) else Broken("is not a JSON object")
            text = text[end:].lstrip()
            while not text and (more := reader.read(PIECE)):
                text = more.lstrip()
            if text[:1] not in (",", "]"):
                raise BadInput(
                    f"{path} is not a JSON list: no comma after element {number}; fix it, or fetch it again."
                )
            text = text.removeprefix(",")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 in element {number + 1} ({error.reason}); convert it.") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}, element {number + 1}, cannot be read ({error}); fix it.") from None
    finally:
        reader.detach()


def _holds_lists(document: Row) -> bool:
    is_split = bool(document) and SPLITS.issuperset(document) and all(isinstance(v, list) for v in document.values())
    return is_split or any(isinstance(document.get(key), list) for key in LISTS)


def _whole(start: bytes, file: IO[bytes], path: Path) -> Iterator[tuple[int, Row | Broken]]:
    document = _object(start + file.read(WHOLE_BYTES), WHOLE_BYTES)
    if isinstance(document, Broken):
        raise BadInput(f"{path} {document.what}; fix it, or name JSON lines .jsonl.")
    if not _holds_lists(document):
        if any(isinstance(value, str) for value in document.values()):
            yield 1, document
            return
        raise BadInput(
            f"{path} is an object without rows; they are expected under one of {', '.join(LISTS)}, or by split."
        )
    shared = {"header": document["header"]} if isinstance(document.get("header"), str) else {}
    number = 0
    for key, values in document.items():
        if key in LISTS or (key in SPLITS and isinstance(values, list)):
            split = {"split": key} if key in SPLITS else {}
            for value in values if isinstance(values, list) else []:
                number += 1
                yield (
                    number,
                    {**shared, **split, **value} if isinstance(value, dict) else Broken("is not a JSON object"),
                )


# ---- the others


def _table(file: IO[bytes], delimiter: str) -> Iterator[tuple[int, Row | Broken]]:
    csv.field_size_limit(min(sys.maxsize, MOST_BYTES))
    # bytes that are not UTF-8 become halves of characters, which no column may have
    text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    names, number = None, 0
    try:
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                number += 1
                yield number, Broken(f"is not CSV ({error})")
                continue
            if cells is None:
                return
            if not cells:
                continue
            if names is None:
                names = [cell.strip() for cell in cells]
                if len(set(names)) < len(names):
                    raise BadInput(f"{file.name} names a column twice ({', '.join(names)}); rename one of them.")
                continue
            number += 1
            if len(cells) == len(names):
                yield number, {name: cell or None for name, cell in zip(names, cells, strict=True)}
            else:
                yield number, Broken(f"has {len(cells)} cells, and the head {len(names)}")
    finally:
        text.detach()


def _parquet(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, Row | Broken]]:
    with pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        wanted = [name for name in names if name in columns]
        absent = dict.fromkeys(name for name in names if name not in columns) if not wanted else {}
        number = 0
        for batch in file.iter_batches(BATCH, columns=wanted or names[:1]):
            for row in batch.to_pylist():
                number += 1
                yield number, {**absent, **row}


def _lean(file: IO[bytes], name: str) -> Row | Broken:
    content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        return Broken(f"has more than {MOST_BYTES >> 20} MB")
    try:
        return {"text": content.decode("utf-8-sig"), "file_path": name}
    except UnicodeDecodeError as error:
        return Broken(f"is not UTF-8 (byte {error.start + 1} is 0x{content[error.start]:02x})")


# ---- columns


def value_of(row: Row, path: str) -> Any:
    """The value at `a.b`; None where there is none. A column may have the dotted name itself."""
    if path in row:
        return row[path]
    value: Any = row
    for part in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value


def column_names(row: Row) -> str:
    """Of a row, with the fields of nested columns, for messages."""
    names = [f"{key}.{inner}" if inner else key for key, value in row.items() for inner in _inner(value)]
    return ", ".join(re.sub(r"[^\x20-\x7e]", "?", name)[:60] for name in names[:40])


def _inner(value: Any) -> list[str]:
    if isinstance(value, list) and value:
        value = value[0]
    return [str(key) for key in value] if isinstance(value, dict) and value else [""]
