"""Text files that people name on the command line."""

from __future__ import annotations

from pathlib import Path

from burnqed.errors import BadInput


def read_given(path: Path, what: str, give: str) -> str:
    """The text of a file, without a byte order mark.

    Raises BadInput when there is none, when it may not be read, and when it is not UTF-8: `what` says what it was to be ("theorem index"), `give` what to
    give instead ("the path of a JSON file").
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise BadInput(f"There is no {what} {path}; give {give}.") from None
    except UnicodeDecodeError as error:
        raise BadInput(
            f"The {what} {path} is not UTF-8 (byte {error.start + 1} is 0x{error.object[error.start]:02x}); save it as UTF-8."
        ) from None
    except OSError as error:
        raise BadInput(f"The {what} {path} cannot be read ({error.strerror}); give {give}.") from None
