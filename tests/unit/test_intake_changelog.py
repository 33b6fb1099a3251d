"""Changelogs: which headings are releases, which lines are entries, and what each claims."""

from __future__ import annotations

import codecs
import time
import tracemalloc

import pytest

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Draft, Reading, materialise
from t2c.ledger.intake.changelog import ChangelogExtractor
from t2c.ledger.intake.releases import Release, day_of, release_of


class Nothing:
    """A tree without files."""

    def __contains__(self, path: str) -> bool:
        return False

    def named(self, name: str) -> tuple[str, ...]:
        return ()

    def content(self, path: str) -> bytes | None:
        return None


def read(text: str | bytes, path: str = "CHANGELOG.md") -> Reading:
    return ChangelogExtractor().read(path, text.encode() if isinstance(text, str) else text, Nothing())


def entries(text: str | bytes, path: str = "CHANGELOG.md") -> list[Draft]:
    return [draft for draft in read(text, path).records if draft.kind == "changelog_entry"]


def releases(text: str, path: str = "CHANGELOG.md") -> list[Draft]:
    return [draft for draft in read(text, path).records if draft.kind == "changelog_release"]


def told(text: str) -> list[tuple[str, str, str]]:
    """(version, category, text) of every entry."""
    return [(d.metadata["version"], d.metadata["category"], d.text) for d in entries(text)]


def noted(reading: Reading) -> dict[str, tuple[int, tuple[int, ...]]]:
    return {warning.reason: (warning.count, warning.lines) for warning in reading.warnings}


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("CHANGELOG.md", True), ("Changelog", True), ("CHANGES.md", True), ("docs/history.MD", True), ("NEWS", True),
        ("CHANGES.rst", True), ("NEWS.txt", True), ("CHANGELOG.py", False), ("changes/12.md", False),
        ("my-changelog.md", False), ("newsletter.md", False),
    ],
)  # fmt: skip
def test_which_files_are_changelogs(path: str, wanted: bool) -> None:
    assert ChangelogExtractor().wants(path) is wanted


def test_the_record_of_an_entry() -> None:
    reading = read(
        "# Changelog\n\n## [1.2.0] - 2026-01-05\n\n### Added\n\n- Export of metrics via `exportMetrics` (#7)\n"
    )
    _, found = materialise(reading)
    record = Record.model_validate_json(found.body)
    assert (record.statement.kind, record.statement.subject) == ("changelog_entry", "release:1.2.0")
    assert (record.statement.action, record.statement.modality, record.statement.polarity) == (
        "add", "claimed", "positive",
    )  # fmt: skip
    assert record.statement.target.model_dump() == {
        "paths": (), "symbols": ("exportMetrics",), "tickets": ("#7",), "versions": ("1.2.0",),
    }  # fmt: skip
    assert record.lifecycle.status == "released"
    assert (record.epistemic.cls, record.epistemic.confidence) == ("claim", 0.92)
    assert record.epistemic.basis == ("keep_a_changelog_category", "markdown_release_heading")
    assert record.observedAt == "2026-01-05T00:00:00Z"
    assert record.source.extractor == "t2c/keep-a-changelog@4"
    assert {key: record.metadata[key] for key in ("version", "releaseDate", "yanked", "category", "parent")} == {
        "version": "1.2.0", "releaseDate": "2026-01-05", "yanked": False, "category": "Added", "parent": None,
    }  # fmt: skip
    assert record.metadata["anchor"] == {"trail": ["1.2.0", "Added"], "ordinal": 1}
    assert reading.complete
    assert reading.warnings == ()


@pytest.mark.parametrize(
    ("heading", "version", "day"),
    [
        ("[1.2.3] - 2026-01-05", "1.2.3", "2026-01-05"),
        ("1.2.3 (2026-01-05)", "1.2.3", "2026-01-05"),
        ("v1.2", "1.2", None),
        ("**v1.2.3** / 2026/1/5", "1.2.3", "2026-01-05"),
        ("0.28.1 (6th December, 2024)", "0.28.1", "2024-12-06"),
        ("v10.9.0 - August 21, 2026", "10.9.0", "2026-08-21"),
        ("1.2.3 – 5 stycznia 2026", "1.2.3", "2026-01-05"),
        ("2.0.0-RC1 2020-01-01", "2.0.0-RC1", "2020-01-01"),
        ("0.1.0-2019-01-02", "0.1.0", "2019-01-02"),
        ("1.0.0+build.5", "1.0.0+build.5", None),
        ("18.3a4", "18.3a4", None),
        ("2.0.x", "2.0.x", None),
        ("v12", "12", None),
        ("1.2.3: The one", "1.2.3", None),
        ('1.2.3 "Name"', "1.2.3", None),
        ("2024-01-05", "2024-01-05", "2024-01-05"),
        ("1.7.9 (2024-12-04)", "1.7.9", "2024-12-04"),
    ],
)
def test_headings_that_announce_a_release_wherever_they_stand(
    heading: str, version: str, day: str | None
) -> None:
    assert release_of(heading, loose=False) == Release(version, day, yanked=False, unreleased=False)


