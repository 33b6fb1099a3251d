"""Claims: a signature is one of exactly one approval in one ledger by one key, is checked without OpenSSH, and whatever
else stands in its place is refused with a reason.

Mutations seen to fail: the namespace not looked at; the key of the signature not compared with the one registered;
the ledger's id left out of what is signed; a revocation not looked at.
"""

from __future__ import annotations

import subprocess
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.anchors.keyring import Keyring
from t2c.ledger.anchors.signing import register
from t2c.ledger.approvals.keys import key_book, register_ssh, revoke, usable
from t2c.ledger.approvals.signatures import (
    approval_problem,
    check_signature,
    sign_with_own_key,
    sign_with_ssh,
)
from t2c.ledger.approvals.sshsig import parse_ssh_key, signer_of, ssh_problem
from t2c.ledger.approvals.statement import approval_bytes
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Environment, Refused, Usage
from t2c.ledger.events.decisions import ApprovalGranted
from t2c.ledger.kernel.actor import Actor

ADA, NOW = Actor("human", "ada"), datetime(2100, 1, 1, tzinfo=UTC)
TEXT = b"t2c approval v1\nwhat is signed\n"
KINDS = {
    "ed25519": ("-t", "ed25519"), "p256": ("-t", "ecdsa", "-b", "256"), "p384": ("-t", "ecdsa", "-b", "384"),
    "p521": ("-t", "ecdsa", "-b", "521"), "rsa": ("-t", "rsa", "-b", "2048"), "small": ("-t", "rsa", "-b", "1024"),
    "locked": ("-t", "ed25519", "-N", "secret"),
}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a key of each kind."""
    folder = tmp_path_factory.mktemp("keys")
    for name, options in KINDS.items():
        plain = () if "-N" in options else ("-N", "")
        subprocess.run(["ssh-keygen", "-q", *options, *plain, "-f", folder / name], check=True)
    return folder


def public(folder: Path, name: str) -> str:
    return parse_ssh_key((folder / f"{name}.pub").read_text()).text()


def signed(folder: Path, name: str, text: bytes = TEXT, namespace: str = "t2c-approval") -> str:
    command = ["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", folder / name]
    return subprocess.run(command, input=text, capture_output=True, check=True).stdout.decode()


@pytest.mark.parametrize("name", ["ed25519", "p256", "p384", "p521", "rsa"])
def test_what_ssh_keygen_signed_is_good_for_that_text_and_that_key_alone(made: Path, name: str) -> None:
    value = signed(made, name)
    assert check_signature(public(made, name), "ssh", value, TEXT) is None
    assert "not one of this text" in str(check_signature(public(made, name), "ssh", value, TEXT + b" "))
    other = "p256" if name != "p256" else "ed25519"
    assert "another key" in str(check_signature(public(made, other), "ssh", value, TEXT))
    listed = subprocess.run(
        ["ssh-keygen", "-lf", made / name], capture_output=True, check=True
    ).stdout.decode()
    assert signer_of(value) == listed.split()[1]


def test_a_signature_for_another_purpose_is_none(made: Path) -> None:
    assert "made for" in str(
        ssh_problem(public(made, "ed25519"), signed(made, "ed25519", namespace="git"), TEXT)
    )


def test_keys_that_are_too_weak_or_of_another_kind_are_refused_by_name(made: Path) -> None:
    for line, said in (
        ((made / "small.pub").read_text(), "1024 bits"),
        ("sk-ssh-ed25519@openssh.com " + "A" * 64, "sk-ssh-ed25519@openssh.com"),
        ("ssh-dss " + "A" * 64, "ssh-dss"),
        (public(made, "ed25519").replace("ssh-ed25519", "ssh-rsa", 1), "not those of its kind"),
        (public(made, "ed25519")[:-8], "is"),
        ("no key", "its kind is no"),
        (public(made, "ed25519") + "\n" + public(made, "p256"), "one line"),
    ):
        with pytest.raises(Usage, match=said):
            parse_ssh_key(line)


def test_rsa_with_sha1_is_no_signature(made: Path) -> None:
    def swapped(kind: bytes) -> str:
        value = signed(made, "rsa")
        packed = b64decode("".join(value.splitlines()[1:-1]))
        at = packed.index(b"rsa-sha2-512")
        inner = packed[at - 4 :].replace(b"\0\0\0\x0crsa-sha2-512", len(kind).to_bytes(4) + kind)
        packed = packed[: at - 8] + len(inner).to_bytes(4) + inner
        return f"-----BEGIN SSH SIGNATURE-----\n{b64encode(packed).decode()}\n-----END SSH SIGNATURE-----\n"

    assert ssh_problem(public(made, "rsa"), swapped(b"rsa-sha2-512"), TEXT) is None
    assert "SHA-2" in str(ssh_problem(public(made, "rsa"), swapped(b"ssh-rsa"), TEXT))


@settings(max_examples=50, deadline=None)
@given(at=st.integers(0, 200), byte=st.integers(0, 255), cut=st.integers(0, 200), more=st.binary(max_size=5))
def test_a_changed_signature_is_refused_cleanly(
    made: Path, at: int, byte: int, cut: int, more: bytes
) -> None:
    packed = bytearray(b64decode("".join(_once(made).splitlines()[1:-1])))
    before = bytes(packed)
    packed[at % len(packed)] = byte
    changed = bytes(packed[: len(packed) - cut % 60]) + more
    value = f"-----BEGIN SSH SIGNATURE-----\n{b64encode(changed).decode()}\n-----END SSH SIGNATURE-----\n"
    problem = ssh_problem(public(made, "ed25519"), value, TEXT)
    assert (problem is None) == (changed == before)


_SEEN: dict[Path, str] = {}


def _once(folder: Path) -> str:
    if folder not in _SEEN:
        _SEEN[folder] = signed(folder, "ed25519")
    return _SEEN[folder]


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=200), st.text(max_size=100))
def test_any_text_in_place_of_key_or_signature_is_a_sentence(made: Path, value: str, key: str) -> None:
    for one in (value, f"-----BEGIN SSH SIGNATURE-----\n{value}\n-----END SSH SIGNATURE-----"):
        assert check_signature(public(made, "ed25519"), "ssh", one, TEXT)
        assert check_signature(key, "ssh", _once(made), TEXT)
        assert check_signature(key, "ed25519", value, TEXT)


def test_every_member_changes_what_is_signed_and_none_can_break_its_lines() -> None:
    plain: dict[str, Any] = {
        "ledger_id": "a" * 32, "subject": "patch:todo", "digest": "b" * 64, "shown": None, "actor": "human:ada",
        "expires": None, "statement": "read it",
    }  # fmt: skip
    text = approval_bytes(**plain)
    assert (
        text.startswith(b"t2c approval v1\nledger aaaa") and text.endswith(b"\n") and text.count(b"\n") == 8
    )
    for name in plain:
        assert approval_bytes(**{**plain, name: "other"}) != text, name
    for name in set(plain) - {"statement"}:
        with pytest.raises(Refused, match=r"characters that are no text"):
            approval_bytes(**{**plain, name: "one\nactor human:eve"})


def approval(**more: Any) -> ApprovalGranted:
    return ApprovalGranted(subject="patch:todo", digest="b" * 64, statement="read it", **more)


def kept(payload: ApprovalGranted) -> dict[str, Any]:
    return orjson.loads(payload.encode())  # type: ignore[no-any-return]


@pytest.fixture(params=["own", "ssh"])
def signing(request: Any, ledger: Ledger, made: Path, tmp_path: Path) -> Callable[[], dict[str, Any]]:
    """Signs an approval by Ada with a key that is registered for her; the payload as it would be recorded."""
    ring = Keyring(tmp_path / "state", ledger.id())
    if request.param == "own":
        register(ledger, ring, participant="human:ada")
    else:
        register_ssh(ledger, parse_ssh_key(public(made, "ed25519")), "human:ada", None, ADA)

    def sign() -> dict[str, Any]:
        if request.param == "own":
            signer = sign_with_own_key(ledger, ring, None, "human:ada", NOW)
        else:
            signer = sign_with_ssh(ledger, made / "ed25519", "human:ada", NOW, {"PATH": "/usr/bin:/bin"})
        payload = approval()
        return kept(payload.model_copy(update={"signature": signer(payload)}))

    return sign


def test_a_signature_is_of_one_approval_in_one_ledger(
    ledger: Ledger, signing: Callable[[], dict[str, Any]]
) -> None:
    data = signing()
    (key,) = key_book(ledger).keys.values()

    def problem(data: dict[str, Any], actor: str = "human:ada", here: str = ledger.id()) -> str | None:
        return approval_problem(here, data, actor, key.algorithm, key.public)

    assert problem(data) is None
    for name, value in (
        ("digest", "c" * 64),
        ("shown", "c" * 64),
        ("subject", "patch:x"),
        ("statement", "no"),
    ):
        assert problem({**data, name: value}), name
    assert problem({**data, "expires": "2099-01-01T00:00:00Z"})
    assert problem(data, "human:eve")
    assert problem(data, here="0" * 32)


def test_a_revoked_key_signs_no_more(ledger: Ledger, signing: Callable[[], dict[str, Any]]) -> None:
    signing()
    (key,) = key_book(ledger).keys.values()
    revoke(ledger, key.id, "lost", ADA)
    with pytest.raises((Usage, Refused)):
        signing()
    with pytest.raises(Conflict, match="revoked already"):
        revoke(ledger, key.id, "again", ADA)
    book = key_book(ledger)
    assert "revoked" in str(book.problem(key.id, "human:ada", ledger.head().seq + 1, "2100-01-01T00:00:00Z"))
    assert book.problem(key.id, "human:ada", ledger.head().seq - 1, "2100-01-01T00:00:00Z") is None


def test_a_key_signs_for_whom_it_is_registered_until_it_expires(ledger: Ledger, made: Path) -> None:
    key = register_ssh(ledger, parse_ssh_key(public(made, "p256")), "ada", "2099-01-01T00:00:00Z", ADA)
    book = key_book(ledger)
    assert book.problem(key.id, "human:ada", 9, "2098-12-31T23:59:59Z") is None
    assert "expired" in str(book.problem(key.id, "human:ada", 9, "2099-01-01T00:00:00Z"))
    assert "registered for ada" in str(book.problem(key.id, "human:bob", 9, "2098-01-01T00:00:00Z"))
    assert "not registered before" in str(book.problem(key.id, "human:ada", 1, "2098-01-01T00:00:00Z"))
    assert list(usable(ledger, "human:ada", "2098-01-01T00:00:00Z")) == [key.id]
    with pytest.raises(Conflict, match="registered already"):
        register_ssh(ledger, parse_ssh_key(public(made, "p256")), "human:bob", None, ADA)


def test_a_locked_key_and_a_missing_program_are_told_without_waiting(ledger: Ledger, made: Path) -> None:
    with pytest.raises(Environment, match="did not sign"):
        sign_with_ssh(ledger, made / "locked", "human:ada", NOW, {"PATH": "/usr/bin:/bin"})(approval())
    with pytest.raises(Refused, match="was not registered"):
        sign_with_ssh(ledger, made / "rsa", "human:ada", NOW, {"PATH": "/usr/bin:/bin"})(approval())
