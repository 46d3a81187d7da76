"""The thread that owns the model: it generates, embeds and scores, one thing at a time.

Requests come from any thread and get a `concurrent.futures.Future`. Generation is a running batch that new requests join
between two tokens; embeddings and scores are also computed between two tokens.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from burnqed import metrics, modelcache
from burnqed.config import PolicyConfig
from burnqed.errors import BadInput
from burnqed.log import log
from burnqed.policy.sglang import Sglang
from burnqed.policy.template import template_of
from burnqed.scratch import scratch_folder

if TYPE_CHECKING:  # these import torch, which takes seconds: the thread does it, while the server already answers
    from burnqed.head.base import Head
    from burnqed.policy.encode import Encoder
    from burnqed.policy.generate import Generator, Sample

T = TypeVar("T")

ENERGY_DIGITS = 6
"""Of an energy, computed in float64; further digits depend on what else was scored."""
CACHE_BYTES = 256 << 20
"""Size of the embeddings kept for `/score`, which needs the root of a theorem again and again."""
LATELY_BYTES = 512 << 20
"""Size of what is kept of recent states, with which their successors begin; a small model's need 1 to 6 MB each."""


@dataclass
class Loaded:
    """What answers requests; replaced as a whole by new weights."""

    path: str
    weight_version: str
    generator: Generator
    encoder: Encoder
    head: Head | None
    context: int
    """The most tokens of a prompt and its reply together."""

    @property
    def head_id(self) -> str | None:
        return self.head.head_id if self.head else None


class Request:
    """Samples that are answered together, with the model that made them."""

    def __init__(self, samples: int) -> None:
        self.left = samples
        self.future: Future[Loaded] = Future()
        self.future.set_running_or_notify_cancel()  # a client that goes away cancels nothing


