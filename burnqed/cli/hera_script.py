"""The script `hera`, which both packages install. pip leaves ours in place, uv leaves Hera's: `burnqed doctor` shows which, and `--fix` installs ours."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from burnqed.errors import BadInput

SCRIPT = """#!{python}
import sys
from burnqed.cli.hera import main
sys.exit(main())
"""


def script() -> Path:
    """Where the script is in this environment."""
    return Path(sys.executable).parent / "hera"


def is_ours(path: Path) -> bool:
    return path.is_file() and "burnqed" in path.read_text(encoding="utf-8", errors="replace")


def repair(path: Path) -> None:
    """Puts our script in place. Raises BadInput where it cannot be written."""
    temporary = path.with_suffix(".burnqed")
    try:
        temporary.write_text(SCRIPT.format(python=sys.executable), encoding="utf-8")
        temporary.chmod(0o755)
        os.replace(temporary, path)
    except OSError as error:
        raise BadInput(
            f"{path} cannot be written ({error.strerror}); use `burnqed submit` instead of `hera submit`."
        ) from None
