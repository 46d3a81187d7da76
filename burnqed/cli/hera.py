"""The `hera` command: `hera submit` and the others in OURS are burnqed's; everything else is Hera's."""

from __future__ import annotations

import sys

from burnqed.errors import EXIT_BAD_INPUT

OURS = ("submit", "status", "watch", "logs", "retry", "stop", "approve", "list")


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
