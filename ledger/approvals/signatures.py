"""Signing an approval, and checking that a signature is one of exactly that approval by a key of who gave it."""

from __future__ import annotations

import subprocess
import tempfile
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from t2c.ledger.anchors.keyring import Keyring
from t2c.ledger.approvals.keys import KeyBook, key_book, usable
from t2c.ledger.approvals.sshsig import NAMESPACE, signer_of, ssh_problem
from t2c.ledger.approvals.statement import approval_bytes
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Environment, Refused, T2cError, Usage
from t2c.ledger.journal.note import origin_of
from t2c.ledger.journal.signature import VerifierKey, parse_key
from t2c.ledger.kernel.clock import rfc3339

if TYPE_CHECKING:
    from t2c.ledger.approvals.history import Granted
    from t2c.ledger.events.decisions import ApprovalGranted, Signature

__all__ = [
    "Signer", "approval_problem", "check_signature", "checking", "sign_with_own_key", "sign_with_ssh",
]  # fmt: skip

_PATIENCE: Final = 60
"""Seconds for ssh-keygen where nobody can be asked."""


class Signer(Protocol):
    """Signs an approval that is about to be recorded, given without its signature."""

    def __call__(self, approval: ApprovalGranted, /) -> Signature:
        """The signature. Raises T2cError where it cannot be made."""
        ...


def sign_with_own_key(
    ledger: Ledger, keyring: Keyring, key_id: str | None, participant: str, now: datetime
) -> Signer:
    """Signs with a key of `t2c ledger key new` that is registered for `participant` (`kind:id`), the newest by default.

    Raises Usage if there is none whose private half is here.
    """
    good = [
        (key.seq, verifier)
        for key in usable(ledger, participant, rfc3339(now)).values()
        if (verifier := key.verifier()) is not None
        and keyring.holds(verifier)
        and key_id in (None, verifier.id)
    ]
    if not good:
        named = "no key" if key_id is None else f"no key {key_id[:80]!r}"
        raise Usage(
            f"there is {named} here that signs for {participant}",
            safe="nothing was signed",
            remedy=f"`t2c ledger key new --participant {participant}` makes one; `t2c ledger key list` shows them",
        )
    chosen = max(good)[1]

    def sign(approval: ApprovalGranted) -> Signature:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        from t2c.ledger.events.decisions import Signature

        private = Ed25519PrivateKey.from_private_bytes(keyring.seed(chosen))
        value = b64encode(private.sign(_signed(ledger, approval, participant))).decode()
        return Signature(key=chosen.id, algorithm="ed25519", value=value)

    return sign


def sign_with_ssh(
    ledger: Ledger,
    file: Path,
    participant: str,
    now: datetime,
    environ: Mapping[str, str],
    *,
    terminal: bool = False,
) -> Signer:
    """Signs by `ssh-keygen` with a private key file, or with the agent that holds the key of a `.pub` file.

    `environ` is what ssh-keygen gets; only with `terminal` may it ask for a passphrase. Raises, when it signs,
    Environment if ssh-keygen is missing or fails, Refused if the key is none that signs for `participant`.
    """

    def sign(approval: ApprovalGranted) -> Signature:
        from t2c.ledger.events.decisions import Signature

        text = _signed(ledger, approval, participant)
        value = _ssh_keygen(file, text, environ, terminal)
        try:
            name = signer_of(value)
        except ValueError as error:
            raise Environment(
                f"ssh-keygen made no signature that is understood: {error}", safe="nothing was signed"
            ) from None
        key = usable(ledger, participant, rfc3339(now)).get(name)
        if key is None:
            book = key_book(ledger)
            why = book.problem(name, participant, ledger.head().seq + 1, rfc3339(now))
            raise Refused(
                f"the key does not sign for {participant}: {why}",
                where=str(file),
                safe="nothing was recorded",
                remedy=f"register it: t2c ledger key add {file.with_suffix('.pub').name} --participant {participant}",
            )
        if problem := check_signature(key.public, key.algorithm, value, text):
            raise Environment(
                f"ssh-keygen made a signature that does not hold: {problem}", safe="nothing was signed"
            )
        return Signature(key=key.id, algorithm="ssh", value=value)

    return sign


