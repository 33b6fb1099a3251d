"""Claims: private keys are for their owner alone and outside the ledger; nothing is signed that contradicts the past.

Mutations seen to fail: a key file that others may read is used; an expired key signs; a second call signs again; an
anchor that the journal contradicts does not stop a signature; a key whose file holds another is used.
"""

from __future__ import annotations

import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.anchors import signing
from t2c.ledger.anchors.base import Anchor
from t2c.ledger.anchors.files import beside, keep_beside, keep_local, local
from t2c.ledger.anchors.keyring import Keyring
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt, Environment, Refused, Usage
from t2c.ledger.journal.note import Checkpoint, SignedNote, origin_of
from t2c.ledger.journal.signature import VerifierKey, check, public_of, sign

NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "home" / "state" / "t2c"


@pytest.fixture
def keyring(ledger: Ledger, state: Path) -> Keyring:
    return Keyring(state, ledger.id())


def head(ledger: Ledger, keyring: Keyring, known: list[Anchor] | None = None, key: str | None = None) -> Any:
    with signing.open_tree(ledger) as tree:
        return signing.sign_head(ledger, tree, keyring, NOW, known=known or [], wanted=key)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_key_is_kept_for_its_owner_alone_and_outside_the_ledger(
    ledger: Ledger, keyring: Keyring, state: Path
) -> None:
    key = keyring.make()
    (file,) = [path for path in state.rglob("*") if path.is_file()]
    assert file == state / "keys" / ledger.id() / f"{key.id}.pem"
    assert mode(file) == 0o600
    assert {mode(folder) for folder in (file.parent, file.parent.parent, state)} == {0o700}
    assert keyring.holds(key)
    assert public_of(keyring.seed(key)) == key.public
    secret = keyring.seed(key)
    assert not any(secret in path.read_bytes() for path in ledger.workspace.rglob("*") if path.is_file())


def test_a_folder_that_was_open_to_others_is_closed(keyring: Keyring, state: Path) -> None:
    (state / "keys").mkdir(parents=True)
    (state / "keys").chmod(0o755)
    keyring.make()
    assert mode(state / "keys") == 0o700


def test_a_key_that_others_may_read_is_not_used(keyring: Keyring, state: Path) -> None:
    key = keyring.make()
    (file,) = (state / "keys").rglob("*.pem")
    file.chmod(0o640)
    with pytest.raises(Refused):
        keyring.seed(key)


def test_a_file_that_does_not_hold_its_key_is_named(keyring: Keyring, state: Path) -> None:
    key, other = keyring.make(), keyring.make()
    file = next(path for path in (state / "keys").rglob("*.pem") if path.stem == key.id)
    theirs = next(path for path in (state / "keys").rglob("*.pem") if path.stem == other.id)
    whole = file.read_bytes()
    for content in (b"", b"no key", whole[:-30], theirs.read_bytes()):
        file.write_bytes(content)
        with pytest.raises(Corrupt):
            keyring.seed(key)
    file.unlink()
    with pytest.raises(Environment):
        keyring.seed(key)


def test_a_key_that_cannot_be_registered_is_not_kept(
    ledger: Ledger, keyring: Keyring, state: Path, workspace: Path
) -> None:
    journal = workspace / "journal.ndjson"
    journal.write_bytes(journal.read_bytes().replace(b"sha-256", b"sha-257"))
    with pytest.raises(Corrupt):
        signing.register(ledger, keyring)
    assert list((state / "keys").rglob("*.pem")) == []


def test_the_newest_key_that_is_here_and_not_expired_signs(ledger: Ledger, keyring: Keyring) -> None:
    with pytest.raises(Usage, match="private half is here"):
        signing.signer(ledger, keyring, NOW)
    first = signing.register(ledger, keyring, participant="ada")
    second = signing.register(ledger, keyring, expires="2026-06-01T00:00:00.000Z")
    assert signing.signer(ledger, keyring, NOW).id == second.id
    assert signing.signer(ledger, keyring, NOW + timedelta(days=90)).id == first.id
    assert signing.signer(ledger, keyring, NOW, first.id).id == first.id
    with pytest.raises(Usage, match="expired at 2026-06-01"):
        signing.signer(ledger, keyring, NOW + timedelta(days=90), second.id)
    with pytest.raises(Usage, match="no registered key 'ffffffff'"):
        signing.signer(ledger, keyring, NOW, "ffffffff")
    unregistered = keyring.make()
    with pytest.raises(Usage):
        signing.signer(ledger, keyring, NOW, unregistered.id)
    assert [key.id for key in signing.registered(ledger)] == [first.id, second.id]
    assert [key.participant for key in signing.registered(ledger)] == ["ada", None]


