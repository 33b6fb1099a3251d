"""Records, relations and diagnostics as a model reads them: one JSON object a line, texts bounded, no raw excerpt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from t2c.projections.facts import Fact
from t2c.projections.findings.model import Shown as Finding
from t2c.projections.graph import Link

__all__ = ["Lines"]

_TEXT: Final = 400
_LIST: Final = 12


class Lines:
    """Makes the lines of one brief; `shortened` counts the texts and lists that it did not write whole."""

    def __init__(self) -> None:
        self.shortened = 0

    def record(self, fact: Fact) -> str:
        said, target = fact.statement, fact.statement.target
        about = {
            name: self._list(getattr(target, name)) for name in ("paths", "symbols", "tickets", "versions")
        }
        return _line(
            {
                "id": fact.id,
                "source": fact.source.kind,
                "kind": said.kind,
                "where": fact.where,
                "class": fact.epistemic.cls,
                "status": fact.lifecycle.status,
                "action": said.action,
                "by": said.actor,
                "at": fact.observedAt,
                "about": {name: found for name, found in about.items() if found} or None,
                "text": self._text(said.text),
            }
        )

    def diagnostic(self, found: Finding, records: Sequence[str]) -> str:
        return _line(
            {
                "id": found.id,
                "code": found.code,
                "severity": found.severity,
                "title": self._text(found.title),
                "detail": self._text(found.detail),
                "next": self._text(found.action),
                "records": self._list(records),
            }
        )

    def relation(self, link: Link) -> str:
        relation = link.relation
        return _line({"from": relation.source, "type": relation.type, "to": relation.to, "rule": link.rule})

    def _text(self, text: str) -> str:
        line = " ".join(text.split())
        if len(line) <= _TEXT:
            return line
        self.shortened += 1
        return line[: _TEXT - 1].rstrip() + "…"

    def _list(self, found: Sequence[str]) -> list[str]:
        self.shortened += len(found) > _LIST
        return list(found[:_LIST])


def _line(members: Mapping[str, Any]) -> str:
    return orjson.dumps({name: value for name, value in members.items() if value is not None}).decode()
