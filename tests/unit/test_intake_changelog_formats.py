"""Changelogs as tools and projects write them: their lines, their releases, their markup, their roadmaps."""

from __future__ import annotations

import time

import pytest

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Draft, Reading, materialise
from t2c.ledger.intake.changelog import ChangelogExtractor
from t2c.ledger.intake.changes.lines import Told, told
from t2c.ledger.intake.releases import release_of

HASH = "6159d83eb6b277f1c95dbf2e5a9207940d97749f"
HOME = "https://h.example/o/mine"


class Nothing:
    """A tree without files."""

    def __contains__(self, path: str) -> bool:
        return False

    def named(self, name: str) -> tuple[str, ...]:
        return ()

    def content(self, path: str) -> bytes | None:
        return None


def read(text: str, path: str = "CHANGELOG.md") -> Reading:
    return ChangelogExtractor().read(path, text.encode(), Nothing())


def entries(text: str, path: str = "CHANGELOG.md") -> list[Draft]:
    return [draft for draft in read(text, path).records if draft.kind == "changelog_entry"]


def releases(text: str, path: str = "CHANGELOG.md") -> list[Draft]:
    return [draft for draft in read(text, path).records if draft.kind == "changelog_release"]


def ids(text: str, path: str = "CHANGELOG.md") -> list[str]:
    return [found.id for found in materialise(read(text, path))]


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("CHANGELOG-7.md", True), ("doc/CHANGELOG_V20.md", True), ("CHANGELOG.old.md", True), ("RELEASES.md", True),
        ("RELEASE_NOTES.rst", True), ("release-notes.txt", True), ("ChangeLog", True), ("change_log.md", True),
        ("changes.py", False), ("releases/1.md", False), ("history.c", False), ("CHANGES.org", True),
    ],
)  # fmt: skip
def test_names_of_changelogs_beyond_the_common_ones(path: str, wanted: bool) -> None:
    assert ChangelogExtractor().wants(path) is wanted


def test_the_record_of_a_release() -> None:
    reading = read("# Changelog\n\n## [1.2.0] - 2026-01-05\n\n### Added\n\n- a\n- b\n  - c\n\n## [1.1.0]\n")
    first, *_, last = list(materialise(reading))
    record = Record.model_validate_json(first.body)
    statement = record.statement
    assert (statement.kind, statement.action, statement.object, statement.subject, statement.text) == (
        "changelog_release", "release", "1.2.0", "release:1.2.0", "Release 1.2.0",
    )  # fmt: skip
    assert (statement.modality, statement.target.versions) == ("claimed", ("1.2.0",))
    assert (record.lifecycle.status, record.epistemic.cls, record.epistemic.confidence) == (
        "released",
        "claim",
        0.92,
    )
    assert record.epistemic.basis == ("markdown_release_heading",)
    assert (record.observedAt, record.source.rawExcerpt) == ("2026-01-05T00:00:00Z", "[1.2.0] - 2026-01-05")
    assert {key: record.metadata[key] for key in ("version", "releaseDate", "yanked", "package", "entries")} == {
        "version": "1.2.0", "releaseDate": "2026-01-05", "yanked": False, "package": None, "entries": 3,
    }  # fmt: skip
    assert first.lines == (3, 3)
    assert Record.model_validate_json(last.body).metadata["entries"] == 0


def test_a_new_entry_or_a_date_changes_no_id_of_a_release() -> None:
    before, after = "## 1.2.0\n- a\n", "## 1.2.0 (2026-01-05)\n- b\n- a\n"
    assert set(ids(before)) < set(ids(after))
    assert [draft.metadata["entries"] for draft in releases(after)] == [2]


def test_what_is_not_out_or_withdrawn_is_not_released() -> None:
    text = "## [Unreleased]\n- a\n## 1.1.0 - Unreleased\n- b\n## 1.0.0 - 2026-01-05 [YANKED]\n- c\n"
    assert [(draft.object, draft.status, draft.versions) for draft in releases(text)] == [
        ("Unreleased", "proposed", ()), ("1.1.0", "proposed", ("1.1.0",)), ("1.0.0", "unknown", ("1.0.0",)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "## 1.4.0 - 2026-03-01 [YANKED]\n\n- a\n",
        "## 1.4.0 - 2026-03-01 [yanked]\n\n- a\n",
        "## [1.4.0] - 2026-03-01 (Yanked: broken wheel)\n\n- a\n",
        "## ~~1.4.0~~ - 2026-03-01 **YANKED**\n\n- a\n",
        "## 1.4.0 (2026-03-01) [PULLED]\n\n- a\n",
        "## 1.4.0 - 2026-03-01 – withdrawn\n\n- a\n",
        "## 1.4.0 - 2026-03-01\n\nYanked.\n\n- a\n",
        "## 1.4.0 - 2026-03-01\n\n**This release was yanked because\nit broke.**\n\n- a\n",
        "## 1.4.0\n\n2026-03-01\n\n*Yanked*\n\n- a\n",
    ],
)
def test_every_spelling_of_yanked(text: str) -> None:
    (release,), (entry,) = releases(text), entries(text)
    assert (release.object, release.observed_at, release.status) == (
        "1.4.0",
        "2026-03-01T00:00:00Z",
        "unknown",
    )
    assert (release.metadata["yanked"], entry.metadata["yanked"], entry.status) == (True, True, "unknown")


