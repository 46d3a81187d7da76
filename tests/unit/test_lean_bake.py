"""The encodings that baking reads and writes, and its refusal of a build that is not the pinned one."""

from __future__ import annotations

import pytest

from burnqed.lean.embedded.bake import replace
from burnqed.lean.embedded.wasm import signed, to_signed, to_unsigned, unsigned


@pytest.mark.parametrize("value", [0, 1, 63, 64, 127, 128, 624_485, 2**31 - 1, 2**32 - 1])
def test_numbers_are_read_as_they_were_written(value: int) -> None:
    for write, read in ((to_unsigned, unsigned), (to_signed, signed)):
        encoded = write(value)
        assert read(b"\xff" + encoded + b"\xff", 1) == (value, 1 + len(encoded))


def test_negative_numbers_are_read() -> None:
    assert signed(b"\x7f", 0) == (-1, 1)
    assert signed(b"\xc0\xbb\x78", 0) == (-123_456, 3)  # the example of the LEB128 article


def test_a_script_that_is_not_the_pinned_one_is_not_half_rewritten() -> None:
    assert replace("a b a", "b", "c") == "a c a"
    for text in ("a", "b b"):
        with pytest.raises(AssertionError, match="expected once"):
            replace(text, "b", "c")
