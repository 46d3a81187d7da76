"""The table of steps: everything that `burnqed step` runs, in the order of the loop. It is cheap to import.

The plan, the tasks of workflows, `burnqed step` and its help, the values of `--redo` and `--only`, keys, and the bills of pods all come from
these rows. The code of a row is in the file of its name, which is imported when needed. To add a step, add a row and write
`burnqed/steps/NAME.py` with a `WORK` (`burnqed.steps.base.Work`) or, for a step outside the loop, a `COMMAND`.
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
TRACE_SHARDS = "trace-shards"
"""What `trace-plan` tells the workflow: the numbers of the shards that are not finished."""


def of(section: str, *values: str) -> tuple[str, ...]:
    """Single values of one section of the configuration."""
    return tuple(f"{section}.{value}" for value in values)


SERVED = (
    *of("policy", "dtype", "max_prompt_tokens", "max_new_tokens", "embed_max_tokens", "embedding", "embed_weights"),
    *of("policy", "top_p", "template", "states", "thinking", "lemmas", "deterministic", "quantization", "sglang_args"),
)
"""Configuration values that the policy server and its client read."""
ORDER = of("search", "alpha", "beta", "length_exponent", "energy_depth", "widening")
"""Configuration values that decide the order of a search, for training data and in evaluations alike."""
EVALUATED = ("evaluate", "lean", *SERVED, *ORDER)
"""Configuration values that decide what an evaluation finds."""
INDEX = (
    *of("data", "theorems", "pairs", "proofs", "reproved", "known_proofs", "generated", "generator_seed"),
    *of("data", "exercises", "deep", "deep_kinds", "deep_statements"),
    "select.min_depth",
)
"""Configuration values that say which theorems there are to search, and which are known proofs."""
CORPUS = (*INDEX, *of("data", "in_domain", "validation_fraction", "closer_keep", "max_state_chars"))
"""Configuration values that say what the data is made from."""


@dataclass(frozen=True)
class Row:
    """A step as the command line and workflow containers see it; a plain Row is a step outside the loop."""

    name: str
    stage: str = ""
    """Distinguishes the rows of one step, and decides what the policy server beside it serves."""
    pool: Literal["worker", "trainer"] = "worker"
    """The pool that its container runs in, and its image."""
    policy: bool = False
    """Whether a policy server runs beside it."""
    sharded: bool = False
    """Whether the workflow fans it out, one pod per shard."""
    second: bool = False
    """Whether a sharded step has another row before it, from which its stage tells it."""
    needs: tuple[str, ...] = ()
    """Required options of `burnqed step`, passed to the command as arguments."""
    takes: tuple[str, ...] = ()
    """Optional ones, passed likewise."""
    iterated: bool = True
    """Whether it belongs to an iteration, which then has to be given."""
    first: bool = False
    """Whether a workflow may begin with it, when no earlier step has reached the store."""
    leased: bool = True
    """Whether it has to hold the run's lease, because it changes the run's outputs."""
    recorded: bool = True
    """Whether its log and its cost are stored in the run; not for steps after which the run may be gone."""
    asks: bool = False
    """Whether it asks for confirmation when run by hand."""
    module: str = ""
    """Its module, if not `burnqed.steps.NAME`."""

    @property
    def task(self) -> str:
        """Its name in workflows; the first row of a sharded step is unambiguous without its stage."""
        return f"{self.name}-{self.stage}" if self.stage and (self.second or not self.sharded) else self.name

    @property
    def pools(self) -> tuple[str, ...]:
        """The pools of the containers in its pod."""
        return (self.pool, "serving") if self.policy else (self.pool,)

    @cached_property
    def command(self) -> Command:
        """The implementation of a step outside the loop."""
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
    """Sections of the configuration (or single values, such as `policy.dtype`) that it may read; they enter its keys."""
    kept: bool = False
    """Whether, once finished, it is redone only on request (`--redo NAME`)."""
    former: str = ""
    """Its previous name, which keys still use and the command line still accepts."""
    apart: bool = False
    """Whether only workflows that name it have it, and an iteration does not."""

    @property
    def output(self) -> str:
        """Name of the parameter in which `plan` says what there is to do."""
        return f"{self.task}-shards" if self.sharded else self.task

    @property
    def former_output(self) -> str:
        """The same in a workflow that was submitted under the former name and is retried with a newer image."""
        return f"{self.former}{self.output.removeprefix(self.task)}"

    @cached_property
    def work(self) -> Work:
        return self._imported("WORK")  # type: ignore[no-any-return]


EMBED = partial(
    Step,
    "embed",
    reads=(*of("policy", "states", "dtype", "embed_max_tokens", "embedding", "embed_weights"), "ebm.known_proofs"),
    pool="trainer",
)
HEAD = partial(Step, "ebm", reads=("ebm", "data.validation_fraction"), pool="trainer")
SHARDED = partial(Step, version=2, policy=True, sharded=True)
EVALUATE = partial(SHARDED, "evaluate", reads=EVALUATED)

STEPS: tuple[Row, ...] = (
    Row("plan", takes=("only",), first=True),
    Step("benchmark", reads=("data.benchmarks", "data.benchmark_theorems", "lean")),
    Step("data", after=("benchmark",), version=3, reads=(*CORPUS, "lean.backend")),
    Step("base", after=("data",), reads=("policy.model",), pool="trainer", module="burnqed.steps.base_model"),
    Step("select", after=("data",), reads=("select", "lean")),
    Step(
        "sft",
        after=("base",),
        version=2,
        reads=("sft", *of("policy", "template", "states", "thinking", "lemmas"), "data.validation_fraction"),
        pool="trainer",
    ),
    Step("export", after=("sft",), reads=of("policy", "dtype", "template", "states", "lemmas"), pool="trainer"),
    Step("trivial", stage=SEARCH, after=("export",), reads=("search", "lean", *SERVED), policy=True),
    EMBED(stage=SEARCH, after=("trivial-search",)),
    HEAD(stage=SEARCH, after=("embed-search",)),
    SHARDED("search", SEARCH, after=("select", "ebm-search"), reads=("search", "lean", *SERVED), kept=True),
    SHARDED(
        "replay",
        REPLAY,
        former="negatives",
        after=("search",),
        reads=("negatives", "lean", "search.temperature", *SERVED),
        kept=True,
    ),
    EMBED(stage=FINAL, after=("replay",)),
    HEAD(stage=FINAL, after=("embed-final",)),
    SHARDED("search", FINAL, after=("ebm-final",), reads=("search", "lean", *SERVED), second=True, apart=True),
    Step(
        "lean-start",
        after=("search-final",),
        reads=("search", "lean", "data.validation_fraction", "gate.max_p"),
        module="burnqed.steps.lean_start",
        apart=True,
    ),
    EVALUATE(stage=FINAL, after=("ebm-final",)),
    EVALUATE(stage=SEARCH, after=("ebm-search",), second=True),
    Step("report", after=("evaluate", "evaluate-search"), version=3, reads=("gate", "evaluate")),
    Row("gate", takes=("answer",), leased=False),
    Row("experiment", needs=("iters",), iterated=False, leased=False),
    Row("release", iterated=False, leased=False, recorded=False, module="burnqed.run.release"),
    Row("clean", takes=("whole_run",), first=True, recorded=False, asks=True),
    Row("import-data", needs=("source", "name"), iterated=False, first=True, leased=False),
    Row("import-model", needs=("source", "name"), iterated=False, first=True, leased=False, pool="trainer"),
    Row("trace-plan", needs=("source", "name"), iterated=False, first=True, leased=False),
    Row("trace", needs=("name",), sharded=True, iterated=False, leased=False),
    Row("trace-report", needs=("name",), iterated=False, leased=False),
)


def loop() -> tuple[Step, ...]:
    """The steps of the loop, which make outputs."""
    return tuple(row for row in STEPS if isinstance(row, Step))


def whole() -> tuple[Step, ...]:
    """Those that an iteration has."""
    return tuple(step for step in loop() if not step.apart)


def step_named(name: str) -> Step:
    """The first row of the loop with this name."""
    return next(step for step in loop() if step.name == name)


def names(rows: Iterable[Row] = STEPS) -> tuple[str, ...]:
    """Names of all rows, or of these, each once."""
    return tuple(dict.fromkeys(row.name for row in rows))


def find(name: str, stage: str = "") -> Row:
    """The row with this name and stage; the stage is optional if there is only one. Raises BadInput if there is no such row."""
    name = present_name(name)
    rows = {row.stage: row for row in STEPS if row.name == name}
    if not rows:
        from burnqed.resolve import nearest

        raise BadInput(f"There is no step {name!r}{nearest(name, names())}; choose one of: {', '.join(names())}.")
    if not stage:
        (stage, *others) = (at for at, row in rows.items() if not row.second)
        stage = "" if others else stage
    stage = present_name(stage)
    if stage not in rows:
        wanted = " or ".join(f"--stage {at}" for at in rows if at)
        raise BadInput(f"The step {name} has no stage {stage!r}; {f'give {wanted}' if wanted else 'give none'}.")
    return rows[stage]


def present_name(word: str) -> str:
    """The current name of a step that older scripts and workflows call by its former one; other words unchanged."""
    return next((step.name for step in loop() if step.former == word != ""), word)
