"""Tags: which commit is which release, as Git's own tags say (better-than §1.6).

A tag is found by its name: one that moved keeps its id and is observed again, one that was deleted is absent from
a reading that is complete. Trees and files that are tagged are no releases and are counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import IO, Any, Final, NamedTuple

from t2c.ledger.intake.base import Draft, Reading, Scope, Warning, shortened
from t2c.ledger.intake.git_command import GitUnusable, Repository
from t2c.ledger.intake.git_log import Tag, parse_commit, parse_tag, read_objects
from t2c.ledger.intake.git_message import without_mail

__all__ = ["EXTRACTOR", "PLACE", "TagRef", "list_refs", "read_tags", "version_of"]

EXTRACTOR: Final = "t2c/git-tags@1"
PLACE: Final = "refs/tags"
"""Path of the scope of tags: they are read as a whole, apart from the commits."""

_SOURCE: Final = "git"
_MAX_LINE: Final = 500
_VERSION: Final = re.compile(
    r"(?:(?P<package>[^\s]{1,200}?)(?:@v?|/v?|[-_]v?)|v(?:ersion)?[-_./]?)?"
    r"(?P<version>\d{1,9}(?:\.\d{1,9}){1,3}(?:[.+a-zA-Z-][0-9A-Za-z.+-]{0,60})?)\Z"
)
_PLAIN: Final = re.compile(r"(?:(?P<package>[^\s]{1,200}?)[@/_-])?v(?P<version>\d{1,9})\Z")
_NO_PACKAGE: Final = frozenset(
    ["v", "ver", "version", "rel", "release", "releases", "r", "tag", "tags", "stable"]
)


class TagRef(NamedTuple):
    """One ref below `refs/tags`: its name, and the object that it names (a commit or a tag object, mostly)."""

    name: str
    object: str
    type: str


class Refs(NamedTuple):
    """What was listed: all tags in byte order of their names, and how many objects are replaced by others."""

    tags: tuple[TagRef, ...]
    replaced: int


def list_refs(repository: Repository) -> Refs:
    """The tags and the replacements of a repository. Raises GitUnusable."""
    tags: list[TagRef] = []
    replaced = 0
    form = "--format=%(objectname) %(objecttype) %(refname)"
    with repository.output("for-each-ref", form, "refs/tags", "refs/replace") as stream:
        for line in stream:
            named, kind, ref = line.rstrip(b"\n").split(b" ", 2)
            if ref.startswith(b"refs/replace/"):
                replaced += 1
            else:
                name = ref.removeprefix(b"refs/tags/").decode("utf-8", "backslashreplace")
                tags.append(TagRef(name, named.decode("ascii"), kind.decode("ascii")))
    return Refs(tuple(sorted(tags)), replaced)


def read_tags(repository: Repository, tags: Sequence[TagRef]) -> Reading:
    """One `git_tag_fact` for each tag that names a commit; complete unless Git broke off."""
    scope = Scope(_SOURCE, PLACE)
    records: list[Draft] = []
    astray: list[str] = []
    warnings: list[Warning] = []
    complete = True
    wanted: list[str] = []
    for tag in tags:
        if tag.type == "tag":
            wanted += (tag.object, f"{tag.object}^{{commit}}")
        elif tag.type == "commit":
            wanted.append(tag.object)
    try:
        if wanted:
            with repository.output("cat-file", "--batch", lines=wanted) as stream:
                for tag, found in _objects(tags, stream):
                    if found is None:
                        astray.append(tag.name)
                    else:
                        records.append(_draft(tag, found[0], *found[1:]))
        else:
            astray = [tag.name for tag in tags]
    except GitUnusable as problem:
        warnings.append(Warning(_SOURCE, PLACE, problem.reason, problem.detail))
        complete = False
    if astray:
        named = ", ".join(sorted(astray)[:5]) + (", …" if len(astray) > 5 else "")
        detail = f"tags that name no commit (a tree, a file or a lost object): {named}"
        warnings.append(Warning(_SOURCE, PLACE, "tag_without_commit", detail, len(astray)))
    return Reading(scope, EXTRACTOR, tuple(records), tuple(warnings), complete)


_Found = tuple[str, str | None, Tag | None]
"""The commit, its date, and the tag object if there is one."""


def _objects(tags: Sequence[TagRef], stream: IO[bytes]) -> Iterator[tuple[TagRef, _Found | None]]:
    objects = read_objects(stream)
    for tag in tags:
        made: Tag | None = None
        if tag.type not in ("tag", "commit"):
            yield tag, None
            continue
        if tag.type == "tag":
            item = next(objects, None)
            made = parse_tag(item[2]) if item is not None else None
        named = next(objects, None)
        if named is None or named[1] != b"commit":
            yield tag, None
            continue
        yield tag, (named[0], parse_commit(named[0], named[2]).committer.when, made)


def _draft(tag: TagRef, commit: str, when: str | None, made: Tag | None) -> Draft:
    package, version = version_of(tag.name)
    message = "" if made is None else made.message.partition("\n")[0].strip()
    metadata: dict[str, Any] = {
        "tag": tag.name,
        "commit": commit,
        "annotated": made is not None,
        "package": package,
        "tagger": made.tagger.name or None if made else None,
        "message": shortened(without_mail(message), _MAX_LINE) or None,
        "signed": made is not None and made.signed,
    }
    return Draft(
        kind="git_tag_fact",
        text=tag.name,
        object=tag.name,
        action="release" if version else "declare",
        cls="fact",
        status="released" if version else "unknown",
        confidence=1.0,
        basis=("git_tag",),
        symbol=tag.name,
        actor=metadata["tagger"],
        subject=tag.name,
        modality="observed",
        versions=(version,) if version else (),
        observed_at=(made.tagger.when if made else None) or when,
        metadata=metadata,
    )


def version_of(name: str) -> tuple[str | None, str | None]:
    """(package, version without `v`) of a tag's name, each None if it names none.

    `v1.2.3`, `release-1.2`, `pkg@1.2.3`, `pkg/v1.2.3` and `pkg-1.2.3` end in a version; `nightly` and `2024` do not.
    """
    found = _VERSION.match(name) or _PLAIN.match(name)
    if found is None:
        return None, None
    package = found["package"]
    if package is not None and package.lower().rstrip("-_./") in _NO_PACKAGE:
        package = None
    return package, found["version"]
