"""Whom the tunnel to the Argo server leads to: a pod that only says that it is the server never gets there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from burnqed.errors import BadInput
from burnqed.run.argo import forward
from burnqed.run.argo.access import SERVICE_VARIABLE
from burnqed.run.argo.forward import CA_VARIABLE, Target, find
from burnqed.run.argo.kube import KubeApi
from tests.unit.test_argo_server import StandIn, argo, kube

__all__ = ["argo", "kube"]

GENUINE, FORGED = "argo-server-6f6-abc", "forger"
REPLICAS = "argo-server-6f6"


def owner(kind: str, name: str, uid: str = "u1") -> list[dict[str, Any]]:
    return [{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": uid, "controller": True}]


def cluster(*pods: str, owners: Mapping[str, Any], arguments: tuple[str, ...] = ("server",)) -> dict[str, Any]:
    """Replies of an API server with these pods behind argo/argo-server."""
    behind = [{"addresses": ["10.0.0.1"], "conditions": {"ready": True}, "targetRef": {"kind": "Pod", "name": name, "namespace": "argo"}} for name in pods]  # fmt: skip
    container = {"name": "argo-server", "args": list(arguments)}
    replies: dict[str, Any] = {
        f"/api/v1/namespaces/argo/pods/{name}": {
            "metadata": {"name": name, "namespace": "argo", "ownerReferences": owners.get(name, [])},
            "spec": {"containers": [container]},
        }
        for name in pods
    }
    replies["/apis/discovery.k8s.io/v1/namespaces/argo/endpointslices"] = {
        "items": [{"addressType": "IPv4", "endpoints": behind, "ports": [{"port": 2746}]}]
    }
    replies[f"/apis/apps/v1/namespaces/argo/replicasets/{REPLICAS}"] = {
        "metadata": {"name": REPLICAS, "uid": "u1", "ownerReferences": owner("Deployment", "argo-server")},
        "spec": {"selector": {}},
    }
    return replies


def test_the_pod_that_the_deployment_runs_is_taken_and_a_forger_before_it_is_not(argo: StandIn, kube: KubeApi) -> None:
    owners = {GENUINE: owner("ReplicaSet", REPLICAS)}
    argo.replies = cluster(FORGED, GENUINE, owners=owners)
    assert find(kube, "argo", "argo-server") == Target("argo", GENUINE, 2746, secure=True)
    assert "service-name%3Dargo-server" in argo.asked[0][1]
    assert all("/namespaces/argo/" in path for _, path, _, _ in argo.asked), "no other namespace is looked at"
    argo.replies = cluster(GENUINE, owners=owners, arguments=("server", "--secure=false"))
    assert not find(kube, "argo", "argo-server").secure


@pytest.mark.parametrize(
    "owners",
    [{}, {FORGED: owner("ReplicaSet", REPLICAS, "another")}, {FORGED: owner("Job", REPLICAS)}],
    ids=["of nobody", "of a set that is not this one", "of something else"],
)
def test_a_forger_alone_behind_the_service_is_refused_by_name(
    argo: StandIn, kube: KubeApi, owners: Mapping[str, Any]
) -> None:
    argo.replies = cluster(FORGED, owners=owners)
    with pytest.raises(BadInput, match=r"forger answers for the Service argo-server .* does not get your token"):
        find(kube, "argo", "argo-server")


def test_the_token_of_the_kubeconfig_is_the_one_that_is_sent(kube: KubeApi) -> None:
    assert kube.token == "Bearer hers"


def test_the_user_names_another_service_and_its_absence_is_said(
    argo: StandIn, kube: KubeApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SERVICE_VARIABLE, "workflows/argo-workflows-server")
    argo.says({"items": []})
    with (
        pytest.raises(BadInput, match=r"Service argo-workflows-server in the namespace workflows; .*BURNQED_ARGO"),
        forward.argo_server(kube),
    ):
        pass
    assert "/namespaces/workflows/" in argo.asked[0][1]
    monkeypatch.setenv(SERVICE_VARIABLE, "argo-server")
    with pytest.raises(BadInput, match="write NAMESPACE/SERVICE"), forward.argo_server(kube):
        pass


def test_who_may_not_look_for_the_server_is_told_which_role_to_ask_for(argo: StandIn, kube: KubeApi) -> None:
    argo.says({"message": "endpointslices is forbidden"}, 403)
    with pytest.raises(BadInput, match=r"namespace argo; ask for the Role of manifests/examples/argo-access\.yaml"):
        find(kube, "argo", "argo-server")


def test_certificates_that_cannot_be_read_or_vouch_for_nothing_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(CA_VARIABLE, raising=False)
    secure = Target("argo", GENUINE, 2746, secure=True)
    assert forward.verification(secure, "argo-server") is False
    (tmp_path / "ca.crt").write_text("none")
    monkeypatch.setenv(CA_VARIABLE, str(tmp_path / "ca.crt"))
    with pytest.raises(BadInput, match="no readable certificates"):
        forward.verification(secure, "argo-server")
    with pytest.raises(BadInput, match="without TLS"):
        forward.verification(secure._replace(secure=False), "argo-server")
