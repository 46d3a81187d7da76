"""How a pod reads its own workflow: over TLS that it verifies, with its token, and with one sentence where it may not."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from burnqed.errors import BadInput, TryAgain
from burnqed.run.argo.own import own_workflow
from tests.fixtures.argo_servers import make_certificate
from tests.unit.test_argo_server import StandIn, argo

__all__ = ["argo"]

PATH = "/apis/argoproj.io/v1alpha1/namespaces/team/workflows/w-1"


@pytest.fixture
def identity(argo: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What Kubernetes mounts; the stand-in is the API server that it vouches for."""
    make_certificate(tmp_path, "localhost")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "localhost.crt", tmp_path / "localhost.key")
    argo.socket = context.wrap_socket(argo.socket, server_side=True)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "localhost")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", str(argo.server_port))
    (tmp_path / "ca.crt").write_text((tmp_path / "localhost.crt").read_text())
    (tmp_path / "token").write_text("secret\n")
    (tmp_path / "namespace").write_text("team")
    return tmp_path


def test_the_workflow_is_asked_for_by_name_with_the_token(argo: StandIn, identity: Path) -> None:
    argo.says({"metadata": {"name": "w-1"}})
    assert own_workflow("w-1", identity) == {"metadata": {"name": "w-1"}}
    assert argo.asked == [("GET", PATH, None, "Bearer secret")]


def test_a_refusal_an_answer_that_is_none_and_no_token_are_one_sentence_each(argo: StandIn, identity: Path) -> None:
    argo.says({"message": "forbidden"}, 403)
    with pytest.raises(BadInput, match=r"refuses to show it \(403\); .* Role burnqed-exit-handler allows it"):
        own_workflow("w-1", identity)
    argo.status, argo.reply = 200, b"{"
    with pytest.raises(TryAgain, match="does not answer"):
        own_workflow("w-1", identity)
    (identity / "token").unlink()
    with pytest.raises(BadInput, match="no token for the cluster"):
        own_workflow("w-1", identity)


def test_who_has_not_the_clusters_certificate_never_sees_the_token(
    argo: StandIn, identity: Path, tmp_path: Path
) -> None:
    make_certificate(tmp_path, "another")
    (identity / "ca.crt").write_text((tmp_path / "another.crt").read_text())
    argo.says({})
    with pytest.raises(TryAgain, match="certificate verify failed"):
        own_workflow("w-1", identity)
    assert argo.asked == []
