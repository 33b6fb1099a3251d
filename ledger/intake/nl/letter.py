"""What surrounds the statements of a letter or of an exported ticket: fields at the top, quotations, greetings.

Lines are blanked, never taken out, so that line numbers stay. What is blanked is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from t2c.ledger.intake.frontmatter import front_matter
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.vocabulary import words

__all__ = ["STATED", "Frame", "TopField", "framed"]

STATED: Final = words("title subject summary temat tytuł tytul nazwa")
"""Fields whose text is a statement."""
_ADDRESSES: Final = words("from to cc bcc od do message-id reply-to wysłano sent")
_FRAME: Final = "an address, a greeting, a closing or a signature"
_KNOWN: Final = STATED | words(
    "from to cc bcc date id key type status state assignee assignees reporter author labels tags priority severity"
    " component components version milestone created updated due project od do data autor status priorytet etykiety"
    " zgłaszający przypisany typ termin projekt message-id reply-to sent wysłano resolution environment"
)
_FIELD: Final = re.compile(r"(?:\*\*)?([^\W\d_][\w -]{0,29})(?:\*\*)?:(?:\*\*)?[ \t]++(\S.*)$")
_TAG: Final = re.compile(r"</?[A-Za-z][\w:-]*+\s*+/?>$")
_ALERT: Final = re.compile(r"\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*$")
_QUOTES: Final = re.compile(
    r"(?:On |W dniu |Dnia |Am ).{0,200}(?:wrote|napisał(?:a|\(a\))?|pisze):$|.{1,80} (?:wrote|napisała?):$"
)
_FORWARDED: Final = re.compile(
    r"-{2,}\s*(?:original message|forwarded message|wiadomość oryginalna|przekazana wiadomość)\s*-{2,}$",
    re.IGNORECASE,
)
_GREETING: Final = re.compile(
    r"(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|cześć|czesc|hej|witam|dzień dobry|szanown[iyae]\w*)"
    r"\b[^.:;?]{0,40}[,!]?$",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(
    r"(?:(?:kind|best|warm|many)?\s?(?:regards|thanks|wishes)|thank you|cheers|sincerely|yours \w+"
    r"|pozdrawiam|pozdrowienia|z poważaniem|dziękuję|dzięki|z góry dziękuję)\b[^.:;?]{0,30}[,.!]?$",
    re.IGNORECASE,
)
_SIGNED: Final = 8
"""Lines that may follow a closing or the mark of a signature."""


class TopField(NamedTuple):
    """A field above the text."""

    name: str
    text: str
    lines: tuple[int, int]


class Frame(NamedTuple):
    """The lines of the text itself, the others blank, and the fields above it."""

    lines: list[str]
    fields: tuple[TopField, ...]


def framed(given: Sequence[str], notes: Notes) -> Frame:
    """The text of a task, ticket or letter without its frame."""
    lines = list(given)
    fields = tuple(_without_addresses(_top_fields(lines), notes))
    _blank_quotations(lines, notes)
    _blank_ends(lines, notes)
    return Frame(lines, fields)


def _top_fields(lines: list[str]) -> tuple[TopField, ...]:
    matter = front_matter(lines)
    if matter is not None:
        lines[: matter.end] = [""] * matter.end
        return tuple(
            TopField(name, held.text or ", ".join(held.items), (held.start, held.end))
            for name, held in matter.fields.items()
            if held.text or held.items
        )
    begin = next((index for index, line in enumerate(lines) if line.strip()), len(lines))
    found: list[TopField] = []
    for number, line in enumerate(lines[begin : begin + 40], begin + 1):
        match = _FIELD.match(line.strip())
        if match is None or match[1].strip().lower().split(" ")[0] not in _KNOWN:
            break
        found.append(TopField(match[1].strip().lower(), match[2].strip(), (number, number)))
    if len(found) < 2:
        return ()
    for field in found:
        lines[field.lines[0] - 1] = ""
    return tuple(found)


def _without_addresses(fields: Iterable[TopField], notes: Notes) -> Iterator[TopField]:
    """Who wrote to whom is no part of what is wanted, and personal."""
    for field in fields:
        if field.name in _ADDRESSES:
            notes.add("letter_frame", _FRAME, field.lines[0])
        else:
            yield field


def _blank_quotations(lines: list[str], notes: Notes) -> None:
    """What others wrote (`>`), and all below a forwarded letter; an alert (`> [!NOTE]`) is the author's own."""
    fenced = alert = False
    for index, line in enumerate(lines):
        body = line.strip()
        if body.startswith(("```", "~~~")):
            fenced = not fenced
        if fenced:
            continue
        if body[:1] == "<" and _TAG.match(body):
            lines[index] = ""
            continue
        if body[:1] != ">":
            alert = False
            if _FORWARDED.match(body):
                count = sum(bool(rest.strip()) for rest in lines[index:])
                notes.add("quoted_text", _QUOTED, index + 1, count)
                lines[index:] = [""] * (len(lines) - index)
                return
            if body.endswith(":") and _QUOTES.match(body) and _quoted_next(lines, index):
                notes.add("quoted_text", _QUOTED, index + 1)
                lines[index] = ""
            continue
        rest = body[1:].strip()
        if _ALERT.match(rest):
            alert, lines[index] = True, ""
        elif alert:
            lines[index] = rest
        else:
            if rest:
                notes.add("quoted_text", _QUOTED, index + 1)
            lines[index] = ""


_QUOTED: Final = "what somebody else wrote is quoted here; it is no statement of this text"


def _quoted_next(lines: list[str], index: int) -> bool:
    after = (line.strip() for line in lines[index + 1 : index + 3])
    return next((line[0] == ">" for line in after if line), False)


def _blank_ends(lines: list[str], notes: Notes) -> None:
    """The greeting that begins a letter, and its closing or signature."""
    filled = [index for index, line in enumerate(lines) if line.strip()]
    if not filled:
        return
    if len(filled) > 1 and len(lines[filled[0]].split()) <= 5 and _GREETING.match(lines[filled[0]].strip()):
        _blank(lines, filled[:1], notes)
    tail = filled[-_SIGNED - 1 :]
    for place, index in enumerate(tail):
        body = lines[index].strip()
        if lines[index].rstrip() == "--" or (index > filled[0] and _CLOSING.match(body)):
            if all(_names_somebody(lines[rest]) for rest in tail[place + 1 :]):
                _blank(lines, tail[place:], notes)
            return


def _names_somebody(line: str) -> bool:
    """True if a line below a closing may be a name or an address, not a statement."""
    if line.rstrip() == "--":
        return True
    return (
        len(line.split()) <= 8
        and line.strip()[:1] not in "-*#0123456789"
        and not line.rstrip().endswith((".", ":"))
    )


def _blank(lines: list[str], indexes: Sequence[int], notes: Notes) -> None:
    for index in indexes:
        notes.add("letter_frame", _FRAME, index + 1)
        lines[index] = ""
