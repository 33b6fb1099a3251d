"""What a ledger knows of requests: digest → who asked last, and how it went. Read once, then only what is new."""

from __future__ import annotations

import threading
from typing import Final, NamedTuple

import msgspec

from t2c.ledger.engine import Ledger
from t2c.ledger.errors import T2cError, Usage
from t2c.ledger.events.llm import LlmAnswered, LlmAsked, LlmUnusable, Unusable
from t2c.ledger.journal.position import START, Position
from t2c.ledger.llm.asking import Vault
from t2c.ledger.llm.base import Reply

__all__ = ["SETTLED", "Outcome", "Recorded"]

SETTLED: Final[frozenset[Unusable]] = frozenset(
    {
        "refused", "truncated", "reasoning_used_the_budget", "not_json", "duplicate_key", "schema_violation",
        "rule_violation", "rejected_request",
    }
)  # fmt: skip
"""What says something of the request or of the model: asked again, it would go the same way."""

_TYPES: Final = frozenset({"llm.asked", "llm.answered", "llm.unusable"})


class _Asked(msgspec.Struct):
    request: str


class _Told(msgspec.Struct):
    request: str
    asked: str


_asked: Final = msgspec.json.Decoder(_Asked).decode
_told: Final = msgspec.json.Decoder(_Told).decode


class Outcome(NamedTuple):
    """How a request went. `content` is the object of the answer's text, None where nothing had come."""

    asked: str
    event: str
    seq: int
    payload: LlmAnswered | LlmUnusable
    content: str | None
    raw: bytes | None

    @property
    def ruled(self) -> LlmUnusable | None:
        """Why it was no answer; None where it was one."""
        return self.payload if isinstance(self.payload, LlmUnusable) else None

    def reply(self) -> Reply:
        """What came, as if it came now."""
        return Reply(self.content, self.raw, self.payload.story)

    @property
    def settled(self) -> bool:
        """True if the same request would go the same way again, as far as anybody can tell."""
        return isinstance(self.payload, LlmAnswered) or self.payload.reason in SETTLED


class _Known:
    """One digest: the last announcement, and the last outcome, each by the byte where its line starts."""

    __slots__ = ("asked", "asked_at", "open", "outcome_at")

    def __init__(self) -> None:
        self.asked = ""
        self.asked_at = -1
        self.outcome_at = -1
        self.open: list[str] = []


class Recorded:
    """The requests of one ledger. Safe for threads; events appended since are read when it is next asked."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._guard = threading.Lock()
        self._place: Position = START
        self._known: dict[str, _Known] = {}

    def outcome(self, digest: str, vault: Vault | None = None) -> Outcome | None:
        """How this request went the last time; None if nobody knows. `vault` has what was said where it was sealed.

        Raises Usage if the object of what was said is gone, Corrupt if it or the journal is damaged.
        """
        known = self._look(digest)
        if known is None or known.outcome_at < 0:
            return None
        entry = next(iter(self.ledger.journal.many([known.outcome_at])))
        kind = LlmAnswered if entry.type == "llm.answered" else LlmUnusable
        payload = kind.decode(bytes(entry.data))
        content = self._object(payload.content, vault)
        text = None if content is None else content.decode("utf-8", "replace")
        return Outcome(payload.asked, entry.id, entry.seq, payload, text, self._object(payload.raw, vault))

    def _object(self, digest: str | None, vault: Vault | None) -> bytes | None:
        if digest is None or vault is None:
            return None if digest is None else self.ledger.objects.get(digest)
        try:
            return vault.get(digest)
        except T2cError as error:
            raise Usage(error.what, where=error.where) from None

    def open(self, digest: str) -> tuple[str, ...]:
        """The announcements of this request that nothing came of yet, the oldest first."""
        known = self._look(digest)
        return () if known is None else tuple(known.open)

    def asked(self, digest: str) -> LlmAsked:
        """The last announcement of this request. Raises Usage if there is none."""
        known = self._look(digest)
        if known is None or known.asked_at < 0:
            raise Usage(f"nobody asked {digest}")
        entry = next(iter(self.ledger.journal.many([known.asked_at])))
        return LlmAsked.decode(bytes(entry.data))

    def _look(self, digest: str) -> _Known | None:
        with self._guard:
            self._read()
            return self._known.get(digest)

    def _read(self) -> None:
        head = self.ledger.head()
        if head.seq <= self._place.seq:
            return
        for offset, _, entry in self.ledger.journal.lines(self._place, head.seq):
            if entry.type not in _TYPES or entry.v != 1:
                continue
            try:
                if entry.type == "llm.asked":
                    known = self._known.setdefault(_asked(entry.data).request, _Known())
                    known.asked, known.asked_at = entry.id, offset
                    if entry.origin is None:
                        # One that was taken in belongs to whoever announced it.
                        known.open.append(entry.id)
                else:
                    told = _told(entry.data)
                    known = self._known.setdefault(told.request, _Known())
                    known.outcome_at = offset
                    known.open = [one for one in known.open if one != told.asked]
            except msgspec.DecodeError:
                continue
        self._place = head
