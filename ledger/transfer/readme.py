"""The page in a bundle that tells how to check it with openssl and sed, with the figures of this very bundle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from t2c.ledger.journal.note import SignedNote, origin_of
from t2c.ledger.kernel.digests import payload_hash
from t2c.ledger.transfer.layout import CHECKPOINT, JOURNAL, Manifest
from t2c.ledger.transfer.vouchers import PLAIN, KeyFile

__all__ = ["readme"]

_ROOT_BY_HAND: Final = 2_000
"""Events up to which the tree is built in a shell within a minute."""


def readme(
    manifest: Manifest, folder: Path, checkpoints: Mapping[str, SignedNote], keys: Sequence[KeyFile]
) -> str:
    """The page's text. `folder` holds the bundle's other files, `checkpoints` are those in it by their files' names.

    Whoever follows the page runs its lines. Of what a journal or a checkpoint says, nothing stands in it but what
    fits a plain pattern; what does not is told of without its words.
    """
    parts = [_head(manifest), _verifier(manifest), _digest(manifest), _line(manifest)]
    by_hand = manifest.first == 1 and manifest.last <= _ROOT_BY_HAND and not manifest.withheld
    if by_hand:
        parts.append(_ROOT.format(last=manifest.last))
    parts += [_object(manifest, folder), _signature(manifest, checkpoints, keys)]
    parts += [_beyond(manifest, by_hand), _not_here(manifest)]
    return "\n".join(part for part in parts if part)


def _head(manifest: Manifest) -> str:
    span = "all events" if manifest.first == 1 else "a range"
    return f"""# A bundle of ledger {manifest.ledger}

Events {manifest.first} to {manifest.last} ({span}). The Merkle root over events 1 to {manifest.last} is

    {manifest.root}

and the last line hashes to

    {manifest.head}

Nothing here asks you to trust whoever sent it. What counts is what you have from elsewhere: a checkpoint or a public
key that you kept, or that reached you on another way than this bundle.
"""


def _verifier(manifest: Manifest) -> str:
    return f"""## With Python

    python3 verify.py
    python3 verify.py --key KEY --checkpoint FILE

It needs Python 3.8 or later and nothing else, and says at its end what it did not prove. This one came with the bundle:
one from a source that you trust does as well. Made by {manifest.tool}.

## With openssl and sed

Run these in this folder, in a POSIX shell. Each prints two lines that must be alike; whether a signature fits,
`openssl pkeyutl` says in words.
"""


def _digest(manifest: Manifest) -> str:
    return f"""A file is the one that `manifest.json` names (so for every file in it):

    openssl dgst -sha256 -r {JOURNAL} | sed 's/ .*//'
    sed -n '/"{JOURNAL}": {{/,/}}/s/.*"sha256": "\\(.*\\)".*/\\1/p' manifest.json
"""


def _line(manifest: Manifest) -> str:
    count = manifest.last - manifest.first + 1
    if count == 1:
        return ""
    # The last pair of lines of which neither is withheld: a stub is no bytes to hash, and names no line before it.
    hidden = [run for item in manifest.withheld for run in item.seqs]
    last = manifest.last
    while last > manifest.first and any(a <= last <= b or a <= last - 1 <= b for a, b in hidden):
        last = min(a for a, b in hidden if a <= last <= b or a <= last - 1 <= b) - 1
    if last <= manifest.first:
        return ""
    at = last - manifest.first
    return f"""A line holds the hash of the line before it as `prev` (here events {last - 1} and {last}):

    (printf '\\0'; sed -n {at}p {JOURNAL} | tr -d '\\n') | openssl dgst -sha256 -r | sed 's/ .*//'
    sed -n {at + 1}p {JOURNAL} | sed 's/.*"prev":"\\([0-9a-f]*\\)".*/\\1/'
"""


_ROOT: Final = """The Merkle root, as the third line of `checkpoint.txt` states it (RFC 6962; a minute for a thousand events):

    t=$(mktemp -d) n={last} i=1
    node() {{ (printf '\\1'; cat "$1" "$2") | openssl dgst -sha256 -binary > $t/x; mv $t/x "$2"; }}
    while [ $i -le $n ]; do
      (printf '\\0'; sed -n ${{i}}p journal.ndjson | tr -d '\\n') | openssl dgst -sha256 -binary > $t/new
      k=$i l=0
      while [ $((k % 2)) -eq 0 ]; do node $t/$l $t/new; k=$((k / 2)) l=$((l + 1)); done
      mv $t/new $t/$l; i=$((i + 1))
    done
    k=$n l=0
    while [ $k -gt 0 ]; do
      if [ $((k % 2)) -eq 1 ]; then if [ -e $t/root ]; then node $t/$l $t/root; else cp $t/$l $t/root; fi; fi
      k=$((k / 2)) l=$((l + 1))
    done
    openssl base64 -A -in $t/root; echo
    sed -n 3p checkpoint.txt
