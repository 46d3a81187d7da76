"""The containers of all workflows. Only this file knows Argo's fields, and it emits nothing else than what is listed in
`burnqed/run/vocabulary.py`, so that Argo and the local runner mean the same.

A container runs `burnqed step NAME`. The configuration, the store and the run travel as workflow parameters; ports and paths
reach processes through environment variables only, because the local runner has to change them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hera.workflows import (
    Artifact,
    ConfigMapEnvFrom,
    Container,
    EmptyDirVolume,
    Env,
    ExistingVolume,
    HostPathVolume,
    NoneArchiveStrategy,
    Parameter,
    ProjectedVolume,
    Resources,
    SecretEnvFrom,
    SecretVolume,
    Suspend,
    UserContainer,
    Workflow,
)
from hera.workflows.models import (
    ArtifactRepositoryRef,
    Capabilities,
    ConfigMapProjection,
    ContainerPort,
    DownwardAPIProjection,
    DownwardAPIVolumeFile,
    ExecutorConfig,
    HTTPGetAction,
    Metadata,
    Mutex,
    ObjectFieldSelector,
    PodGC,
    PodSecurityContext,
    Probe,
    Quantity,
    SeccompProfile,
    SecurityContext,
    ServiceAccountTokenProjection,
    Synchronization,
    Toleration,
    TTLStrategy,
    ValueFrom,
    VolumeProjection,
)

from burnqed import __version__
from burnqed.cluster_config import PoolConfig
from burnqed.config import RunConfig
from burnqed.steps.table import Row

from .retry import RetryPolicy

SCRATCH = "/tmp"
OUTPUTS = f"{SCRATCH}/burnqed/outputs"
"""Parameters that a step hands to the workflow, a file each."""
ARTIFACTS = f"{SCRATCH}/burnqed/artifacts"
"""Files that Argo's UI shows."""
MODELS = f"{SCRATCH}/models"
CERTIFICATES = "/etc/burnqed/ca"
POLICY_PORT = 30000
METRICS_PORT = 9100
STATUS_PORT = 9101
"""Of the policy server, as METRICS_PORT of the search: the ports that answer at a pod's address."""
IDENTITY = "/var/run/secrets/burnqed"
"""Token, certificate and namespace by which the exit handler, and no other container of ours, reads its workflow."""
REFUSAL = f"{SCRATCH}/burnqed/refusal"
"""File in which a policy server says why it will never serve."""
PROBE_S = 5
"""Kubernetes' own patience of a second is too short for a busy server."""

PART_OF = {"app.kubernetes.io/part-of": "burnqed"}
"""Label of every workflow and every pod."""
WORKFLOW_LABEL = "burnqed.dev/workflow"
RUN_LABEL = "burnqed.dev/run"
ITERATION_LABEL = "burnqed.dev/iteration"
COMPONENT_LABEL = "app.kubernetes.io/component"
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
GPU_TAINT = "nvidia.com/gpu:NoSchedule"

PODS_KEPT = "300s"
"""After success, for whoever looks at a pod that just ended; its log is in the store."""

USER = 1000
SECURE = SecurityContext(
    run_as_non_root=True,
    run_as_user=USER,
    read_only_root_filesystem=True,
    allow_privilege_escalation=False,
    capabilities=Capabilities(drop=["ALL"]),
)
EXECUTOR_SECURITY = {
    "securityContext": {
        "readOnlyRootFilesystem": True,
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }
}
"""Of the containers that Argo adds to a pod; the rest they inherit from the pod."""


def new_workflow(name: str, config: RunConfig, parameters: dict[str, str]) -> Workflow:
    """An empty workflow whose configuration is one parameter; what works on one iteration of one run excludes each other."""
    cluster = config.cluster
    of_iteration = f"-iter-{parameter('iteration')}" if "iteration" in parameters else ""
    seconds = int(cluster.keep_days * 86_400)
    return Workflow(
        generate_name=f"{name}-",
        labels={**PART_OF, WORKFLOW_LABEL: name},
        entrypoint="main",
        arguments=[
            *(Parameter(name=key, value=value) for key, value in ({"redo": ""} | parameters).items()),
            Parameter(name="config", value=config.to_json()),
            Parameter(name="worker-image", value=f"burnqed-worker:{__version__}"),
            Parameter(name="trainer-image", value=f"burnqed-trainer:{__version__}"),
            Parameter(name="sglang-image", value=f"burnqed-sglang:{__version__}"),
        ],
        parallelism=config.workflow.parallelism,
        synchronization=Synchronization(mutexes=[Mutex(name=parameter("run") + of_iteration)]),
        service_account_name=cluster.service_account,
        automount_service_account_token=False,
        executor=ExecutorConfig(service_account_name=cluster.service_account),
        security_context=PodSecurityContext(
            run_as_non_root=True,
            run_as_user=USER,
            run_as_group=USER,
            fs_group=USER,
            seccomp_profile=SeccompProfile(type="RuntimeDefault"),
        ),
        pod_metadata=Metadata(labels={**PART_OF, **({QUEUE_LABEL: cluster.queue} if cluster.queue else {})}),
        pod_priority_class_name=cluster.priority_class,
        pod_spec_patch=json.dumps(pod_patch(cluster.grace_s)),
        pod_gc=PodGC(strategy="OnPodSuccess", delete_delay_duration=PODS_KEPT),
        ttl_strategy=TTLStrategy(seconds_after_completion=seconds),
        artifact_repository_ref=ArtifactRepositoryRef(config_map=cluster.artifacts) if cluster.artifacts else None,
    )


