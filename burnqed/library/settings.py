"""Settings as keyword arguments: the names, types and defaults of a section of the configuration (`burnqed config show`)."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.resolve import explain


def configured(section: str, settings: dict[str, Any]) -> RunConfig:
    """The defaults, but for `settings` in one section. Raises BadInput for a name or value that does not fit."""
    try:
        return RunConfig.model_validate({section: settings})
    except ValidationError as error:
        raise BadInput(explain(error, "keyword arguments")) from None