def check_signature(public: str, algorithm: str, value: str, signed: bytes) -> str | None:
    """What is wrong with a signature of these bytes; None if it is good. Needs no network and no other program.

    `public` is the text under which the key is registered.
    """
    if algorithm == "ssh":
        return ssh_problem(public, value, signed)
    if algorithm != "ed25519":
        return f"its algorithm {algorithm[:40]!r} is not known"
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        key: VerifierKey = parse_key(public)
        Ed25519PublicKey.from_public_bytes(key.public).verify(b64decode(value, validate=True), signed)
    except InvalidSignature:
        return "the signature is not one of this text by this key"
    except Usage as error:
        return error.what
    except ValueError:
        return "the signature is not base64"
    return None


def approval_problem(
    ledger_id: str, data: Mapping[str, Any], actor: str, algorithm: str, public: str
) -> str | None:
    """What is wrong with the signature of an approval's payload by a registered key; None if it is good."""
    signature = data["signature"]
    if signature["algorithm"] != algorithm:
        return f"it says {signature['algorithm']}, and its key is one of {algorithm}"
    if algorithm == "ed25519" and not public.startswith(origin_of(ledger_id) + "+"):
        return "its key is one of another ledger"
    try:
        text = approval_bytes(
            ledger_id,
            data["subject"],
            data["digest"],
            data.get("shown"),
            actor,
            data.get("expires"),
            data["statement"],
        )
    except T2cError as error:
        return error.what
    return check_signature(public, algorithm, signature["value"], text)


def checking() -> Callable[[Ledger, Granted], str]:
    """A check of recorded approvals of one ledger, which reads its keys once, when the first signed one is met.

    It says what is wrong with a signature, and nothing if it is good.
    """
    books: list[KeyBook] = []

    def check(ledger: Ledger, granted: Granted) -> str:
        data = msgspec.json.decode(granted.entry.data)
        if data.get("signature") is None:
            return "it is not signed"
        if not books:
            books.append(key_book(ledger))
        name = data["signature"]["key"]
        if problem := books[0].problem(name, granted.actor, granted.seq, granted.ts):
            return problem
        key = books[0].keys[name]
        return approval_problem(ledger.id(), data, granted.actor, key.algorithm, key.public) or ""

    return check


def _signed(ledger: Ledger, approval: ApprovalGranted, actor: str) -> bytes:
    return approval_bytes(
        ledger.id(),
        approval.subject,
        approval.digest,
        approval.shown,
        actor,
        approval.expires,
        approval.statement,
    )


def _ssh_keygen(file: Path, text: bytes, environ: Mapping[str, str], terminal: bool) -> str:
    """The armoured signature of a text. ssh-keygen reads the text from a file, so that it cannot wait for our input."""
    asking = {} if terminal else {"SSH_ASKPASS_REQUIRE": "never"}
    with tempfile.TemporaryDirectory() as folder:
        message = Path(folder) / "approval"
        message.write_bytes(text)
        command = [
            "ssh-keygen",
            "-Y",
            "sign",
            "-n",
            NAMESPACE.decode(),
            "-f",
            str(file.resolve()),
            str(message),
        ]
        try:
            ran = subprocess.run(
                command, env={**environ, **asking}, capture_output=not terminal, check=False,
                stdin=None if terminal else subprocess.DEVNULL, start_new_session=not terminal,
                timeout=None if terminal else _PATIENCE,
            )  # fmt: skip
        except FileNotFoundError:
            raise Environment(
                "ssh-keygen is not here, which signs with SSH keys",
                safe="nothing was signed",
                remedy="install OpenSSH 8.2 or later, or sign with --sign and a key of `t2c ledger key new`",
            ) from None
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Environment(f"ssh-keygen cannot be run: {error}", safe="nothing was signed") from error
        made = message.with_name("approval.sig")
        if ran.returncode or not made.is_file():
            said = (ran.stderr or b"").decode(errors="replace").strip().splitlines()
            why = "".join(char for char in said[-1][:200] if char.isprintable()) if said else "see above"
            raise Environment(
                f"ssh-keygen did not sign: {why}",
                where=str(file),
                safe="nothing was signed",
                remedy="name a private key, or the .pub file of one that ssh-agent holds; a passphrase is asked for on a"
                " terminal only",
            )
        return made.read_text("ascii", errors="replace")
