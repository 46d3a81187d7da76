"""The embedded policy server: a subset of SGLang's interface for generation, and our /embed and /score, at one address.

    burnqed serve --model demo/store/demo/iterations/iter_0/model --port 30000 [--head …/ebm/final]

It answers like SGLang where it can and refuses with status 400 what it does not know, so no difference goes unnoticed.
Log-probabilities are those of the distribution at the request's temperature, before top-p, top-k and min-p, as in SGLang.
Seeds always count (in SGLang only under deterministic inference).
"""

from __future__ import annotations

import asyncio
import base64
import os
import signal
import socket
import sys
import time
import uuid
from asyncio import wrap_future
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import uvicorn
from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from burnqed import metrics
from burnqed.config import PolicyConfig
from burnqed.errors import EXIT_TRY_AGAIN, BadInput
from burnqed.log import close, in_pod, log
from burnqed.machine import cpu_quota
from burnqed.modelcache import local_folder
from burnqed.policy.sglang import Sglang
from burnqed.policy.status import status_routes
from burnqed.policy.version import model_files
from burnqed.policy.worker import Loaded, Worker

THREADS = "BURNQED_TORCH_THREADS"
HEALTH_S = 20.0


def whole_characters(text: str) -> str:
    text.encode()  # a ValueError for half of a surrogate pair, which JSON can hold and no tokenizer reads
    return text


Text = Annotated[str, AfterValidator(whole_characters)]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class GenerateRequest(Body):
    text: Text | list[Text]
    sampling_params: dict[str, Any] | list[dict[str, Any]] | None = None
    return_logprob: bool = False
    logprob_start_len: int | None = -1
    return_text_in_logprobs: bool = False
    rid: Text | list[Text] | None = None
    stream: bool = False


class UpdateRequest(Body):
    model_path: Text
    weight_version: Text | None = None
    head_path: Text | None = None


class EmbedRequest(Body):
    texts: list[Text]


class ScoreRequest(Body):
    states: list[Text]
    goals: list[Text]


def make_app(worker: Worker, beside: Sglang | None = None) -> FastAPI:
    """Where `beside` is given, it generates, and only /embed, /score and /health are used here."""
    app = FastAPI(title="burnqed policy", openapi_url=None)
    app.include_router(status_routes(worker, beside))
    updating = asyncio.Lock()

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        return refusal(complaint(error))

    @app.exception_handler(BadInput)
    async def bad(_: Request, error: BadInput) -> JSONResponse:
        return refusal(str(error))

    @app.exception_handler(Exception)
    async def broken(_: Request, error: Exception) -> JSONResponse:
        # Starlette raises the error again and uvicorn ends the connection: said beforehand, or the client's next request may be sent on it.
        message = {"error": {"message": f"{type(error).__name__}: {error}"}}
        return JSONResponse(message, 500, headers={"Connection": "close"})

    def loaded() -> Loaded:
        if worker.loaded is None:
            raise HTTPException(503, "the model is being loaded")
        return worker.loaded

    @app.get("/health")
    async def health() -> JSONResponse:
        now = loaded()
        ids = {"embedding_id": now.encoder.embedding_id, "head_id": now.head_id}
        return JSONResponse({"status": "ok", "weight_version": now.weight_version, **ids})

    @app.get("/health_generate")
    async def health_generate() -> Response:
        try:
            request = GenerateRequest(text="a", sampling_params={"max_new_tokens": 1, "temperature": 0.0})
            await asyncio.wait_for(wrap_future(worker.generate(samples_of(request, loaded()))), HEALTH_S)
        except TimeoutError:
            return Response(status_code=503)
        return Response()

    @app.get("/model_info")
    @app.get("/get_model_info")
    async def model_info() -> JSONResponse:
        now = loaded()
        facts = {"is_generation": True, "preferred_sampling_params": None, "weight_version": now.weight_version}
        return JSONResponse({"model_path": now.path, "tokenizer_path": now.path, **facts})

    @app.post("/generate")
    async def generate(request: GenerateRequest) -> JSONResponse:
        started = time.perf_counter()
        samples = samples_of(request, loaded())
        now = await wrap_future(worker.generate(samples))
        seconds = time.perf_counter() - started
        metrics.TOKENS.inc(sum(len(sample.tokens) for sample in samples))
        single = isinstance(request.text, str)
        rids = request.rid if isinstance(request.rid, list) else [request.rid] if single and request.rid else []
        replies = [
            reply(sample, request, now, rids[i] if i < len(rids) else uuid.uuid4().hex, seconds)
            for i, sample in enumerate(samples)
        ]
        return JSONResponse(replies[0] if single else replies)

    @app.post("/update_weights_from_disk")
    async def update_weights_from_disk(request: UpdateRequest) -> JSONResponse:
        try:
            async with updating:
                before, head = loaded(), worker.head
                await wrap_future(worker.update(request.model_path, request.weight_version, request.head_path))
                if beside:
                    await update_beside(beside, before, head)
        except BadInput as error:
            return JSONResponse({"success": False, "message": str(error), "num_paused_requests": 0}, 400)
        message = f"Succeeded to update model weights. Weight version updated to {loaded().weight_version}."
        return JSONResponse({"success": True, "message": message, "num_paused_requests": 0})

    async def update_beside(beside: Sglang, before: Loaded, head: str | None) -> None:
        """After our own server, which says no where SGLang would not; goes back to the weights of `before` when SGLang does."""
        try:
            await beside.update(loaded().encoder.model.folder, loaded().weight_version)
        except BadInput:
            await wrap_future(worker.update(before.path, before.weight_version, head))
            raise

    @app.api_route("/flush_cache", methods=["GET", "POST"])
    async def flush_cache() -> PlainTextResponse:
        loaded()
        await wrap_future(worker.flush())
        return PlainTextResponse("Cache flushed.\n")

    @app.post("/embed")
    async def embed(request: EmbedRequest) -> JSONResponse:
        loaded()
        vectors, now = await wrap_future(worker.embed(request.texts))
        encoded = base64.b64encode(vectors.astype("<f4").tobytes()).decode()
        return JSONResponse({"embeddings": encoded, "embedding_id": now.encoder.embedding_id})

    @app.post("/score")
    async def score(request: ScoreRequest) -> JSONResponse:
        if len(request.states) != len(request.goals):
            return refusal(f"{len(request.states)} states and {len(request.goals)} goals; give one goal for each state")
        loaded()
        energies, now = await wrap_future(worker.score(request.states, request.goals))
        return JSONResponse({"energies": energies, "head_id": now.head_id, "embedding_id": now.encoder.embedding_id})

    return app


