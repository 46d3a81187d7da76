"""The `hera` command: `hera submit` and its companions are burnqed's; everything else is Hera's own.

Hera brings a script of the same name. pip leaves ours, uv leaves Hera's: `burnqed doctor` tells, `burnqed doctor --fix` repairs it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from burnqed.errors import EXIT_BAD_INPUT, BadInput

OURS = ("submit", "status", "watch", "logs", "retry", "stop", "approve", "list")
SCRIPT = """#!{python}
import sys
from burnqed.cli.hera import main
sys.exit(main())
"""


def main() -> None:
    if len(sys.argv) > 1 and sys.argv[1] in OURS:
        from burnqed.cli.main import main as burnqed

        burnqed()
    from hera.__main__ import main as hera

    if len(sys.argv) == 1 or sys.argv[1] in ("-h", "--help"):
        print(f"From burnqed: hera {' | '.join(OURS)}. From Hera:\n", file=sys.stderr)  # noqa: T201
    try:
        hera()  # type: ignore[no-untyped-call]
    except ModuleNotFoundError:
        print("hera: Hera's own commands need `pip install 'burnqed[cluster]'`.", file=sys.stderr)  # noqa: T201
        sys.exit(EXIT_BAD_INPUT)


def script() -> Path:
    """Where the script lies in this environment."""
    return Path(sys.executable).parent / "hera"


def is_ours(path: Path) -> bool:
    return path.is_file() and "burnqed" in path.read_text(encoding="utf-8", errors="replace")


def repair(path: Path) -> None:
    """Puts our script in place. Raises BadInput where that is not allowed."""
    temporary = path.with_suffix(".burnqed")
    try:
        temporary.write_text(SCRIPT.format(python=sys.executable), encoding="utf-8")
        temporary.chmod(0o755)
        os.replace(temporary, path)
    except OSError as error:
        raise BadInput(
            f"{path} cannot be written ({error.strerror}); use `burnqed submit` instead of `hera submit`."
        ) from None
