"""Checkpoints of a training in the store: one file, complete or absent, replaced each time.

A checkpoint holds everything that the continuation depends on, the state of torch's random numbers included, so that an
interrupted training ends with the same numbers as one that was not.
"""

from __future__ import annotations

import io
import pickle
import tempfile
from pathlib import Path
from typing import Any

import torch

from burnqed.errors import BadInput
from burnqed.log import log
from burnqed.store import Store

State = dict[str, Any]
"""Tensors, numbers, strings, and lists and dictionaries of them: what `torch.load` reads without running code."""


class Checkpoints:
    """The checkpoint of one training at one path of the store."""

    def __init__(self, store: Store, path: str) -> None:
        self.store, self.path = store, path

    def save(self, fingerprint: str, state: State) -> None:
        """Replaces the checkpoint. `fingerprint` tells trainings with other data or settings apart."""
        random = {
            "cpu": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
        }
        with tempfile.TemporaryDirectory(prefix="burnqed-") as folder:
            file = Path(folder) / "checkpoint.pt"
            with file.open("wb") as opened:  # torch says nothing of a full disk where it opens the file itself
                torch.save({"fingerprint": fingerprint, "random": random, "state": state}, opened)
            self.store.upload_file(file, self.path)

    def load(self, fingerprint: str) -> State | None:
        """What `save` was given last, with the random numbers continued from there; None when there is no checkpoint."""
        if not self.store.exists(self.path):
            return None
        try:
            found = torch.load(io.BytesIO(self.store.read_bytes(self.path)), map_location="cpu", weights_only=True)
        except (RuntimeError, EOFError, pickle.UnpicklingError) as error:
            where = self.store.locate(self.path)
            log.warning(
                "the checkpoint %s cannot be read, so the training begins anew: %s", where, str(error).splitlines()[0]
            )
            return None
        if found["fingerprint"] != fingerprint:
            raise BadInput(
                f"The checkpoint {self.store.locate(self.path)} belongs to a training with other data or settings; delete it."
            )
        torch.set_rng_state(found["random"]["cpu"])
        if found["random"]["cuda"] and torch.cuda.is_available():
            torch.cuda.set_rng_state_all(found["random"]["cuda"])
        state: State = found["state"]
        return state

    def clear(self) -> None:
        """Removes the checkpoint: the training's result is in the store."""
        self.store.delete(self.path)
