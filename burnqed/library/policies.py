"""Policies and heads for searches: a model that is served on this machine, or any function."""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from burnqed.errors import BadInput
from burnqed.library.background import wait
from burnqed.library.settings import configured
from burnqed.policy.client import PolicyClient
from burnqed.policy.launch import launched
from burnqed.policy.protocol import Candidate, Policy, Proposal, Scorer

T = TypeVar("T")

Tactics = Iterable[str | tuple[str, float]]
"""Tactics, likeliest first, or tactics with the natural logarithm of their probability."""
PolicyFunction = Callable[[str], Tactics | Awaitable[Tactics]]
"""From the text of a state (its goals, separated by an empty line)."""
ScoreFunction = Callable[[str, str], float | Awaitable[float]]
"""From the texts of a state and of the theorem's root state to an energy: lower = more provable."""


@contextmanager
def serve(model: str, head: str | None = None, **settings: Any) -> Iterator[PolicyClient]:
    """A model as policy and, with a head, as scorer, served by a separate process until the end of the `with` block.

    `model`: a folder, an address in a store, or the name of a model on the Hugging Face hub. `settings` are those of the
    configuration's section `policy`. Raises BadInput when there is no such model, TryAgain when the server does not start.
    """
    config = configured("policy", settings).policy
    server = launched(located(model), head, config)
    urls = wait(server.__aenter__())
    try:
        client = PolicyClient(config, urls.generate, urls.score)
        try:
            wait(client.info())
            yield client
        finally:
            wait(client.close())
    finally:
        wait(server.__aexit__(None, None, None))


def located(model: str) -> str:
    """The folder or address of a model, downloaded where it is the hub's."""
    if "://" in model or Path(model).exists():
        return model
    try:
        from huggingface_hub import snapshot_download

        return str(snapshot_download(model, allow_patterns=["*.json", "*.safetensors", "*.model", "*.txt", "*.jinja"]))
    except Exception as error:  # its own, and those of the HTTP library that it uses, which changes
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise BadInput(
            f"{model!r} is neither a folder, an address in a store, nor a model of the hub ({reason}); check the name and the network."
        ) from None


class FunctionPolicy:
    """A function as `Policy`. It is asked again for every state that is expanded, in a thread unless it is asynchronous."""

    def __init__(self, function: PolicyFunction) -> None:
        self.function = function

    async def propose(
        self, states: Sequence[str], *, candidates: int, temperature: float, seeds: Sequence[int]
    ) -> list[Proposal]:
        return [proposal(await called(self.function, state), candidates) for state in states]


class FunctionScorer:
    """A function as `Scorer`."""

    def __init__(self, function: ScoreFunction) -> None:
        self.function = function
        self.head_id = getattr(function, "__name__", type(function).__name__)

    async def score(self, states: Sequence[str], goals: Sequence[str]) -> list[float]:
        return [float(await called(self.function, state, goal)) for state, goal in zip(states, goals, strict=True)]


async def called(function: Callable[..., T | Awaitable[T]], *arguments: str) -> T:
    if inspect.iscoroutinefunction(function):
        answer: T = await function(*arguments)
        return answer
    answered = await asyncio.to_thread(function, *arguments)
    return await answered if inspect.isawaitable(answered) else answered


def proposal(tactics: Tactics, candidates: int) -> Proposal:
    """The likeliest of the distinct tactics, in the order given where equal; those without a probability share it evenly."""
    log_probs: dict[str, float | None] = {}
    for entry in tactics:
        tactic, log_prob = (entry, None) if isinstance(entry, str) else entry
        log_probs.setdefault(tactic, log_prob)
    even = -math.log(len(log_probs)) if log_probs else 0.0
    known = [Candidate(tactic, even if log_prob is None else log_prob) for tactic, log_prob in log_probs.items()]
    likeliest = sorted(known, key=lambda candidate: -candidate.log_prob)[:candidates]
    return Proposal(tuple(likeliest), "function")


def as_policy(policy: Policy | PolicyFunction) -> Policy:
    return policy if hasattr(policy, "propose") else FunctionPolicy(policy)  # type: ignore[return-value,arg-type]


def as_scorer(scorer: Scorer | ScoreFunction | None) -> Scorer | None:
    return scorer if scorer is None or hasattr(scorer, "score") else FunctionScorer(scorer)  # type: ignore[return-value,arg-type]