@pytest.mark.parametrize(
    "heading", ["[1.4.0] - 2026-03-01 [YANKED]", "1.4.0 - 2026-03-01 [yanked]", "1.4.0 (yanked)"]
)
def test_yanked_releases_are_marked_and_the_mark_stays_out_of_the_date(heading: str) -> None:
    found = release_of(heading, loose=False)
    assert found is not None
    assert (found.version, found.yanked) == ("1.4.0", True)
    assert found.day in ("2026-03-01", None)
    (entry,) = entries(f"## {heading}\n- Add x\n")
    assert (entry.status, entry.metadata["yanked"], entry.subject) == ("unknown", True, "release:1.4.0")


@pytest.mark.parametrize(
    "heading", ["[Unreleased]", "UNRELEASED", "Unreleased Changes", "Next", "TBD", "Niewydane"]
)
def test_what_is_unreleased_is_proposed(heading: str) -> None:
    (entry,) = entries(f"## {heading}\n- Add x\n")
    assert (entry.status, entry.subject, entry.versions, entry.observed_at) == (
        "proposed", "release:Unreleased", (), None,
    )  # fmt: skip


def test_a_version_that_is_not_out_yet_is_proposed_under_its_number() -> None:
    for text in ("## 1.3.0 - Unreleased\n- Add x\n", "## Version 1.3.0\n\nUnreleased\n\n- Add x\n"):
        (entry,) = entries(text)
        assert (entry.status, entry.subject, entry.versions) == ("proposed", "release:1.3.0", ("1.3.0",))


def test_words_before_the_version_are_read_at_the_level_of_releases_only() -> None:
    text = (
        "# Gin ChangeLog\n## Gin v1.2.0\n- a\n### poetry-core (`9.0.0`)\n- b\n### Other 2.0\n- c\n"
        "### Gin v1.1.0\n- d\n## Version 1.0\n- e\n"
    )
    assert told(text) == [
        ("1.2.0", "Changed", "a"),
        ("1.2.0", "poetry-core (`9.0.0`)", "b"),
        ("1.2.0", "Other 2.0", "c"),
        ("1.1.0", "Changed", "d"),
        ("1.0", "Changed", "e"),
    ]


@pytest.mark.parametrize(
    "heading", ["Upgrading to 2.0", "3.8 support removed", "Next steps", "1. Introduction", "10 things"]
)
def test_headings_that_only_name_a_number_are_no_releases(heading: str) -> None:
    assert release_of(heading, loose=False) is None
    assert told(f"## 1.0.0\n### {heading}\n- a\n") == [("1.0.0", heading, "a")]


def test_setext_headings_and_lone_lines_announce_releases_too() -> None:
    assert told("CHANGELOG\n=========\n\n5.0.0\n-----\n\n * a\n\n4.4.0 / 2026-01-05\n===\n * b\n") == [
        ("5.0.0", "Changed", "a"), ("4.4.0", "Changed", "b"),
    ]  # fmt: skip
    plain = entries("v2.0.0 - August 21, 2026\n\n* a\n\n1.9.0 (2026-01-05)\n\n* b\n")
    assert [(d.metadata["version"], d.observed_at, d.basis[0]) for d in plain] == [
        ("2.0.0", "2026-08-21T00:00:00Z", "plain_release_line"),
        ("1.9.0", "2026-01-05T00:00:00Z", "plain_release_line"),
    ]


