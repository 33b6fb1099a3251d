"""What a bundle proves, what is wrong with it, and what it does not prove."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from t2c.ledger.transfer.verifier.container import MOST_BYTES, Reader, Unreadable, files, pieces
from t2c.ledger.transfer.verifier.findings import Fault, Findings, Verdict, count_of, joined
from t2c.ledger.transfer.verifier.lines import Chain, journal_lines
from t2c.ledger.transfer.verifier.notes import Key, Note, NoteError, parse_key, read_note
from t2c.ledger.transfer.verifier.tree import Tree, widths_before
from t2c.ledger.transfer.verifier.vouching import CHECKPOINT, Vouching

__all__ = ["Fault", "Verdict", "check"]

JOURNAL, MANIFEST, PROOF = "journal.ndjson", "manifest.json", "proof.json"
BUNDLE_SCHEMA = "t2c.bundle/v1"
_MOST_SMALL = 256 << 20


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
    """One reading of a bundle. `missing`, `gone` and `uncited` count objects."""

    missing = gone = uncited = 0

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
        self.small: dict[str, bytes] = {}
        self.notes: dict[str, Note] = {}
        self.keys: list[Key] = []
        self.chain: Chain | None = None
        self.tree = Tree()
        self.before = b""

    def read_small(self) -> None:
        """The manifest, checkpoints, keys and the proof of a range, before the journal."""
        for name, size, reader in files(self.path, self.most):
            folder = name.partition("/")[0]
            if name in (MANIFEST, PROOF, CHECKPOINT) or folder in ("checkpoints", "keys"):
                if size > _MOST_SMALL:
                    raise Unreadable(f"{name} is longer than {_MOST_SMALL:,} bytes")
                self.small[name] = b"".join(pieces(reader))
            if name == MANIFEST:
                self._read_manifest()
                if self.manifest["first"] == 1:
                    break  # whatever follows is met on the walk
        if MANIFEST not in self.small:
            raise Unreadable(f"there is no {MANIFEST} in it")
        for name, content in self.small.items():
            if name == CHECKPOINT or name.startswith("checkpoints/"):
                try:
                    self.notes[name] = read_note(content)
                except NoteError as error:
                    self.found.add("checkpoint", name, f"no checkpoint: {error}")
            elif name.startswith("keys/"):
                try:
                    self.keys.append(parse_key(content.decode("utf-8", "replace")))
                except NoteError as error:
                    self.found.add("key", name, f"no key: {error}")
        if CHECKPOINT not in self.small:
            self.found.add("file_missing", CHECKPOINT, "there is no checkpoint of the bundle's last event")
        self._read_proof()

    def _read_manifest(self) -> None:
        content = self.small[MANIFEST]
        self.sha256 = sha256(content).hexdigest()
        try:
            manifest = json.loads(content.decode(), object_pairs_hook=_once)
            if manifest["schema"] != BUNDLE_SCHEMA:
                raise ValueError(f"its schema is not {BUNDLE_SCHEMA}")
            first, last = manifest["first"], manifest["last"]
            if type(first) is not int or type(last) is not int or not 1 <= first <= last < 1 << 53:
                raise ValueError("first and last are no range of events")
            for member in ("ledger", "head", "root"):
                if type(manifest[member]) is not str:
                    raise ValueError(f"{member} is no text")
            for name, said in manifest["files"].items():
                if (type(said["sha256"]), type(said["bytes"])) != (str, int):
                    raise ValueError(f"it does not say what {name} is")
            for item in manifest["withheld"]:
                if (
                    any(type(seq) is not int for run in item["seqs"] for seq in run)
                    or joined(item["seqs"]) is None
                ):
                    raise ValueError("the withheld lines are no runs of seqs")
            for item in manifest["missing"]:
                bytes.fromhex(item["object"])
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            why = str(error) if type(error) is ValueError else "a member is missing or of another kind"
            self.found.add("manifest", MANIFEST, f"the manifest cannot be used: {why}")
            raise _Unsound from None
        self.manifest = manifest

    def _read_proof(self) -> None:
        """Begin the tree with the nodes left of the range."""
        first = self.manifest["first"]
        if first == 1:
            return
        try:
            nodes = [bytes.fromhex(node) for node in json.loads(self.small[PROOF].decode())["nodes"]]
            widths = widths_before(first)
            if len(nodes) != len(widths) or {len(node) for node in nodes} != {32}:
                raise ValueError
            for width, node in zip(widths, nodes):  # noqa: B905 - the lengths are equal
                self.tree.add(width, node)
            # The last subtree may be the one event before the range, whose hash the first line holds.
            self.before = nodes[-1] if widths[-1] == 1 else b""
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            detail = f"does not hold the nodes of the {first - 1:,} events before the range"
            self.found.add("range_proof", PROOF, detail)
            raise _Unsound from None

    def walk(self) -> None:
        """Every file once: digests, the chain, objects against their names."""
        listed: dict[str, Any] = self.manifest["files"]
        seen: set[str] = set()
        objects: set[bytes] = set()
        for name, size, reader in files(self.path, self.most):
            if name == MANIFEST:
                continue
            seen.add(name)
            digest = sha256()
            payload = sha256(b"\x03") if name.startswith("objects/") else None
            stream = _digested(
                reader, digest.update if payload is None else _both(digest.update, payload.update)
            )
            if name == JOURNAL:
                sizes = [note.size for note in (*self.notes.values(), *(note for _, note in self.anchors))]
                self.chain = Chain(self.manifest["first"], self.tree, sizes, self.found.line, self.before)
                self.chain.walk(journal_lines(stream))
            else:
                for _ in stream:
                    pass
            said = listed.get(name)
            if said is None:
                self.found.add("file_unlisted", name, "the manifest does not name this file")
            elif said["sha256"] != digest.hexdigest() or said["bytes"] != size:
                self.found.add("file_changed", name, "the file is not the one that the manifest names")
            if payload is not None:
                own = name[8:].replace("/", "")
                if own not in (digest.hexdigest(), payload.hexdigest()):
                    self.found.add("object_changed", name, "the object does not hold what its name promises")
                elif len(own) == 64:
                    objects.add(bytes.fromhex(own))
        for name in sorted(listed.keys() - seen):
            self.found.add("file_missing", name, "the manifest names this file, and it is not there")
        if self.chain is None:
            raise Unreadable(f"there is no {JOURNAL} in it")
        self._compare(self.chain, objects)

    def _compare(self, chain: Chain, objects: set[bytes]) -> None:
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
        missing = {bytes.fromhex(item["object"]) for item in manifest["missing"]}
        for name in sorted(chain.objects - objects - missing):
            add(
                "object_missing",
                f"objects/{name.hex()[:2]}/{name.hex()[2:]}",
                "a line cites this object, and it is not there",
            )
        for name in sorted(missing & objects):
            add("manifest", MANIFEST, f"the manifest calls object {name.hex()} missing, and it is there")
        for name in sorted(missing - chain.objects if self.found.first_line is None else ()):
            add("manifest", MANIFEST, f"the manifest calls object {name.hex()} missing, and no line cites it")
        self.missing, self.gone = len(missing), len(missing & chain.redacted)
        self.uncited = len(objects - chain.objects)

    def conclude(self) -> Verdict:
        """The verdict, with what was proven and what was not."""
        manifest, chain = self.manifest, self.chain
        proven: list[str] = []
        unproven: list[str] = []
        if chain is not None and manifest:
            vouching = Vouching(chain, manifest["ledger"], manifest["last"], self.found)
            vouching.checkpoints(self.notes, self.given, self.keys)
            vouching.anchors(self.anchors)
            proven, unproven = vouching.proven, vouching.unproven
            _limits(self, chain, unproven)
        verdict = self.found.diverging or ("faulty" if self.found.faults else "sound")
        if chain is None:
            unproven.append("anything: the bundle could not be read to its end")
        return Verdict(
            verdict, self.found.listed(), proven, unproven, manifest.get("ledger", ""), manifest.get("first", 0),
            0 if chain is None else chain.seq, "" if chain is None else self.tree.root().hex(),
            "" if chain is None else chain.head.hex(), self.sha256,
            0 if chain is None else count_of(chain.withheld), self.missing,
        )  # fmt: skip


def _limits(state: _Bundle, chain: Chain, unproven: list[str]) -> None:
    """What no bundle of this kind can prove."""
    first = state.manifest["first"]
    if first > 1:
        unproven.append(f"events 1 to {first - 1:,}: only the nodes of the tree over them are in the bundle")
    if chain.withheld:
        unproven.append(
            f"what {count_of(chain.withheld):,} withheld lines say; the sender alone says of which types they are"
        )
    if state.missing:
        gone = f", {state.gone:,} of them deleted by a redaction event" if state.gone else ""
        unproven.append(f"what {state.missing:,} cited objects hold, which the manifest calls missing{gone}")
    if state.uncited:
        unproven.append(f"what {state.uncited:,} objects are for: no line here cites them")
    unproven.append("that times are true (each is its writer's claim) and that payloads fit their types")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("it holds a key twice")
    return found


def _digested(reader: Reader, update: Callable[[bytes], object]) -> Iterator[bytes]:
    for piece in pieces(reader):
        update(piece)
        yield piece


def _both(one: Callable[[bytes], object], two: Callable[[bytes], object]) -> Callable[[bytes], object]:
    def update(piece: bytes) -> None:
        one(piece)
        two(piece)

    return update
