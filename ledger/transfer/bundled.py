"""A bundle as the other side of a merge: checked by the code that it ships, read line by line."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import msgspec

from t2c.ledger.errors import Corrupt
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.journal import BundleImported
from t2c.ledger.events.runs import OmissionNoted
from t2c.ledger.journal.entry import decode_entry
from t2c.ledger.transfer.layout import Bundle, check, open_bundle
from t2c.ledger.transfer.merge import Closing
from t2c.ledger.transfer.plan import Plan
from t2c.ledger.transfer.source import Line, Progress, unsound_bundle

__all__ = ["BundleSource", "bundle_source", "imported", "withheld"]

_HASH: int = 32


class BundleSource:
    """Events `first` to `last` of a ledger, as a bundle has them. `manifest` is the SHA-256 of its manifest."""

    def __init__(self, bundle: Bundle, name: str, root: str, hashes: IO[bytes], before: str | None) -> None:
        self.name = name
        self.ledger = bundle.manifest.ledger
        self.first = bundle.manifest.first
        self.last = bundle.manifest.last
        self.root = root
        self.manifest = bundle.sha256
        self.sealed = bundle.manifest.sealed
        self._bundle = bundle
        self._hashes = hashes
        self._before = before
        self.hash = bundle.manifest.head

    def hash_at(self, seq: int) -> str | None:
        if seq == self.first - 1:
            return self._before
        if not self.first <= seq <= self.last:
            return None
        self._hashes.seek((seq - self.first) * _HASH)
        return self._hashes.read(_HASH).hex()

    def lines(self, after: int) -> Iterator[Line]:
        for seq, line, digest in self._bundle.lines():
            if seq > after:
                try:
                    entry = None if line is None else decode_entry(line)
                except msgspec.DecodeError as error:
                    raise _unreadable(self.name, seq, error) from None
                yield Line(seq, digest, line, entry)

    def objects(self, wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
        for digest, content in self._bundle.objects() if wanted else ():
            if digest in wanted:
                yield digest, content


@contextmanager
def bundle_source(path: Path, name: str, progress: Progress) -> Iterator[BundleSource]:
    """Open a bundle that was checked with the verifier that bundles ship.

    Raises Usage if there is none at `path`, Corrupt if it is not sound.
    """
    bundle = open_bundle(path)
    progress("verify", 0, bundle.manifest.last - bundle.manifest.first + 1)
    verdict = check(bundle)
    if verdict.code:
        raise unsound_bundle(name, [(fault.kind, fault.where, fault.detail) for fault in verdict.faults])
    with tempfile.TemporaryFile() as hashes:
        before: str | None = None
        for seq, line, digest in bundle.lines():
            if seq == bundle.manifest.first and line is not None:
                before = decode_entry(line).prev
            hashes.write(bytes.fromhex(digest))
        yield BundleSource(bundle, name, verdict.root, hashes, before)


def imported(source: BundleSource, plan: Plan) -> Closing:
    """What closes the import of a bundle."""

    def closing(aliases: tuple[tuple[str, str], ...]) -> EventDraft:
        return draft(
            BundleImported(
                ledger=source.ledger,
                common_seq=plan.common,
                first=source.first,
                last=source.last,
                hash=source.hash,
                root=source.root,
                sha256=source.manifest,
                events=plan.events,
                known=plan.known,
                withheld=plan.withheld,
                aliases=aliases,
            )
        )

    return closing


def withheld(source: BundleSource, plan: Plan) -> tuple[EventDraft, ...]:
    """What says that lines of a bundle were withheld; nothing if none were."""
    if not plan.withheld:
        return ()
    noted = OmissionNoted(
        source=f"ledger:{source.ledger}",
        path=None,
        reason="withheld",
        count=plan.withheld,
        lines=(),
        detail=f"of events {source.first} to {source.last} whoever made the bundle withheld these",
    )
    return (draft(noted),)


def _unreadable(name: str, seq: int, error: Exception) -> Corrupt:
    return unsound_bundle(name, [("not_json", f"seq {seq}", f"the line is not an event: {error}")])
