"""Which report a text is, by its first bytes, and which names reports usually have in a tree."""

from __future__ import annotations

import re
from typing import Final, Literal

from t2c.ledger.intake.config.names import is_test_data

__all__ = ["Format", "is_report", "sniff"]

Format = Literal["junit", "cobertura", "lcov", "coverage-json", "sarif", "tap", "pytest-text"]

_HEAD: Final = 8192
_TAIL: Final = 65536
_ROOT: Final = re.compile(rb"<(?:[\w-]+:)?([A-Za-z][\w-]*)")
_ASIDE: Final = re.compile(
    rb"<\?[^>]*+>|<!--(?:[^-]|-(?!->))*+(?:-->)?+|<!DOCTYPE[^>\[]*+(?:\[[^\]]*+\])?+\s*+>"
)
_TAP: Final = re.compile(rb"(?m)^(?:TAP version 1[34]|1\.\.\d+|(?:not )?ok \d+)\b")
_LCOV: Final = re.compile(rb"(?m)^(?:TN:|SF:.)")
_PYTEST: Final = re.compile(
    rb"(?m)^(?:=+ test session starts =+"
    rb"|(?:=+ )?(?:\x1b\[[\d;]*m)*(?:=+ )?(?:\x1b\[[\d;]*m)*\d+ (?:passed|failed|skipped|errors?|xfailed)\b[^\n]{0,200} in \d)"
)
_SARIF: Final = re.compile(rb'sarif|"runs"\s*:\s*\[')
_COVERAGE: Final = re.compile(rb'"meta"\s*:\s*\{[^{}]{0,600}"branch_coverage"')
_NAME: Final = re.compile(
    r"[^/]*junit[^/]*\.xml\Z|TEST-[^/]*\.xml\Z|coverage[^/]*\.xml\Z|cobertura[^/]*\.xml\Z|coverage\.json\Z"
    r"|lcov\.info\Z|[^/]*\.(?:lcov|tap|sarif|sarif\.json)\Z|(?:x?unit|nosetests|pytest|test[-_]?(?:results?|report))[^/]*\.xml\Z"
)
_FOLDERS: Final = re.compile(r"(?:^|/)(?:test-results|surefire-reports|failsafe-reports)/")
_ENDINGS: Final = frozenset({"xml", "json", "tap", "txt", "log", "info", "sarif", "lcov"})
_ENDS: Final = (".xml", ".json", ".tap", ".info", ".sarif", ".lcov")


def sniff(content: bytes) -> Format | None:
    """What a report is; None if it is none that is read here."""
    head = _plain(content[:_HEAD])
    start = head.lstrip()
    if start[:1] == b"<":
        root = _ROOT.search(_ASIDE.sub(b" ", start))
        name = root[1] if root else b""
        if name in (b"testsuites", b"testsuite"):
            return "junit"
        return "cobertura" if name == b"coverage" else None
    if start[:1] == b"{":
        if _COVERAGE.search(head):
            return "coverage-json"
        return "sarif" if _SARIF.search(head) else _by_members(content)
    if _LCOV.search(head):
        return "lcov"
    if _PYTEST.search(head) or _PYTEST.search(content[-_TAIL:]):
        return "pytest-text"
    return "tap" if _TAP.search(head) else None


def _plain(head: bytes) -> bytes:
    """The first bytes without a mark, and of wide encodings every byte that is not zero."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head[2:].replace(b"\0", b"")
    return head.removeprefix(b"\xef\xbb\xbf")


def _by_members(content: bytes) -> Format | None:
    """Documents whose telling members stand late."""
    import orjson

    try:
        document = orjson.loads(content.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError:
        return None
    if not isinstance(document, dict):
        return None
    if isinstance(document.get("runs"), list) and "version" in document:
        return "sarif"
    return "coverage-json" if isinstance(document.get("files"), dict) and "totals" in document else None


def is_report(path: str) -> bool:
    """True for names that reports usually have, outside test data, which are samples of reports."""
    if not path.endswith(_ENDS) and "-reports/" not in path and "test-results/" not in path:
        return False
    name = path.rpartition("/")[2]
    usual = _NAME.match(name) is not None or (
        name.rpartition(".")[2] in _ENDINGS and _FOLDERS.search(path) is not None
    )
    return usual and not is_test_data(path)
