"""News fragments: which files are some, what their names say, and what they claim."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Draft, Reading, materialise
from t2c.ledger.intake.changes.fragments import FRAGMENT_FOLDERS, FragmentExtractor
from t2c.ledger.intake.changes.towncrier import DEFAULT_TYPES, Name, name_of
from t2c.ledger.intake.docs.extractor import DocumentExtractor


class Files:
    """A tree of the given files that remembers what it was asked."""

    def __init__(self, files: Mapping[str, str] | None = None) -> None:
        self.files = dict(files or {})
        self.asked: list[str] = []

    def __contains__(self, path: str) -> bool:
        return path in self.files

    def named(self, name: str) -> tuple[str, ...]:
        return ()

    def content(self, path: str) -> bytes | None:
        self.asked.append(path)
        return self.files[path].encode() if path in self.files else None


def read(path: str, text: str = "Add x.\n", files: Mapping[str, str] | None = None) -> Reading:
    assert FragmentExtractor().wants(path)
    return FragmentExtractor().read(path, text.encode(), Files(files))


def one(path: str, text: str = "Add x.\n", files: Mapping[str, str] | None = None) -> Draft:
    (draft,) = read(path, text, files).records
    return draft


def reasons(reading: Reading) -> list[str]:
    return [warning.reason for warning in reading.warnings]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("123.feature.rst", Name("feature", "#123")),
        ("1234.bugfix.1.rst", Name("bugfix", "#1234")),
        ("007.doc", Name("doc", "#7")),
        ("+12345.feature.rst", Name("feature", None)),
        ("+anything.misc", Name("misc", None)),
        ("fix-1.2.3.bugfix.md", Name("bugfix", None)),
        ("gh-12.removal.rst", Name("removal", "#12")),
        ("ABC-12.bugfix", Name("bugfix", "ABC-12")),
        ("0.misc", Name("misc", None)),
        ("some.thing.feature.ext", Name("feature", None)),
        ("feature.bugfix.rst", Name("bugfix", None)),
        ("1.doc.feature.rst", Name("feature", None)),
        ("123.rst", None),
        ("feature", None),
    ],
)
def test_the_type_comes_from_the_right_and_a_ticket_is_a_number_or_a_key_alone(
    name: str, expected: Name | None
) -> None:
    assert name_of(name, DEFAULT_TYPES) == expected


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("newsfragments/1.feature.rst", True), ("src/pkg/newsfragments/1.misc", True), ("changes/1.bugfix.2", True),
        ("docs/upcoming/1.compatibility.rst", True), ("newsfragments/odd.rst", True), (".changeset/two-cats.md", True),
        ("packages/a/.changeset/x.md", True), (".changeset/README.md", False), (".changeset/config.json", False),
        ("newsfragments/README.rst", False), ("changes/template.feature.rst", False), ("README.md", False),
        ("src/a.py", False), ("docs/guide.rst", False), ("news/.gitignore", False), ("a/b.c.py", False), ("1.feature", False),
    ],
)  # fmt: skip
def test_which_files_are_wanted(path: str, wanted: bool) -> None:
    assert FragmentExtractor().wants(path) is wanted


def test_wanting_a_path_takes_no_time() -> None:
    wants = FragmentExtractor().wants
    paths = [f"src/package/module_{number}/file_{number}.py" for number in range(20_000)]
    started = time.process_time()
    for path in paths:
        wants(path)
    assert (time.process_time() - started) / len(paths) < 3e-6


def test_the_record_of_a_fragment() -> None:
    reading = read(
        "newsfragments/12.feature.rst", "Add :func:`load`\nto ``src/a.py``. :pr:`13`\n\nSee ``b.call``.\n"
    )
    (found,) = materialise(reading)
    record = Record.model_validate_json(found.body)
    assert (record.statement.kind, record.statement.action, record.statement.subject) == (
        "changelog_fragment", "add", "release:Unreleased",
    )  # fmt: skip
    assert record.statement.text == "Add `load()` to `src/a.py`. #13"
    assert record.statement.target.model_dump() == {
        "paths": ("src/a.py",), "symbols": ("b.call", "load"), "tickets": ("#12", "#13"), "versions": (),
    }  # fmt: skip
    assert (record.lifecycle.status, record.epistemic.cls, record.epistemic.confidence) == (
        "proposed",
        "claim",
        0.92,
    )
    assert record.epistemic.basis == ("towncrier_fragment",)
    assert (record.observedAt, found.lines) == (None, (1, 2))
    assert {key: record.metadata[key] for key in ("version", "releaseDate", "yanked", "category", "type")} == {
        "version": "Unreleased", "releaseDate": None, "yanked": False, "category": "Features", "type": "feature",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "text", "action"),
    [
        ("feature", "x", "add"), ("bugfix", "Add x", "fix"), ("doc", "x", "document"), ("removal", "x", "remove"),
        ("misc", "Rename x", "refactor"), ("misc", "x", "change"), ("breaking", "Add x", "change"), ("security", "x", "fix"),
    ],
)  # fmt: skip
def test_the_type_decides_the_action_then_the_words_do(kind: str, text: str, action: str) -> None:
    assert one(f"newsfragments/1.{kind}.rst", text).action == action


def test_an_empty_fragment_still_tells_of_a_change() -> None:
    draft = one("newsfragments/12.misc.rst", "\n")
    assert (draft.text, draft.tickets, draft.lines, draft.action) == ("12.misc", ("#12",), None, "change")


def test_each_item_of_a_list_is_a_change() -> None:
    reading = read("newsfragments/12.feature.md", "- Add x\n  - in y\n- **core:** Add z (@ada)\n")
    assert [(d.text, d.metadata["parent"], d.trail) for d in reading.records] == [
        ("Add x", None, ()), ("in y", "Add x", ("Add x",)), ("Add z", None, ("core",)),
    ]  # fmt: skip
    assert reading.records[2].metadata["authors"] == ["ada"]
    assert all("#12" in draft.tickets for draft in reading.records)


TOOL = '[tool.towncrier]\ndirectory = "docs/upcoming/"\n[[tool.towncrier.type]]\ndirectory = "compat"\nname = "Compatibility"\n'


def test_the_configuration_names_folder_types_and_sections() -> None:
    files = {"pyproject.toml": TOOL}
    draft = one("docs/upcoming/3.compat.rst", files=files)
    assert (draft.metadata["category"], draft.basis) == (
        "Compatibility",
        ("towncrier_fragment", "configured_folder"),
    )
    assert read("docs/other/3.compat.rst", files=files).records == ()
    assert reasons(read("docs/upcoming/3.feature.rst", files=files)) == ["fragment_not_understood"]
    own = {"src/pkg/towncrier.toml": '[tool.towncrier]\ndirectory = "n"\n', "pyproject.toml": TOOL}
    assert one("src/pkg/n/3.feature.rst", files=own).metadata["category"] == "Features"
    sections = {
        "pyproject.toml": '[tool.towncrier]\npackage = "a.b"\npackage_dir = "src"\n'
        '[[tool.towncrier.section]]\npath = ""\n[[tool.towncrier.section]]\nname = "Web"\npath = "web"\n'
        '[tool.towncrier.fragment.chore]\n'
    }  # fmt: skip
    draft = one("src/a/b/web/newsfragments/3.chore.rst", files=sections)
    assert (draft.metadata["section"], draft.metadata["category"]) == ("Web", "Chore")
    assert "section" not in one("src/a/b/newsfragments/3.chore.rst", files=sections).metadata


@pytest.mark.parametrize(
    "config",
    ["towncrier = [", "[tool.towncrier]\ndirectory = 3\ntype = 1\nsection = [2]\nfragment = 'x'\n", "[tool]\ntowncrier = 1\n", "# towncrier\n"],
)  # fmt: skip
def test_a_configuration_that_says_nothing_leaves_the_usual_folders(config: str) -> None:
    files = {"pyproject.toml": config, "towncrier.toml": config}
    assert one("newsfragments/1.feature.rst", files=files).metadata["category"] == "Features"
    assert read("elsewhere/1.feature.rst", files=files).records == ()


def test_what_is_asked_of_the_tree_is_the_configuration_alone() -> None:
    tree = Files({"pyproject.toml": TOOL})
    FragmentExtractor().read("docs/upcoming/3.compat.rst", b"x", tree)
    assert tree.asked == [
        "docs/upcoming/towncrier.toml", "docs/upcoming/pyproject.toml", "docs/towncrier.toml", "docs/pyproject.toml",
        "towncrier.toml", "pyproject.toml",
    ]  # fmt: skip


def test_names_without_a_type_are_noted_only_where_fragments_are() -> None:
    assert reasons(read("newsfragments/12.rst")) == ["fragment_not_understood"]
    reading = read("docs/index.pl.md", "# Dokumentacja\n")
    assert (reading.records, reading.warnings, reading.complete) == ((), (), True)


def test_a_changeset_tells_packages_and_bumps() -> None:
    text = '---\n"@scope/a": minor\nb: major\n---\n\nfeat(core): add x (#12)\n\nMore about `y.z`.\n'
    draft = one(".changeset/two-cats.md", text)
    assert (draft.text, draft.action, draft.tickets, draft.symbols, draft.lines) == (
        "feat(core): add x (#12)", "add", ("#12",), ("y.z",), (6, 6),
    )  # fmt: skip
    assert (draft.basis, draft.status) == (("changeset_front_matter",), "proposed")
    assert {key: draft.metadata.get(key) for key in ("category", "packages", "breaking", "package", "scope")} == {
        "category": "Major Changes", "packages": {"@scope/a": "minor", "b": "major"}, "breaking": True, "package": None,
        "scope": "core",
    }  # fmt: skip
    assert one(".changeset/x.md", "---\na: patch\n---\nFix x\n").metadata["package"] == "a"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Add x\n", ["fragment_not_understood"]), ("---\na: minor\n", ["fragment_not_understood"]),
        ("---\nwhat?\n---\nAdd x\n", ["front_matter_not_understood"]), ("---\n---\n", []), ("", ["fragment_not_understood"]),
        ("---\n" + "# x\n" * 600 + "---\n", ["fragment_not_understood"]),
    ],
)  # fmt: skip
def test_front_matter_that_is_none(text: str, expected: list[str]) -> None:
    assert reasons(read(".changeset/x.md", text)) == expected


def test_a_binary_file_is_incomplete() -> None:
    reading = FragmentExtractor().read("newsfragments/1.feature", b"a\0b", Files())
    assert (reading.records, reading.complete, reasons(reading)) == ((), False, ["binary_file"])


def test_line_endings_and_blank_lines_change_no_id() -> None:
    for path, text in (
        ("newsfragments/1.feature.rst", "Add x\nand y.\n\nMore.\n"),
        (".changeset/x.md", "---\na: minor\n---\nAdd x\n"),
    ):
        ids = [found.id for found in materialise(read(path, text))]
        assert ids
        assert [found.id for found in materialise(read(path, text.replace("\n", "\r\n")))] == ids
        assert [found.id for found in materialise(read(path, text.replace("Add", "\n\nAdd")))] == ids


def test_what_is_cut_short_is_noted() -> None:
    reading = read("newsfragments/1.feature.rst", "word " * 2000)
    assert reasons(reading) == ["statement_truncated", "excerpt_truncated"]
    assert len(reading.records[0].text) <= 4000


@pytest.mark.parametrize("folder", sorted(FRAGMENT_FOLDERS))
def test_what_lies_in_a_folder_of_fragments_is_one_to_every_reader(folder: str) -> None:
    path = f"{folder}/a.md" if folder == ".changeset" else f"{folder}/12.feature.md"
    assert FragmentExtractor().wants(path)
    assert not DocumentExtractor().wants(path)
    if folder != ".changeset":
        other = path.replace(folder, folder.upper())
        assert not DocumentExtractor().wants(other)
        assert read(other).records