def refusal(message: str) -> JSONResponse:
    return JSONResponse({"error": {"message": message.encode(errors="replace").decode()}}, 400)


def complaint(error: RequestValidationError | ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def samples_of(request: GenerateRequest, loaded: Loaded) -> list[Any]:
    """One sample for each text. Raises BadInput for what SGLang refuses, and for what only SGLang supports."""
    from burnqed.policy.generate import Sample
    from burnqed.policy.sampling import SamplingParams

    if request.stream:
        raise BadInput("stream is not supported by the embedded server")
    texts = [request.text] if isinstance(request.text, str) else request.text
    params = request.sampling_params or {}
    params = params if isinstance(params, list) else [params] * len(texts)
    if not texts or len(params) != len(texts):
        raise BadInput(
            f"{len(texts)} texts and {len(params)} sampling_params; give at least one text, and one set for each"
        )
    distinct = list(dict.fromkeys(texts))
    ids = {t: e.ids for t, e in zip(distinct, loaded.encoder.model.tokenizer.encode_batch(distinct), strict=True)}
    samples = []
    for text, raw in zip(texts, params, strict=True):
        try:
            checked = SamplingParams.model_validate(raw)
        except ValidationError as error:
            raise BadInput(f"sampling_params.{complaint(error)}") from None
        length, room = len(ids[text]), loaded.context
        if not length:
            raise BadInput("The input is empty.")
        if length >= room:
            raise BadInput(f"The input ({length} tokens) is longer than the model's context length ({room} tokens).")
        if length + checked.max_new_tokens > room:
            raise BadInput(
                f"Requested token count exceeds the model's maximum context length of {room} tokens. You requested a total "
                f"of {length + checked.max_new_tokens} tokens: {length} tokens from the input messages and "
                f"{checked.max_new_tokens} tokens for the completion."
            )
        samples.append(Sample(ids[text], checked))
    return samples


def reply(sample: Any, request: GenerateRequest, loaded: Loaded, rid: str, seconds: float) -> dict[str, Any]:
    """One reply in SGLang's format."""
    meta: dict[str, Any] = {
        "id": rid,
        "finish_reason": sample.finish_reason,
        "prompt_tokens": len(sample.prompt),
        "weight_version": loaded.weight_version,
        "weight_versions": [{"version": loaded.weight_version, "start": 0, "end": len(sample.tokens)}],
        "completion_tokens": len(sample.tokens),
        "cached_tokens": len(sample.prompt) - 1 if sample.shared else 0,
        "e2e_latency": seconds,
    }
    if request.return_logprob:
        decode = loaded.encoder.model.tokenizer.decode
        meta["input_token_logprobs"] = []
        meta["output_token_logprobs"] = [
            [log_prob, token, decode([token], skip_special_tokens=False) if request.return_text_in_logprobs else None]
            for log_prob, token in zip(sample.log_probs, sample.tokens, strict=True)
        ]
    return {"text": sample.text, "output_ids": sample.tokens, "meta_info": meta}


class Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Captures none: a signal ends the process at once, as nobody needs what is being generated."""
        yield


def serve(
    model: str,
    port: int,
    *,
    head: str | None = None,
    config: PolicyConfig | None = None,
    host: str = "127.0.0.1",
    beside: Sglang | None = None,
    status_port: int | None = None,
) -> None:
    """Serves until SIGTERM (exit code 0), or until the server beside it ends (75). `model` and `head` are folders or addresses in
    a store. `status_port` has only `/ready` and `/metrics`; in a pod everybody who reaches the pod can use it.

    Raises BadInput for a port in use, a missing model, a head of another model.
    """
    if folder := local_folder(model):
        model_files(folder)
    listeners = [listen(host, port)]
    if status_port:
        listeners.append(listen("0.0.0.0" if in_pod() else "127.0.0.1", status_port))
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    sys.setswitchinterval(0.001)  # the model's thread releases the GIL in every operation and needs it back soon
    worker = Worker(model, head, config or PolicyConfig(), threads(), beside)
    leave_on_signals(worker, beside)
    status = FastAPI(title="burnqed status", openapi_url=None)
    status.include_router(status_routes(worker, beside))
    servers = [Server(quiet(app)) for app in (make_app(worker, beside), status)[: len(listeners)]]

    async def run() -> None:
        serving = asyncio.gather(*(s.serve(sockets=[at]) for s, at in zip(servers, listeners, strict=True)))
        watching = asyncio.ensure_future(beside.watch()) if beside else None
        announced = False
        while not serving.done() and worker.failed is None and (beside is None or beside.alive()):
            if worker.loaded and not announced:
                announced = True
                log.info("serving %s (%s) at http://%s:%d", model, worker.loaded.weight_version, host, port)
            await asyncio.sleep(0.1)
        for server in servers:
            server.should_exit = server.force_exit = True
        await serving
        if watching:
            watching.cancel()

    try:
        asyncio.run(run())
    finally:
        if beside:
            beside.end()
    if worker.failed is not None:
        raise worker.failed
    if beside and not beside.is_frozen:  # which `watch` has said
        log.error("SGLang is gone: %s", beside.process.death or "its guard was killed")
    sys.exit(EXIT_TRY_AGAIN)


def quiet(app: FastAPI) -> uvicorn.Config:
    """Without log_config, because uvicorn passes it to logging.config, which closes all handlers, including the store's copy of the log."""
    return uvicorn.Config(app, log_config=None, access_log=False, timeout_keep_alive=60, lifespan="off")


def listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), backlog=128)
    except OSError as error:
        raise BadInput(
            f"Port {port} of {host} cannot be used ({error.strerror}); stop what uses it, or choose another --port."
        ) from None


def threads() -> int:
    """Threads of torch: half of the processors that this process may use, because Lean runs beside it and two threads that wait
    for each other on busy processors are slower than one. $BURNQED_TORCH_THREADS overrides this."""
    chosen = os.environ.get(THREADS, "")
    return int(chosen) if chosen.isdigit() and int(chosen) else max(1, int(cpu_quota()) // 2)


def leave_on_signals(worker: Worker, beside: Sglang | None) -> None:
    def leave(number: int, _: object) -> None:
        if beside:
            beside.end()
        worker.forget_downloads()
        close()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0 if number == signal.SIGTERM else EXIT_TRY_AGAIN)

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
