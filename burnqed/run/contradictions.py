"""Settings that contradict each other, found before a workflow or a step begins.

What only files, a model or the machine can show is left to the steps.
"""

from __future__ import annotations

from collections.abc import Collection

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.lean.lemmas import check_lemmas
from burnqed.policy.template import template_of
from burnqed.steps.base_model import TINY


def check_settings(config: RunConfig, tasks: Collection[str]) -> None:
    """Raises BadInput for the first contradiction that would end one of these tasks of the loop, or make it pointless."""
    policy, sft, ebm, joint = config.policy, config.sft, config.ebm, config.joint
    trains = "sft" in tasks and sft.enabled
    trains_jointly = trains and joint.enabled
    if "base" in tasks and policy.model == TINY and policy.hidden_size % (2 * policy.heads):
        raise BadInput(
            f"policy.hidden_size ({policy.hidden_size}) must be a multiple of twice policy.heads ({policy.heads}); change one of them."
        )
    if trains and policy.thinking:
        raise BadInput(
            "policy.thinking is for models that are not trained here, as tactic pairs hold no thoughts; leave it out of a run."
        )
    if trains and sft.base_weights == "nf4" and sft.method != "lora":
        raise BadInput("sft.base_weights=nf4 is for weights that are not trained; set sft.method=lora, too.")
    if trains and sft.base_weights == "nf4" and sft.sharded:
        raise BadInput(
            "Weights of 4 bits cannot be divided among GPUs; set sft.sharded=false (each GPU then has all of them), or sft.base_weights=full."
        )
    if trains and sft.optimizer == "muon" and (sft.method == "lora" or sft.sharded):
        raise BadInput(
            "sft.optimizer=muon is for whole matrices that are trained; set sft.method=full and sft.sharded=false, or sft.optimizer=adamw."
        )
    if trains and sft.optimizer == "paged_adamw_8bit" and sft.sharded and sft.method == "full":
        raise BadInput(
            "sft.optimizer=paged_adamw_8bit does not divide its state among GPUs; set sft.sharded=false, or sft.optimizer=adamw."
        )
    rank = joint.lora_rank
    if (
        trains_jointly
        and sft.method == "lora"
        and sft.start == "previous_adapter"
        and rank not in (None, sft.lora_rank)
    ):
        raise BadInput(
            f"joint.lora_rank ({rank}) is for new adapters, and sft.start=previous_adapter trains those of rank {sft.lora_rank} further; set sft.start=merged."
        )
    if trains and sft.preferences and not sft.found_proofs:
        raise BadInput(
            "Preferences are learned at the states of found proofs; set sft.preferences=0, or sft.found_proofs=true."
        )
    if trains_jointly and sft.preferences:
        raise BadInput("Joint training learns no preferences; set sft.preferences=0, or joint.enabled=false.")
    if trains_jointly and not ebm.enabled:
        raise BadInput(
            "joint.enabled trains the head with the model, and ebm.enabled=false says that there is none; change one of them."
        )
    limits = [
        name for name in ("max_loss", "min_centroid", "min_linear_probe", "min_rank1_deep") if getattr(joint, name)
    ]
    later = [name for name in limits if name != "min_linear_probe"]  # which also decides what is kept, at every step
    if trains_jointly and later and joint.judged_after > joint.steps:
        raise BadInput(
            f"joint.{later[0]} applies from step joint.judged_after ({joint.judged_after}) on, and there are only {joint.steps} (joint.steps); lower "
            "joint.judged_after."
        )
    if trains_jointly and limits and not config.data.validation_fraction:
        raise BadInput(
            f"joint.{limits[0]} is measured on validation theorems, and data.validation_fraction=0 leaves none; raise it."
        )
    if {"ebm-search", "ebm-final"} & set(tasks) and ebm.min_temperature >= ebm.max_temperature:
        raise BadInput(
            f"ebm.min_temperature ({ebm.min_temperature:g}) must be below ebm.max_temperature ({ebm.max_temperature:g}); change one of them."
        )
    trains_a_head = trains_jointly or {"ebm-search", "ebm-final"} & set(tasks)
    if trains_a_head and ebm.earlier_share + ebm.expanded_share >= 1:
        raise BadInput(
            f"ebm.earlier_share ({ebm.earlier_share:g}) and ebm.expanded_share ({ebm.expanded_share:g}) leave no other negatives; their sum must be below 1."
        )
    if trains_a_head and ebm.known_proofs and not ebm.depth_weight:
        raise BadInput(
            "States of known proofs teach a head only how far the end is; set ebm.depth_weight=1, too, or ebm.known_proofs=0."
        )
    if policy.lemmas and {"data", "evaluate"} & set(tasks):
        check_lemmas(config.lean)
    if {"search", "replay", "evaluate"} & set(tasks):
        template_of(policy)
        if policy.quantization and config.workflow.policy_server != "sglang" and not policy.generate_url:
            raise BadInput(
                f"policy.quantization={policy.quantization} is for SGLang; set workflow.policy_server=sglang, or policy.quantization=null."
            )
        if config.workflow.policy_server == "sglang":
            from burnqed.policy.sglang import check_options

            check_options(policy)
