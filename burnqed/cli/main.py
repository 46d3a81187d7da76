"""The `burnqed` command: parse, call, print. Each group of commands is a file of this folder.

Exit codes: 0 done, 1 a bug, 2 bad input, 75 interrupted or something outside was unreachable (run it again).
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import typer

from burnqed import __version__, lifeline
from burnqed.cli import cluster, config, data, doctor, evaluate, lean, manifests, run, step, store
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
run.add_to(app)
step.add_to(app)
evaluate.add_to(app)
doctor.add_to(app)
cluster.add_to(app)
manifests.add_to(app)
app.add_typer(config.app, name="config")
app.add_typer(store.app, name="store")
app.add_typer(lean.app, name="lean")
app.add_typer(data.app, name="data")


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
    """Runs the command. Returns its exit code; in a pod a bug is a line of the log as well."""
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
            return complain(
                BadInput(f"No space is left at {where}; free some, or set TMPDIR to a folder on another disk."),
                EXIT_BAD_INPUT,
            )
        if not in_pod():
            raise
        log.exception("a bug")
        return 1
    return 0


def check_folder() -> None:
    """Raises BadInput where the working folder has been deleted, which hardly anything expects."""
    try:
        os.getcwd()
    except OSError as error:
        raise BadInput(
            f"The folder in which this command was started cannot be used ({error.strerror}); change to another one."
        ) from None


def complain(error: Exception, code: int) -> int:
    if in_pod():
        log.error("%s", error)
    else:
        print(f"burnqed: {shown_lines(str(error))}", file=sys.stderr)  # noqa: T201
    return code


if __name__ == "__main__":
    main()
