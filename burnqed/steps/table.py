"""The table of steps: all that `burnqed step` runs, in the order of the loop. Importing it takes no time.

The plan, the tasks of workflows, `burnqed step` and its help, the words of `--redo` and `--only`, keys, and what a pod is billed for come from
these rows. A row's work lies in the file of its name, which is imported when it is needed. To add a step, add a row, and write
`burnqed/steps/NAME.py` with a `WORK` (`burnqed.steps.base.Work`), or, for a step outside the loop, a `COMMAND`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from burnqed.errors import BadInput

if TYPE_CHECKING:
    from burnqed.steps.base import Command, Work

SEARCH, REPLAY, FINAL = "search", "replay", "final"
"""Stages."""
SERVED = tuple(
    f"policy.{name}" for name in ("dtype", "max_prompt_tokens", "max_new_tokens", "embed_max_tokens", "top_p")
)
"""What the policy server and its client read of the configuration."""


@dataclass(frozen=True)
class Row:
    """A step as the command line and a workflow's container know it; by itself one outside the loop."""

    name: str
    stage: str = ""
    """Tells apart the rows of one step, and what the policy server beside it serves."""
    pool: Literal["worker", "trainer"] = "worker"
    """Where its container runs, and in which image."""
    policy: bool = False
    """Has a policy server beside it."""
    sharded: bool = False
    """The workflow fans it out, one pod per shard."""
    needs: tuple[str, ...] = ()
    """Options of `burnqed step` that it has to be given, and gets as arguments."""
    takes: tuple[str, ...] = ()
    """Likewise, where they are given."""
    iterated: bool = True
    """Belongs to an iteration, which has to be named."""
    first: bool = False
    """A workflow may begin with it, so that nobody has reached the store yet."""
    leased: bool = True
    """Holds the run's lease, since it writes what is the run's."""
    recorded: bool = True
    """Its log and what it costs are kept in the run; not of steps after which the run may be gone."""
    asks: bool = False
    """Whoever runs it by hand is asked first."""
    module: str = ""
    """Where that is not `burnqed.steps.NAME`."""

    @property
    def task(self) -> str:
        """What workflows call it; a sharded step needs no stage to be told apart."""
        return f"{self.name}-{self.stage}" if self.stage and not self.sharded else self.name

    @property
    def pools(self) -> tuple[str, ...]:
        """Of the containers of its pod."""
        return (self.pool, "serving") if self.policy else (self.pool,)

    @cached_property
    def command(self) -> Command:
        """Of a step outside the loop."""
        return self._imported("COMMAND")  # type: ignore[no-any-return]

    def _imported(self, attribute: str) -> Any:
        return getattr(import_module(self.module or f"burnqed.steps.{self.name.replace('-', '_')}"), attribute)


@dataclass(frozen=True)
class Step(Row):
    """A step of the loop: makes outputs, each once per key."""

    after: tuple[str, ...] = ()
    """Tasks whose outputs it reads."""
    version: int = 1
    """Raised by hand when the meaning of the step changes."""
    reads: tuple[str, ...] = ()
    """Sections of the configuration (or single values, `policy.dtype`) that it may read, and has in its keys."""
    kept: bool = False
    """Once finished, it is only made anew on request (`--redo NAME`)."""
    former: str = ""
    """Its name in keys, which stay as they are: what it was called before. Whoever types that is understood."""

    @property
    def output(self) -> str:
        """Name of the parameter in which `plan` says what is to be done."""
        return f"{self.task}-shards" if self.sharded else self.task

    @property
    def former_output(self) -> str:
        """The same in a workflow that was submitted under the former name and is retried with a newer image."""
        return f"{self.former}{self.output.removeprefix(self.task)}"

    @cached_property
    def work(self) -> Work:
        return self._imported("WORK")  # type: ignore[no-any-return]


EMBED = partial(Step, "embed", reads=("policy.dtype", "policy.embed_max_tokens"), pool="trainer")
HEAD = partial(Step, "ebm", reads=("ebm", "data.validation_fraction"), pool="trainer")

