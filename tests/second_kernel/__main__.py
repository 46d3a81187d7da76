"""Checks an export. Exit code 0: everything in it holds; 1: a declaration does not; 2: the file is no export.

python -m tests.second_kernel FILE [--axioms propext,…] [--permitted axioms.txt] [--only NAME …]
"""

from __future__ import annotations

import argparse
import gc
import sys
import threading
from collections.abc import Collection, Iterable
from pathlib import Path

from tests.second_kernel import axioms
from tests.second_kernel.constants import Definition, NotAnExport, Refused
from tests.second_kernel.declarations import Kernel, members
from tests.second_kernel.reader import Reader


def check(lines: Iterable[str], permitted: Collection[str] = axioms.STANDARD, only: Collection[str] = ()) -> list[str]:
    """One line for each theorem and one in all; raises Refused or NotAnExport. `only`: what comes before the first of these names
    is taken on trust."""
    kernel = Kernel(permitted)
    report = []
    assume = bool(only)
    checked = 0
    for item in Reader().declarations(lines):
        names = [constant.name for constant in members(item)]
        assume = assume and not set(only) & set(names)
        try:
            kernel.add(item, assume)
        except Refused as error:
            raise Refused(f"{names[0]}: {error}") from None
        except RecursionError:
            raise Refused(f"{names[0]}: too deep to be checked") from None
        checked += not assume
        if isinstance(item, Definition) and item.kind == "thm" and not assume:
            report.append(f"{item.name}: proved ({_axioms(kernel.axioms_of(item.name))})")
    kernel.check_texts()
    if assume:
        raise Refused(f"nothing is called {', '.join(only)}")
    return [*report, f"{checked} declarations checked, {len(kernel.constants)} constants"]


def _axioms(names: set[str]) -> str:
    library = len(names.difference(axioms.STANDARD))
    parts = [name for name in axioms.STANDARD if name in names] + [f"{library} of the library"] * bool(library)
    return f"axioms: {', '.join(parts)}" if parts else "no axioms"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.second_kernel", description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--axioms", default=",".join(axioms.STANDARD), help="axioms that may be used, with commas between them"
    )
    parser.add_argument(
        "--permitted", type=Path, action="append", default=[], help="a file with further such names, one per line"
    )
    parser.add_argument("--only", nargs="+", default=[], help="take on trust what comes before the first of these")
    options = parser.parse_args(arguments)
    try:
        permitted = {name for name in options.axioms.split(",") if name}
        for path in options.permitted:
            permitted.update(path.read_text(encoding="utf-8").split("\n"))
        with options.file.open(encoding="utf-8", newline="\n") as lines:
            report = check(lines, permitted, options.only)
    except (NotAnExport, OSError, UnicodeDecodeError) as error:
        print(f"no export: {error}")
        return 2
    except Refused as error:
        print(f"refused: {error}")
        return 1
    print("\n".join(report))
    return 0


def run() -> int:
    """Proofs are deep terms: a thread with a large stack, and no collector, since almost nothing becomes garbage."""
    gc.disable()
    sys.setrecursionlimit(1_000_000)
    threading.stack_size(1 << 30)
    codes = [1]
    thread = threading.Thread(target=lambda: codes.append(main()))
    thread.start()
    thread.join()
    return codes[-1]


if __name__ == "__main__":
    sys.exit(run())
