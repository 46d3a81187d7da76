"""Opens the configured way to the cluster.

$ARGO_SERVER (as for the `argo` command) names an Argo server; without it the kubeconfig, or a pod's own service account, is used.
"""

from __future__ import annotations

import os

from burnqed.errors import BadInput
from burnqed.run.argo.access import DEFAULT_NAMESPACE, Access
from burnqed.run.argo.server import ArgoServer


def open_access(namespace: str | None = None) -> Access:
    """The configured way to the cluster. Raises BadInput if there is none."""
    namespace = namespace or os.environ.get("ARGO_NAMESPACE")
    if address := os.environ.get("ARGO_SERVER"):
        return ArgoServer(address, namespace or DEFAULT_NAMESPACE, os.environ.get("ARGO_TOKEN", ""))
    try:
        from burnqed.run.argo.kube import KubeApi
    except ImportError:
        raise BadInput(
            "Without ARGO_SERVER the cluster is reached through its API, which needs the package kubernetes; run "
            "`pip install 'burnqed[cluster]'`, or set ARGO_SERVER and ARGO_TOKEN."
        ) from None
    return KubeApi(namespace)
