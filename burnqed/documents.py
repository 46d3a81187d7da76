"""JSON documents of the store that have a model; a malformed one is one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from burnqed.errors import BadInput
from burnqed.store import Store

M = TypeVar("M", bound=BaseModel)

READ_AGAIN = "`burnqed store verify` tells what else is damaged, and what to do"
"""Advice for documents that are in a unit."""


def read_document(store: Store, path: str, model: type[M], advice: str) -> M:
    """The document at a path. Raises BadInput, with the advice, for one that is malformed."""
    return _parsed(store, path, store.read_bytes(path), model, advice)


def read_documents(store: Store, paths: Sequence[str], model: type[M], advice: str) -> list[M]:
    """The documents at some paths; from S3, read in parallel. Raises BadInput like `read_document`."""
    return [_parsed(store, path, content, model, advice) for path, content in store.read_many(paths).items()]


def _parsed(store: Store, path: str, content: bytes, model: type[M], advice: str) -> M:
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        reason = f"{where}: {first['msg']}" if where else first["msg"]
        raise BadInput(f"{store.locate(path)} is not what was written there ({reason}); {advice}.") from None
