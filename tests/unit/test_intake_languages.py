"""Which language a file is in, and that code which nobody reads is counted, never silent."""

from __future__ import annotations

import time

import pytest

from t2c.ledger.intake.code.languages import LANGUAGES, language_of, may_be_code, unread_languages


def test_files_of_unread_languages_are_counted_by_language() -> None:
    paths = ["a.py", "b.ts", "c.d/x.tsx", "README.md", "Makefile", "d.GO", "go"]
    found = unread_languages(paths, lambda path: path.endswith(".py"))
    assert [(item.reason, item.count, item.detail) for item in found] == [
        ("unsupported_language", 3, "files by language: Go 1, TypeScript 2")
    ]


def test_nothing_is_said_where_everything_is_read() -> None:
    assert unread_languages(["a.py", "README.md", "LICENSE"], lambda path: path.endswith(".py")) == []


@pytest.mark.parametrize(
    ("path", "content", "language"),
    [
        ("a.py", b"", "python"),
        ("stubs/a.PYI", b"", "python"),
        ("a.jsx", b"", "javascript"),
        ("a.d.cts", b"", "typescript"),
        ("a.tsx", b"", "tsx"),
        ("bin/tool", b"#!/usr/bin/env python3\n", "python"),
        ("bin/tool", b"#! /usr/local/bin/python3.11 -u\n", "python"),
        ("bin/tool", b"#!/usr/bin/env -S A=1 node --flag\n", "javascript"),
        ("bin/tool", b"#!/usr/bin/env perl\n", None),
        ("bin/tool", b"print(1)\n", None),
        ("bin/tool.txt", b"#!/usr/bin/env python3\n", None),
        ("SConstruct", b"", "python"),
        (".py", b"", None),
        ("a.py/b", b"", None),
        ("py", b"", None),
    ],
)
def test_a_language_is_told_by_name_or_first_line(path: str, content: bytes, language: str | None) -> None:
    found = language_of(path, content)
    assert (None if found is None else found.name) == language
    assert language is None or may_be_code(path)


def test_files_that_are_never_scripts_are_not_asked_for() -> None:
    paths = ["LICENSE", "a/README", "a.md", ".gitignore", "a.b/Makefile", "b.lock", ".env"]
    assert [path for path in paths if may_be_code(path)] == []


def test_no_ending_name_or_program_belongs_to_two_languages() -> None:
    for field in ("endings", "names", "programs"):
        known = [value for language in LANGUAGES.values() for value in getattr(language, field)]
        assert len(known) == len(set(known))
    assert len({language.extractor for language in LANGUAGES.values()}) == len(LANGUAGES)


def test_asking_is_quick_enough_for_every_path_of_a_large_repository() -> None:
    paths = [f"packages/core/src/module{number}/file.test.py" for number in range(20000)]
    started = time.process_time()
    for path in paths:
        may_be_code(path)
    assert (time.process_time() - started) / len(paths) < 5e-6
