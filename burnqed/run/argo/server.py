"""The Argo server: its REST interface, which the UI and the `argo` command also use.

https://argo-workflows.readthedocs.io/en/latest/rest-api/ ; checked against Argo Workflows 4.0. Hera's `WorkflowsService` (7.1) also uses it, but
takes no timeout and no certificate name for the end of a tunnel, cannot stream logs or list chosen fields only, and raises KeyError for a
refusal without a message.
"""

from __future__ import annotations

import json
import os
import ssl
from collections.abc import Iterator, Mapping
from typing import Any

import httpx

from burnqed.errors import BadInput, TryAgain
from burnqed.run.argo.access import NOT_FOUND, SELECTOR, Document, Settings, refusal

TIMEOUT = httpx.Timeout(30.0)
CONFIG_ANNOTATION = "burnqed.dev/settings"
"""On the chart's WorkflowTemplates: a copy of its ConfigMap `burnqed-config`, which the server does not provide."""
SHORT = "metadata,items.metadata.name,items.metadata.creationTimestamp,items.metadata.labels,items.status.phase," \
        "items.status.progress,items.status.startedAt,items.status.finishedAt,items.status.message"  # fmt: skip


class ArgoServer:
    """`Access` through an Argo server at `address` (`host:port`, or a URL) with a bearer token or none.

    $ARGO_SECURE=false means http; $ARGO_INSECURE_SKIP_VERIFY=true accepts any certificate, as for the `argo` command.
    If `address` is the near end of a tunnel, `server_name` is the server's own name, which its certificate is for; no proxy is used then.
    """

    def __init__(
        self, address: str, namespace: str, token: str, *, verify: ssl.SSLContext | bool = True, server_name: str = ""
    ) -> None:
        secure = os.environ.get("ARGO_SECURE", "true").lower() != "false"
        self.url = (address if "://" in address else f"{'https' if secure else 'http'}://{address}").rstrip("/")
        self.who = server_name or self.url
        self.namespace = namespace
        if os.environ.get("ARGO_INSECURE_SKIP_VERIFY", "false").lower() == "true":
            verify = False
        if token and not token.startswith("Bearer "):
            token = f"Bearer {token}"
        self._tls = {"sni_hostname": server_name} if server_name else {}
        self._http = httpx.Client(
            timeout=TIMEOUT, verify=verify, trust_env=not server_name, headers={"Authorization": token} if token else {}
        )

    def create(self, workflow: Document, *, dry_run: bool = False) -> Document:
        document = {**workflow, "metadata": {**workflow["metadata"], "namespace": self.namespace}}
        return dict(self._call("POST", f"workflows/{self.namespace}", {"workflow": document, "serverDryRun": dry_run}))

    def get(self, name: str) -> Document:
        return dict(self._call("GET", f"workflows/{self.namespace}/{name}"))

    def list(self, selector: str = SELECTOR) -> list[Document]:
        query = {"listOptions.labelSelector": selector, "fields": SHORT}
        workflows: list[Document] = self._call("GET", f"workflows/{self.namespace}", query=query).get("items") or []
        return sorted(workflows, key=lambda w: w["metadata"]["creationTimestamp"], reverse=True)

    def stop(self, name: str) -> None:
        self._call("PUT", f"workflows/{self.namespace}/{name}/stop", {})

    def retry(self, name: str, parameters: Mapping[str, str]) -> None:
        """Runs what failed, and what follows it, again, with new values of workflow parameters."""
        changed = [f"{key}={value}" for key, value in parameters.items()]
        self._call("PUT", f"workflows/{self.namespace}/{name}/retry", {"parameters": changed})

    def answer(self, name: str, node: str, parameter: str, value: str) -> None:
        """Gives a suspended node its answer, and resumes the workflow."""
        path, node_selector = f"workflows/{self.namespace}/{name}", {"nodeFieldSelector": f"displayName={node}"}
        self._call("PUT", f"{path}/set", node_selector | {"outputParameters": json.dumps({parameter: value})})
        self._call("PUT", f"{path}/resume", node_selector)

    def logs(self, name: str, pod: str, container: str, *, follow: bool) -> Iterator[str]:
        query = {"podName": pod, "logOptions.container": container, "logOptions.follow": str(follow).lower()}
        url = f"{self.url}/api/v1/workflows/{self.namespace}/{name}/log"
        timeout = httpx.Timeout(30.0, read=None) if follow else TIMEOUT
        try:
            with self._http.stream("GET", url, params=query, timeout=timeout, extensions=self._tls) as reply:
                if reply.is_error:
                    return
                for line in reply.iter_lines():
                    entry = json.loads(line) if line else {}
                    if "result" in entry:
                        yield entry["result"].get("content", "")
        except httpx.HTTPError as error:
            raise TryAgain(
                f"The connection to the Argo server at {self.who} broke off: {error}; run the same command again."
            ) from None

    def settings(self) -> Settings:
        path = f"workflow-templates/{self.namespace}/burnqed-iteration"
        template = self._call("GET", path, missing=no_chart(self.namespace))
        return Settings.parse(json.loads(template["metadata"]["annotations"][CONFIG_ANNOTATION]))

    def version(self) -> str:
        return str(self._call("GET", "version")["version"])

    def link(self, name: str) -> str:
        return f"{self.url}/workflows/{self.namespace}/{name}"

    def _call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, str] | None = None,
        missing: str = "",
    ) -> Any:
        try:
            reply = self._http.request(
                method, f"{self.url}/api/v1/{path}", json=body, params=query, extensions=self._tls
            )
        except httpx.HTTPError as error:
            raise TryAgain(
                f"The Argo server at {self.who} does not answer ({error or type(error).__name__}); check ARGO_SERVER, the network, and the server's certificate."
            ) from None
        if reply.is_success:
            return reply.json()
        if reply.status_code == NOT_FOUND and missing:
            raise BadInput(missing)
        raise refused(reply, self.who, self.namespace)


def refused(reply: httpx.Response, who: str, namespace: str) -> BadInput | TryAgain:
    try:
        said = str(reply.json().get("message", ""))
    except (ValueError, AttributeError):
        said = reply.text[:200]
    return refusal(
        f"The Argo server at {who}", reply.status_code, said, namespace,
        login="give a valid token in ARGO_TOKEN, as `argo auth token` prints it", otherwise="see the log of the Argo server",
    )  # fmt: skip


def no_chart(namespace: str) -> str:
    return (
        f"The chart is not installed in the namespace {namespace}: run `helm install burnqed helm/burnqed --namespace {namespace}`, "
        "or choose another one with --namespace."
    )
