"""SGLang and our own embedding server in one container: two processes that share a GPU, which two containers cannot.

SGLang answers /generate at one port; our server answers /embed and /score at the next one, because SGLang's /encode pools the last
token and we need the mean over all tokens. SGLang runs under a guard, so that neither server outlives the other, however that one ends.

Each has weights of its own in the GPU's memory, for SGLang shares them with nobody. It loads first, because it takes its share of what is free
then; what it may use for keys and values is fixed beforehand.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import time
from contextlib import ExitStack
from pathlib import Path

import httpx

from burnqed.config import PolicyConfig, RunConfig
from burnqed.errors import BadInput
from burnqed.lifeline import Guarded
from burnqed.log import log
from burnqed.policy.client import complaint, context_length
from burnqed.policy.version import model_version
from burnqed.scratch import scratch_folder

COMMAND = "BURNQED_SGLANG"
"""The program to start instead of `sglang serve`."""
GRACE_S = 8.0
"""For the guard to kill everything: within the 30 s that Kubernetes gives a pod, and within those of a local pod."""
PROBE_S = 2.0
READY_EVERY_S = 0.5
UPDATE_S = 600.0
"""For what is being generated, and loading."""
WATCH_S = 5.0
"""Between two looks at whether it generates."""
BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
OURS = (
    *("--model-path", "--host", "--port", "--weight-version", "--dtype", "--context-length", "--mem-fraction-static"),
    *(
        "--tensor-parallel-size",
        "--tp-size",
        "--data-parallel-size",
        "--dp-size",
        "--attention-backend",
        "--quantization",
    ),
    *("--config", "--api-key"),
)
"""Options that are set here, from the configuration, or would set these; SGLang takes their beginnings for them."""


class Sglang:
    """A running SGLang server. `is_frozen` from when it has generated nothing for `frozen_s` seconds, though it was asked to."""

    def __init__(self, process: Guarded, url: str, frozen_s: float, folder: ExitStack | None = None) -> None:
        """`folder` is closed when it has ended."""
        self.process, self.url, self.is_frozen, self.is_updating = process, url, False, False
        self._frozen_s, self._folder = frozen_s, folder or ExitStack()

    async def ready(self) -> bool:
        """Whether it accepts requests. It has then generated once; /health and /health_generate would make it generate again, which takes a
        second."""
        return await self._answers("/ready", PROBE_S)

    def wait(self) -> None:
        """Returns when it is ready, or gone."""
        while self.alive() and not asyncio.run(self.ready()):
            time.sleep(READY_EVERY_S)

    async def watch(self) -> None:
        """Returns when it is frozen; before it is ready for the first time, it may take as long as it likes.

        /health_generate answers as soon as any token is generated, be it one of its own.
        """
        while not await self.ready():
            await asyncio.sleep(WATCH_S)
        last = time.monotonic()
        while self.is_updating or time.monotonic() - last < self._frozen_s:
            if self.is_updating or await self._answers(
                "/health_generate", max(1.0, last + self._frozen_s - time.monotonic())
            ):
                last = time.monotonic()
            await asyncio.sleep(min(WATCH_S, self._frozen_s / 4))
        self.is_frozen = True
        log.error("SGLang has generated nothing for %.0f s, which counts as dead", self._frozen_s)

    async def update(self, model: Path, version: str) -> None:
        """Replaces its weights once nothing is being generated. Raises BadInput, and keeps the old ones, when it cannot load the new ones."""
        body = {"model_path": str(model), "weight_version": version}
        self.is_updating = True  # and generates nothing
        try:
            async with httpx.AsyncClient(timeout=UPDATE_S, verify=False, trust_env=False) as client:
                answer = await client.post(f"{self.url}/update_weights_from_disk", json=body)
        except httpx.HTTPError as error:
            raise BadInput(f"SGLang did not answer while it replaced its weights ({error}).") from None
        finally:
            self.is_updating = False
        if not answer.is_success:
            raise BadInput(f"SGLang refuses the weights: {complaint(answer)}")

    def alive(self) -> bool:
        return self.process.poll() is None and not self.is_frozen

    def end(self) -> None:
        """Kills it: nobody needs what is being generated, and it would take 20 s to leave by itself."""
        self.process.end(GRACE_S)
        self._folder.close()

    async def _answers(self, path: str, timeout: float) -> bool:
        try:  # without TLS, which would take a second to load
            async with httpx.AsyncClient(timeout=timeout, verify=False, trust_env=False) as client:
                return (await client.get(f"{self.url}{path}")).is_success
        except httpx.HTTPError:
            return False


def launch(model: Path, host: str, port: int, config: PolicyConfig, memory: float) -> Sglang:
    """Starts SGLang for a model's folder. `memory` is the share of the GPU's memory for its weights and cache.

    Every reply names the model's version, for which SGLang would otherwise say "default". By default its processes (one for each GPU) would
    communicate through a port that torch opens on all interfaces, whatever `host` is; here they use a file and the loopback interface.

    Raises BadInput when `policy.sglang_args` has an option that is set here, and when the share holds no request.
    """
    command = [*program(), *arguments(model, host, port, config, memory, gpu_bytes())]
    holding = ExitStack()
    folder = holding.enter_context(scratch_folder("burnqed-sglang-"))
    environment = {
        **os.environ,
        "GLOO_SOCKET_IFNAME": "lo",
        "NCCL_SOCKET_IFNAME": "lo",
        "SGLANG_ENABLE_HEALTH_ENDPOINT_GENERATION": "0",  # for /health alone, which would take a second
    }
    if config.data_parallel == 1:  # copies of the model would take each other's processes for their own
        environment["SGLANG_DISTRIBUTED_INIT_METHOD_OVERRIDE"] = f"file://{folder / 'processes'}"
    return Sglang(Guarded(command, env=environment), f"http://127.0.0.1:{port}", config.frozen_s, holding)


def program() -> list[str]:
    """The words that start SGLang. Raises BadInput when they name no program."""
    words = shlex.split(os.environ.get(COMMAND, "sglang serve"))
    if not words or shutil.which(words[0]) is None:
        raise BadInput(
            f"There is no program {' '.join(words[:1])!r} to start SGLang with; install SGLang in an environment of its own and name its program "
            f"in ${COMMAND}, as in '/opt/sglang/bin/sglang serve', or set workflow.policy_server=embedded."
        )
    return words


def check_here(config: RunConfig) -> None:
    """Raises BadInput when SGLang is not installed here, or several would share this machine's GPUs: nothing gives each one of its own."""
    program()
    if config.workflow.parallelism > 1 and config.serving.gpus:
        raise BadInput(
            f"workflow.parallelism={config.workflow.parallelism} would start as many SGLangs on the same GPU; set workflow.parallelism=1 on one machine "
            "(policy.data_parallel uses several GPUs)."
        )