def test_yanked_as_a_word_of_an_entry_or_of_later_text_withdraws_nothing() -> None:
    text = "## 1.4.0\n\n- Yanked files are hidden\n\nYanked packages are shown.\n\n- b\n"
    assert [draft.status for draft in read(text).records] == ["released"] * 3


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            f"**deps:** upgrade x ([#12]({HOME}/issues/12)) ([6159d83]({HOME}/commit/{HASH})), closes [#9]({HOME}/issues/9)",
            Told("upgrade x (#12)", "deps", False, None, (HASH,), ()),
        ),
        (
            f"*(cli)* [**breaking**] Drop x - ([6159d83]({HOME}/commit/{HASH}))",
            Told("Drop x", "cli", True, None, (HASH,), ()),
        ),
        (
            f"[#7]({HOME}/pull/7) [`6159d83`]({HOME}/commit/{HASH}) Thanks [@ada](https://h.example/ada), @eve! - Add x",
            Told("Add x", None, False, None, (HASH,), ("ada", "eve")),
        ),
        (
            f"[`6159d83`]({HOME}/commit/{HASH}) feat(rules)!: add x (#7) (Ada Lovelace)",
            Told("feat(rules)!: add x (#7)", "rules", True, "feat", (HASH,), ("Ada Lovelace",)),
        ),
        (
            f"[`6159d83`]({HOME}/commit/{HASH}) [#7]({HOME}/pull/7) Thanks [@ada](https://h.example/ada)! - Add x",
            Told("Add x", None, False, None, (HASH,), ("ada",)),
        ),
        (
            f"[6159d83]({HOME}/commit/{HASH}) [#7]({HOME}/pull/7) Thanks @ada! - Add x",
            Told("Add x", commits=(HASH,), authors=("ada",)),
        ),
        (f"[#7]({HOME}/pull/7) [`6159d83`]({HOME}/commit/{HASH}) - Add x", Told("Add x", commits=(HASH,))),
        ("#7 - Add x", Told("#7 - Add x")),
        ("ddea63a Chore: update x (#7)", Told("Chore: update x (#7)", None, False, "chore", ("ddea63a",), ())),
        (f"Add x by @ada in {HOME}/pull/12", Told("Add x", authors=("ada",))),
        ("Add x by @ada and @renovate[bot] in #12", Told("Add x", authors=("ada", "renovate[bot]"))),
        ("Fix x, see #12 (@ada)", Told("Fix x, see #12", authors=("ada",))),
        ("Updated dependencies [[`d0386b6`](x)]:", Told("Updated dependencies", commits=("d0386b6",))),
        ("**BREAKING:** drop x", Told("drop x", is_breaking=True)),
        ("**core**: do x", Told("do x", "core")),
        ("**Button:** do x", Told("do x", "Button")),
        ("**Note:** do x", Told("**Note:** do x")),
        ("**Fixed:** do x", Told("**Fixed:** do x")),
        ("**Two Words:** do x", Told("**Two Words:** do x")),
        ("Keep 2020 (2020101)", Told("Keep 2020 (2020101)")),
        ("Revive (defaced)", Told("Revive (defaced)")),
        ("abc1234 fix: mend (#3) (Pixel998)", Told("fix: mend (#3)", None, False, "fix", ("abc1234",), ("Pixel998",))),
        ("Mend x -- by @ada", Told("Mend x", authors=("ada",))),
        ("**Possible Breaking Change:** x", Told("**Possible Breaking Change:** x", is_breaking=True)),
        ("Fix a breaking loop", Told("Fix a breaking loop")),
        ("Mail by @ada", Told("Mail", authors=("ada",))),
        ("by @ada", Told("by @ada")),
        ("(#12)", Told("(#12)")),
        ("6159d83", Told("6159d83")),
        ("", Told("")),
    ],
)  # fmt: skip
def test_what_tools_write_around_a_statement_stands_beside_it(line: str, expected: Told) -> None:
    assert told(line) == expected


