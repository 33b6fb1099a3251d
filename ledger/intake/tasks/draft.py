"""One task as a record: what it says, who has it, where it stands, in which state."""

from __future__ import annotations

import re
from typing import Any, Final

from t2c.ledger.intake.base import MAX_EXCERPT, Draft, Tree, shortened
from t2c.ledger.intake.inline import blanked
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.markup import MAX_STATEMENT
from t2c.ledger.intake.mentions import mentions, resolved
from t2c.ledger.intake.tasks.states import State
from t2c.ledger.intake.text import action_and_object, forbids, polarity

__all__ = ["bounded", "task"]

_OWNER: Final = re.compile(
    r"(?<![\w-])@?(?:owner|właściciel|wlasciciel|assignee|assigned to)\s*[:=]\s*@?([\w][\w.-]*)",
    re.IGNORECASE,
)
_HANDLE: Final = re.compile(r"(?<![\w@/.])@([A-Za-z0-9](?:[\w-]*\w)?)(?![\w/@]|\.\w)")


def task(
    text: str,
    raw: str,
    lines: tuple[int, int],
    basis: str,
    state: State,
    *,
    place: tuple[str, Tree],
    headings: tuple[str, ...] = (),
    holders: tuple[str, ...] = (),
    above: tuple[str, ...] = (),
    checked: bool | None = None,
    explicit: str | None = None,
    more: str = "",
    owner: str | None = None,
    paths: tuple[str, ...] = (),
    extra: dict[str, Any] | None = None,
) -> Draft:
    """A `todo_item` whose identity rests on what is above it (`above`, `headings`, `holders`) and its words.

    `place` is the path of the file and the tree in which names are looked up. `more` is about the same thing
    without being the statement. An `owner` of "" is nobody; None looks for one in the text.
    """
    path, tree = place
    done, about = action_and_object(text)
    found = mentions(f"{text} {more}" if more else text)
    named = resolved(found, tree, path.rpartition("/")[0], headings)
    sign = polarity(text)
    metadata: dict[str, Any] = {
        "checked": checked,
        "headingPath": list(headings),
        "explicitId": explicit,
        "parent": holders[-1] if holders else None,
    }
    if state.name is not None:
        metadata["state"] = state.name
    if sign == "negative" and forbids(text):
        metadata["constraint"] = True
    confidence = 0.57 if done == "unknown" else 0.90
    return Draft(
        kind="todo_item",
        text=text,
        object=about,
        action=done,
        cls="plan",
        status=state.status,
        confidence=confidence - 0.2 if basis.endswith("_bullet") else confidence,
        basis=("heuristic_action_dictionary", basis, *(("heading_context",) if headings else ())),
        trail=(*above, *headings, *holders),
        lines=lines,
        actor=_owner(text) if owner is None else owner or None,
        modality="required",
        polarity=sign,
        paths=(*named, *paths) if paths else named,
        symbols=found.symbols,
        tickets=found.tickets,
        versions=found.versions,
        excerpt=shortened(raw, MAX_EXCERPT),
        metadata=metadata | (extra or {}),
    )


def bounded(text: str, line: int, notes: Notes) -> str:
    """A statement of at most MAX_STATEMENT characters; what is cut is noted."""
    if len(text) <= MAX_STATEMENT:
        return text
    notes.add("statement_truncated", f"longer than {MAX_STATEMENT} characters", line)
    return shortened(text, MAX_STATEMENT)


def _owner(text: str) -> str | None:
    if "@" not in text and ":" not in text and "=" not in text:
        return None
    prose = blanked(text)
    match = _OWNER.search(prose) or _HANDLE.search(prose)
    return match[1].rstrip(".-") if match else None
