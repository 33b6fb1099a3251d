"""Who said what, by which names Git knows them, and whose words cannot be told to be anybody's (intent-evidence §2.10).

An identity is never guessed. A name that stands for two participants stands for neither, and whoever only committed
wrote nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, Final, NamedTuple

import msgspec

from t2c.projections.communication.matching import Meaning, folded, meaning
from t2c.projections.communication.messages import quoted
from t2c.projections.communication.model import UNSCOPED, ParticipantRow, Raised, Role, respondents
from t2c.projections.facts import Fact, Facts

__all__ = ["Commit", "People", "Statement", "name_of", "rows", "statements", "unresolved"]

_EVIDENCE: Final = frozenset({"git", "test", "ast", "system"})
_MAIL: Final = re.compile(r"\s*<[^<>]*>\s*\Z")
_REPORTING: Final = frozenset({"report", "result", "claim"})


class Statement(NamedTuple):
    """One statement of a conversation. `ticket` is in upper case, UNSCOPED for none; `file` is where it stands."""

    fact: Fact
    participant: str
    role: Role
    type: str
    ticket: str
    file: str
    about: Meaning

    @property
    def id(self) -> str:
        return self.fact.id

    @property
    def positive(self) -> bool:
        return self.fact.statement.polarity == "positive"

    @property
    def reports(self) -> bool:
        """True if it says that something is done or so."""
        return self.type in _REPORTING

    @property
    def quote(self) -> str:
        """Its beginning and where it stands."""
        return f"“{quoted(self.fact.statement.text)}” ({self.fact.where})"


def statements(facts: Facts) -> Sequence[Statement]:
    """What was said, in the order of ids; what has no kind of communication is left out."""
    return [_statement(fact) for fact in facts.of_kind("agent_log")]


def _statement(fact: Fact) -> Statement:
    said = fact.metadata
    ticket = _text(said.ticket) or next(iter(fact.statement.target.tickets), None)
    role: Role = said.participantRole if said.participantRole in ("human", "agent") else "unknown"
    given = said.messageType
    kind = given if isinstance(given, str) else fact.statement.kind.removeprefix("communication_")
    return Statement(
        fact,
        _text(said.participant) or fact.statement.actor or f"unknown:{fact.id}",
        role,
        kind,
        ticket.upper() if ticket else UNSCOPED,
        fact.source.path or "",
        meaning(fact),
    )


def name_of(participant: str) -> str:
    """A participant without the role in front: `agent:codex` and `codex` are one agent's names."""
    return participant.removeprefix("agent:").removeprefix("human:")


def unresolved(said: Iterable[Statement]) -> Iterator[Raised]:
    """PARTICIPANT_IDENTITY_UNRESOLVED: one issue for all that one participant said on one ticket.

    The role, or the participant, is not known, or the registry that is in force does not know it. Nobody can be asked
    under a name that is not known, so a person must say who it is (decisions C4).
    """
    found: dict[tuple[str, str, Role], list[Statement]] = {}
    for one in said:
        if (
            one.role == "unknown"
            or one.participant.startswith("unknown:")
            or one.fact.metadata.identityResolved is False
        ):
            found.setdefault((one.ticket, one.participant, one.role), []).append(one)
    for (ticket, participant, role), theirs in found.items():
        if participant.startswith("unknown:"):
            message = "identity.nobody"
        else:
            message = "identity.role" if role == "unknown" else "identity.registry"
        yield Raised(
            "PARTICIPANT_IDENTITY_UNRESOLVED",
            ticket,
            (participant,),
            tuple(one.id for one in theirs),
            "unknown",
            respondents("unknown", ()),
            message,
            {
                "who": participant,
                "count": f"{len(theirs):,}",
                "files": ", ".join(sorted({one.file for one in theirs})[:3]),
            },
        )


class Commit(NamedTuple):
    """One commit: `writers` are its author, co-authors and agents, and `changed` its paths, both folded.

    The committer is not among the writers: who only committed wrote nothing.
    """

    fact: Fact
    writers: frozenset[str]
    changed: frozenset[str]
    documentation_only: bool

    @property
    def about(self) -> Meaning:
        """What it says, and the paths that it changed."""
        said = meaning(self.fact)
        return said._replace(paths=said.paths | self.changed)


class _Changed(msgspec.Struct, frozen=True):
    path: str = ""


class _Agent(msgspec.Struct, frozen=True):
    name: str = ""


class _Written(msgspec.Struct, frozen=True):
    """What only this view reads of a commit's metadata."""

    author: str | None = None
    coAuthors: tuple[str, ...] = ()
    agents: tuple[_Agent, ...] = ()
    changedFiles: tuple[_Changed, ...] = ()
    written: str | None = None
    candidates: tuple[str, ...] = ()


class _Git(msgspec.Struct, frozen=True):
    metadata: _Written


_read = msgspec.json.Decoder(_Git).decode


