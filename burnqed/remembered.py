"""`RUN/run.json`: the configuration that a run last used. Without a profile, the run continues with it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.layout import NAME, NUMBER, Layout, origin_of
from burnqed.log import log
from burnqed.resolve import Resolved, from_json, resolve
from burnqed.store import Store

_MODEL = re.compile(rf"(?:(.*[^/])/)?({NAME.pattern})/(?:base|iterations/iter_(?:{NUMBER}))(?:/.*)?")
"""The address of a run's model; its groups are the store and the run."""


def recall(store: Store, run: str) -> RunConfig | None:
    """The run's configuration; None for a run that has not begun. Raises BadInput when the file cannot be used."""
    path = Layout(run).settings
    if not store.exists(path):
        return None
    try:
        return from_json(store.read_text(path))
    except (BadInput, UnicodeDecodeError) as error:
        advice = "give --profile, or remove the file"
        raise BadInput(f"{store.locate(path)} does not tell the settings of the run ({error}); {advice}.") from None


def remember(store: Store, run: str, config: RunConfig) -> None:
    try:
        before = recall(store, run)
    except BadInput:
        before = None  # it is replaced
    if before != config:
        path = Layout(run).settings
        store.write_text(path, config.model_dump_json(indent=1) + "\n")
        if before:
            log.info("the run %s continues with other settings from now on: %s", run, store.locate(path))


def remember_benchmarks(store: Store, run: str, config: RunConfig) -> None:
    """Adds the benchmarks that a part of an iteration was given to the run's own. The caller has checked that they are usable."""
    if known := recall(store, run):
        benchmarks = known.data.benchmarks | {
            name: address for name, address in config.data.benchmarks.items() if name not in known.data.benchmarks
        }
        data = known.data.model_copy(update={"benchmarks": benchmarks})
        remember(store, run, known.model_copy(update={"data": data}))


def resolve_run(
    store: Store,
    run: str,
    profile: str | None,
    overrides: Sequence[str],
    chart: Mapping[str, Any] | None = None,
    origin: str | None = None,
    workflow: str | None = None,
) -> Resolved:
    """The configuration of a run: its own, unless a profile is given or it has none yet, and the overrides. What a profile has for the `workflow` counts where the profile does. A branch
    begins with that of its `origin` (`RUN:N`, `RUN:base`)."""
    base = None if profile else recall_or(store, run, origin)
    return resolve(profile, overrides, chart=chart, base=base, workflow=workflow)


def recall_or(store: Store, run: str, origin: str | None) -> RunConfig | None:
    """The run's configuration, or, before it begins, that of the run that it branches from."""
    return recall(store, run) or (recall(store, origin_of(origin).run) if origin is not None else None)


def settings_for(model: str) -> RunConfig | None:
    """The configuration to use a run's model with: that of the run, but with a policy server of one's own, as the run's may serve another model by now. None for a model of no run."""
    found = _MODEL.fullmatch(model)
    known = recall(Store(found[1] or "."), found[2]) if found else None
    if not (found and known):
        return None
    log.info("settings: those of the run %s; --profile gives others", found[2])
    policy = known.policy.model_copy(update={"generate_url": None, "score_url": None})
    return known.model_copy(update={"policy": policy})
