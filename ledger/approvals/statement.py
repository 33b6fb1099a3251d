"""The exact bytes that are signed when somebody approves: a text that a person can read and check with their own tools.

    t2c approval v1
    ledger <id>            subject <what>        digest <hex>        shown <hex or ->
    actor <kind:id>        expires <time or ->   statement <SHA-256 of the statement's text>

each on its own line that ends with LF. The ledger's id is among them, so that no signature counts in another ledger.
"""

from __future__ import annotations

from t2c.ledger.errors import Refused
from t2c.ledger.transfer.verifier import approving

__all__ = ["approval_bytes"]


def approval_bytes(
    ledger_id: str,
    subject: str,
    digest: str,
    shown: str | None,
    actor: str,
    expires: str | None,
    statement: str,
) -> bytes:
    """What is signed. Raises Refused for a value with control characters, which would break the lines."""
    try:
        return approving.approval_bytes(ledger_id, subject, digest, shown, actor, expires, statement)
    except ValueError as error:
        raise Refused(
            f"this approval cannot be signed: {error}",
            safe="nothing was signed",
            remedy="approve it without a signature, or give it a plain name",
        ) from None
