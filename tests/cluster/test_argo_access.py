"""Who gets the user's token on the way to the Argo server: nobody who forges a label, and nobody without the certificate where there is one."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.client.exceptions import ApiException

from burnqed.errors import BadInput, TryAgain
from burnqed.run.argo.access import SERVICE_VARIABLE, service_of_argo
from burnqed.run.argo.forward import CA_VARIABLE, argo_server
from burnqed.run.argo.nodes import phase_of
from burnqed.run.argo.preflight import Findings, check_server
from tests.fixtures.argo_servers import (
    apply,
    deployed,
    forged_pod,
    forger,
    kubectl,
    make_certificate,
    named,
    real_server,
    service,
)
from tests.fixtures.cluster import Cluster
from tests.fixtures.shared import ROOT

NAME = "argo-workflows-server"
"""As the community's chart calls it."""


def until(condition: Callable[[], object], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.5)


def ready_pods(namespace: str, name: str) -> set[str]:
    """Pods behind a Service."""
    label = f"kubernetes.io/service-name={name}"
    found = json.loads(kubectl("-n", namespace, "get", "endpointslices", "-l", label, "-o", "json"))["items"]
    endpoints = [endpoint for part in found for endpoint in part.get("endpoints") or ()]
    return {endpoint["targetRef"]["name"] for endpoint in endpoints if endpoint["conditions"]["ready"]}


@contextmanager
def pod(cluster: Cluster, name: str, namespace: str, **labels: str) -> Iterator[None]:
    """A forger, while the block runs."""
    apply(forged_pod(name, namespace, cluster.worker, **labels))
    try:
        yield
    finally:
        with suppress(ApiException):
            cluster.access.core.delete_namespaced_pod(name, namespace, grace_period_seconds=0)


