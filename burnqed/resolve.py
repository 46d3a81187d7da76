"""Profiles, overrides, and where each value of the configuration came from.

    burnqed config show --profile demo --set search.budget=300
    burnqed config show --profile demo --workflow baseline

A value comes from the section's default, then from the profile (`burnqed/profiles/NAME.yaml`, or a path to a YAML file), then from what the profile has for the workflow
(`workflows: {baseline: {select: {theorems: 2000}}}`), then, on a cluster, from its chart, then from `--set`. A profile that begins with `profile: NAME` builds on that one, and
has only what differs; the others build on `default`, which has values for workflows only. `resolve` does this once, at submission; the result travels as one JSON document
(`RunConfig.to_json`).
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import JsonValue, ValidationError
from pydantic_core import to_jsonable_python

from burnqed.config import RunConfig
from burnqed.errors import BadInput
from burnqed.files import read_given
from burnqed.section import Kind
from burnqed.workflow_names import WORKFLOWS
from burnqed.yaml_files import parse_yaml

DEFAULT = "default"
OF_WORKFLOWS = "workflows"
"""What a profile has for single workflows, beside the sections."""


def from_json(text: str) -> RunConfig:
    """Reads what `RunConfig.to_json` wrote, now or in an earlier version. Raises BadInput for an unknown key and for a value of the wrong type."""
    try:
        return RunConfig.model_validate(updated(json.loads(text)))
    except ValidationError as error:
        raise BadInput(explain(error, "the configuration document")) from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"The configuration document is not JSON: {error}.") from None


def updated(document: Any) -> Any:
    """A document of an earlier version with today's keys. Profiles and `--set` are not translated: a person can change them."""
    sections = document if isinstance(document, dict) else {}
    data, select = sections.get("data"), sections.get("select")
    if isinstance(select, dict):
        select.pop("probe_timeout_s", None)  # heartbeats limit probes now
    if isinstance(data, dict) and "benchmark" in data and (address := data.pop("benchmark")) is not None:
        data.setdefault("benchmarks", {"core": address})
    return document


@dataclass(frozen=True)
class Resolved:
    """A configuration and the origin of each value, by dotted key: `default`, `profile NAME`, `profile NAME, workflow NAME`, `the run`, `the chart`, or `--set`."""

    config: RunConfig
    origin: dict[str, str]


def flat(values: dict[str, Any]) -> dict[str, Any]:
    """Nested sections as dotted keys; a value may itself be a mapping."""
    dotted: dict[str, Any] = {}
    for key, value in values.items():
        dotted |= {f"{key}.{field}": v for field, v in value.items()} if isinstance(value, dict) else {key: value}
    return dotted


DEFAULTS = flat(RunConfig().model_dump())
KEYS = tuple(DEFAULTS)


@dataclass(frozen=True)
class Explained:
    """What there is to know about one value of the configuration."""

    default: JsonValue
    unit: str
    decides: str
    """`operation`, `address`, `structure`, or `meaning` for the others (burnqed.section)."""
    text: str


def explained(key: str) -> Explained:
    """Reads the docstring and the marks of a dotted key's field."""
    section, _, field = key.rpartition(".")
    owner = type(getattr(RunConfig(), section)) if section else RunConfig
    kind = (RunConfig.kind(section) if section else None) or owner.kind(field)
    text = " ".join((owner.model_fields[field].description or "").split())
    default = to_jsonable_python(DEFAULTS[key])
    return Explained(default, owner.unit(field), kind.value if kind else "meaning", text)


def section_text(name: str) -> str:
    """What a section is for."""
    text = RunConfig.model_fields[name].description or type(getattr(RunConfig(), name)).__doc__ or ""
    return " ".join(text.split())


def is_operation(key: str) -> bool:
    """Whether a value says how work is done, not what its result is."""
    return explained(key).decides == Kind.OPERATION.value


def profiles() -> list[str]:
    """Names of the shipped profiles."""
    return sorted(f.name[:-5] for f in resources.files("burnqed.profiles").iterdir() if f.name.endswith(".yaml"))


def read_profile(name: str) -> dict[str, Any]:
    """The values of a shipped profile, or of a YAML file when `name` is a path."""
    if name.endswith((".yaml", ".yml")):
        where = name
        text = read_given(Path(name), "profile file", f"the path of a YAML file or one of: {', '.join(profiles())}")
    elif name in profiles():
        where = f"profile {name}"
        text = (resources.files("burnqed.profiles") / f"{name}.yaml").read_text(encoding="utf-8")
    else:
        known = profiles()
        raise BadInput(f"There is no profile {name!r}{nearest(name, known)}; choose one of: {', '.join(known)}.")
    if (values := parse_yaml(text, where)) is None:
        return {}
    if not isinstance(values, dict):
        raise BadInput(f"{where} must be a mapping of sections like `search:`, not a {type(values).__name__}; fix it.")
    return values


def built_on(name: str) -> list[tuple[str, dict[str, Any]]]:
    """A profile with its values, after those that it builds on. Raises BadInput for one that builds on itself."""
    found: dict[str, dict[str, Any]] = {}
    following: object = name
    while following is not None:
        if not isinstance(following, str) or following in found:
            raise BadInput(
                f"The profile {[*found][-1]} says `profile: {following}`; name another profile there, or none."
            )
        fields = read_profile(following)
        found[following], following = fields, fields.pop("profile", None if following == DEFAULT else DEFAULT)
    return list(reversed(found.items()))