class People:
    """Participants by ticket and by the names that Git knows them by."""

    def __init__(self, facts: Facts, said: Sequence[Statement], raw: Mapping[str, bytes]) -> None:
        """`raw` are the canonical records by id."""
        self._facts = facts
        self._raw = raw
        self.said = said
        self._known: dict[tuple[str, Role], set[str]] = {}
        self._names: dict[str, set[str]] = {}
        self.agents: set[str] = set()
        for one in said:
            if not one.participant.startswith("unknown:"):
                self._known.setdefault((one.ticket, one.role), set()).add(one.participant)
                person = self._person(one)
                for name in _aliases(one):
                    self._names.setdefault(name, set()).add(person)
                if one.role == "agent":
                    self.agents.add(person)

    def of(self, ticket: str, role: Role) -> tuple[str, ...]:
        """The participants of a role on a ticket, in byte order."""
        return tuple(sorted(self._known.get((ticket, role), ())))

    @staticmethod
    def _person(one: Statement) -> str:
        return f"{one.role}:{folded(name_of(one.participant))}"

    @cached_property
    def commits(self) -> Sequence[Commit]:
        """All commits that stand, in the order of ids; those that a later one took back are left out."""
        undone = {
            link.relation.to
            for link in self._facts.relations
            if link.relation.type == "supersedes" and self._is_git(link.relation.source)
        }
        proper: dict[str, tuple[str, ...]] = {}
        read: list[tuple[Fact, _Written]] = []
        for fact in self._facts.of_kind("git"):
            with suppress(msgspec.DecodeError, KeyError):
                written = _read(self._raw[fact.id]).metadata
                if fact.statement.kind == "git_identity_declaration":
                    if written.written is not None and len(written.candidates) == 1:
                        proper[folded(written.written)] = written.candidates
                elif fact.statement.kind == "commit_intent_claim" and fact.id not in undone:
                    read.append((fact, written))
        return [_commit(fact, written, proper) for fact, written in read]

    def _is_git(self, identity: str) -> bool:
        return self._facts.records[identity].source.kind == "git"

    @cached_property
    def _written_by(self) -> Mapping[str, Sequence[Commit]]:
        """By participant, as `_person` names it, the commits that bear a name which is this participant's alone."""
        found: dict[str, list[Commit]] = {}
        for commit in self.commits:
            for person in {next(iter(owners)) for owners in self._owners(commit) if len(owners) == 1}:
                found.setdefault(person, []).append(commit)
        return found

    def _owners(self, commit: Commit) -> Iterator[set[str]]:
        for name in commit.writers:
            owners = self._names.get(name)
            if owners is None and " " in name:  # a model's name behind the agent's: "claude opus 4"
                owners = self._names.get(name.split(" ", 1)[0], set()) & self.agents
            if owners:
                yield owners

    def commits_by(self, one: Statement) -> Sequence[Commit]:
        """What the participant of a statement wrote, as author, co-author or by a trailer for agents."""
        return self._written_by.get(self._person(one), ())

    def others_wrote(self, one: Statement, commit: Commit) -> bool:
        """Whether a name on a commit is that of a known participant, and none is this one's."""
        owners: set[str] = set().union(*self._owners(commit))
        return bool(owners) and self._person(one) not in owners

    def ambiguous(self, one: Statement) -> tuple[str, ...]:
        """Names of a participant that stand for another one too."""
        return tuple(sorted(name for name in _aliases(one) if len(self._names.get(name, ())) > 1))


def _aliases(one: Statement) -> Iterator[str]:
    """The names that Git may know a participant by, folded."""
    said = one.fact.metadata
    given = [one.participant, name_of(one.participant), said.displayName, said.participantId]
    for name in (*given, *(said.gitAuthors if isinstance(said.gitAuthors, list) else ())):
        if isinstance(name, str) and (bare := folded(_MAIL.sub("", name))):
            yield bare


def _commit(fact: Fact, written: _Written, proper: Mapping[str, tuple[str, ...]]) -> Commit:
    author = written.author or fact.statement.actor or ""
    names = {folded(name) for name in (author, *written.coAuthors, *(agent.name for agent in written.agents))}
    names.update(folded(name) for known in sorted(names) for name in proper.get(known, ()))
    names.discard("")
    return Commit(
        fact,
        frozenset(names),
        frozenset(folded(file.path) for file in written.changedFiles if file.path),
        fact.metadata.docOnly is True,
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def rows(people: People, facts: Facts, raised: Sequence[Raised]) -> tuple[ParticipantRow, ...]:
    """One row for each participant, by role, then by name."""
    theirs: dict[tuple[str, str], list[Statement]] = {}
    for one in people.said:
        theirs.setdefault((one.role, one.participant), []).append(one)
    issues: dict[str, list[str]] = {}
    for issue in raised:
        for participant in issue.participants:
            issues.setdefault(participant, []).append(issue.id)
    return tuple(
        _row(people, facts, said, tuple(sorted(issues.get(participant, ()))))
        for (_, participant), said in sorted(theirs.items())
    )


def _row(people: People, facts: Facts, said: Sequence[Statement], issues: tuple[str, ...]) -> ParticipantRow:
    classes = [one.fact.epistemic.cls for one in said]
    shown = {
        other.id for one in said for _, other in facts.neighbours(one.id) if other.source.kind in _EVIDENCE
    }
    first = said[0]
    return ParticipantRow(
        first.participant,
        _text(first.fact.metadata.displayName) or first.participant,
        first.role,
        tuple(sorted({one.ticket for one in said})),
        len(said),
        classes.count("declaration"),
        classes.count("plan"),
        classes.count("claim"),
        len({commit.fact.id for one in said[:1] for commit in people.commits_by(one)}),
        len(shown),
        issues,
    )
