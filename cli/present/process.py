"""The edge of the process: streams, signals, and the exit code of however the work ended.

No traceback reaches a user. Ctrl-C ends with 130, SIGTERM with 143, SIGHUP with 129, a reader that went away
with 141 and without a word.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Final, TextIO

from t2c.cli.present.errors import BROKEN_PIPE, HUNG_UP, HungUp, Terminated, as_document, as_text, known
from t2c.cli.present.interruption import ENDING, install, settle
from t2c.cli.present.output import Output
from t2c.ledger.errors import Environment, T2cError

__all__ = ["conclude", "leave_out_plugins", "standard_streams"]


class _NoPlugins(ModuleType):
    """Stands in for the module in which pydantic looks for plugins: what it imports costs as much as all of ours."""

    NAME: Final = "pydantic.plugin._loader"

    @staticmethod
    def get_plugins() -> tuple[()]:
        """None, as the real one says too when it is told not to look."""
        return ()

    def __getattr__(self, name: str) -> object:
        """Whatever else a version of pydantic may want of the module is taken from the real one."""
        if name.startswith("__"):
            raise AttributeError(name)
        from importlib import import_module

        if sys.modules.get(self.NAME) is self:
            del sys.modules[self.NAME]
        return getattr(import_module(self.NAME), name)


def leave_out_plugins(environ: Mapping[str, str]) -> None:
    """Spare this process the search for pydantic's plugins, if the environment says that there are none."""
    if environ.get("PYDANTIC_DISABLE_PLUGINS") == "__all__":
        sys.modules.setdefault(_NoPlugins.NAME, _NoPlugins(_NoPlugins.NAME))


def standard_streams() -> tuple[TextIO | None, TextIO | None]:
    """stdout and stderr as UTF-8 whatever the locale; what UTF-8 cannot say is shown as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    return sys.stdout, sys.stderr


def conclude(output: Output, work: Callable[[], None]) -> int:
    """Do the work, tell of an error where there is one, and return the exit code. Raises nothing."""
    install()
    code = 0
    try:
        try:
            work()
            output.flush()
        except BrokenPipeError:
            raise
        except BaseException as error:  # noqa: BLE001 - the one place where every ending is told
            settle()
            code = _told(output, error)
            output.flush()
    except BrokenPipeError:
        output.mute()
        return BROKEN_PIPE
    except OSError:
        output.mute()
        return code or Environment.code
    return code


def _told(output: Output, error: BaseException) -> int:
    """The exit code of an ending, after saying what there is to say of it."""
    import typer

    if isinstance(error, typer.Exit):
        return error.exit_code
    if isinstance(error, SystemExit):
        if error.code is None or (isinstance(error.code, int) and error.code not in ENDING.values()):
            return error.code or 0
        kept = "what was recorded before stays recorded"
        hung_up = error.code == HUNG_UP
        ours: T2cError = HungUp("hung up", safe=kept) if hung_up else Terminated("terminated", safe=kept)
    else:
        ours = known(error)
    if ours.safe is None:
        ours.safe = output.recorded
    foreseen = isinstance(error, T2cError | KeyboardInterrupt | SystemExit | typer.TyperException)
    if not foreseen and output.debug:
        import traceback

        output.complain("".join(traceback.format_exception(error)))
    output.fail(as_text(ours, output.error_style), as_document(ours))
    return ours.code
