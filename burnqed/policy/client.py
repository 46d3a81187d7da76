"""The policy over HTTP: candidates from an SGLang server, energies from our own, or both from `burnqed serve`.

    async with PolicyClient(config, "http://127.0.0.1:30000", "http://127.0.0.1:30000") as policy:
        await policy.wait_ready(120)
        proposals = await policy.propose(states, candidates=8, temperature=1.0, seeds=seeds)

A request asks for at most `policy.max_batch` replies, or for those to one state, and several are open at once. (`burnqed.proof_search.batch` has merged what
different searches ask at the same time.) Every sampling parameter is set, because SGLang takes missing ones from the model's
generation_config.json.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice, repeat
from typing import Any, NamedTuple, TypeVar

import httpx
from pydantic import BaseModel, TypeAdapter, ValidationError
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from burnqed.config import PolicyConfig
from burnqed.errors import BadInput, TryAgain, first_of
from burnqed.policy.prompt import Extracted
from burnqed.policy.protocol import Candidate, Proposal, Temperature, distinct, seed_of
from burnqed.policy.retrieval import Retrieval
from burnqed.policy.template import Template, template_of

ATTEMPTS = 6
FIRST_WAIT_S = 0.2
LONGEST_WAIT_S = 5.0
LOG_PROB_DIGITS = 5
"""Further digits depend on what else was in the batch: with float32 a log-probability varies by 3e-6."""
RESERVED = 2
"""Tokens of the context that SGLang keeps for itself."""
TOO_LONG = "context length"
"""Part of SGLang's answer when a prompt is too long for the model."""

Reply = TypeVar("Reply")


class Span(BaseModel):
    """Tokens of a reply that one model made."""

    version: str


class Meta(BaseModel):
    """The part of a reply's `meta_info` that is used."""

    finish_reason: dict[str, Any] | None = None
    completion_tokens: int
    weight_version: str = "default"
    weight_versions: list[Span] = []
    """Of its tokens, where the server says it: more than one when the weights were replaced in between."""
    output_token_logprobs: list[tuple[float, int, str | None]]


class Generated(BaseModel):
    """One reply of /generate."""

    text: str
    meta_info: Meta


class Scored(BaseModel):
    energies: list[float]
    head_id: str
    embedding_id: str


class Health(BaseModel):
    """Of the score server; that of SGLang is empty."""

    weight_version: str | None = None
    """Of the model behind the embeddings, which has to be the one that generates."""
    embedding_id: str | None = None
    head_id: str | None = None


class ModelInfo(BaseModel):
    model_path: str
    weight_version: str = "default"


class ServerInfo(BaseModel):
    """How SGLang was started, where it says so."""

    version: str = ""
    enable_deterministic_inference: bool | None = None
    context_length: int | None = None


class PolicyInfo(ModelInfo):
    """What is being served."""

    embedding_id: str | None
    head_id: str | None


class Asked(NamedTuple):
    """What a request asks about one state."""

    state: str
    prompt: str
    sampling: list[dict[str, Any]]
    """Parameters of each candidate."""


class Refused(BadInput):
    """The server understood the request and refuses it (4xx)."""


class Unknown(BadInput):
    """The server has no such route (404)."""


class Unavailable(Exception):
    """No answer, a failure of the server (5xx), or a truncated answer: worth another try."""


