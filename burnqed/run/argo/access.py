"""Access to a cluster for submitting, watching and stopping; `server.py` and `kube.py` are the two ways.

access = open_access(namespace="burnqed")  # `connect.py`
name = access.create(workflow.to_dict())["metadata"]["name"]
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import yaml

from burnqed.errors import BadInput, TryAgain
from burnqed_workflows.templates import PART_OF

Document = dict[str, Any]
"""A Kubernetes object as JSON."""

SELECTOR = ",".join(f"{key}={value}" for key, value in PART_OF.items())
DEFAULT_NAMESPACE = "burnqed"
SERVICE_VARIABLE = "BURNQED_ARGO"
"""NAMESPACE/SERVICE of the Argo server, if not the default. It comes from the user's environment, which nobody in the cluster can change."""
DEFAULT_SERVICE = "argo/argo-server"
UNAUTHORIZED, FORBIDDEN, NOT_FOUND = 401, 403, 404
BUSY = (429, 502, 503, 504)
"""Status codes of a server, or a proxy in front of it, that may answer again soon."""


@dataclass(frozen=True)
class Settings:
    """The chart's settings for its cluster."""

    version: str
    profile: str
    store: str
    images: dict[str, str]
    """Image references by workflow parameter: `worker-image`, …"""
    config: dict[str, Any] = field(default_factory=dict)
    """Sections of the run configuration, applied over the profile."""

    @staticmethod
    def parse(values: Mapping[str, str]) -> Settings:
        """From the ConfigMap `burnqed-config`."""
        images = {key: value for key, value in values.items() if key.endswith("-image")}
        config = yaml.safe_load(values.get("config.yaml", "")) or {}
        return Settings(values["version"], values["profile"], values["store"], images, config)


class Access(Protocol):
    """A way to a cluster. Methods raise BadInput if the cluster refuses, TryAgain if it does not answer."""

    namespace: str

    def create(self, workflow: Document, *, dry_run: bool = False) -> Document:
        """Submits it; with `dry_run` the cluster only checks it and fills in defaults."""

    def get(self, name: str) -> Document:
        """A workflow with its nodes."""

    def list(self, selector: str = SELECTOR) -> list[Document]:
        """Our workflows, newest first; without nodes and specifications if the cluster can leave them out."""

    def stop(self, name: str) -> None:
        """Ends the running pods with SIGTERM; exit handlers run."""

    def logs(self, name: str, pod: str, container: str, *, follow: bool) -> Iterator[str]:
        """Lines of a container's log, up to its end if followed. Empty if the pod is gone."""

    def settings(self) -> Settings:
        """The settings of the chart in this namespace."""

    def link(self, name: str) -> str:
        """Where a person can look at the workflow."""


def service_of_argo() -> tuple[str, str]:
    """Namespace and name of the Argo server's Service."""
    address = os.environ.get(SERVICE_VARIABLE) or DEFAULT_SERVICE
    namespace, _, service = address.partition("/")
    if not (namespace and service) or "/" in service:
        raise BadInput(
            f"{SERVICE_VARIABLE}={address} does not name a Service; write NAMESPACE/SERVICE, as in {DEFAULT_SERVICE}."
        )
    return namespace, service


def refusal(who: str, status: int, said: str, namespace: str, *, login: str, otherwise: str) -> BadInput | TryAgain:
    """The error to raise for what `who` answered with an HTTP status: one sentence with what to do.

    `login` is the advice for a missing or wrong identity, `otherwise` that for an unexpected status.
    """
    sentence = f"{who} refuses ({status}: {' '.join(said.split()).rstrip('.')})"
    if status in BUSY:
        return TryAgain(f"{sentence}; run the same command again.")
    advice = {
        UNAUTHORIZED: login,
        FORBIDDEN: f"ask for the Role burnqed-submitter in the namespace {namespace}",
        NOT_FOUND: f"check the name, and the namespace {namespace} (--namespace)",
    }
    return BadInput(f"{sentence}; {advice.get(status, otherwise)}.")
