"""base: the model that training starts from in iteration 0.

`policy.model=tiny` creates a small one, with a tokenizer trained on the corpus; any other model is copied into the
store from a folder, a store or the hub.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from burnqed.data.pairs import PAIRS
from burnqed.errors import BadInput
from burnqed.modelcache import address_version, fetch_address
from burnqed.policy.version import model_version
from burnqed.steps.base import Context, Unit, Work
from burnqed.steps.data import read_pairs
from burnqed.steps.facts import BaseFacts
from burnqed.steps.table import of

TINY = "tiny"
SHAPE = (
    *of("policy", "hidden_size", "layers", "heads", "vocabulary", "states", "max_prompt_tokens", "max_new_tokens"),
    "sft.seed",
)


def units(context: Context) -> list[Unit]:
    model = context.config.policy.model
    if model == TINY:
        return [Unit(context.layout.base, {"data": [context.layout.data]}, parameters=(("model", TINY),), reads=SHAPE)]
    version = address_version(model) if is_address(model) else model
    return [Unit(context.layout.base, parameters=(("model", version),))]


def is_address(model: str) -> bool:
    """Whether it is a folder or a store address; otherwise it is a name on the hub."""
    return "://" in model or Path(model).expanduser().is_dir()


async def run(context: Context, unit: Unit) -> BaseFacts:
    folder = await asyncio.to_thread(make_tiny if context.config.policy.model == TINY else fetched, context)
    version = model_version(folder)
    context.store.upload(folder, unit.root)
    return BaseFacts(version=version, bytes=sum(f.stat().st_size for f in folder.glob("*.safetensors")))


def make_tiny(context: Context) -> Path:
    """A small model with random weights."""
    from burnqed.policy.prompt import prompt
    from burnqed.policy.states import shown
    from burnqed.policy.tiny import make_base

    folder = context.workdir / "base"
    pairs = PAIRS.rows(read_pairs(context.store, context.layout.data))
    policy = context.config.policy
    make_base(
        [prompt(shown(p.state, policy.states)) + p.tactic for p in pairs], folder, policy, context.config.sft.seed
    )
    return folder


def fetched(context: Context) -> Path:
    """The folder of a model that exists. Raises BadInput if it cannot be fetched."""
    model = context.config.policy.model
    if is_address(model):
        return fetch_address(model, context.models)
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(model, allow_patterns=["*.json", "*.safetensors", "*.model", "*.txt", "*.jinja"]))
    except Exception as error:  # its own, and those of its HTTP library, which varies
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise BadInput(
            f"policy.model={model!r} is neither {TINY!r} nor a folder, and the hub does not provide it ({reason}); check the name and the network."
        ) from None


WORK = Work(units, run)
