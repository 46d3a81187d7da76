"""The configuration of a run: typed sections with their defaults. `burnqed.resolve` fills them from profiles and overrides."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_core import to_jsonable_python

Value = TypeVar("Value")


class Kind(Enum):
    """What a value decides: without a mark, its meaning is that of the output, and it enters the keys of the steps that read it."""

    OPERATION = "operation"
    ADDRESS = "address"
    STRUCTURE = "structure"


Operation = Annotated[Value, Kind.OPERATION]
"""How work is done, not what comes of it: workers, memory, batch sizes, prices. Every step may read it, and no change of it remakes anything."""
Address = Annotated[Value, Kind.ADDRESS]
"""Where something lies. What lies there enters the keys (as a parameter of the unit that reads it), its name does not."""
Structure = Annotated[Value, Kind.STRUCTURE]
"""Which outputs there are. No step reads it while it makes one; in keys it shows as inputs that are there or not."""

QUANTITY = r"^[0-9]+(\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$"
"""A quantity of Kubernetes: `500m`, `2`, `4Gi`."""


Seed = Annotated[int, Field(ge=0)]
"""numpy takes none below 0."""
SHIPPED = "shipped"
"""In place of an address: the benchmark that comes with the package."""
BENCHMARK_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}"
"""It names a folder."""


class Undeclared(AttributeError):
    """A step reads a value that is not in its key."""


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @field_validator("*")
    @classmethod
    def fits(cls, value: object) -> object:
        """Whole numbers that JSON, Arrow and numpy keep as they are."""
        for number in value if isinstance(value, list) else [value]:
            if isinstance(number, int) and abs(number) >= 1 << 53:
                raise ValueError("whole numbers are below 2^53")
        return value

    @classmethod
    def kind(cls, name: str) -> Kind | None:
        """The mark of a field."""
        return next((mark for mark in cls.model_fields[name].metadata if isinstance(mark, Kind)), None)

    def meaning(self) -> dict[str, object]:
        """The values that decide what comes out, as JSON, by dotted name."""
        values: dict[str, object] = {}
        for name in vars(self):
            if self.kind(name) is None:
                value = getattr(self, name)
                values |= (
                    {f"{name}.{inner}": v for inner, v in value.meaning().items()}
                    if isinstance(value, Section)
                    else {name: to_jsonable_python(value)}
                )
        return values

    def only(self, declared: Collection[str]) -> Self:
        """A copy that has the declared values and those of operation; reading another one raises Undeclared.

        `declared` names sections and single values (`search`, `policy.dtype`).
        """
        copy = self.model_copy()
        for name, value in vars(self).items():
            inner = [key.removeprefix(f"{name}.") for key in declared if key.startswith(f"{name}.")]
            if self.kind(name) is Kind.OPERATION:
                continue
            if isinstance(value, Section):
                vars(copy)[name] = value.only(vars(value) if name in declared else inner)
            elif name not in declared or self.kind(name) is Kind.STRUCTURE:
                del vars(copy)[name]
        return copy

    if not TYPE_CHECKING:  # or a type checker would take every name for a field

        def __getattr__(self, name: str) -> object:
            if name in type(self).model_fields:
                raise Undeclared(f"{type(self).__name__}.{name} is read by a step that does not declare it")
            return super().__getattr__(name)


class LeanConfig(Section):
    """Lean workers."""

    backend: str = "embedded"
    """`embedded` (Lean's core library, run by Node), or one that another package brings along; `burnqed doctor` lists them."""
    workers: Operation[int | None] = Field(None, ge=1)
    """Instances; None means as many as processors and memory of the control group allow."""
    tactic_timeout_s: float = Field(300.0, gt=0)
    """Safety net for one tactic: heartbeats are its limit, and the same on every machine."""
    heartbeats: int = Field(200_000, ge=0)
    """Lean's `maxHeartbeats` for one tactic; 0 means no limit."""
    check_timeout_s: float = Field(300.0, gt=0)
    """Wall clock for compiling one whole proof."""
    recycle_requests: Operation[int] = Field(1_000, ge=1)
    recycle_minutes: Operation[float] = Field(30.0, gt=0)
    memory_mb: Operation[int] = Field(1_200, ge=256)
    """Memory of one instance above which it is replaced."""


class DataConfig(Section):
    """Theorems, pairs and the benchmarks of a run."""

    theorems: Address[str | None] = None
    """URI or path of a theorem index to search; None means the shipped corpus and generated statements."""
    benchmarks: Address[dict[str, str]] = Field({"core": SHIPPED}, min_length=1)
    """Indices that are evaluated, by name: `shipped`, or a URI or path. The first is the one that gates look at."""
    known_proofs: int | None = Field(None, ge=1)
    """Only so many of the shipped proofs, chosen by hash of the name; None means all."""
    benchmark_theorems: int | None = Field(None, ge=1)
    """Only so many theorems of each benchmark, chosen by hash of the name; None means all."""
    generated: int = Field(3_000, ge=0)
    """Generated statements added to the shipped corpus."""
    generator_seed: Seed = 0
    validation_fraction: float = Field(0.05, ge=0, lt=1)
    """Share of theorems (by hash of the name) whose pairs measure the evaluation loss."""
    closer_keep: float = Field(0.1, ge=0, le=1)
    """Share of one-token closers (rfl, simp, trivial, decide, exact?) kept among the pairs."""
    max_state_chars: int = Field(4_096, ge=1)

    @field_validator("benchmarks", mode="before")
    @classmethod
    def _names(cls, benchmarks: object) -> object:
        if not isinstance(benchmarks, dict):
            raise ValueError("each benchmark has a name; write data.benchmarks.NAME=URI")
        if wrong := [name for name in benchmarks if not re.fullmatch(BENCHMARK_NAME, str(name))]:
            raise ValueError(f"{wrong[0]!r} is no name of a benchmark; use letters, digits, `_` and `-`")
        return benchmarks


class SelectConfig(Section):
    """Which theorems an iteration searches."""

    pool: Literal["new", "unsolved", "same"] = "new"
    """`new`: none that an earlier iteration searched; `unsolved`: those first that earlier ones searched in vain; `same`: those of iteration 0."""
    theorems: int = Field(300, ge=1)
    seed: Seed = 0
    drop_probe_easy: bool = True
    """Leave out what one of the probe tactics proves from the root."""
    min_depth: int = Field(2, ge=0)
    """Corpus theorems with a known proof of fewer tactics are left out."""


class PolicyConfig(Section):
    """The model that proposes tactics, and how it is served."""

    model: Address[str] = "tiny"
    """`tiny` (made on the spot from the corpus), or a folder, store URI or hub id of a causal language model."""
    hidden_size: int = Field(128, ge=8)
    layers: int = Field(4, ge=1)
    heads: int = Field(4, ge=1)
    vocabulary: int = Field(2_048, ge=300)
    """Shape of the tiny model; ignored for any other."""
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    """Type the exported model is saved and served in."""
    max_new_tokens: int = Field(48, ge=1)
    max_prompt_tokens: int = Field(512, ge=16)
    embed_max_tokens: int = Field(512, ge=8)
    top_p: float = Field(0.95, gt=0, le=1)
    max_batch: Operation[int] = Field(128, ge=1)
    """Sequences that the embedded server decodes at once."""
    generate_url: Operation[str | None] = None
    score_url: Operation[str | None] = None
    """Addresses of a policy server; None means the sidecar's."""
    request_timeout_s: Operation[float] = Field(120.0, gt=0)


class SftConfig(Section):
    """Fine-tuning on next-token loss over tactics."""

    method: Literal["full", "lora"] = "full"
    start: Literal["previous_adapter", "merged", "base"] = "base"
    """Weights that iteration N > 0 starts from: the previous adapter (or weights), the previous merged model, or the base model."""
    learning_rate: float = Field(2e-4, gt=0)
    learning_rate_decay: float = Field(0.5, gt=0, le=1)
    """Factor per iteration."""
    steps: int = Field(1_500, ge=1)
    later_steps: int = Field(800, ge=1)
    """Optimiser steps at iteration 0, and at later ones."""
    batch_tokens: int = Field(4_096, ge=64)
    """Tokens of one packed batch."""
    accumulation: int = Field(1, ge=1)
    max_length: int = Field(1_024, ge=64)
    warmup_steps: int = Field(100, ge=0)
    weight_decay: float = Field(0.01, ge=0)
    gradient_clip: float = Field(1.0, gt=0)
    base_pairs: int = Field(10_000, ge=0)
    """Base pairs sampled at iterations after 0; 0 means all."""
    trajectory_upsample: int = Field(10, ge=1)
    """How often a pair from a found proof counts at most: 1 / the probability that the policy gave to its tactic."""
    evaluation_pairs: int = Field(500, ge=0)
    """Validation pairs of each kind (base, trajectory) that the evaluation loss is measured on; 0 means all."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """`bfloat16` computes in it (and, with LoRA, keeps the frozen weights in it); trained weights are always float32."""
    gradient_checkpointing: Operation[bool] = False
    """Compute activations twice instead of keeping them: for models that would not fit otherwise."""
    lora_rank: int = Field(16, ge=1)
    lora_alpha: int = Field(32, ge=1)
    lora_dropout: float = Field(0.05, ge=0, lt=1)
    checkpoint_every: Operation[int] = Field(250, ge=1)
    evaluate_every: int = Field(100, ge=1)
    seed: Seed = 0


class EbmConfig(Section):
    """The goal-conditioned energy head."""

    enabled: Structure[bool] = True
    widths: list[int] | None = None
    """Hidden widths; None scales 2048, 1024, 512 (for d = 4096) with the model's d."""
    dropout: float = Field(0.15, ge=0, lt=1)
    learning_rate: float = Field(3e-4, gt=0)
    weight_decay: float = Field(0.01, ge=0)
    steps: int = Field(1_500, ge=1)
    batch: int = Field(128, ge=2)
    negatives: int = Field(15, ge=1)
    """Negatives beside each positive: 60 % siblings, 30 % same theorem, 10 % other theorems."""
    sibling_share: float = Field(0.6, ge=0, le=1)
    theorem_share: float = Field(0.3, ge=0, le=1)
    power_iterations: int = Field(5, ge=1)
    min_temperature: float = Field(0.05, gt=0)
    max_temperature: float = Field(10.0, gt=0)
    log_every: int = Field(50, ge=1)
    embed_batch: Operation[int] = Field(64, ge=1)
    embed_save_every: Operation[int] = Field(20_000, ge=1)
    seed: Seed = 0


class SearchConfig(Section):
    """Best-first search for training data."""

    budget: int = Field(100, ge=1)
    """Nodes expanded per theorem."""
    tokens: int | None = Field(None, ge=1)
    """Generated per theorem; the expansion that reaches the limit is the last. None: no limit of their own."""
    seconds: float = Field(1_800.0, gt=0)
    """Safety net per theorem: of Lean working for it, waiting left out. A search that it ends is `timed_out`."""
    depth: int = Field(50, ge=1)
    candidates: int = Field(8, ge=1)
    temperature: float = Field(1.0, ge=0)
    alpha: float = 1.0
    beta: float = Field(1.0, ge=0)
    """Weight of the energy."""
    length_exponent: float = Field(0.5, ge=0)
    """λ: the path's log-probability is divided by depth^λ, so that deep paths are not starved."""
    energy_depth: int = Field(2, ge=1)
    """d₀: the energy counts fully from this depth on; near the root the head has little to go by."""
    widening: float | None = Field(1.5, gt=1)
    """Where every state is expanded and budget is left, all are opened again at so many times the temperature, then at its square, …,
    until that leads nowhere; None ends the search there. A sharp policy offers two or three distinct tactics, so that its budget would stay unspent."""
    noise: Structure[bool] = True
    """Iteration 0 also searches with the noisy variant."""
    noise_temperature: float = Field(1.2, ge=0)
    probe_tactics: bool = False
    """Also try the probe tactics at every expanded state."""
    open_theorems: Operation[int] = Field(32, ge=1)
    """Theorems searched at the same time by one process."""
    shards: Operation[int | None] = Field(None, ge=1)
    """None means twice the workflow's parallelism."""
    theorems_per_part: Operation[int] = Field(8, ge=1)
    seed: Seed = 0


class EvaluateConfig(Section):
    """Evaluation on the benchmark."""

    budgets: list[Annotated[int, Field(ge=1)]] = Field(default_factory=lambda: [100, 300, 600], min_length=1)
    tokens: int | None = Field(None, ge=1)
    seconds: float = Field(3_600.0, gt=0)
    """Both as in `search`."""
    depth: int = Field(50, ge=1)
    candidates: int = Field(16, ge=1)
    temperature: float = Field(1.0, ge=0)
    samples: int = Field(1, ge=1)
    """N of pass@N: independent searches per theorem."""
    with_head: Structure[bool] = True
    shards: Operation[int | None] = Field(None, ge=1)
    theorems_per_part: Operation[int] = Field(8, ge=1)
    seed: Seed = 0


class NegativesConfig(Section):
    """Known proofs replayed with other candidates at every state, for the head's training."""

    theorems: int = Field(400, ge=0)
    candidates: int = Field(4, ge=0)
    probe_tactics: bool = True
    walk_depth: int = Field(2, ge=0)
    """Steps of a random walk continued from each failed branch."""
    walks: int = Field(1, ge=0)
    shards: Operation[int] = Field(1, ge=1)
    theorems_per_part: Operation[int] = Field(32, ge=1)
    seed: Seed = 0


Fraction = Annotated[float, Field(ge=0, le=1)]
Thresholds = float | Annotated[list[float], Field(min_length=1)]
"""One value, or one for each iteration, of which the last counts for all later ones."""
Fractions = Fraction | Annotated[list[Fraction], Field(min_length=1)]


def at_iteration(values: Thresholds, iteration: int) -> float:
    return values[min(iteration, len(values) - 1)] if isinstance(values, list) else values


class GateConfig(Section):
    """Go/no-go thresholds (docs/gates.md says where they come from); each may be a list, one for each iteration."""

    min_rate: Fractions = 0.0
    min_rate_with_head: Fractions = 0.0
    min_gain: Thresholds = 0.0
    """Required change of the solve rate from the previous iteration."""
    max_loss: Thresholds | None = None
    min_rank1_deep: Fractions = 0.0
    """Rank-1 accuracy of the head at depth 4 and more."""
    max_p: float = Field(0.05, gt=0, le=1)
    """A gain, and a head's lead over random choice, counts where chance alone would give it with at most this probability."""


class WorkflowConfig(Section):
    """How the steps are run."""

    parallelism: int = Field(1, ge=1)
    """Search or evaluation pods at the same time."""
    retries: int = Field(3, ge=0)
    retry_seconds: int = Field(5, ge=0)
    """First wait before a repetition; doubles each time."""
    step_hours: float = Field(24.0, gt=0)
    """Deadline of one step."""
    policy_server: Literal["embedded", "sglang"] = "embedded"
    """What serves the policy: this package, or SGLang on a GPU with this package beside it for the embeddings."""
    sglang_memory: float = Field(0.55, gt=0, lt=1)
    """Share of the GPU's memory for SGLang; the rest is for the embeddings."""


class PoolConfig(Section):
    """Where one kind of container runs on a cluster, and what it may use. Kubernetes quantities; a limit of None is the request."""

    model_config = ConfigDict(coerce_numbers_to_str=True)
    cpu: str = Field("2", pattern=QUANTITY)
    cpu_limit: str | None = Field(None, pattern=QUANTITY)
    memory: str = Field("4Gi", pattern=QUANTITY)
    memory_limit: str | None = Field(None, pattern=QUANTITY)
    gpus: int = Field(0, ge=0)
    scratch: str = Field("20Gi", pattern=QUANTITY)
    """Disk for /tmp."""
    node_selector: list[str] = []
    """Node labels as `key=value`."""
    tolerations: list[str] = []
    """Taints as `key=value:effect` or `key:effect`; a pool with GPUs always tolerates `nvidia.com/gpu:NoSchedule`."""

    @field_validator("node_selector")
    @classmethod
    def _labels(cls, labels: list[str]) -> list[str]:
        if wrong := [label for label in labels if not re.fullmatch(r"[^=\s]+=[^=\s]*", label)]:
            raise ValueError(f"{wrong[0]!r} is not of the form key=value")
        return labels

    @field_validator("tolerations")
    @classmethod
    def _taints(cls, taints: list[str]) -> list[str]:
        effects = "NoSchedule|PreferNoSchedule|NoExecute"
        if wrong := [taint for taint in taints if not re.fullmatch(rf"[^=:\s]+(=[^=:\s]*)?:({effects})", taint)]:
            raise ValueError(f"{wrong[0]!r} is not of the form key=value:effect, with one of the effects {effects}")
        return taints


class ClusterConfig(Section):
    """Names that the chart gives its objects, and what all pods of a cluster share."""

    service_account: str = "burnqed"
    store_secret: str = "burnqed-store"
    """Secret with the store's credentials (AWS_ACCESS_KEY_ID, …); may be absent where the service account has them."""
    hub_secret: str = "burnqed-hub"
    """Secret with HF_TOKEN, for import-model."""
    environment: str = "burnqed-environment"
    """ConfigMap with the store's endpoint and region, as environment variables; may be absent."""
    ca: str = "burnqed-ca"
    """Secret with certificates of an own authority, below /etc/burnqed/ca; may be absent."""
    artifacts: str | None = "burnqed-artifacts"
    """ConfigMap that names Argo's artifact repository, for the report in the UI; None keeps no artifact."""
    pull_policy: Literal["IfNotPresent", "Always"] = "IfNotPresent"
    """`Always` where images change under one tag."""
    priority_class: str | None = None
    queue: str | None = None
    """Kueue's local queue."""
    model_cache: str = Field("emptyDir", pattern=r"^(emptyDir|pvc:[a-z0-9.-]+|hostPath:/\S+)$")
    """Where pods keep models from the store: `emptyDir`, `pvc:NAME` or `hostPath:/PATH`."""
    model_cache_size: str = Field("40Gi", pattern=QUANTITY)
    """Disk for an `emptyDir`."""
    shared_memory: str = Field("1Gi", pattern=QUANTITY)
    """/dev/shm of trainer and policy server."""
    grace_s: int = Field(60, ge=10)
    """Between SIGTERM and SIGKILL."""
    keep_days: float = Field(14.0, gt=0)
    """How long Argo keeps a finished workflow object."""


class CostConfig(Section):
    """Prices in US dollars; with all at 0 nothing is priced. A pod costs what its containers' pools ask for, a run on one machine all of the machine."""

    cpu_hour: float = Field(0.0, ge=0)
    """Of one processor core for an hour; likewise:"""
    memory_hour: float = Field(0.0, ge=0)
    """Of one GiB of memory."""
    gpu_hour: float = Field(0.0, ge=0)
    """Of one GPU."""
    max_dollars: float | None = Field(None, gt=0)
    """What a run may cost: once it has, no further step begins, and no further shard of one."""


class RunConfig(Section):
    """Everything that decides what a run does."""

    profile: Operation[str] = "default"
    lean: LeanConfig = LeanConfig()
    data: DataConfig = DataConfig()
    select: SelectConfig = SelectConfig()
    policy: PolicyConfig = PolicyConfig()
    sft: SftConfig = SftConfig()
    ebm: EbmConfig = EbmConfig()
    search: SearchConfig = SearchConfig()
    negatives: NegativesConfig = NegativesConfig()
    evaluate: EvaluateConfig = EvaluateConfig()
    gate: GateConfig = GateConfig()
    workflow: Operation[WorkflowConfig] = WorkflowConfig()
    worker: Operation[PoolConfig] = PoolConfig()
    trainer: Operation[PoolConfig] = PoolConfig(memory="6Gi")
    serving: Operation[PoolConfig] = PoolConfig(memory="4Gi")
    """The policy server's sidecar; its placement is that of the whole pod."""
    cluster: Operation[ClusterConfig] = ClusterConfig()
    cost: Operation[CostConfig] = CostConfig()

    def to_json(self) -> str:
        """The document that travels as one parameter; `burnqed.resolve.from_json` reads it."""
        return self.model_dump_json()