def test_a_line_under_the_heading_may_date_it() -> None:
    (entry,) = entries("## Version 1.2\n\nReleased 2026-01-05\n\n- a\n")
    assert entry.observed_at == "2026-01-05T00:00:00Z"
    (entry,) = entries("## 1.2.0\n\n_2026-01-05_\n\n- a\n")
    assert entry.observed_at == "2026-01-05T00:00:00Z"
    (entry,) = entries("## 1.2.0\n\n2026-01-05\n\n- a\n")
    assert (entry.metadata["version"], entry.observed_at) == ("1.2.0", "2026-01-05T00:00:00Z")


def test_a_date_that_is_none_is_noted_and_null() -> None:
    reading = read("## 1.2.3 - 2026-13-45\n- a\n")
    assert reading.records[0].observed_at is None
    assert noted(reading) == {"date_not_understood": (1, (1,))}
    assert day_of("2026-02-30") is None


def test_categories_come_from_headings_and_labels_and_the_innermost_counts() -> None:
    text = (
        "## 1.0.0\n- z\n### What's Changed\n#### Packaging\n- a\n#### Fixes\n- b\n### Removed\n- c\n\n"
        "**Deprecations**:\n\n- d\n\nBug fixes:\n\n- e\n\nThis sentence ends here and is no label:\n\n- f\n"
    )
    assert [(d.metadata["category"], d.text, d.trail[1:]) for d in entries(text)] == [
        ("Changed", "z", ("Changed",)),
        ("Packaging", "a", ("What's Changed", "Packaging")),
        ("Fixes", "b", ("What's Changed", "Fixes")),
        ("Removed", "c", ("Removed",)),
        ("Deprecations", "d", ("Removed", "Deprecations")),
        ("Bug fixes", "e", ("Removed", "Bug fixes")),
        ("Bug fixes", "f", ("Removed", "Bug fixes")),
    ]


@pytest.mark.parametrize(
    ("category", "text", "action"),
    [
        ("Added", "Fix x", "add"), ("Fixed", "Added x", "fix"), ("Security", "Add x", "fix"),
        ("Removed", "x", "remove"), ("Deprecated", "x", "remove"), ("Documentation", "x", "document"),
        ("Tests", "x", "test"), ("Changed", "Fix x", "change"), ("🐞 Bug fixes", "x", "fix"),
        ("Dodano", "x", "add"), ("Naprawiono", "x", "fix"), ("Themes", "Add x", "add"), ("Themes", "x", "release"),
        (None, "Fix x", "fix"), (None, "x", "change"),
    ],
)  # fmt: skip
def test_the_category_decides_the_action_then_the_words_do(
    category: str | None, text: str, action: str
) -> None:
    heading = f"### {category}\n" if category else ""
    (entry,) = entries(f"## 1.0.0\n{heading}- {text}\n")
    assert entry.action == action


def test_nested_entries_know_their_parents() -> None:
    for indent in ("  ", "    ", "\t"):
        drafts = entries(
            f"## 1.0.0\n### Added\n- login\n{indent}- with passkey\n{indent * 2}* on iOS\n+ mail\n"
        )
        assert [(d.text, d.metadata["parent"], d.trail) for d in drafts] == [
            ("login", None, ("1.0.0", "Added")),
            ("with passkey", "login", ("1.0.0", "Added", "login")),
            ("on iOS", "with passkey", ("1.0.0", "Added", "login", "with passkey")),
            ("mail", None, ("1.0.0", "Added")),
        ]


def test_wrapped_entries_are_one_statement_with_a_true_span() -> None:
    (entry,) = entries(
        "## 1.0.0\n- Add [the guide](docs/guide.md)\n  and more\n  ([#3](https://h.example/o/r/pull/3))\n"
    )
    assert (entry.text, entry.lines) == ("Add the guide and more (#3)", (2, 4))
    assert (entry.paths, entry.tickets) == (("docs/guide.md",), ("#3",))


def test_prose_code_comments_and_definitions_are_no_entries() -> None:
    text = "## [1.0.0]\nThis release\nis fine.\n\n```yaml\n- x\n```\n<!-- \n- y\n-->\n- a\n\n[1.0.0]: https://h.example/tag/1.0.0\n"
    assert told(text) == [("1.0.0", "Changed", "a")]
    assert read(text.replace("\n", "\r\n")).records == read(text).records


def test_entries_outside_a_release_are_counted_with_their_lines() -> None:
    reading = read("# Changelog\n- a\n## 1.0.0\n- b\n# Older\n- c\n- d\n")
    assert [d.text for d in reading.records] == ["Release 1.0.0", "b"]
    assert noted(reading) == {"outside_release": (3, (2, 6, 7))}


