"""`t2c` itself: the global options, the version, completion, and what happens without a command."""

# Annotations are not deferred here: typer would compile each of them at every start, which takes 1.5 ms.
from collections.abc import Mapping
from typing import Annotated, Literal

import typer

from t2c import __version__
from t2c.cli.commands import completion
from t2c.cli.commands.completion import Shell
from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.table import Branch
from t2c.cli.commands.tree import as_written, build
from t2c.cli.present.errors import code_table
from t2c.cli.present.output import Output
from t2c.ledger.errors import Usage

__all__ = ["run"]


def _keep_root(ctx: typer.Context, value: str | None) -> None:
    invocation = ctx.find_root().obj
    if value is not None and isinstance(invocation, Invocation):
        invocation.root = value


def _keep_color(ctx: typer.Context, value: str | None) -> None:
    invocation = ctx.find_root().obj
    if value is not None and isinstance(invocation, Invocation):
        invocation.color = invocation.output.color = value
        invocation.output.color_origin = "option --color"


def _keep_quiet(ctx: typer.Context, value: bool) -> None:
    invocation = ctx.find_root().obj
    if value and isinstance(invocation, Invocation):
        invocation.output.quiet = True


def _version(ctx: typer.Context, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        Invocation.of(ctx).output.text(f"t2c {__version__}")
        raise typer.Exit()


def _options(
    root: Annotated[
        str | None,
        typer.Option(
            "--root",
            metavar="DIR",
            callback=_keep_root,
            expose_value=False,
            help="The repository. Without it: the nearest folder above with .t2c, else with .git, else this one.",
        ),
    ] = None,
    color: Annotated[
        Literal["auto", "always", "never"] | None,
        typer.Option(
            "--color", metavar="WHEN", callback=_keep_color, expose_value=False, help="auto, always or never."
        ),
    ] = None,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            callback=_keep_quiet,
            expose_value=False,
            help="No words on stderr but errors; the answer stays.",
        ),
    ] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_version, expose_value=False, help="Print the version."
        ),
    ] = False,
    show_completion: Annotated[
        Shell | None,
        typer.Option(
            "--show-completion",
            is_eager=True,
            metavar="[SHELL]",
            callback=completion.show,
            expose_value=False,
            help="Print the completion script of a shell: bash, zsh, fish, powershell or pwsh.",
        ),
    ] = None,
    install_completion: Annotated[
        Shell | None,
        typer.Option(
            "--install-completion",
            is_eager=True,
            metavar="[SHELL]",
            callback=completion.install,
            expose_value=False,
            help="Install completion for a shell.",
        ),
    ] = None,
) -> None:
    pass


def run(branch: Branch, arguments: list[str], output: Output, environ: Mapping[str, str]) -> None:
    """Run one command line. Raises errors of ours, of typer, and typer.Exit."""
    group = build("t2c", branch, callback=_options, epilog=as_written("Exit codes:", code_table()))
    if completion.VARIABLE in environ:
        completion.answer(group)
    if not arguments:
        output.complain(group.get_help(group.make_context("t2c", [], resilient_parsing=True)))
        raise typer.Exit(Usage.code)
    invocation = Invocation(output, environ)
    with group.make_context("t2c", completion.with_shell(arguments), obj=invocation) as ctx:
        group.invoke(ctx)
