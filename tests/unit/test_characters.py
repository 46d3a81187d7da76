"""Characters that hide or reorder what a text says, and letters that look alike: who is refused, and that nobody else is."""

from __future__ import annotations

import time
import unicodedata

import pytest

from burnqed.data.corpus import load_corpus
from burnqed.data.theorems import parse_index, shipped_benchmark
from burnqed.lean.characters import confused, hidden, skeleton, twins
from burnqed.lean.check import screen
from burnqed.lean.protocol import Theorem
from burnqed.unshown import UNSHOWN
from tests.fixtures.cheats import Attempt
from tests.fixtures.disguises import HIDDEN, TWINS, Disguise
from tests.fixtures.honest import HONEST
from tests.fixtures.honest_styles import HONEST_STYLES


def screened(attempt: Attempt, *, is_trusted: bool = True) -> str | None:
    theorem = Theorem(name="t", statement=attempt.statement, header=attempt.header)
    return screen(theorem, attempt.proof, is_trusted=is_trusted)


@pytest.mark.parametrize("is_trusted", [True, False])
@pytest.mark.parametrize("disguise", HIDDEN, ids=lambda d: d.tries)
def test_hidden_characters_are_refused_with_their_name_and_a_way_out(disguise: Disguise, is_trusted: bool) -> None:
    reason = screened(disguise, is_trusted=is_trusted)
    assert reason is not None
    assert disguise.reason in reason
    assert "in line " in reason
    assert not UNSHOWN.search(reason)


@pytest.mark.parametrize("disguise", [d for d in TWINS if "U+" in d.reason], ids=lambda d: d.tries)
def test_names_that_look_alike_are_refused_unless_somebody_vouches_for_them(disguise: Disguise) -> None:
    reason = screened(disguise, is_trusted=False)
    assert reason is not None
    assert disguise.reason in reason
    assert screened(disguise) is None


@pytest.mark.parametrize("honest", [*HONEST, *HONEST_STYLES], ids=lambda h: h.tries)
def test_nothing_is_held_against_honest_texts(honest: Attempt) -> None:
    assert screened(honest, is_trusted=False) is None


def test_nothing_is_held_against_what_ships() -> None:
    theorems = [*(known.theorem for known in load_corpus()), *shipped_benchmark()]
    assert [t.name for t in theorems if screen(t, "rfl", is_trusted=False)] == []


@pytest.mark.parametrize(
    "text",
    [
        "-- 👩‍🔬 \ufe0f \u00a0 \u200b \ue000 \u0378",
        "/- שלום -/\n1 = 1",
        "1 = 1 -- שלום 12",
        "/- a\nשלום\nb -/ 1 = 1",
        "/- a שלום -/ \n/- שלום\n -/ 1 = 1 /- שלום -/",
        "1 = 1 -- مرحبا ١٢٣",
        '"中文 αβγ é 😀" = "a"',
        "\ufeff1 = 1\r\n",
        "1\t= 1",
        r'"\u200d" = "a"',
        "«é» = «naïve» ∧ ∀ ε > 0, ∃ δ₁ : ℝ, x² ≤ y⁻¹ → ⟨a, b⟩ ∈ s ×ˢ t",
    ],
)
def test_comments_may_hold_more_than_code_and_code_what_mathematics_needs(text: str) -> None:
    assert hidden(text) is None


def test_a_hidden_character_is_found_on_its_line_with_all_that_helps_against_it() -> None:
    assert (
        hidden('x\ny "\u200b"')
        == "U+200B ZERO WIDTH SPACE in line 2, which is not shown; remove it, or write \\u200b in a text"
    )
    assert (
        hidden("x\r\ny\rz")
        == "U+000D CARRIAGE RETURN in line 2, which looks like the end of a line but is not one to Lean; end lines with LF"
    )


@pytest.mark.parametrize(
    "text", ["/- a\nשלום -/ 1", "/- א -/ /- ב -/", "/- \u00a0 -/ \u00a0", "/- \u00a0\n\u202e -/", "-- א\r\n\u2800"]
)
def test_what_stands_in_a_comment_of_its_own_excuses_nothing_elsewhere(text: str) -> None:
    assert hidden(text) is not None


