"""Text files that people name on the command line."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from burnqed.errors import BadInput


def read_given(path: Path, what: str, give: str, most: int = 1 << 30) -> str:
    """The text of a file of at most `most` bytes, without a byte order mark.

    Raises BadInput when the file is missing, unreadable, too large, or not UTF-8: `what` is what it should be ("theorem index"), `give` what to
    give instead ("the path of a JSON file").
    """
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
        if len(content) > most:
            raise BadInput(f"The {what} {path} has more than {most >> 20} MB; split it.")
        return content.decode("utf-8-sig")
    except FileNotFoundError:
        raise BadInput(f"There is no {what} {path}; give {give}.") from None
    except UnicodeDecodeError as error:
        byte = f"byte {error.start + 1} is 0x{error.object[error.start]:02x}"
        raise BadInput(f"The {what} {path} is not UTF-8 ({byte}); save it as UTF-8.") from None
    except OSError as error:
        raise BadInput(f"The {what} {path} cannot be read ({error.strerror}); give {give}.") from None


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object (`object_pairs_hook`) whose keys all differ. Raises ValueError for a repeated key: of two statements, a person would see the
    first, and Python the second.
    """
    if len(dict(pairs)) < len(pairs):
        (name, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"an object has `{name}` twice")
    return dict(pairs)
