"""The tree of commands, loaded by name: help lists every command without importing one.

typer reads the parameters of each function; its docstring is its help, and what stands below a line
`Examples:` is shown last, as written.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from textwrap import dedent
from typing import Any, Final

import typer
from typer._click import Command as AnyCommand
from typer._click import Context, HelpFormatter, Parameter
from typer._click.shell_completion import CompletionItem
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from t2c.cli.commands.coercion import make_plain
from t2c.cli.commands.table import Branch, Entry
from t2c.ledger.errors import Usage

__all__ = ["as_written", "build"]

GLOBAL: Final = frozenset({"root", "color", "quiet"})
"""Options of the root that every command takes too, so that they may stand before or after its name."""


class _Node:
    """What commands and groups share: cheap coercion, and the global options taken but not listed again."""

    def get_params(self, ctx: Context) -> list[Parameter]:
        own = self._own(ctx)
        names = {param.name for param in own}
        shared = [param for param in ctx.find_root().command.params if param.name in GLOBAL - names]
        for param in (*own, *shared):
            make_plain(param)
        return [*own, *shared]

    def _own(self, ctx: Context) -> list[Parameter]:
        found: list[Parameter] = super().get_params(ctx)  # type: ignore[misc]
        return found

    def _format_own(self, ctx: Context, formatter: HelpFormatter) -> None:
        rows: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
        for param in self._own(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                rows[param.param_type_name].append(record)
        for kind, found in rows.items():
            if found:
                with formatter.section(f"{kind.capitalize()}s"):
                    formatter.write_dl(found)


class LazyCommand(_Node, TyperCommand):
    """A command that takes the global options too."""

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        self._format_own(ctx, formatter)


class LazyGroup(_Node, TyperGroup):
    """A group whose commands are imported when they are first asked for."""

    entries: Mapping[str, Entry] = {}

    def list_commands(self, ctx: Context) -> list[str]:
        return list(self.entries)

    def get_command(self, ctx: Context, cmd_name: str) -> AnyCommand | None:
        if cmd_name in self.entries and cmd_name not in self.commands:
            self.commands[cmd_name] = _load(self.entries[cmd_name])
        return self.commands.get(cmd_name)

    def resolve_command(
        self, ctx: Context, args: list[str]
    ) -> tuple[str | None, AnyCommand | None, list[str]]:
        if args[0] not in self.entries and not ctx.resilient_parsing:
            raise _unknown(args[0], self.entries, ctx.command_path)
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        self._format_own(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(entry.name, entry.summary) for entry in self.entries.values()])

    def shell_complete(self, ctx: Context, incomplete: str) -> list[CompletionItem]:
        options = AnyCommand.shell_complete(self, ctx, incomplete)
        matching = [entry for entry in self.entries.values() if entry.name.startswith(incomplete)]
        return [*(CompletionItem(entry.name, help=entry.summary) for entry in matching), *options]


def build(
    name: str, branch: Branch, callback: Callable[..., None] | None = None, epilog: str | None = None
) -> LazyGroup:
    """A group as a click command. `callback` holds the options of the group itself."""
    app = typer.Typer(
        name=name,
        cls=LazyGroup,
        help=branch.text,
        epilog=epilog,
        rich_markup_mode=None,
        add_completion=False,
        callback=callback or _nothing,
    )
    group = get_command(app)
    assert isinstance(group, LazyGroup)
    group.entries = {entry.name: entry for entry in branch.entries}
    return group


def _nothing() -> None:
    pass


def _load(entry: Entry) -> AnyCommand:
    module, _, attribute = entry.target.partition(":")
    found = getattr(import_module(module), attribute)
    if isinstance(found, Branch):
        return build(entry.name, found)
    return _command(entry.name, found)


def _command(name: str, function: Callable[..., Any]) -> AnyCommand:
    text, _, examples = inspect.cleandoc(function.__doc__ or "").partition("\nExamples:\n")
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command(name, cls=LazyCommand, help=text, epilog=as_written("Examples:", examples))(function)
    return get_command(app)


def as_written(title: str, text: str) -> str | None:
    """A part of a help text whose lines are kept; None for an empty text. Blank lines are left out."""
    lines = [f"  {line}" for line in dedent(text).split("\n") if line.strip()]
    return "\n".join(["\b", title, *lines]) if lines else None


def _unknown(name: str, known: Iterable[str], path: str) -> Usage:
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), 3)
    hint = f"did you mean {' or '.join(close)}? " if close else ""
    return Usage(
        f"no such command: {path} {name}", remedy=f"{hint}`{path} --help` lists the commands", near=close
    )