class PolicyClient:
    """`Policy` and `Scorer` over HTTP. Methods raise TryAgain when a server stays unavailable, BadInput when it refuses."""

    def __init__(
        self, config: PolicyConfig, generate_url: str, score_url: str, retrieval: Retrieval | None = None
    ) -> None:
        """`retrieval` finds the lemmas that prompts offer, where `policy.lemmas` says so."""
        self.config = config
        self.generate_url = generate_url.rstrip("/")
        self.score_url = score_url.rstrip("/")
        timeout = httpx.Timeout(config.request_timeout_s, connect=10.0)
        self._http = httpx.AsyncClient(timeout=timeout, trust_env=False)  # a sidecar is not behind a proxy
        self._ids: dict[str, str] = {}
        self._template = template_of(config, retrieval)
        self.lemmas = retrieval.digest if retrieval and config.lemmas else ""
        """Digest of the lemmas that prompts offer; empty if they offer none."""

    async def __aenter__(self) -> PolicyClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    # ---- readiness

    async def wait_ready(self, timeout: float, is_alive: Callable[[], bool] = lambda: True) -> PolicyInfo:
        """Waits until both servers answer and returns what they serve. Raises TryAgain after `timeout` seconds, or as soon as `is_alive`
        says that the server's process is gone."""
        deadline = time.monotonic() + timeout
        for url in dict.fromkeys([self.generate_url, self.score_url]):
            while True:
                if not is_alive():
                    raise TryAgain(f"The policy server for {url} ended before it was ready; see its log.")
                try:
                    if (await self._http.get(f"{url}/health", timeout=5.0)).status_code == 200:
                        break
                except httpx.TransportError:
                    pass
                if time.monotonic() > deadline:
                    raise TryAgain(f"No policy server was ready at {url} within {timeout:.0f} s; see its log.")
                await asyncio.sleep(0.1)
        return await self.info()

    async def info(self) -> PolicyInfo:
        """What the servers serve; also remembers the identities of model, embeddings and head.

        Raises BadInput when generation and embeddings come from different models, and when SGLang was started in a way that would cut replies
        short or make their seeds meaningless.
        """
        try:
            model = await self._request(f"{self.generate_url}/model_info", ModelInfo)
        except Unknown:  # older servers have its former name alone
            model = await self._request(f"{self.generate_url}/get_model_info", ModelInfo)
        with suppress(Unknown):  # the embedded server is as its configuration says
            self._check_started(await self._request(f"{self.generate_url}/server_info", ServerInfo))
        health = await self._request(f"{self.score_url}/health", Health)
        if health.weight_version not in (None, model.weight_version):
            raise BadInput(
                f"{self.generate_url} generates with the weights {model.weight_version}, but {self.score_url} scores with "
                f"{health.weight_version}; serve one model, and start SGLang with --weight-version {health.weight_version}."
            )
        served = PolicyInfo(**{**health.model_dump(), **model.model_dump()})
        self._note(**served.model_dump(exclude={"model_path"}))
        return served

    @property
    def head_id(self) -> str:
        """Known after `info`."""
        if "head_id" not in self._ids:
            raise BadInput(f"The server {self.score_url} has named no head_id; start it with --head.")
        return self._ids["head_id"]

    # ---- work

    async def propose(
        self, states: Sequence[str], *, candidates: int, temperature: Temperature, seeds: Sequence[int]
    ) -> list[Proposal]:
        """See `Policy`. A state too long for the model has no candidates; where only its lemmas have no room, it is asked without them."""
        each = list(repeat(temperature, candidates) if isinstance(temperature, float | int) else temperature)
        asked = [
            Asked(state, self._template.prompt(state), [self._sampling(t, seed, i) for i, t in enumerate(each)])
            for state, seed in zip(states, seeds, strict=True)
        ]
        size = max(1, self.config.max_batch // candidates)
        parts = [asked[start : start + size] for start in range(0, len(asked), size)]
        return [proposal for part in await _together([self._propose(p) for p in parts]) for proposal in part]

    async def score(self, states: Sequence[str], goals: Sequence[str]) -> list[float]:
        """See `Scorer`."""
        if not states:
            return []
        body = {"states": list(states), "goals": list(goals)}
        scored = await self._request(f"{self.score_url}/score", Scored, body, lambda s: len(s.energies) == len(states))
        self._note(embedding_id=scored.embedding_id, head_id=scored.head_id)
        return scored.energies

    # ---- inside

    def _check_started(self, server: ServerInfo) -> None:
        who = f"SGLang {server.version}".strip()
        if self.config.deterministic and server.enable_deterministic_inference is False:
            raise BadInput(
                f"{who} at {self.generate_url} ignores seeds, so no search could be repeated; start it with --enable-deterministic-inference, "
                "or set policy.deterministic=false."
            )
        needed = context_length(self.config)
        if server.context_length is not None and server.context_length < needed:
            raise BadInput(
                f"{who} at {self.generate_url} has a context of {server.context_length} tokens, and needs {needed}; start it with "
                f"--context-length {needed}, or lower policy.max_prompt_tokens or policy.max_new_tokens."
            )

    def _sampling(self, temperature: float, seed: int, number: int) -> dict[str, Any]:
        return {
            "max_new_tokens": self.config.max_new_tokens,
            "temperature": temperature,
            "top_p": self.config.top_p,
            "top_k": -1,
            "min_p": 0.0,
            "stop": list(self._template.stop),
            "stop_token_ids": [],
            "sampling_seed": candidate_seed(seed, number),
        }

    async def _propose(self, asked: Sequence[Asked]) -> list[Proposal]:
        """One request; when a prompt in it is too long, one for each half, down to that prompt, then without its lemmas."""
        body: dict[str, Any] = {
            "text": [one.prompt for one in asked for _ in one.sampling],
            "sampling_params": [params for one in asked for params in one.sampling],
            "return_logprob": True,
            "logprob_start_len": -1,
            "return_text_in_logprobs": True,
        }
        count = len(body["sampling_params"])
        try:
            replies = await self._request(
                f"{self.generate_url}/generate", list[Generated], body, lambda replies: whole(replies, count)
            )
        except Refused as refusal:
            if TOO_LONG not in str(refusal):
                raise
            if len(asked) == 1:
                (one,) = asked
                bare = one._replace(prompt=self._template.bare_prompt(one.state))
                return [Proposal((), "")] if bare == one else await self._propose([bare])
            half = len(asked) // 2
            return [p for part in (asked[:half], asked[half:]) for p in await self._propose(part)]
        for reply in replies:
            for version in [
                *(span.version for span in reply.meta_info.weight_versions),
                reply.meta_info.weight_version,
            ]:
                self._note(weight_version=version)
        remaining = iter(replies)
        return [
            proposal(
                list(islice(remaining, len(one.sampling))),
                [params["temperature"] for params in one.sampling],
                self._template,
            )
            for one in asked
        ]

    async def _request(
        self, url: str, kind: type[Reply], body: Any = None, complete: Callable[[Reply], bool] = lambda _: True
    ) -> Reply:
        """The reply to a GET, or a POST where there is a body; repeated while the server is unavailable.

        A reply for which `complete` is false was cut off.
        """
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(Unavailable),
            stop=stop_after_attempt(ATTEMPTS),
            wait=wait_random_exponential(multiplier=FIRST_WAIT_S, max=LONGEST_WAIT_S),
            reraise=True,
        )
        try:
            reply: Reply = await retrying(self._exchange, url, kind, body, complete)
        except Unavailable as error:
            raise TryAgain(
                f"The policy server did not answer {url} in {ATTEMPTS} tries ({error}); see its log."
            ) from None
        return reply

    async def _exchange(self, url: str, kind: type[Reply], body: Any, complete: Callable[[Reply], bool]) -> Reply:
        try:
            response = await self._http.request("GET" if body is None else "POST", url, json=body)
        except httpx.TransportError as error:
            raise Unavailable(f"{type(error).__name__} {error}".strip()) from None
        if response.status_code >= 500:
            raise Unavailable(f"status {response.status_code}: {response.text[:200]}")
        if response.status_code >= 400:
            if body is None:
                raise (Unknown if response.status_code == 404 else BadInput)(
                    f"{url} is not what SGLang or burnqed serve has ({complaint(response)}); check the address."
                )
            server, _, path = url.rpartition("/")
            raise Refused(f"The policy server {server} refuses /{path}: {complaint(response)}")
        reply = read(response, kind, url)
        if not complete(reply):
            raise Unavailable("the reply is incomplete")
        return reply

    def _note(self, **identities: str | None) -> None:
        """Remembers identities; one client never mixes proposals or energies from two models or heads."""
        for name, value in identities.items():
            if value is not None and self._ids.setdefault(name, value) != value:
                server = self.generate_url if name == "weight_version" else self.score_url
                raise BadInput(
                    f"The server {server} changed its {name} from {self._ids[name]} to {value} midway; "
                    "run the step again against one model and head."
                )


