"""Which paths a plan may name: files of the repository that somebody writes by hand (intent-evidence §7.4)."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["unusable"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FOREIGN: Final = _words(""".git .hg .svn .venv venv .testvenv testvenv .tox .nox .mypy_cache .pytest_cache .ruff_cache .code2llm_cache
    __pycache__ node_modules site-packages dist-packages dist build coverage htmlcov .eggs eggs vendor third_party
    third-party .t2c .intent .koru""")
"""Folders, in lower case, of others' code, of what is built and of what tools keep."""
_BINARY: Final = _words(""".png .jpg .jpeg .gif .webp .ico .bmp .tiff .woff .woff2 .ttf .eot .pdf .mp4 .webm .zip .tar .gz .tgz .whl .egg .so
    .dylib .dll .pyc .pyo .class .o .a .wasm .sqlite .db""")
_OWN: Final = _words("""code_change.review.json code_change.review.md code-change-plans.json code-change-source-patches.json
    communication-analysis.json communication-analysis.md diagnostics.json intent.graph.json manifest.json
    summary-conclusions.json team-summary.md todo-validation.json todo.patch todo.patch.json todo.diff""")
_WITHOUT_DOT: Final = _words("dockerfile gemfile jenkinsfile justfile makefile procfile rakefile vagrantfile")
_SCHEME: Final = re.compile(r"[a-z][a-z\d+.-]*:", re.IGNORECASE)
_PATTERN: Final = frozenset("*?[]{}")
_DUMP: Final = (".toon", ".toon.yaml", ".mmd", ".json")


def unusable(path: str) -> str | None:
    """Why a plan cannot name this path; None where it can."""
    if not path.strip() or path.startswith("/") or path.endswith("/") or _SCHEME.match(path):
        return "it is no file relative to the repository"
    if "\\" in path or path != path.strip() or not path.isprintable():
        return "it is not written as paths of the repository are"
    if _PATTERN.intersection(path):
        return "it is a pattern"
    parts = path.lower().split("/")
    if any(part in ("", ".", "..", "~") for part in parts) or parts[0][0] in "~$%":
        return "it leads elsewhere"
    for part in parts[:-1]:
        if part in _FOREIGN or part.startswith(".intent-") or part.endswith((".egg-info", ".dist-info")):
            return f"{part}/ is not written by hand here"
    name = parts[-1]
    if name in _FOREIGN:
        return "it is a folder of a tool"
    if name in _OWN or (len(parts) == 1 and name == "prompt.txt"):
        return "it is what t2c or a tool writes"
    if "." not in name and name not in _WITHOUT_DOT:
        return "its name is not that of a file"
    if name.rfind(".") > 0 and name[name.rfind(".") :] in _BINARY:
        return "it is no text"
    if parts[0] == "project" and (name.endswith(_DUMP) or name in ("prompt.txt", "readme.md")):
        return "it is the dump of an analysis"
    return None
