"""The configuration of a run: typed sections with their defaults. `burnqed.resolve` fills them from profiles and overrides."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from burnqed.cluster_config import ClusterConfig, CostConfig, PoolConfig, WorkflowConfig
from burnqed.errors import BadInput
from burnqed.layout import Layout, iteration_of, origin_of
from burnqed.section import (
    LATER,
    Address,
    Characters,
    Later,
    Megabytes,
    Minutes,
    Nodes,
    Operation,
    Pairs,
    Seconds,
    Section,
    Steps,
    Structure,
    Theorems,
    Tokens,
)

Fraction = Annotated[float, Field(ge=0, le=1)]
DeepKind = Literal["moves", "strengthened", "witness", "goals", "cases"]
Seed = Annotated[int, Field(ge=0)]
"""numpy takes no seed below 0."""
SHIPPED = "shipped"
TRIVIAL = "shipped-trivial"
SHIPPED_INDICES = {
    SHIPPED: "core.json",
    "shipped-deep": "deep.json",
    "shipped-moves": "moves.json",
    TRIVIAL: "trivial.json",
}
"""What stands for the address of an index that comes with the package, and its file."""
IN_DOMAIN = "in-domain"
"""The benchmark of theorems of the run's own index that are held out (`data.in_domain`)."""
BENCHMARK_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}"
"""It is also the name of a folder."""


class LeanConfig(Section):
    """Lean workers."""

    backend: str = "embedded"
    """`embedded` (Lean's core library, run by Node), `pantograph` (Mathlib's Lean; docs/pantograph.md), or one that another package provides;
    `burnqed doctor` lists them."""
    project: Operation[str | None] = None
    """Of the backend `pantograph`: folder with a Lean project for it; null means the one that `burnqed lean install` made."""
    workers: Operation[int | None] = Field(None, ge=1)
    """Lean instances; null means as many as the processors and the memory of the control group allow."""
    tactic_timeout_s: Seconds[float] = Field(300.0, gt=0)
    """Safety net for one tactic. Its actual limit is heartbeats, which are the same on every machine."""
    heartbeats: int = Field(200_000, ge=0)
    """Lean's `maxHeartbeats` for one tactic; 0 means no limit."""
    check_timeout_s: Seconds[float] = Field(300.0, gt=0)
    """Wall clock for compiling one whole proof."""
    recycle_requests: Operation[int] = Field(1_000, ge=1)
    """An instance is replaced after this many requests."""
    recycle_minutes: Operation[Minutes[float]] = Field(30.0, gt=0)
    """An instance is replaced after this time."""
    memory_mb: Operation[Megabytes[int | None]] = Field(None, ge=256)
    """Memory of one instance, which is replaced when it has used three quarters of it; null means the backend's own: 1,200 for `embedded`, 4,000 for
    `pantograph`."""


def true_or_some(given: object) -> object:
    """Raises ValueError for what is neither true nor false nor a list of iterations."""
    if isinstance(given, bool) or (isinstance(given, list) and all(type(i) is int and i >= 0 for i in given)):
        return given
    raise ValueError("give true, false, or a list of iterations, as in [1]")


Iterations = Annotated[bool | list[int], BeforeValidator(true_or_some)]
"""All, none, or those in a list."""


def includes(iterations: bool | list[int], iteration: int) -> bool:
    return iterations if isinstance(iterations, bool) else iteration in iterations


def weighted(given: str) -> tuple[str, float]:
    """`ADDRESS=WEIGHT`, or an address alone, whose weight is 1. Raises ValueError for a weight of 0 or less, or without an end."""
    address, equals, weight = given.rpartition("=")
    try:
        number = float(weight)
    except ValueError:
        return given, 1.0  # an address may contain `=`
    if not equals:
        return given, 1.0
    if not (address and 0 < number < 1_000):
        raise ValueError(f"{given!r} gives an address no weight between 0 and 1,000; write ADDRESS=WEIGHT")
    return address, number


def readable(given: str | None, read: Callable[[str], Layout]) -> str | None:
    """The address as it is. Raises ValueError for one that cannot be read."""
    try:
        if given is not None:
            read(given)
    except BadInput as error:
        raise ValueError(str(error).rstrip(".")) from None
    return given


