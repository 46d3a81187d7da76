"""Which model this is: a digest of a model folder's bytes, and the identity of the embeddings it gives.

Trajectories hold the first (SGLang calls it weight_version), heads the second.
"""

from __future__ import annotations

from pathlib import Path

from burnqed.errors import BadInput
from burnqed.key import digest_of
from burnqed.record import record_of, sha256

DIGITS = 16
ADAPTER_FILE = "adapter_config.json"
"""Only the folder of an adapter has it, that of a whole model does not."""


def model_files(folder: Path) -> list[Path]:
    """The files that determine what a model computes: configuration, tokenizer, weights.

    Raises BadInput when the folder is not a complete model.
    """
    if not folder.is_dir():
        raise BadInput(
            f"There is no model at {folder}; give the folder of a trained model, such as iterations/iter_0/model."
        )
    weights = sorted(folder.glob("*.safetensors"))
    files = [folder / "config.json", folder / "tokenizer.json", *weights]
    missing = [file.name for file in files if not file.is_file()] + ([] if weights else ["*.safetensors"])
    if missing and (folder / ADAPTER_FILE).is_file():
        raise BadInput(
            f"{folder} holds an adapter alone; give the model that it was merged into, such as iterations/iter_0/model."
        )
    if missing:
        raise BadInput(f"The model at {folder} lacks {', '.join(missing)}; export it again, or give another folder.")
    return files


def model_version(folder: Path) -> str:
    """A digest of the model's bytes; files listed in a record are not hashed again."""
    files = model_files(folder)
    record = record_of(folder)
    known = {output.path: output.sha256 for output in record.outputs} if record else {}
    return digest_of([[file.name, known.get(file.name) or sha256(file)] for file in files])[:DIGITS]


def embedding_identity(
    version: str, *, dtype: str, max_tokens: int, weights: str = "full", pooling: str = "mean"
) -> str:
    """Identity of embeddings: a head scores only the kind of embeddings it was trained on.

    `dtype` is that of the weights during encoding, `weights` whether they are quantised; texts are truncated to `max_tokens`; `pooling` is
    `Pooling.name`.
    """
    quantization = "none" if weights == "full" else weights
    return digest_of([version, dtype, quantization, pooling, max_tokens])[:DIGITS]
