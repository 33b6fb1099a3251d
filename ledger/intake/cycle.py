"""What an observation cycle of a running system saw: probes, violated expectations, drift, proposals (§2.9).

Outcomes and drift are facts, the cycle's own proposals are inferences; nothing of it is a plan. Measured values
are metadata, so that a probe that measures otherwise next time is the same record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from t2c.ledger.events.record import Action, EpistemicClass, Modality, Polarity, SourceKind, Status
from t2c.ledger.intake.base import Draft, Reading, Scope, Tree, shortened
from t2c.ledger.intake.lines import Notes, text_lines
from t2c.ledger.intake.reports.results import instant
from t2c.ledger.kernel.canon import MAX_INT

__all__ = ["CYCLE_SCHEMA", "MAX_PER_SECTION", "CycleExtractor"]

CYCLE_SCHEMA: Final = "subactor.autonom-cycle/v1"
MAX_PER_SECTION: Final = 200
_MAX_BYTES: Final = 32 * 1024 * 1024
_TEXT: Final = 2000
_NAME: Final = 200
_LISTED: Final = 50

_DOCUMENT: Final = {
    "schema": "text", "observed_at": "text", "host": "text", "program": "text", "summary": "object", "results": "list",
    "drift": "list", "proposals": "list",
}  # fmt: skip
_RESULT: Final = {
    "id": "text", "ask": "text", "tags": "list", "watches": "list", "note": "text", "facts": "object",
    "violations": "list", "ratchet_slack": "list", "error": "text", "ok": "boolean", "duration_ms": "number",
}  # fmt: skip
_VIOLATION: Final = {"fact": "text", "expected": "any", "actual": "any"}
_DRIFT: Final = {"probe": "text", "fact": "text", "was": "any", "now": "any", "tags": "list"}
_PROPOSAL: Final = {
    "kind": "text", "probe": "text", "detail": "text", "suggestion": "text", "evidence": "object", "acts": "boolean",
    "tags": "list",
}  # fmt: skip
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "text": (str,), "list": (list,), "object": (dict,), "boolean": (bool,), "number": (int, float), "any": (object,),
}  # fmt: skip
_PROPOSED: Final[Mapping[str, Action]] = {
    "expectation_violated": "fix",
    "probe_unevaluable": "fix",
    "ratchet_can_tighten": "configure",
    "fact_drifted": "validate",
}


class CycleExtractor:
    """Reads one cycle document."""

    name: str = "t2c/autonom-runtime-cycle@1"
    source: SourceKind = "system"

    def wants(self, path: str) -> bool:
        """True for `*.autonom-cycle.json`; a cycle given by hand may have any name."""
        return path.endswith(".autonom-cycle.json")

    def read(self, path: str, content: bytes, tree: Tree) -> Reading:
        """All observations of one cycle in its order. Incomplete if the document or a part of it is no cycle."""
        notes, scope = Notes(self.source, path), Scope(self.source, path)
        document = _document(content, notes)
        if document is None:
            return Reading(scope, self.name, (), notes.warnings(), complete=False)
        cycle = _Cycle(path, document, notes)
        records = tuple(cycle.drafts())
        return Reading(scope, self.name, records, notes.warnings(), complete=not cycle.refused)


def _document(content: bytes, notes: Notes) -> dict[str, Any] | None:
    """The document, proven to be a cycle; None, with a note that says what is wrong."""
    import orjson

    if len(content) > _MAX_BYTES:
        notes.add("file_too_large", f"{len(content)} bytes; cycles above {_MAX_BYTES} are not read")
        return None
    lines = text_lines(content, notes)
    if lines is None:
        return None
    try:
        document = orjson.loads("\n".join(lines))
    except (orjson.JSONDecodeError, UnicodeError) as error:
        what = str(error).partition(":")[0]
        notes.add("cycle_invalid", f"no JSON: {what}; nothing was read", getattr(error, "lineno", None))
        return None
    if not isinstance(document, dict):
        notes.add("cycle_invalid", f"an object with schema {CYCLE_SCHEMA} is needed; nothing was read")
        return None
    if document.get("schema") != CYCLE_SCHEMA:
        told = document.get("schema")
        found = repr(told[:80]) if isinstance(told, str) else "none"
        notes.add("cycle_invalid", f"schema is {found}, {CYCLE_SCHEMA} is needed; nothing was read")
        return None
    fault = _fault(document, _DOCUMENT, (), "", notes)
    if fault is not None:
        notes.add("cycle_invalid", f"{fault}; nothing was read")
        return None
    return document


def _fault(
    item: Mapping[str, Any], shape: Mapping[str, str], needed: tuple[str, ...], place: str, notes: Notes
) -> str | None:
    """What is wrong with an object, in words; fields that the contract does not know are noted."""
    for name, value in item.items():
        wanted = shape.get(name)
        if wanted is None:
            notes.add("cycle_field_unknown", f"{place}{name[:80]} is no field of {CYCLE_SCHEMA}; not read")
        elif value is not None and (
            not isinstance(value, _TYPES[wanted]) or (wanted == "number" and isinstance(value, bool))
        ):
            return f"{place}{name}: {wanted} is needed"
    for name in needed:
        if not _text(item.get(name)):
            return f"{place}{name}: a text that is not empty is needed"
    return None


def _text(value: object, most: int = _TEXT) -> str:
    return shortened(" ".join(value.split()), most) if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    found = [_text(item, _NAME) for item in value[:_LISTED]] if isinstance(value, list) else []
    return [item for item in found if item]


def _scalar(value: object) -> str | int | bool | None:
    """A measured value as metadata holds it: no floats, no structures."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -MAX_INT <= value <= MAX_INT else str(value)
    if isinstance(value, str):
        return shortened(value, _NAME)
    return repr(value) if isinstance(value, float) else f"({type(value).__name__})"


