"""The `burnqed` command: parse, call, print. Each group of commands is a file of this folder.

Exit codes: 0 done, 1 a bug, 2 bad input, 75 interrupted or something outside was unreachable (run it again).
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import typer

from burnqed import __version__, lifeline
from burnqed.cli import config, data, doctor, estimate, evaluate, lean, manifests, run, step, store
from burnqed.cli.cluster import approve, list_workflows, logs, retry, status, stop, submit, watch
from burnqed.display import shown_lines
from burnqed.errors import EXIT_BAD_INPUT, EXIT_TRY_AGAIN, BadInput, TryAgain, full_disk
from burnqed.log import close, in_pod, log, set_up

app = typer.Typer(
    name="burnqed",
    help="Train a Lean 4 theorem prover by expert iteration.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(run.run)
app.command()(step.step)
app.command()(step.serve)
app.command("eval")(evaluate.evaluate)
for command in (
    evaluate.compare,
    estimate.estimate,
    evaluate.experiment,
    evaluate.summary,
    doctor.doctor,
    manifests.manifests,
):
    app.command()(command)
for remote in (submit, status, watch, logs, retry, stop, approve):
    app.command(rich_help_panel="On a cluster")(remote)
app.command("list", rich_help_panel="On a cluster")(list_workflows)
for name, group in {"config": config, "store": store, "lean": lean, "data": data}.items():
    app.add_typer(group.app, name=name)


def show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"burnqed {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(
        False, "--version", "-V", callback=show_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass


def main() -> NoReturn:
    # Threads that spin while they wait take the processors from Lean; torch reads this when it is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    lifeline.watch()
    set_up()
    try:
        code = run_app()
    finally:
        close()
    sys.exit(code)


def run_app() -> int:
    """Runs the command. Returns its exit code; in a pod a bug is logged as well."""
    try:
        check_folder()
        app()
    except SystemExit as ended:
        return int(ended.code or 0)
    except BadInput as error:
        return complain(error, EXIT_BAD_INPUT)
    except TryAgain as error:
        return complain(error, EXIT_TRY_AGAIN)
    except KeyboardInterrupt:
        return EXIT_TRY_AGAIN
    except Exception as error:
        if where := full_disk(error):
            advice = "free some, or set TMPDIR to a folder on another disk"
            return complain(BadInput(f"No space is left at {where}; {advice}."), EXIT_BAD_INPUT)
        if not in_pod():
            raise
        log.exception("a bug")
        return 1
    return 0


def check_folder() -> None:
    """Raises BadInput where the working folder has been deleted: hardly any code expects that."""
    try:
        os.getcwd()
    except OSError as error:
        raise BadInput(f"The working folder cannot be used ({error.strerror}); change to another one.") from None


def complain(error: Exception, code: int) -> int:
    if in_pod():
        log.error("%s", error)
    else:
        print(f"burnqed: {shown_lines(str(error))}", file=sys.stderr)  # noqa: T201
    return code


if __name__ == "__main__":
    main()