def context_length(config: PolicyConfig) -> int:
    """What SGLang needs for the longest prompt and reply: with less, it cuts replies short."""
    return config.max_prompt_tokens + config.max_new_tokens + RESERVED


def candidate_seed(seed: int, number: int) -> int:
    """The seed of one candidate, from that of its state."""
    return seed_of(f"{seed}/{number}")


def proposal(replies: Sequence[Generated], temperatures: Sequence[float], template: Template) -> Proposal:
    """The distinct tactics among replies to one state, each of which was sampled at one of the temperatures."""
    candidates = [
        Candidate(extracted.tactic, tactic_log_prob(reply, extracted), temperature, draw)
        for draw, (reply, temperature) in enumerate(zip(replies, temperatures, strict=True))
        if (extracted := template.extract(reply.text)) is not None
    ]
    tokens = sum(reply.meta_info.completion_tokens for reply in replies)
    return Proposal(distinct(candidates), replies[0].meta_info.weight_version, tokens)


def tactic_log_prob(reply: Generated, extracted: Extracted) -> float:
    """Sum over the tokens of the answer up to the tactic's end: all of them, including the one that ended the reply, unless more text follows.

    Tokens that hold part of a character read "\\ufffd"; the position is known again after the next whole one.
    """
    text, total, place, unread = reply.text, 0.0, 0, 8
    more_follows = bool(text[extracted.end :].strip())
    for log_prob, _, piece in reply.meta_info.output_token_logprobs:
        if more_follows and place >= extracted.end:
            break
        if place >= extracted.start:
            total += log_prob
        unread += 1  # a token without its place stands for a character at most
        if piece and "\ufffd" not in piece and (at := text.find(piece, place, place + len(piece) + unread)) >= 0:
            place, unread = at + len(piece), 8
    return round(total, LOG_PROB_DIGITS)