class DataConfig(Section):
    """Theorems, pairs and the benchmarks of a run."""

    theorems: Address[str | None] = None
    """URI or path of a theorem index to search; null means the shipped corpus and generated statements."""
    pairs: Address[list[str]] = Field([])
    """Tactic pairs to train on, instead of the shipped corpus: URIs or paths, each with a weight if need be, `ADDRESS=2.5` (how often its pairs count)."""
    proofs: Address[list[str]] = Field([])
    """Whole proofs to replay, instead of the shipped corpus: as `data.pairs`."""
    benchmarks: Address[dict[str, str]] = Field({"core": SHIPPED}, min_length=1)
    """Indices that are evaluated, by name: `shipped`, `shipped-deep`, `shipped-moves`, or a URI or path. Gates use the first."""
    reproved: Later[Theorems[int]] = Field(1_000, ge=0)
    """Theorems of `data.pairs`, chosen by hash of the name, that are proved again by replaying their tactics: for negatives, and to be searched
    where `data.theorems` names none."""
    known_proofs: int | None = Field(None, ge=1)
    """How many of the shipped (or given) proofs are used, chosen by hash of the name; null means all."""
    benchmark_theorems: Theorems[int | None] = Field(None, ge=1)
    """How many theorems of each benchmark are used, chosen by hash of the name; null means all."""
    in_domain: Later[Theorems[int]] = Field(0, ge=0, le=500)
    """How many theorems of the index that is searched, chosen by hash of the name, are held out: never searched for training data nor trained on (nor is any that
    equals them), but evaluated, as the benchmark `in-domain`. `benchmark_theorems` does not concern them."""
    generated: Theorems[int] = Field(3_000, ge=0)
    """Generated statements added to the shipped corpus."""
    generator_seed: Seed = 0
    """Seed of the generated statements, of the exercises and of the deep theorems."""
    exercises: Later[Theorems[int]] = Field(0, ge=0)
    """Exercises, with proofs of one to a dozen tactics, that are added to the shipped corpus (and counted in `known_proofs`)."""
    deep: Later[Theorems[int]] = Field(0, ge=0)
    """Deep theorems, with proofs of 5 to 15 tactics, that are added to the shipped corpus (and counted in `known_proofs`)."""
    deep_kinds: Later[list[DeepKind]] = Field([])
    """Of which kinds deep theorems are; none means all."""
    deep_statements: Later[Theorems[int]] = Field(0, ge=0)
    """Further deep theorems, of which only the statements are used: they are added to what is searched with the shipped corpus, as `deep-statement::…`."""
    origin: Structure[str | None] = None
    """`RUN:N` makes the run a branch: it reads that run's data, base model, benchmarks and iterations up to N where they are, and begins with iteration N + 1. `RUN:base` shares no iteration, and the branch begins with iteration 0."""
    validation_fraction: float = Field(0.05, ge=0, lt=1)
    """Share of theorems, by hash of the name, whose pairs are held out for the evaluation loss."""
    closer_keep: float = Field(0.1, ge=0, le=1)
    """Share of one-token closers (rfl, simp, trivial, decide, exact?) kept among the pairs."""
    max_state_chars: Characters[int] = Field(4_096, ge=1)
    """Pairs whose proof state is longer are left out."""

    @field_validator("pairs", "proofs")
    @classmethod
    def _weighted(cls, given: list[str]) -> list[str]:
        for address in given:
            weighted(address)
        return given

    @field_validator("origin")
    @classmethod
    def _origin(cls, given: str | None) -> str | None:
        return readable(given, origin_of)

    @field_validator("benchmarks", mode="before")
    @classmethod
    def _names(cls, benchmarks: object) -> object:
        if not isinstance(benchmarks, dict):
            raise ValueError("each benchmark has a name; write data.benchmarks.NAME=URI")
        if wrong := [name for name in benchmarks if not re.fullmatch(BENCHMARK_NAME, str(name))]:
            raise ValueError(f"{wrong[0]!r} is not a benchmark's name; use letters, digits, `_` and `-`")
        if IN_DOMAIN in benchmarks:
            raise ValueError(
                f"{IN_DOMAIN!r} is the benchmark of the theorems that data.in_domain holds out; use another name"
            )
        return benchmarks

    @property
    def evaluated(self) -> list[str]:
        """The names of all benchmarks, the held-out theorems of the index last."""
        return [*self.benchmarks, *([IN_DOMAIN] if self.in_domain else [])]


def counts(quotas: dict[str, float], theorems: int) -> dict[str, int]:
    """Quotas as numbers of theorems: below 1 a share. Shares are rounded so that those that add up to 1 give all `theorems`."""
    shares, numbers = 0.0, {}
    for source, quota in quotas.items():
        if quota >= 1:
            numbers[source] = int(quota)
        else:
            before, shares = shares, shares + quota
            numbers[source] = round(shares * theorems) - round(before * theorems)
    return numbers


