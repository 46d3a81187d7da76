"""`burnqed data`: trace proofs to pairs, import, validate, migrate and export data sets, generate statements, look into files. One file per command."""

from __future__ import annotations

import typer

from burnqed.cli.data import export, generate, importing, inspect, migrate, trace, validate

app = typer.Typer(help="Theorems and tactic pairs.", no_args_is_help=True)
app.command()(trace.trace)
app.command("import")(importing.import_set)
app.command()(validate.validate)
app.command()(migrate.migrate)
app.command()(export.export)
app.command()(generate.generate)
app.command()(inspect.inspect)
