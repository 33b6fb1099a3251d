"""Statements of two participants on one ticket that cannot both hold (intent-evidence §2.11)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from t2c.projections.communication.matching import OPPOSED, Index, conflicting, share
from t2c.projections.communication.model import Raised, Role, respondents
from t2c.projections.communication.people import People, Statement, name_of

__all__ = ["ENOUGH", "conflicts", "opposed"]

ENOUGH: Final = 64
"""Statements that are looked at for the one that is nearest to a denial, once any stands against it."""
_CODES: Final[Mapping[tuple[str, str], str]] = {
    ("human", "human"): "HUMAN_COMMUNICATION_CONFLICT",
    ("agent", "agent"): "AGENT_COMMUNICATION_CONFLICT",
    ("agent", "human"): "HUMAN_AGENT_CONFLICT",
}


def opposed(one: Statement, other: Statement) -> bool:
    """Whether two statements cannot both hold. Symmetric.

    Not: of one participant, of two tickets, of anybody whose role is not known. That something asked for or planned is
    reported as not done contradicts nobody: it is unfinished.
    """
    if "unknown" in (one.role, other.role) or one.ticket != other.ticket:
        return False
    if one.role == other.role and name_of(one.participant) == name_of(other.participant):
        return False
    if one.positive == other.positive:
        return False
    denied, said = (other, one) if one.positive else (one, other)
    if denied.reports and not said.reports:
        return False
    return conflicting(one.about, other.about)


def conflicts(people: People) -> Iterator[Raised]:
    """The three codes of conflict: each denial with the statement of another participant that it is nearest to.

    One issue for a denial and each participant whom it stands against, so their number is bounded by that of denials
    and participants. Once it stands against all of them, at most ENOUGH statements are looked at for a nearer one: then
    the issue is the same and only its example may be another.
    """
    by_ticket: dict[str, list[Statement]] = {}
    for one in people.said:
        if one.role != "unknown":
            by_ticket.setdefault(one.ticket, []).append(one)
    for said in by_ticket.values():
        yield from _of_ticket(people, said)


def _of_ticket(people: People, said: Sequence[Statement]) -> Iterator[Raised]:
    denials = [one for one in said if not one.positive]
    if not denials or len({(one.role, name_of(one.participant)) for one in said}) < 2:
        return
    positive = {one.id: one for one in said if one.positive}
    index = Index(((one.id, one.about) for one in positive.values()), OPPOSED)
    everybody = {(one.role, one.participant) for one in positive.values()}
    for denial in denials:
        nearest: dict[tuple[Role, str], tuple[float, str]] = {}
        others = len(everybody - {(denial.role, denial.participant)})
        for looked, identity in enumerate(index.candidates(denial.about)):
            if looked >= ENOUGH and len(nearest) == others:
                break
            other = positive[identity]
            if opposed(denial, other):
                who = (other.role, other.participant)
                rank = (-share(denial.about.words, other.about.words), identity)
                if who not in nearest or rank < nearest[who]:
                    nearest[who] = rank
        for _, (_, identity) in sorted(nearest.items()):
            yield _raised(people, denial, positive[identity])


def _raised(people: People, denial: Statement, other: Statement) -> Raised:
    first, second = sorted((denial.role, other.role))
    code = _CODES[first, second]
    asked: Iterable[str] = (one.participant for one in (denial, other) if one.role == "human")
    if code == "AGENT_COMMUNICATION_CONFLICT":
        asked = people.of(denial.ticket, "human")
    return Raised(
        code,
        denial.ticket,
        tuple(sorted({denial.participant, other.participant})),
        tuple(sorted((denial.id, other.id))),
        "human",
        respondents("human", asked),
        "conflict",
        {
            "denier": denial.participant,
            "denial": denial.quote,
            "other": other.participant,
            "said": other.quote,
        },
    )
