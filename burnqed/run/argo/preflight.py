"""Checks before anything is submitted: each failure is one sentence with what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from burnqed import __version__
from burnqed.branch import check_branch
from burnqed.cluster_config import PoolConfig
from burnqed.config import RunConfig
from burnqed.data.rows import LINES
from burnqed.errors import BadInput, TryAgain
from burnqed.layout import Layout
from burnqed.lean import backends
from burnqed.run.argo.access import FORBIDDEN, Access, Document, Settings
from burnqed.run.argo.children import creates
from burnqed.run.contradictions import check_settings
from burnqed.run.works import parameters_of, place_of, tasks_in, works_of
from burnqed.steps.indices import INPUTS
from burnqed.steps.plan import require_predecessor
from burnqed.store import Store

OLDEST_ARGO = (3, 6)
FILES = (".parquet", LINES, ".lean", ".json")
"""How the names of files end that are imported or traced."""
STARTUP_S = {"embedded": 20.0, "sglang": 240.0}
"""Time until a policy server answers: starting the pod, fetching and loading the model."""
STARTUP_SHARE = 0.1
IDENTITIES = ("eks.amazonaws.com/role-arn", "iam.gke.io/gcp-service-account", "azure.workload.identity/client-id")
"""Annotations that give a service account rights in a cloud without keys."""


@dataclass
class Findings:
    """What preflight reports besides the failures that it raises."""

    warnings: list[str] = field(default_factory=list)
    store: Store | None = None
    """The store, if it can be told from here what the workflow would redo in it."""


def preflight(
    access: Access, workflow: Document, settings: Settings, config: RunConfig, store: str, layout: Layout
) -> Findings:
    """Raises BadInput at the first thing that would make the workflow fail; returns warnings, and the store."""
    findings = Findings()
    check_version(settings, findings)
    check_images(workflow)
    check_source(workflow)
    check_store(store, layout, findings)
    check_backend(config, findings)
    check_contradictions(workflow)
    check_gpus(config)
    check_startup(config, findings)
    check_cluster(access, workflow, config, findings)
    access.create(workflow, dry_run=True)
    return findings


def check_version(settings: Settings, findings: Findings) -> None:
    if settings.version != __version__:
        findings.warnings.append(
            f"The chart is of version {settings.version} and this is burnqed {__version__}; upgrade the older one."
        )


def check_images(workflow: Document) -> None:
    for work in (workflow, *works_of(workflow)):
        used = set(re.findall(r"\{\{workflow\.parameters\.([a-z]+-image)\}\}", str(work["spec"]["templates"])))
        for name, value in parameters_of(work).items():
            if name in used and not value:
                raise BadInput(f"No image is given for {name}; set images.registry of the chart, or give --image.")


def check_source(workflow: Document) -> None:
    """Checks that what is imported or traced is no file of this machine. A name without a slash in front may be a model's on the hub."""
    given = {parameter["name"]: parameter.get("value") for parameter in workflow["spec"]["arguments"]["parameters"]}
    source = given.get("source") or ""
    is_elsewhere = "://" in source or source.startswith(INPUTS)
    if not is_elsewhere and (source.startswith(("/", ".", "~")) or source.endswith(FILES)):
        raise BadInput(
            f"{source} is a file or folder of this machine, which pods do not see; upload it, and give its address as --source, as in s3://BUCKET/FILE."
        )


def check_store(address: str, layout: Layout, findings: Findings) -> None:
    """Checks that the previous iteration is complete, and a branch possible. If the store cannot be reached from here, `plan` finds out."""
    if "://" not in address:
        raise BadInput(
            f"{address} is a folder of this machine, which pods do not see; give s3://BUCKET/PREFIX as --store."
        )
    try:
        store = Store(address)
        store.check_writable()
    except (BadInput, TryAgain) as error:
        findings.warnings.append(
            f"Neither the store nor the settings of the run were checked from here ({error}) The first step will check the store; without --profile "
            "the settings are the chart's."
        )
        return
    findings.store = store
    check_branch(store, layout)
    require_predecessor(store, layout)


def check_backend(config: RunConfig, findings: Findings) -> None:
    """Only the images need another package's Lean backend, or a project of one's own, but keys of outputs depend on it."""
    lean = config.lean
    if lean.backend not in backends.names():
        missing = f"The Lean backend {lean.backend!r} is not installed here"
    elif lean.project and not Path(lean.project).is_dir():
        missing = f"The Lean project {lean.project} is not on this machine"
    else:
        return
    findings.warnings.append(
        f"{missing}, so which finished outputs this would redo was not checked; the first step checks that the image has it."
    )
    findings.store = None


def check_contradictions(workflow: Document, changed: Mapping[str, str] | None = None) -> None:
    """With `changed` values of workflow parameters."""
    for work in works_of(workflow, changed):
        check_settings(place_of(work)[1], tasks_in(work))


def check_gpus(config: RunConfig) -> None:
    """Raises BadInput when SGLang, or a training, needs more GPUs than its pod has."""
    policy, gpus = config.policy, config.serving.gpus
    needed = policy.tensor_parallel * policy.data_parallel
    if config.workflow.policy_server == "sglang" and needed > max(1, gpus):
        raise BadInput(
            f"policy.tensor_parallel={policy.tensor_parallel} and policy.data_parallel={policy.data_parallel} need {needed} GPUs, and "
            f"serving.gpus is {gpus}; set serving.gpus={needed}."
        )
    processes, gpus = config.sft.processes or 1, config.trainer.gpus
    if 0 < gpus < processes:
        raise BadInput(
            f"sft.processes={processes} need as many GPUs, and trainer.gpus is {gpus}; set trainer.gpus={processes}."
        )


