"""Checkpoints of a training in the store: one file, complete or absent, replaced each time.

A checkpoint holds everything that the continuation depends on, including the state of torch's random numbers, so an interrupted
training ends with the same numbers as an uninterrupted one.
"""

from __future__ import annotations

import io
import pickle
import tempfile
from pathlib import Path
from typing import Any

import torch

from burnqed.log import log
from burnqed.store import Store

State = dict[str, Any]
"""Tensors, numbers, strings, and lists and dictionaries of them: what `torch.load` reads without running code."""


class Checkpoints:
    """The checkpoint of one training at one path of the store."""

    def __init__(self, store: Store, path: str) -> None:
        self.store, self.path = store, path

    def save(self, fingerprint: str, state: State) -> None:
        """Replaces the checkpoint. `fingerprint` distinguishes trainings with different data or settings."""
        cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
        random = {"cpu": torch.get_rng_state(), "cuda": cuda}
        with tempfile.TemporaryDirectory(prefix="burnqed-") as folder:
            file = Path(folder) / "checkpoint.pt"
            with file.open("wb") as opened:  # torch does not report a full disk for files that it opens itself
                torch.save({"fingerprint": fingerprint, "random": random, "state": state}, opened)
            self.store.upload_file(file, self.path)

    def load(self, fingerprint: str) -> State | None:
        """The state that was saved last, and torch's random numbers set to continue from there; None when there is no checkpoint."""
        if not self.store.exists(self.path):
            return None
        try:
            saved = torch.load(io.BytesIO(self.store.read_bytes(self.path)), map_location="cpu", weights_only=True)
        except (RuntimeError, EOFError, pickle.UnpicklingError) as error:
            where, why = self.store.locate(self.path), str(error).splitlines()[0]
            log.warning("the checkpoint %s cannot be read, so the training starts again: %s", where, why)
            return None
        if saved["fingerprint"] != fingerprint:
            # Revisions are named after their keys, so data and settings hardly differ; what a version makes of them may.
            log.warning(
                "the checkpoint %s is another version's, so the training starts again", self.store.locate(self.path)
            )
            return None
        torch.set_rng_state(saved["random"]["cpu"])
        if saved["random"]["cuda"] and torch.cuda.is_available():
            torch.cuda.set_rng_state_all(saved["random"]["cuda"][: torch.cuda.device_count()])
        state: State = saved["state"]
        return state