def test_a_signed_head_is_recorded_once(
    ledger: Ledger, keyring: Keyring, note: Callable[..., Any], oracle: Any, workspace: Path
) -> None:
    key = signing.register(ledger, keyring)
    made = head(ledger, keyring)
    assert (made.note.checkpoint.size, made.seq, made.new) == (2, 3, True)
    lines = (workspace / "journal.ndjson").read_bytes().splitlines()
    assert made.note.checkpoint.root == oracle.root([bytes.fromhex(oracle.leaf(line)) for line in lines[:2]])
    verifier = key.verifier()
    assert verifier is not None and check(made.note.text, made.note.signatures, [verifier]).good
    again = head(ledger, keyring)
    assert again == made._replace(new=False)
    assert ledger.head().seq == 3
    ledger.append([note("more")])
    assert head(ledger, keyring).note.checkpoint.size == 4
    assert ledger.head().seq == 5


def test_another_key_signs_what_the_first_one_signed(ledger: Ledger, keyring: Keyring) -> None:
    first, second = signing.register(ledger, keyring), signing.register(ledger, keyring)
    assert head(ledger, keyring, key=first.id).new
    other = head(ledger, keyring, key=second.id)
    assert (other.key, other.new) == (second.id, True)
    assert not head(ledger, keyring, key=first.id).new
    assert not head(ledger, keyring, key=second.id).new


def test_nothing_is_signed_that_contradicts_what_was_signed(ledger: Ledger, keyring: Keyring) -> None:
    signing.register(ledger, keyring)
    origin = origin_of(ledger.id())
    for checkpoint in (Checkpoint(origin, 2, bytes(32)), Checkpoint(origin, 9, bytes(32))):
        with pytest.raises(Corrupt, match="nothing was signed"):
            head(ledger, keyring, [Anchor("elsewhere", checkpoint, checkpoint.body(), "local")])
    assert ledger.head().seq == 2


def test_checkpoints_are_found_where_they_were_kept(tmp_path: Path, state: Path) -> None:
    ledger, seed = "0" * 32, bytes(32)
    folder = tmp_path / "checkpoints"
    for name, size in ((ledger, 12), (ledger, 3), ("1" * 32, 5)):
        made = Checkpoint(origin_of(name), size, bytes(32))
        kept = SignedNote.of(made, [sign(seed, made.origin, made.body())])
        assert keep_beside(folder, kept).name == f"{size:012d}-00000000.txt"
        keep_local(state, kept, tmp_path)
    (folder / "torn.txt").write_text("t2c/")
    found = beside(folder, ledger)
    assert [anchor.checkpoint.size for anchor in found.anchors] == [3, 12]
    assert {remark.reason for remark in found.remarks} == {"unreadable", "other_ledger"}
    (anchor,) = local(state, ledger, tmp_path).anchors
    assert (anchor.checkpoint.size, anchor.strength) == (3, "local")
    assert local(state, "2" * 32, tmp_path).anchors == ()
    assert local(state, ledger, tmp_path / "another").anchors == ()
    assert {mode(path) for path in (state / "anchors").iterdir()} == {0o600}
    Path(anchor.place or "").rename(Path(str(anchor.place).replace(ledger, "2" * 32)))
    with pytest.raises(Usage, match="another ledger"):
        local(state, "2" * 32, tmp_path)


def test_a_registered_key_that_is_no_key_checks_nothing() -> None:
    row = signing.Registered(2, "2026-01-01T00:00:00.000Z", "ffffffff", "ed25519", "", None, None)
    key = VerifierKey("t2c/x", bytes(32))
    assert row.verifier() is None
    assert row._replace(public=key.text()).verifier() is None
    assert row._replace(public=key.text(), id=key.id).verifier() == key
    assert row._replace(public=key.text(), id=key.id, algorithm="ssh").verifier() is None
    assert signing.expired(row._replace(expires="2026-13-45T99:00:00Z"), NOW)
