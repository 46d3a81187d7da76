"""The page of a lean start."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from burnqed.evaluate.lean_start import COLUMNS, GO, LeanStart
from burnqed.evaluate.report.page import rendered
from burnqed.evaluate.report.tables import Table


def write_page(found: LeanStart, settings: Mapping[str, str], path: Path) -> None:
    page = rendered(
        "lean_start.html.j2",
        found=found,
        kind="good" if found.verdict == GO else "bad",
        table=Table(("", *COLUMNS), found.rows),
        settings=Table(("", ""), list(settings.items()), text_columns=2),
        written=datetime.now(UTC),
    )
    path.write_text(page, encoding="utf-8")
