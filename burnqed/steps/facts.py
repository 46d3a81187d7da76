"""What a step records about its output: the `facts` of its record, with one model per step to write and read them.

ModelFacts.of(record).version
"""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError, field_serializer

from burnqed.errors import BadInput
from burnqed.record import Record

Fact = float | int | str | None


class Facts(BaseModel):
    """The facts of a step; fields that it does not set are left out of the record."""

    model_config = ConfigDict(frozen=True)

    @classmethod
    def of(cls, record: Record) -> Self:
        """Reads them from a record. Raises BadInput if some are missing."""
        try:
            return cls.model_validate(record.facts)
        except ValidationError as error:
            wrong, step = error.errors()[0]["loc"][0], record.key.step
            lack = f"The record of an output of the step {step} lacks its {wrong}"
            raise BadInput(f"{lack}; --redo {step} redoes it.") from None

    def document(self) -> dict[str, Fact]:
        return self.model_dump(exclude_unset=True)

    @property
    def told(self) -> dict[str, Fact]:
        """The facts for a line of a log."""
        return self.document()

    @property
    def figures(self) -> dict[str, float]:
        """The facts that are numbers."""
        return {name: float(value) for name, value in self.document().items() if isinstance(value, int | float)}


class BenchmarkFacts(Facts):
    theorems: int
    failed: int
    """Theorems that do not elaborate."""


class LemmaFacts(Facts):
    lemmas: int


class DataFacts(Facts):
    theorems: int
    pairs: int
    failed: int
    """Known proofs that do not replay."""
    reproved: int = 0
    """Theorems of given pairs that were proved again by their tactics."""
    unusable: int = 0
    """Given theorems that do not elaborate."""
    theorems_equal_to_benchmark: int = 0
    proofs_equal_to_benchmark: int = 0
    """Known proofs left out because their statement is in a benchmark, as with the theorems."""


class BaseFacts(Facts):
    version: str
    bytes: int
    """Size of the weights."""


class SelectFacts(Facts):
    theorems: int
    again: int = 0
    """How many of these were searched before without success."""
    probe_easy: int
    """Theorems left out because a probe tactic proves them."""


class SftFacts(Facts):
    start: str
    steps: int
    loss: float
    evaluation_loss: float | None
    evaluation_loss_n: int = 0
    """Number of pairs that it was measured on."""
    base_pairs: int
    trajectory_pairs: int
    preference_loss: float | None = None
    tokens_per_s: float


class ModelFacts(Facts):
    version: str
    parameters: int
    sample_tactic: str
    sample_log_prob: float


class TrivialFacts(Facts):
    theorems: int
    proved: int
    errors: int
    """Theorems that could not be tried."""


class EmbeddingFacts(Facts):
    states: int
    new: int
    embedding_id: str


class HeadFacts(Facts):
    """Extra fields: metrics on validation theorems, each with the figures beside it (`burnqed.evaluate.results.CHANCE`)."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int | float | None]

    head_id: str
    accepted: bool
    """Whether training found that it ranks better than chance."""
    steps: int
    positives: int

    @property
    def told(self) -> dict[str, Fact]:
        """Of some sixty metrics only those that say whether it ranks."""
        from burnqed.evaluate.results import CHANCE  # loads numpy; commands that only print have facts, too

        shown = {*HeadFacts.model_fields, "loss", "rank1", "rank1_siblings"}
        return {name: value for name, value in self.document().items() if name.removesuffix(CHANCE) in shown}

    @field_serializer("accepted")
    def _word(self, accepted: bool) -> str:
        return "true" if accepted else "false"


class ShardFacts(Facts):
    """Numbers of a search's or replay's theorems by `burnqed.trajectory.schema.ProofStatus`."""

    theorems: int
    proved: int
    unproved: int
    timed_out: int = 0
    """Not in the earliest records."""
    error: int
    recalled: int | None = None
    """Expansions and tactics that an evaluation took from what was kept, of another search or of another sample of its own; None where nothing was kept, and in earlier records."""
    lean: str | None = None
    """Version of the Lean that searched, or searched last; None in earlier records."""


class ImportedFacts(Facts):
    source: str


class LeanStartFacts(Facts):
    verdict: str
    """`go` or `no-go`."""
    tried: int
    """Theorems that the verdict is about."""
    newly_solved: int
    lost: int


class ReportFacts(Facts):
    """Extra fields: `solved_BENCHMARK_VARIANT` at the largest budget; `trained_on_BENCHMARK`, the number of its theorems that are no fair test."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int]

    go: bool
    """The verdict of the gates."""

    @field_serializer("go")
    def _word(self, go: bool) -> str:
        return "yes" if go else "no"

    def document(self) -> dict[str, Fact]:
        facts = super().document()
        go = facts.pop("go")
        return {**facts, "go": go}
