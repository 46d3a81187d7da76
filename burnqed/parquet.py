"""Parquet files of the store; a file that is not Parquet is one sentence."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from burnqed.documents import READ_AGAIN
from burnqed.errors import BadInput
from burnqed.store import Store


def read_parquet(store: Store, path: str, columns: list[str] | None = None) -> pa.Table:
    """The rows of a file, with those of the columns that it has. Raises BadInput when it is missing or not Parquet."""
    try:
        # From a file, because Arrow's threads may still hold buffers of Python's when the interpreter ends, which aborts the process.
        with store.reading(path) as file, pq.ParquetFile(file) as opened:
            return opened.read(columns)
    except (pa.ArrowException, OSError) as error:
        raise BadInput(f"{store.locate(path)} cannot be read as Parquet ({error}); {READ_AGAIN}.") from None