class SelectConfig(Section):
    """Which theorems an iteration searches."""

    pool: Literal["new", "unsolved", "same", "contrastive"] = "new"
    """`new`: theorems that no earlier iteration searched; `unsolved`: first those that earlier iterations searched in vain; `same`: those of iteration 0;
    `contrastive`: new ones with a known proof of at least three tactics, whose states have siblings to learn from."""
    theorems: Theorems[int] = Field(300, ge=1)
    """How many theorems an iteration searches."""
    quotas: Later[dict[str, float]] = Field({}, max_length=100)
    """How many of them come from a source, by the namespace of the theorems' names (`github` in `github::Nat.foo`): a share (`select.quotas.github=0.5`) or,
    from 1 on, a number; 0 leaves the source out. Sources without a quota share the rest, and make up for what a source with one lacks."""
    seed: Seed = 0
    """Seed of the selection."""
    drop_probe_easy: bool = True
    """Leave out theorems that a single probe tactic proves."""
    min_depth: Steps[int] = Field(2, ge=0)
    """Corpus theorems whose known proof has fewer tactics are left out."""

    @field_validator("quotas")
    @classmethod
    def _fit(cls, quotas: dict[str, float], info: ValidationInfo) -> dict[str, float]:
        for source, quota in quotas.items():
            if quota < 0 or (quota > 1 and quota % 1):
                raise ValueError(f"{source} has {quota}; give a share below 1, or a whole number")
        if sum(quota for quota in quotas.values() if quota < 1) > 1 + 1e-9:
            raise ValueError("the shares are more than 1 together")
        theorems = info.data.get("theorems", 0)  # absent where it is wrong itself
        if theorems and (asked := sum(counts(quotas, theorems).values())) > theorems:
            raise ValueError(f"together they are {asked} theorems, and select.theorems is {theorems}")
        return quotas


States = Literal["whole", "brief"]
Weights = Literal["full", "nf4"]
"""As saved, or with the linear layers in 4 bits."""
TemplateName = Literal[
    "completion", "deepseek-prover-v2", "goedel-prover-v2", "kimina", "deepseek-r1-distill-qwen", "qwen", "llama-3"
]


class PolicyConfig(Section):
    """The model that proposes tactics, and how it is served."""

    model: Address[str] = "tiny"
    """`tiny` (created from the corpus), or a folder, store URI or hub id of a causal language model."""
    template: Later[TemplateName] = "completion"
    """How the model is asked: `completion` without special tokens, for base models and those that are trained here; the others are chat templates
    of families of models."""
    thinking: Later[bool] = False
    """Whether a model that was not trained here may think before it answers; needs a chat template, and thousands of `max_new_tokens`."""
    states: Later[States] = "whole"
    """How a state is shown in prompts and for embeddings: as Lean prints it, or `brief`, without the names of cases and the hypotheses that a
    goal before has, too: less to process where states have several goals. To be set from iteration 0 on."""
    lemmas: Later[int] = Field(0, ge=0, le=100)
    """How many lemmas of Lean's library, those that fit the goal best, a prompt offers by name, in training and in searches alike; 0: none. To be set from
    iteration 0 on, and with `lean.backend=embedded`."""
    hidden_size: int = Field(128, ge=8)
    """Width of the tiny model; any other model has its own shape."""
    layers: int = Field(4, ge=1)
    """Layers of the tiny model."""
    heads: int = Field(4, ge=1)
    """Attention heads of the tiny model."""
    vocabulary: Tokens[int] = Field(2_048, ge=300)
    """Size of the tiny model's vocabulary."""
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    """Number type in which the exported model is saved and served."""
    max_new_tokens: Tokens[int] = Field(48, ge=1)
    """The longest tactic that is generated."""
    max_prompt_tokens: Tokens[int] = Field(512, ge=16)
    """The longest prompt."""
    embed_max_tokens: Tokens[int] = Field(512, ge=8)
    """A state, or with `embedding=prompt` its prompt, is truncated to this length before it is embedded."""
    embedding: Later[Literal["mean", "prompt"]] = "mean"
    """What the head sees of a state: `mean`, over the hidden states of the bare state; or `prompt`, the mean over the prompt that asks for a tactic (without
    lemmas) beside its last hidden state, where the model holds what it is about to propose. A head belongs to one or the other."""
    embed_weights: Later[Weights] = "full"
    """`nf4` keeps the embeddings' weights in 4 bits, 4 GB for a 7B model beside those that generate; a head belongs to one or the other."""
    top_p: float = Field(0.95, gt=0, le=1)
    """Nucleus sampling: candidates come from the most likely tokens that together have this probability."""
    max_batch: Operation[int] = Field(128, ge=1)
    """Sequences that the embedded server decodes in parallel."""
    generate_url: Operation[str | None] = None
    """Address of a policy server to take candidates from; null means the sidecar."""
    score_url: Operation[str | None] = None
    """Address of a policy server to take embeddings and energies from; null means the sidecar."""
    request_timeout_s: Operation[Seconds[float]] = Field(120.0, gt=0)
    """How long the policy server may take for one request."""
    frozen_s: Operation[Seconds[float]] = Field(60.0, gt=0)
    """SGLang counts as dead when it has generated nothing for so long, though it was asked to; its pod is then run again."""
    deterministic: Later[bool] = True
    """Whether SGLang's samples depend on their seeds alone. Without, it is faster, and no search can be repeated exactly."""
    quantization: Later[str | None] = None
    """How SGLang quantises the weights, such as `fp8`; null means not at all. It does not concern embeddings."""
    tensor_parallel: Operation[int] = Field(1, ge=1)
    """GPUs among which SGLang divides the model."""
    data_parallel: Operation[int] = Field(1, ge=1)
    """Copies of the model among which SGLang divides requests."""
    attention_backend: Operation[str | None] = None
    """SGLang's implementation of attention, such as `fa3`; null means that it chooses."""
    sglang_args: Later[list[str]] = Field(default_factory=list)
    """Further options of `sglang serve`, as they are: `["--enable-metrics", "--schedule-policy=lpm"]`."""


