"""Reads the workflow that this pod belongs to, with a token that only the exit handler has (`workflows/templates.py`).

It does without the package kubernetes, which our images do not contain.
"""

from __future__ import annotations

import os
import ssl
from pathlib import Path

import httpx

from burnqed.errors import BadInput, TryAgain
from burnqed.run.argo.access import Document
from burnqed.run.argo.nodes import unpacked
from burnqed_workflows.templates import IDENTITY

TIMEOUT_S = 30.0
RETRIES = 3


def own_workflow(name: str, identity: Path = Path(IDENTITY)) -> Document:
    """The workflow `name` of this pod's namespace, with its nodes. Raises BadInput if the cluster refuses, TryAgain if it does not answer."""
    host, port = (os.environ.get(f"KUBERNETES_SERVICE_{part}", "") for part in ("HOST", "PORT"))
    try:
        namespace, token = ((identity / file).read_text(encoding="utf-8").strip() for file in ("namespace", "token"))
        authority = ssl.create_default_context(cafile=str(identity / "ca.crt"))
    except OSError as error:
        raise BadInput(
            f"the pod has no token for the cluster ({error}); install the chart of this version, and submit again"
        ) from None
    address = f"https://{f'[{host}]' if ':' in host else host}:{port}"
    url = f"{address}/apis/argoproj.io/v1alpha1/namespaces/{namespace}/workflows/{name}"
    transport = httpx.HTTPTransport(verify=authority, retries=RETRIES)
    try:
        with httpx.Client(transport=transport, timeout=TIMEOUT_S) as client:
            reply = client.get(url, headers={"Authorization": f"Bearer {token}"})
            if reply.is_success:
                return unpacked(dict(reply.json()))
    except (httpx.HTTPError, ValueError) as error:
        raise TryAgain(f"the cluster does not answer ({error})") from None
    raise BadInput(
        f"the cluster refuses to show it ({reply.status_code}); install the chart of this version, whose Role burnqed-exit-handler allows it"
    )
