"""What a step says of its output: the `facts` of its record, one model per step, by which they are written and read.

ModelFacts.of(record).version
"""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError, field_serializer

from burnqed.errors import BadInput
from burnqed.record import Record

Fact = float | int | str | None


class Facts(BaseModel):
    """Those that a step knows; what it does not set is left out of the record."""

    model_config = ConfigDict(frozen=True)

    @classmethod
    def of(cls, record: Record) -> Self:
        """Raises BadInput for a record that lacks some of them."""
        try:
            return cls.model_validate(record.facts)
        except ValidationError as error:
            wrong, step = error.errors()[0]["loc"][0], record.key.step
            raise BadInput(
                f"The record of an output of the step {step} does not tell its {wrong}; --redo {step} makes it anew."
            ) from None

    def document(self) -> dict[str, Fact]:
        return self.model_dump(exclude_unset=True)

    @property
    def figures(self) -> dict[str, float]:
        """Those that are numbers."""
        return {name: float(value) for name, value in self.document().items() if isinstance(value, int | float)}


class BenchmarkFacts(Facts):
    theorems: int
    failed: int
    """Do not elaborate."""


class DataFacts(Facts):
    theorems: int
    pairs: int
    failed: int
    """Known proofs that do not replay."""
    unusable: int = 0
    """Given theorems that do not elaborate."""
    theorems_equal_to_benchmark: int = 0
    proofs_equal_to_benchmark: int = 0
    """Left out."""


class BaseFacts(Facts):
    version: str
    bytes: int
    """Of weights."""


class SelectFacts(Facts):
    theorems: int
    again: int = 0
    """Of these, searched before in vain."""
    probe_easy: int
    """Left out, since a probe tactic proves them."""


class SftFacts(Facts):
    start: str
    steps: int
    loss: float
    evaluation_loss: float | None
    evaluation_loss_n: int = 0
    """Pairs that it was measured on."""
    base_pairs: int
    trajectory_pairs: int
    tokens_per_s: float


class ModelFacts(Facts):
    version: str
    parameters: int
    sample_tactic: str
    sample_log_prob: float


class EmbeddingFacts(Facts):
    states: int
    new: int
    embedding_id: str


class HeadFacts(Facts):
    """Besides: its metrics on validation theorems, each with what stands beside it (`burnqed.evaluate.results.CHANCE`)."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int | float | None]

    head_id: str
    accepted: bool
    """Its training found that it ranks better than chance."""
    steps: int
    positives: int

    @field_serializer("accepted")
    def _word(self, accepted: bool) -> str:
        return "true" if accepted else "false"


class ShardFacts(Facts):
    """Of searches or replays: theorems by their `burnqed.trajectory.schema.ProofStatus`."""

    theorems: int
    proved: int
    unproved: int
    timed_out: int = 0
    """Not in the earliest records."""
    error: int


class ImportedFacts(Facts):
    source: str


class ReportFacts(Facts):
    """Besides: `solved_BENCHMARK_VARIANT` at the largest budget; `trained_on_BENCHMARK`, theorems of it that are no fair test."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int]

    go: bool
    """The gates' verdict."""

    @field_serializer("go")
    def _word(self, go: bool) -> str:
        return "yes" if go else "no"

    def document(self) -> dict[str, Fact]:
        said = super().document()
        go = said.pop("go")
        return {**said, "go": go}