def whole(replies: Sequence[Generated], count: int) -> bool:
    """Whether all replies have arrived with all their log-probabilities, and the server aborted none."""
    return len(replies) == count and all(
        len(r.meta_info.output_token_logprobs) == r.meta_info.completion_tokens
        and (r.meta_info.finish_reason or {}).get("type") != "abort"
        for r in replies
    )


def read(response: httpx.Response, kind: type[Reply], url: str) -> Reply:
    """The typed body. Raises Unavailable when it is not JSON, BadInput when it is of another protocol."""
    try:
        content = response.json() if response.content else {}
    except ValueError:
        raise Unavailable(f"the reply is not JSON: {response.text[:200]!r}") from None
    try:
        return TypeAdapter(kind).validate_python(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadInput(
            f"The reply of {url} is not what SGLang or burnqed serve answers ({place}: {first['msg']}); check the address."
        ) from None


def complaint(response: httpx.Response) -> str:
    """The message of an error reply: SGLang has `{"error": {"message": …}}`, `{"error": …}` and `{"object": "error", "message": …}`, FastAPI
    `{"detail": …}`; otherwise the text."""
    try:
        content = response.json()
    except ValueError:
        return f"status {response.status_code}: {response.text[:200]}"
    for name in ("error", "message", "detail"):
        content = content.get(name, content) if isinstance(content, dict) else content
    return str(content)


async def _together(works: Sequence[Any]) -> list[Any]:
    """The results in order; when one fails, the others are cancelled."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work) for work in works]
    except ExceptionGroup as group:
        raise first_of(group) from None
    return [task.result() for task in tasks]