def layers_of(profile: str, workflow: str | None) -> list[tuple[str, dict[str, Any]]]:
    """What a profile, and those that it builds on, say for every workflow; then what they say for this one. Raises BadInput for a workflow that there is not, and for an
    unknown key of any."""
    common: list[tuple[str, dict[str, Any]]] = []
    special: list[tuple[str, dict[str, Any]]] = []
    for name, fields in built_on(profile):
        of_workflows = fields.pop(OF_WORKFLOWS, None) or {}
        common.append((f"profile {name}", flat(fields)))
        for of, values in checked(of_workflows, name).items():
            if of == workflow:
                special.append((f"profile {name}, workflow {of}", flat(values)))
    return [*common, *special]


def checked(of_workflows: object, profile: str) -> dict[str, dict[str, Any]]:
    """What a profile has for single workflows, if names and keys are known."""
    where = f"profile {profile}, {OF_WORKFLOWS}"
    if not isinstance(of_workflows, dict):
        raise BadInput(
            f"{where} is {of_workflows!r}; write `{OF_WORKFLOWS}: {{baseline: {{select: {{theorems: 100}}}}}}`."
        )
    for name, values in of_workflows.items():
        if name not in WORKFLOWS:
            hint = nearest(str(name), WORKFLOWS)
            raise BadInput(f"There is no workflow {name!r} in {where}{hint}; choose one of: {', '.join(WORKFLOWS)}.")
        if not isinstance(values, dict):
            raise BadInput(f"{where}.{name} must be a mapping of sections like `search:`; fix it.")
        for key in flat(values):
            if key not in KEYS or key == "profile":
                raise BadInput(unknown_key(key, f"profile {profile}, workflow {name}"))
    return of_workflows


def resolve(
    profile: str | None = None,
    overrides: Sequence[str] = (),
    *,
    chart: Mapping[str, Any] | None = None,
    base: RunConfig | None = None,
    workflow: str | None = None,
) -> Resolved:
    """Resolves a profile, with what it has for the `workflow`, a cluster's chart and `key=value` overrides into one configuration.

    Without a profile, `base` takes its place: what a run has used so far. Then only those values of the chart count that say how work is done.
    Raises BadInput for an unknown profile or key (naming the nearest one) and for a value of the wrong type.
    """
    origin = dict.fromkeys(KEYS, "default")
    values: dict[str, Any] = {"profile": profile or DEFAULT}
    layers: list[tuple[str, dict[str, Any]]] = []
    chart_values = flat(dict(chart or {}))
    if profile is not None or base is None:
        layers += layers_of(profile or DEFAULT, workflow)
    else:
        layers.append(("the run", {k: v for k, v in flat(base.model_dump()).items() if v != DEFAULTS[k]}))
        chart_values = {key: value for key, value in chart_values.items() if key not in KEYS or is_operation(key)}
    layers += [("the chart", chart_values), ("--set", dict(parse_override(text) for text in overrides))]
    for source, layer in layers:
        for key, value in layer.items():
            mapping, _, entry = key.rpartition(".")
            if isinstance(DEFAULTS.get(mapping), dict):  # one entry of it, as data.benchmarks.NAME
                section, _, field = mapping.rpartition(".")
                before = values.get(section, {}).get(field, DEFAULTS[mapping])
                key, value = mapping, {**before, entry: value} if isinstance(before, dict) else before
            if key not in origin:
                raise BadInput(unknown_key(key, source))
            section, _, field = key.rpartition(".")
            (values.setdefault(section, {}) if section else values)[field] = value
            origin[key] = source
    try:
        return Resolved(RunConfig.model_validate(values), origin)
    except ValidationError as error:
        key = ".".join(str(part) for part in error.errors()[0]["loc"][:2])
        raise BadInput(explain(error, origin.get(key, "the configuration"))) from None


def parse_override(text: str) -> tuple[str, Any]:
    """`search.budget=300` to ("search.budget", 300); the value is read as YAML."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise BadInput(f"--set {text!r} is not of the form section.key=value; write, say, --set search.budget=300.")
    if key.strip() == "profile":
        raise BadInput(f"--set {text!r} does not change the profile; give --profile.")
    return key.strip(), parse_yaml(value, f"The value in --set {text!r}")


def unknown_key(key: str, where: str) -> str:
    return f"Unknown configuration key {key!r} in {where}{nearest(key, KEYS)}; see `burnqed config show`."


def nearest(word: str, known: Sequence[str]) -> str:
    """` (did you mean 'search.budget'?)`, or nothing when no known word is close."""
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    if not close and "." in word:  # right key, wrong section
        close = [key for key in known if key.rpartition(".")[2] == word.rpartition(".")[2]][:1]
    return f" (did you mean {close[0]!r}?)" if close else ""


def explain(error: ValidationError, where: str) -> str:
    """The first complaint of pydantic in one sentence."""
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return unknown_key(key, where)
    value, message = json.dumps(first.get("input"), default=str), first["msg"].removeprefix("Value error, ")
    return f"The value {value} of {key!r} ({where}) is wrong: {message[0].lower() + message[1:]}."
