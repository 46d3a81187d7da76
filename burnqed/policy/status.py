"""The public part of a policy server: whether it is ready, and its metrics.

In a pod only these two are available at the pod's address, for the kubelet and Prometheus: everything else would let anybody who reaches
the pod generate tokens or replace the model. Neither generates anything.
"""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from burnqed import metrics
from burnqed.policy.sglang import Sglang
from burnqed.policy.worker import Worker


def status_routes(worker: Worker, beside: Sglang | None = None) -> APIRouter:
    """`/ready` (200, or 503 while a model is being loaded) and `/metrics`."""
    routes = APIRouter()

    @routes.get("/ready")
    async def ready() -> Response:
        is_ready = worker.loaded is not None and (beside is None or await beside.ready())
        return Response(status_code=200 if is_ready else 503)

    @routes.get("/metrics")
    async def prometheus() -> Response:
        metrics.GPU.set(gpu_utilisation())
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)

    return routes


def gpu_utilisation() -> float:
    """In percent; 0 without a GPU, or without the library that measures it."""
    import torch

    try:
        return float(torch.cuda.utilization()) if torch.cuda.is_available() else 0.0
    except (RuntimeError, ModuleNotFoundError):
        return 0.0
