"""The records of a changelog: one a release, one an entry."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, structs

from t2c.ledger.events.record import Action, EpistemicClass, Status
from t2c.ledger.intake.base import Draft
from t2c.ledger.intake.changes.lines import Told
from t2c.ledger.intake.changes.nested import Cited
from t2c.ledger.intake.markup import Item
from t2c.ledger.intake.mentions import mentions
from t2c.ledger.intake.products import without_product_versions
from t2c.ledger.intake.releases import UNRELEASED, Release
from t2c.ledger.intake.text import action_and_object

__all__ = ["CONFIDENCE", "Section", "entry", "observed_at", "release", "settled", "status_of"]

CONFIDENCE = 0.92
"""Of all that a changelog says (intent-evidence §1.2)."""


class Section(Struct):
    """What all entries under one heading share; the objects are shared too, which keeps memory small.

    `other` is the action of an entry whose words tell none.
    """

    thanks: bool
    action: Action | None
    other: Action
    cls: EpistemicClass
    status: Status
    basis: tuple[str, ...]
    trail: tuple[str, ...]
    subject: str
    versions: tuple[str, ...]
    observed_at: str | None
    metadata: dict[str, Any]


def status_of(release: Release) -> Status:
    """Of a release and of its entries: what was withdrawn is not known to be delivered."""
    if release.unreleased:
        return "proposed"
    return "unknown" if release.yanked else "released"


def observed_at(release: Release) -> str | None:
    """The day of a release as an instant."""
    return f"{release.day}T00:00:00Z" if release.day else None


def release(found: Release, line: int, raw: str, basis: str) -> Draft:
    """The record of a release as its heading tells of it; its identity is its version and package alone."""
    named = f"{found.package} {found.version}" if found.package else found.version
    return Draft(
        kind="changelog_release",
        text=f"Release {named}",
        object=found.version,
        action="release",
        cls="claim",
        status=status_of(found),
        confidence=CONFIDENCE,
        basis=(basis,),
        lines=(line, line),
        subject=f"release:{found.version}",
        modality="claimed",
        versions=() if found.version == UNRELEASED else (found.version,),
        excerpt=raw,
    )


def settled(draft: Draft, found: Release, entries: int) -> Draft:
    """The record once the release is over: lines below the heading may date or withdraw it."""
    metadata: dict[str, Any] = {
        "version": found.version,
        "releaseDate": found.day,
        "yanked": found.yanked,
        "package": found.package,
        "entries": entries,
    }
    return structs.replace(draft, status=status_of(found), observed_at=observed_at(found), metadata=metadata)


def entry(
    item: Item, told: Told, section: Section, held: list[str], home: str | None, around: Cited | None = None
) -> Draft:
    """The record of one entry; `held` are the entries around it, `home` names the project's own repository.

    An entry that cites nothing of its own takes over what the one `around` it cites, and says so.
    """
    raw = f"{item.text} {item.more}" if item.more else item.text
    found = mentions(without_product_versions(raw, home), home)
    done, about = action_and_object(told.text, section.action)
    metadata = section.metadata
    extra: dict[str, Any] = {}
    if held:
        extra["parent"] = held[-1]
    if told.scope:
        extra["scope"] = told.scope
    if told.kind:
        extra["type"] = told.kind
    if told.is_breaking:
        extra["breaking"] = True
    commits, tickets = told.commits, found.tickets
    if around is not None and not commits and not tickets:
        commits, tickets = around.commits, around.tickets
        extra["inherited"] = True
    if commits:
        extra["commits"] = list(commits)
    if told.authors:
        extra["authors"] = list(told.authors)
    trail = (*section.trail, *held) if held else section.trail
    return Draft(
        kind="changelog_entry",
        text=told.text,
        object=about,
        action=section.other if done == "unknown" else done,
        cls=section.cls,
        status=section.status,
        confidence=CONFIDENCE,
        basis=section.basis,
        trail=(*trail, told.scope) if told.scope else trail,
        lines=(item.start, item.end),
        subject=section.subject,
        modality="claimed" if section.cls == "claim" else "unknown",
        paths=found.paths,
        symbols=found.symbols,
        tickets=tickets,
        versions=(*section.versions, *found.versions) if found.versions else section.versions,
        excerpt=item.raw,
        observed_at=section.observed_at,
        metadata={**metadata, **extra} if extra else metadata,
    )
