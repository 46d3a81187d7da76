"""The Kubernetes API, by a kubeconfig or the service account of the pod that this runs in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import urllib3
import yaml
from kubernetes import client, config
from kubernetes.client.exceptions import ApiException

from burnqed.errors import BadInput, TryAgain
from burnqed.run.argo.access import DEFAULT_NAMESPACE, NOT_FOUND, SELECTOR, Document, Settings, refusal, service_of_argo
from burnqed.run.argo.nodes import unpacked
from burnqed.run.argo.server import no_chart

GROUP = ("argoproj.io", "v1alpha1")
TIMEOUT_S = 30
NO_ARGO = "Argo Workflows is not installed in this cluster; see docs/cluster.md."


class KubeApi:
    """`Access` through the Kubernetes API, in `namespace` or that of the kubeconfig's context."""

    def __init__(self, namespace: str | None = None) -> None:
        configured = load_configuration()
        self.namespace = namespace or configured or DEFAULT_NAMESPACE
        self.configuration = client.Configuration.get_default_copy()
        self.configuration.retries = 1
        api = client.ApiClient(self.configuration)
        self.core = client.CoreV1Api(api)
        self.custom = client.CustomObjectsApi(api)
        self.authorization = client.AuthorizationV1Api(api)

    @property
    def token(self) -> str:
        """The user's bearer token, refreshed; empty if the kubeconfig has a certificate instead."""
        settings = self.configuration.auth_settings().values()
        return next((str(auth["value"]) for auth in settings if auth["key"] == "authorization" and auth["value"]), "")

    def _workflows(self, verb: str, *arguments: Any, missing: str = "", **options: Any) -> Any:
        """Calls a method of the client for workflows."""
        method = getattr(self.custom, f"{verb}_namespaced_custom_object")
        with self.errors(missing):
            return method(*GROUP, self.namespace, "workflows", *arguments, _request_timeout=TIMEOUT_S, **options)

    def _missing(self, name: str) -> str:
        return f"There is no workflow {name} in the namespace {self.namespace}; see `burnqed list`."

    def create(self, workflow: Document, *, dry_run: bool = False) -> Document:
        return dict(self._workflows("create", workflow, **({"dry_run": "All"} if dry_run else {})))

    def get(self, name: str) -> Document:
        return unpacked(dict(self._workflows("get", name, missing=self._missing(name))))

    def list(self, selector: str = SELECTOR) -> list[Document]:
        workflows = self._workflows("list", label_selector=selector)["items"]
        return sorted(workflows, key=lambda w: w["metadata"]["creationTimestamp"], reverse=True)

    def stop(self, name: str) -> None:
        self._workflows("patch", name, {"spec": {"shutdown": "Stop"}}, missing=self._missing(name))

    def logs(self, name: str, pod: str, container: str, *, follow: bool) -> Iterator[str]:
        del name
        try:
            stream = self.core.read_namespaced_pod_log(
                pod, self.namespace, container=container, follow=follow, _preload_content=False
            )
            yield from (line.decode("utf-8", "replace").rstrip("\n") for line in stream)
        except ApiException as error:
            if error.status not in (NOT_FOUND, 400):  # gone, or not started
                raise refused(error, self.namespace) from None
        except urllib3.exceptions.HTTPError as error:
            raise TryAgain(f"The connection to the cluster broke off: {error}; run the same command again.") from None

    def settings(self) -> Settings:
        with self.errors(NO_ARGO):
            kinds = {kind.name for kind in self.custom.get_api_resources(*GROUP, _request_timeout=TIMEOUT_S).resources}
        if not {"workflows", "workflowtemplates"} <= kinds:  # Argo CD and Argo Rollouts share the group
            raise BadInput(NO_ARGO)
        with self.errors(no_chart(self.namespace)):
            stored = self.core.read_namespaced_config_map("burnqed-config", self.namespace, _request_timeout=TIMEOUT_S)
        return Settings.parse(stored.data)

    def link(self, name: str) -> str:
        namespace, service = service_of_argo()
        return f"https://localhost:2746/workflows/{self.namespace}/{name} (after `kubectl -n {namespace} port-forward svc/{service} 2746`)"

    @contextmanager
    def errors(self, missing: str = "") -> Iterator[None]:
        """Translates the client's exceptions into one sentence; `missing` is the one for what does not exist."""
        try:
            yield
        except ApiException as error:
            if error.status == NOT_FOUND and missing:
                raise BadInput(missing) from None
            raise refused(error, self.namespace) from None
        except urllib3.exceptions.HTTPError as error:
            reason = getattr(error, "reason", None) or error
            raise TryAgain(
                f"The cluster at {self.configuration.host} does not answer ({reason}); check KUBECONFIG and the network."
            ) from None


def load_configuration() -> str | None:
    """Loads the kubeconfig, or a pod's own service account; returns the namespace that it names."""
    try:
        config.load_kube_config()
        _, context = config.list_kube_config_contexts()
        return (context.get("context") or {}).get("namespace")
    except (config.ConfigException, OSError, TypeError, ValueError, yaml.YAMLError) as no_file:
        try:
            config.load_incluster_config()
        except config.ConfigException:
            raise BadInput(
                f"No cluster is configured ({' '.join(str(no_file).split())}); set KUBECONFIG, or ARGO_SERVER and ARGO_TOKEN."
            ) from None
        with open("/var/run/secrets/kubernetes.io/serviceaccount/namespace", encoding="utf-8") as file:
            return file.read().strip()


def refused(error: ApiException, namespace: str) -> BadInput | TryAgain:
    try:
        said = str(json.loads(error.body or "{}").get("message", ""))
    except ValueError:
        if error.status == NOT_FOUND:  # plain text: the API server has no such path
            return BadInput(NO_ARGO)
        said = str(error.body)[:200]
    return refusal(
        "The cluster", error.status, said or str(error.reason), namespace,
        login="log in to the cluster again", otherwise="see docs/cluster.md",
    )  # fmt: skip
