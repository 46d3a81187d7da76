"""The Argo server through the Kubernetes API: what `kubectl port-forward` does, for commands that only the server can do."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from kubernetes.client.exceptions import ApiException
from kubernetes.stream import portforward

from burnqed.errors import BadInput
from burnqed.run.argo.kube import KubeApi
from burnqed.run.argo.server import ArgoServer

LABELS = "app=argo-server"
PORT = 2746
CHUNK = 1 << 16


@contextmanager
def argo_server(access: KubeApi) -> Iterator[ArgoServer]:
    """An Argo server of the cluster, at a local port while the block runs. Raises BadInput when there is none."""
    with access.errors():
        pods = access.core.list_pod_for_all_namespaces(label_selector=LABELS).items
    running = [pod for pod in pods if pod.status.phase == "Running"]
    if not running:
        raise BadInput(
            "This needs the Argo server, and the cluster runs none that these rights show; install it, or set ARGO_SERVER and ARGO_TOKEN."
        )
    pod = running[0]
    arguments = pod.spec.containers[0].args or []
    scheme = "http" if "--secure=false" in arguments else "https"
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        threading.Thread(target=serve, args=(listener, access, pod), daemon=True, name="port-forward").start()
        token = access.configuration.get_api_key_with_prefix("authorization") or ""
        server = ArgoServer(f"{scheme}://127.0.0.1:{listener.getsockname()[1]}", access.namespace, token, verify=False)
        yield server


def serve(listener: socket.socket, access: KubeApi, pod: object) -> None:
    with suppress(OSError):  # the listener was closed: the block ended
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=carry, args=(connection, access, pod), daemon=True).start()


def carry(connection: socket.socket, access: KubeApi, pod: object) -> None:
    """Carries one connection's bytes both ways until either side ends."""
    metadata = pod.metadata  # type: ignore[attr-defined]
    with connection, suppress(OSError, ApiException):
        stream = portforward(
            access.core.connect_get_namespaced_pod_portforward, metadata.name, metadata.namespace, ports=str(PORT)
        )
        with closing(stream.socket(PORT)) as remote:
            remote.setblocking(True)
            sides = {connection: remote, remote: connection}
            while True:
                readable, _, _ = select.select(list(sides), [], [])
                for side in readable:
                    if not (data := side.recv(CHUNK)):
                        return
                    sides[side].sendall(data)
