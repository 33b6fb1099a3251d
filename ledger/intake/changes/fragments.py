"""News fragments: one change in one file, written before the release that will tell of it (intent-evidence §2.6).

Read are towncrier's (`newsfragments/12.feature.rst`) and changesets (`.changeset/some-name.md`, which knope shares).
A fragment claims a change that no release has brought yet: `proposed`. Its kind of change comes from the right part
of its name, or from the bump of its front matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from t2c.ledger.events.record import Action, SourceKind
from t2c.ledger.intake import markup, rst
from t2c.ledger.intake.base import Draft, Reading, Scope, Tree
from t2c.ledger.intake.changes.categories import action_of, is_breaking
from t2c.ledger.intake.changes.drafts import CONFIDENCE
from t2c.ledger.intake.changes.formats import item_of
from t2c.ledger.intake.changes.lines import told
from t2c.ledger.intake.changes.towncrier import DEFAULT_TYPES, Folder, folder_of, name_of
from t2c.ledger.intake.lines import Notes, text_lines
from t2c.ledger.intake.markup import Block, Code, Heading, Item, Paragraph, Row
from t2c.ledger.intake.mentions import mentions
from t2c.ledger.intake.products import without_product_versions
from t2c.ledger.intake.releases import UNRELEASED
from t2c.ledger.intake.text import action_and_object
from t2c.ledger.intake.vocabulary import words

__all__ = ["FRAGMENT_FOLDERS", "FragmentExtractor"]

_TEXT: Final = (".rst", ".md", ".txt")
_SHAPE: Final = re.compile(r".*[^.]\.[A-Za-z][\w-]*(?:\.\d{1,4})?\.(?:rst|md|txt)$")
_STRICT: Final = words("newsfragments newsfragment changelog.d")
"""Folders that hold nothing but fragments."""
_USUAL: Final = _STRICT | words(
    "news .changes changes changelog changelogs fragments upcoming_changes changes.d news.d"
)
FRAGMENT_FOLDERS: Final = _USUAL | words(".changeset")
"""Folders, in lower case, of news fragments in any repository; a configuration may name others."""
_TYPES: Final[Mapping[str, str]] = {
    **DEFAULT_TYPES,
    "added": "Added", "changed": "Changed", "deprecated": "Deprecated", "fixed": "Fixed", "removed": "Removed",
    "security": "Security", "breaking": "Breaking Changes", "bug": "Bugfixes", "fix": "Bugfixes", "docs": "Documentation",
    "change": "Changes", "deprecation": "Deprecations", "improvement": "Improvements", "enhancement": "Enhancements",
    "performance": "Performance", "perf": "Performance", "internal": "Internal", "packaging": "Packaging",
    "process": "Process", "trivial": "Trivial", "vendor": "Vendored Libraries", "contrib": "Contributor-facing Changes",
    "api": "API Changes", "compatibility": "Compatibility", "new_feature": "New Features", "highlight": "Highlights",
}  # fmt: skip
"""Types where no configuration names any."""
_LAST: Final = frozenset(("rst", "md", "txt", *_TYPES))
_NO_FRAGMENT: Final = re.compile(r"(?:readme|template|_|\.|towncrier)", re.IGNORECASE)
_BUMP: Final = re.compile(r"[\"']?([^\"':]+)[\"']?\s*:\s*[\"']?(major|minor|patch|none)[\"']?\s*$")
_BUMPS: Final = ("major", "minor", "patch", "none")
_FRONT: Final = 500
"""Lines within which front matter must end."""


class _Kind(NamedTuple):
    """What the name or the front matter of a fragment says of its change."""

    category: str
    action: Action | None
    basis: tuple[str, ...]
    tickets: tuple[str, ...]
    metadata: dict[str, Any]


class FragmentExtractor:
    """Reads towncrier's fragments and changesets, wherever the project keeps them.

    A file is wanted for the shape of its name; whether it is a fragment, its folder and the configuration tell. A
    file that is none yields nothing and is no omission.
    """

    name = "t2c/news-fragment@2"
    source: SourceKind = "changelog"

    def wants(self, path: str) -> bool:
        """True for `….type.rst`, `….type` of a known type, and all text in a folder of fragments."""
        ending = path[path.rfind(".") + 1 :]
        if ending not in _LAST and not ending.isdigit():
            return False
        folder, _, name = path.rpartition("/")
        if name.endswith(_TEXT):
            if ".changeset" in folder:
                return ending == "md" and not _NO_FRAGMENT.match(name)
            fits = name.count(".") > 1 and _SHAPE.match(name) is not None
            return (fits or folder.rpartition("/")[2] in _STRICT) and not _NO_FRAGMENT.match(name)
        stem = name.rpartition(".")[0]
        return bool(folder and stem) and (ending in _TYPES or stem.rpartition(".")[2] in _TYPES)

    def read(self, path: str, content: bytes, tree: Tree) -> Reading:
        """The change of one fragment; one more for each further item of a list. Incomplete if binary."""
        scope, notes = Scope(self.source, path), Notes(self.source, path)
        folder, _, name = path.rpartition("/")
        changeset = ".changeset" in folder.split("/")
        place = None if changeset else _place(folder, tree)
        if place is None and not changeset:
            return Reading(scope, self.name, ())
        lines = text_lines(content, notes)
        if lines is None:
            return Reading(scope, self.name, (), notes.warnings(), complete=False)
        if place is None:
            skipped, kind = _front_matter(lines, notes)
            written = markup.blocks(_below(skipped, lines), notes)
        else:
            skipped, kind = 0, _named(name, place, notes)
            written = (markup if name.endswith(".md") else rst).blocks(lines, notes)
        records = () if kind is None else tuple(_changes(name, kind, written, notes))
        return Reading(scope, self.name, records, notes.warnings())


def _place(folder: str, tree: Tree) -> Folder | None:
    """What the configuration says of a folder, or what its own name does."""
    found = folder_of(folder, tree)
    if found is None and folder.rpartition("/")[2].lower() in _USUAL:
        return Folder(_TYPES, None, is_configured=False)
    return found


def _named(name: str, place: Folder, notes: Notes) -> _Kind | None:
    found = name_of(name, place.types)
    if found is None:
        notes.add("fragment_not_understood", "no part of the name is a type of change")
        return None
    category = place.types[found.type]
    metadata: dict[str, Any] = {"type": found.type}
    if place.section:
        metadata["section"] = place.section
    if is_breaking(category) or found.type == "breaking":
        metadata["breaking"] = True
    return _Kind(
        category,
        "change" if found.type == "breaking" else action_of(found.type) or action_of(category),
        ("towncrier_fragment", *(("configured_folder",) if place.is_configured else ())),
        (found.ticket,) if found.ticket else (),
        metadata,
    )


def _front_matter(lines: Iterator[str], notes: Notes) -> tuple[int, _Kind | None]:
    """How many lines the front matter of a changeset has, and what it says."""
    packages: dict[str, str] = {}
    first = next(lines, "")
    if first.rstrip() != "---":
        notes.add("fragment_not_understood", "a changeset begins with front matter")
        return 1, None
    for number, line in enumerate(lines, 2):
        body = line.strip()
        if body == "---":
            break
        match = _BUMP.match(body)
        if match is not None:
            packages[match[1].strip()] = match[2]
        elif body and not body.startswith("#"):
            notes.add("front_matter_not_understood", "a line that names no package and bump", number)
        if number >= _FRONT:
            notes.add("fragment_not_understood", "front matter that does not end")
            return number, None
    else:
        notes.add("fragment_not_understood", "front matter that does not end")
        return 1, None
    bump = next((bump for bump in _BUMPS if bump in packages.values()), "none")
    metadata: dict[str, Any] = {"type": bump, "packages": {name: packages[name] for name in sorted(packages)}}
    if len(packages) == 1:
        metadata["package"] = next(iter(packages))
    if bump == "major":
        metadata["breaking"] = True
    category = f"{bump.capitalize()} Changes" if packages else "Changed"
    return number, _Kind(category, None, ("changeset_front_matter",), (), metadata)


def _below(skipped: int, lines: Iterable[str]) -> Iterator[str]:
    """The lines under the front matter, each at its own number."""
    yield from ("" for _ in range(skipped))
    yield from lines


def _changes(name: str, kind: _Kind, blocks: Iterable[Block], notes: Notes) -> Iterator[Draft]:
    """The first paragraph is the change, or each item of a list is; what else there is says more of it."""
    first: Paragraph | None = None
    more: list[str] = []
    items: list[Item] = []
    for block in blocks:
        match block:
            case Paragraph():
                if first is None and not items:
                    first = block
                else:
                    more += [line for _, line in block.lines]
            case Item():
                items.append(block)
            case Heading():
                more.append(block.text)
            case Row():
                more += block.cells
            case Code():
                notes.add("code_not_read", "code in a fragment; it is no change", block.line)
    if first is not None:
        item = item_of(first, notes, " ".join((*more, *(item.text for item in items))))
        yield _draft(item, kind, [])
    elif items:
        around: list[str] = []
        for item in items:
            del around[item.depth :]
            held = [above for above in around if above]
            around.append(told(item.text).text)
            if around[-1]:
                yield _draft(item, kind, held)
    else:
        # An empty fragment still says that there is a change, of which ticket and of what kind.
        bare = name.removesuffix(next((ending for ending in _TEXT if name.endswith(ending)), ""))
        yield _draft(Item(0, bare, "", 1, 1), kind, [])


def _draft(item: Item, kind: _Kind, held: list[str]) -> Draft:
    entry = told(item.text, item.more)
    found = mentions(without_product_versions(f"{item.text} {item.more}" if item.more else item.text))
    done, about = action_and_object(entry.text, kind.action)
    metadata: dict[str, Any] = {
        "version": UNRELEASED,
        "releaseDate": None,
        "yanked": False,
        "category": kind.category,
        "parent": held[-1] if held else None,
        **kind.metadata,
    }
    if entry.scope:
        metadata["scope"] = entry.scope
    if entry.is_breaking:
        metadata["breaking"] = True
    if entry.commits:
        metadata["commits"] = list(entry.commits)
    if entry.authors:
        metadata["authors"] = list(entry.authors)
    return Draft(
        kind="changelog_fragment",
        text=entry.text,
        object=about,
        action="change" if done == "unknown" else done,
        cls="claim",
        status="proposed",
        confidence=CONFIDENCE,
        basis=kind.basis,
        trail=(*held, entry.scope) if entry.scope else tuple(held),
        lines=(item.start, item.end) if item.raw else None,
        subject=f"release:{UNRELEASED}",
        modality="claimed",
        paths=found.paths,
        symbols=found.symbols,
        tickets=(*kind.tickets, *found.tickets),
        versions=found.versions,
        excerpt=item.raw or item.text,
        metadata=metadata,
    )
