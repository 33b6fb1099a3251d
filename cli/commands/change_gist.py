"""Events of plans, patches, approvals and applies in a few words each, as `t2c ledger log` lists them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

__all__ = ["TOLD"]

Data = Mapping[str, Any]


def _files(data: Data) -> str:
    paths = [one["path"] for one in data["files"]]
    return f"{', '.join(paths[:3])}{f' and {len(paths) - 3} more' if len(paths) > 3 else ''}"


def _planned(data: Data) -> str:
    return f"{data['id']}  {data['plan']['title']}"


def _rendered(data: Data) -> str:
    name = data["artifact"].get("id", "")
    of = f" of {', '.join(data['plans'][:2])}" if data["plans"] else ""
    return f"{data['kind']} {name or data['hash'][:20]}{of}"


def _granted(data: Data) -> str:
    return f"{data['subject']} {data['digest'][:20]}  {data['statement']}"


def _withdrawn(data: Data) -> str:
    return f"{data['approval']}  {data['reason']}"


def _tried(data: Data) -> str:
    outcome = "passed" if data["passed"] else "did not pass" if data["applied"] else "does not fit"
    return f"{outcome} at {data['revision'][:12]}, {len(data['gates'])} gates  {data['detail']}"


def _announced(data: Data) -> str:
    under = f" under {data['approval']}" if data["approval"] else ""
    return f"{data['purpose']} {data['subject'] or ''}: {_files(data)}{under}"


def _receipted(data: Data) -> str:
    return f"{data['how']} {data['announced']}: {_files(data)}"


def _failed(data: Data) -> str:
    return f"{data['outcome']} {data['announced']}: {data['reason']}"


def _evaluated(data: Data) -> str:
    states = ", ".join(f"{one['diagnostic']} {one['state']}" for one in data["subjects"][:3])
    return f"{data['plan']} {'accepted' if data['accepted'] else 'not accepted'}: {states}"


def _closed(data: Data) -> str:
    return ", ".join(data["plans"])


TOLD: Final[Mapping[str, Callable[[Data], str]]] = {
    "change.planned": _planned,
    "patch.rendered": _rendered,
    "approval.granted": _granted,
    "approval.withdrawn": _withdrawn,
    "change.tried": _tried,
    "apply.announced": _announced,
    "apply.receipted": _receipted,
    "apply.failed": _failed,
    "change.evaluated": _evaluated,
    "change.closed": _closed,
}
"""Type → its words. Each raises LookupError, TypeError or AttributeError for a payload of another shape."""
