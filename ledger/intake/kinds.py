"""The kinds of source by the name of their stage, without what reads them: for helps and completions."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["KINDS"]

KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "nl": "a task, a ticket or a letter that is given by name",
        "todo": "task files and task records",
        "comments": "TODO, FIXME and other markers in comments",
        "changelog": "changelogs and news fragments",
        "docs": "documents: guides, requirements, decisions",
        "tags": "trace tags in comments, such as [impl->req~login~1]",
        "code": "symbols of source code and what they import",
        "config": "configuration, pipelines and dependency manifests",
        "tests": "reports of tests, coverage and static findings",
        "cycle": "what a runtime cycle observed",
        "communication": "what a team wrote about its tickets",
        "git": "the history of commits, tags and names",
    }
)
"""Each kind and what it is, in the order in which a scan reads them."""