class SftConfig(Section):
    """Fine-tuning on next-token loss over tactics."""

    enabled: Structure[bool] = True
    """Whether iterations train the model, by fine-tuning or jointly. Without, an iteration's model is the previous one's, at first the base model."""
    method: Literal["full", "lora"] = "full"
    """Train all weights, or low-rank adapters."""
    start: Literal["previous_adapter", "merged", "base"] = "base"
    """Weights that iteration N > 0 starts from: the previous adapter (or weights), the previous merged model, or the base model."""
    learning_rate: float = Field(2e-4, gt=0)
    """At iteration 0, after the warm-up; it falls to 0 as a cosine."""
    learning_rate_decay: float = Field(0.5, gt=0, le=1)
    """Factor by which the learning rate changes from one iteration to the next."""
    steps: Steps[int] = Field(1_500, ge=1)
    """Optimiser steps at iteration 0."""
    later_steps: Steps[int] = Field(800, ge=1)
    """Optimiser steps at later iterations."""
    batch_tokens: Tokens[int] = Field(4_096, ge=64)
    """Size of one packed batch. When the memory is not enough, it is halved and accumulation doubled: the steps stay the same."""
    accumulation: int = Field(1, ge=1)
    """Batches whose gradients are added up for one step."""
    prompt_weight: Later[float] = Field(0.0, ge=0)
    """What a token of the prompt counts in the loss, where one of the tactic counts 1. A model that begins with random weights learns from states, too, how the language goes on: 0.01 to
    0.15, which were tried, then spare it steps. The losses that are reported are of tactics alone."""
    max_length: Tokens[int] = Field(1_024, ge=64)
    """Longer examples are left out."""
    warmup_steps: Steps[int] = Field(100, ge=0)
    """Steps over which the learning rate rises from 0."""
    weight_decay: float = Field(0.01, ge=0)
    """Of AdamW."""
    gradient_clip: float = Field(1.0, gt=0)
    """The largest norm of the gradient."""
    base_pairs: Pairs[int] = Field(10_000, ge=0)
    """Base pairs sampled at iterations after 0; 0 means all."""
    trajectory_upsample: int = Field(10, ge=1)
    """A pair from a found proof counts 1 / the probability that the policy gave to its tactic, but at most this often."""
    found_proofs: Structure[bool] = True
    """Whether it also learns from the proofs that earlier iterations' searches found; without, an iteration is a control that tells what they are worth."""
    preferences: Later[float] = Field(0.0, ge=0)
    """Weight of a preference loss (DPO) beside the next-token loss, from iteration 1 on: at states of found and of replayed proofs, the proof's tactic over those that Lean refused there, where both have at most `max_length` tokens together; 0: none."""
    preference_beta: Later[float] = Field(0.1, gt=0)
    """β of the preference loss: how strongly the start's own preferences hold."""
    preference_pairs: Later[Pairs[int]] = Field(16, ge=1)
    """Preferences in one step."""
    evaluation_pairs: Pairs[int] = Field(500, ge=0)
    """Validation pairs of each kind (base, trajectory) on which the evaluation loss is measured; 0 means all."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """`bfloat16` computes in it (and, with LoRA, keeps the frozen weights in it); trained weights are always float32."""
    base_weights: Later[Weights] = "full"
    """`nf4` keeps the frozen weights of LoRA's layers in 4 bits (QLoRA): a 7B model then takes 5 GB while it is trained. The adapters are
    merged into the full weights all the same."""
    optimizer: Later[Literal["adamw", "muon", "paged_adamw_8bit"]] = "adamw"
    """`muon` trains the matrices of the layers by Muon and the rest by AdamW; for `full` only, and not `sharded`. `paged_adamw_8bit` keeps its state in 8 bits,
    and on the host when the GPU has no room for it."""
    processes: Operation[int | None] = Field(None, ge=1)
    """Processes that train together, each with a part of every batch; null means one on each GPU, or a single one. The steps stay the same."""
    sharded: Operation[bool] = False
    """Whether each of them keeps only a part of the layers' weights, their gradients and their optimiser's state (FSDP). Each GPU still has to hold the
    whole weights when they are loaded."""
    gradient_checkpointing: Operation[bool | None] = None
    """Compute activations twice instead of keeping them: for models that would not fit otherwise. null: when a GPU's memory seems to ask for it."""
    lora_rank: int = Field(16, ge=1)
    """Rank of the adapters."""
    lora_alpha: int = Field(32, ge=1)
    """The adapters are scaled by alpha / rank."""
    lora_dropout: float = Field(0.05, ge=0, lt=1)
    """Dropout before the adapters."""
    checkpoint_every: Operation[Steps[int]] = Field(250, ge=1)
    """How often training is saved; after an interruption it continues from there."""
    evaluate_every: Steps[int] = Field(100, ge=1)
    """How often the evaluation loss is measured. The weights with the lowest are kept."""
    seed: Seed = 0
    """Seed of the order of the pairs, and of the dropout."""


