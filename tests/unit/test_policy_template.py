"""How families of models are asked: golden bytes; and what is read out of their ways of answering."""

from __future__ import annotations

import pytest

from burnqed.config import PolicyConfig
from burnqed.errors import BadInput
from burnqed.lean.lemmas import Lemma
from burnqed.policy.client import Generated, proposal
from burnqed.policy.prompt import STOP
from burnqed.policy.retrieval import Retrieval
from burnqed.policy.template import FAMILIES, TEMPLATES, Template, template_of

STATE = "n : Nat\n⊢ n + 0 = n"
ASKED = "Complete the following Lean 4 code:\n\n```lean4\n/- tactic state:\nn : Nat\n⊢ n + 0 = n\n-/\n```\n"
REQUEST = "Write the next tactic, and nothing else.\n"
CHATML = f"<|im_start|>user\n{ASKED}{REQUEST}<|im_end|>\n<|im_start|>assistant\n"
DEEPSEEK = f"<｜User｜>{ASKED}{REQUEST}<｜Assistant｜>"
LLAMA = (
    f"<|start_header_id|>user<|end_header_id|>\n\n{ASKED}{REQUEST}<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\n"
)
GOLDEN = {
    "completion": ASKED,
    "deepseek-prover-v2": f"{DEEPSEEK}```lean4\n",
    "goedel-prover-v2": f"{CHATML}<think>\n\n</think>\n\n```lean4\n",
    "kimina": f"{CHATML}<think>\n\n</think>\n\n```lean4\n",
    "deepseek-r1-distill-qwen": f"{DEEPSEEK}<think>\n\n</think>\n\n```lean4\n",
    "qwen": f"{CHATML}```lean4\n",
    "llama-3": f"{LLAMA}```lean4\n",
}
THINKING = {
    "deepseek-prover-v2": DEEPSEEK,
    "goedel-prover-v2": CHATML,
    "kimina": CHATML,
    "deepseek-r1-distill-qwen": f"{DEEPSEEK}<think>\n",
    "qwen": CHATML,
    "llama-3": LLAMA,
}


@pytest.mark.parametrize("name", [template.name for template in FAMILIES])
def test_every_template_has_exactly_these_bytes(name: str) -> None:
    assert template_of(PolicyConfig(template=name)).prompt(STATE).encode() == GOLDEN[name].encode()


@pytest.mark.parametrize("name", THINKING)
def test_a_template_that_lets_the_model_think_has_exactly_these_bytes(name: str) -> None:
    template = template_of(PolicyConfig(template=name, thinking=True))
    assert template.prompt(STATE).encode() == THINKING[name].encode()
    assert template.stop == ()


def test_an_answer_that_begins_with_a_fence_ends_with_one() -> None:
    assert all(template.stop == STOP for template in FAMILIES)


def test_special_tokens_are_those_that_a_family_s_tokenizer_has() -> None:
    assert TEMPLATES["qwen"].markers == ["<|im_start|>", "<|im_end|>", "<|im_start|>"]
    assert TEMPLATES["deepseek-prover-v2"].markers == ["<｜User｜>", "<｜Assistant｜>"]
    assert TEMPLATES["completion"].markers == []
    with pytest.raises(
        BadInput, match="policy.template is kimina, but the tokenizer of here has no token <|im_start|>"
    ):
        TEMPLATES["kimina"].check(lambda _: False, "here")
    TEMPLATES["kimina"].check(lambda _: True, "here")


# ---- answers

PLAN = """### Detailed Proof and Analysis

We show that adding zero changes nothing. By definition `n + 0` reduces to `n`.

### Lean 4 Proof with `have` Statements

```lean4
theorem add_zero' (n : Nat) : n + 0 = n := by
  have h : n + 0 = n := by sorry
  exact h
```

### Complete Lean 4 Proof

```lean4
theorem add_zero' (n : Nat) : n + 0 = n := by
  have h : n + 0 = n := by
    simp
  exact h
```
"""
KIMINA = """<think>
# Informal proof
Zero is neutral; here is a draft:
```tactics
ring
```
That should do, but `simp` is shorter.
</think>

```lean4
import Mathlib

theorem add_zero' (n : Nat) : n + 0 = n := by
  simp
```
"""
R1 = """Okay, so I need to show n + 0 = n. Maybe

```lean
induction n
```

No, it holds by definition.
</think>

The goal holds by definition, so reflexivity closes it:

```lean
rfl
```

This works because `Nat.add` recurses on its second argument.
"""


