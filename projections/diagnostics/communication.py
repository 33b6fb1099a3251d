"""Findings of the analysis of communication, copied (intent-evidence §2.11)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from t2c.projections.diagnostics.model import COMMUNICATION, Finding
from t2c.projections.facts import SEVERITIES

__all__ = ["from_issues"]


def from_issues(told: Mapping[str, Iterable[Mapping[str, Any]]]) -> Iterator[Finding]:
    """One finding for each issue, about the issue itself; its texts stand as the analysis wrote them in each language.

    `told` maps a language to the issues in its words, in one order for all languages. An issue has `id`, `code`,
    `severity`, `ticket`, `recordIds`, `detail`, `suggestedAction`, `responseRequiredRole` and `responseRequiredFrom`.
    Raises KeyError for one without them, ValueError for an unknown code or severity, or languages that do not tell the
    same, since all are ours to make.
    """
    for words in zip(*told.values(), strict=True):
        issue = words[0]
        code, severity = issue["code"], issue["severity"]
        if code not in COMMUNICATION or severity not in SEVERITIES:
            raise ValueError(f"{code} of severity {severity} is no issue of communication")
        said = {
            "ticket": issue["ticket"],
            "role": issue["responseRequiredRole"], "from": ", ".join(issue["responseRequiredFrom"]),
        }  # fmt: skip
        for language, one in zip(told, words, strict=True):
            said[f"detail:{language}"], said[f"action:{language}"] = one["detail"], one["suggestedAction"]
        risk = 20 + 25 * SEVERITIES.index(severity)
        yield Finding(
            code,
            issue["id"],
            severity,
            f"communication.{code}",
            said,
            tuple(sorted(issue["recordIds"])),
            f"ticket:{issue['ticket']}",
            min(risk, 95),
            0.9,
        )