def test_a_line_of_any_length_is_taken_apart_in_linear_time() -> None:
    for line in (
        "x" + " (abcdef1)" * 400, "a, closes #1" * 400, "x by @a" * 600, "**a" * 1300, "(" * 4000, "@a, " * 1000,
        "[" * 4000, "`1234567` " * 400, "x (@" + "a, @" * 900 + ")", "#1 Thanks " + "@a" * 1900 + " x",
    ):  # fmt: skip
        started = time.process_time()
        told(line)
        assert time.process_time() - started < 2, line[:20]


def test_release_please_and_its_categories_at_the_level_of_a_patch() -> None:
    text = (
        f"# Changelog\n\n### [1.2.1]({HOME}/compare/v1.2.0...v1.2.1) (2026-01-05)\n\n\n### ⚠ BREAKING CHANGES\n\n"
        f"* **api:** drop x ([#5]({HOME}/issues/5))\n\n### Bug Fixes\n\n"
        f"* **api:** mend y ([#12]({HOME}/issues/12)) ([6159d83]({HOME}/commit/{HASH}))\n* mend z\n\n"
        "### Reverts\n\n* w\n\n### Miscellaneous Chores\n\n* v\n\n### Dependencies\n\n* u\n\n## Older\n\n* t\n"
    )
    (release,) = releases(text)
    assert (release.object, release.observed_at, release.metadata["entries"]) == (
        "1.2.1",
        "2026-01-05T00:00:00Z",
        6,
    )
    assert [(d.text, d.action, d.metadata.get("scope"), d.metadata.get("breaking")) for d in entries(text)] == [
        ("drop x (#5)", "change", "api", True), ("mend y (#12)", "fix", "api", None), ("mend z", "fix", None, None),
        ("w", "remove", None, None), ("v", "configure", None, None), ("u", "release", None, None),
    ]  # fmt: skip
    drop, mend, *_ = entries(text)
    assert mend.metadata["commits"] == [HASH]
    assert (drop.trail, mend.tickets) == (("1.2.1", "⚠ BREAKING CHANGES", "api"), ("#12",))


def test_a_scope_tells_equal_entries_apart_whatever_their_order() -> None:
    one, other = "* **a:** mend\n", "* **b:** mend\n"
    assert sorted(ids(f"## 1.0.0\n{one}{other}")) == sorted(ids(f"## 1.0.0\n{other}{one}"))
    first, second = entries(f"## 1.0.0\n{one}{other}")
    turned = list(materialise(read(f"## 1.0.0\n{other}{one}")))
    assert (first.text, second.text) == ("mend", "mend")
    assert [found.digest for found in turned[1:]] == [
        found.digest for found in list(materialise(read(f"## 1.0.0\n{one}{other}")))[:0:-1]
    ]


def test_a_conventional_line_gives_action_and_scope() -> None:
    text = "## 1.0.0\n- feat(parser): speed\n- docs: fix x\n- chore(deps)!: bump y\n"
    assert [(d.action, d.metadata.get("scope"), d.metadata["type"], d.metadata.get("breaking")) for d in entries(text)] == [
        ("add", "parser", "feat", None), ("document", None, "docs", None), ("configure", "deps", "chore", True),
    ]  # fmt: skip


def test_the_changelog_of_a_package_names_it() -> None:
    text = "# @scope/pkg\n\n## 1.2.3\n\n### Patch Changes\n\n- abc1234: Fix x\n- Updated dependencies\n  - other@2.0.0\n"
    (release,) = releases(text)
    assert (release.text, release.metadata["package"]) == ("Release @scope/pkg 1.2.3", "@scope/pkg")
    fix, _, other = entries(text)
    assert (fix.text, fix.action, fix.metadata["package"], fix.metadata["commits"]) == (
        "Fix x", "fix", "@scope/pkg", ["abc1234"],
    )  # fmt: skip
    assert other.versions == ("1.2.3",)
    assert releases("# pkg\n## 1.0.0\n", "packages/pkg/CHANGELOG.md")[0].metadata["package"] == "pkg"
    assert releases("# Changelog\n## 1.0.0\n", "packages/pkg/CHANGELOG.md")[0].metadata["package"] is None


