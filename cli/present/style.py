"""Colour and safe text: colour carries meaning only on a terminal, and text never steers the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from t2c.cli.settings import Terminal

__all__ = ["Style", "joined", "one_line", "printable", "wants_colour"]

_DELIBERATE: Final = ("option", "user configuration")
"""Origins by which this person asks for colour; they stand above NO_COLOR (no-color.org)."""

_CONTROL: Final = re.compile(
    r"\x1b\[[0-9;]*m|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


_BREAK: Final = re.compile(r"[\n\u2028\u2029]")
_COMMAND: Final = re.compile(r"^(?:\s|\x1b\[[0-9;]*m)*(?=::)")


def wants_colour(choice: str, origin: str, is_terminal: bool, terminal: Terminal) -> bool:
    """Whether to colour a stream, given the setting `color`, where it came from and what the stream is.

    Off when not a terminal, when TERM is dumb, when NO_COLOR is set and not empty; NO_COLOR wins over
    variables that force colour, and gives way only to what this person asked for on purpose.
    """
    if choice == "never":
        return False
    if choice == "always" and origin.startswith(_DELIBERATE):
        return True
    if terminal.no_color:
        return False
    if choice == "always" or terminal.force_color:
        return True
    return is_terminal and not terminal.dumb


def printable(text: str, keep_colour: bool = False) -> str:
    r"""Text with every control character but line feed and tab written as `\x1b`: file names and messages
    of others cannot move the cursor, clear the screen or hide what follows."""

    def shown(found: re.Match[str]) -> str:
        if keep_colour and len(found[0]) > 1:
            return found[0]
        return "".join(char if char.isprintable() else _escaped(char) for char in found[0])

    return _CONTROL.sub(shown, text)


def joined(lines: Iterable[str]) -> str:
    """Text of lines, each of them one whatever stands in it."""
    return "\n".join(map(one_line, lines))


def one_line(text: str) -> str:
    r"""Text with a line feed in it written as `\n`, so that a name cannot end the line that it stands in.

    Two colons at the beginning get a backslash before them: build services take what follows them for a command.
    """
    flat = _BREAK.sub(lambda found: "\\n" if found[0] == "\n" else _escaped(found[0]), text)
    return _COMMAND.sub(lambda found: f"{found[0]}\\", flat)


def _escaped(char: str) -> str:
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"


class Style(NamedTuple):
    """Marks by meaning. Without colour the text stays as it is, so meaning must also stand in the words."""

    colour: bool = False

    def good(self, text: str) -> str:
        return self._marked("32", text)

    def bad(self, text: str) -> str:
        return self._marked("31", text)

    def doubtful(self, text: str) -> str:
        return self._marked("33", text)

    def faint(self, text: str) -> str:
        return self._marked("2", text)

    def _marked(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text