class EbmConfig(Section):
    """The goal-conditioned energy head."""

    enabled: Structure[bool] = True
    """Whether there is a head at all."""
    head: Later[str] = "mlp"
    """`mlp`, `relative` (which sees a state's difference from the root state, too, and whose layers are not limited), `mlp-without-goal` and `relative-without-goal` (which do not see the theorem's root
    state, to tell what that is worth), or one that another package provides; `burnqed doctor` lists them."""
    noise: Structure[bool] = True
    """Whether it also learns from the searches at the noise temperature."""
    widths: list[int] | None = None
    """Hidden widths; null scales 2048, 1024, 512 (for d = 4096) with the model's d, and means 2·d (at most 2048) and half of it for `relative`."""
    dropout: float = Field(0.15, ge=0, lt=1)
    """Dropout between the layers."""
    learning_rate: float = Field(3e-4, gt=0)
    """After a short warm-up; it falls to 0 as a cosine."""
    weight_decay: float = Field(0.01, ge=0)
    """Of AdamW."""
    steps: Steps[int] = Field(1_500, ge=1)
    """Optimiser steps."""
    batch: int = Field(128, ge=2)
    """Positives in one step."""
    negatives: int = Field(15, ge=1)
    """Negatives for each positive."""
    sibling_share: float = Field(0.6, ge=0, le=1)
    """Share of the negatives that are siblings: states that another tactic led to from the same state."""
    theorem_share: float = Field(0.3, ge=0, le=1)
    """Share of the negatives that are other states of the same theorem; the rest are of other theorems."""
    earlier_share: Later[float] = Field(0.0, ge=0, lt=1)
    """Share of the negatives that are states earlier on the positive's own proof, so that the energy falls from step to step; `sibling_share` and `theorem_share` divide what is left."""
    expanded_share: Later[float] = Field(0.0, ge=0, lt=1)
    """Share of the negatives that are states which the search that found the proof expanded before the positive, and which lie on no proof: the mistakes that it really made;
    `sibling_share` and `theorem_share` divide what is left."""
    depth_weight: Later[float] = Field(0.0, ge=0)
    """How much it counts, beside InfoNCE, that energies fall along a proof, by half a nat with each tactic. Search can then compare states at different depths. In joint training it counts
    `joint.weight` times, as InfoNCE does. Where `patience` is set, rank-1 decides first which weights are kept."""
    known_proofs: Later[Theorems[int]] = Field(0, ge=0)
    """At most so many known proofs, whose states are positives as the step `data` traced them, without a replay: a cheap lesson in how far the end of a proof is (`depth_weight`). Beside them
    are no other states, so InfoNCE has none of them and no head is judged by them, unless the same theorem was searched or replayed."""
    balance: Later[Literal["positives", "theorems"]] = "positives"
    """What a round visits once: every positive, or every theorem, with one of its positives: a theorem with many then counts as much as one with few."""
    hard_negatives: Later[float] = Field(0.0, ge=0, le=1)
    """Share of the negatives that are the hardest of four times as many, those with the lowest energies; it rises evenly from 0 to this."""
    patience: Later[int | None] = Field(None, ge=1)
    """Measurements (`log_every`) without a better rank-1 accuracy on held-out theorems after which the training ends; the weights with the best one are
    kept. null: all steps are made, and the weights with the lowest held-out loss are kept."""
    resume: Later[Literal["none", "auto"]] = "none"
    """`auto`: the head after a search continues the training of the search's head, if their embeddings are of the same kind and that head was accepted."""
    power_iterations: int = Field(5, ge=1)
    """Power iterations for the spectral norm, at each step."""
    min_temperature: float = Field(0.05, gt=0)
    """The learned temperature stays above this; training that reaches it is aborted."""
    max_temperature: float = Field(10.0, gt=0)
    """The learned temperature stays below this; training that reaches it is aborted."""
    log_every: Steps[int] = Field(50, ge=1)
    """How often temperature, loss and validation are logged."""
    embed_batch: Operation[int] = Field(64, ge=1)
    """States that are embedded at once."""
    embed_tokens: Operation[Tokens[int]] = Field(16_384, ge=1)
    """The most tokens that are encoded at once, padding included where there is any; halved when the memory is not enough. A Llama's pass, which has none, takes
    4,096 of them at a time."""
    embed_save_every: Operation[int] = Field(20_000, ge=1)
    """States after which embeddings are saved; after an interruption, encoding continues from there."""
    seed: Seed = 0
    """Seed of the initial weights and of the negatives."""