def test_a_file_without_a_release_says_so() -> None:
    assert noted(read("# Changes\n\n## Something\n")) == {"no_release_found": (1, ())}
    assert noted(read("")) == {}


def test_thanks_are_no_changes_and_tables_are_not_read() -> None:
    reading = read("## 1.0.0\n### New Contributors\n- @ada made it\n### Added\n| a | b |\n|---|---|\n- c\n")
    assert [d.text for d in reading.records] == ["Release 1.0.0", "c"]
    assert noted(reading) == {"acknowledgement": (1, (3,)), "table_not_read": (2, (5, 6))}


def test_text_under_a_release_is_counted_by_paragraphs_and_leaves_the_file_complete() -> None:
    reading = read(
        "# Changelog\n\nIntro.\n\n## 1.1.0\n\nThis release\nis about speed.\n\nAnd of fixes.\n\n### Fixed\n\n"
        "Prose only.\n\n> quoted\n\n## 1.0.0\n\nInitial release\n"
    )
    assert noted(reading) == {"prose_not_read": (5, (7, 10, 14, 16, 20))}
    assert ([d.kind for d in reading.records], reading.complete) == (["changelog_release"] * 2, True)


@pytest.mark.parametrize(
    "text",
    [
        "# Changelog\n\nAll notable changes.\nAre here.\n\n## 1.0.0\n- a\n",
        "## 1.0.0\n\n<!-- not\nshown -->\n\n***\n\n---\n\n### Added\n\n- a\n\n  More of it.\n",
        "## 1.0.0\n\n2026-01-05\n\n**Fixes**:\n\n- a\n\nv0.9.0 (2025-01-05)\n\n- b\n",
        "## 1.0.0\n- a\n\n[1.0.0]: https://h.example/1\n[0.9.0]: <https://h.example/0>\n",
        "## 1.0.0\n\n[Full list](https://h.example/a...b)\n\n[![x](a.png)](b) ![y][z]\n\nhttps://h.example/1\n\n- a\n",
        "## 1.0.0\n- a\n# About\n\nText after the releases.\n",
    ],
)
def test_what_is_no_text_of_a_release_is_not_counted(text: str) -> None:
    reading = read(text)
    assert noted(reading) == {}
    assert reading.records


def test_code_under_a_release_is_counted_once_a_block() -> None:
    reading = read(
        "```\nx\n```\n\n## 1.0.0\n\n```yaml\n- x\n\n- y\n```\n\n    a = 1\n\n    b = 2\n\n- a\n\n  ~~~\n  c\n  ~~~\n- b\n"
    )
    assert [draft.text for draft in reading.records] == ["Release 1.0.0", "a", "b"]
    assert noted(reading) == {"code_not_read": (3, (7, 13, 19))}


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("Drop Python 2.7 and 3.5, keep 1.4.0", ("1.4.0",)),
        ("Python 2.7 is gone", ()),
        ("Run on Python 3.10.0-3.10.12, >= 3.11.2 and *Python* 3.9+", ()),
        ("Need python>=3.11, Django version 4.2, Ubuntu 22.04, macOS 12.3 or OpenSSL v1.1.1", ()),
        ("Work with `node` 18.1 and Espree v9.3.3-beta.1", ()),
        ("Fix what Mine 1.3.0 broke", ("1.3.0",)),
        ("Backport 1.2.4 of the fix", ("1.2.4",)),
        ("Fix 1.2.4, as in Version 1.2.5 since 1.1", ("1.1", "1.2.4", "1.2.5")),
        ("Python only; version 1.2.4 is next", ("1.2.4",)),
        ("Repair Python 3.8 (see 1.2.4)", ("1.2.4",)),
    ],
)
def test_versions_of_other_products_are_not_versions_of_the_project(
    text: str, versions: tuple[str, ...]
) -> None:
    home = "https://h.example/o/mine"
    (entry,) = entries(f"## 9.9.9\n- {text} ([#1]({home}/pull/1))\n")
    assert sorted(entry.versions) == [*versions, "9.9.9"]
    assert entry.text == f"{text} (#1)"
    (entry,) = entries(f"## 2.7\n- {text}\n")
    assert "2.7" in entry.versions


