"""Requests that no agent took up, and work of agents that nobody asked for (intent-evidence §2.11)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from t2c.projections.communication.matching import Index, Meaning, meaning
from t2c.projections.communication.messages import joined
from t2c.projections.communication.model import UNSCOPED, Raised, respondents
from t2c.projections.communication.people import People, Statement
from t2c.projections.communication.wording import is_decision_claim
from t2c.projections.facts import Fact, Facts

__all__ = ["ACTIONABLE", "outside", "unanswered"]

ACTIONABLE: Final = frozenset(
    (
        "add",
        "analyze",
        "block",
        "configure",
        "document",
        "fix",
        "remove",
        "refactor",
        "test",
        "change",
        "validate",
    )
)
"""Actions that are work."""
_SUPPORTING: Final = frozenset(("analyze", "document", "test", "validate"))
"""Work that any work brings with it: covered where something else of the same file is."""
_ASKING: Final = frozenset(("request", "message"))
_WORKING: Final = frozenset(("plan", "report", "result", "claim"))
_BINDING: Final = frozenset(("required", "recommended"))
_TAKEN_UP: Final = frozenset(("implements", "evidenced_by", "claimed_by", "plans"))
_ANSWERS: Final = frozenset(("git", "agent_log"))
_WISHES: Final = frozenset(("nl", "todo", "document"))
_TOPICS: Final = 2


def unanswered(people: People, facts: Facts) -> Iterator[Raised]:
    """REQUEST_WITHOUT_AGENT_RESPONSE: what a person asks for and no agent of the ticket speaks of.

    An agent speaks of it in one statement that matches, or in a whole file that shares two of its words, or one and its
    action. A commit bound to the request answers it as well. Not: a message that asks for no work, and a prohibition,
    which absence keeps.
    """
    agents = _Files(one for one in people.said if one.role == "agent")
    for one in people.said:
        if one.role != "human" or one.type not in _ASKING or not one.positive or not _asks(one):
            continue
        if agents.speak_of(one) or _taken_up(facts, one):
            continue
        asked = people.of(one.ticket, "agent")
        yield Raised(
            "REQUEST_WITHOUT_AGENT_RESPONSE",
            one.ticket,
            (one.participant,),
            (one.id,),
            "agent",
            respondents("agent", asked),
            "request.unanswered" if asked else "request.no_agent",
            {"who": one.participant, "text": one.quote},
        )


def _asks(one: Statement) -> bool:
    said = one.fact.statement
    return one.type == "request" or said.action in ACTIONABLE or said.modality in _BINDING


def _taken_up(facts: Facts, one: Statement) -> bool:
    return any(
        link.relation.type in _TAKEN_UP
        and (other.source.kind == "git" or other.metadata.participantRole == "agent")
        for link, other in facts.neighbours(one.id)
        if other.source.kind in _ANSWERS
    )


class _Files:
    """What was said, by ticket and by file."""

    def __init__(self, said: Iterable[Statement]) -> None:
        self._by_ticket: dict[str, list[Statement]] = {}
        for one in said:
            self._by_ticket.setdefault(one.ticket, []).append(one)
        self._indexes: dict[str, Index] = {}
        self._files: dict[str, Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {}

    def speak_of(self, one: Statement) -> bool:
        """Whether a statement of the ticket matches, or a whole file of it does."""
        said = self._by_ticket.get(one.ticket)
        if said is None:
            return False
        if one.ticket not in self._indexes:
            self._indexes[one.ticket] = Index((other.id, other.about) for other in said)
            self._files[one.ticket] = _by_file(said)
        return self._indexes[one.ticket].has(one.about) or any(
            _share_topics(one.about, words, actions) for words, actions in self._files[one.ticket].values()
        )


def _by_file(said: Sequence[Statement]) -> Mapping[str, tuple[frozenset[str], frozenset[str]]]:
    """By file all words and all known actions."""
    words: dict[str, set[str]] = {}
    actions: dict[str, set[str]] = {}
    for one in said:
        words.setdefault(one.file, set()).update(one.about.words)
        actions.setdefault(one.file, set()).add(one.about.action)
    return {file: (frozenset(words[file]), frozenset(actions[file] - {"unknown"})) for file in words}


def _share_topics(about: Meaning, words: frozenset[str], actions: frozenset[str]) -> bool:
    shared = len(about.words & words)
    return shared >= _TOPICS or (shared == 1 and about.action in actions)


def outside(people: People, facts: Facts) -> Iterator[Raised]:
    """AGENT_WORK_OUTSIDE_REQUEST: what an agent plans or reports and no request of the ticket covers.

    One issue for each agent and ticket. A request is what a person wrote on the ticket, and what a task list, a
    document or a text says that cites the ticket or lies in its folder.
    """
    wishes = _Wishes(people, facts)
    found: dict[tuple[str, str], list[Statement]] = {}
    for ticket, work in _work(people).items():
        covered = _covered(work, wishes.of(ticket), facts)
        for one in work:
            if one.id not in covered and one.positive and one.fact.statement.action in ACTIONABLE:
                found.setdefault((ticket, one.participant), []).append(one)
    for (ticket, participant), said in sorted(found.items()):
        asked = wishes.of(ticket)
        yield Raised(
            "AGENT_WORK_OUTSIDE_REQUEST",
            ticket,
            (participant,),
            tuple(one.id for one in said),
            "human",
            respondents("human", people.of(ticket, "human")),
            "work.outside" if asked else "work.no_request",
            {
                "who": participant,
                "count": f"{len(said):,}",
                "requests": f"{len(asked):,}",
                "examples": joined(one.quote for one in said),
            },
        )


def _work(people: People) -> Mapping[str, Sequence[Statement]]:
    found: dict[str, list[Statement]] = {}
    for one in people.said:
        if one.role == "agent" and one.type in _WORKING and not is_decision_claim(one):
            found.setdefault(one.ticket, []).append(one)
    return found


class _Wishes:
    """By ticket what was asked for."""

    def __init__(self, people: People, facts: Facts) -> None:
        self._people = people
        self._facts = facts

    @cached_property
    def _by_ticket(self) -> Mapping[str, Mapping[str, Meaning]]:
        found: dict[str, dict[str, Meaning]] = {}
        folders: dict[str, str] = {}
        for one in self._people.said:
            if one.role == "human":
                found.setdefault(one.ticket, {})[one.id] = one.about
            if one.ticket != UNSCOPED and one.file.count("/") >= 2:
                folders.setdefault("/".join(one.file.split("/")[:2]), one.ticket)
        tickets = {one.ticket for one in self._people.said} - {UNSCOPED}
        for fact in self._facts.of_kind(*sorted(_WISHES)):
            for ticket in tickets.intersection(_tickets(fact, folders)):
                found.setdefault(ticket, {})[fact.id] = meaning(fact)
        return found

    def of(self, ticket: str) -> Mapping[str, Meaning]:
        return self._by_ticket.get(ticket, {})


def _tickets(fact: Fact, folders: Mapping[str, str]) -> set[str]:
    found = {ticket.upper() for ticket in fact.statement.target.tickets}
    if fact.source.path is not None:
        within = folders.get("/".join(fact.source.path.split("/")[:2]))
        if within is not None:
            found.add(within)
    return found


def _covered(work: Sequence[Statement], asked: Mapping[str, Meaning], facts: Facts) -> frozenset[str]:
    """Ids of the work of one ticket that requests cover.

    * What matches a request, or relates to a declaration by a relation of plans.
    * The whole file, if a statement of it matches a request without paths and symbols, or if all of it together
      shares two words with one.
    * What reports, if it matches a plan of the same agent that is covered.
    * Checks and documents, if anything of the same file is covered.
    """
    if not asked:
        return frozenset(one.id for one in work if _is_asked(one, facts))
    index = Index(asked.items())
    broad = {identity for identity, about in asked.items() if not about.located}
    found: set[str] = set()
    files: set[str] = {
        file
        for file, (words, actions) in _by_file(work).items()
        if any(_share_topics(asked[identity], words, actions) for identity in sorted(broad))
    }
    unplaced = Index((identity, asked[identity]) for identity in broad)
    for one in work:
        if one.file not in files and unplaced.has(one.about):
            files.add(one.file)
        elif index.has(one.about) or _is_asked(one, facts):
            found.add(one.id)
    found.update(one.id for one in work if one.file in files)
    plans: dict[str, list[Statement]] = {}
    for one in work:
        if one.id in found and one.type == "plan":
            plans.setdefault(one.participant, []).append(one)
    followed = {who: Index((plan.id, plan.about) for plan in planned) for who, planned in plans.items()}
    found.update(
        one.id
        for one in work
        if one.reports and one.participant in followed and followed[one.participant].has(one.about)
    )
    covered_files = {one.file for one in work if one.id in found}
    found.update(
        one.id for one in work if one.fact.statement.action in _SUPPORTING and one.file in covered_files
    )
    return frozenset(found)


def _is_asked(one: Statement, facts: Facts) -> bool:
    """Whether a relation binds it to what somebody else than an agent declares."""
    return any(
        link.relation.type in ("plans", "claimed_by", "implements")
        and (other.source.kind in _WISHES or other.metadata.participantRole == "human")
        for link, other in facts.neighbours(one.id)
    )
