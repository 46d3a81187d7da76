"""The Argo server through the Kubernetes API, as by `kubectl port-forward service/argo-server`, for what only the server can tell or do.

The user's own token goes through, so it must not reach anybody else. The Service is named by the user (`service_of_argo`), never searched
for; the API server, which the kubeconfig authenticates, says which pods are behind it and carries the bytes to one of them by name; and
that pod must be run by the Deployment of the Service's name, which a label alone does not prove. Inside that tunnel TLS adds nothing by
default: Argo creates its own certificate at every start, which nobody can verify. If it has a signed one, $BURNQED_ARGO_CA has it verified.
"""

from __future__ import annotations

import os
import select
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import NamedTuple

from kubernetes.client import AppsV1Api, DiscoveryV1Api, V1Pod
from kubernetes.client.exceptions import ApiException
from kubernetes.stream import portforward

from burnqed.errors import BadInput
from burnqed.run.argo.access import FORBIDDEN, SERVICE_VARIABLE, service_of_argo
from burnqed.run.argo.kube import TIMEOUT_S, KubeApi
from burnqed.run.argo.server import ArgoServer

CA_VARIABLE = "BURNQED_ARGO_CA"
"""Names a file with the CA certificates (PEM) for the Argo server's own, which must be for SERVICE.NAMESPACE.svc."""
CHUNK = 1 << 16


class Target(NamedTuple):
    """The far end of a tunnel."""

    namespace: str
    pod: str
    port: int
    secure: bool


@contextmanager
def argo_server(access: KubeApi) -> Iterator[ArgoServer]:
    """The cluster's Argo server, at a local port while the block runs. Raises BadInput if there is none that may have the token."""
    namespace, service = service_of_argo()
    target = find(access, namespace, service)
    verify = verification(target, service)
    token = os.environ.get("ARGO_TOKEN") or access.token
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        threading.Thread(target=serve, args=(listener, access, target), daemon=True, name="port-forward").start()
        address = f"{'https' if target.secure else 'http'}://127.0.0.1:{listener.getsockname()[1]}"
        yield ArgoServer(address, access.namespace, token, verify=verify, server_name=f"{service}.{namespace}.svc")


def find(access: KubeApi, namespace: str, service: str) -> Target:
    """A ready pod behind the Service that is run by the Deployment of the same name. Raises BadInput if there is none."""
    strangers = []
    with access.errors(), rights(namespace):
        slices = DiscoveryV1Api(access.core.api_client).list_namespaced_endpoint_slice(
            namespace, label_selector=f"kubernetes.io/service-name={service}", _request_timeout=TIMEOUT_S
        )
        for part in slices.items:
            for endpoint in part.endpoints or ():
                if not (endpoint.target_ref and endpoint.conditions and endpoint.conditions.ready):
                    continue
                name = endpoint.target_ref.name
                pod = access.core.read_namespaced_pod(name, namespace, _request_timeout=TIMEOUT_S)
                if deployment_of(access, pod) == service:
                    arguments = pod.spec.containers[0].args or []
                    return Target(namespace, name, part.ports[0].port, "--secure=false" not in arguments)
                strangers.append(name)
    if strangers:
        raise BadInput(
            f"{', '.join(strangers)} answers for the Service {service} in the namespace {namespace}, but the Deployment {service} does not run it, so "
            "it may be anybody's and does not get your token; find out who created it, and delete it."
        )
    raise BadInput(
        f"This needs the Argo server, and no pod is ready behind a Service {service} in the namespace {namespace}; if yours is another, "
        f"set {SERVICE_VARIABLE}=NAMESPACE/SERVICE, or set ARGO_SERVER and ARGO_TOKEN."
    )


@contextmanager
def rights(namespace: str) -> Iterator[None]:
    """Says which rights are missing if the cluster forbids looking."""
    try:
        yield
    except ApiException as error:
        if error.status == FORBIDDEN:
            raise BadInput(
                f"You may not look up the Argo server in the namespace {namespace}; ask for the Role of "
                "manifests/examples/argo-access.yaml there, or set ARGO_SERVER and ARGO_TOKEN."
            ) from None
        raise


def deployment_of(access: KubeApi, pod: V1Pod) -> str | None:
    """Name of the Deployment that runs a pod; None if none does."""
    owners = {owner.kind: owner for owner in pod.metadata.owner_references or () if owner.controller}
    if "ReplicaSet" not in owners:
        return None
    owner = owners["ReplicaSet"]
    apps = AppsV1Api(access.core.api_client)
    replicas = apps.read_namespaced_replica_set(owner.name, pod.metadata.namespace, _request_timeout=TIMEOUT_S)
    above = [o.name for o in replicas.metadata.owner_references or () if o.controller and o.kind == "Deployment"]
    return above[0] if above and replicas.metadata.uid == owner.uid else None


def verification(target: Target, service: str) -> ssl.SSLContext | bool:
    """What the server's certificate is verified against; False not to verify it."""
    file = os.environ.get(CA_VARIABLE)
    if not file:
        return False
    if not target.secure:
        raise BadInput(
            f"{CA_VARIABLE} is set, but the Argo server {service} in the namespace {target.namespace} runs without TLS (--secure=false); "
            "give it a certificate, or unset the variable."
        )
    try:
        return ssl.create_default_context(cafile=file)
    except (OSError, ssl.SSLError) as error:
        raise BadInput(f"{CA_VARIABLE}={file} has no readable certificates ({error}).") from None


def serve(listener: socket.socket, access: KubeApi, target: Target) -> None:
    with suppress(OSError):  # the block has ended and closed the listener
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=carry, args=(connection, access, target), daemon=True).start()


def carry(connection: socket.socket, access: KubeApi, target: Target) -> None:
    """Carries the bytes of one connection both ways until either side closes it."""
    with connection, suppress(OSError, ApiException):
        forwarded = portforward(
            access.core.connect_get_namespaced_pod_portforward, target.pod, target.namespace, ports=str(target.port)
        )
        with closing(forwarded.socket(target.port)) as remote:
            remote.setblocking(True)
            sides = {connection: remote, remote: connection}
            while True:
                readable, _, _ = select.select(list(sides), [], [])
                for side in readable:
                    if not (data := side.recv(CHUNK)):
                        return
                    sides[side].sendall(data)