"""


def _object(manifest: Manifest, folder: Path) -> str:
    """One object of each kind that is there."""
    plain = payload = None
    for name in manifest.files:
        if name.startswith("objects/") and (plain is None or payload is None):
            if payload_hash((folder / name).read_bytes()) == name[8:].replace("/", ""):
                payload = payload or name
            else:
                plain = plain or name
    text = ""
    if plain is not None:
        text += f"""An object is named by its SHA-256:

    openssl dgst -sha256 -r {plain} | sed 's/ .*//'
    echo {plain[8:].replace("/", "")}
"""
    if payload is not None:
        text += f"""
A payload that a line names by `data_hash` (32 random bytes, then the payload) is named by another hash:

    (printf '\\3'; cat {payload}) | openssl dgst -sha256 -r | sed 's/ .*//'
    echo {payload[8:].replace("/", "")}
"""
    return text


def _signature(manifest: Manifest, checkpoints: Mapping[str, SignedNote], keys: Sequence[KeyFile]) -> str:
    """The newest checkpoint that a key of the ledger's own name signed; the line is named by its number."""
    origin = origin_of(manifest.ledger)
    own = {key.key.id: key.name for key in keys if key.key.name == origin}
    newest = sorted(
        checkpoints.items(), key=lambda item: (item[1].checkpoint.size, item[0] == CHECKPOINT), reverse=True
    )
    for name, note in newest:
        for number, line in enumerate(note.signatures, note.text.count("\n") + 2):
            if line.name == origin and line.key in own and PLAIN.fullmatch(name):
                return _SIGNATURE.format(
                    name=name, key=own[line.key], number=number,
                    what=_signed(manifest, name, note.checkpoint.size),
                )  # fmt: skip
    return ""


def _signed(manifest: Manifest, name: str, size: int) -> str:
    if name == CHECKPOINT:
        return "all events of this bundle"
    if size > manifest.last:
        return f"{size} events, of which those of this bundle are the first: `verify.py` shows it by `proof.json`"
    return f"events 1 to {size}; no signature in this bundle covers those after it"


_SIGNATURE: Final = """The signature of `{name}`, by the key in `{key}` (better: by the same key from elsewhere).
It covers {what}:

    t=$(mktemp -d)
    sed '/^$/,$d' {name} > $t/body
    sed -n '{number}s/.* //p' {name} | openssl base64 -d -A | tail -c 64 > $t/signature
    (printf '\\060\\052\\060\\005\\006\\003\\053\\145\\160\\003\\041\\000'
     sed 's/^[^+]*+[^+]*+//' {key} | openssl base64 -d -A | tail -c 32) > $t/key.der
    openssl pkeyutl -verify -pubin -keyform DER -inkey $t/key.der -rawin -in $t/body -sigfile $t/signature
"""


def _beyond(manifest: Manifest, by_hand: bool) -> str:
    """What the recipes do not reach, so that nobody takes them for more than they are."""
    if by_hand:
        return ""
    why = "its lines are withheld in part" if manifest.withheld else "it has too many events for a shell"
    if manifest.first > 1:
        why = "it is a range, whose root needs the nodes of `proof.json`"
    return f"""Not by hand: that all lines together have the root that `checkpoint.txt` states. For this bundle `verify.py` alone shows
it, as {why}. So these recipes compare one file, one pair of lines and what they name, and no more.
"""


def _not_here(manifest: Manifest) -> str:
    said = []
    if manifest.first > 1:
        said.append(f"* Events before {manifest.first}: `proof.json` holds the nodes of the tree over them.")
    for item in manifest.withheld:
        count = sum(b - a + 1 for a, b in item.seqs)
        lines = "1 line" if count == 1 else f"{count} lines"
        kind = (
            f"of the type {item.type}"
            if PLAIN.fullmatch(item.type)
            else "of a type that `manifest.json` names"
        )
        said.append(
            f"* {lines} {kind}, withheld: a hash stands in the place of each, so that the chain, "
            "the root and every proof still hold."
        )
    if manifest.partial:
        said.append(f"* Events after {manifest.last}: the ledger went on when this part of it was made.")
    sealed = len(manifest.sealed)
    if sealed:
        answers = "1 commitment stands" if sealed == 1 else f"{sealed} commitments stand"
        said.append(f"* What a model said under seal: {answers} for it, and no object is in the ledger.")
    if len(manifest.missing) > sealed:
        many = len(manifest.missing) - sealed
        objects = "1 cited object" if many == 1 else f"{many} cited objects"
        said.append(f"* {objects}, as `manifest.json` lists under `missing`.")
    return "## Not in it\n\n" + "\n".join(said) + "\n" if said else ""
