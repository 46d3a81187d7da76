"""Policies and heads for searches: a model that is served on this machine, or any function."""

from __future__ import annotations

import asyncio
import inspect
import math
import os
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from burnqed.errors import BadInput
from burnqed.lean.lemmas import library_lemmas
from burnqed.library.arguments import as_address, configured
from burnqed.library.background import wait
from burnqed.policy.client import PolicyClient
from burnqed.policy.launch import launched
from burnqed.policy.protocol import Candidate, Policy, Proposal, Scorer, Temperature, not_tactics
from burnqed.policy.retrieval import Retrieval

READ_PER_CANDIDATE = 16
"""Tactics that are read from a generator for each candidate that is asked for: it may be endless, and repeat itself."""

Tactics = Iterable[str | tuple[str, float]]
"""Tactics, likeliest first, or tactics with the natural logarithm of their probability. Of a generator, the first 16 for each candidate
of the search (`search.candidates`) are taken."""
PolicyFunction = Callable[[str], Tactics | Awaitable[Tactics] | AsyncIterable[str | tuple[str, float]]]
"""From the text of a state (its goals, separated by an empty line)."""
ScoreFunction = Callable[[str, str], float | Awaitable[float]]
"""From the texts of a state and of the theorem's root state to an energy: lower = more provable."""


@contextmanager
def serve(
    model: str | os.PathLike[str], head: str | os.PathLike[str] | None = None, **settings: Any
) -> Iterator[PolicyClient]:
    """A model as policy and, with a head, as scorer, served by a separate process until the end of the `with` block.

    `model`: a folder, an address in a store, or the name of a model on the Hugging Face hub. `settings` are those of the
    configuration's section `policy`. Raises BadInput when there is no such model, TryAgain when the server does not start.
    """
    whole = configured("policy", settings)
    config = whole.policy
    retrieval = Retrieval(wait(library_lemmas(whole.lean))) if config.lemmas else None
    server = launched(located(as_address(model)), None if head is None else as_address(head), config)
    urls = wait(server.__aenter__())
    try:
        client = PolicyClient(config, urls.generate, urls.score, retrieval)
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


class Called:
    """A function of the caller's, of `arguments` arguments: an async one as it is, any other in a thread and never twice at a time.

    What it raises is passed on, but for StopIteration, which futures cannot hold.
    """

    def __init__(self, function: Callable[..., Any], what: str, arguments: int) -> None:
        self._function, self._turn = function, asyncio.Lock()
        if not callable(function):
            raise BadInput(f"{function!r} cannot be the {what}; give a function.")
        with suppress(ValueError):  # some functions written in C do not say what they take
            try:
                inspect.signature(function).bind(*[None] * arguments)
            except TypeError as error:
                raise BadInput(
                    f"{function!r} cannot be the {what} ({error}); it is called with {arguments} argument{'s' * (arguments > 1)}."
                ) from None

    async def __call__(self, *arguments: object, most: int | None = None) -> Any:
        """What it returns; of a generator, a list of the first `most` things."""
        if inspect.iscoroutinefunction(self._function):
            return await self._function(*arguments)
        async with self._turn:
            answer = await asyncio.to_thread(self._in_thread, arguments, most)
        if isinstance(answer, AsyncIterator):
            things: list[object] = []
            async for thing in answer:
                things.append(thing)
                if len(things) == most:
                    break
            return things
        return await answer if inspect.isawaitable(answer) else answer

    def _in_thread(self, arguments: Sequence[object], most: int | None) -> Any:
        try:
            answer = self._function(*arguments)
            return list(islice(answer, most)) if isinstance(answer, Iterator) else answer
        except StopIteration as error:
            raise RuntimeError(f"a function that burnqed called raised {error!r}") from error


class FunctionPolicy(Called):
    """A function as `Policy`. It is asked again for every state that is expanded."""

    def __init__(self, function: PolicyFunction) -> None:
        super().__init__(function, "policy", 1)

    async def propose(
        self, states: Sequence[str], *, candidates: int, temperature: Temperature, seeds: Sequence[int]
    ) -> list[Proposal]:
        answers = await asyncio.gather(*(self(state, most=READ_PER_CANDIDATE * candidates) for state in states))
        return [proposal(answer, candidates) for answer in answers]


class FunctionScorer(Called):
    """A function as `Scorer`."""

    def __init__(self, function: ScoreFunction) -> None:
        super().__init__(function, "scorer", 2)
        self.head_id = getattr(function, "__name__", type(function).__name__).strip("<>")

    async def score(self, states: Sequence[str], goals: Sequence[str]) -> list[float]:
        return list(await asyncio.gather(*map(self, states, goals)))


def proposal(tactics: Tactics, candidates: int) -> Proposal:
    """The likeliest of the distinct tactics, in the order given where equal; those without a probability share it evenly."""
    if isinstance(tactics, str | bytes | Mapping) or not isinstance(tactics, Iterable):
        raise not_tactics(tactics)
    log_probs: dict[str, float | None] = {}
    for entry in tactics:
        match entry:
            case str():
                log_probs.setdefault(entry)
            case [str() as tactic, log_prob]:
                log_probs.setdefault(tactic, log_prob)
            case _:
                raise not_tactics(entry)
    even = -math.log(len(log_probs)) if log_probs else 0.0
    known = [Candidate(tactic, even if log_prob is None else log_prob) for tactic, log_prob in log_probs.items()]
    likeliest = sorted(known, key=lambda candidate: -candidate.log_prob)[:candidates]
    return Proposal(tuple(likeliest), "function")


def as_policy(policy: Policy | PolicyFunction) -> Policy:
    return policy if hasattr(policy, "propose") else FunctionPolicy(policy)  # type: ignore[return-value,arg-type]


def as_scorer(scorer: Scorer | ScoreFunction | None) -> Scorer | None:
    if hasattr(scorer, "score") and not hasattr(scorer, "head_id"):
        raise BadInput(f"{scorer!r} has no head_id; results name the head by it.")
    return scorer if scorer is None or hasattr(scorer, "score") else FunctionScorer(scorer)  # type: ignore[return-value,arg-type]
