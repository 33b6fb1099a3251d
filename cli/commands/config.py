"""`t2c config`: the settings and where each one comes from."""

from __future__ import annotations

from typing import Annotated

import typer

from t2c.cli.actions import config
from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.commands.table import Branch, Entry
from t2c.cli.present.style import Style
from t2c.cli.settings import Value

__all__ = ["GROUP", "show"]

GROUP = Branch(
    "The settings: option > environment T2C_* > t2c.toml, or [tool.t2c] in pyproject.toml > user configuration "
    "> default.",
    (Entry("show", "t2c.cli.commands.config:show", "Print the effective settings."),),
)


def show(
    ctx: typer.Context,
    origin: Annotated[bool, typer.Option("--origin", help="Say where each value comes from.")] = False,
    json: Json = False,
) -> None:
    """Print the effective settings in the form of t2c.toml.

    Examples:

        t2c config show
        t2c config show --origin
        T2C_SCAN_COMMITS=50 t2c config show --json
    """
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = config.show(context)
    invocation.emit(found, lambda style: _text(found, origin, style))


def _text(found: config.Configuration, origin: bool, style: Style) -> str:
    rows = [(f"{name} = {_toml(setting.value)}", setting.origin) for name, setting in found.settings.items()]
    rows.insert(0, (f"# root: {found.root}", found.root_origin))
    width = max(len(text) for text, _ in rows)
    lines = [
        text if not origin else f"{text:<{width}}  {style.faint('# ' + source)}" for text, source in rows
    ]
    for file in found.files:
        lines.append(f"# file: {file.name}" + (f" (left aside: {file.why})" if file.why else ""))
    return "\n".join(lines)


def _toml(value: Value) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            import orjson

            return orjson.dumps(value).decode()
    return "[" + ", ".join(_toml(item) for item in value) + "]"
