"""After which failures a step is retried, when and how often. Argo's retry strategy and the local runner follow the same policy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from hera.workflows import RetryStrategy
from hera.workflows.models import Backoff

from burnqed.errors import BadInput

RETRY_ANNOTATION = "burnqed.dev/retry"


@dataclass(frozen=True)
class RetryPolicy:
    """When a step is retried. The exit codes are that of TryAgain (`burnqed.errors`), and those of SIGKILL and SIGTERM, which a lost machine leaves."""

    limit: int
    seconds: int
    factor: int = 2
    exit_codes: tuple[int, ...] = (75, 137, 143)

    @classmethod
    def of(cls, template: Mapping[str, Any]) -> Self:
        """The policy of a template; without one, nothing is retried. Raises BadInput for a retryStrategy without our annotation."""
        annotation = template.get("metadata", {}).get("annotations", {}).get(RETRY_ANNOTATION)
        if "retryStrategy" in template and not annotation:
            name = template["name"]
            raise BadInput(f"Template {name} has a retryStrategy without {RETRY_ANNOTATION}; use RetryPolicy.")
        return cls(**json.loads(annotation)) if annotation else cls(limit=0, seconds=0)

    def wait(self, exit_code: int, attempts: int) -> int | None:
        """Seconds until the next attempt, after `attempts` of which the last ended with `exit_code`; None if there is none."""
        is_repeated = exit_code in self.exit_codes and attempts <= self.limit
        return self.seconds * self.factor ** (attempts - 1) if is_repeated else None

    def annotation(self) -> dict[str, str]:
        """The policy as data, for the local runner."""
        return {RETRY_ANNOTATION: json.dumps(asdict(self))}

    def strategy(self) -> RetryStrategy:
        """The policy for Argo: lost pods are retried; bugs (1), out-of-memory kills and deadlines are not."""
        return RetryStrategy(
            limit=self.limit,
            retry_policy="Always",
            backoff=Backoff(duration=f"{self.seconds}s", factor=self.factor),
            expression=f"(asInt(lastRetry.exitCode) in {list(self.exit_codes)} || lastRetry.status == 'Error'"
            " || lastRetry.message matches '(?i)pod deleted|evicted|imminent node shutdown')"
            " && !(lastRetry.message matches 'OOMKilled|specified deadline')",
        )
