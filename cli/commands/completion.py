"""Completion in shells: print the script or install it (bash, zsh, fish, PowerShell).

`--show-completion` alone asks which shell this is, `--show-completion bash` does not need to.
"""

from __future__ import annotations

from typing import Final, Literal

import typer
from typer.core import TyperGroup

from t2c.cli.commands.invocation import Invocation
from t2c.ledger.errors import Usage

__all__ = ["SHELLS", "VARIABLE", "Shell", "answer", "install", "show", "with_shell"]

Shell = Literal["bash", "zsh", "fish", "powershell", "pwsh", "detect"]
SHELLS: Final = ("bash", "zsh", "fish", "powershell", "pwsh")
VARIABLE: Final = "_T2C_COMPLETE"
"""What the scripts set to ask for completions."""


def with_shell(arguments: list[str]) -> list[str]:
    """The arguments with `detect` put in where a completion option names no shell."""
    found: list[str] = []
    for at, argument in enumerate(arguments):
        found.append(argument)
        following = arguments[at + 1] if at + 1 < len(arguments) else ""
        if argument in ("--show-completion", "--install-completion") and following[:1] in ("", "-"):
            found.append("detect")
    return found


def show(ctx: typer.Context, value: str | None) -> None:
    """Callback of `--show-completion`."""
    if value is None or ctx.resilient_parsing:
        return
    from typer._completion_shared import get_completion_script

    script = get_completion_script(prog_name="t2c", complete_var=VARIABLE, shell=_shell(value))
    Invocation.of(ctx).output.text(script)
    raise typer.Exit()


def install(ctx: typer.Context, value: str | None) -> None:
    """Callback of `--install-completion`."""
    if value is None or ctx.resilient_parsing:
        return
    from typer._completion_shared import install as install_script

    shell, path = install_script(shell=_shell(value), prog_name="t2c", complete_var=VARIABLE)
    output = Invocation.of(ctx).output
    output.text(f"{path}")
    output.say(f"completion for {shell} is installed; it takes effect in the next shell")
    raise typer.Exit()


def answer(group: TyperGroup) -> None:
    """Answer a shell that asks for completions by VARIABLE. Ends the process."""
    from typer._completion_classes import completion_init

    completion_init()
    group.main(prog_name="t2c", complete_var=VARIABLE)


def _shell(value: str) -> str:
    from typer._completion_shared import _get_shell_name

    found = _get_shell_name() if value == "detect" else value
    if found not in SHELLS:
        raise Usage(
            "cannot tell which shell this is" if found is None else f"no completion for {found}",
            remedy=f"name one of {', '.join(SHELLS)}: t2c --show-completion bash",
        )
    return found
