"""The one prompt, and how a model's reply is read; `burnqed.policy.template` has what families of models want around them.

    prompt(state) + tactic + end of sequence        is what the model is trained on; the loss covers what follows the prompt
    extract_tactic(reply)                           is the first bare tactic in the model's reply

With `policy.lemmas`, the prompt also names lemmas of the library. Embeddings are of the bare state, without these, the instruction and the fences,
unless `policy.embedding` says otherwise; then, too, without lemmas.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from burnqed.lean.lexer import Kind, tokens

STOP = ("\n```", "\n/- tactic state:")
"""Stop strings of generation: a closing fence, or the next state, with which some models continue. A model fine-tuned on
(prompt, tactic, end of sequence) stops without them."""


def prompt(state: str, lemmas: Sequence[str] = ()) -> str:
    """The text before the tactic. `state` is `ProofState.text`; `lemmas` are names of some that may help."""
    offered = f"\n\nlemmas: {', '.join(lemmas)}" if lemmas else ""
    return f"Complete the following Lean 4 code:\n\n```lean4\n/- tactic state:\n{state}{offered}\n-/\n```\n"


@dataclass(frozen=True, slots=True)
class Extracted:
    """A tactic from a reply, and the offset in the reply where it ends."""

    tactic: str
    end: int
    start: int = 0
    """Where the answer begins, after a thought."""


def extract_tactic(text: str) -> str | None:
    """The first bare tactic of a model's reply; None when there is none, or when it is `sorry` or `admit`."""
    extracted = extract(text)
    return extracted.tactic if extracted else None


WORD = r"(?<![\w.'!?])({})(?![\w'!?])"
CHEAT = re.compile(WORD.format("sorry|admit|sorryAx"))
MODIFIER = r"(?:@\[[^\]]*\]\s*|(?:private|protected|noncomputable|partial|unsafe|local|scoped)\s+)*"
DECLARATION = re.compile(rf"\s*{MODIFIER}(?:theorem|lemma|example|def|abbrev|instance|axiom|opaque)(?![\w.'])")
PREAMBLE = re.compile(
    r"\s*(?:import|open|namespace|section|end|variable|universe|set_option|attribute|#\w+)(?![\w.'])(?!.*\sin(?:\s|$))"
)
BODY = re.compile(r":=\s*by(?![\w.'])")
BY = re.compile(r"\s*by(?![\w.'])")
FENCE = re.compile(r"^[ \t]*```(\w*)[^\n]*$", re.MULTILINE)


def extract(text: str) -> Extracted | None:
    """`extract_tactic`, with the position where the tactic ends.

    Fences, comments, imports and declarations around a tactic are skipped. A tactic is its first line and the following lines that are
    indented deeper or start an alternative (`| zero => …`), without trailing spaces and with relative indentation.
    """
    code = blank_comments(text)
    start, stop = fenced(code)
    line = first_line(code, start, stop)
    if line is not None and DECLARATION.match(code, line, stop):
        body = BODY.search(code, line, stop)
        line = first_line(code, body.end(), stop) if body else None
    if line is not None and (by := BY.match(code, line, stop)):
        line = first_line(code, by.end(), stop)
    if line is None:
        return None
    indent = column(code, line)
    end = line_end(code, line, stop)
    tactic = [code[line:end].strip()]
    while end < stop:
        following = end + 1
        end_of_following = line_end(code, following, stop)
        content = code[following:end_of_following]
        depth = len(content) - len(content.lstrip())
        if not content.strip() and text[following:end_of_following].strip():  # a comment on its own line
            end = end_of_following
            continue
        if not content.strip() or not (depth > indent or (depth == indent and content.lstrip().startswith("|"))):
            break
        tactic.append(" " * (depth - indent) + content.strip())
        end = end_of_following
    joined = "\n".join(tactic)
    return None if CHEAT.search(joined) else Extracted(joined, len(code[:end].rstrip()))


def blank_comments(text: str) -> str:
    """The text with the characters of Lean comments (nested, or never closed) replaced by spaces; line breaks stay."""
    if "--" not in text and "/-" not in text:
        return text
    out, position = [], 0
    for token in tokens(text):
        if token.kind is Kind.COMMENT or token.text.startswith("/-"):
            out += [text[position : token.start], re.sub(r"[^\n]", " ", token.text)]
            position = token.end
    return "".join([*out, text[position:]])


def fenced(code: str) -> tuple[int, int]:
    """The part of a reply that is code: inside the first fence when it opens one, before it when it closes one.

    The prompt ends after a fence, so a bare fence after some text closes it; a fence with a language, or with nothing before it, opens a
    block.
    """
    fences = list(FENCE.finditer(code))
    starts = [fence.start() for fence in fences] + [len(code)]
    if fences and (fences[0][1] or not code[: starts[0]].strip()):
        return min(fences[0].end() + 1, len(code)), starts[1]
    return 0, starts[0]


def blocks(text: str) -> list[tuple[int, int]]:
    """Where the blocks of code are in prose, without their fences; the last one may not be closed."""
    fences = list(FENCE.finditer(text))
    ends = [fence.start() for fence in fences[1::2]] + [len(text)]
    return [(min(fence.end() + 1, len(text)), end) for fence, end in zip(fences[::2], ends, strict=False)]


def first_line(code: str, start: int, stop: int) -> int | None:
    """Offset of the first character that is neither space nor part of a preamble command."""
    while start < stop:
        end = line_end(code, start, stop)
        content = code[start:end]
        if content.strip() and not PREAMBLE.match(content):
            return start + len(content) - len(content.lstrip())
        start = end + 1
    return None


def line_end(code: str, start: int, stop: int) -> int:
    end = code.find("\n", start, stop)
    return stop if end < 0 else end


def column(code: str, offset: int) -> int:
    """Indentation of a tactic: its column when it comes first in its line, and that of the line when it follows `by`."""
    line = code.rfind("\n", 0, offset) + 1
    return len(code[line:offset]) if not code[line:offset].strip() else len(code[line:]) - len(code[line:].lstrip())
