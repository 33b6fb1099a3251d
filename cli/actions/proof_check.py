"""`t2c ledger verify-proof`: a proof checked by itself: no journal, no ledger, in any folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Final, Literal

import msgspec

from t2c.cli.actions.notes import read_checkpoint, read_file, read_keys
from t2c.ledger.errors import Usage
from t2c.ledger.journal import proofs
from t2c.ledger.journal.chain import MAX_LINE
from t2c.ledger.journal.entry import decode_entry
from t2c.ledger.journal.note import MAX_NOTE, SignedNote, parse_checkpoint
from t2c.ledger.journal.signature import VerifierKey, vouched
from t2c.ledger.kernel import canon
from t2c.ledger.kernel.digests import leaf_hash

__all__ = ["CheckedEvent", "ProofCheck", "verify_proof"]

_MOST: Final = 8 * MAX_LINE
_Hex = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]


class _Document(msgspec.Struct, forbid_unknown_fields=True):
    schema: Literal["t2c.proof/v1"]
    kind: Literal["inclusion", "consistency"]
    ledger: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{32}$")]
    tree_size: Annotated[int, msgspec.Meta(ge=1, le=canon.MAX_INT)]
    hashes: Annotated[list[_Hex], msgspec.Meta(max_length=128)]
    checkpoint: Annotated[str, msgspec.Meta(max_length=MAX_NOTE)]
    signed: bool
    line: Annotated[str, msgspec.Meta(max_length=MAX_LINE)] | None = None
    leaf_index: Annotated[int, msgspec.Meta(ge=0, le=canon.MAX_INT)] | None = None
    old_checkpoint: Annotated[str, msgspec.Meta(max_length=MAX_NOTE)] | None = None


@dataclass(frozen=True, slots=True)
class CheckedEvent:
    """What the proven line says of itself."""

    seq: int
    id: str
    type: str
    ts: str


@dataclass(frozen=True, slots=True)
class ProofCheck:
    """`ok` if nothing is wrong. `keys` are the ids of the given keys that signed the checkpoint.

    `unproven` says in words what was not shown, `trusted` whether a given key signed the checkpoint or it was given;
    else the parts of the proof fit one another, and anybody could have made them. `event` is what an inclusion proof is about, `old_size` the size of
    the ledger that a consistency proof begins with.
    """

    schema: ClassVar[str] = "t2c.proof-check/v1"
    ok: bool
    kind: Literal["inclusion", "consistency"]
    ledger: str
    size: int
    root: str
    keys: Sequence[str]
    faults: Sequence[str]
    unproven: Sequence[str]
    trusted: bool = False
    event: CheckedEvent | None = None
    old_size: int | None = None


def verify_proof(cwd: Path, name: str, keys: Sequence[str], checkpoint: str | None) -> ProofCheck:
    """Check the proof in a file. `checkpoint` is one that the caller trusts, in another file.

    Raises Usage if the file holds no proof or the checkpoint is of another size or ledger, Environment if a file
    cannot be read.
    """
    proof = _read(cwd, name)
    known = read_keys(cwd, keys)
    own = parse_checkpoint(proof.checkpoint, f"{name}: checkpoint")
    faults: list[str] = []
    note, trusted = own, False
    if checkpoint is not None:
        note, trusted = read_checkpoint(cwd, checkpoint), True
        if note.checkpoint[:2] != own.checkpoint[:2]:
            raise Usage(
                f"the proof is for {own.checkpoint.size} events of {own.checkpoint.origin}, "
                f"the checkpoint for {note.checkpoint.size} of {note.checkpoint.origin}",
                where=checkpoint,
                remedy="ask for a proof to this checkpoint: `t2c ledger prove … --checkpoint FILE`",
            )
        if note.checkpoint.root != own.checkpoint.root:
            faults.append(
                "the checkpoint that came with the proof has another root than the one that was given"
            )
    if proof.signed != bool(own.signatures):
        faults.append(
            f"the proof says that its checkpoint is {'signed' if proof.signed else 'not signed'}, and it is otherwise"
        )
    if own.checkpoint.ledger != proof.ledger or own.checkpoint.size != proof.tree_size:
        faults.append("the proof and its checkpoint name different ledgers or sizes")
    event: CheckedEvent | None = None
    old: SignedNote | None = None
    hashes = [bytes.fromhex(node) for node in proof.hashes]
    if proof.line is not None and proof.leaf_index is not None:
        event = _event(proof.line, proof.leaf_index, faults)
        leaf = bytes.fromhex(leaf_hash(proof.line.encode()))
        if not proofs.includes(leaf, proof.leaf_index, proof.tree_size, hashes, note.checkpoint.root):
            faults.append("the proof does not lead from the event to the root of the checkpoint")
    elif proof.old_checkpoint is not None:
        old = parse_checkpoint(proof.old_checkpoint, f"{name}: old_checkpoint")
        if old.checkpoint.origin != own.checkpoint.origin:
            faults.append("the two checkpoints are of different ledgers")
        size, root = old.checkpoint.size, old.checkpoint.root
        if not proofs.extends(size, root, proof.tree_size, note.checkpoint.root, hashes):
            faults.append("the proof does not show that the greater ledger begins with the smaller one")
    signers = _signers(note, known, faults, required=True)
    if old is not None:
        _signers(old, known, faults, required=False)
    return ProofCheck(
        not faults,
        proof.kind,
        proof.ledger,
        proof.tree_size,
        note.checkpoint.root.hex(),
        [key.id for key in signers],
        faults,
        list(_unproven(note, old, known, trusted)),
        not faults and (trusted or bool(signers)),
        event,
        None if old is None else old.checkpoint.size,
    )


def _read(cwd: Path, name: str) -> _Document:
    try:
        value = canon.loads(read_file(cwd, name, _MOST))
        proof = msgspec.convert(value, _Document)
    except (canon.NotCanonical, msgspec.ValidationError) as error:
        raise _no_proof(name, str(error)) from None
    about_event = proof.line is not None and proof.leaf_index is not None
    both = proof.old_checkpoint is not None and (proof.line is not None or proof.leaf_index is not None)
    if both or about_event != (proof.kind == "inclusion") or not (about_event or proof.old_checkpoint):
        raise _no_proof(name, f"it does not hold what a proof of kind {proof.kind} holds")
    return proof


def _no_proof(name: str, why: str) -> Usage:
    return Usage(f"this is no proof: {why}", where=name, remedy="`t2c ledger prove` makes one")


def _event(line: str, index: int, faults: list[str]) -> CheckedEvent | None:
    try:
        entry = decode_entry(line.encode())
    except (msgspec.DecodeError, UnicodeEncodeError):
        faults.append("the line is no event")
        return None
    if entry.seq != index + 1:
        faults.append(f"the line says that it is event {entry.seq}, the proof that it is event {index + 1}")
    return CheckedEvent(entry.seq, entry.id, entry.type, entry.ts)


def _signers(
    note: SignedNote, keys: Sequence[VerifierKey], faults: list[str], *, required: bool
) -> Sequence[VerifierKey]:
    """The given keys that signed; what is amiss with their signatures goes to `faults`."""
    found = vouched(note, keys)
    which = f"the checkpoint of {note.checkpoint.size} events"
    faults += [f"{which} holds a signature of key {bad.key} that is not its own" for bad in found.bad]
    if keys and required and not found.valid:
        faults.append(f"no given key signed {which}")
    return found.valid


def _unproven(
    note: SignedNote, old: SignedNote | None, keys: Sequence[VerifierKey], trusted: bool
) -> Iterator[str]:
    size = note.checkpoint.size
    if not note.signatures:
        yield f"who vouches for the checkpoint of {size} events: nobody signed it"
    elif not keys:
        yield f"no key was given: who signed the checkpoint of {size} events was not checked"
    if not keys and not trusted:
        yield "the checkpoint came with the proof, so only that the parts fit each other is shown"
    if old is not None and not vouched(old, keys).valid:
        yield f"that the checkpoint of {old.checkpoint.size} events was ever given out: no given key signed it"
    yield f"what the ledger holds after its first {size} events, and whether it still holds these"
