"""The containers of all workflows. Only this file knows Argo's fields, and it emits only those listed in
`burnqed/run/vocabulary.py`, so that a workflow means the same to Argo and the local runner.

A container runs `burnqed step NAME`. The configuration, the store and the run travel as workflow parameters; ports and paths
reach processes through environment variables only, because the local runner has to change them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import hera.workflows as hera
from hera.workflows import models as argo

from burnqed import __version__
from burnqed.cluster_config import PoolConfig
from burnqed.config import RunConfig
from burnqed.steps.table import Row

from .retry import RetryPolicy

SCRATCH = "/tmp"
OUTPUTS = f"{SCRATCH}/burnqed/outputs"
"""Where a step writes parameters for the workflow, one file each."""
ARTIFACTS = f"{SCRATCH}/burnqed/artifacts"
"""Files that Argo's UI shows."""
MODELS = f"{SCRATCH}/models"
LEAN = "/opt/burnqed/pantograph"
"""Mathlib's Lean, in the worker's image or on a volume."""
CERTIFICATES = "/etc/burnqed/ca"
POLICY_PORT = 30000
METRICS_PORT = 9100
STATUS_PORT = 9101
"""Status port of the policy server. It and the search's METRICS_PORT are the only ports that answer at a pod's address."""
IDENTITY = "/var/run/secrets/burnqed"
"""Token, certificate and namespace with which the exit handler, alone among our containers, reads its workflow."""
REFUSAL = f"{SCRATCH}/burnqed/refusal"
"""File in which a policy server says why it will never serve."""
PROBE_S = 5
"""Kubernetes' default of one second is too short for a busy server."""

PART_OF = {"app.kubernetes.io/part-of": "burnqed"}
"""Label of every workflow and every pod."""
WORKFLOW_LABEL = "burnqed.dev/workflow"
RUN_LABEL = "burnqed.dev/run"
ITERATION_LABEL = "burnqed.dev/iteration"
COMPONENT_LABEL = "app.kubernetes.io/component"
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
GPU_TAINT = "nvidia.com/gpu:NoSchedule"

PODS_KEPT = "300s"
"""How long a pod is kept after success, for anyone looking at one that has just ended; its log is in the store."""

