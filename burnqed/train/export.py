"""Makes a fine-tuned model servable: merged, in the type it is served in, and tested to write a tactic.

    outcome = export_model(start, adapter, target, "bfloat16", states)

`target` then loads with plain `AutoModelForCausalLM.from_pretrained` and `AutoTokenizer.from_pretrained`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from pydantic import BaseModel, ConfigDict
from transformers import AutoModelForCausalLM, AutoTokenizer

from burnqed.errors import BadInput
from burnqed.policy.prompt import extract_tactic
from burnqed.policy.template import COMPLETION, Template
from burnqed.policy.version import model_version
from burnqed.train.merge import merge

MOST_STATES = 16
"""States that are tried before a model counts as one that writes no tactic."""
SAMPLE_TOKENS = 64


class ExportOutcome(BaseModel):
    """What was exported, with a sample as evidence that it works."""

    model_config = ConfigDict(frozen=True)

    version: str
    """`burnqed.policy.version.model_version`: the server's weight_version."""
    parameters: int
    sample_state: str
    sample_tactic: str
    """Greedy continuation of the state's prompt; empty where it is none, and need not be."""
    sample_log_prob: float
    """Natural logarithm, summed over the reply's tokens."""


def export_model(
    start: Path,
    adapter: Path,
    target: Path,
    dtype: str,
    states: Sequence[str],
    template: Template = COMPLETION,
    *,
    may_be_silent: bool = False,
) -> ExportOutcome:
    """Writes the model that `adapter` (the output of `train_sft`) and `start` (the whole model it was trained from) give together
    (`burnqed.train.merge`); a model that was not trained is both. `states` are proof states to try the result on.

    Raises BadInput when adapter and start do not belong together, the start is quantised, its tokenizer lacks the template's tokens, or the result writes no tactic and
    not `may_be_silent`.
    """
    parameters = merge(start, adapter, target, dtype)
    state, tactic, log_prob = try_out(target, states, template, may_be_silent)
    return ExportOutcome(
        version=model_version(target),
        parameters=parameters,
        sample_state=state,
        sample_tactic=tactic,
        sample_log_prob=log_prob,
    )


@torch.no_grad()
def try_out(folder: Path, states: Sequence[str], template: Template, may_be_silent: bool) -> tuple[str, str, float]:
    """Loads the folder the usual way and returns the first state for which the model writes a tactic, with that tactic and its
    log-probability. One that may be silent is asked once.
    """
    model = AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    template.check(tokenizer.get_vocab().__contains__, folder)
    for state in states[:MOST_STATES]:
        inputs = tokenizer(template.prompt(state), return_tensors="pt", return_token_type_ids=False)
        reply = model.generate(
            **inputs, do_sample=False, max_new_tokens=SAMPLE_TOKENS, return_dict_in_generate=True, output_logits=True
        )
        tokens = reply.sequences[0, inputs["input_ids"].shape[1] :]  # [n]
        logits = torch.cat(reply.logits).float()  # [n, vocabulary]
        log_prob = logits.log_softmax(dim=1).gather(1, tokens[:, None]).sum().item()
        if not torch.isfinite(logits).all():
            raise BadInput(
                f"The model at {folder} computes numbers that are not finite in {model.dtype}; lower sft.learning_rate, or choose another policy.dtype."
            )
        tactic = extract_tactic(tokenizer.decode(tokens, skip_special_tokens=True))
        if tactic or may_be_silent:
            return state, tactic or "", log_prob
    raise BadInput(
        f"The model at {folder} wrote no tactic for any of {len(states[:MOST_STATES])} proof states; raise sft.steps, or check the base model and policy.template."
    )