class JointConfig(Section):
    """Joint training: next-token loss and λ times the head's loss (InfoNCE, and `ebm.depth_weight`) through the same weights, in place of fine-tuning and of the training of the search's head.
    What is not said here is in `sft` (method, batches, pairs) and `ebm` (the head, its negatives)."""

    enabled: Structure[bool] = False
    """Whether iterations from 1 on train jointly."""
    weight: float = Field(0.1, ge=0)
    """λ."""
    steps: Steps[int] = Field(6_000, ge=1)
    """Optimiser steps."""
    learning_rate: float = Field(2e-5, gt=0)
    """Of the model's weights, at iteration 1; it falls by `sft.learning_rate_decay` from one iteration to the next."""
    head_learning_rate: float = Field(3e-5, gt=0)
    """Of the head's weights."""
    positives: int = Field(8, ge=2)
    """Positives in one step, each with `ebm.negatives` negatives."""
    batch_tokens: Operation[Tokens[int | None]] = Field(None, ge=1)
    """States of a step that exceed this together are embedded piece by piece, and each piece twice, which takes a third more time but only the memory of one piece; null means `sft.batch_tokens`."""
    lora_rank: int | None = Field(None, ge=1)
    """Rank of new adapters, which are scaled as those of `sft` are; null means `sft.lora_rank`."""
    log_every: Operation[Steps[int]] = Field(50, ge=1)
    """How often both losses and the temperature are logged."""
    evaluate_every: Steps[int] = Field(500, ge=1)
    """How often evaluation loss, head and embeddings are measured. Model and head are those of the measured step with the lowest evaluation loss, among
    those in which the linear probe held: it is not below `min_linear_probe`, nor clearly below what it was at the start."""
    judged_after: Operation[Steps[int]] = Field(2_000, ge=0)
    """From this step on the following limits end a training. It continues from its checkpoint once they are wider; with another `min_linear_probe`, which also
    decides which weights are kept, it begins anew."""
    max_loss: Operation[float | None] = Field(None, gt=0)
    """The highest next-token loss on validation theorems; null means no limit."""
    min_centroid: Operation[float] = Field(0.0, ge=0)
    """The smallest distance between the mean embeddings of states on and off proofs. It grows with the width of the model."""
    min_linear_probe: Fraction = 0.0
    """The lowest accuracy of a linear probe on validation theorems."""
    min_rank1_deep: Operation[Fraction] = 0.0
    """The lowest rank-1 accuracy at depth 4 and more."""


