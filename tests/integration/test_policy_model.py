"""The small model, the fast forward pass beside transformers', sampling, generation and embeddings."""

import random
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pydantic import ValidationError
from transformers import AutoModelForCausalLM, AutoTokenizer, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

from burnqed.config import PolicyConfig
from burnqed.errors import BadInput
from burnqed.policy import llama, recent
from burnqed.policy.encode import Encoder
from burnqed.policy.generate import Generator, Sample
from burnqed.policy.llama import Llama
from burnqed.policy.model import LanguageModel, load_model
from burnqed.policy.pack import continued
from burnqed.policy.pooling import END, Pooling
from burnqed.policy.prompt import prompt
from burnqed.policy.recent import Recent
from burnqed.policy.sampling import SamplingParams, sample
from burnqed.policy.template import COMPLETION, TEMPLATES, Template
from burnqed.policy.tiny import make_base
from burnqed.policy.version import embedding_identity, model_version
from tests.fixtures.policy import SHAPE, STATES, make_tiny

GREEDY = SamplingParams(temperature=0.0, max_new_tokens=12, ignore_eos=True)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny(tmp_path_factory.mktemp("policy") / "tiny")


@pytest.fixture(scope="module")
def model(folder: Path) -> LanguageModel:
    return load_model(folder)


@pytest.fixture(scope="module")
def reference(folder: Path) -> LanguageModel:
    """The same model through transformers."""
    return load_model(folder, reference=True)


def ids(model: LanguageModel, texts: Sequence[str]) -> list[list[int]]:
    return [e.ids for e in model.tokenizer.encode_batch(list(texts))]


def run(generator: Generator, samples: Sequence[Sample]) -> list[Sample]:
    for one in samples:
        generator.submit(one)
    while generator.busy:
        generator.step()
    return list(samples)


# ---- the model


def test_the_default_shape_has_one_to_two_million_parameters() -> None:
    shape = PolicyConfig()
    per_layer = 4 * shape.hidden_size**2 + 3 * shape.hidden_size * 4 * shape.hidden_size
    assert 1e6 < shape.layers * per_layer + shape.vocabulary * shape.hidden_size < 2e6


def test_making_a_base_again_gives_the_same_bytes_and_another_seed_gives_others(folder: Path, tmp_path: Path) -> None:
    assert model_version(make_tiny(tmp_path / "again")) == model_version(folder)
    assert model_version(make_tiny(tmp_path / "other", seed=1)) != model_version(folder)