def pod_patch(grace_s: int) -> dict[str, Any]:
    """What Argo has no field for."""
    return {
        "terminationGracePeriodSeconds": grace_s,
        "initContainers": [{"name": "init", **EXECUTOR_SECURITY}],
        "containers": [{"name": "wait", **EXECUTOR_SECURITY}],
    }


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
) -> Container:
    """The container of a step.

    Pool, shards, and the policy server beside it are as the table says. `label` is its name where that is not the task's; `options` and
    `flags` are given to it as they are, `inputs` as options of the same names; `outputs` are parameters that it writes as files into $BURNQED_OUTPUTS, `artifacts` files in $BURNQED_ARTIFACTS;
    `hub` gives it the token of the model hub, `identity` one for the cluster.
    """
    template = label or row.task
    is_training = row.pool == "trainer"
    task = f"{template}({{{{inputs.parameters.shard}}}})" if row.sharded else template
    retry = RetryPolicy(config.workflow.retries, config.workflow.retry_seconds)
    pool = getattr(config, row.pool)
    arguments = [*common_arguments(row.iterated), *(["--stage", row.stage] if row.stage else [])]
    inputs = ("shard", *inputs) if row.sharded else inputs
    given = {**(options or {}), **{name: f"{{{{inputs.parameters.{name}}}}}" for name in inputs}}
    fields: dict[str, Any] = {}
    if row.policy:
        fields["sidecars"] = [policy_server(config, task, arguments)]
        fields["ports"] = [ContainerPort(name="metrics", container_port=METRICS_PORT)]
    if inputs:
        fields["inputs"] = [Parameter(name=name) for name in inputs]
    if outputs or artifacts:
        fields["outputs"] = [
            *(Parameter(name=o, value_from=ValueFrom(path=f"{OUTPUTS}/{o}")) for o in outputs),
            *(
                Artifact(
                    name=a.partition(".")[0], path=f"{ARTIFACTS}/{a}", archive=NoneArchiveStrategy(), optional=True
                )
                for a in (artifacts if config.cluster.artifacts else ())
            ),
        ]
    return Container(
        name=template,
        image=parameter(f"{row.pool}-image"),
        image_pull_policy=config.cluster.pull_policy,
        command=["burnqed"],
        args=[
            "step",
            row.name,
            *arguments,
            *(word for o, v in given.items() for word in (f"--{o}", v)),
            *(f"--{flag}" for flag in flags),
        ],
        env=environment(config, task, row.pool, policy=row.policy),
        env_from=[*cluster_environment(config), *([hub_token(config)] if hub else [])],
        resources=resources(pool),
        volumes=[
            *volumes(config, pool, memory=is_training or row.policy, models=is_training or row.policy),
            *([identity_volume()] if identity else []),
        ],
        security_context=SECURE,
        retry_strategy=retry.strategy(),
        annotations=retry.annotation(),
        labels={COMPONENT_LABEL: row.name},
        active_deadline_seconds=int(config.workflow.step_hours * 3600),
        **placement(config.serving if row.policy else pool),
        **fields,
    )


def question(name: str, parameter: str, description: str) -> Suspend:
    """Suspends the workflow until somebody answers `yes` or `no`: in the UI, with `burnqed approve`, or on the terminal."""
    answers = Parameter(name=parameter, enum=["yes", "no"], default="yes", description=description)
    return Suspend(name=name, intermediate_parameters=[answers])


def policy_server(config: RunConfig, task: str, arguments: Sequence[str]) -> UserContainer:
    """The sidecar that proposes tactics and scores states: this package, or SGLang with this package beside it."""
    return UserContainer(
        name="policy",
        image=parameter("sglang-image" if config.workflow.policy_server == "sglang" else "trainer-image"),
        image_pull_policy=config.cluster.pull_policy,
        command=["burnqed"],
        args=["serve", *arguments],
        env=environment(config, task, "serving", policy=True),
        env_from=cluster_environment(config),
        resources=resources(config.serving),
        mirror_volume_mounts=True,
        ports=[ContainerPort(name="policy", container_port=STATUS_PORT)],
        security_context=SECURE,
        readiness_probe=Probe(
            http_get=HTTPGetAction(path="/ready", port=STATUS_PORT), period_seconds=2, timeout_seconds=PROBE_S
        ),
    )


