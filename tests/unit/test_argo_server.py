"""The clients of the Argo server and of the Kubernetes API, against a stand-in that records what it is asked and says what it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from burnqed.errors import BadInput, TryAgain
from burnqed.run.argo.kube import KubeApi
from burnqed.run.argo.server import CONFIG_ANNOTATION, ArgoServer


class StandIn(ThreadingHTTPServer):
    """Answers every request with `status` and `reply`, or with what `replies` has for its path; keeps (method, path, body, authorization)."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.status, self.reply = 200, b"{}"
        self.replies: dict[str, Any] = {}
        self.asked: list[tuple[str, str, Any, str | None]] = []

    def client(self, token: str = "") -> ArgoServer:
        return ArgoServer(f"http://127.0.0.1:{self.server_port}", "team", token)

    def says(self, document: Any, status: int = 200) -> None:
        self.status, self.reply = status, json.dumps(document).encode()


class Handler(BaseHTTPRequestHandler):
    server: StandIn

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append(
            (self.command, self.path, json.loads(body) if body else None, self.headers["Authorization"])
        )
        found = self.server.replies.get(self.path.partition("?")[0])
        reply = self.server.reply if found is None else json.dumps(found).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    do_GET = do_POST = do_PUT = _answer

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def argo() -> Iterator[StandIn]:
    with StandIn() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def kube(argo: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KubeApi:
    """A client whose kubeconfig leads to the stand-in."""
    entries = {"cluster": {"server": f"http://127.0.0.1:{argo.server_port}"}, "user": {"token": "hers"}, "context": {"cluster": "x", "user": "x"}}  # fmt: skip
    document = {f"{kind}s": [{"name": "x", kind: entry}] for kind, entry in entries.items()} | {"current-context": "x"}
    (tmp_path / "kubeconfig").write_text(json.dumps(document))
    monkeypatch.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(tmp_path / "kubeconfig"))
    return KubeApi("team")


def test_a_workflow_is_sent_into_the_namespace_with_the_token(argo: StandIn) -> None:
    argo.says({"metadata": {"name": "w-1"}})
    assert argo.client("secret").create({"metadata": {"generateName": "w-"}}, dry_run=True) == {
        "metadata": {"name": "w-1"}
    }
    sent = {"workflow": {"metadata": {"generateName": "w-", "namespace": "team"}}, "serverDryRun": True}
    assert argo.asked == [("POST", "/api/v1/workflows/team", sent, "Bearer secret")]


@pytest.mark.parametrize(
    ("status", "said"), [(401, "ARGO_TOKEN"), (403, "Role burnqed-submitter"), (404, "namespace team"), (500, "log of the Argo server")]
)  # fmt: skip
def test_a_refusal_is_one_sentence_with_what_to_do(argo: StandIn, status: int, said: str) -> None:
    argo.says({"message": "no\n such   thing."}, status)
    with pytest.raises(BadInput, match=said) as raised:
        argo.client().get("w-1")
    assert f"({status}: no such thing)" in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_server_that_is_busy_may_be_asked_again(argo: StandIn, kube: KubeApi, status: int) -> None:
    argo.says({}, status)
    for client in (argo.client(), kube):
        with pytest.raises(TryAgain, match=f"{status}.*run the same command again"):
            client.get("w-1")
    assert len(argo.asked) == 2


def test_a_cluster_without_argo_is_told_from_one_without_the_chart(argo: StandIn, kube: KubeApi) -> None:
    argo.says({}, 404)
    with pytest.raises(BadInput, match="Argo Workflows is not installed"):
        kube.settings()
    assert [path for _, path, _, _ in argo.asked] == ["/apis/argoproj.io/v1alpha1"]
    applications = {"groupVersion": "argoproj.io/v1alpha1", "resources": [{"name": "applications", "kind": "Application", "namespaced": True, "singularName": "", "verbs": []}]}  # fmt: skip
    argo.says(applications)
    with pytest.raises(BadInput, match="Argo Workflows is not installed"):
        kube.settings()
    argo.says({}, 404)
    argo.reply = b"404 page not found\n"
    with pytest.raises(BadInput, match="Argo Workflows is not installed"):
        kube.list()


def test_no_proxy_is_asked_on_the_way_into_a_tunnel(argo: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would get the token."""
    with StandIn() as proxy:
        for name in ("HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.server_port}")
        argo.says({"version": "v4.0.2"})
        address = f"http://127.0.0.1:{argo.server_port}"
        assert ArgoServer(address, "team", "secret", server_name="argo-server.argo.svc").version() == "v4.0.2"
        assert [asked[3] for asked in argo.asked] == ["Bearer secret"]


def test_a_server_that_is_not_there_is_one_to_try_again() -> None:
    with pytest.raises(TryAgain, match="does not answer.*ARGO_SERVER"):
        ArgoServer("http://127.0.0.1:1", "team", "").version()


def test_a_retry_carries_the_new_values_of_parameters(argo: StandIn) -> None:
    argo.client().retry("w-1", {"config": '{"a": 1}'})
    assert argo.asked[0][:3] == ("PUT", "/api/v1/workflows/team/w-1/retry", {"parameters": ['config={"a": 1}']})


def test_an_answer_is_set_before_the_workflow_goes_on(argo: StandIn) -> None:
    argo.client().answer("w-1", "decide", "go", "no")
    node = {"nodeFieldSelector": "displayName=decide"}
    assert [(path.rpartition("/")[2], body) for _, path, body, _ in argo.asked] == [
        ("set", {**node, "outputParameters": '{"go": "no"}'}),
        ("resume", node),
    ]


def test_workflows_are_listed_newest_first(argo: StandIn) -> None:
    argo.says({"items": [{"metadata": {"name": n, "creationTimestamp": n}} for n in ("1", "3", "2")]})
    assert [w["metadata"]["name"] for w in argo.client().list()] == ["3", "2", "1"]
    argo.says({"items": None})
    assert argo.client().list() == []


def test_a_log_is_read_line_by_line_and_is_empty_when_the_pod_is_gone(argo: StandIn) -> None:
    argo.reply = b'{"result": {"content": "one"}}\n\n{"result": {"content": "two"}}\n'
    assert list(argo.client().logs("w-1", "pod", "main", follow=False)) == ["one", "two"]
    argo.status = 404
    assert list(argo.client().logs("w-1", "pod", "main", follow=False)) == []


def test_the_chart_speaks_through_its_template_and_its_absence_is_said(argo: StandIn) -> None:
    values = {"version": "1", "profile": "small", "store": "s3://b/p", "worker-image": "w:1", "config.yaml": "search: {budget: 7}"}  # fmt: skip
    argo.says({"metadata": {"annotations": {CONFIG_ANNOTATION: json.dumps(values)}}})
    found = argo.client().settings()
    assert (found.store, found.images, found.config) == ("s3://b/p", {"worker-image": "w:1"}, {"search": {"budget": 7}})
    argo.says({"message": "not found"}, 404)
    with pytest.raises(BadInput, match="chart is not installed in the namespace team"):
        argo.client().settings()


@pytest.mark.parametrize("content", ["a: [", "a folder", "\x00", "[]", "clusters: []"])
def test_a_kubeconfig_that_cannot_be_used_is_one_sentence(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "kubeconfig"
    if content == "a folder":
        file.mkdir()
    else:
        file.write_text(content)
    monkeypatch.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(file))
    with pytest.raises(BadInput, match="No cluster is configured") as raised:
        KubeApi("team")
    assert "\n" not in str(raised.value)