def test_what_cannot_be_read_is_noted_and_incomplete() -> None:
    for path, content, reason in (
        ("CHANGELOG.md", b"## 1.0\n- a\0\n", "binary_file"),
        ("CHANGES.adoc", b"== 1.0\n* a\n", "unsupported_format"),
        ("ChangeLog", b"2009-01-05  Ada L  <ada@h.example>\n\n\t* a.c (f): Fix.\n", "unsupported_format"),
        ("debian/changelog", b"pkg (1.2-1) unstable; urgency=low\n\n  * a\n", "unsupported_format"),
    ):
        reading = ChangelogExtractor().read(path, content, Nothing())
        assert (reading.records, reading.complete, list(noted(reading))) == ((), False, [reason])


def test_linked_commits_and_numbers_of_other_repositories_are_kept_apart() -> None:
    own, other = "https://h.example/o/mine", "https://h.example/o/other"
    (entry,) = entries(
        f"## [1.1.0]({own}/compare/a...b)\n- Fix x ([#5]({own}/pull/5), [#6]({other}/pull/6))"
        f" ([899dbf1]({own}/commit/899dbf131ce12a194b394bb8d67307df23509d17)), [#7]({own}/issues/7)\n"
    )
    assert entry.tickets == ("#5", "#7")
    assert entry.metadata["commits"] == ["899dbf131ce12a194b394bb8d67307df23509d17"]


def test_line_endings_marks_and_blank_lines_change_no_id() -> None:
    text = "# Changelog\n\n## [1.0.0] - 2026-01-05\n\n### Added\n- a\n  b\n- a b\n\n[1.0.0]: https://h.example/1\n"
    expected = [(found.id, found.digest, found.lines) for found in materialise(read(text))]
    assert len({identity for identity, _, _ in expected}) == 3
    for content in (
        text.replace("\n", "\r\n").encode(),
        codecs.BOM_UTF8 + text.encode(),
        text.encode("utf-16"),
    ):
        assert [(found.id, found.digest, found.lines) for found in materialise(read(content))] == expected
    spread = text.replace("### Added\n", "\n\n### Added\n\n\n").replace("- a b", "\n\n- a b")
    assert [found.id for found in materialise(read(spread))] == [identity for identity, _, _ in expected]
    assert noted(read(text.replace("\n", "\r\n"))) == {"line_endings": (1, ())}


def test_a_long_changelog_takes_time_and_memory_in_proportion() -> None:
    release = (
        "\n## [1.{0}.0] - 2026-01-05\n\n### Fixed\n\n"
        + "- Fix the parser in `src/a.py` when it fails (#{0})\n" * 20
    )

    def cost(count: int) -> float:
        content = "".join(release.format(number) for number in range(count)).encode()
        started = time.process_time()
        assert len(read(content).records) == count * 21
        return (time.process_time() - started) / count

    cost(50)
    small, large = min(cost(100), cost(100)), cost(1500)
    assert large < small * 3

    prose = ("word " * 20 + "\n\n") * 20_000
    content = f"## 1.0.0\n\n{prose}- a\n".encode()
    tracemalloc.start()
    assert len(read(content).records) == 2
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < len(content) / 4


LEAD = "[#{0}](https://example.org/a/b/pull/{0}) [`abcdef{0}`](https://example.org/a/b/commit/abcdef{0}) Thanks [@ada](https://example.org/ada)! - "
NESTED = (
    "# a\n\n## 1.1.0\n\n### Minor Changes\n\n"
    f"- {LEAD.format(12)}### New Features\n\n  - Add a page\n    - with a list\n\n  ### Bug Fixes\n\n  Words.\n\n  - Stop the leak\n"
    f"\n- {LEAD.format(13)}Make it smaller\n\n  ### Migration\n\n  - Run `b`\n\n- {LEAD.format(14)}Make it faster\n"
    f"\n- {LEAD.format(15)}### Docs\n\n  Tell of pages.\n\n## 1.0.0\n\n- Add it\n"
)


