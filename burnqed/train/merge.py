"""A fine-tuned model as one folder: an adapter is merged into the model that it was trained from.

with merged("deepseek-ai/…, downloaded", "runs/main/iterations/iter_1/adapter", "bfloat16") as folder:
    ...  # serve it; the folder goes with the block
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from transformers import GenerationConfig

from burnqed.errors import BadInput
from burnqed.modelcache import fetch_address
from burnqed.policy.version import ADAPTER_FILE, model_version
from burnqed.scratch import scratch_folder
from burnqed.train.model import first_line, load_model, load_tokenizer
from burnqed.train.sft import OUTCOME_FILE, SftOutcome


@contextmanager
def merged(model: str, adapter: str, dtype: str) -> Iterator[str]:
    """The folder of what a model and an adapter give together; both are folders or addresses in a store. Raises BadInput where they do not fit."""
    with scratch_folder("burnqed-merged-") as folder:
        start, beside = (fetch_address(address, folder / "fetched") for address in (model, adapter))
        if not (beside / ADAPTER_FILE).is_file():
            raise BadInput(f"{adapter} holds no adapter ({ADAPTER_FILE}); give it as the model.")
        merge(start, beside, folder / "model", dtype)
        yield str(folder / "model")


def merge(start: Path, trained: Path, target: Path, dtype: str) -> int:
    """Writes the model that `trained` (the output of `train_sft`, or an adapter of PEFT's) and `start` (the whole model it was trained from) give
    together. Returns the number of its weights.

    They are merged in float32 and with unquantised weights; only the sum is rounded to `dtype` (see `policy.dtype`).

    Raises BadInput when the two do not belong together, or the start is quantised.
    """
    is_adapter = (trained / ADAPTER_FILE).is_file()
    model = load_model(start if is_adapter else trained, torch.float32)
    if getattr(model.config, "quantization_config", None) is not None:
        raise BadInput(
            f"{start} holds quantised weights, and an adapter merged into those loses its precision; give the unquantised model."
        )
    if is_adapter:
        from peft import PeftModel  # takes seconds to import

        check_start(start, trained)
        try:
            model = PeftModel.from_pretrained(model, trained).merge_and_unload()
        except (RuntimeError, ValueError, OSError) as error:
            raise BadInput(
                f"The adapter {trained} does not fit {start} ({first_line(error)}); give its model."
            ) from None
    tokenizer = load_tokenizer(trained if (trained / "tokenizer.json").is_file() else start)
    model.to(getattr(torch, dtype))
    model.generation_config = GenerationConfig(
        bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id
    )
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
    return int(model.num_parameters())


def check_start(start: Path, adapter: Path) -> None:
    """Raises BadInput for another model than the one that an adapter of ours was trained on; those of others do not say."""
    if not (adapter / OUTCOME_FILE).is_file():
        return
    trained = SftOutcome.model_validate_json((adapter / OUTCOME_FILE).read_bytes())
    if (version := model_version(start)) != trained.start_version:
        raise BadInput(
            f"The adapter {adapter} was trained on model {trained.start_version}, but {start} is {version}; give that model."
        )
