"""Which files are to be read, by which stages, and which hold what was read of them before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from t2c import __version__
from t2c.cli.actions.context import Context
from t2c.cli.actions.given import Given
from t2c.ledger.intake.base import FileExtractor
from t2c.ledger.intake.given import FOUND_TOO
from t2c.ledger.intake.inventory import FileEntry, Inventory
from t2c.ledger.intake.kept import VERSION, Kept, KeptFile, names_digest
from t2c.ledger.intake.questions import Names, stand
from t2c.ledger.intake.registry import stamp_of
from t2c.ledger.intake.work import Job

__all__ = ["Plan", "plan_jobs", "stamp"]


@dataclass(slots=True)
class Plan:
    """What to read, and what stands unread. `entries` holds the inventory's word on each file to read, `known` what
    is kept of those that may turn out to hold what they held."""

    jobs: list[Job] = field(default_factory=list)
    unchanged: dict[str, KeptFile] = field(default_factory=dict)
    known: dict[str, KeptFile] = field(default_factory=dict)
    entries: dict[str, FileEntry] = field(default_factory=dict)
    names: bytes = b""


def stamp(context: Context, extractors: Mapping[str, FileExtractor]) -> bytes:
    """16 bytes for everything beside the files that decides what is read out of them.

    Of known secrets only 32 bits enter, by which nobody could find them out.
    """
    scan, redact = context.settings.scan, context.settings.redact
    known = sha256("\0".join(sorted(context.settings.secrets)).encode("utf-8", "surrogateescape"))
    parts = (
        str(VERSION),
        __version__,
        *(f"{name} {stamp_of(extractor)}" for name, extractor in extractors.items()),
        repr((scan.max_file_bytes, scan.max_changelog_bytes, scan.max_report_bytes, redact)),
        known.hexdigest()[:8],
    )
    return sha256("\0".join(parts).encode()).digest()[:16]


def plan_jobs(
    inventory: Inventory,
    extractors: Mapping[str, FileExtractor],
    kept: Kept | None,
    given: Sequence[Given],
    held: frozenset[tuple[str, str | None]] = frozenset(),
) -> Plan:
    """The files to read. A file whose looks, stages and answers are as they were is not among them.

    `held` are scopes that a caller gave before: no scan reads them by itself.
    """
    plan = Plan(names=names_digest(entry.path for entry in inventory.files))
    before = {} if kept is None else kept.files
    same_paths = kept is not None and kept.names == plan.names
    alike = {entry.path for entry in inventory.files if _alike(before.get(entry.path), entry)}
    contents: dict[str, bytes] = {}
    digests = Names([entry.path for entry in inventory.files])
    named: dict[str, list[Given]] = {}
    for item in given:
        named.setdefault(item.path, []).append(item)
    wanting = [(name, extractor.wants) for name, extractor in extractors.items() if name != "nl"]
    for entry in inventory.files:
        path = entry.path
        stages = tuple(
            name
            for name, wants in wanting
            if wants(path) and (name not in FOUND_TOO or (extractors[name].source, path) not in held)
        )
        hands = named.pop(path, ())
        if not stages and not hands:
            continue
        old = before.get(path)
        if (
            not hands
            and old is not None
            and old.stages == stages
            and stand(old.questions, inventory, digests, contents, same_paths=same_paths, unread=alike)
        ):
            if path in alike:
                plan.unchanged[path] = old
                continue
            plan.known[path] = old
        known = plan.known[path].digest if path in plan.known else None
        plan.entries[path] = entry
        plan.jobs.append(_job(path, inventory.on_disk(path), entry.size, stages, hands, known))
    for path, hands in named.items():
        plan.jobs.append(_job(path, path, hands[0].size, (), hands, None))
    return plan


def _alike(old: KeptFile | None, entry: FileEntry) -> bool:
    return old is not None and old.looks_like(entry)


def _job(
    path: str, name: str, size: int, stages: tuple[str, ...], hands: Sequence[Given], known: bytes | None
) -> Job:
    every = (*stages, *(item.stage for item in hands if item.stage not in stages))
    commit = next((item.commit for item in hands if item.commit is not None), None)
    return Job(path, name, size, every, known, commit, tuple(item.stage for item in hands))