class Worker:
    def __init__(
        self,
        model: str,
        head: str | None,
        config: PolicyConfig,
        threads: int | None = None,
        beside: Sglang | None = None,
    ) -> None:
        """Starts loading, once `beside` is ready, which then generates; `loaded` is None until that is done. `failed` holds what went wrong.
        `threads`: those that torch uses."""
        self.beside = beside
        self.config = config
        self.head = head
        self.threads = threads
        self._downloads = ExitStack()
        self.loaded: Loaded | None = None
        self.failed: BaseException | None = None
        self._cache: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._requests: dict[Sample, Request] = {}
        self._inbox: deque[tuple[Callable[[], None], bool]] = deque()
        self._wake = threading.Condition()
        self._thread = threading.Thread(target=self._run, args=(model,), daemon=True, name="model")
        self._ended = False
        metrics.watch_queue("generation", lambda: len(self._requests))
        self._thread.start()

    # ---- for other threads

    def generate(self, samples: list[Sample]) -> Future[Loaded]:
        """Resolves when all samples are finished, with the model that made them."""
        request = Request(len(samples))

        def submit() -> None:
            for sample in samples:
                self._requests[sample] = request
                self._ready.generator.submit(sample)

        self._call(submit)
        return request.future

    def embed(self, texts: Sequence[str]) -> Future[tuple[NDArray[np.float32], Loaded]]:
        """float32 [len(texts), width]."""
        return self._call(lambda: (self._ready.encoder.embed(texts), self._ready))

    def score(self, states: Sequence[str], goals: Sequence[str]) -> Future[tuple[list[float], Loaded]]:
        """Energies of (state, goal) pairs. Fails with BadInput when there is no head."""
        return self._call(lambda: (self._score(states, goals), self._ready))

    def update(self, model: str, weight_version: str | None, head: str | None = None) -> Future[None]:
        """Replaces the weights, and the head where one is given, once nothing is being generated. Fails with BadInput and keeps the old ones
        when the new ones cannot be loaded or the head was not trained for them."""
        return self._call(lambda: self._load(model, weight_version, head or self.head), alone=True)

    def flush(self) -> Future[None]:
        """Forgets cached embeddings, and what was kept to compute others."""

        def forget() -> None:
            self._cache.clear()
            if self._ready.encoder.lately:
                self._ready.encoder.lately.clear()

        return self._call(forget)

    def close(self) -> None:
        self._ended = True
        with self._wake:
            self._wake.notify()
        self._thread.join()
        self.forget_downloads()

    def forget_downloads(self) -> None:
        """Deletes the models and heads that were fetched from a store."""
        self._downloads.close()

    # ---- the thread

    @property
    def _ready(self) -> Loaded:
        assert self.loaded is not None
        return self.loaded

    def _call(self, function: Callable[[], T], alone: bool = False) -> Future[T]:
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()

        def work() -> None:
            try:
                future.set_result(function())
            except Exception as error:
                future.set_exception(error)

        with self._wake:
            self._inbox.append((work, alone))
            self._wake.notify()
        return future

    def _run(self, model: str) -> None:
        try:
            if self.beside:
                self.beside.wait()
            self._load(model, None, self.head)
            while not self._ended:
                for work in self._next():
                    work()
                self._step(self._ready.generator)
        except BaseException as error:
            self.failed = error

    def _next(self) -> list[Callable[[], None]]:
        """Waits until there is work and returns it; exclusive work is returned alone, once nothing is being generated."""
        generator = self._ready.generator
        works: list[Callable[[], None]] = []
        with self._wake:
            while not (self._ended or self._inbox or generator.busy):
                self._wake.wait()
            while self._inbox:
                work, alone = self._inbox[0]
                if alone and (works or generator.busy):
                    break
                self._inbox.popleft()
                works.append(work)
                if alone:
                    break
        return works

    def _step(self, generator: Generator) -> None:
        try:
            finished = generator.step()
        except Exception as error:
            log.exception("generation failed")
            generator.clear()
            for request in set(self._requests.values()):
                request.future.set_exception(error)
            self._requests.clear()
            return
        for sample in finished:
            request = self._requests.pop(sample)
            request.left -= 1
            if request.left == 0:
                request.future.set_result(self._ready)

    def _load(self, model: str, weight_version: str | None, head_address: str | None) -> None:
        import torch

        from burnqed.policy.encode import Encoder
        from burnqed.policy.generate import Generator, Sample
        from burnqed.policy.model import load_model
        from burnqed.policy.pooling import Pooling
        from burnqed.policy.sampling import SamplingParams

        if self.threads:
            torch.set_num_threads(self.threads)
        folder, weights = self._fetch(model), self.config.embed_weights
        embedding = load_model(folder, self.config.dtype, exact=True, weights=weights)
        generates_apart = self.beside is None and weights != "full"
        loaded = load_model(folder, self.config.dtype, exact=True) if generates_apart else embedding
        template_of(self.config).check(lambda token: loaded.tokenizer.token_to_id(token) is not None, model)
        encoder = Encoder(embedding, Pooling.of(self.config), lately_bytes=LATELY_BYTES)
        head = self._load_head(head_address, encoder) if head_address else None
        generator = Generator(loaded, self.config.max_batch)
        generator.submit(Sample([0], SamplingParams(max_new_tokens=1, temperature=0.0)))
        generator.step()  # warms up, and verifies that the weights give numbers
        context = min(loaded.network.context, self.config.max_prompt_tokens + self.config.max_new_tokens)
        self._cache.clear()
        self.head = head_address
        self.loaded = Loaded(model, weight_version or loaded.version, generator, encoder, head, context)

    def _load_head(self, address: str, encoder: Encoder) -> Head:
        from burnqed.head.base import Head

        head = Head.load(self._fetch(address))
        if head.embedding_id != encoder.embedding_id:
            raise BadInput(
                f"The head at {address} was trained on embeddings {head.embedding_id}, but the model {encoder.model.folder} "
                f"gives {encoder.embedding_id} with policy.embedding={self.config.embedding}; use the head that was trained under this model with "
                "the same policy.embedding and policy.embed_max_tokens, or train one."
            )
        return head.double()

    def _score(self, states: Sequence[str], goals: Sequence[str]) -> list[float]:
        import torch

        loaded = self._ready
        if loaded.head is None:
            raise BadInput("This server has no head; start it with --head.")
        texts = dict.fromkeys([*states, *goals])
        if unknown := [text for text in texts if text not in self._cache]:
            self._cache.update(zip(unknown, loaded.encoder.embed(unknown), strict=True))
        vectors = {text: self._cache[text] for text in texts}
        for text in vectors:
            self._cache.move_to_end(text)
        while len(self._cache) * loaded.encoder.width * 4 > CACHE_BYTES:
            self._cache.popitem(last=False)
        with torch.inference_mode():
            z, g = (torch.from_numpy(np.stack([vectors[text] for text in side])) for side in (states, goals))
            return [round(e, ENERGY_DIGITS) for e in loaded.head.energies(z.double(), g.double()).tolist()]

    def _fetch(self, uri: str) -> Path:
        """The folder at an address, copied if it is in a store."""
        if cache := os.environ.get(modelcache.VARIABLE):
            return modelcache.fetch_address(uri, Path(cache))
        return modelcache.fetch_address(uri, self._downloads.enter_context(scratch_folder("burnqed-fetched-")))