@pytest.mark.parametrize(
    ("heading", "version", "package"),
    [
        ("@scope/pkg@1.2.3", "1.2.3", "@scope/pkg"), ("pkg@1.2.3 (2026-01-05)", "1.2.3", "pkg"),
        ("pkg/v1.2.3", "1.2.3", "pkg"), ("[pkg-v1.2.3](x)", "1.2.3", "pkg"), ("pkg: v1.2.3", "1.2.3", "pkg"),
        ("1.2.3", "1.2.3", None), ("Changes in Apache Thing 1.2.3", "1.2.3", None),
        ("Noteworthy changes in release 9.5 (2026-01-05) [stable]", "9.5", None),
        ("Version 1.4 BETA", "1.4-beta", None), ("Version 1.3 beta3 (2026-01-05)", "1.3-beta3", None), ("1.3 RC 2", "1.3-rc2", None),
        ("What's new in 2.0.0", "2.0.0", None), ("Thing 23.8.0. (2026-01-05)", "23.8.0", None),
    ],
)  # fmt: skip
def test_headings_that_name_a_package_or_say_what_is_new(
    heading: str, version: str, package: str | None
) -> None:
    found = release_of(heading.replace("(x)", ""), loose=True)
    assert found is not None
    assert (found.version, found.package) == (version, package)


def test_changes_of_something_in_development_are_unreleased() -> None:
    found = release_of("Changes in Apache Thing in development", loose=True)
    assert found is not None
    assert (found.version, found.unreleased) == ("Unreleased", True)
    assert release_of("Changes with Thing 0.3.0 [Tagged May 6, 2010, not released]", loose=True) is not None
    assert (
        entries("## Changes with Thing 0.3.0 [Tagged May 6, 2010, not released]\n- a\n")[0].status
        == "proposed"
    )


def test_a_roadmap_claims_no_delivery() -> None:
    text = "# Changelog\n## 1.0.0\n- a\n### Planned\n- b\n## Roadmap\n- c\n### 2.0\n- d\n## 0.9.0\n- e\n# Future plans\n- f\n"
    assert [(d.text, d.status, d.cls, d.modality, d.subject) for d in entries(text)] == [
        ("a", "released", "claim", "claimed", "release:1.0.0"),
        ("b", "proposed", "plan", "unknown", "release:1.0.0"),
        ("c", "proposed", "plan", "unknown", "release:Unreleased"),
        ("d", "proposed", "plan", "unknown", "release:Unreleased"),
        ("e", "released", "claim", "claimed", "release:0.9.0"),
        ("f", "proposed", "plan", "unknown", "release:Unreleased"),
    ]  # fmt: skip
    assert [draft.object for draft in releases(text)] == ["1.0.0", "0.9.0"]
    assert entries("## 1.0.0\n### Planned downtime is shown\n- a\n")[0].status == "released"


RST = (
    "Changelog\n=========\n\nVersion 2.1.0\n-------------\n\nUnreleased\n\n-   Drop it. :pr:`12`\n\n"
    "Version 2.0.0\n-------------\n\nReleased 2026-01-05\n\n-   Fix ``parse_it`` in `the guide <docs/a.md>`_,\n"
    "    which failed. :issue:`3, 4`\n\n    -   On Windows too.\n-   Add :func:`~pkg.load`.\n"
)


def test_restructured_text_is_read_like_markdown() -> None:
    assert [(d.object, d.status, d.observed_at, d.basis) for d in releases(RST, "CHANGES.rst")] == [
        ("2.1.0", "proposed", None, ("rst_release_heading",)),
        ("2.0.0", "released", "2026-01-05T00:00:00Z", ("rst_release_heading",)),
    ]
    drop, fix, windows, add = entries(RST, "CHANGES.rst")
    assert (drop.text, drop.tickets, drop.action) == ("Drop it. #12", ("#12",), "remove")
    assert (fix.text, fix.tickets, fix.symbols, fix.paths, fix.lines) == (
        "Fix `parse_it` in the guide, which failed. #3, #4", ("#3", "#4"), ("parse_it",), ("docs/a.md",), (16, 17),
    )  # fmt: skip
    assert windows.metadata["parent"] == fix.text
    assert (windows.tickets, windows.metadata["inherited"]) == (("#3", "#4"), True)
    assert (add.text, add.symbols) == ("Add `pkg.load()`.", ("pkg.load",))
    assert ids(RST.replace("\n", "\r\n"), "CHANGES.rst") == ids(RST, "CHANGES.rst")


