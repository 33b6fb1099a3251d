"""What a bundle holds, and how others open one (journal-engine §7).

    README.md               how to check it with openssl and sed alone
    verify.py               the same in one file without dependencies
    manifest.json           what follows, each file with its SHA-256; its own digest is the bundle's identity
    journal.ndjson          the lines of events first..last, byte for byte; a withheld one as {"withheld":"<leaf>"}
    checkpoint.txt          origin, size `last` and root; signed if a note of exactly that size was kept
    checkpoints/*.txt       the signed checkpoints of sizes up to `last` that were kept; of a part, the newest later one
    keys/*.vkey             public keys that the ledger registered up to `last`
    objects/ab/cdef…        what the lines cite, as in the ledger; the manifest names what is missing
    schemas/events/*.json   the published schemas of the envelope and of the event types that occur
    proof.json              if first > 1: roots of the perfect subtrees over the events before it, left to right;
                            of a part with a later checkpoint: the consistency proof from `last` to its size

As an archive (.tar.gz) the same files stand at its top, sorted by name. Nothing in a bundle is believed before
`check` found it sound; checking and reading share their code with the shipped `verify.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from t2c.ledger.errors import Corrupt, Usage
from t2c.ledger.kernel.digests import payload_hash
from t2c.ledger.transfer.verifier.citing import FROM_THE_START, SEALED
from t2c.ledger.transfer.verifier.container import Reader, Unreadable, files, pieces, whole
from t2c.ledger.transfer.verifier.findings import Verdict
from t2c.ledger.transfer.verifier.lines import journal_lines, withheld_leaf
from t2c.ledger.transfer.verifier.manifest import MOST_MANIFEST
from t2c.ledger.transfer.verifier.notes import Key, Note
from t2c.ledger.transfer.verifier.tree import leaf_of
from t2c.ledger.transfer.verifier.verdict import check as check_files

__all__ = [
    "CHECKPOINT", "JOURNAL", "MANIFEST", "PROOF", "README", "SCHEMA", "VERIFIER", "Bundle", "Listed", "Manifest",
    "Missing", "Shipped", "View", "Withheld", "check", "object_name", "open_bundle",
]  # fmt: skip

SCHEMA: Final = "t2c.bundle/v1"
JOURNAL: Final = "journal.ndjson"
MANIFEST: Final = "manifest.json"
PROOF: Final = "proof.json"
CHECKPOINT: Final = "checkpoint.txt"
README: Final = "README.md"
VERIFIER: Final = "verify.py"

_OBJECTS: Final = "objects/"


class Listed(msgspec.Struct, frozen=True):
    """One file as the manifest names it."""

    sha256: str
    bytes: int


class Withheld(msgspec.Struct, frozen=True):
    """Lines of one type that the sender withheld, as the sender says: runs [first, last] of their seqs."""

    type: str
    seqs: list[tuple[int, int]]


class Missing(msgspec.Struct, frozen=True):
    """A cited object that the ledger did not hold. `seq` is the first event that cites it.

    Where `reason` is "sealed", it is a commitment to what a model said and no object.
    """

    object: str
    seq: int
    reason: str


class View(msgspec.Struct, frozen=True):
    """A projection as it was on disk: what a fold of these events must give again."""

    version: int
    seq: int
    head: str
    files: dict[str, str]


class Manifest(msgspec.Struct, frozen=True):
    """`manifest.json`. `head` is the hash of line `last`, `root` the Merkle root over events 1 to `last`.

    `partial` is True if the ledger went on after `last`, as the sender says. `ts` is the time of event `last`;
    `unknown` are types without a published schema, `citing` those whose cited objects are all here or missing; where the
    file does not say it, that is `observation.noted` alone.
    """

    schema: str
    tool: str
    ledger: str
    first: int
    last: int
    head: str
    root: str
    ts: str
    files: dict[str, Listed]
    withheld: list[Withheld]
    missing: list[Missing]
    projections: dict[str, View]
    unknown: list[str]
    partial: bool = False
    citing: list[str] = msgspec.field(default_factory=lambda: sorted(FROM_THE_START))

    @property
    def sealed(self) -> set[str]:
        """The commitments that stand in the place of objects."""
        return {item.object for item in self.missing if item.reason == SEALED}


class Shipped(NamedTuple):
    """One line of a bundle: its bytes without LF (None if it was withheld) and its hash."""

    seq: int
    line: bytes | None
    hash: str


class Bundle:
    """A bundle on disk, a folder or a .tar.gz. `sha256` is its identity: that of its manifest."""

    def __init__(self, path: Path, manifest: Manifest, sha256: str) -> None:
        self.path = path
        self.manifest = manifest
        self.sha256 = sha256

    def lines(self) -> Iterator[Shipped]:
        """The lines in order. Raises Corrupt if the bundle cannot be read."""
        for _, reader in self._files(JOURNAL):
            for seq, line in enumerate(journal_lines(pieces(reader)), self.manifest.first):
                leaf = withheld_leaf(line)
                yield Shipped(seq, line if leaf is None else None, (leaf or leaf_of(line)).hex())

    def objects(self) -> Iterator[tuple[str, bytes]]:
        """(digest, bytes) of every object, in byte order, in one pass over the bundle.

        Raises Corrupt for one that is not what its name says.
        """
        for name, reader in self._files(_OBJECTS):
            content = b"".join(pieces(reader))
            digest = name.removeprefix(_OBJECTS).replace("/", "")
            if digest not in (sha256(content).hexdigest(), payload_hash(content)):
                raise _damaged(self.path, f"object {digest} does not hold what its name promises")
            yield digest, content

    def object(self, digest: str) -> bytes | None:
        """One object, None if it is not in the bundle. For many use `objects`: each call reads the bundle through.

        Raises Corrupt for one that is not what its name says.
        """
        if object_name(digest) in self.manifest.files:
            for found, content in self.objects():
                if found == digest:
                    return content
        return None

    def _files(self, prefix: str) -> Iterator[tuple[str, Reader]]:
        try:
            for name, _, reader in files(self.path):
                if name.startswith(prefix):
                    yield name, reader
        except Unreadable as error:
            raise _damaged(self.path, f"the bundle cannot be read: {error}") from None


def open_bundle(path: Path) -> Bundle:
    """Read the manifest of a bundle; nothing else of it is looked at, and nothing is believed (see `check`).

    Raises Usage if there is no bundle at `path`, Corrupt if its manifest cannot be used.
    """
    try:
        for name, size, reader in files(path):
            if name == MANIFEST:
                found = whole(reader, size, MOST_MANIFEST)
                if found is None:
                    raise Unreadable(f"its {MANIFEST} is longer than {MOST_MANIFEST:,} bytes")
                content = found
                break
        else:
            raise Unreadable(f"there is no {MANIFEST} in it")
    except Unreadable as error:
        raise Usage(
            f"this is no bundle: {error}",
            where=str(path),
            safe="nothing was written",
            remedy="name a folder or a .tar.gz that `t2c ledger export` made",
        ) from None
    try:
        manifest = msgspec.json.decode(content, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _damaged(path, f"the manifest of the bundle cannot be used: {error}") from None
    if manifest.schema != SCHEMA:
        raise _damaged(
            path, f"the bundle is of the form {manifest.schema[:60]!r}, this version reads {SCHEMA}"
        )
    return Bundle(path, manifest, sha256(content).hexdigest())


def check(bundle: Bundle, keys: Sequence[Key] = (), anchors: Sequence[tuple[str, Note]] = ()) -> Verdict:
    """What the shipped verifier says of the bundle, with keys and anchors (source, checkpoint) from elsewhere."""
    return check_files(bundle.path, keys, anchors)


def object_name(digest: str) -> str:
    """The name of an object's file in a bundle."""
    return f"{_OBJECTS}{digest[:2]}/{digest[2:]}"


def _damaged(path: Path, what: str) -> Corrupt:
    return Corrupt(
        what,
        where=str(path),
        safe="nothing was written",
        remedy="run `python3 verify.py` of a bundle you trust on it, and ask its sender for another copy",
    )
