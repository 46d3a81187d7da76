"""Parquet files of the store, read with one sentence for what is none."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq

from burnqed.documents import READ_AGAIN
from burnqed.errors import BadInput
from burnqed.store import Store


def read_parquet(store: Store, path: str) -> pa.Table:
    """The rows of a file. Raises BadInput when it is missing or not Parquet."""
    try:
        return pq.read_table(io.BytesIO(store.read_bytes(path)))
    except (pa.ArrowException, OSError) as error:
        raise BadInput(f"{store.locate(path)} cannot be read as Parquet ({error}); {READ_AGAIN}.") from None