def check_startup(config: RunConfig, findings: Findings) -> None:
    """Warns if starting its pod takes more than a tenth of a search shard's time, which wastes the GPU."""
    shards = config.search.shards or 2 * config.workflow.parallelism
    open_theorems = min(config.search.open_theorems, max(1, config.select.theorems // shards))
    longest = config.select.theorems / shards * config.search.seconds / open_theorems
    startup = STARTUP_S[config.workflow.policy_server]
    if startup / (startup + longest) > STARTUP_SHARE:
        findings.warnings.append(
            f"A search shard lasts at most {longest:.0f} s and takes about {startup:.0f} s to start; fewer shards (search.shards={shards} "
            "now) would waste less."
        )


def check_cluster(access: Access, workflow: Document, config: RunConfig, findings: Findings) -> None:
    """Checks what only the Kubernetes API shows; through an Argo server, only its version."""
    from burnqed.run.argo.server import ArgoServer

    if isinstance(access, ArgoServer):
        check_argo(access.version())
        findings.warnings.append("Rights, Secrets and nodes were not checked: the Argo server does not show them.")
        return
    from burnqed.run.argo.kube import KubeApi

    assert isinstance(access, KubeApi)
    check_server(access, findings)
    check_rights(access)
    check_objects(access, workflow, config)
    check_nodes(access, config, findings)


def check_argo(version: str) -> None:
    numbers = tuple(int(n) for n in re.findall(r"\d+", version)[:2])
    if numbers and numbers < OLDEST_ARGO:
        raise BadInput(
            f"Argo Workflows {version} is too old; upgrade it to {OLDEST_ARGO[0]}.{OLDEST_ARGO[1]} or newer."
        )


def check_server(access: Any, findings: Findings) -> None:
    """Checks the version that Argo's server reports, however it was installed. Without the server Argo works, but `retry` and `approve` do not."""
    from burnqed.run.argo.forward import argo_server

    try:
        with argo_server(access) as server:
            version = server.version()
    except (BadInput, TryAgain) as error:
        findings.warnings.append(f"Argo's version was not checked ({error})")
        return
    check_argo(version)


def check_rights(access: Any) -> None:
    for verb in ("create", "get", "list", "patch"):
        asked = {"namespace": access.namespace, "verb": verb, "group": "argoproj.io", "resource": "workflows"}
        with access.errors():
            review = {"spec": {"resourceAttributes": asked}}
            allowed = access.authorization.create_self_subject_access_review(review).status.allowed
        if not allowed:
            raise BadInput(
                f"You may not {verb} workflows in the namespace {access.namespace}; ask for its Role burnqed-submitter."
            )


def check_objects(access: Any, workflow: Document, config: RunConfig) -> None:
    cluster, core, namespace = config.cluster, access.core, access.namespace
    own = cluster.service_account
    parent = cluster.parent_account if creates(workflow) else None
    needed: list[tuple[str, Callable[..., Any], str | None]] = [
        ("The service account", core.read_namespaced_service_account, own),
        ("The service account", core.read_namespaced_service_account, parent),
        ("Argo's Secret", core.read_namespaced_secret, f"{own}.service-account-token"),
        ("The ConfigMap of the artifacts", core.read_namespaced_config_map, cluster.artifacts),
    ]
    for what, read, name in needed:
        if name:
            missing = f"{what} ({name}) is missing in the namespace {namespace}; install the chart there again."
            with access.errors(missing):
                read(name, namespace)
    account = core.read_namespaced_service_account(own, namespace)
    if not set(IDENTITIES) & (account.metadata.annotations or {}).keys():
        with access.errors(
            f"The Secret {cluster.store_secret} is missing in the namespace {namespace}, and the service account has no workload "
            "identity; create it with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give store.accessKey to the chart."
        ):
            core.read_namespaced_secret(cluster.store_secret, namespace)


def check_nodes(access: Any, config: RunConfig, findings: Findings) -> None:
    """Warns of each pool with GPUs for whose pods no node is big enough. A policy server's pod also has the worker that asks it."""
    try:
        nodes = access.core.list_node().items
    except Exception as error:
        if getattr(error, "status", None) != FORBIDDEN:
            raise
        findings.warnings.append("Nodes were not checked: you may not list them.")
        return
    for name, pool, beside in (("trainer", config.trainer, None), ("serving", config.serving, config.worker)):
        if pool.gpus and not any(fits(node, pool, beside) for node in nodes):
            more = f" (and {beside.cpu} CPUs and {beside.memory} for the worker beside it)" if beside else ""
            findings.warnings.append(
                f"No node now has {pool.gpus} GPU(s), {pool.cpu} CPUs and {pool.memory} for the pool {name}{more}"
                f"{' with ' + ', '.join(pool.node_selector) if pool.node_selector else ''}: unless an autoscaler adds one, its pods will wait."
            )


def fits(node: Any, pool: PoolConfig, beside: PoolConfig | None) -> bool:
    from kubernetes.utils.quantity import parse_quantity  # installed, since the nodes came through it

    labels, free = node.metadata.labels or {}, node.status.allocatable or {}
    selected = all(labels.get(key) == value for key, _, value in (s.partition("=") for s in pool.node_selector))
    needed = {"nvidia.com/gpu": parse_quantity(pool.gpus)}
    for what in ("cpu", "memory"):
        needed[what] = sum(parse_quantity(getattr(one, what)) for one in (pool, beside) if one)
    return selected and all(parse_quantity(free.get(what, 0)) >= least for what, least in needed.items())