def test_text_files_are_read_as_what_they_look_like() -> None:
    for path in ("CHANGES", "CHANGES.txt"):
        assert [draft.text for draft in entries(RST, path)] == [
            draft.text for draft in entries(RST, "CHANGES.rst")
        ]
        assert [draft.text for draft in entries("1.0.0 / 2026-01-05\n======\n\n * a\n", path)] == ["a"]


def test_plain_text_with_indented_lists() -> None:
    text = (
        "Revision history for Thing\n\n1.23  2026-01-05\n    - Fix x\n      on y\n    - Add z\n\n"
        "1.22  Mon Jan 5 2025\n        [Fixes]\n        * Mend w\n\n0.9 2020-01-05\n  - v\n"
    )
    for path in ("Changes", "CHANGES.txt"):
        assert [(d.metadata["version"], d.text, d.action) for d in entries(text, path)] == [
            ("1.23", "Fix x on y", "fix"), ("1.23", "Add z", "add"), ("1.22", "Mend w", "fix"), ("0.9", "v", "change"),
        ]  # fmt: skip
        assert [draft.basis for draft in releases(text, path)] == [("plain_release_line",)] * 3
    (release,) = releases("1.0.0 / 2026-01-05\n=====\n\n * a\n", "History")
    assert release.basis == ("text_release_heading",)


def test_the_outline_of_gnu_news() -> None:
    text = (
        "GNU thing NEWS   -*- outline -*-\n\n* Noteworthy changes in release 9.5 (2026-01-05) [stable]\n\n** Bug fixes\n\n"
        "  ls no longer fails\n  on x.\n  [bug introduced in 9.4]\n\n  cp mends y.\n\n** New features\n\n  mv learns z.\n\n\n"
        "* Noteworthy changes in release 9.4 (2025-01-05) [stable]\n\n** Changes\n\n  w.\n"
    )
    assert [(d.metadata["version"], d.action, d.text) for d in entries(text, "NEWS")] == [
        ("9.5", "fix", "ls no longer fails on x. [bug introduced in 9.4]"), ("9.5", "fix", "cp mends y."),
        ("9.5", "add", "mv learns z."), ("9.4", "change", "w."),
    ]  # fmt: skip


def test_headings_with_a_version_close_a_release_even_where_they_say_changes() -> None:
    text = "## 1.0.0\n- a\n## Changes of the fork 0.5.0 to this\n- b\n"
    assert [draft.text for draft in entries(text)] == ["a"]


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("docs/releases/4.2.txt", True), ("doc/whatsnew/v1.2.0.rst", True), ("release-notes/2.0.0-rc1.md", True),
        ("docs/releases/index.md", False), ("docs/4.2.md", False), ("changes/12.md", False), ("changes/1.2.feature.rst", False),
        ("changes/1.2.py", False),
    ],
)  # fmt: skip
def test_a_file_of_release_notes_may_have_its_version_for_a_name(path: str, wanted: bool) -> None:
    assert ChangelogExtractor().wants(path) is wanted


def test_the_name_of_the_file_announces_a_release_that_no_heading_does() -> None:
    path = "docs/releases/4.2.txt"
    text = "========================\nThing 4.2 release notes\n========================\n\n*2026-01-05*\n\nNew features\n============\n\n* Add x\n"
    (release,), (entry,) = releases(text, path), entries(text, path)
    assert (release.object, release.observed_at, release.metadata["entries"]) == (
        "4.2",
        "2026-01-05T00:00:00Z",
        1,
    )
    assert (entry.action, entry.subject, entry.observed_at) == ("add", "release:4.2", "2026-01-05T00:00:00Z")
    assert [draft.object for draft in releases("- a\n", path)] == ["4.2"]
    assert [draft.object for draft in releases("- a\n", "docs/release-notes-3.2.6rc1.md")] == ["3.2.6rc1"]
    assert [draft.object for draft in releases("# 4.2.0\n- a\n# 4.1\n- b\n", path)] == ["4.2.0", "4.1"]
    assert ids("- a\n", path) == ids("\n\n- a\n", path)


def test_a_heading_with_a_package_must_go_on_like_a_release() -> None:
    assert release_of("python-v3.8 support dropped", loose=True) is None
    assert release_of("pkg-v3.8 (2026-01-05)", loose=True) is not None


@pytest.mark.parametrize(
    "heading", ["vNext", "2.0.0 (in development)", "main (unreleased)", "2.0.0 - not yet released"]
)
def test_further_ways_to_say_unreleased(heading: str) -> None:
    assert [draft.status for draft in read(f"## {heading}\n- a\n").records] == ["proposed", "proposed"]
