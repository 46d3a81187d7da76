"""Our pairs, proofs and theorems as a folder for the hub: Parquet by split, and a data card.

datasets.load_dataset("folder")           # what `burnqed data export --format hub` wrote
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from burnqed.data.pairs import PAIRS
from burnqed.data.proofs import PROOFS
from burnqed.data.rows import LINES, RowFormat
from burnqed.data.split import is_validation
from burnqed.data.theorems import read_index
from burnqed.errors import BadInput
from burnqed.lean.protocol import Theorem
from burnqed.store import Store

THEOREMS: RowFormat[Theorem] = RowFormat(
    Theorem,
    pa.schema(
        [
            pa.field("name", pa.string(), nullable=False),
            pa.field("statement", pa.string(), nullable=False),
            pa.field("header", pa.string()),
            pa.field("file_path", pa.string()),
        ]
    ),
    "theorem",
)
ABOUT = {
    "tactic pair": "Proof states of Lean 4, each with the tactic that a proof applied to it.",
    "whole proof": "Theorems of Lean 4 with whole proofs.",
    "theorem": "Statements of Lean 4.",
}
_DTYPES = {"float": "float32", "double": "float64"}
"""What the hub calls some of Arrow's types."""
_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)


def format_of(store: Store, path: str) -> RowFormat[Any]:
    """Whether a file holds pairs or proofs, by its columns. Raises BadInput when it is neither."""
    return format_with(columns_of(store, path), store.locate(path))


def format_with(names: set[str], where: str) -> RowFormat[Any]:
    """`format_of` a file that has these columns."""
    if {"state", "tactic"} <= names:
        return PAIRS
    if {"statement", "proof"} <= names:
        return PROOFS
    raise BadInput(
        f"{where} holds neither tactic pairs nor proofs (its columns are {', '.join(sorted(names)) or 'none'}); import it first (`burnqed data import`)."
    )


def columns_of(store: Store, path: str) -> set[str]:
    """Of a file of rows. Raises BadInput."""
    from burnqed.data.sets.files import rows

    with store.reading(path) as file:
        if path.endswith(".parquet"):
            try:
                return set(pq.read_schema(file).names)
            except (pa.ArrowException, OSError) as error:
                raise BadInput(f"{store.locate(path)} cannot be read as Parquet ({error}).") from None
        if path.endswith(LINES):
            names = set[str]()
            for number, row in rows(file, ()):
                if not isinstance(row, dict):
                    raise BadInput(f"{store.locate(path)}, row {number} {row.what}.")
                names |= set(row)
                if number >= 100:  # optional columns may be absent in some
                    break
            return names
    raise BadInput(f"{store.locate(path)} is neither .parquet nor .jsonl.")


def export(
    store: Store, path: str, target: Store, *, name: str, licence: str, sources: list[str], lean: str, validation: float
) -> dict[str, int]:
    """Writes `data/SPLIT-00000-of-00001.parquet` and README.md; returns the rows by split. `validation`: share of theorems, by hash of the name, that become a split of
    their own; 0 for none. Raises BadInput.
    """
    form: RowFormat[Any]
    if path.endswith(".json"):
        form = THEOREMS
        batches: Iterator[pa.RecordBatch] = THEOREMS.batches(read_index(store.locate(path)))
    else:
        form = format_of(store, path)
        batches = form.read(store, path)
    counts = _write(form, batches, target, validation)
    if not counts:
        raise BadInput(f"{store.locate(path)} holds no rows.")
    target.write_text("README.md", card(form, counts, name=name, licence=licence, sources=sources, lean=lean))
    return counts


def _write(form: RowFormat[Any], batches: Iterator[pa.RecordBatch], target: Store, validation: float) -> dict[str, int]:
    """Both splits in one pass."""
    column = "theorem" if "theorem" in form.schema.names else "name"
    counts = {"train": 0, "validation": 0}
    with (
        target.writing(_part("train")) as train,
        target.writing(_part("validation")) as held_out,
        pq.ParquetWriter(train, form.schema, compression="zstd") as first,
        pq.ParquetWriter(held_out, form.schema, compression="zstd") as second,
    ):
        for batch in batches:
            held = pa.array([is_validation(theorem, validation) for theorem in batch[column].to_pylist()], pa.bool_())
            for split, writer, mask in (("train", first, pa.compute.invert(held)), ("validation", second, held)):
                rows = batch.filter(mask)
                if len(rows):
                    writer.write_batch(rows)
                    counts[split] += len(rows)
    for split in [split for split, count in counts.items() if not count]:
        target.delete(_part(split))
    return {split: count for split, count in counts.items() if count}


def _part(split: str) -> str:
    return f"data/{split}-00000-of-00001.parquet"


def card(
    form: RowFormat[Any], counts: dict[str, int], *, name: str, licence: str, sources: list[str], lean: str
) -> str:
    """The data card: a YAML head as the hub reads it, and a page for people."""
    total = sum(counts.values())
    is_known = re.fullmatch(r"[a-z0-9.-]+", licence)
    head: dict[str, Any] = {
        "pretty_name": name,
        "license": licence if is_known else "other",
        **({} if is_known else {"license_name": re.sub(r"[^a-z0-9]+", "-", licence.lower()).strip("-") or "unknown"}),
        "language": ["en"],
        "tags": ["lean4", "theorem-proving"],
        "size_categories": [next((size for most, size in _SIZES if total < most), "n>10M")],
        "configs": [
            {"config_name": "default", "data_files": [{"split": split, "path": _part(split)} for split in counts]}
        ],
        "dataset_info": {
            "features": [
                {"name": field.name, "dtype": _DTYPES.get(str(field.type), str(field.type))} for field in form.schema
            ],
            "splits": [{"name": split, "num_examples": count} for split, count in counts.items()],
        },
    }
    columns = "\n".join(f"| `{field.name}` | {field.type} | {_meaning(form, field.name)} |" for field in form.schema)
    made = [f"- Made with Lean {lean}." if lean else "", *(f"- From {source}." for source in sources)]
    return (
        f"---\n{yaml.safe_dump(head, sort_keys=False, allow_unicode=True)}---\n\n# {name}\n\n{ABOUT[form.name]}\n\n"
        + "".join(f"{line}\n" for line in made if line)
        + f"- Licence: {licence}.\n- Rows: {', '.join(f'{count:,} in {split}' for split, count in counts.items())}. Splits are by theorem.\n\n"
        + f"| column | type | |\n|---|---|---|\n{columns}\n"
    )


def _meaning(form: RowFormat[Any], name: str) -> str:
    is_optional = not form.row.model_fields[name].is_required()
    return "may be null" if is_optional else ""
