"""Code that nobody reads yet is counted, never silent."""

from t2c.ledger.intake.code.languages import unread_languages


def test_files_of_unread_languages_are_counted_by_language() -> None:
    paths = ["a.py", "b.ts", "c.d/x.tsx", "README.md", "Makefile", "d.GO", "go"]
    found = unread_languages(paths, lambda path: path.endswith(".py"))
    assert [(item.reason, item.count, item.detail) for item in found] == [
        ("unsupported_language", 3, "files by language: Go 1, TypeScript 2")
    ]


def test_nothing_is_said_where_everything_is_read() -> None:
    assert unread_languages(["a.py", "README.md", "LICENSE"], lambda path: path.endswith(".py")) == []
