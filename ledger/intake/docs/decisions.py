"""Architecture decisions: what was decided, whether it stands, and what it replaces.

Read from the records of Nygard, MADR and log4brains: a file in a folder of decisions, or any with the headings
`Status` and `Decision`. An accepted decision is a plan to be carried out: the document tells that it was made, not
that it was implemented, so its lifecycle is `planned`, never `completed`.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from t2c.ledger.events.record import Action, EpistemicClass, Status
from t2c.ledger.intake.docs.blocks import Block, Document, Heading, Text
from t2c.ledger.intake.docs.sections import heading_text
from t2c.ledger.intake.docs.succession import Succession, succession_of
from t2c.ledger.intake.inline import plain
from t2c.ledger.intake.text import fold

__all__ = ["Decision", "action_of", "decides", "decision_of", "standing_of"]

_STATUS: Final = re.compile(r"(?:decision )?status$|stan(?: decyzji)?$")
_DECIDED: Final = re.compile(
    r"(?:the )?(?:decision|decisions|decision outcome|decision made|resolution|decyzja|decyzje)$"
)
_CONTEXT: Final = re.compile(r"(?:context|kontekst|problem)(?: .{1,40})?$")
_NUMBER: Final = re.compile(r"(?:adr[-_ ]?)?(\d{1,5}|\d{8})(?=[-_. ]|$)", re.IGNORECASE)
_LINE: Final = re.compile(r"\W{0,4}(?:status|stan)\W{0,4}:\W{0,3}(.{2,200})$", re.IGNORECASE)
_CHOICES: Final = re.compile(r"\{|\w\s*[|/]\s*\w+\s*[|/]\s*\w")
_STANDS: Final[tuple[tuple[str, str], ...]] = (
    ("superseded", r"superseded|superceded|replaced by|zast[aą]pion"),
    ("deprecated", r"deprecated|obsolete|wycofan|nieaktualn"),
    ("rejected", r"rejected|declined|withdrawn|odrzucon"),
    ("implemented", r"implemented|wdro[zż]on|zrealizowan"),
    (
        "accepted",
        r"accepted|approved|adopted|decided|active|zaakceptowan|przyj[eę]t|zatwierdzon|obowi[aą]zuj",
    ),
    ("proposed", r"proposed|draft|pending|in review|under discussion|proponowan|szkic|propozycja"),
)
_STATES: Final = tuple((name, re.compile(rf"\b(?:{words})", re.IGNORECASE)) for name, words in _STANDS)
_OPEN_ENDED: Final = re.compile(r"(?::|\b(?:because|since|ponieważ|gdyż))$", re.IGNORECASE)
_NEAR: Final = 12
"""Blocks from the top within which a line may tell the status."""


class Decision(NamedTuple):
    """One decision. `others` are those that it replaces or amends, and those that do so to it.

    `at` is the place of the first block that tells it, `used` those of all, so that none is read once more.
    """

    title: str
    identifier: str | None
    status: str | None
    text: str
    trail: tuple[str, ...]
    lines: tuple[int, int]
    raw: str
    others: Succession
    at: int
    used: frozenset[int]


def standing_of(status: str | None) -> tuple[EpistemicClass, Status]:
    """Class and lifecycle of a decision: only one that is accepted or carried out is a plan."""
    match status:
        case "accepted":
            return "plan", "planned"
        case "implemented":
            return "plan", "implemented"
        case "proposed":
            return "declaration", "proposed"
        case _:
            return "declaration", "unknown"


def action_of(status: str | None) -> Action:
    """What a decision does to what it is about: one in force approves it, the others change or block it."""
    if status in ("accepted", "implemented", None):
        return "approve"
    return "block" if status == "rejected" else "change"


def decision_of(path: str, document: Document, *, in_folder: bool) -> Decision | None:
    """The decision that a document records; None if it records none, or is a template of one."""
    blocks = document.blocks
    sections = _sections(blocks)
    decided = next((at for at, name in sections if _DECIDED.match(name)), None)
    if decided is None:
        return None
    status_at = next((at for at, name in sections if _STATUS.match(name)), None)
    context = any(_CONTEXT.match(name) for _, name in sections)
    written, status_blocks = _status(document, status_at)
    if not (in_folder and (context or written is not None)) and not (written is not None and context):
        return None
    first = blocks[decided]
    title = next((heading_text(block.text) for block in blocks if isinstance(block, Heading)), "")
    if (
        (written is not None and _CHOICES.search(written))
        or title.startswith("{")
        or not isinstance(first, Heading)
    ):
        return None
    told = _told(blocks, decided)
    text, start, end, raw = first.text, first.line, first.line, first.text
    if told:
        chosen = [block for at in told if isinstance(block := blocks[at], Text)]
        text = plain(" ".join(block.text for block in chosen))
        start, end, raw = chosen[0].start, chosen[-1].end, "\n".join(block.raw for block in chosen)
    else:
        text = title
    stem = path.rpartition("/")[2].partition(".")[0]
    number = _NUMBER.match(stem)
    status = filter(None, (written, *status_blocks))
    others = (block.text for block in blocks if isinstance(block, Text))
    trail = tuple(filter(None, (title, heading_text(first.text))))
    return Decision(
        title, number[1] if number else None, _state(written), text or title, trail, (start, end), raw,
        succession_of(status, others), min(told, default=decided), frozenset(told),
    )  # fmt: skip


def decides(heading: str) -> bool:
    """True for the folded name of the section that holds the decision."""
    return _DECIDED.match(heading) is not None


def _sections(blocks: list[Block]) -> list[tuple[int, str]]:
    return [
        (at, fold(heading_text(block.text)))
        for at, block in enumerate(blocks)
        if isinstance(block, Heading) and len(block.text) < 80
    ]


def _status(document: Document, at: int | None) -> tuple[str | None, list[str]]:
    """The status as written and all that its section says."""
    front = document.front.get("status")
    section: list[str] = []
    if at is not None:
        for block in document.blocks[at + 1 :]:
            if not isinstance(block, Text):
                break
            section.append(block.text)
    if front:
        return front, section
    if section:
        return section[0], section
    for block in document.blocks[:_NEAR]:
        if isinstance(block, Text):
            line = _LINE.match(block.text) or next(filter(None, map(_LINE.match, block.lines)), None)
            if line:
                return line[1], list(block.lines)
            if block.kind == "row" and len(block.cells) > 1 and _STATUS.match(fold(block.cells[0])):
                return block.cells[1], [block.text]
    return None, []


def _state(written: str | None) -> str | None:
    if written is None:
        return None
    found = [(match.start(), name) for name, words in _STATES if (match := words.search(written))]
    if any(name == "superseded" for _, name in found):
        return "superseded"
    return min(found)[1] if found else None


def _told(blocks: list[Block], decided: int) -> list[int]:
    """Places of the decision sentence: the first paragraph, with the items that it announces, else the first item."""
    told: list[int] = []
    announces = False
    for at in range(decided + 1, len(blocks)):
        block = blocks[at]
        if not isinstance(block, Text) or block.kind == "row":
            break
        if told and (block.kind != "item" or not announces):
            break
        if not told:
            announces = _OPEN_ENDED.search(block.text.rstrip("*_ ")) is not None
        told.append(at)
        if len(told) > 20:
            break
    return told