@pytest.mark.parametrize("part", ["/-\u00a0-/\n", "\u00a0", "א", "א\n"])
def test_many_such_characters_cost_no_more_than_many_others(part: str) -> None:
    text, started = f"/- {part * 100_000} -/{' ' * 100_000}", time.monotonic()
    assert hidden(text) is None
    assert time.monotonic() - started < 20


def test_every_default_ignorable_control_and_direction_is_hidden() -> None:
    for code in [*range(0x20), *range(0x7F, 0xA0), 0xAD, 0x34F, 0x61C, 0x115F, 0x17B4, 0x180B, *range(0x200B, 0x2010), *range(0x2028, 0x202F),
                 *range(0x2060, 0x2070), 0x3164, *range(0xFE00, 0xFE10), 0xFFA0, 0xE0001, 0xE0100, 0xE0FFF]:  # fmt: skip
        assert (hidden(f"a{chr(code)}b") is None) == (chr(code) in "\t\n"), hex(code)


# ---- letters that look alike


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Νat", "Nat"), ("Іnt", "Int"), ("Ꮮist", "List"), ("Воⲟl", "Bool"), ("ꓡist", "List"), ("Օption", "Option"), ("𝐍𝐚𝐭", "Nat"),
        ("𝙽𝚊𝚝", "Nat"), ("Ｎａｔ", "Nat"), ("ℕat", "Nat"), ("ɴat", "Nat"), ("ρrime", "prime"), ("ѕum", "sum"), ("а", "a"), ("ο", "o"), ("Α", "A"),
        ("\u212a", "K"), ("ℎ", "h"), ("µ", "μ"), ("\u2126", "\u03a9"), ("ı", "i"), ("ﬁnd", "find"), ("e\u0301", "é"), ("ｆ１", "f1"),
    ],
)  # fmt: skip
def test_what_looks_alike_has_one_skeleton(name: str, other: str) -> None:
    assert skeleton(name) == skeleton(other)
    assert confused([f"def «{name}» := 1", f"«{other}» = 1"]) is not None


@pytest.mark.parametrize(
    "text",
    [
        "∀ (α a ν v ρ p ι i κ k υ u γ y σ o τ t ω w χ x η n : Nat), True",
        "∀ (N : ℕ) (Z : ℤ) (R : ℝ) (F 𝔽 𝓕 𝔉 : Type) (ℓ l : Nat), True",
        "∀ (hα : 0 < α) (ha : 0 < a) (h1 : 1 = 1) (hl : l = l) (hI : I = I), True",
        "∀ (x₁ x1 x' : Nat) (α₁ a1 : Nat) (β ß : Nat), True",
        "∀ (é e ö o Å A : Nat), True",
        "∀ (Γ Δ Θ Λ Ξ Π Σ Φ Ψ Ω : Type), True",
        "def число := 1\ndef тест := 2\ndef рост := 3\ndef poct' := 4",
        '"α" ≠ "a" ∧ "é" ≠ "e" ∧ "l" ≠ "1" ∧ "O" ≠ "0"',
        "m = m ∧ rn = rn ∧ O = O ∧ I = l",
    ],
)
def test_letters_of_mathematics_and_of_languages_count_as_themselves(text: str) -> None:
    assert confused([text]) is None


def test_twins_are_all_that_a_letter_can_be_taken_for() -> None:
    found = twins("∀ Νat Іnt ѕet ℕ кτ ﬁ 中 é β : x")
    assert found["Ν"] == found["ℕ"] == ["N"]
    assert found["І"] == ["I", "l", "1"]
    assert (found["ѕ"], found["к"], found["τ"], found["ﬁ"]) == (["s"], ["k"], ["t", "T"], ["fi"])
    assert not {"中", "é", "β", "∀", "x"} & set(found)


def test_every_alphabet_of_mathematics_is_known() -> None:
    for code in range(0x1D400, 0x1D6A4):
        letter = chr(code)
        plain = unicodedata.normalize("NFKC", letter)
        if unicodedata.name(letter, "") and plain.isascii():
            assert plain in twins(letter)[letter]


def test_an_index_with_a_byte_order_mark_and_windows_line_ends_reads_like_any_other() -> None:
    plain = '{"header": "open Nat\\n", "theorems": [{"name": "t", "statement": "1 =\\n 1"}]}'
    windows = "\ufeff" + plain.replace("\\n", "\\r\\n").replace('"open', '"\\ufeffopen').replace(" ", "\r\n", 1)
    assert parse_index(windows, "it") == parse_index(plain, "it")
