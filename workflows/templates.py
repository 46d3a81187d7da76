"""The containers of all workflows. Only this file knows Argo's fields, and it emits nothing else than what is listed in
`burnqed/run/vocabulary.py`, so that Argo and the local runner mean the same.

A container runs `burnqed step NAME`. The configuration, the store and the run travel as workflow parameters; ports and paths
reach processes through environment variables only, because the local runner has to change them.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from hera.workflows import (
    Container,
    EmptyDirVolume,
    Env,
    Parameter,
    Resources,
    RetryStrategy,
    UserContainer,
    Workflow,
)
from hera.workflows.models import (
    Backoff,
    Capabilities,
    HTTPGetAction,
    Mutex,
    Probe,
    SecurityContext,
    Synchronization,
    ValueFrom,
)

from burnqed import __version__
from burnqed.config import RunConfig

OUTPUTS = "/tmp/burnqed/outputs"
POLICY_PORT = 30000
RETRY_ANNOTATION = "burnqed.dev/retry"

SECURE = SecurityContext(
    run_as_non_root=True,
    run_as_user=1000,
    read_only_root_filesystem=True,
    allow_privilege_escalation=False,
    capabilities=Capabilities(drop=["ALL"]),
)


@dataclass(frozen=True)
class RetryPolicy:
    """When a step is run again. The exit codes are those of `burnqed.errors` and of the signals of a lost machine."""

    limit: int
    seconds: int
    factor: int = 2
    exit_codes: tuple[int, ...] = (75, 137, 143)

    def annotation(self) -> dict[str, str]:
        """The policy as data, for the local runner."""
        return {RETRY_ANNOTATION: json.dumps(asdict(self))}

    def strategy(self) -> RetryStrategy:
        """The policy in Argo's words: bugs (1) and out-of-memory kills are not repeated, lost pods are."""
        return RetryStrategy(
            limit=self.limit,
            retry_policy="Always",
            backoff=Backoff(duration=f"{self.seconds}s", factor=self.factor),
            expression=f"(asInt(lastRetry.exitCode) in {list(self.exit_codes)} || lastRetry.status == 'Error'"
            " || lastRetry.message matches '(?i)pod deleted|evicted|imminent node shutdown')"
            " && !(lastRetry.message matches 'OOMKilled')",
        )


@dataclass(frozen=True)
class Pool:
    """Where a container runs and what it may use."""

    image: str
    cpu: str
    memory: str
    memory_limit: str


WORKER = Pool("{{workflow.parameters.worker-image}}", "2", "3Gi", "8Gi")
TRAINER = Pool("{{workflow.parameters.trainer-image}}", "2", "4Gi", "16Gi")


def new_workflow(name: str, config: RunConfig, parameters: dict[str, str]) -> Workflow:
    """An empty workflow whose configuration is one parameter; runs of one iteration of one run exclude each other."""
    return Workflow(
        generate_name=f"{name}-",
        entrypoint="main",
        arguments=[
            *(Parameter(name=key, value=value) for key, value in parameters.items()),
            Parameter(name="config", value=config.to_json()),
            Parameter(name="worker-image", value=f"burnqed-worker:{__version__}"),
            Parameter(name="trainer-image", value=f"burnqed-trainer:{__version__}"),
        ],
        parallelism=config.workflow.parallelism,
        synchronization=Synchronization(
            mutexes=[Mutex(name="{{workflow.parameters.run}}-iter-{{workflow.parameters.iteration}}")]
        ),
    )


def common_arguments() -> list[str]:
    return [
        "--iter",
        "{{workflow.parameters.iteration}}",
        "--store",
        "{{workflow.parameters.store}}",
        "--run",
        "{{workflow.parameters.run}}",
    ]


def step(
    name: str,
    config: RunConfig,
    *,
    pool: Pool = WORKER,
    stage: str = "",
    sharded: bool = False,
    policy: bool = False,
    outputs: tuple[str, ...] = (),
) -> Container:
    """The container of a step.

    `stage` tells the uses of one step apart; `sharded` gives it the input `shard`; `policy` gives it the policy server of
    the stage as a sidecar; `outputs` are parameters that it writes as files into $BURNQED_OUTPUTS.
    """
    retry = RetryPolicy(config.workflow.retries, config.workflow.retry_seconds)
    suffix = ["--stage", stage] if stage else []
    environment = [
        Env(name="BURNQED_CONFIG", value="{{workflow.parameters.config}}"),
        Env(name="BURNQED_REDO", value="{{workflow.parameters.redo}}"),
        Env(name="BURNQED_OUTPUTS", value=OUTPUTS),
    ]
    port = [Env(name="BURNQED_POLICY_PORT", value=str(POLICY_PORT))] if policy else []
    options: dict[str, Any] = {}
    if policy:
        options["sidecars"] = [
            UserContainer(
                name="policy",
                image=TRAINER.image,
                command=["burnqed"],
                args=["serve", *common_arguments(), *suffix],
                env=[*environment, *port],
                resources=resources(TRAINER),
                security_context=SECURE,
                readiness_probe=Probe(http_get=HTTPGetAction(path="/ready", port=POLICY_PORT), period_seconds=1),
            )
        ]
    if sharded:
        options["inputs"] = [Parameter(name="shard")]
    if outputs:
        options["outputs"] = [Parameter(name=o, value_from=ValueFrom(path=f"{OUTPUTS}/{o}")) for o in outputs]
    return Container(
        name=f"{name}-{stage}" if stage and name in ("embed", "ebm") else name,
        image=pool.image,
        command=["burnqed"],
        args=[
            "step",
            name,
            *common_arguments(),
            *suffix,
            *(["--shard", "{{inputs.parameters.shard}}"] if sharded else []),
        ],
        env=[*environment, *port],
        resources=resources(pool),
        volumes=[EmptyDirVolume(name="scratch", mount_path="/tmp")],
        security_context=SECURE,
        retry_strategy=retry.strategy(),
        annotations=retry.annotation(),
        active_deadline_seconds=int(config.workflow.step_hours * 3600),
        **options,
    )


def resources(pool: Pool) -> Resources:
    return Resources(cpu_request=pool.cpu, memory_request=pool.memory, memory_limit=pool.memory_limit)
