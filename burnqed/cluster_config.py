"""The sections of the configuration for how and where steps run, and what that costs."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import ConfigDict, Field, field_validator

from burnqed.section import Days, Dollars, Hours, Seconds, Section

QUANTITY = r"^[0-9]+(\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$"
"""A quantity of Kubernetes: `500m`, `2`, `4Gi`."""


class WorkflowConfig(Section):
    """How steps are run."""

    parallelism: int = Field(1, ge=1)
    """Search or evaluation pods that run in parallel."""
    retries: int = Field(3, ge=0)
    """Retries of a step that failed for a reason that may be temporary."""
    retry_seconds: Seconds[int] = Field(5, ge=0)
    """Wait before the first retry; it doubles each time."""
    step_hours: Hours[float] = Field(24.0, gt=0)
    """Deadline of one step."""
    policy_server: Literal["embedded", "sglang"] = "embedded"
    """What serves the policy: this package, or SGLang on a GPU with this package beside it for the embeddings."""
    sglang_memory: float = Field(0.55, gt=0, lt=1)
    """Share of the GPU's memory for SGLang; the rest is for the embeddings."""


class PoolConfig(Section):
    """Where one kind of container runs on a cluster, and what it may use, in Kubernetes quantities."""

    model_config = ConfigDict(coerce_numbers_to_str=True)
    cpu: str = Field("2", pattern=QUANTITY)
    """Processor cores to request."""
    cpu_limit: str | None = Field(None, pattern=QUANTITY)
    """The most processor cores; null means the request."""
    memory: str = Field("4Gi", pattern=QUANTITY)
    """Memory to request."""
    memory_limit: str | None = Field(None, pattern=QUANTITY)
    """The most memory; null means the request."""
    gpus: int = Field(0, ge=0)
    """GPUs."""
    scratch: str = Field("20Gi", pattern=QUANTITY)
    """Disk for /tmp."""
    node_selector: list[str] = Field(default_factory=list)
    """Node labels as `key=value`."""
    tolerations: list[str] = Field(default_factory=list)
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
    """Service account of the pods."""
    parent_account: str = "burnqed-parent"
    """Service account of the pods that create other workflows."""
    store_secret: str = "burnqed-store"
    """Secret with the store's credentials (AWS_ACCESS_KEY_ID, …); may be absent where the service account has them."""
    hub_secret: str = "burnqed-hub"
    """Secret with HF_TOKEN, for import-model."""
    environment: str = "burnqed-environment"
    """ConfigMap with the store's endpoint and region, as environment variables; may be absent."""
    ca: str = "burnqed-ca"
    """Secret with your authority's certificates, mounted at /etc/burnqed/ca; may be absent."""
    artifacts: str | None = "burnqed-artifacts"
    """ConfigMap that names Argo's artifact repository, for the report in the UI; null keeps no artifact."""
    pull_policy: Literal["IfNotPresent", "Always"] = "IfNotPresent"
    """When images are pulled: `Always` if they change under the same tag."""
    priority_class: str | None = None
    """PriorityClass of the pods."""
    queue: str | None = None
    """Kueue's local queue."""
    model_cache: str = Field("emptyDir", pattern=r"^(emptyDir|pvc:[a-z0-9.-]+|hostPath:/\S+)$")
    """Where pods keep models from the store: `emptyDir`, `pvc:NAME` or `hostPath:/PATH`."""
    model_cache_size: str = Field("40Gi", pattern=QUANTITY)
    """Disk for an `emptyDir`."""
    lean_cache: str = Field("image", pattern=r"^(image|pvc:[a-z0-9.-]+|hostPath:/\S+)$")
    """Where pods have Mathlib's Lean from: `image` (a worker built with LEAN=mathlib), `pvc:NAME` or `hostPath:/PATH`."""
    shared_memory: str = Field("1Gi", pattern=QUANTITY)
    """/dev/shm of trainer and policy server."""
    grace_s: Seconds[int] = Field(60, ge=10)
    """Time between SIGTERM and SIGKILL."""
    keep_days: Days[float] = Field(14.0, gt=0)
    """How long Argo keeps a finished workflow object."""


class CostConfig(Section):
    """Prices in US dollars; 0 for all of them prices nothing. A pod is charged for what its containers' pools request, a run on one machine for the whole machine."""

    cpu_hour: Dollars[float] = Field(0.0, ge=0)
    """One processor core for an hour."""
    memory_hour: Dollars[float] = Field(0.0, ge=0)
    """One GiB of memory for an hour."""
    gpu_hour: Dollars[float] = Field(0.0, ge=0)
    """One GPU for an hour."""
    max_dollars: Dollars[float | None] = Field(None, gt=0)
    """What a run may cost: once it has, no further step or shard begins."""