STEPS: tuple[Row, ...] = (
    Row("plan", takes=("only",), first=True),
    Step("benchmark", reads=("data.benchmarks", "data.benchmark_theorems", "lean")),
    Step(
        "data",
        after=("benchmark",),
        version=2,
        reads=(
            "data.theorems",
            "data.known_proofs",
            "data.generated",
            "data.generator_seed",
            "data.validation_fraction",
            "data.closer_keep",
            "data.max_state_chars",
            "select.min_depth",
            "lean.backend",
        ),
    ),
    Step("base", after=("data",), reads=("policy.model",), pool="trainer", module="burnqed.steps.base_model"),
    Step("select", after=("data",), reads=("select", "lean")),
    Step("sft", after=("base",), version=2, reads=("sft", "data.validation_fraction"), pool="trainer"),
    Step("export", after=("sft",), reads=("policy.dtype",), pool="trainer"),
    EMBED(stage=SEARCH, after=("export",)),
    HEAD(stage=SEARCH, after=("embed-search",)),
    Step(
        "search",
        stage=SEARCH,
        after=("select", "ebm-search"),
        version=2,
        reads=("search", "lean", *SERVED),
        policy=True,
        sharded=True,
        kept=True,
    ),
    Step(
        "replay",
        former="negatives",
        stage=REPLAY,
        after=("search",),
        version=2,
        reads=("negatives", "lean", "search.temperature", *SERVED),
        policy=True,
        sharded=True,
        kept=True,
    ),
    EMBED(stage=FINAL, after=("replay",)),
    HEAD(stage=FINAL, after=("embed-final",)),
    Step(
        "evaluate",
        stage=FINAL,
        after=("ebm-final",),
        version=2,
        reads=(
            "evaluate",
            "lean",
            *SERVED,
            "search.alpha",
            "search.beta",
            "search.length_exponent",
            "search.energy_depth",
            "search.widening",
        ),
        policy=True,
        sharded=True,
    ),
    Step("report", after=("evaluate",), version=2, reads=("gate", "evaluate")),
    Row("gate", takes=("answer",), leased=False),
    Row("release", iterated=False, leased=False, recorded=False, module="burnqed.run.release"),
    Row("clean", takes=("whole_run",), first=True, recorded=False, asks=True),
    Row("import-data", needs=("source", "name"), iterated=False, first=True, leased=False),
    Row("import-model", needs=("source", "name"), iterated=False, first=True, leased=False, pool="trainer"),
)


def loop() -> tuple[Step, ...]:
    """The steps that make outputs."""
    return tuple(row for row in STEPS if isinstance(row, Step))


def step_named(name: str) -> Step:
    """One of the loop, by its name alone."""
    return next(step for step in loop() if step.name == name)


def names(rows: Iterable[Row] | None = None) -> tuple[str, ...]:
    """Of all rows, or of these; each once."""
    return tuple(dict.fromkeys(row.name for row in (STEPS if rows is None else rows)))


def find(name: str, stage: str = "") -> Row:
    """A row by the step's name and its stage, which has to be given where there are several. Raises BadInput for one that there is not."""
    name = present_name(name)
    rows = {row.stage: row for row in STEPS if row.name == name}
    if not rows:
        from burnqed.resolve import nearest

        raise BadInput(f"There is no step {name!r}{nearest(name, names())}; choose one of: {', '.join(names())}.")
    if not stage and len(rows) == 1:
        (stage,) = rows
    stage = present_name(stage)
    if stage not in rows:
        wanted = " or ".join(f"--stage {at}" for at in rows if at)
        raise BadInput(f"The step {name} has no stage {stage!r}; {f'give {wanted}' if wanted else 'give none'}.")
    return rows[stage]


def present_name(word: str) -> str:
    """What a step is called today that older scripts and workflows call by another name; other words as they are."""
    return next((step.name for step in loop() if step.former == word != ""), word)
