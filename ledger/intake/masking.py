"""What was read, on its way to becoming records: secrets are masked before a text is given an identity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

import msgspec
import orjson

from t2c.ledger.intake.base import Draft, Reading, Warning
from t2c.ledger.intake.git import COMMIT_SOURCE
from t2c.ledger.redaction.funnel import Funnel, Removed, marker

__all__ = ["REASON", "masked"]

REASON: Final = "secret_masked"
_CUT_OFF: Final = "cut_off"
_SHORTEST_PIECE: Final = 6
_LINES_KEPT: Final = 20


def masked(reading: Reading, funnel: Funnel) -> Reading:
    """The reading with every secret in a statement masked, and a Warning for each file or commit that held one.

    `count` is the number of different secrets, `lines` where the statements begin. The ids, digests and content
    hashes that `materialise` gives rest on the masked texts. Symbols and paths are names and stay, unless they
    are a piece of a secret.
    """
    found: dict[str | None, tuple[set[Removed], list[int]]] = {}
    records = []
    for draft in reading.records:
        # Most texts that could hold a secret hold none: asked once for all, before each of them is.
        if not funnel.mask(_said(draft)).removed:
            records.append(draft)
            continue
        removed: set[Removed] = set()
        records.append(_masked(draft, funnel, removed))
        if removed:
            commit = draft.revision if reading.scope.path is None else None
            secrets, lines = found.setdefault(commit, (set(), []))
            secrets |= removed
            lines += draft.lines[:1] if draft.lines is not None else ()
    if not found:
        return reading
    warnings = [_warning(reading, commit, *place) for commit, place in found.items()]
    return msgspec.structs.replace(reading, records=tuple(records), warnings=(*reading.warnings, *warnings))


def _warning(reading: Reading, commit: str | None, secrets: set[Removed], lines: list[int]) -> Warning:
    kinds = Counter(kind for kind, _ in secrets)
    detail = "masked before it was recorded: " + ", ".join(
        f"{count} {kind}" for kind, count in sorted(kinds.items())
    )
    source, path = (reading.scope.source, reading.scope.path)
    if commit is not None:
        source, path = COMMIT_SOURCE, f"commit:{commit}"
    places = tuple(sorted(set(lines))[:_LINES_KEPT])
    return Warning(source, path, REASON, detail, len(secrets), places)


def _said(draft: Draft) -> str:
    """Every text of a draft that somebody may have written a secret into, as one text, each once."""
    text, parts = draft.text, [draft.text]
    if draft.excerpt is not None and draft.excerpt != text:
        parts.append(draft.excerpt)
    if draft.object not in text:
        parts.append(draft.object)
    if draft.subject is not None:
        parts.append(draft.subject)
    if draft.actor is not None:
        parts.append(draft.actor)
    parts += draft.trail
    for value in draft.metadata.values():
        if type(value) is str:
            parts.append(value)
        elif value and type(value) in (list, tuple, dict):
            parts.append(orjson.dumps(value).decode())
    return "\n".join(parts)


def _masked(draft: Draft, funnel: Funnel, removed: set[Removed]) -> Draft:
    def mask(text: str) -> str:
        result = funnel.mask(text)
        removed.update(result.removed)
        return result.text

    def optional(text: str | None) -> str | None:
        return None if text is None else cut(mask(text))

    def cut(text: str) -> str:
        """A text that was shortened may begin or end within a secret, of which no detector would know the rest."""
        for _, value in removed:
            if len(text) >= _SHORTEST_PIECE and text in value:
                return marker(_CUT_OFF)
            for size in range(min(len(value) - 1, len(text)), _SHORTEST_PIECE - 1, -1):
                if text.endswith(value[:size]):
                    text = text[:-size] + marker(_CUT_OFF)
                    break
            for size in range(min(len(value) - 1, len(text)), _SHORTEST_PIECE - 1, -1):
                if text.startswith(value[-size:]):
                    text = marker(_CUT_OFF) + text[size:]
                    break
        return text

    def names(given: Iterable[str]) -> tuple[str, ...]:
        """Mentions found in the text; those that lie within a secret are no mentions."""
        return tuple(name for name in given if not any(name in value for _, value in removed))

    # The longer text goes first: what it holds whole, the shorter one may hold in part.
    excerpt, text = None if draft.excerpt is None else mask(draft.excerpt), mask(draft.text)
    trail = tuple(mask(step) for step in draft.trail)
    metadata, found = funnel.mask_value(dict(draft.metadata))
    removed.update(found)
    if not removed:
        return draft
    return msgspec.structs.replace(
        draft,
        text=cut(text),
        excerpt=None if excerpt is None else cut(excerpt),
        object=cut(mask(draft.object)),
        subject=optional(draft.subject),
        actor=optional(draft.actor),
        trail=trail,
        metadata=metadata,
        paths=names(draft.paths),
        symbols=names(draft.symbols),
        tickets=names(draft.tickets),
        versions=names(draft.versions),
    )
