"""Declared intent from a task, a ticket or a letter that somebody gives (intent-evidence §2.1).

A statement that forbids is a constraint (`metadata.constraint`), never a plan. One in a language that is neither
English nor Polish is kept with the action unknown and without a guess at its duty.
"""

from __future__ import annotations

import re
from typing import Any, Final

from t2c.ledger.events.record import Modality, Polarity, SourceKind
from t2c.ledger.intake.base import MAX_EXCERPT, Draft, Reading, Scope, Tree, shortened
from t2c.ledger.intake.lines import Notes, text_lines
from t2c.ledger.intake.mentions import NOT_KEYS, mentions, resolved
from t2c.ledger.intake.nl.language import Language, language_of, tellable
from t2c.ledger.intake.nl.missing import actor_of, missing_fields
from t2c.ledger.intake.nl.segments import Segment, segments
from t2c.ledger.intake.text import action_and_object, forbids, modality, polarity

__all__ = ["NlExtractor"]

_BASIS: Final = (
    "heuristic_action_dictionary",
    "line_segmentation",
    "modality_dictionary",
    "target_heuristics",
)
_KNOWN: Final = 0.78
_UNKNOWN: Final = 0.45
_FLOOR: Final = 0.35
_EACH: Final = 0.06
"""Confidence lost for each missing field (intent-evidence §1.2)."""
_ILLUSTRATES: Final = re.compile(
    r"(?:następująco|na przykład|np|jak niżej|tak|as follows|like (?:this|so)|for (?:example|instance)|e\.g)[.\s]*:?$",
    re.IGNORECASE,
)
"""How a line ends that shows what may be, and binds nobody ("it may look as follows:")."""
_EXPLICIT: Final = re.compile(
    r"[*`\[(]{0,3}(?:([A-Z]{1,10}-?\d{1,6}(?:\.\d{1,4})?)[*`\])]{0,3}\s?[:.)–—-]|(T\d{3,}|[A-Z]{2,10}-\d{1,6})[*`\])]{0,3}\s)"
)


class NlExtractor:
    """Reads a task that is given by name: no path of a repository is ever taken for one."""

    name = "t2c/nl-heuristic@1"
    source: SourceKind = "nl"

    def wants(self, path: str) -> bool:
        """False: what a task is, a person says."""
        return False

    def read(self, path: str, content: bytes, tree: Tree) -> Reading:
        """All statements of one text, in its order. Incomplete if the file is binary."""
        notes, scope = Notes(self.source, path), Scope(self.source, path)
        lines = text_lines(content, notes)
        if lines is None:
            return Reading(scope, self.name, (), notes.warnings(), complete=False)
        folder = path.rpartition("/")[0]
        records = tuple(_draft(segment, folder, tree, notes) for segment in segments(lines, notes))
        if not records and content.strip():
            notes.add("no_statements_found", "the text holds nothing that reads like a statement of intent")
        return Reading(scope, self.name, records, notes.warnings())


def _draft(segment: Segment, folder: str, tree: Tree, notes: Notes) -> Draft:
    text = segment.text
    constraint = False
    language = language_of(text)
    if language is None and tellable(text):
        notes.add(
            "language_not_known",
            "neither English nor Polish; recorded with the action unknown",
            segment.lines[0],
        )
        done, about = action_and_object(text, "unknown")
        duty: Modality = "unknown"
        sign: Polarity = "positive"
    else:
        done, about = action_and_object(text)
        duty, sign = modality(text), polarity(text)
        constraint = sign == "negative" and forbids(text)
    bases: list[str] = [*_BASIS]
    if segment.lead is not None and duty == "unknown" and language_of(segment.lead) is not None:
        duty = "unknown" if _ILLUSTRATES.search(segment.lead) else modality(segment.lead)
        if duty != "unknown":
            bases.append("list_lead_in")
        if duty in ("required", "recommended") and polarity(segment.lead) == "negative":
            sign = "negative"
            constraint = duty == "required"
    if segment.duty:
        duty = "required"
        constraint = sign == "negative"
        bases.append("requirement_heading")
    if segment.out_of_scope:
        sign = "negative"
        bases.append("out_of_scope")
    missing = missing_fields(text, done, about)
    found = mentions(
        segment.raw if segment.shape != "table_row" else " ".join((text, *segment.columns.values()))
    )
    confidence = _UNKNOWN if done == "unknown" else _KNOWN
    return Draft(
        kind="declared_intent",
        text=text,
        object=about,
        action=done,
        cls="declaration",
        status="proposed",
        confidence=max(_FLOOR, confidence - _EACH * len(missing)),
        basis=tuple(bases),
        trail=(*segment.headings, *segment.holders),
        lines=segment.lines,
        actor=actor_of(text),
        modality=duty,
        polarity=sign,
        paths=resolved(found, tree, folder, segment.headings),
        symbols=found.symbols,
        tickets=found.tickets,
        versions=found.versions,
        excerpt=shortened(segment.raw, MAX_EXCERPT),
        metadata=_metadata(segment, language, missing, constraint),
    )


def _metadata(
    segment: Segment, language: Language | None, missing: list[str], constraint: bool
) -> dict[str, Any]:
    metadata: dict[str, Any] = {
        "missingFields": missing,
        "language": language,
        "constraint": constraint,
        "shape": segment.shape,
        "headingPath": list(segment.headings),
        "parent": segment.holders[-1] if segment.holders else None,
        "explicitId": segment.explicit or _explicit(segment.text),
    }
    if segment.checked is not None:
        metadata["checked"] = segment.checked
    if segment.out_of_scope:
        metadata["outOfScope"] = True
    if segment.columns:
        metadata["columns"] = segment.columns
    return metadata


def _explicit(text: str) -> str | None:
    """The id that a statement begins with: `FR-001: …`, `T012 …`."""
    match = _EXPLICIT.match(text)
    found = (match[1] or match[2]) if match else None
    return None if found is None or found.rstrip("0123456789.").rstrip("-") in NOT_KEYS else found