IMAGES = {f"{name}-image": f"burnqed-{name}:{__version__}" for name in ("worker", "trainer", "sglang")}
"""Workflow parameters that name images, with their defaults."""
USER = 1000
SECURE = argo.SecurityContext(
    run_as_non_root=True,
    run_as_user=USER,
    read_only_root_filesystem=True,
    allow_privilege_escalation=False,
    capabilities=argo.Capabilities(drop=["ALL"]),
)
LOCKED = {"readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
EXECUTOR_PATCH = {
    "initContainers": [{"name": "init", "securityContext": LOCKED}],
}
"""Security of the containers that Argo adds to a pod, for which it has no field; they inherit the rest from the pod."""
WAIT_PATCH = json.dumps({"containers": [{"name": "wait", "securityContext": LOCKED}]})
"""The same for the one that stands beside a step; the pod that creates a child has none."""


def new_workflow(name: str, config: RunConfig, parameters: Mapping[str, str]) -> hera.Workflow:
    """An empty workflow whose configuration is one parameter. A mutex keeps two of them from working on one iteration of a run at the same time."""
    cluster = config.cluster
    arguments = {"redo": "", **parameters, "config": config.to_json(), **IMAGES}
    works_on = {"iteration": f"-iter-{parameter('iteration')}", "iters": "-iterations"}
    of_iteration = next((ending for name, ending in works_on.items() if name in parameters), "")
    return hera.Workflow(
        generate_name=f"{name}-",
        labels={**PART_OF, WORKFLOW_LABEL: name},
        entrypoint="main",
        arguments=[hera.Parameter(name=key, value=value) for key, value in arguments.items()],
        parallelism=config.workflow.parallelism,
        synchronization=argo.Synchronization(mutexes=[argo.Mutex(name=parameter("run") + of_iteration)]),
        service_account_name=cluster.service_account,
        automount_service_account_token=False,
        executor=argo.ExecutorConfig(service_account_name=cluster.service_account),
        security_context=argo.PodSecurityContext(
            run_as_non_root=True,
            run_as_user=USER,
            run_as_group=USER,
            fs_group=USER,
            seccomp_profile=argo.SeccompProfile(type="RuntimeDefault"),
        ),
        pod_metadata=argo.Metadata(labels={**PART_OF, **({QUEUE_LABEL: cluster.queue} if cluster.queue else {})}),
        pod_priority_class_name=cluster.priority_class,
        pod_spec_patch=json.dumps({"terminationGracePeriodSeconds": cluster.grace_s, **EXECUTOR_PATCH}),
        pod_gc=argo.PodGC(strategy="OnPodSuccess", delete_delay_duration=PODS_KEPT),
        ttl_strategy=argo.TTLStrategy(seconds_after_completion=int(cluster.keep_days * 86_400)),
        artifact_repository_ref=argo.ArtifactRepositoryRef(config_map=cluster.artifacts) if cluster.artifacts else None,
    )


def step(
    row: Row,
    config: RunConfig,
    *,
    label: str = "",
    options: Mapping[str, str] | None = None,
    flags: Sequence[str] = (),
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    artifacts: Sequence[str] = (),
    hub: bool = False,
    identity: bool = False,
) -> hera.Container:
    """The container of a step.

    Pool, shards and the policy server beside it are as the table says. `label` is its name if not the task's. It gets `options` and
    `flags` as they are, and `inputs` as options of the same names. `outputs` are parameters that it writes as files into $BURNQED_OUTPUTS,
    `artifacts` files that it writes into $BURNQED_ARTIFACTS. `hub` gives it the token of the model hub, `identity` one for the cluster.
    """
    template = label or row.task
    task = f"{template}({{{{inputs.parameters.shard}}}})" if row.sharded else template
    retry = RetryPolicy(config.workflow.retries, config.workflow.retry_seconds)
    pool = getattr(config, row.pool)
    arguments = ["--store", parameter("store"), "--run", parameter("run")]
    arguments += ["--iter", parameter("iteration")] if row.iterated else []
    arguments += ["--stage", row.stage] if row.stage else []
    inputs = ("shard", *inputs) if row.sharded else inputs
    given = {**(options or {}), **{name: f"{{{{inputs.parameters.{name}}}}}" for name in inputs}}
    words = [*(word for name, value in given.items() for word in (f"--{name}", value)), *(f"--{f}" for f in flags)]
    fields: dict[str, Any] = {}
    if row.policy:
        fields["sidecars"] = [policy_server(config, task, arguments)]
        fields["ports"] = [argo.ContainerPort(name="metrics", container_port=METRICS_PORT)]
    if inputs:
        fields["inputs"] = [hera.Parameter(name=name) for name in inputs]
    if outputs or artifacts:
        fields["outputs"] = [
            *(hera.Parameter(name=o, value_from=argo.ValueFrom(path=f"{OUTPUTS}/{o}")) for o in outputs),
            *(artifact(file) for file in artifacts if config.cluster.artifacts),
        ]
    return hera.Container(
        name=template,
        image=parameter(f"{row.pool}-image"),
        image_pull_policy=config.cluster.pull_policy,
        command=["burnqed"],
        args=["step", row.name, *arguments, *words],
        env=environment(config, task, row.pool, policy=row.policy),
        env_from=cluster_environment(config, hub=hub),
        resources=resources(pool),
        volumes=[
            *volumes(config, pool, models=row.policy or row.pool == "trainer", lean=row.pool == "worker"),
            *([identity_volume()] if identity else []),
        ],
        security_context=SECURE,
        pod_spec_patch=WAIT_PATCH,
        retry_strategy=retry.strategy(),
        annotations=retry.annotation(),
        labels={COMPONENT_LABEL: row.name},
        active_deadline_seconds=int(config.workflow.step_hours * 3600),
        **placement(config.serving if row.policy else pool),
        **fields,
    )


def artifact(file: str) -> hera.Artifact:
    """A file in $BURNQED_ARTIFACTS, which Argo's UI shows as it is."""
    return hera.Artifact(
        name=Path(file).stem, path=f"{ARTIFACTS}/{file}", archive=hera.NoneArchiveStrategy(), optional=True
    )


def question(name: str, parameter: str, description: str) -> hera.Suspend:
    """Suspends the workflow until somebody answers `yes` or `no`: in the UI, with `burnqed approve`, or at the terminal."""
    answers = hera.Parameter(name=parameter, enum=["yes", "no"], default="yes", description=description)
    return hera.Suspend(name=name, intermediate_parameters=[answers])


def policy_server(config: RunConfig, task: str, arguments: Sequence[str]) -> hera.UserContainer:
    """The sidecar that proposes tactics and scores states: this package, or SGLang with this package beside it."""
    return hera.UserContainer(
        name="policy",
        image=parameter("sglang-image" if config.workflow.policy_server == "sglang" else "trainer-image"),
        image_pull_policy=config.cluster.pull_policy,
        command=["burnqed"],
        args=["serve", *arguments],
        env=environment(config, task, "serving", policy=True),
        env_from=cluster_environment(config),
        resources=resources(config.serving),
        mirror_volume_mounts=True,
        ports=[argo.ContainerPort(name="policy", container_port=STATUS_PORT)],
        security_context=SECURE,
        readiness_probe=argo.Probe(
            http_get=argo.HTTPGetAction(path="/ready", port=STATUS_PORT), period_seconds=2, timeout_seconds=PROBE_S
        ),
    )


def parameter(name: str) -> str:
    """The placeholder for a workflow parameter's value."""
    return f"{{{{workflow.parameters.{name}}}}}"


def environment(config: RunConfig, task: str, pool: str, *, policy: bool) -> list[Any]:
    """Environment of a container in the pool, in a pod with or without a policy server."""
    variables = {
        "BURNQED_CONFIG": parameter("config"),
        "BURNQED_REDO": parameter("redo"),
        "BURNQED_WORKFLOW": "{{workflow.name}}",
        "BURNQED_TASK": task,
        "BURNQED_ATTEMPT": "{{retries}}",
        "BURNQED_OUTPUTS": OUTPUTS,
        "BURNQED_ARTIFACTS": ARTIFACTS,
        "BURNQED_MODELS": MODELS,
    }
    if gpus := getattr(config, pool).gpus:
        variables |= {"BURNQED_GPUS": str(gpus)}
    if policy:
        # SGLang provides neither embeddings nor energies, so a second server runs beside it.
        score_port = POLICY_PORT + 1 if config.workflow.policy_server == "sglang" else POLICY_PORT
        variables |= {"BURNQED_METRICS_PORT": str(METRICS_PORT), "BURNQED_STATUS_PORT": str(STATUS_PORT)}
        variables |= {"BURNQED_REFUSAL": REFUSAL}
        variables |= {"BURNQED_POLICY_PORT": str(POLICY_PORT), "BURNQED_SCORE_PORT": str(score_port)}
    return [hera.Env(name=name, value=value) for name, value in variables.items()]


def cluster_environment(config: RunConfig, *, hub: bool = False) -> list[Any]:
    """Address and credentials of the store, and the token of the model hub, if the cluster has them."""
    cluster = config.cluster
    secrets = [cluster.store_secret, *([cluster.hub_secret] if hub else [])]
    return [
        hera.ConfigMapEnvFrom(name=cluster.environment, optional=True),
        *(hera.SecretEnvFrom(name=secret, optional=True) for secret in secrets),
    ]


def resources(pool: PoolConfig) -> hera.Resources:
    return hera.Resources(
        cpu_request=pool.cpu,
        cpu_limit=pool.cpu_limit or pool.cpu,
        memory_request=pool.memory,
        memory_limit=pool.memory_limit or pool.memory,
        gpus=pool.gpus or None,
    )


def volumes(config: RunConfig, pool: PoolConfig, *, models: bool, lean: bool) -> list[Any]:
    """Everything a container may write to, since its root is read-only; with `models` also shared memory and a place for models, with `lean`
    Mathlib's Lean, to be read."""
    cluster = config.cluster
    mounted: list[Any] = [
        hera.EmptyDirVolume(name="scratch", mount_path=SCRATCH, size_limit=argo.Quantity(pool.scratch)),
        hera.SecretVolume(name="ca", secret_name=cluster.ca, mount_path=CERTIFICATES, optional=True),
    ]
    if models:
        memory = argo.Quantity(cluster.shared_memory)
        mounted.append(hera.EmptyDirVolume(name="shm", mount_path="/dev/shm", medium="Memory", size_limit=memory))
        kind, _, where = cluster.model_cache.partition(":")
        if kind == "pvc":
            mounted.append(hera.ExistingVolume(name="models", claim_name=where, mount_path=MODELS))
        elif kind == "hostPath":
            mounted.append(hera.HostPathVolume(name="models", path=where, type="DirectoryOrCreate", mount_path=MODELS))
        else:
            size = argo.Quantity(cluster.model_cache_size)
            mounted.append(hera.EmptyDirVolume(name="models", mount_path=MODELS, size_limit=size))
    if lean:
        kind, _, where = cluster.lean_cache.partition(":")
        if kind == "pvc":
            mounted.append(hera.ExistingVolume(name="lean", claim_name=where, mount_path=LEAN, read_only=True))
        elif kind == "hostPath":
            mounted.append(
                hera.HostPathVolume(name="lean", path=where, type="Directory", mount_path=LEAN, read_only=True)
            )
    return mounted


def identity_volume() -> hera.ProjectedVolume:
    """The token, certificate and namespace that Kubernetes would mount by itself, had the workflow not turned that off."""
    namespace = argo.DownwardAPIVolumeFile(
        path="namespace", field_ref=argo.ObjectFieldSelector(field_path="metadata.namespace")
    )
    return hera.ProjectedVolume(
        name="identity",
        mount_path=IDENTITY,
        read_only=True,
        sources=[
            argo.VolumeProjection(service_account_token=argo.ServiceAccountTokenProjection(path="token")),
            argo.VolumeProjection(config_map=argo.ConfigMapProjection(name="kube-root-ca.crt", optional=True)),
            argo.VolumeProjection(downward_api=argo.DownwardAPIProjection(items=[namespace])),
        ],
    )


def placement(pool: PoolConfig) -> dict[str, Any]:
    """Which nodes a pod may run on."""
    selector = dict(label.split("=", 1) for label in pool.node_selector)
    taints = [*pool.tolerations, *([GPU_TAINT] if pool.gpus else [])]
    return {"node_selector": selector or None, "tolerations": [toleration(taint) for taint in taints] or None}


def toleration(taint: str) -> argo.Toleration:
    """`key=value:effect`, as `kubectl taint` writes it; without a value, any value is tolerated."""
    label, _, effect = taint.rpartition(":")
    key, equals, value = label.partition("=")
    return argo.Toleration(key=key, effect=effect, operator="Equal" if equals else "Exists", value=value or None)
