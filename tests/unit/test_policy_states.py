import pytest

from burnqed.config import PolicyConfig
from burnqed.policy.pooling import Pooling
from burnqed.policy.states import shown
from burnqed.policy.template import bare_template, template_of

TWO = """\
case inl
f g : ℕ → ℕ
h : ∀ (n : ℕ),
    f (n + 1) = f n + 1
n : ℕ
⊢ f n = g n

case inr.refine_2
f g : ℕ → ℕ
h : ∀ (n : ℕ),
    f (n + 1) = f n + 1
n : ℕ
key : f n = n
⊢ f n = g n ∧
    g n = n"""

BRIEF = """\
f g : ℕ → ℕ
h : ∀ (n : ℕ),
    f (n + 1) = f n + 1
n : ℕ
⊢ f n = g n

key : f n = n
⊢ f n = g n ∧
    g n = n"""


def test_a_brief_state_shows_shared_hypotheses_once_and_no_names_of_cases() -> None:
    assert shown(TWO, "brief") == BRIEF


def test_a_whole_state_is_shown_as_lean_prints_it() -> None:
    assert shown(TWO, "whole") == TWO


@pytest.mark.parametrize(
    "state",
    ["⊢ True", "n : ℕ\n⊢ n = n", BRIEF, "no goals"],
    ids=["target alone", "one goal", "brief already", "none left"],
)
def test_what_says_nothing_twice_is_shown_as_it_is(state: str) -> None:
    assert shown(state, "brief") == state


def test_a_hypothesis_of_another_type_or_value_is_shown_again() -> None:
    state = "h : a = b\nx : ℕ := 1\n⊢ p\n\nh : a = c\nx : ℕ := 2\n⊢ p\n\nh : a = c\nx : ℕ := 1\n⊢ q"
    assert shown(state, "brief") == "h : a = b\nx : ℕ := 1\n⊢ p\n\nh : a = c\nx : ℕ := 2\n⊢ p\n\n⊢ q"


def test_equal_targets_stay_apart() -> None:
    """How many goals are left can be seen."""
    assert shown("⊢ p\n\n⊢ p\n\n⊢ p", "brief") == "⊢ p\n\n⊢ p\n\n⊢ p"


def test_a_hypothesis_that_only_looks_like_the_beginning_of_another_stays() -> None:
    state = "h : ∀ (n : ℕ),\n    f n = 1\n⊢ p\n\nh : ∀ (n : ℕ),\n    f n = 2\n⊢ p"
    assert shown(state, "brief") == state


def test_prompts_and_embeddings_show_what_the_configuration_says() -> None:
    def tokens(pooling: Pooling) -> list[str]:
        (found,) = pooling.tokens([TWO], lambda texts, special: [[ord(c) for c in text] for text in texts])
        return ["".join(map(chr, found))]

    for embedding in ("mean", "prompt"):
        config = PolicyConfig(embedding=embedding, embed_max_tokens=9_999)  # type: ignore[arg-type]
        brief = config.model_copy(update={"states": "brief"})
        for of, text in ((config, TWO), (brief, BRIEF)):
            assert f"\n{text}\n" in template_of(of).prompt(TWO)
            assert tokens(Pooling.of(of)) == [text if embedding == "mean" else bare_template(of).prompt(TWO)]
        assert Pooling.of(config).name != Pooling.of(brief).name


def test_a_chat_template_shows_brief_states_too() -> None:
    config = PolicyConfig(template="qwen", states="brief")
    assert template_of(config).prompt(TWO) == template_of(PolicyConfig(template="qwen")).prompt(BRIEF)
