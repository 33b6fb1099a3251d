"""SARIF 2.1: findings of static analysis. Where a finding stands is a locator; what it is and in which file, its identity."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from t2c.ledger.intake.base import Draft, shortened
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.reports.places import Places
from t2c.ledger.intake.reports.results import COMMIT_UNKNOWN, instant, plain_message

__all__ = ["MAX_FINDINGS", "findings_of"]

MAX_FINDINGS: Final = 20_000
_LEVELS: Final = frozenset({"none", "note", "warning", "error"})
_SHA: Final = re.compile(r"[0-9a-f]{7,64}\Z")
_NUMBER: Final = re.compile(r"\d+")
_PLACEHOLDER: Final = re.compile(r"\{(\d{1,2})\}")
_NAME: Final = 200
_MAX_LINE: Final = 2**31


def findings_of(document: Any, places: Places, notes: Notes) -> tuple[Draft, ...] | None:
    """One draft a result, in the order of the document; None if it is no SARIF log."""
    runs = _map(document).get("runs")
    if not isinstance(runs, list):
        return None
    drafts: list[Draft] = []
    left = 0
    for run in map(_map, runs):
        reader = _Run(run, places, notes)
        if reader.tool == OWN:
            # What t2c made of the ledger shows nothing that the ledger does not hold already.
            notes.add("own_report", "a run of t2c itself", count=max(1, len(_list(run.get("results")))))
            continue
        for result in map(_map, _list(run.get("results"))):
            if len(drafts) >= MAX_FINDINGS:
                left += 1
                continue
            draft = reader.finding(result)
            if draft is not None:
                drafts.append(draft)
    if left:
        notes.add("findings_capped", f"a report gives {MAX_FINDINGS} findings at most", count=left)
    return tuple(drafts)


OWN: Final = "t2c"
"""The name of the tool by which t2c writes its own findings."""


def _map(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _line(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _MAX_LINE else None


class _Run:
    """What all results of one run share."""

    def __init__(self, run: Mapping[str, Any], places: Places, notes: Notes) -> None:
        self.places = places
        self.notes = notes
        driver = _map(_map(run.get("tool")).get("driver"))
        self.tool = shortened(_text(driver.get("name")), _NAME) or "sarif"
        self.version = _text(driver.get("semanticVersion")) or _text(driver.get("version")) or None
        self.rules = [_map(rule) for rule in _list(driver.get("rules"))]
        self.by_id = {_text(rule.get("id")): rule for rule in self.rules}
        self.bases = _bases(_map(run.get("originalUriBaseIds")))
        revisions = (
            _text(_map(told).get("revisionId")).lower() for told in _list(run.get("versionControlProvenance"))
        )
        self.commit = next((revision for revision in revisions if _SHA.match(revision)), None)
        ends = (instant(_text(_map(told).get("endTimeUtc"))) for told in _list(run.get("invocations")))
        self.observed_at = next((end for end in ends if end), None)

    def finding(self, result: Mapping[str, Any]) -> Draft | None:
        """The draft of one result; None for one that says that something passed."""
        if _text(result.get("kind")) in ("pass", "notApplicable", "informational"):
            self.notes.add("result_passed", "a result that is no finding")
            return None
        rule_id, rule = self._rule(result)
        message = self._message(result, rule)
        uri, region = self._place(result)
        path = self.places.file(uri) if uri else None
        where = path or shortened(uri, _NAME)
        marks = {
            key: value
            for key, value in _map(result.get("partialFingerprints")).items()
            if isinstance(value, str)
        }
        marks |= {
            key: value for key, value in _map(result.get("fingerprints")).items() if isinstance(value, str)
        }
        text = f"finding {rule_id}" + (f" in {where}" if where else "")
        about, basis = _identity(marks, message)
        suppressed = _suppressed(result)
        metadata: dict[str, Any] = {
            "framework": self.tool,
            "toolVersion": self.version,
            "commit": self.commit,
            "rule": rule_id,
            "level": self._level(result, rule),
            "message": plain_message(message),
            "location": {
                "path": where or None,
                "line": _line(region.get("startLine")),
                "endLine": _line(region.get("endLine")),
            },
            "fingerprints": {key[:_NAME]: value[:_NAME] for key, value in sorted(marks.items())[:8]},
            "suppressed": suppressed,
            "baselineState": _text(result.get("baselineState")) or None,
        }
        return Draft(
            kind="static_finding",
            text=text,
            object=rule_id,
            action="analyze",
            cls="fact",
            status="unknown",
            confidence=0.98,
            basis=("sarif_report", basis, *(("suppressed",) if suppressed else ()), *(() if self.commit else (COMMIT_UNKNOWN,))),
            trail=(self.tool, about),
            modality="observed",
            polarity="positive" if suppressed else "negative",
            paths=(path,) if path and not path.startswith("~") else (),
            excerpt=text,
            observed_at=self.observed_at,
            metadata=metadata,
        )  # fmt: skip

    def _rule(self, result: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        told = _map(result.get("rule"))
        rule_id = _text(result.get("ruleId")) or _text(told.get("id"))
        index = result.get("ruleIndex", told.get("index"))
        rule = self.by_id.get(rule_id, {})
        if not rule and isinstance(index, int) and 0 <= index < len(self.rules):
            rule = self.rules[index]
        return shortened(rule_id or _text(rule.get("id")), _NAME) or "unnamed rule", rule

    def _level(self, result: Mapping[str, Any], rule: Mapping[str, Any]) -> str:
        told = _text(result.get("level")) or _text(_map(rule.get("defaultConfiguration")).get("level"))
        return told if told in _LEVELS else "warning"

    def _message(self, result: Mapping[str, Any], rule: Mapping[str, Any]) -> str:
        message = _map(result.get("message"))
        text = _text(message.get("text")) or _text(message.get("markdown"))
        if not text:
            strings = _map(rule.get("messageStrings"))
            text = _text(_map(strings.get(_text(message.get("id")))).get("text"))
        values = [str(value) for value in _list(message.get("arguments"))]
        return _PLACEHOLDER.sub(lambda m: values[int(m[1])] if int(m[1]) < len(values) else m[0], text[:4000])

    def _place(self, result: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        for location in _list(result.get("locations")):
            physical = _map(_map(location).get("physicalLocation"))
            artifact = _map(physical.get("artifactLocation"))
            uri = _text(artifact.get("uri"))
            if uri:
                base = self.bases.get(_text(artifact.get("uriBaseId")), "")
                return _unquoted(base + uri), _map(physical.get("region"))
        return "", {}


def _bases(told: Mapping[str, Any]) -> dict[str, str]:
    """Prefixes that are relative; an absolute one names a machine and is left off when the tree is asked."""
    found = {}
    for name, location in told.items():
        uri = _text(_map(location).get("uri"))
        if uri and "://" not in uri and not uri.startswith("/"):
            found[name] = uri
    return found


def _unquoted(uri: str) -> str:
    from urllib.parse import unquote

    return uri if uri.startswith("file:") else unquote(uri[:4096])


def _suppressed(result: Mapping[str, Any]) -> bool:
    """True if a suppression of the result is in force; one that is under review or rejected is not."""
    told = [_map(item) for item in _list(result.get("suppressions"))]
    return any(_text(item.get("status")) in ("", "accepted") for item in told)


def _identity(marks: Mapping[str, str], message: str) -> tuple[str, str]:
    """What tells apart findings of one rule in one file: the tool's own fingerprint, else the message without numbers."""
    if marks:
        key = min(marks)
        return f"{key}={marks[key]}"[:_NAME], "sarif_fingerprint"
    bare = " ".join(_NUMBER.sub("0", message).split())
    return sha256(bare.encode("utf-8", "replace")).hexdigest()[:20], "message_without_numbers"
