"""`t2c communication`: what people and agents said about tickets, what of it does not fit, and who must respond."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final, NamedTuple

import msgspec

from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import resolve, with_events
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.errors import Usage
from t2c.projections.base import Inputs, pretty
from t2c.projections.communication import analysed
from t2c.projections.communication.messages import LANGUAGES, Language
from t2c.projections.communication.model import Analysis, ParticipantRow, counted
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

__all__ = ["CommunicationRequest", "CommunicationView", "communication"]

_NEAR: Final = 3


class CommunicationRequest(NamedTuple):
    """`ticket` and `participant` narrow what is shown, by name in any case; `language` is en or pl."""

    ticket: str | None = None
    participant: str | None = None
    at: str | None = None
    language: str = "en"

    @property
    def narrows(self) -> bool:
        return self.ticket is not None or self.participant is not None


class CommunicationView(NamedTuple):
    """`document` are the bytes of the published document, narrowed as `analysis` is."""

    seq: int
    analysis: Analysis
    document: bytes


def communication(context: Context, request: CommunicationRequest) -> CommunicationView:
    """The analysis as of a moment; nothing is recorded.

    Raises Usage for a ticket, participant, language or moment that is not there.
    """
    if request.language not in LANGUAGES:
        raise Usage(f"no language {request.language!r}", remedy=f"give one of {', '.join(LANGUAGES)}")
    language: Language = "pl" if request.language == "pl" else "en"
    with open_ledger(context) as ledger:
        with_events(ledger)
        until = None if request.at is None else resolve(context, ledger, request.at).seq
        context.progress("fold", 0, None)
        folded = fold(ledger.journal, ALL, ["communication"], until=until, cache=ledger.cache / "folds")
    made = analysed(Inputs(folded.ts or "", folded.states, folded.made), language)
    if request.narrows:
        made = _narrowed(made, request)
    return CommunicationView(folded.position.seq, made, pretty(msgspec.to_builtins(made)))


def _narrowed(made: Analysis, request: CommunicationRequest) -> Analysis:
    people = set(made.participants)
    if request.participant is not None:
        people = _called(request.participant, made.participants)
    ticket = None if request.ticket is None else _ticket(request.ticket, made.tickets)
    names = {row.participant for row in people}
    issues = tuple(
        issue
        for issue in made.issues
        if (ticket is None or issue.ticket == ticket)
        and (
            request.participant is None
            or not names.isdisjoint((*issue.participantIds, *issue.responseRequiredFrom))
        )
    )
    left = {issue.id for issue in issues}
    rows = tuple(
        msgspec.structs.replace(row, issueIds=tuple(one for one in row.issueIds if one in left))
        for row in made.participants
        if row in people and (ticket is None or ticket in row.tickets)
    )
    tickets = {name for row in rows for name in row.tickets} if ticket is None else {ticket}
    syntheses = tuple(
        one
        for one in made.syntheses
        if one.get("participant") in names and (ticket is None or ticket in one.get("tickets", ()))
    )
    return msgspec.structs.replace(
        made,
        tickets=tuple(sorted(tickets)),
        participants=rows,
        syntheses=syntheses,
        issues=issues,
        counts=counted(issues),
    )


def _ticket(text: str, known: Sequence[str]) -> str:
    name = "-".join(text.split()).upper()
    if name in known:
        return name
    raise _unknown("ticket", text, name, known)


def _called(text: str, rows: Sequence[ParticipantRow]) -> set[ParticipantRow]:
    """The participants of an id or a name: `codex` is `agent:codex`, too."""
    name = text.casefold()
    exact = {row for row in rows if row.participant == text}
    alike = {
        row
        for row in rows
        if name
        in (
            row.participant.casefold(),
            row.participant.partition(":")[2].casefold(),
            row.displayName.casefold(),
        )
    }
    found = exact or alike
    if not found:
        raise _unknown("participant", text, text, [row.participant for row in rows])
    return found


def _unknown(what: str, text: str, name: str, known: Sequence[str]) -> Usage:
    near = get_close_matches(name, known, _NEAR)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return Usage(
        f"nobody speaks of a {what} called {text!r}" if what == "ticket" else f"no {what} is called {text!r}",
        remedy=f"{hint}`t2c communication --json` has all {what}s",
        near=near,
    )