def test_the_base_loads_with_plain_transformers_and_its_tokenizer_is_lossless(folder: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(folder)
    plain = AutoModelForCausalLM.from_pretrained(folder)
    assert plain.config.tie_word_embeddings
    assert plain.config.eos_token_id == tokenizer.eos_token_id != tokenizer.pad_token_id
    texts = [*map(prompt, STATES), "∀ ε > 0, ∃ δ₁, |x - 3.14| < δ₁ → ‖f x‖ ≤ ε", "日本語 🎉\n\n   x"]
    for text in texts:
        encoded = tokenizer(text)["input_ids"]
        assert tokenizer.decode(encoded) == text
        assert not {tokenizer.eos_token_id, tokenizer.pad_token_id} & set(encoded)


def test_no_token_joins_digits_or_two_words(folder: Path, model: LanguageModel) -> None:
    for text in ("49 is 7", "x + 1234", "h₁₂"):
        pieces = [model.tokenizer.decode([i]) for i in ids(model, [text])[0]]
        assert all(sum(c.isdigit() or c in "₁₂" for c in piece) <= 1 for piece in pieces)
    pieces = [model.tokenizer.decode([i]) for i in ids(model, ["exact Nat.le_of_lt_succ h"])[0]]
    assert "exact" in pieces
    assert " Nat" in pieces


def test_prompt_and_tactic_are_tokenized_alike_together_and_apart(model: LanguageModel) -> None:
    for state in STATES:
        for tactic in (
            "simp [h₁]",
            "exact ⟨hp, hq⟩",
            "induction n with\n| zero => rfl",
            "(intro h; omega)",
            "· rfl",
            "2",
        ):
            apart = ids(model, [prompt(state), tactic])
            assert ids(model, [prompt(state) + tactic])[0] == apart[0] + apart[1]


def test_a_version_comes_from_weights_configuration_and_tokenizer_alone(folder: Path, tmp_path: Path) -> None:
    copy = make_tiny(tmp_path / "copy")
    (copy / "notes.txt").write_text("unimportant")
    assert model_version(copy) == model_version(folder)
    (copy / "tokenizer.json").write_text((copy / "tokenizer.json").read_text() + " ")
    assert model_version(copy) != model_version(folder)
    (copy / "model.safetensors").unlink()
    with pytest.raises(BadInput, match=r"lacks \*.safetensors"):
        model_version(copy)
    (copy / "adapter_config.json").write_text("{}")
    with pytest.raises(BadInput, match="holds an adapter alone; give the model"):
        model_version(copy)


def test_broken_weights_are_bad_input(tmp_path: Path) -> None:
    broken = make_tiny(tmp_path / "broken")
    (broken / "model.safetensors").write_bytes(b"\x10" * 100)
    with pytest.raises(BadInput, match="cannot be loaded"):
        load_model(broken)


# ---- the fast path against the slow one


def test_hidden_states_equal_those_of_transformers(model: LanguageModel, reference: LanguageModel) -> None:
    prompts = ids(model, map(prompt, STATES))
    for fast, slow in zip(model.network.hidden(prompts), reference.network.hidden(prompts), strict=True):
        torch.testing.assert_close(fast, slow, atol=2e-5, rtol=1e-4)


def test_sequences_that_begin_like_the_one_before_are_processed_from_where_they_part(
    model: LanguageModel, reference: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(1)
    stem = [draw.randrange(model.tokenizer.get_vocab_size()) for _ in range(90)]
    texts = [stem[: draw.randrange(1, 90)] + [draw.randrange(60) for _ in range(draw.randrange(9))] for _ in range(60)]
    texts += [stem, stem, stem[:30], stem[:15], [7]]
    network, given = model.network, list[int]()
    count_tokens(monkeypatch, given)
    for limit in (4_096, 200):
        monkeypatch.setattr(llama, "PACKED_TOKENS", limit)
        for order in (texts, sorted(texts)):
            given.clear()
            found = network.hidden(order)
            for fast, slow in zip(found, reference.network.hidden(order), strict=True):
                torch.testing.assert_close(fast, slow, atol=2e-5, rtol=1e-4)
            assert max(given) <= limit
        assert sum(given) < 0.5 * sum(map(len, texts)), "sorted, most of them are known"


def count_tokens(monkeypatch: pytest.MonkeyPatch, given: list[int]) -> None:
    """Appends the number of tokens of each pass."""
    whole_pass = Llama.packed

    def counting(self: Llama, parts: Sequence[Sequence[int]], *arguments: Any, **options: Any) -> torch.Tensor:
        given.append(sum(map(len, parts)))
        return whole_pass(self, parts, *arguments, **options)

    monkeypatch.setattr(Llama, "packed", counting)


@pytest.mark.parametrize("room", [1 << 30, 200_000, 10_000], ids=["room", "little room", "hardly any room"])
def test_a_state_is_embedded_from_where_it_parts_from_a_recent_one(
    folder: Path, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = load_model(folder, exact=True)
    draw = random.Random(3)
    words = ["x", "y", "Nat", "+", "=", "0", "h", "(", ")", "⊢", "∀", "succ"]
    states = [" ".join(draw.choices(words, k=60))]
    for _ in range(80):  # successors of any earlier state
        parent = draw.choice(states).split()
        states.append(
            " ".join([*parent[: draw.randrange(1, len(parent))], *draw.choices(words, k=draw.randrange(1, 30))])
        )
    plain, serving = (Encoder(exact, Pooling(64), lately_bytes=size) for size in (0, room))
    given = list[int]()
    count_tokens(monkeypatch, given)
    expected = plain.embed(states)
    whole = sum(len(tokens[:64]) for tokens in ids(exact, states))
    given.clear()
    while states:
        few, states = states[:5], states[5:]
        np.testing.assert_allclose(serving.embed(few), expected[: len(few)], atol=1e-6, rtol=1e-6)
        expected = expected[len(few) :]
    assert serving.lately is not None
    assert serving.lately.bytes <= room
    if room == 1 << 30:
        assert sum(given) < 0.6 * whole


def check_rows_against_whole_passes(folder: Path) -> None:
    """Random tokens through a running batch whose rows join and leave; each step's logits against a pass over the whole text."""
    slow = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    rows = load_model(folder).network.rows()
    draw = random.Random(0)
    texts: list[list[int]] = []

    def random_tokens(count: int) -> list[int]:
        return [draw.randrange(2, slow.config.vocab_size) for _ in range(count)]

    def compare(logits: torch.Tensor, expected: list[list[int]]) -> None:
        for text, row in zip(expected, logits, strict=True):
            with torch.no_grad():
                whole = slow(torch.tensor([text])).logits[0, -1]
            torch.testing.assert_close(row, whole, atol=5e-5, rtol=1e-4)

    seen: list[list[int]] = []

    def join(lengths: list[int], copies: list[int], alike: int = 0) -> None:
        """Of the new prompts, the first `alike` tokens are those of an earlier one."""
        prompts = [[*(draw.choice(seen)[:alike] if alike else []), *random_tokens(n)] for n in lengths]
        seen.extend(prompts)
        first = len(texts)
        compare(rows.admit(prompts, copies), prompts)
        texts.extend(prompts)
        leave()
        part(*(i for i, count in enumerate(copies, first) for _ in range(count - 1)))

    def advance() -> None:
        tokens = random_tokens(len(texts))
        for text, token in zip(texts, tokens, strict=True):
            text.append(token)
        compare(rows.advance(tokens), texts)

    def leave(*gone: int) -> None:
        keep([i for i in range(len(texts)) if i not in gone])

    def part(*again: int) -> None:
        keep(sorted([*range(len(texts)), *again]))

    def keep(kept: list[int]) -> None:
        rows.keep(kept)
        texts[:] = [list(texts[i]) for i in kept]

    join([5, 40, 1], [1, 3, 2])
    advance()
    advance()
    leave(0, 2)  # a whole group, and one row of another
    advance()
    if rows.can_join:
        join([17, 30], [4, 1])
        advance()
        leave(0, 1, 2, 3)
        advance()
        join([60], [6])
        leave(*range(3, len(texts)))
        part(1, 1, 2)
        advance()
        join([3, 8, 0, 2], [2, 1, 3, 1], alike=4)
        join([1, 20], [1, 2], alike=25)
        advance()
    leave(*range(len(texts)))
    join([9], [2])
    advance()


def test_of_recent_sequences_the_one_that_begins_most_alike_is_found_as_long_as_there_is_room() -> None:
    long, other = list(range(100)), [*range(50), *range(500, 550)]
    lately: Recent[str] = Recent(200)
    assert lately.longest(long) == (0, None)
    lately.add(long, "long", 100)
    lately.add(other, "other", 100)
    lately.add(other, "again", 100)
    for tokens, found in (
        (long, (99, "long")),
        (long[:40], (39, "long")),
        ([*long[:70], 7, 7], (70, "long")),
        ([*other, 7], (100, "other")),
    ):
        assert lately.longest(tokens) == found
    assert lately.longest([*range(8), *range(900, 950)]) == (0, None), "too little to be worth while"
    lately.add([7] * 50, "seven", 100)
    assert lately.longest(long) == (50, "other"), "the sequence itself was used longest ago"
    lately.add([8] * 50, "eight", 201)
    assert lately.longest([8] * 50) == (0, None), "there is no room for it at all"
    lately.add([8] * 50, "eight", 150)
    assert (lately.longest(other), lately.longest([7] * 50), lately.longest([8] * 50)) == (
        (0, None),
        (0, None),
        (49, "eight"),
    )
    assert lately.bytes == 150
    lately.clear()
    assert (lately.bytes, lately.longest([8] * 50)) == (0, (0, None))


def test_the_neighbours_of_a_sequence_are_those_that_begin_most_like_it() -> None:
    draw = random.Random(2)
    lately: Recent[int] = Recent(1_000)
    kept: list[list[int]] = []
    for _ in range(400):
        tokens = [draw.randrange(2) for _ in range(draw.randrange(1, 60))]
        if kept and draw.random() < 0.7:
            tokens = draw.choice(kept)[: draw.randrange(60)] + tokens
        most = max((len(common(tokens[:-1], other)) for other in kept), default=0)
        assert lately.longest(tokens)[0] == (most if most >= recent.LEAST_KNOWN else 0)
        lately.add(tokens, len(kept), 1)
        kept.append(tokens)


def common(one: list[int], other: list[int]) -> list[int]:
    return [a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))]


@pytest.fixture(params=[llama.MOST_KEPT_BYTES, 100_000, 0], ids=["room", "little room", "no room"])
def kept_prefixes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """However little prompts have in common, it is used."""
    monkeypatch.setattr(llama, "MOST_KEPT_BYTES", request.param)
    monkeypatch.setattr(recent, "LEAST_KNOWN", 1)


@pytest.mark.usefixtures("kept_prefixes")
def test_logits_of_a_running_batch_equal_transformers(folder: Path) -> None:
    check_rows_against_whole_passes(folder)


def test_logits_equal_transformers_with_grouped_heads_an_own_output_matrix_and_another_base_of_rotation(
    folder: Path, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    shape = LlamaConfig(
        vocab_size=300, hidden_size=48, intermediate_size=96, num_hidden_layers=2, num_attention_heads=6, num_key_value_heads=2,
        head_dim=16, rope_parameters={"rope_type": "default", "rope_theta": 500.0}, tie_word_embeddings=False,
    )  # fmt: skip
    LlamaForCausalLM(shape).save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    assert isinstance(load_model(tmp_path).network, Llama)
    check_rows_against_whole_passes(tmp_path)


def test_logits_of_any_other_model_are_right_too(folder: Path, tmp_path: Path) -> None:
    torch.manual_seed(0)
    GPT2LMHeadModel(GPT2Config(vocab_size=300, n_embd=32, n_layer=2, n_head=2, n_positions=128)).save_pretrained(
        tmp_path
    )
    (tmp_path / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    check_rows_against_whole_passes(tmp_path)


# ---- sampling


@pytest.mark.parametrize(
    "params",
    [{}, {"top_p": 0.9}, {"top_k": 5}, {"min_p": 0.1}, {"temperature": 1.7, "top_p": 0.8, "top_k": 9}],
    ids=str,
)
def test_tokens_come_with_the_frequency_that_the_parameters_ask_for(params: dict[str, float]) -> None:
    count, vocabulary = 20_000, 40
    logits = torch.randn(vocabulary, generator=torch.Generator().manual_seed(0)) * 2
    draw = random.Random(0)
    tokens, log_probs = sample(
        logits.expand(count, -1), [SamplingParams(**params)] * count, [draw.random() for _ in range(count)]
    )
    scaled = logits / params.get("temperature", 1.0)
    value, order = scaled.softmax(-1).sort(descending=True)
    kept = (value.cumsum(0) - value <= params.get("top_p", 1.0)) & (value >= params.get("min_p", 0.0) * value[0])
    kept &= torch.arange(vocabulary) < params.get("top_k", vocabulary)
    expected = torch.zeros(vocabulary)
    expected[order] = value * kept
    found = torch.bincount(torch.tensor(tokens), minlength=vocabulary) / count
    torch.testing.assert_close(found, expected / expected.sum(), atol=0.012, rtol=0)
    assert set(tokens) <= set(order[kept].tolist())
    assert log_probs[0] == pytest.approx(scaled.log_softmax(-1)[tokens[0]].item(), abs=1e-5)


def test_rows_with_different_parameters_do_not_touch_each_other() -> None:
    logits = torch.randn(3, 50, generator=torch.Generator().manual_seed(1))
    mixed = [SamplingParams(temperature=0.0), SamplingParams(), SamplingParams(top_p=0.3)]
    draws = [0.9, 0.4, 0.7]
    together = sample(logits, mixed, draws)
    alone = [sample(logits[i : i + 1], [mixed[i]], [draws[i]]) for i in range(3)]
    assert together[0] == [a[0][0] for a in alone]
    assert together[0][0] == logits[0].argmax().item()


@pytest.mark.parametrize(
    "wrong", [{"temperature": -1}, {"top_p": 0}, {"top_k": 0}, {"min_p": 2}, {"n": 2}, {"regex": "a"}]
)
def test_parameters_out_of_range_or_unknown_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        SamplingParams.model_validate(wrong)


def test_weights_that_give_no_numbers_are_noticed() -> None:
    with pytest.raises(ValueError, match="not finite"):
        sample(torch.full((1, 9), torch.nan), [SamplingParams()], [0.5])


# ---- generation


def test_greedy_text_and_log_probabilities_equal_transformers(folder: Path, model: LanguageModel) -> None:
    plain = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    done = run(Generator(model, 8), [Sample(i, GREEDY) for i in ids(model, map(prompt, STATES))])
    for one in done:
        out = plain.generate(
            torch.tensor([one.prompt]), attention_mask=torch.ones(1, len(one.prompt), dtype=torch.long), do_sample=False,
            max_new_tokens=12, eos_token_id=None, output_scores=True, return_dict_in_generate=True,
        )  # fmt: skip
        assert one.tokens == out.sequences[0, len(one.prompt) :].tolist()
        expected = [score[0].log_softmax(-1)[t].item() for score, t in zip(out.scores, one.tokens, strict=True)]
        assert one.log_probs == pytest.approx(expected, abs=1e-4)


def many(model: LanguageModel, *, seed: int = 0) -> list[Sample]:
    params = SamplingParams(temperature=1.0, top_p=0.95, max_new_tokens=10)
    seeded = [params.model_copy(update={"sampling_seed": seed + j}) for j in range(3)]
    return [Sample(i, p) for i in ids(model, map(prompt, STATES)) for p in seeded]


@pytest.mark.parametrize("limit", [1, 4, 64])
def test_equal_seeds_give_equal_replies_whatever_else_is_in_the_batch(model: LanguageModel, limit: int) -> None:
    alone = [run(Generator(model, 1), [one])[0] for one in many(model)]
    generator = Generator(model, limit)
    others = [replace(one, draws=[]) for one in many(model, seed=100)]
    for one in others[::2]:
        generator.submit(one)
    generator.step()
    together = run(generator, many(model))
    assert [one.tokens for one in together] == [one.tokens for one in alone]
    assert [sum(one.log_probs) for one in together] == pytest.approx([sum(one.log_probs) for one in alone], abs=1e-3)
    assert [one.tokens for one in run(Generator(model, limit), many(model, seed=50))] != [one.tokens for one in alone]


def test_the_transformers_path_gives_the_same_replies(model: LanguageModel, reference: LanguageModel) -> None:
    fast, slow = (run(Generator(m, 8), many(model)) for m in (model, reference))
    assert [one.tokens for one in fast] == [one.tokens for one in slow]


def test_a_reply_ends_with_an_end_token_a_stop_string_or_its_length(model: LanguageModel) -> None:
    start = ids(model, [prompt(STATES[0])])[0]
    free = run(Generator(model, 1), [Sample(start, GREEDY)])[0]
    assert free.finish_reason == {"type": "length", "length": 12}
    stop = free.text[len(free.text) // 2 :][:2]
    by_text = run(Generator(model, 1), [Sample(start, GREEDY.model_copy(update={"stop": ("never", stop)}))])[0]
    assert by_text.finish_reason == {"type": "stop", "matched": stop}
    assert by_text.text == free.text[: free.text.index(stop)]
    token = free.tokens[5]
    by_token = run(Generator(model, 1), [Sample(start, GREEDY.model_copy(update={"stop_token_ids": {token}}))])[0]
    assert by_token.finish_reason == {"type": "stop", "matched": token}
    assert by_token.tokens == free.tokens[: free.tokens.index(token) + 1]
    ending = replace(model, end_ids=frozenset({token}))
    by_end = run(Generator(ending, 1), [Sample(start, GREEDY.model_copy(update={"ignore_eos": False}))])[0]
    assert by_end.tokens == by_token.tokens
    assert by_end.text == by_token.text == model.tokenizer.decode(by_token.tokens[:-1])


def test_samples_come_at_least_three_times_as_fast_as_from_transformers_one_prompt_at_a_time(
    folder: Path, model: LanguageModel
) -> None:
    plain = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    prompts, length = ids(model, map(prompt, STATES)), 16
    params = SamplingParams(top_p=0.95, max_new_tokens=length, ignore_eos=True)
    made = spent_fast = spent_plain = 0.0
    for turn in range(3):
        start = time.perf_counter()
        made += len(run(Generator(model, 64), [Sample(p, params) for p in prompts for _ in range(8)]))
        middle = time.perf_counter()
        plain.generate(
            torch.tensor([prompts[turn]]), do_sample=True, top_p=0.95, min_new_tokens=length, max_new_tokens=length
        )
        spent_fast += middle - start
        spent_plain += time.perf_counter() - middle
    assert made / spent_fast > 3 * (3 / spent_plain)


def test_no_more_samples_are_decoded_at_once_than_allowed(model: LanguageModel) -> None:
    generator = Generator(model, 4)
    for one in many(model):
        generator.submit(one)
    most = 0
    while generator.busy:
        generator.step()
        most = max(most, sum(map(len, generator.active)))
    assert 0 < most <= 4


# ---- embeddings


def test_an_embedding_is_the_mean_over_content_tokens_of_the_last_hidden_state(
    folder: Path, model: LanguageModel
) -> None:
    tokenizer = AutoTokenizer.from_pretrained(folder)
    plain = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    for state, found in zip(STATES, Encoder(model, Pooling(512)).embed(STATES), strict=True):
        with torch.no_grad():
            hidden = plain.model(torch.tensor([tokenizer(state)["input_ids"]])).last_hidden_state[0]
        np.testing.assert_allclose(found, hidden.mean(0).numpy(), atol=2e-5)


def test_in_its_prompt_a_state_is_embedded_as_the_mean_and_the_last_of_the_prompts_hidden_states(
    folder: Path, model: LanguageModel
) -> None:
    tokenizer = AutoTokenizer.from_pretrained(folder)
    plain = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    encoder = Encoder(model, Pooling(512, COMPLETION))
    found = encoder.embed(STATES)
    assert found.shape == (len(STATES), encoder.width)
    for state, embedding in zip(STATES, found, strict=True):
        with torch.no_grad():
            hidden = plain.model(torch.tensor([tokenizer(prompt(state))["input_ids"]])).last_hidden_state[0]
        np.testing.assert_allclose(embedding, torch.cat([hidden.mean(0), hidden[-1]]).numpy(), atol=2e-5)


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=list(TEMPLATES))
def test_a_long_prompt_keeps_its_beginning_and_the_end_that_asks_for_a_tactic(template: Template) -> None:
    def letters(texts: list[str], special: bool) -> list[list[int]]:
        return [[0] * special + [*map(ord, text)] for text in texts]

    before, after = template.bare_prompt("#").split("#")
    (whole,), (cut,) = (Pooling(n, template).tokens(["x" * 900], letters) for n in (9_999, 500))
    assert "".join(map(chr, whole[1:])) == before + "x" * 900 + after
    assert cut == whole[: 500 - END] + whole[-END:]
    (shortest,) = Pooling(8, template).tokens(["x" * 900], letters)
    assert shortest == whole[:4] + whole[-4:]


def test_the_end_that_a_prompt_keeps_asks_for_a_tactic(model: LanguageModel) -> None:
    long = Pooling(64, COMPLETION).tokens([STATES[1] * 50], lambda texts, _: ids(model, texts))
    assert len(long[0]) == 64
    text = model.tokenizer.decode(long[0])
    assert text.endswith("\n-/\n```\n")
    assert text.startswith(prompt(STATES[1])[:40])


@pytest.mark.parametrize("path", ["model", "reference"])
def test_an_embedding_depends_on_no_padding_and_no_neighbour(path: str, request: pytest.FixtureRequest) -> None:
    encoder = Encoder(request.getfixturevalue(path), Pooling(64), batch=3)
    texts = [*STATES, "x" * 300]
    together = encoder.embed(texts)
    assert together.dtype == np.float32
    assert together.shape == (len(texts), encoder.width)
    for text, vector in zip(texts, together, strict=True):
        np.testing.assert_allclose(encoder.embed([text])[0], vector, atol=2e-5)


def test_texts_are_cut_behind_the_last_token_allowed(model: LanguageModel) -> None:
    encoder = Encoder(model, Pooling(8))
    long = STATES[1] * 5
    cut = model.tokenizer.decode(ids(model, [long])[0][:8])
    np.testing.assert_allclose(encoder.embed([long]), encoder.embed([cut]), atol=2e-5)


class Counting:
    """A network that notes what it is given, and has memory for so many tokens, padding included."""

    pads = True

    def __init__(self, model: LanguageModel, room: int) -> None:
        self.model, self.room = model, room
        self.width = model.network.width
        self.batches: list[list[int]] = []

    def hidden(self, sequences: Sequence[Sequence[int]], lately: Recent[Any] | None = None) -> list[torch.Tensor]:
        self.batches.append([len(s) for s in sequences])
        if max(self.batches[-1]) * len(sequences) > self.room:
            raise torch.OutOfMemoryError("out of memory")
        return self.model.network.hidden(sequences)


def test_a_batch_has_so_many_tokens_at_most_and_texts_of_similar_length(model: LanguageModel) -> None:
    network = Counting(model, 10**9)
    encoder = Encoder(replace(model, network=network), Pooling(64), batch=5, batch_tokens=100)  # type: ignore[arg-type]
    texts = [*STATES * 3, "x" * 300]
    np.testing.assert_allclose(encoder.embed(texts), Encoder(model, Pooling(64)).embed(texts), atol=2e-5)
    assert all(len(b) == 1 or (len(b) <= 5 and max(b) * len(b) <= 100) for b in network.batches)
    assert [n for b in network.batches for n in b] == sorted(n for b in network.batches for n in b)
    assert max(map(len, network.batches)) > 1


def test_a_batch_that_is_too_large_for_the_memory_is_halved_and_nothing_is_lost(
    model: LanguageModel, caplog: pytest.LogCaptureFixture
) -> None:
    network = Counting(model, 70)
    encoder = Encoder(replace(model, network=network), Pooling(64))  # type: ignore[arg-type]
    texts = [*STATES * 3, "x" * 300]
    with caplog.at_level("WARNING", "burnqed"):
        found = encoder.embed(texts)
    np.testing.assert_allclose(found, Encoder(model, Pooling(64)).embed(texts), atol=2e-5)
    refused = [b for b in network.batches if max(b) * len(b) > 70]
    assert 1 <= len(refused) == caplog.text.count("out of memory: from now on") <= 5
    network.batches.clear()
    encoder.embed(texts)
    assert all(max(b) * len(b) <= 70 for b in network.batches), "it has learned its limit"


class Shared(Counting):
    """One without padding, whose memory is that for the tokens it is given."""

    pads = False

    def hidden(self, sequences: Sequence[Sequence[int]], lately: Recent[Any] | None = None) -> list[torch.Tensor]:
        self.batches.append([len(s) for s in sequences])
        if sum(self.batches[-1]) > self.room:
            raise torch.OutOfMemoryError("out of memory")
        return self.model.network.hidden(sequences)


def test_texts_that_begin_alike_share_a_batch_whose_tokens_count_without_padding(model: LanguageModel) -> None:
    network = Shared(model, 10**9)
    encoder = Encoder(replace(model, network=network), Pooling(64), batch_tokens=100)  # type: ignore[arg-type]
    texts = [f"{state} {i}" for i in range(6) for state in STATES] + ["x" * 300]
    np.testing.assert_allclose(encoder.embed(texts), Encoder(model, Pooling(64), batch=1).embed(texts), atol=2e-5)
    assert all(len(b) == 1 or sum(b) <= 100 for b in network.batches)
    assert any(len(b) > 1 and max(b) * len(b) > 100 for b in network.batches)
    network.room, encoder.batch_tokens = 70, 10**9
    np.testing.assert_allclose(encoder.embed(texts), Encoder(model, Pooling(64), batch=1).embed(texts), atol=2e-5)
    network.batches.clear()
    encoder.embed(texts)
    assert all(sum(b) <= 70 for b in network.batches), "it has learned its limit"


def test_texts_are_put_in_order_by_what_makes_them_cheap_together(model: LanguageModel) -> None:
    alike, padding = Encoder(model, Pooling(64)), Encoder(replace(model, network=Counting(model, 1)), Pooling(64))  # type: ignore[arg-type]
    stem = "xs : List Nat, h : 0 < xs.length, "
    assert alike.likeness(stem + "a") == alike.likeness(stem + "another") != alike.likeness("a" + stem)
    assert (padding.likeness(stem), padding.likeness("")) == (len(stem), 0)


def test_a_text_that_alone_is_too_large_for_the_memory_says_what_to_lower(model: LanguageModel) -> None:
    encoder = Encoder(replace(model, network=Counting(model, 10)), Pooling(64))  # type: ignore[arg-type]
    with pytest.raises(
        BadInput, match=r"A state of 64 tokens alone needs more memory .* lower policy.embed_max_tokens"
    ):
        encoder.embed(["x" * 300])


def test_embeddings_of_weights_in_4_bits_are_close_and_have_another_identity(tmp_path: Path) -> None:
    wide = SHAPE.model_copy(update={"hidden_size": 64, "heads": 2})
    make_base([prompt(state) for state in STATES], tmp_path, wide, 0)
    full, rough = (Encoder(tmp_path, Pooling(64), weights=weights) for weights in ("full", "nf4"))  # type: ignore[arg-type]
    assert full.embedding_id != rough.embedding_id
    for exact, close in zip(full.embed(STATES), rough.embed(STATES), strict=True):
        assert 0.9 < np.dot(exact, close) / np.linalg.norm(exact) / np.linalg.norm(close) < 1 - 1e-6


def test_an_empty_text_has_no_embedding(model: LanguageModel) -> None:
    with pytest.raises(BadInput, match="Text 1 is empty"):
        Encoder(model, Pooling(8)).embed(["p", ""])
    with pytest.raises(BadInput, match="Text 1 is empty"):
        Encoder(model, Pooling(8, COMPLETION)).embed(["p", ""])


def test_embeddings_of_bare_states_have_the_identity_that_they_always_had() -> None:
    given = {"dtype": "bfloat16", "max_tokens": 512}
    for pooling in ({}, {"pooling": Pooling(512).name}):
        assert embedding_identity("0123456789abcdef", **given, **pooling) == "4f1628b53d9b8ccc"  # type: ignore[arg-type]


def test_embeddings_of_another_model_type_length_or_prompt_have_another_identity(model: LanguageModel) -> None:
    others = [
        Encoder(model, Pooling(64)),
        Encoder(model, Pooling(65)),
        Encoder(replace(model, dtype="bfloat16"), Pooling(64)),
        Encoder(replace(model, version="other"), Pooling(64)),
        *(Encoder(model, Pooling(64, template)) for template in TEMPLATES.values()),
    ]
    distinct = {encoder.embedding_id for encoder in others}
    assert len(distinct) == 4 + len({template.bare_prompt("") for template in TEMPLATES.values()})
    assert Encoder(replace(model, folder=Path("elsewhere")), Pooling(64)).embedding_id == others[0].embedding_id


def test_bfloat16_weights_stay_close_to_float32(folder: Path, model: LanguageModel) -> None:
    rough = load_model(folder, "bfloat16")
    done = run(Generator(rough, 8), [Sample(i, GREEDY) for i in ids(model, map(prompt, STATES))])
    assert all(len(one.tokens) == SHAPE.max_new_tokens - 4 for one in done)
    exact, close = (Encoder(m, Pooling(64)).embed(STATES) for m in (model, rough))
    np.testing.assert_allclose(exact, close, atol=0.05)


def test_sequences_that_begin_alike_are_whole_where_nothing_is_shared() -> None:
    alike = [[1] * 40, [1] * 40 + [2], [1] * 40 + [3]]
    assert [pack.starts for pack in continued(alike, 60, shares=True)] == [[0, 40, 40]]
    assert [pack.starts for pack in continued(alike, 60, shares=False)] == [[0], [0], [0]]
