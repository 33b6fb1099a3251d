"""Where words go: the answer on stdout, talk on stderr, exactly one JSON document when JSON is asked for.

Documents are UTF-8 with sorted keys and two spaces of indent, JSON lines are compact; each says its `schema`
(decisions A15, case 98).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import PurePath
from typing import ClassVar, Protocol, TextIO

from t2c.cli.present.style import Style, printable, wants_colour
from t2c.cli.settings import Terminal
from t2c.ledger.errors import Environment, Internal

__all__ = ["Output", "Result", "document"]


class Result(Protocol):
    """A frozen dataclass that names the schema of its JSON form."""

    schema: ClassVar[str]


class Output:
    """The two streams of one call and how to write to them. A stream is None if it was closed before.

    `json`, `quiet`, `debug` (show tracebacks), `color` and `color_origin` follow what the caller asked for.
    """

    def __init__(self, stdout: TextIO | None, stderr: TextIO | None, terminal: Terminal) -> None:
        self._stdout = stdout
        self._stderr = stderr
        self._terminal = terminal
        self._documents = 0
        self._lines = False
        self.json = False
        self.quiet = False
        self.recorded: str | None = None  # said if the answer itself cannot be printed
        self.debug = False
        self.color = terminal.color
        self.color_origin = "environment"

    def emit(self, result: Result | Mapping[str, object], human: Callable[[Style], str]) -> None:
        """Print the answer: as one JSON document, or as the text that `human` makes of it.

        Raises Internal if the JSON form names no schema or a document was already printed.
        """
        if self.json:
            self._document(document(result))
        else:
            self.text(human(self.style))

    def lines(self, records: Iterable[Result | Mapping[str, object] | bytes]) -> None:
        """Print JSON lines: one compact record a line. Bytes are a record already encoded."""
        self._lines = True
        for record in records:
            encoded = record if isinstance(record, bytes) else encode(document(record), indent=False)
            self.raw(encoded.rstrip(b"\n") + b"\n")

    def text(self, text: str) -> None:
        """Print text for people on stdout, with a final line feed; nothing for an empty text."""
        if text:
            keep = self.style.colour
            self._out.write(printable(text, keep).rstrip("\n") + "\n")

    def raw(self, content: bytes) -> None:
        """Print bytes on stdout just as they are."""
        stream = self._out
        stream.flush()
        stream.buffer.write(content)

    def say(self, text: str) -> None:
        """Talk on stderr; not in quiet mode."""
        if not self.quiet:
            self.complain(text)

    def warn(self, text: str) -> None:
        """A warning on stderr; not in quiet mode."""
        self.say(f"{self.error_style.doubtful('warning:')} {text}")

    def complain(self, text: str) -> None:
        """Words on stderr that quiet mode does not silence."""
        if self._stderr is not None:
            self._stderr.write(printable(text, self.error_style.colour).rstrip("\n") + "\n")
            self._stderr.flush()

    def fail(self, text: str, failure: Mapping[str, object]) -> None:
        """Tell of an error: in JSON mode as the document or the last of the JSON lines, else as text.

        A document that was printed stays the only one; the error then goes to stderr alone.
        """
        # True where the document says the rest; a stream that is closed takes none.
        told = self.json and self._stdout is not None and (self._lines or not self._documents)
        self.complain(text.partition("\n")[0] if told else text)
        if told and self._lines:
            self.raw(encode(failure, indent=False) + b"\n")
        elif told:
            self._document(failure)

    @property
    def style(self) -> Style:
        """How to mark text on stdout."""
        return self._style(self._stdout)

    @property
    def error_style(self) -> Style:
        """How to mark text on stderr."""
        return self._style(self._stderr)

    @property
    def draws(self) -> TextIO | None:
        """The stream for a line that is redrawn: stderr if it is a terminal that can, else None."""
        stream = self._stderr
        able = stream is not None and stream.isatty() and not self._terminal.dumb and not self.quiet
        return stream if able else None

    def flush(self) -> None:
        """Hand all bytes to the system. Raises OSError if it does not take them."""
        for stream in (self._stdout, self._stderr):
            if stream is not None:
                stream.flush()

    def mute(self) -> None:
        """Send what is still buffered nowhere, so that the end of the process cannot fail over it."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (self._stdout, self._stderr):
            with suppress(OSError, ValueError):
                if stream is not None:
                    os.dup2(nowhere, stream.fileno())
        os.close(nowhere)

    @property
    def _out(self) -> TextIO:
        if self._stdout is None:
            raise Environment("standard output is closed", remedy="give the command somewhere to write to")
        return self._stdout

    def _document(self, content: Mapping[str, object]) -> None:
        if self._documents:
            raise Internal("a second JSON document on stdout")
        self._documents += 1
        self.raw(encode(content, indent=True) + b"\n")

    def _style(self, stream: TextIO | None) -> Style:
        on_terminal = stream is not None and stream.isatty()
        return Style(wants_colour(self.color, self.color_origin, on_terminal, self._terminal))


def document(result: Result | Mapping[str, object]) -> Mapping[str, object]:
    """The JSON form of a result. Raises Internal if it does not say its schema (decisions A15)."""
    found: Mapping[str, object]
    if isinstance(result, Mapping):
        found = result
    elif is_dataclass(result):
        found = {part.name: getattr(result, part.name) for part in fields(result)}
        found["schema"] = result.schema
    else:
        raise Internal(f"{type(result).__name__} has no JSON form")
    if not found.keys() & {"schema", "schemaVersion", "$schema"}:
        raise Internal("a JSON document without a schema")
    return found


def encode(content: Mapping[str, object], indent: bool) -> bytes:
    """UTF-8 JSON with sorted keys. Undecodable bytes of file names are shown as `\\udc80` escapes."""
    import orjson

    option = orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS | (orjson.OPT_INDENT_2 if indent else 0)
    try:
        return orjson.dumps(content, default=_plain, option=option)
    except orjson.JSONEncodeError:
        return orjson.dumps(_encodable(content), default=_plain, option=option)


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: getattr(value, part.name) for part in fields(value)}
    if isinstance(value, PurePath):
        return value.as_posix()
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)


def _encodable(value: object) -> object:
    """The same value with lone surrogates escaped and integers beyond 64 bits as strings."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        return str(value)
    if isinstance(value, Mapping):
        return {_encodable(str(key)): _encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    if isinstance(value, PurePath):
        return _encodable(value.as_posix())
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: _encodable(getattr(value, part.name)) for part in fields(value)}
    return value
