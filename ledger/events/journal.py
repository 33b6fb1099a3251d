"""Family journal: what happens to the journal itself, and who may speak in it."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from t2c.ledger.events.base import Count, EventRef, Hex64, Name, Payload, Text, Timestamp
from t2c.ledger.kernel.actor import Trust

__all__ = [
    "BundleExported",
    "BundleImported",
    "CheckpointSigned",
    "JournalMerged",
    "JournalOpened",
    "JournalRepaired",
    "KeyRegistered",
    "KeyRevoked",
    "ParticipantRegistered",
    "PayloadRedacted",
]

LedgerIdHex = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Seq = Annotated[int, Field(ge=1)]


class JournalOpened(Payload):
    """The genesis event, always seq 1: every later hash commits to it (journal-engine §1)."""

    type: ClassVar[str] = "journal.opened"
    ledger: LedgerIdHex
    format: Literal[1]
    hash: Literal["sha-256"]
    tool: Name
    key: Text | None


class JournalRepaired(Payload):
    """An unfinished end was saved to `journal.ndjson.torn-<offset>` and cut off (journal-engine §3)."""

    type: ClassVar[str] = "journal.repaired"
    offset: Count
    length: Annotated[int, Field(ge=1)]
    sha256: Hex64
    cause: Literal["torn_line", "unwritten_blocks", "incomplete_batch"]
    saved_as: Name


class JournalMerged(Payload):
    """Events of another chain were taken in; each carries its origin (journal-engine §7).

    `common_seq` is the last event that both chains hold at the same place, 0 for another ledger; `seq`, `hash`
    and `root` are the other chain's head and Merkle root. `events` were taken in, `known` were here already,
    under another id where `aliases` says so: [id in the other chain, id here] of those that events cite.
    """

    type: ClassVar[str] = "journal.merged"
    ledger: LedgerIdHex
    common_seq: Count
    seq: Seq
    hash: Hex64
    root: Hex64
    events: Count
    known: Count
    aliases: tuple[tuple[EventRef, EventRef], ...]


class CheckpointSigned(Payload):
    """A signed statement of size and root; `note` is its exact text (journal-engine §5)."""

    type: ClassVar[str] = "checkpoint.signed"
    size: Seq
    root: Hex64
    key: Text
    note: Text


class BundleExported(Payload):
    """Part of the ledger left in a bundle (journal-engine §7).

    `sha256` is that of the bundle's manifest.json, which names every other file by its digest; `redacted` are the
    types whose lines were withheld, `record.*` for all of a kind.
    """

    type: ClassVar[str] = "bundle.exported"
    first: Seq
    last: Seq
    sha256: Hex64
    redacted: tuple[Name, ...]


class BundleImported(Payload):
    """Events `first` to `last` of a bundle were read in, as `journal.merged` says it of a chain.

    `sha256` is of the bundle's manifest; of the `withheld` lines the bundle held only the hash.
    """

    type: ClassVar[str] = "bundle.imported"
    trust: ClassVar[Trust] = "imported"
    ledger: LedgerIdHex
    common_seq: Count
    first: Seq
    last: Seq
    hash: Hex64
    root: Hex64
    sha256: Hex64
    events: Count
    known: Count
    withheld: Count
    aliases: tuple[tuple[EventRef, EventRef], ...]


class PayloadRedacted(Payload):
    """The object behind a `data_hash` is deleted on purpose: announced here, then done (journal-engine §6).

    The helper deletes it; `requested_by` says who asked for that.
    """

    type: ClassVar[str] = "payload.redacted"
    event: EventRef
    data_hash: Hex64
    reason: Text
    requested_by: Name


class KeyRegistered(Payload):
    """A public key may sign for a participant from here on."""

    type: ClassVar[str] = "key.registered"
    key: Text
    algorithm: Literal["ed25519", "ssh"]
    public: Text
    participant: Name | None
    expires: Timestamp | None


class KeyRevoked(Payload):
    """A key signs no more: what it signs after this event counts for nothing."""

    type: ClassVar[str] = "key.revoked"
    key: Text
    reason: Text


class ParticipantRegistered(Payload):
    """Who an actor id stands for, as somebody says."""

    type: ClassVar[str] = "participant.registered"
    trust: ClassVar[Trust] = "asserted"
    by_hand: ClassVar[bool] = True
    redactable: ClassVar[bool] = True
    example: ClassVar[dict[str, object]] = {
        "participant": "ada",
        "kind": "human",
        "role": "maintainer",
        "names": ["Ada L."],
    }
    participant: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@+/-]{0,127}$")]
    kind: Literal["human", "agent", "helper", "host_adapter"]
    role: Name | None = None
    names: tuple[Name, ...] = ()
