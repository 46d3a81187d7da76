"""How each family of models is asked for a tactic, and how it answers (`policy.template`).

    template = template_of(config)
    template.prompt(state) + tactic + end of sequence     is what a model is trained on, and what a search asks
    template.extract(reply)                               is the first tactic of a reply

`completion` is for base models and those that were trained here: text without special tokens. The others wrap the same text in the turns of a
conversation, as the chat template of the family's tokenizer does, and begin the answer with a fence, so that what follows is a tactic; families
that think aloud get an empty thought before it. With `policy.thinking` they begin as they like, with a thought or a plan; the tactic is then the
first one of the last block of code.

No template has the token that begins a sequence: the tokenizer adds it, where the family has one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from burnqed.config import PolicyConfig, States
from burnqed.errors import BadInput
from burnqed.policy.prompt import STOP, Extracted, blocks, extract, prompt
from burnqed.policy.retrieval import Retrieval
from burnqed.policy.states import shown

REQUEST = "Write the next tactic, and nothing else.\n"
FENCE = "```lean4\n"
THOUGHT, THOUGHT_ENDS = "<think>", "</think>"
EMPTY_THOUGHT = f"{THOUGHT}\n\n{THOUGHT_ENDS}\n\n"


@dataclass(frozen=True)
class Template:
    """The text around the prompt of a state, and how a reply is read."""

    name: str
    user: str = ""
    """What begins the user's turn."""
    assistant: str = ""
    """What ends it and begins the answer; empty where there are no turns."""
    answer: str = ""
    """The beginning of the answer, where it is not to think."""
    thought: str = ""
    """The beginning of the answer, where it is to think, and the family's chat template has one."""
    thinks: bool = False
    states: States = "whole"
    """How prompts show a state."""
    lemmas: int = 0
    """How many lemmas a prompt offers."""
    retrieval: Retrieval | None = None
    """What finds them."""

    def offering(self, lemmas: int, retrieval: Retrieval | None) -> Template:
        """The same with so many lemmas in its prompts."""
        return replace(self, lemmas=lemmas, retrieval=retrieval)

    def prompt(self, state: str) -> str:
        """`state` is `ProofState.text`."""
        if not self.lemmas:
            return self.bare_prompt(state)
        assert self.retrieval is not None, "prompts offer lemmas, and nothing finds them"
        return self._around(prompt(shown(state, self.states), self.retrieval.names(state, self.lemmas)))

    def bare_prompt(self, state: str) -> str:
        """Without lemmas, for a state with which there is no room for them."""
        return self._around(prompt(shown(state, self.states)))

    def _around(self, text: str) -> str:
        asked = f"{self.user}{text}"
        return f"{asked}{REQUEST}{self.assistant}{self.thought if self.thinks else self.answer}" if self.user else asked

    @property
    def stop(self) -> tuple[str, ...]:
        """Stop strings: an answer that begins with a fence ends with one, and thoughts may have any."""
        return () if self.thinks else STOP

    @property
    def markers(self) -> list[str]:
        """Its special tokens, which the tokenizer has to know."""
        return re.findall(r"<[|｜].*?[|｜]>", self.user + self.assistant)

    def extract(self, reply: str) -> Extracted | None:
        """The first tactic of a reply; None without one, and for a thought without an end. Offsets are the reply's."""
        if not self.thinks:
            return extract(reply)
        start = reply.rfind(THOUGHT_ENDS)
        if start < 0 and THOUGHT in self.thought + reply:
            return None
        start = 0 if start < 0 else start + len(THOUGHT_ENDS)
        for begin, end in reversed(blocks(reply[start:])):
            if found := extract(reply[start + begin : start + end]):
                return replace(found, start=start, end=start + begin + found.end)
        return None

    def check(self, is_token: Callable[[str], bool], model: object) -> None:
        """Raises BadInput when the model's tokenizer does not know a special token of the template."""
        if unknown := [marker for marker in self.markers if not is_token(marker)]:
            raise BadInput(
                f"policy.template is {self.name}, but the tokenizer of {model} has no token {unknown[0]}; choose the template of the "
                "model's family."
            )


CHATML = ("<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n")
DEEPSEEK = ("<｜User｜>", "<｜Assistant｜>")
HEADER = "<|start_header_id|>{}<|end_header_id|>\n\n"
LLAMA = (HEADER.format("user"), f"<|eot_id|>{HEADER.format('assistant')}")
COMPLETION = Template("completion")
FAMILIES = (
    COMPLETION,
    Template("deepseek-prover-v2", *DEEPSEEK, FENCE),
    Template("goedel-prover-v2", *CHATML, EMPTY_THOUGHT + FENCE),
    Template("kimina", *CHATML, EMPTY_THOUGHT + FENCE),
    Template("deepseek-r1-distill-qwen", *DEEPSEEK, EMPTY_THOUGHT + FENCE, f"{THOUGHT}\n"),
    Template("qwen", *CHATML, FENCE),
    Template("llama-3", *LLAMA, FENCE),
)


TEMPLATES = {template.name: template for template in FAMILIES}


def bare_template(config: PolicyConfig) -> Template:
    """The configuration's template without thoughts and lemmas: what follows a prompt is the tactic."""
    return replace(TEMPLATES[config.template], states=config.states)


def template_of(config: PolicyConfig, retrieval: Retrieval | None = None) -> Template:
    """The configuration's template; its prompts may need `retrieval`. Raises BadInput for thoughts without turns."""
    if config.thinking and config.template == COMPLETION.name:
        raise BadInput(
            "policy.thinking needs a chat template, which has a place for thoughts; set policy.template, too."
        )
    return replace(bare_template(config), thinks=config.thinking).offering(config.lemmas, retrieval)
