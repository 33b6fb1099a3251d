"""Which files governed intake wants in the project folder, and whether it may have them there."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from t2c.cli.actions.intake_stream import messages
from t2c.ledger.apply.base import Wanted, digest
from t2c.ledger.apply.files import look
from t2c.ledger.commands.intake_contract import Rejection
from t2c.ledger.commands.intake_stream import IntakeState
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Refused
from t2c.ledger.intake.governed.files import (
    REGISTRY,
    ROLES,
    Message,
    managed_of,
    registry_file,
    role_file,
    role_path,
)

__all__ = ["Place", "registry_change", "role_changes", "seen"]


class Place(NamedTuple):
    """The root and the project folder in it."""

    root: Path
    folder: str


def seen(root: Path, path: str) -> bytes | None:
    """The content of a file; None if there is none. Raises Rejection UNSAFE-PATH for links and what is no file."""
    try:
        return look(root, path)
    except Refused as error:
        raise Rejection("T2C-INTAKE-UNSAFE-PATH", error.what) from None


def registry_change(place: Place, state: IntakeState) -> Wanted:
    """The registry as it is and as it is wanted.

    Raises Rejection PROJECTION-DRIFT if what is there was never announced by intake, UNSAFE-PATH for links.
    """
    path = f"{place.folder}/{REGISTRY}"
    before = seen(place.root, path)
    wanted = registry_file(state.registry, msgspec.to_builtins(list(state.members.values())))
    if before is not None and before != wanted:
        plain = before.replace(b"\r\n", b"\n")
        if plain != wanted and digest(plain) not in state.announced.get(path, ()):
            raise Rejection("T2C-INTAKE-PROJECTION-DRIFT", f"{path} holds what intake did not write")
    return Wanted(path, before, wanted)


def role_changes(
    place: Place,
    state: IntakeState,
    ledger: Ledger | None,
    identity: str,
    ticket: str,
    more: tuple[Message, ...] = (),
) -> list[Wanted]:
    """The file of a person's messages as it is and as it is wanted, with `more` messages that are about to be recorded.

    A file of intake under a role that the person had before goes. Raises Rejection PROJECTION-DRIFT or FILENAME-MISMATCH
    for a file that is not as intake wrote it, UNSAFE-PATH for links.
    """
    person = state.members[identity]
    role = person.governanceRole or ""
    told = [] if ledger is None else messages(ledger, state, identity, ticket)
    wanted = role_file(identity, person.displayName, role, ticket, [*told, *more]) if told or more else None
    path = role_path(place.folder, ticket, role, identity)
    before = seen(place.root, path)
    if before is not None and before != wanted and not managed_of(before, identity):
        raise Rejection("T2C-INTAKE-PROJECTION-DRIFT", f"{path} is not as intake wrote it for {identity}")
    changes = [Wanted(path, before, wanted)]
    for other in ROLES:
        beside = role_path(place.folder, ticket, other, identity)
        if other == role or (there := seen(place.root, beside)) is None:
            continue
        if not managed_of(there, identity):
            raise Rejection(
                "T2C-INTAKE-FILENAME-MISMATCH", f"{beside} bears a role that {identity} does not have"
            )
        changes.append(Wanted(beside, there, None))
    return changes