def test_a_heading_in_an_item_heads_what_is_below_it_and_is_no_entry() -> None:
    assert told(NESTED) == [
        ("1.1.0", "New Features", "Add a page"),
        ("1.1.0", "New Features", "with a list"),
        ("1.1.0", "Bug Fixes", "Stop the leak"),
        ("1.1.0", "Minor Changes", "Make it smaller"),
        ("1.1.0", "Migration", "Run `b`"),
        ("1.1.0", "Minor Changes", "Make it faster"),
        ("1.1.0", "Docs", "Tell of pages."),
        ("1.0.0", "Changed", "Add it"),
    ]
    assert [draft.trail for draft in entries(NESTED)][2] == (
        "1.1.0", "Minor Changes", "Bug Fixes",
    )  # fmt: skip
    assert [draft.action for draft in entries(NESTED)][:3] == ["add", "add", "fix"]


def test_what_stands_beside_a_heading_in_an_item_is_said_of_the_items_in_it() -> None:
    found = entries(NESTED)
    assert [draft.tickets for draft in found[:3]] == [("#12",)] * 3
    assert [draft.metadata.get("commits") for draft in found[:3]] == [["abcdef12"]] * 3
    assert [draft.metadata.get("authors") for draft in found[:3]] == [["ada"]] * 3
    assert (found[4].tickets, found[5].tickets, found[6].tickets) == (("#13",), ("#14",), ("#15",))
    assert [draft.metadata.get("inherited") for draft in found] == [
        None,
        None,
        None,
        None,
        True,
        None,
        None,
        None,
    ]
    assert found[1].metadata["parent"] == "Add a page"
    assert found[7].tickets == ()


def test_what_an_entry_cites_is_said_of_the_items_in_it_that_cite_nothing() -> None:
    text = (
        "## 1.0.0\n\n- Add pages (#12) (abcdef1)\n  - With a list\n    - of names\n  - Closes #7\n    - And a test\n"
        "- Mend it\n  - For good\n\n- abcdef2: Add it\n\n  Words.\n\n  ### Key Changes\n  - **Faster**: it runs\n\n"
        "### Fixed\n\n- Mend that\n"
    )
    assert [
        (d.text, d.tickets, d.metadata.get("commits"), d.metadata.get("inherited")) for d in entries(text)
    ] == [
        ("Add pages (#12)", ("#12",), ["abcdef1"], None),
        ("With a list", ("#12",), ["abcdef1"], True),
        ("of names", ("#12",), ["abcdef1"], True),
        ("Closes #7", ("#7",), None, None),
        ("And a test", ("#7",), None, True),
        ("Mend it", (), None, None),
        ("For good", (), None, None),
        ("Add it", (), ["abcdef2"], None),
        ("**Faster**: it runs", (), ["abcdef2"], True),
        ("Mend that", (), None, None),
    ]


def test_a_commit_of_digits_alone_is_one_where_changesets_wrote_the_list() -> None:
    found = entries(
        "## 1.0.0\n\n### Patch Changes\n\n- 8210970: Mend it\n\n### Fixed\n\n- 8210971: Mend it\n"
    )
    assert [(draft.text, draft.metadata.get("commits")) for draft in found] == [
        ("Mend it", ["8210970"]), ("8210971: Mend it", None),
    ]  # fmt: skip


def test_a_heading_in_the_code_of_an_item_heads_nothing() -> None:
    text = "## 1.0.0\n\n- Add it\n\n  ```md\n  ### Not this\n  ```\n\n        ### Nor this\n\n  - Mend it\n\n### Fixed\n\n- Mend them\n"
    assert told(text) == [
        ("1.0.0", "Changed", "Add it"), ("1.0.0", "Changed", "Mend it"), ("1.0.0", "Fixed", "Mend them"),
    ]  # fmt: skip


def test_the_text_right_below_a_heading_in_an_item_is_the_entry() -> None:
    assert told("## 1.0.0\n\n- ### Fixes\n  Mend the\n  page.\n- ### Empty\n- `## A` is kept\n") == [
        ("1.0.0", "Fixes", "Mend the page."),
        ("1.0.0", "Changed", "`## A` is kept"),
    ]


def test_a_release_in_small_letters_is_one() -> None:
    text = "## <small>[1.1.1](https://example.org/a/b/compare/v1.1.0...v1.1.1) (2026-06-30)</small>\n### Bug Fixes\n* mend it\n"
    assert told(f'{text}\n## <a name="1.1.0"></a>1.1.0 (2026-05-01)\n* add it\n') == [
        ("1.1.1", "Bug Fixes", "mend it"),
        ("1.1.0", "Changed", "add it"),
    ]
    assert [draft.metadata["releaseDate"] for draft in releases(text)] == ["2026-06-30"]
