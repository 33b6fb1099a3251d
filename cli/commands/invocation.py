"""One call of `t2c`: its global options, its output, and on demand its root and settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import typer

from t2c.cli.actions.context import Context, locate
from t2c.cli.present.output import Output, Result
from t2c.cli.present.progress import ProgressLine
from t2c.cli.present.style import Style
from t2c.cli.settings import load
from t2c.ledger.kernel.clock import SystemClock

__all__ = ["Invocation"]


class Invocation:
    """What a command works with. Nothing is read before a command asks for its context."""

    def __init__(self, output: Output, environ: Mapping[str, str]) -> None:
        self.output = output
        self.environ = environ
        self.root: str | None = None
        self.color: str | None = None

    @classmethod
    def of(cls, ctx: typer.Context) -> Invocation:
        """The invocation that a command runs in."""
        found = ctx.find_root().obj
        assert isinstance(found, Invocation)
        return found

    @contextmanager
    def context(self, options: Mapping[str, object] | None = None) -> Iterator[Context]:
        """The surroundings of an action; the progress line is erased at the end.

        `options` are settings given as options of the command, by dotted key; None means not given. Raises
        Usage for settings that are wrong. What the settings have to say is said on stderr.
        """
        place = locate(self.root, self.environ)
        settings = load(place.root, self.environ, {"color": self.color, **(options or {})}, place.origin)
        self.output.color = settings.color
        self.output.color_origin = settings.origins["color"]
        self.output.debug = settings.debug
        for notice in settings.notices:
            self.output.warn(notice)
        progress = ProgressLine(self.output.draws)
        try:
            yield Context(place.root, place.cwd, settings, SystemClock(), progress)
        finally:
            progress.close()

    def emit(self, result: Result | Mapping[str, object], human: Callable[[Style], str]) -> None:
        """Print the answer, as JSON or as the text that `human` makes of it."""
        self.output.emit(result, human)
