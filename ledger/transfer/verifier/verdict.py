"""What a bundle proves, what is wrong with it, and what it does not prove."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from t2c.ledger.transfer.verifier.approving import Approving
from t2c.ledger.transfer.verifier.citing import CITING, FROM_THE_START, SEALED
from t2c.ledger.transfer.verifier.container import MOST_BYTES, Reader, Unreadable, files, pieces, whole
from t2c.ledger.transfer.verifier.findings import Fault, Findings, Verdict, joined
from t2c.ledger.transfer.verifier.lines import Chain, journal_lines
from t2c.ledger.transfer.verifier.manifest import (
    MOST_MANIFEST,
    MOST_PROOF,
    Onward,
    read_manifest,
    read_nodes,
    read_onward,
)
from t2c.ledger.transfer.verifier.notes import (
    MOST_KEY,
    MOST_NOTE,
    MOST_NOTES,
    MOST_TOGETHER,
    Key,
    Note,
    NoteError,
    parse_key,
    read_note,
)
from t2c.ledger.transfer.verifier.tree import Tree, widths_before
from t2c.ledger.transfer.verifier.vouching import CHECKPOINT, Vouching

__all__ = ["JOURNAL", "MANIFEST", "Fault", "Verdict", "check"]

JOURNAL, MANIFEST, PROOF = "journal.ndjson", "manifest.json", "proof.json"
_MOST_NAMED_FILES = 8


class _Unsound(Exception):
    pass


def check(
    bundle: Path, keys: Sequence[Key] = (), anchors: Sequence[tuple[str, Note]] = (), most: int = MOST_BYTES
) -> Verdict:
    """Check a bundle; `keys` and `anchors` (source, checkpoint) are what the auditor has from elsewhere."""
    found = Findings()
    state = _Bundle(bundle, found, most, keys, anchors)
    try:
        state.read_small()
        state.walk()
    except Unreadable as error:
        found.add("unreadable", str(bundle), f"the bundle cannot be read: {error}")
    except _Unsound:
        pass
    return state.conclude()


class _Bundle:
    """One reading of a bundle. `missing`, `gone` and `uncited` count objects, `sealed` commitments in their place."""

    missing = gone = uncited = sealed = 0

    def __init__(
        self,
        path: Path,
        found: Findings,
        most: int,
        keys: Sequence[Key],
        anchors: Sequence[tuple[str, Note]],
    ) -> None:
        self.given = keys
        self.anchors = anchors
        self.path = path
        self.found = found
        self.most = most
        self.manifest: dict[str, Any] = {}
        self.sha256 = ""
        self.proof: bytes | None = None
        self.notes: dict[str, Note] = {}
        self.keys: list[Key] = []
        self.onward: Onward | None = None
        self.chain: Chain | None = None
        self.approving: Approving | None = None
        self.tree = Tree()
        self.before = b""
        self._counts = {"checkpoints": 0, "keys": 0}
        self._together = 0

    def read_small(self) -> None:
        """The manifest, checkpoints, keys and the proof, before the journal; of each no more than it may hold."""
        noted = False
        for name, size, reader in files(self.path, self.most):
            folder = name.partition("/")[0]
            if name == MANIFEST:
                self._read_manifest(whole(reader, size, MOST_MANIFEST))
                if PROOF not in self.manifest["files"]:
                    break  # whatever follows is met on the walk
            elif name == PROOF:
                self.proof = whole(reader, size, MOST_PROOF)
                if self.proof is None:
                    self._too_large(name, MOST_PROOF)
            elif name == CHECKPOINT or folder == "checkpoints":
                noted = noted or name == CHECKPOINT
                self._take_note(name, self._few(name, "checkpoints", size, reader, MOST_NOTE))
            elif folder == "keys":
                self._take_key(name, self._few(name, "keys", size, reader, MOST_KEY))
        if not self.manifest:
            raise Unreadable(f"there is no {MANIFEST} in it")
        if not noted:
            self.found.add("file_missing", CHECKPOINT, "there is no checkpoint of the bundle's last event")
        self._read_proof()

    def _few(self, name: str, kind: str, size: int, reader: Reader, most: int) -> bytes | None:
        """A small file, if neither it nor all of its kind are too many or too large; else None, and a fault."""
        self._counts[kind] += 1
        content = whole(reader, size, most)
        if content is None:
            self._too_large(name, most)
            return None
        self._together += len(content)
        if self._counts[kind] > MOST_NOTES or self._together > MOST_TOGETHER:
            detail = (
                f"it is not read: the bundle holds more than {MOST_NOTES:,} {kind}, or too large ones in all"
            )
            self.found.add("too_many", name, detail)
            return None
        return content

    def _too_large(self, name: str, most: int) -> None:
        self.found.add("too_large", name, f"it is longer than {most:,} bytes, so it was not read")

    def _take_note(self, name: str, content: bytes | None) -> None:
        if content is not None:
            try:
                self.notes[name] = read_note(content)
            except NoteError as error:
                self.found.add("checkpoint", name, f"no checkpoint: {error}")

    def _take_key(self, name: str, content: bytes | None) -> None:
        if content is not None:
            try:
                self.keys.append(parse_key(content.decode("utf-8", "replace")))
            except NoteError as error:
                self.found.add("key", name, f"no key: {error}")

    def _read_manifest(self, content: bytes | None) -> None:
        if content is None:
            self._too_large(MANIFEST, MOST_MANIFEST)
            raise _Unsound
        self.sha256 = sha256(content).hexdigest()
        try:
            self.manifest = read_manifest(content)
        except ValueError as error:
            self.found.add("manifest", MANIFEST, f"the manifest cannot be used: {error}")
            raise _Unsound from None

    def _read_proof(self) -> None:
        """Begin the tree with the nodes left of the range, and find the way on to a later checkpoint."""
        first = self.manifest["first"]
        widths = widths_before(first)
        try:
            nodes = read_nodes(b"" if self.proof is None else self.proof, len(widths)) if widths else []
            for width, node in zip(widths, nodes):  # noqa: B905 - the lengths are equal
                self.tree.add(width, node)
            # The last subtree may be the one event before the range, whose hash the first line holds.
            self.before = nodes[-1] if widths and widths[-1] == 1 else b""
        except ValueError:
            detail = f"does not hold the nodes of the {first - 1:,} events before the range"
            self.found.add("range_proof", PROOF, detail)
            raise _Unsound from None
        try:
            self.onward = None if self.proof is None else read_onward(self.proof)
        except ValueError:
            self.found.add("consistency_proof", PROOF, "does not hold the way to a later checkpoint")

    def walk(self) -> None:
        """Every file once: digests, the chain, objects against their names."""
        listed: dict[str, Any] = self.manifest["files"]
        missing = {bytes.fromhex(item["object"]) for item in self.manifest["missing"]}
        seen: set[str] = set()
        objects: set[bytes] = set()
        for name, size, reader in files(self.path, self.most):
            if name == MANIFEST:
                continue
            digest = sha256()
            payload = sha256(b"\x03") if name.startswith("objects/") else None
            stream = _digested(
                reader, digest.update if payload is None else _both(digest.update, payload.update)
            )
            if name == JOURNAL:
                self.chain = self._chain(missing)
                self.chain.walk(journal_lines(stream))
            else:
                for _ in stream:
                    pass
            said = listed.get(name)
            if said is None:
                self.found.add("file_unlisted", name, "the manifest does not name this file")
                continue
            seen.add(name)
            if said["sha256"] != digest.hexdigest() or said["bytes"] != size:
                self.found.add("file_changed", name, "the file is not the one that the manifest names")
            if payload is not None:
                own = _object_of(name)
                if own is None or own.hex() not in (digest.hexdigest(), payload.hexdigest()):
                    self.found.add("object_changed", name, "the object does not hold what its name promises")
                else:
                    objects.add(own)
        for name in sorted(listed.keys() - seen):
            self.found.add("file_missing", name, "the manifest names this file, and it is not there")
        if self.chain is None:
            raise Unreadable(f"there is no {JOURNAL} in it")
        self._compare(self.chain, objects, missing)

    def _chain(self, missing: set[bytes]) -> Chain:
        """The walk over the lines. What it keeps is bounded by what the manifest holds."""
        manifest = self.manifest
        sizes = [note.size for note in (*self.notes.values(), *(note for _, note in self.anchors))]
        known = set(missing)
        for name in manifest["files"]:
            own = _object_of(name)
            if own is not None:
                known.add(own)
        runs = sum(len(item["seqs"]) for item in manifest["withheld"])
        self.approving = Approving(manifest["ledger"], self.found)
        citing = FROM_THE_START.union(manifest["citing"])
        return Chain(
            manifest["first"], self.tree, [*sizes, manifest["last"]], self.found.line, self.before, known, runs + 1,
            citing, self.approving,
        )  # fmt: skip

    def _compare(self, chain: Chain, objects: set[bytes], missing: set[bytes]) -> None:
        """What was read against what the manifest says."""
        manifest, add = self.manifest, self.found.add
        first, last = manifest["first"], manifest["last"]
        root, head = self.tree.root().hex(), chain.head.hex()
        if chain.lines != last - first + 1 or chain.seq != last:
            detail = f"the journal holds {chain.lines:,} lines up to seq {chain.seq}, the manifest says {first} to {last}"
            add("count", JOURNAL, detail)
        if head != manifest["head"]:
            add("head", JOURNAL, "the last line does not hash to the head that the manifest names")
        if root != manifest["root"]:
            add("root", JOURNAL, "the lines do not have the Merkle root that the manifest names")
        if chain.ledger is not None and chain.ledger != manifest["ledger"]:
            detail = f"the first event opens ledger {chain.ledger[:40]}, the manifest names {manifest['ledger'][:40]}"
            add("foreign_ledger", "seq 1", detail)
        if joined([run for item in manifest["withheld"] for run in item["seqs"]]) != chain.withheld:
            add("withheld", JOURNAL, "the withheld lines are not those that the manifest names")
        for name in sorted(chain.strange | (chain.objects - objects - missing)):
            add(
                "object_missing",
                f"objects/{name.hex()[:2]}/{name.hex()[2:]}",
                "a line cites this object, and it is not there",
            )
        for name in sorted(missing & objects):
            add("manifest", MANIFEST, f"the manifest calls object {name.hex()} missing, and it is there")
        # Of types that this verifier does not know, a line may cite what it cannot see.
        sees_all = self.found.first_line is None and CITING.keys() >= set(manifest["citing"])
        for name in sorted(missing - chain.objects if sees_all else ()):
            add("manifest", MANIFEST, f"the manifest calls object {name.hex()} missing, and no line cites it")
        sealed = {
            bytes.fromhex(item["object"]) for item in manifest["missing"] if item.get("reason") == SEALED
        }
        self.sealed = len(sealed)
        self.missing, self.gone = len(missing - sealed), len(missing & chain.redacted)
        self.uncited = len(objects - chain.objects)

    def conclude(self) -> Verdict:
        """The verdict, with what was proven and what was not."""
        manifest, chain = self.manifest, self.chain
        proven: list[str] = []
        unproven: list[str] = []
        if chain is not None and manifest:
            vouching = Vouching(chain, manifest, self.found, self.onward)
            vouching.checkpoints(self.notes, self.given, self.keys)
            vouching.anchors(self.anchors)
            proven, unproven = vouching.proven, vouching.unproven
            if self.approving is not None:
                self.approving.conclude(proven, unproven)
            _limits(self, chain, unproven, vouching.named)
        verdict = self.found.diverging or ("faulty" if self.found.faults else "sound")
        if chain is None:
            unproven.append("anything: the bundle could not be read to its end")
        return Verdict(
            verdict, self.found.listed(), proven, unproven, manifest.get("ledger", ""), manifest.get("first", 0),
            0 if chain is None else chain.seq, "" if chain is None else self.tree.root().hex(),
            "" if chain is None else chain.head.hex(), self.sha256,
            0 if chain is None else chain.hidden, self.missing, manifest.get("partial", False),
        )  # fmt: skip


def _limits(state: _Bundle, chain: Chain, unproven: list[str], named: bool) -> None:
    """What no bundle of this kind can prove."""
    first, last = state.manifest["first"], state.manifest["last"]
    if chain.ledger is None and not named:
        unproven.append(
            f"that it is of ledger {state.manifest['ledger'][:40]}: event 1, which names it, is not here to be read, and "
            "no checkpoint signed by a given key names it either, so this is the sender's word"
        )
    if first > 1:
        unproven.append(f"events 1 to {first - 1:,}: only the nodes of the tree over them are in the bundle")
    if state.manifest["partial"]:
        unproven.append(f"events after {last:,}: the sender says that this bundle is a part that ends there")
    if chain.hidden:
        unproven.append(
            f"what {chain.hidden:,} withheld lines say; the sender alone says of which types they are"
        )
    if state.missing:
        gone = f", {state.gone:,} of them deleted by a redaction event" if state.gone else ""
        unproven.append(f"what {state.missing:,} cited objects hold, which the manifest calls missing{gone}")
    if state.sealed:
        unproven.append(
            f"what {state.sealed:,} commitments stand for, which the sender says are of sealed answers: no object is, "
            "until they are revealed"
        )
    if chain.unfollowed:
        unproven.append(
            f"what {chain.unfollowed:,} cited objects hold: what made the bundle did not look for objects of these types"
        )
    if state.uncited:
        unproven.append(f"what {state.uncited:,} objects are for: no line here cites them")
    unproven.append(_unchecked(state.manifest))
    unproven.append("that times are true (each is its writer's claim) and that payloads fit their types")


def _unchecked(manifest: dict[str, Any]) -> str:
    """What the manifest vouches for and no rule looks at, in one sentence."""
    names: Counter[str] = Counter()
    for name in manifest["files"]:
        folder, slash, _ = name.partition("/")
        if folder not in (JOURNAL, CHECKPOINT, PROOF, "checkpoints", "keys", "objects"):
            names[folder + slash] += 1
    said = [
        f"{count:,} file{'s' * (count > 1)} in {name}" if name.endswith("/") else name
        for name, count in sorted(names.items())
    ]
    if len(said) > _MOST_NAMED_FILES:
        said[_MOST_NAMED_FILES:] = [f"{len(said) - _MOST_NAMED_FILES:,} more files or folders"]
    if manifest.get("projections"):
        said.append("the projections that the manifest names")
    listed = ", ".join(said)
    return f"what these say, whose digests alone were compared: {listed or 'no further file'}; nor what made the bundle"


def _object_of(name: str) -> bytes | None:
    """The digest that the name of an object's file states; None for the name of anything else."""
    folder, _, rest = name.partition("/")
    if folder != "objects" or len(rest) != 65 or rest[2] != "/":
        return None
    try:
        return bytes.fromhex(rest[:2] + rest[3:]) if rest == rest.lower() else None
    except ValueError:
        return None


def _digested(reader: Reader, update: Callable[[bytes], object]) -> Iterator[bytes]:
    for piece in pieces(reader):
        update(piece)
        yield piece


def _both(one: Callable[[bytes], object], two: Callable[[bytes], object]) -> Callable[[bytes], object]:
    def update(piece: bytes) -> None:
        one(piece)
        two(piece)

    return update
