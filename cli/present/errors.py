"""Errors at the edge: one table from error to exit code and hint, as text and as JSON (architecture §7)."""

from __future__ import annotations

from typing import Final, NamedTuple

from t2c.cli.present.style import Style
from t2c.ledger.errors import (
    Conflict,
    Corrupt,
    Environment,
    Findings,
    Internal,
    Model,
    Refused,
    T2cError,
    Usage,
)

__all__ = [
    "BROKEN_PIPE",
    "CODES",
    "HUNG_UP",
    "SCHEMA",
    "TERMINATED",
    "ExitCode",
    "HungUp",
    "Interrupted",
    "Terminated",
    "as_document",
    "as_text",
    "code_table",
    "known",
    "row",
]

SCHEMA: Final = "t2c.error/v1"
BROKEN_PIPE: Final = 141
"""128 + SIGPIPE: whoever read the output went away."""
TERMINATED: Final = 143
"""128 + SIGTERM."""
HUNG_UP: Final = 129
"""128 + SIGHUP."""


class Interrupted(T2cError):
    """The user or the system asked the process to stop."""

    code = 130


class Terminated(Interrupted):
    """The process was told to end by SIGTERM."""

    code = TERMINATED


class HungUp(Interrupted):
    """The terminal of the process went away, and SIGHUP told so."""

    code = HUNG_UP


class ExitCode(NamedTuple):
    """One row of the table. `error` is None where no error is raised; `remedy` stands in for a missing one."""

    code: int
    error: type[T2cError] | None
    meaning: str
    remedy: str | None = None


CODES: Final = (
    ExitCode(0, None, "done"),
    ExitCode(1, Findings, "it ran, and found something at or above the asked level"),
    ExitCode(2, Usage, "the command or its input is wrong", "`t2c --help` lists the commands"),
    ExitCode(3, Refused, "a rule forbids it"),
    ExitCode(
        4, Conflict, "another writer, a stale expected head, a changed source", "look again, then repeat"
    ),
    ExitCode(5, Corrupt, "the journal, an object or a bundle is damaged", "`t2c ledger verify` says where"),
    ExitCode(6, Environment, "a missing tool, permission, disk or network"),
    ExitCode(7, Model, "a required model answer was not to be had"),
    ExitCode(
        70,
        Internal,
        "a fault of t2c itself",
        "run it again with T2C_DEBUG=1 and report the command, what it printed and the version of t2c",
    ),
    ExitCode(130, Interrupted, "interrupted"),
)
_ROWS: Final = {row.error: row for row in CODES if row.error is not None}


def row(error: T2cError) -> ExitCode:
    """The row of an error, by its nearest class in the table."""
    for kind in type(error).__mro__:
        if kind in _ROWS:
            return _ROWS[kind]
    return _ROWS[Internal]


def known(error: BaseException) -> T2cError:
    """Any exception as one of ours: parser errors become Usage, errors of the system Environment, an
    interruption Interrupted, and whatever nobody foresaw Internal."""
    match error:
        case T2cError():
            return error
        case KeyboardInterrupt():
            return Interrupted("interrupted", safe="what was recorded before stays recorded")
        case MemoryError():
            return Environment("the memory is used up")
        case OSError() if error.strerror:
            where = next((str(name) for name in (error.filename, error.filename2) if name is not None), None)
            return Environment(error.strerror, where=where, errno=error.errno)
    import typer

    if isinstance(error, typer.Abort):
        return Interrupted("interrupted")
    if isinstance(error, typer.TyperException):
        return _of_parser(error)
    said = " ".join(str(error).split())[:300]
    what = f"unexpected {type(error).__name__}" + (f": {said}" if said else "")
    return Internal(what, where=_place(error))


def _of_parser(error: Exception) -> Usage:
    """A message of the option parser in our form: lower case, no final dot, the suggestion as the remedy."""
    said = str(getattr(error, "format_message", error.__str__)())
    context = getattr(error, "ctx", None)
    path = "t2c" if context is None else context.command_path
    near = list(getattr(error, "possibilities", None) or ())
    if near or hasattr(error, "possibilities"):
        said = str(getattr(error, "message", said))
    said = " ".join(said.split()).rstrip(".")
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return Usage(said[:1].lower() + said[1:], remedy=f"{hint}`{path} --help` shows how it is used")


def _place(error: BaseException) -> str | None:
    """The innermost line of ours that the exception passed through."""
    found, step = None, error.__traceback__
    while step is not None:
        name = step.tb_frame.f_globals.get("__name__", "")
        if str(name).startswith("t2c."):
            found = f"{name}:{step.tb_lineno}"
        step = step.tb_next
    return found


def as_text(error: T2cError, style: Style) -> str:
    """What happened, where, what is still safe, what to do next: one line each, for people."""
    remedy = error.remedy or row(error).remedy
    parts = [f"{style.bad('error:')} {_indented(error.what)}"]
    for label, value in (("where", error.where), ("safe", error.safe), ("next", remedy)):
        if value:
            parts.append(f"  {label}: {_indented(value)}")
    return "\n".join(parts)


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")


def as_document(error: T2cError) -> dict[str, object]:
    """The same for machines, as `t2c.error/v1`."""
    found = row(error)
    return {
        "schema": SCHEMA,
        "error": {
            "class": (found.error or Internal).__name__,
            "code": error.code,
            "message": error.what,
            "where": error.where,
            "safe": error.safe,
            "remedy": error.remedy or found.remedy,
            "details": error.details,
        },
    }


def code_table() -> str:
    """The table of exit codes as `t2c --help` and the documentation show it."""
    return "\n".join(f"{row.code:>3}  {row.meaning}" for row in CODES)