class SearchConfig(Section):
    """Best-first search for training data."""

    enabled: Structure[Iterations] = True
    """Whether iterations from 1 on search, and replay known proofs, or which, as in `[1, 2]`. The others train the model and the head on what there is, and evaluate them: to compare ways
    to train, and where nothing is to be learned from what is found. Iteration 0 always does, unless this is `false` and there is no head either (`ebm.enabled`). An iteration that has searched keeps what it found."""
    budget: Nodes[int] = Field(100, ge=1)
    """Nodes expanded per theorem."""
    tokens: Tokens[int | None] = Field(None, ge=1)
    """Tokens generated per theorem; the expansion that reaches the limit is the last. null: no limit."""
    seconds: Seconds[float] = Field(1_800.0, gt=0)
    """Safety net per theorem: Lean's working time, without waiting. A search that it ends is `timed_out`."""
    depth: Steps[int] = Field(50, ge=1)
    """The longest path from the root that is expanded."""
    candidates: int = Field(8, ge=1)
    """Tactics sampled at each node."""
    draws: Later[int] = Field(1, ge=1, le=64)
    """Repeated tactics are replaced by further samples, until a node has `candidates` distinct ones or draws × `candidates` samples: sampling without replacement.
    1: they are left out."""
    temperature: float = Field(1.0, ge=0)
    """Sampling temperature."""
    spread: Later[float] = Field(0.0, ge=0, le=10)
    """The candidates of a node are sampled at temperatures from `temperature` to (1 + spread) times as much, in equal steps. Each one's log-probability is that at its own
    temperature."""
    alpha: float = 1.0
    """Weight of the path's log-probability."""
    beta: float = Field(1.0, ge=0)
    """Weight of the energy."""
    length_exponent: float = Field(0.5, ge=0)
    """λ: the path's log-probability is divided by depth^λ; otherwise deep paths would never be expanded."""
    energy_depth: Steps[int] = Field(2, ge=1)
    """d₀: the energy counts fully from this depth on; near the root, the head has little to go on."""
    widening: float | None = Field(1.5, gt=1)
    """When every state is expanded and budget is left, all are expanded again at the temperature times this factor, then its square, …,
    until nothing new comes up; null ends the search instead. A sharp policy offers two or three distinct tactics, and would leave its budget unspent."""
    noise: Structure[bool] = True
    """Whether iteration 0 also searches with the noisy variant."""
    guided: Structure[bool] = False
    """Whether iteration 0 also searches its theorems with the head that learned from the first search, to tell what the head is worth; nothing is trained on this. The workflow `lean-start` sets it; no other has that search."""
    noise_temperature: float = Field(1.2, ge=0)
    """Sampling temperature of the noisy variant."""
    probe_tactics: bool = False
    """Also try the probe tactics at every expanded state: what they find, the next model learns, whether or not this one would have proposed it."""
    open_theorems: Operation[Theorems[int]] = Field(32, ge=1)
    """Theorems searched at the same time by one process."""
    shards: Operation[int | None] = Field(None, ge=1)
    """How many processes share the theorems; null means twice the workflow's parallelism."""
    theorems_per_part: Operation[Theorems[int]] = Field(8, ge=1)
    """Theorems whose trajectories are written to one file."""
    seed: Seed = 0
    """Seed of the sampling."""


class EvaluateConfig(Section):
    """Evaluation on the benchmark."""

    budgets: Nodes[list[Annotated[int, Field(ge=1)]]] = Field(default_factory=lambda: [100, 300, 600], min_length=1)
    """Nodes per theorem for which results are reported. One search with the largest covers all."""
    tokens: Tokens[int | None] = Field(None, ge=1)
    """As in `search`."""
    seconds: Seconds[float] = Field(3_600.0, gt=0)
    """As in `search`."""
    depth: Steps[int] = Field(50, ge=1)
    """As in `search`."""
    candidates: int = Field(16, ge=1)
    """As in `search`."""
    draws: Later[int] = Field(1, ge=1, le=64)
    """As in `search`."""
    temperature: float = Field(1.0, ge=0)
    """As in `search`."""
    spread: Later[float] = Field(0.0, ge=0, le=10)
    """As in `search`."""
    probe_tactics: Later[bool] = False
    """As in `search`: proves more, and says less about the model, so figures with and without do not compare."""
    samples: int = Field(1, ge=1)
    """N of pass@N: independent searches per theorem."""
    with_head: Structure[bool] = True
    """Whether the benchmarks are also evaluated with the head."""
    search_head: Structure[Iterations] = False
    """Whether they are also evaluated with the head that iterations from 1 on use for their search; with joint training, the one that was trained with the model. Or in which iterations, as in `[1]`."""
    shards: Operation[int | None] = Field(None, ge=1)
    """As in `search`."""
    theorems_per_part: Operation[Theorems[int]] = Field(8, ge=1)
    """As in `search`."""
    seed: Seed = 0
    """Seed of the sampling."""


class NegativesConfig(Section):
    """Known proofs replayed with other candidates at every state, to train the head."""

    theorems: Theorems[int] = Field(400, ge=0)
    """Known proofs that are replayed."""
    pool: Later[Literal["any", "searched"]] = "any"
    """`searched` begins with the proofs of theorems that this iteration searches: what search tried at them, and failed with, is then among the head's negatives."""
    candidates: int = Field(4, ge=0)
    """The policy's tactics tried at each state."""
    probe_tactics: bool = True
    """Also try the probe tactics at each state."""
    walk_depth: Steps[int] = Field(2, ge=0)
    """Length of each random walk."""
    walks: int = Field(1, ge=0)
    """Random walks that continue from the branches at each state of a proof."""
    shards: Operation[int] = Field(1, ge=1)
    """How many processes share the proofs."""
    theorems_per_part: Operation[Theorems[int]] = Field(32, ge=1)
    """As in `search`."""
    seed: Seed = 0
    """Seed of branches and walks."""