class _Cycle:
    """The sections of one document that is known to be a cycle."""

    def __init__(self, path: str, document: Mapping[str, Any], notes: Notes) -> None:
        self.path = path
        self.document = document
        self.notes = notes
        self.refused = False
        self.host = _text(document.get("host"), _NAME) or "unknown-host"
        self.observed_at = instant(document.get("observed_at"))
        if document.get("observed_at") is not None and self.observed_at is None:
            notes.add("date_not_understood", "observed_at is no time with an offset")

    def drafts(self) -> Iterator[Draft]:
        for place, result in self._items(self.document.get("results"), "results", _RESULT, ("id",)):
            yield self._probe(result)
            violations = self._items(result.get("violations"), f"{place}.violations", _VIOLATION, ("fact",))
            for _, violation in violations:
                yield self._violation(result, violation)
        for _, item in self._items(self.document.get("drift"), "drift", _DRIFT, ("probe", "fact")):
            yield self._drift(item)
        for _, item in self._items(self.document.get("proposals"), "proposals", _PROPOSAL, ("kind",)):
            yield self._proposal(item)

    def _items(
        self, section: object, name: str, shape: Mapping[str, str], needed: tuple[str, ...]
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The objects of a section with their places, as far as they are read."""
        items = section if isinstance(section, list) else []
        if len(items) > MAX_PER_SECTION:
            what = f"{name} has more than {MAX_PER_SECTION} items"
            self.notes.add("section_truncated", what, count=len(items) - MAX_PER_SECTION)
        for index, item in enumerate(items[:MAX_PER_SECTION]):
            place = f"{name}[{index}]"
            fault = (
                _fault(item, shape, needed, f"{place}.", self.notes)
                if isinstance(item, dict)
                else f"{place}: an object is needed"
            )
            if fault is not None:
                self.refused = True
                self.notes.add("cycle_item_invalid", fault)
                continue
            yield place, item

    def _watched(self, result: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(_texts(result.get("watches"))) or (self.path,)

    def _probe(self, result: Mapping[str, Any]) -> Draft:
        name, error = _text(result["id"], _NAME), _text(result.get("error"))
        failing = result.get("ok") is not True
        outcome = f"unevaluable ({error})" if error else "violating" if failing else "healthy"
        facts = result.get("facts") or {}
        if len(facts) > _LISTED:
            self.notes.add(
                "facts_capped", f"a probe tells {_LISTED} facts at most", count=len(facts) - _LISTED
            )
        told = dict(list(facts.items())[:_LISTED])
        return self._draft(
            "runtime_probe_observation",
            "validate",
            name,
            name,
            _text(result.get("note")) or f"probe {name}",
            f"probe {name} on {self.host}: {outcome}",
            status="unknown" if error else "blocked" if failing else "verified",
            polarity="negative" if error or failing else "positive",
            confidence=0.5 if error else 0.95,
            basis=("autonom_probe_result", *_texts(result.get("tags"))),
            paths=self._watched(result),
            symbols=(name,),
            metadata={
                "ask": _text(result.get("ask"), _NAME),
                "ok": not failing,
                "unevaluable": bool(error),
                "error": error or None,
                "facts": {_text(key, _NAME): _scalar(value) for key, value in told.items()},
            },
        )

    def _violation(self, result: Mapping[str, Any], violation: Mapping[str, Any]) -> Draft:
        probe, fact = _text(result["id"], _NAME), _text(violation["fact"], _NAME)
        expected, actual = _scalar(violation.get("expected")), _scalar(violation.get("actual"))
        return self._draft(
            "runtime_expectation_violated",
            "fix",
            f"{probe}.{fact}",
            f"{probe}.{fact}",
            f"expectation of {probe}.{fact} violated",
            f"{probe}.{fact}: expected {expected}, observed {actual}",
            status="blocked",
            polarity="negative",
            modality="required",
            basis=("autonom_expectation_violation", *_texts(result.get("tags"))),
            paths=self._watched(result),
            symbols=(probe, fact),
            metadata={"probe": probe, "fact": fact, "expected": expected, "actual": actual},
        )

    def _drift(self, item: Mapping[str, Any]) -> Draft:
        probe, fact = _text(item["probe"], _NAME), _text(item["fact"], _NAME)
        was, now = _scalar(item.get("was")), _scalar(item.get("now"))
        return self._draft(
            "runtime_fact_drifted",
            "change",
            f"{probe}.{fact}",
            f"{probe}.{fact}",
            f"{probe}.{fact} drifted",
            f"{probe}.{fact}: {was} -> {now}",
            status="unknown",
            polarity="negative",
            confidence=0.9,
            basis=("autonom_cycle_drift", *_texts(item.get("tags"))),
            paths=(self.path,),
            symbols=(probe, fact),
            metadata={"probe": probe, "fact": fact, "was": was, "now": now},
        )

    def _proposal(self, item: Mapping[str, Any]) -> Draft:
        kind, probe = _text(item["kind"], _NAME), _text(item.get("probe"), _NAME)
        fact = _text((item.get("evidence") or {}).get("fact"), _NAME)
        about = ".".join(part for part in (probe, fact) if part) or kind
        suggestion = _text(item.get("suggestion"))
        return self._draft(
            "runtime_cycle_proposal",
            _PROPOSED.get(kind, "analyze"),
            about,
            f"{about}:{kind}",
            suggestion or f"{kind} of {about}",
            _text(item.get("detail")) or suggestion or kind,
            status="proposed",
            polarity="positive",
            cls="inference",
            modality="recommended",
            confidence=0.6,
            basis=("autonom_cycle_proposal", *_texts(item.get("tags"))),
            paths=(self.path,),
            symbols=tuple(part for part in (probe, fact) if part),
            metadata={
                "proposalKind": kind,
                "probe": probe or None,
                "detail": _text(item.get("detail")) or None,
                "acts": item.get("acts") is True,
            },
        )

    def _draft(
        self,
        kind: str,
        action: Action,
        about: str,
        symbol: str,
        text: str,
        excerpt: str,
        *,
        status: Status,
        polarity: Polarity,
        basis: tuple[str, ...],
        paths: tuple[str, ...],
        symbols: tuple[str, ...],
        metadata: Mapping[str, Any],
        cls: EpistemicClass = "fact",
        modality: Modality = "observed",
        confidence: float = 0.95,
    ) -> Draft:
        """A draft of this cycle; its identity is the host and the symbol, whatever was measured."""
        return Draft(
            kind=kind,
            text=text,
            object=about,
            action=action,
            cls=cls,
            status=status,
            confidence=confidence,
            basis=basis,
            trail=(self.host,),
            symbol=symbol,
            subject=self.host,
            modality=modality,
            polarity=polarity,
            paths=paths,
            symbols=symbols,
            excerpt=excerpt,
            observed_at=self.observed_at,
            metadata={"host": self.host, "llmUsed": False, **metadata},
        )