def parameter(name: str) -> str:
    """Stands for the value of a workflow parameter."""
    return f"{{{{workflow.parameters.{name}}}}}"


def common_arguments(iterated: bool) -> list[str]:
    common = {"store": "store", "run": "run"} | ({"iter": "iteration"} if iterated else {})
    return [word for option, name in common.items() for word in (f"--{option}", parameter(name))]


def environment(config: RunConfig, task: str, pool: str, *, policy: bool) -> list[Any]:
    """Of a container of the pool, in a pod with or without a policy server."""
    gpus = getattr(config, pool).gpus
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
    if gpus:
        variables |= {"BURNQED_GPUS": str(gpus)}
    if policy:
        variables |= {"BURNQED_METRICS_PORT": str(METRICS_PORT), "BURNQED_STATUS_PORT": str(STATUS_PORT)}
        variables |= {"BURNQED_REFUSAL": REFUSAL}
        variables |= {"BURNQED_POLICY_PORT": str(POLICY_PORT), "BURNQED_SCORE_PORT": str(score_port(config))}
    return [Env(name=name, value=value) for name, value in variables.items()]


def score_port(config: RunConfig) -> int:
    """Where embeddings and energies come from: SGLang knows nothing of them, so that a second server stands beside it."""
    return POLICY_PORT + 1 if config.workflow.policy_server == "sglang" else POLICY_PORT


def cluster_environment(config: RunConfig) -> list[Any]:
    """Address and credentials of the store, where the cluster has any to give."""
    return [
        ConfigMapEnvFrom(name=config.cluster.environment, optional=True),
        SecretEnvFrom(name=config.cluster.store_secret, optional=True),
    ]


def hub_token(config: RunConfig) -> SecretEnvFrom:
    return SecretEnvFrom(name=config.cluster.hub_secret, optional=True)


def resources(pool: PoolConfig) -> Resources:
    return Resources(
        cpu_request=pool.cpu,
        cpu_limit=pool.cpu_limit or pool.cpu,
        memory_request=pool.memory,
        memory_limit=pool.memory_limit or pool.memory,
        gpus=pool.gpus or None,
    )


def volumes(config: RunConfig, pool: PoolConfig, *, memory: bool, models: bool) -> list[Any]:
    """Everything a container may write to: its root is read-only."""
    cluster = config.cluster
    found: list[Any] = [
        EmptyDirVolume(name="scratch", mount_path=SCRATCH, size_limit=Quantity(pool.scratch)),
        SecretVolume(name="ca", secret_name=cluster.ca, mount_path=CERTIFICATES, optional=True),
    ]
    if memory:
        found.append(
            EmptyDirVolume(
                name="shm", mount_path="/dev/shm", medium="Memory", size_limit=Quantity(cluster.shared_memory)
            )
        )
    if models:
        kind, _, where = cluster.model_cache.partition(":")
        if kind == "pvc":
            found.append(ExistingVolume(name="models", claim_name=where, mount_path=MODELS))
        elif kind == "hostPath":
            found.append(HostPathVolume(name="models", path=where, type="DirectoryOrCreate", mount_path=MODELS))
        else:
            found.append(
                EmptyDirVolume(name="models", mount_path=MODELS, size_limit=Quantity(cluster.model_cache_size))
            )
    return found


def identity_volume() -> ProjectedVolume:
    """What Kubernetes would mount by itself, were it not told to mount it nowhere."""
    namespace = DownwardAPIVolumeFile(path="namespace", field_ref=ObjectFieldSelector(field_path="metadata.namespace"))
    return ProjectedVolume(
        name="identity",
        mount_path=IDENTITY,
        read_only=True,
        sources=[
            VolumeProjection(service_account_token=ServiceAccountTokenProjection(path="token")),
            VolumeProjection(config_map=ConfigMapProjection(name="kube-root-ca.crt", optional=True)),
            VolumeProjection(downward_api=DownwardAPIProjection(items=[namespace])),
        ],
    )


def placement(pool: PoolConfig) -> dict[str, Any]:
    """On which nodes a pod may run."""
    selector = dict(label.split("=", 1) for label in pool.node_selector)
    taints = [*pool.tolerations, *([GPU_TAINT] if pool.gpus else [])]
    return {"node_selector": selector or None, "tolerations": [toleration(taint) for taint in taints] or None}


def toleration(taint: str) -> Toleration:
    """`key=value:effect`, as `kubectl taint` writes it; without a value any one is tolerated."""
    label, _, effect = taint.rpartition(":")
    key, equals, value = label.partition("=")
    return Toleration(key=key, effect=effect, operator="Equal" if equals else "Exists", value=value or None)