Thresholds = float | Annotated[list[float], Field(min_length=1)]
"""One value, or one for each iteration; the last applies to all later ones."""
Fractions = Fraction | Annotated[list[Fraction], Field(min_length=1)]


def at_iteration(values: Thresholds, iteration: int) -> float:
    return values[min(iteration, len(values) - 1)] if isinstance(values, list) else values


class GateConfig(Section):
    """Go/no-go thresholds (docs/gates.md explains where they come from); each may be a list, one value for each iteration."""

    min_rate: Fractions = 0.0
    """Required solve rate without the head; 0 checks nothing."""
    min_rate_with_head: Fractions = 0.0
    """Required solve rate with the head; 0 checks nothing."""
    min_gain: Thresholds = 0.0
    """Required change of the solve rate from the previous iteration, or from the baseline."""
    baseline: Structure[str | None] = None
    """`RUN:N`: an iteration of another run of the store, mostly of the workflow `baseline`, that iteration 0 is compared with as later ones are with the previous."""
    plateau: Later[int] = Field(0, ge=0)
    """So many iterations together must have gained over the one before them; 0 checks nothing. With `min_gain` below 0, one level iteration does not stop a run, and several do."""
    max_loss: Thresholds | None = None
    """The highest evaluation loss of the fine-tuning; null checks nothing."""
    loss_after: Later[Steps[int]] = Field(0, ge=0)
    """The loss is checked once the model has been trained for so many steps: those of this iteration's fine-tuning, and those of the weights that it started from."""
    min_rank1_deep: Fractions = 0.0
    """Required rank-1 accuracy of the head at depth 4 and more; 0 checks nothing."""
    min_linear_probe: Later[Fractions] = 0.0
    """Required accuracy of a linear probe on the embeddings of states on and off proofs; 0 checks nothing."""
    min_centroid: Later[Thresholds] = 0.0
    """Required distance between the mean embeddings of these states, which grows with the width of the model; 0 checks nothing."""
    min_candidates: Later[Thresholds] = 0.0
    """Required mean of the distinct tactics that the policy proposes at a state of the search for training data; 0 checks nothing."""
    max_p: float = Field(0.05, gt=0, le=1)
    """A gain, or a head's lead over random choice, counts if chance alone would produce it with at most this probability."""

    @field_validator("baseline")
    @classmethod
    def _baseline(cls, given: str | None) -> str | None:
        return readable(given, iteration_of)


class RunConfig(Section):
    """Everything that decides what a run does."""

    profile: Operation[str] = "default"
    """The profile's name, or the path of its file."""
    lean: LeanConfig = LeanConfig()
    data: DataConfig = DataConfig()
    select: SelectConfig = SelectConfig()
    policy: PolicyConfig = PolicyConfig()
    sft: SftConfig = SftConfig()
    ebm: EbmConfig = EbmConfig()
    joint: JointConfig = JointConfig()
    search: SearchConfig = SearchConfig()
    negatives: NegativesConfig = NegativesConfig()
    evaluate: EvaluateConfig = EvaluateConfig()
    gate: GateConfig = GateConfig()
    workflow: Operation[WorkflowConfig] = WorkflowConfig()
    worker: Operation[PoolConfig] = PoolConfig()
    """The pool of every step that is not the trainer's."""
    trainer: Operation[PoolConfig] = PoolConfig(memory="6Gi")
    """The pool of the steps that need torch: those that create, train, export or import a model, embed with it, or train its head."""
    serving: Operation[PoolConfig] = PoolConfig(memory="4Gi")
    """The pool of the policy server, a sidecar of search, replay and evaluate; its placement is that of the whole pod."""
    cluster: Operation[ClusterConfig] = ClusterConfig()
    cost: Operation[CostConfig] = CostConfig()

    @classmethod
    def is_later(cls, key: str) -> bool:
        """Whether a value (`ebm.head`) is in keys only where it is not the default."""
        section, _, name = key.rpartition(".")
        fields = type(getattr(cls(), section)).model_fields if section in cls.model_fields else {}
        return name in fields and LATER in fields[name].metadata

    def to_json(self) -> str:
        """The document that is passed on as one parameter; `burnqed.resolve.from_json` reads it."""
        return self.model_dump_json()