@pytest.mark.timeout(600)
def test_a_pod_that_forges_the_label_never_gets_the_token(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    namespace, name = service_of_argo()
    selector = cluster.access.core.read_namespaced_service(name, namespace).spec.selector
    mine = ("forger", cluster.namespace)
    beside = ("a-forger", namespace)
    with pod(cluster, *mine, **selector), pod(cluster, *beside, **selector):
        until(lambda: {beside[0]} < ready_pods(namespace, name))
        for _ in range(5):
            with argo_server(cluster.access) as server:
                assert server.version().startswith("v")
        failed = cluster.hera("retry", "nothing")
        assert (failed.returncode, "There is no workflow nothing" in failed.stderr) == (2, True), failed.stderr
        # Where the forger stands alone behind the Service it is refused by name.
        apply(service(name, cluster.namespace, **selector))
        until(lambda: ready_pods(cluster.namespace, name))
        monkeypatch.setenv(SERVICE_VARIABLE, f"{cluster.namespace}/{name}")
        with pytest.raises(BadInput, match="forger answers for the Service"), argo_server(cluster.access):
            pass
        for who in (mine, beside):
            assert cluster.access.core.read_namespaced_pod_log(*who) == "", "it was spoken to"


@pytest.fixture(scope="module")
def servers(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Argo's server as another chart installs it, with a certificate, and a forged one; the folder with their certificates."""
    folder = tmp_path_factory.mktemp("certificates")
    namespace, name = service_of_argo()
    image = kubectl(
        "-n", namespace, "get", f"deployment/{name}", "-o", "jsonpath={.spec.template.spec.containers[0].image}"
    )
    pair = "".join(make_certificate(folder, "another"))
    apply(
        *real_server(NAME, cluster.namespace, image, folder),
        *deployed("forged", cluster.namespace, forger(cluster.worker, pair)),
    )
    for one in (NAME, "forged"):
        until(lambda one=one: ready_pods(cluster.namespace, one))  # type: ignore[misc]
    return folder


@pytest.mark.timeout(300)
def test_an_argo_of_another_chart_is_asked_for_its_version_and_verified(
    cluster: Cluster, servers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SERVICE_VARIABLE, f"{cluster.namespace}/{NAME}")
    monkeypatch.setenv(CA_VARIABLE, str(servers / f"{NAME}.{cluster.namespace}.svc.crt"))

    def warnings() -> list[str]:
        found = Findings()
        check_server(cluster.access, found)
        return found.warnings

    until(lambda: not warnings())
    done = cluster.hera("retry", "nothing")
    assert "There is no workflow nothing" in done.stderr
    monkeypatch.setenv(SERVICE_VARIABLE, "nowhere/argo-server")
    assert "no pod is ready behind a Service argo-server in the namespace nowhere" in warnings()[0]


@pytest.mark.timeout(300)
def test_a_server_without_the_certificate_never_gets_the_token_where_one_is_asked_for(
    cluster: Cluster, servers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (forged,) = ready_pods(cluster.namespace, "forged")
    monkeypatch.setenv(SERVICE_VARIABLE, f"{cluster.namespace}/forged")
    # Neither a stranger's certificate will do, nor one that is vouched for but of another name.
    for given in (f"{NAME}.{cluster.namespace}.svc.crt", "another.crt"):
        monkeypatch.setenv(CA_VARIABLE, str(servers / given))
        with pytest.raises(TryAgain, match="certificate"), argo_server(cluster.access) as server:
            server.version()
    assert "GOT" not in cluster.access.core.read_namespaced_pod_log(forged, cluster.namespace)
    monkeypatch.delenv(CA_VARIABLE)
    with argo_server(cluster.access) as server:
        server.version()
    log = cluster.access.core.read_namespaced_pod_log(forged, cluster.namespace)
    assert cluster.access.token, "without one there is nothing to be stolen"
    assert cluster.access.token in log, "what it is sent is in its log"


@pytest.fixture
def ada(cluster: Cluster, tmp_path: Path) -> Iterator[str]:
    """The kubeconfig of somebody who has the chart's Role for submitting and the one for Argo's namespace, and nothing else."""
    namespace, _ = service_of_argo()
    rbac = "rbac.authorization.k8s.io"
    account = {"kind": "ServiceAccount", "name": "ada", "namespace": cluster.namespace}

    def binding(role: str, where: str) -> dict[str, Any]:
        to = {"apiGroup": rbac, "kind": "Role", "name": role}
        return named("RoleBinding", "ada", where, f"{rbac}/v1", subjects=[account], roleRef=to)

    role = yaml.safe_load((ROOT / "manifests/examples/argo-access.yaml").read_text())
    role["metadata"]["namespace"] = namespace
    objects = (
        named("ServiceAccount", "ada", cluster.namespace),
        role,
        binding("burnqed-submitter", cluster.namespace),
        binding("burnqed-argo-access", namespace),
    )
    apply(*objects)
    token = kubectl("-n", cluster.namespace, "create", "token", "ada").strip()
    file = tmp_path / "kubeconfig"
    file.write_text(Path(os.environ["KUBECONFIG"]).read_text())
    for words in (("set-credentials", "ada", f"--token={token}"), ("set-context", "--current", "--user=ada")):
        kubectl("config", "--kubeconfig", str(file), *words)
    try:
        yield str(file)
    finally:
        kubectl("delete", "-f", "-", given=yaml.safe_dump_all(objects))


@pytest.mark.timeout(900)
def test_who_may_submit_and_has_the_way_to_argo_may_retry_too(cluster: Cluster, ada: str) -> None:
    submitted = cluster.hera("submit", "import-data", "--source", cluster.absent, "--name", "x", KUBECONFIG=ada)
    assert submitted.returncode == 0, submitted.stderr
    assert "version was not checked" not in submitted.stderr
    name = submitted.stdout.splitlines()[0]
    cluster.wait(name)
    again = cluster.hera("retry", name, KUBECONFIG=ada)
    assert again.returncode == 0, again.stderr
    assert phase_of(cluster.wait(name)) == "Failed", "what it imports is still missing"