def gpu_bytes() -> int | None:
    """Memory of a GPU; None without one."""
    import torch

    return int(torch.cuda.get_device_properties(0).total_memory) if torch.cuda.is_available() else None


def room(model: Path, config: PolicyConfig, memory: int) -> int | None:
    """Tokens whose keys and values fit into so many bytes of each GPU beside the model's weights; None for a model whose configuration has
    other names. Raises BadInput for less than one request.

    A token has one key and one value of `head_dim` numbers for each layer and key-value head. Tensor parallelism divides both weights and heads.
    """
    shape = json.loads((model / "config.json").read_text(encoding="utf-8"))
    if not {"num_attention_heads", "num_hidden_layers", "hidden_size"} <= shape.keys():
        return None
    heads = shape["num_attention_heads"]
    width = shape.get("head_dim") or shape["hidden_size"] // heads
    numbers: int = 2 * shape["num_hidden_layers"] * (shape.get("num_key_value_heads") or heads) * width
    saved = shape.get("dtype") or shape.get("torch_dtype") or config.dtype
    files = sum(file.stat().st_size for file in model.glob("*.safetensors") if not file.name.startswith("consolidated"))
    weights = files * BYTES[config.dtype] // BYTES.get(saved, BYTES[config.dtype])
    tokens = (memory * config.tensor_parallel - weights) // (numbers * BYTES[config.dtype])
    if tokens < context_length(config):
        needed = weights + context_length(config) * numbers * BYTES[config.dtype]
        raise BadInput(
            f"SGLang's share of the GPU, {memory / 2**30:.1f} GiB, has no room for the model and one request, "
            f"{needed / config.tensor_parallel / 2**30:.1f} GiB; raise workflow.sglang_memory, use more GPUs (policy.tensor_parallel), or lower "
            "policy.max_prompt_tokens."
        )
    return tokens


def check_options(config: PolicyConfig) -> None:
    """Raises BadInput when `policy.sglang_args` has an option that is set here."""
    given = [argument.partition("=")[0] for argument in config.sglang_args if argument.startswith("--")]
    if ours := [option for option in given if any(one.startswith(option) for one in OURS)]:
        raise BadInput(f"policy.sglang_args has {ours[0]}, which burnqed sets itself; leave it out.")


def arguments(
    model: Path, host: str, port: int, config: PolicyConfig, memory: float, gpu_bytes: int | None = None
) -> list[str]:
    """SGLang's command line for the configuration, on GPUs with so much memory."""
    check_options(config)
    version = model_version(model)
    chosen = {
        "--tensor-parallel-size": config.tensor_parallel if config.tensor_parallel > 1 else None,
        "--data-parallel-size": config.data_parallel if config.data_parallel > 1 else None,
        "--attention-backend": config.attention_backend,
        "--quantization": config.quantization,
        "--max-total-tokens": room(model, config, int(memory * gpu_bytes))
        if gpu_bytes and not config.quantization
        else None,
    }
    return [
        *("--model-path", str(model), "--host", host, "--port", str(port)),
        *("--weight-version", version, "--dtype", config.dtype),
        *("--context-length", str(context_length(config))),
        *("--mem-fraction-static", str(memory)),
        *(word for option, value in chosen.items() if value is not None for word in (option, str(value))),
        *(["--enable-deterministic-inference"] if config.deterministic else []),
        *config.sglang_args,
    ]
