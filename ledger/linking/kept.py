"""What linking keeps between scans: the records as the rules see them, and what was related.

A change of one file then costs neither reading the other records again nor writing down relations that stand. It is
trusted only for the position of the journal that it names, and only by the version that wrote it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Final

from msgspec import Struct, field
from msgspec.structs import fields

from t2c import __version__
from t2c.ledger.linking.base import LinkDraft, LinkWarning, Memory, Remembered, Rule
from t2c.ledger.linking.features import Corpus, Ranker, Record, assembled, decoded

__all__ = ["STAMP", "KeptLinks", "Library"]


def _shapes(of: type[Struct]) -> Iterator[str]:
    for member in fields(of):
        yield f"{of.__name__}.{member.encode_name}:{member.type}"
        if isinstance(member.type, type) and issubclass(member.type, Struct):
            yield from _shapes(member.type)


STAMP: Final = sha256(" ".join((__version__, *_shapes(Record), *_shapes(LinkDraft))).encode()).hexdigest()[
    :16
]
"""Of the version and of the shapes below: what another one kept is not read."""


class KeptLinks(Struct):
    """`position` is the (seq, hash, offset) after the last event that the records and relations are of."""

    stamp: str = STAMP
    position: tuple[int, str, int] = (0, "", 0)
    records: list[Record] = field(default_factory=list)
    unreadable: int = 0
    relations: tuple[LinkDraft, ...] = ()
    warnings: tuple[LinkWarning, ...] = ()
    groups: dict[str, Remembered] = field(default_factory=dict)
    rules: dict[Rule, Remembered] = field(default_factory=dict)
    by_meaning: bool = False
    """Whether meaning was compared, too."""


class Library:
    """The records that linking reads, by id, brought up to date by what changed."""

    def __init__(self, records: Iterable[Record] = (), unreadable: int = 0) -> None:
        self._records: dict[str, Record] = {record.id: record for record in records}
        self.unreadable = unreadable
        self.changed: set[str] = set()
        """Kinds of source of which something is otherwise than it was."""

    def take(self, bodies: Iterable[bytes], gone: Iterable[str] = ()) -> None:
        """Records that are new or otherwise than before, and the ids of those that are gone."""
        for identity in gone:
            if (former := self._records.pop(identity, None)) is not None:
                self.changed.add(former.source.kind)
        records, unreadable = decoded(bodies)
        for record in records:
            self._records[record.id] = record
            self.changed.add(record.source.kind)
        self.unreadable += unreadable

    def corpus(self, ranker: Ranker | None = None, memory: Memory | None = None) -> Corpus:
        """All of them as the rules see them."""
        return assembled(self._records.values(), self.unreadable, ranker, memory)

    @property
    def records(self) -> Mapping[str, Record]:
        """All of them."""
        return self._records