@pytest.mark.parametrize(
    ("name", "reply", "tactic"),
    [
        # DeepSeek-Prover-V2 and Goedel-Prover-V2 plan, write a skeleton, and then the whole proof
        ("deepseek-prover-v2", PLAN, "have h : n + 0 = n := by\n  simp"),
        ("goedel-prover-v2", PLAN, "have h : n + 0 = n := by\n  simp"),
        ("goedel-prover-v2", f"<think>\nLet me see.\n</think>\n\n{PLAN}", "have h : n + 0 = n := by\n  simp"),
        # Kimina thinks with drafts of tactics in it
        ("kimina", KIMINA, "simp"),
        ("kimina", KIMINA.partition("</think>")[0], None),
        # DeepSeek-R1's prompt has begun the thought
        ("deepseek-r1-distill-qwen", R1, "rfl"),
        ("deepseek-r1-distill-qwen", R1.partition("</think>")[0], None),
        # others
        ("qwen", "To close the goal, use `simp`:\n\n```lean4\nsimp\n```\n", "simp"),
        ("llama-3", "```lean\nsimp\n```", "simp"),
        ("llama-3", "```lean4\ninduction n with\n| zero => rfl\n| succ n ih => simp", "induction n with\n| zero => rfl\n| succ n ih => simp"),
        ("qwen", "I cannot prove this.", None),
        ("qwen", "```lean4\nsorry\n```", None),
        ("qwen", "```lean4\nsimp\n```\nOr, to be sure:\n```text\n```", "simp"),
    ],
)  # fmt: skip
def test_of_an_answer_with_thoughts_the_first_tactic_of_the_last_block_counts(
    name: str, reply: str, tactic: str | None
) -> None:
    found = template_of(PolicyConfig(template=name, thinking=True)).extract(reply)
    assert (found and found.tactic) == tactic


@pytest.mark.parametrize("template", FAMILIES, ids=lambda template: template.name)
@pytest.mark.parametrize(
    "reply", ["simp", "simp\n```", "simp\nrfl", "-- by arithmetic\nsimp", "theorem t : 1 = 1 := by\n  simp"]
)
def test_a_direct_answer_is_read_from_its_beginning(template: Template, reply: str) -> None:
    found = template.extract(reply)
    assert found
    assert found.tactic == "simp"


def test_a_thought_does_not_count_in_the_log_probability() -> None:
    pieces = ["Hm", ".\n", "</think>", "\n\n", "```lean\n", "rfl", "\n```", "\nBecause"]
    text = "".join(pieces)
    meta = {
        "completion_tokens": len(pieces),
        "output_token_logprobs": [[-(2.0**i), i, p] for i, p in enumerate(pieces)],
    }
    reply = Generated.model_validate({"text": text, "meta_info": meta})
    template = template_of(PolicyConfig(template="deepseek-r1-distill-qwen", thinking=True))
    [candidate] = proposal([reply], [1.0], template).candidates
    assert candidate.tactic == "rfl"
    assert candidate.log_prob == -(2.0**3 + 2.0**4 + 2.0**5)


# ---- lemmas


STATEMENTS = {"Nat.add_zero": "∀ (n : Nat), n + 0 = n", "Nat.add_comm": "∀ (n m : Nat), n + m = m + n", "and_self": "∀ (p : Prop), (p ∧ p) = p", "or_self": "∀ (p : Prop), (p ∨ p) = p", "not_not": "∀ (p : Prop), ¬¬p ↔ p"}  # fmt: skip


@pytest.mark.parametrize("template", FAMILIES, ids=lambda template: template.name)
def test_lemmas_change_nothing_but_the_text_about_the_state(template: Template) -> None:
    retrieval = Retrieval(Lemma(name=name, statement=statement) for name, statement in STATEMENTS.items())
    one, two = template.offering(1, retrieval), template.offering(2, retrieval)
    assert one.bare_prompt(STATE) == template.prompt(STATE)
    assert one.prompt(STATE) == template.prompt(f"{STATE}\n\nlemmas: Nat.add_zero")
    assert two.prompt(STATE) == template.prompt(f"{STATE}\n\nlemmas: Nat.add_zero, Nat.add_comm")
    assert two.offering(0, None) == template


# ---- what is refused


def test_thoughts_need_turns() -> None:
    with pytest.raises(BadInput, match="policy.thinking needs a chat template"):
        template_of(PolicyConfig(thinking=True))
