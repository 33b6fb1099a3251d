"""Asking a model for held-out tests: what it says goes to the sealed store, and only commitments to it to the ledger.

What it is asked stands in the ledger as always; so an answer that is not accepted is not sent back to be corrected.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from t2c.ledger.answers.asking import no_answer
from t2c.ledger.answers.history import decoded, event_named, events
from t2c.ledger.answers.sealed_store import SealedStore
from t2c.ledger.answers.sealing import ROOT, Sealing, checked, seal, sealed_tests
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Model, Usage
from t2c.ledger.intake.base import Progress, no_progress
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.llm.ask import Asker
from t2c.ledger.llm.asking import Answered, Asking, Rejected, Unanswered
from t2c.ledger.llm.conversation import CORRECTABLE

__all__ = ["StoreVault", "ask_sealed"]

_SPOOL: Final = "spool"


class StoreVault:
    """The sealed store as a place for what a model says."""

    def __init__(self, store: SealedStore) -> None:
        self._store = store

    def put(self, content: bytes) -> str:
        """Keep bytes; their name is the commitment to them."""
        return self._store.put("exchange", content)

    def get(self, name: str) -> bytes:
        """What was kept under a name. Raises what the store raises."""
        return self._store.get(name, "exchange").content

    def spool(self, digest: str) -> Path:
        """A file beside the store, which only its user may read."""
        return self._store.private(_SPOOL) / digest


def ask_sealed(
    asker: Asker,
    asking: Asking[bytes],
    store: SealedStore,
    *,
    tree: Path,
    about: str | None = None,
    progress: Progress = no_progress,
) -> tuple[Sealing, Answered[bytes]]:
    """Ask for held-out tests and seal what comes. An answer of the record that is sealed already is not sealed again.

    Raises Model if no usable answer was to be had, saying nothing of what was said, and what asking and sealing raise.
    """
    try:
        found = asker.ask(asking._replace(check=_sealable, vault=StoreVault(store)))
    except Unanswered as error:
        if error.reason not in CORRECTABLE:  # it came from the way there, and not from what was said
            raise no_answer(ROOT, error) from None
        raise Model(
            "there are no held-out tests: the model gave no usable answer",
            safe="what was asked is recorded, and what came back is sealed",
            remedy="ask again with --llm live, or seal a file with `t2c answers seal`",
            code=error.code,
            reason=error.reason,
        ) from None
    ledger = asker.ledger
    before = _sealed_before(ledger, found.event)
    if before is not None:
        return before, found
    actor = Actor("agent", event_named(ledger, found.event, "llm.answered").actor.id)
    done = seal(
        ledger,
        store,
        found.value,
        tree=tree,
        actor=actor,
        about=about,
        answered=found.event,
        progress=progress,
    )
    return done, found


def _sealable(content: bytes) -> bytes:
    try:
        checked(content)
    except Usage as error:
        raise Rejected(error.what) from None
    return content


def _sealed_before(ledger: Ledger, answered: str) -> Sealing | None:
    answers = {
        entry.id for entry in events(ledger, "answer.recorded") if decoded(entry)["answered"] == answered
    }
    for one in sealed_tests(ledger):
        if one.answer in answers:
            return Sealing(one.answer, one.event, one.seq, len(one.files), (), {})
    return None
