"""Versions of what others make are written in one place, `burnqed/versions.yaml`."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from burnqed.versions import FILE, versions
from tests.fixtures.shared import ROOT

COMPARED = {
    "images/Dockerfile": "its arguments; compared below",
    "helm/burnqed/values.yaml": "the chart cannot read a file of the package; compared below",
    "burnqed/lean/embedded/export.cjs": "says what it writes; compared below",
    "burnqed/lean/embedded/data.cjs": "says what it reads; compared below",
    "pyproject.toml": "the lower bound of an extra; compared below",
}
"""Files that repeat a version, and why."""
AMBIGUOUS = {"3.1.0"}
"""Too short to be told from another thing's version: only looked for beside the name."""


def values(section: Any) -> Iterator[str]:
    if isinstance(section, dict):
        for value in section.values():
            yield from values(value)
    else:
        yield str(section)


def written() -> dict[str, str]:
    """The text of every file that is ours and that people write; tests and records of what was seen may name versions."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "burnqed", "workflows", "images", "helm", "docs", "pyproject.toml", "Makefile"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    texts = {}
    for name in listed:
        if not name.endswith((".lock", ".png", ".parquet")) and (ROOT / name).is_file():
            texts[name] = (ROOT / name).read_text(encoding="utf-8")
    return texts


def names_of(version: str) -> str:
    """A pattern for the version as such: not a part of a longer one."""
    return (
        rf"(?<![\w.]){re.escape(version.removeprefix('v'))}(?![\w]|\.\d)"
        if version[-1].isdigit()
        else re.escape(version)
    )


def test_no_version_is_written_elsewhere() -> None:
    texts = written()
    assert len(texts) > 200
    found = []
    for value in set(values(yaml.safe_load(FILE.read_text()))) - AMBIGUOUS:
        short = value.partition(":v")[2] if value.startswith("leanprover/") else value
        pattern = re.compile(rf"v?{names_of(short)}")
        for name, text in texts.items():
            if name != "burnqed/versions.yaml" and name not in COMPARED and (match := pattern.search(text)):
                found.append(f"{name}: {text[max(0, match.start() - 20) : match.end() + 10]!r} repeats {value}")
    assert found == []


def arguments() -> dict[str, str]:
    return dict(re.findall(r"^ARG (\w+)=(\S+)$", (ROOT / "images" / "Dockerfile").read_text(), re.MULTILINE))


def test_the_images_are_built_on_these() -> None:
    assert arguments()["PYTHON"] == versions().images.python
    assert arguments()["SGLANG"] == versions().images.sglang
    assert versions().images.sglang.endswith(f":v{versions().sglang.version}")
    values = yaml.safe_load((ROOT / "helm" / "burnqed" / "values.yaml").read_text())
    assert values["s3Server"]["image"] == versions().images.seaweedfs


def test_burnqed_beside_sglang_is_locked_for_what_that_image_has() -> None:
    locked = dict(re.findall(r"^([\w.-]+)==(\S+)", (ROOT / "images" / "sglang.lock").read_text(), re.MULTILINE))
    assert locked["transformers"] == versions().sglang.transformers
    assert not [name for name in locked if name in {"torch", "triton"} or name.startswith(("nvidia-", "cuda-"))]


@pytest.mark.parametrize("name", ["export.cjs", "data.cjs"])
def test_exports_have_the_format_of_this_version(name: str) -> None:
    text = (ROOT / "burnqed" / "lean" / "embedded" / name).read_text()
    (version,) = re.findall(r"^const (?:VERSION|FORMAT) = '([^']+)';", text, re.MULTILINE)
    assert version == versions().lean4export


def test_what_is_installed_for_tracing_is_this_version() -> None:
    (bound,) = re.findall(r"lean-dojo>=([\d.]+)", (ROOT / "pyproject.toml").read_text())
    assert versions().lean_dojo.startswith(f"{bound}.")


def test_mathlib_is_for_this_lean() -> None:
    lean = versions().lean
    assert lean.toolchain.endswith(f":{lean.mathlib.version}")


def test_a_wrong_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = FILE.read_text().replace(versions().lean.mathlib.commit, "main")
    wrong = tmp_path / "versions.yaml"
    wrong.write_text(text)
    monkeypatch.setattr("burnqed.versions.FILE", wrong)
    with pytest.raises(ValueError, match="commit"):
        versions.__wrapped__()
