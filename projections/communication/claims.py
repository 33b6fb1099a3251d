"""What agents report, held against what is recorded: decisions of people, commits, tests, files (intent-evidence §2.11).

What somebody says is a claim, whoever it is (decisions A12). A receipt of another kind, or of the same hand that it
speaks for, shows nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, Literal, NamedTuple

from t2c.projections.communication.matching import Index, folded, matches
from t2c.projections.communication.messages import joined
from t2c.projections.communication.model import Raised, respondents
from t2c.projections.communication.people import Commit, People, Statement
from t2c.projections.communication.wording import (
    cited_commits,
    consents,
    is_decision_claim,
    is_implementation_claim,
    is_test_claim,
    of_documents,
    says_written,
)
from t2c.projections.facts import Fact, Facts

__all__ = ["REASONS", "unconfirmed", "without_evidence"]

Reason = Literal["unshown", "no_receipt", "failed", "absent", "own"]
REASONS: Final[tuple[Reason, ...]] = ("unshown", "no_receipt", "failed", "absent", "own")
"""Why a claim has no evidence, in the order in which it is told."""

_CHECKING: Final = frozenset(("test", "validate", "unknown", "approve"))
"""Actions of a claim that says no more than that tests passed."""
_PRESENCE: Final = frozenset(("add", "document", "unknown"))
"""Actions of claims that what is there now can show: that it was fixed or changed it cannot (better-than-todo2code §1.4)."""
_LINKED: Final = frozenset(("evidenced_by", "implements", "modifies", "tests", "releases", "claimed_by"))


def unconfirmed(people: People) -> Iterator[Raised]:
    """AGENT_HUMAN_DECISION_CLAIM_UNCONFIRMED: a decision of a person that only an agent reports.

    It is confirmed by what a person of the same ticket wrote: a decision about the same thing, or words of consent.
    """
    decided: dict[str, list[Statement]] = {}
    for one in people.said:
        if one.role == "human" and one.positive:
            decided.setdefault(one.ticket, []).append(one)
    for one in people.said:
        if one.role != "agent" or not is_decision_claim(one):
            continue
        if any(_confirms(human, one) for human in decided.get(one.ticket, ())):
            continue
        yield Raised(
            "AGENT_HUMAN_DECISION_CLAIM_UNCONFIRMED",
            one.ticket,
            (one.participant,),
            (one.id,),
            "human",
            respondents("human", people.of(one.ticket, "human")),
            "decision.unconfirmed",
            {"who": one.participant, "text": one.quote},
        )


def _confirms(human: Statement, claim: Statement) -> bool:
    if human.type == "decision" and matches(human.about, claim.about):
        return True
    return human.type != "request" and consents(human)


def without_evidence(people: People, facts: Facts) -> Iterator[Raised]:
    """AGENT_CLAIM_WITHOUT_EVIDENCE: what an agent reports and nothing recorded shows.

    One issue for each agent, ticket and reason:

    * `unshown`: work with no commit that the agent wrote for the ticket or about the same thing, none that it cites,
      and no commit, test or declaration that is bound to it.
    * `no_receipt`: tests that passed, where no result and no run of tests is recorded; `failed`: some are recorded
      as failed.
    * `absent`: a file that was written, which no record and no commit knows.
    * `own`: tests that passed, whose files only the same agent wrote, together with the code that they test: the
      evidence is not independent (producer equals subject).
    """
    receipts = _Receipts(people, facts)
    found: dict[tuple[str, str, tuple[Reason, ...]], list[Statement]] = {}
    for one in people.said:
        if one.role == "agent" and one.reports and one.positive and not is_decision_claim(one):
            reasons = tuple(receipts.missing(one))
            if reasons:
                found.setdefault((one.ticket, one.participant, reasons), []).append(one)
    for (ticket, participant, reasons), said in sorted(found.items()):
        shared = {"who": participant, "count": f"{len(said):,}"}
        ambiguous = people.ambiguous(said[0])
        parts = [(f"claim.{reason}", receipts.said(reason, said)) for reason in reasons]
        if ambiguous and "unshown" in reasons:
            parts.append(("claim.ambiguous", {"names": ", ".join(ambiguous)}))
        parts.append(("claim.examples", {"examples": joined(one.quote for one in said)}))
        yield Raised(
            "AGENT_CLAIM_WITHOUT_EVIDENCE",
            ticket,
            (participant,),
            tuple(one.id for one in said),
            "agent",
            respondents("agent", (participant,)),
            f"claim.{reasons[0]}.action",
            shared,
            tuple(parts),
        )


class _Tests(NamedTuple):
    """Recorded results: how many passed or failed, those that failed, and the files of those that passed."""

    recorded: int
    failed: Sequence[Fact]
    files: frozenset[str]


class _Receipts:
    """What is recorded that may show a claim."""

    def __init__(self, people: People, facts: Facts) -> None:
        self._people = people
        self._facts = facts

    def missing(self, one: Statement) -> Iterator[Reason]:
        """Why nothing shows a claim; nothing if something does, or if it claims nothing that could be shown."""
        tested = is_test_claim(one)
        checks_only = tested and one.fact.statement.action in _CHECKING
        if is_implementation_claim(one) and not checks_only and not self._shown(one):
            yield "unshown"
        if tested:
            yield from self._untested(one)
        if self.absent(one):
            yield "absent"

    def said(self, reason: Reason, claims: Sequence[Statement]) -> Mapping[str, str]:
        """What the sentence of a reason speaks of."""
        if reason == "absent":
            files = sorted({file for one in claims for file in self.absent(one)})
            return {"files": ", ".join(files[:3]), "count": f"{len(files):,}"}
        tests = self._tests
        return {
            "count": f"{len(claims):,}",
            "failed": f"{len(tests.failed):,}",
            "first": ", ".join(one.source.symbol or one.statement.object for one in tests.failed[:2]),
            "files": ", ".join(sorted(tests.files)[:3]),
        }

    def _shown(self, one: Statement) -> bool:
        by_hand = any(
            self._may_show(commit, one)
            and (one.ticket in self._tickets(commit.fact) or matches(one.about, commit.about))
            for commit in self._people.commits_by(one)
        )
        return (
            by_hand
            or self._linked(one)
            or self._cites_commit(one)
            or self._carried(one)
            or self._touched(one)
        )

    @staticmethod
    def _may_show(commit: Commit, one: Statement) -> bool:
        """A commit that changed documentation alone shows only work on documentation."""
        return not commit.documentation_only or of_documents(one)

    @staticmethod
    def _tickets(fact: Fact) -> frozenset[str]:
        return frozenset(ticket.upper() for ticket in fact.statement.target.tickets)

    def _linked(self, one: Statement) -> bool:
        return any(
            self._binds(link.relation.type, other, one) for link, other in self._facts.neighbours(one.id)
        )

    def _binds(self, kind: str, other: Fact, one: Statement) -> bool:
        """Whether a record at the other end of a relation shows a claim. A declaration shows that something is there."""
        if other.source.kind == "ast":
            there = other.metadata.public is True and other.source.symbol is not None
            return there and one.fact.statement.action in _PRESENCE
        if kind not in _LINKED:
            return False
        commit = self._standing.get(other.id)
        if commit is not None:
            return self._may_show(commit, one)
        return other.source.kind == "test" and other.statement.polarity == "positive"

    @cached_property
    def _standing(self) -> Mapping[str, Commit]:
        return {commit.fact.id: commit for commit in self._people.commits}

    @cached_property
    def _revisions(self) -> Sequence[str]:
        return sorted(commit.fact.source.revision or "" for commit in self._people.commits)

    def _cites_commit(self, one: Statement) -> bool:
        for found in cited_commits(one):
            at = bisect_left(self._revisions, found)
            if at < len(self._revisions) and self._revisions[at].startswith(found):
                return True
        return False

    @cached_property
    def _of_ticket(self) -> Mapping[str, tuple[Index, Mapping[str, Commit]]]:
        """The commits of each ticket on which an agent speaks."""
        wanted = {one.ticket for one in self._people.said if one.role == "agent"}
        found: dict[str, dict[str, Commit]] = {}
        for commit in self._people.commits:
            for ticket in wanted & self._tickets(commit.fact):
                found.setdefault(ticket, {})[commit.fact.id] = commit
        return {
            ticket: (Index((identity, commit.about) for identity, commit in commits.items()), commits)
            for ticket, commits in found.items()
        }

    def _carried(self, one: Statement) -> bool:
        """Whether a commit of the ticket, under a name that is no other participant's, carries the work.

        It is about the same; or nobody said by which names Git knows the agent, so that its work may stand under another's.
        """
        found = self._of_ticket.get(one.ticket)
        if found is None:
            return False
        index, commits = found
        nameless = not one.fact.metadata.gitAuthors
        near = commits if nameless else index.matching(one.about)
        return any(self._may_be_of(one, commits[identity]) for identity in near)

    def _may_be_of(self, one: Statement, commit: Commit) -> bool:
        return self._may_show(commit, one) and not self._people.others_wrote(one, commit)

    @cached_property
    def _changing(self) -> Mapping[str, Sequence[Commit]]:
        """By folded path the commits that changed it."""
        found: dict[str, list[Commit]] = {}
        for commit in self._people.commits:
            for path in commit.changed:
                found.setdefault(path, []).append(commit)
        return found

    def _touched(self, one: Statement) -> bool:
        """Whether a commit, under a name that is no other participant's, changed a file that the claim names."""
        text = folded(one.fact.statement.text)
        return any(
            not self._people.others_wrote(one, commit)
            for path in one.about.paths
            if path.rpartition("/")[2] in text
            for commit in self._changing.get(path, ())
        )

    @cached_property
    def _tests(self) -> _Tests:
        results = [
            fact for fact in self._facts.of_kind("test") if fact.statement.kind in ("test_result", "test_run")
        ]
        failed = [fact for fact in results if fact.statement.polarity == "negative"]
        cases = [fact for fact in failed if fact.statement.kind == "test_result"]
        passed = [fact for fact in results if fact.lifecycle.status == "verified"]
        files = {path for fact in passed for path in fact.statement.target.paths}
        for fact in passed:
            for link, other in self._facts.neighbours(fact.id):
                if (
                    link.relation.type == "tests"
                    and other.source.kind == "ast"
                    and other.metadata.test is True
                ):
                    files.add(other.source.path or "")
        return _Tests(len(passed) + len(failed), cases or failed, frozenset(files - {""}))

    def _untested(self, one: Statement) -> Iterator[Reason]:
        tests = self._tests
        if not tests.recorded:
            yield "no_receipt"
        elif tests.failed:
            yield "failed"
        elif tests.files and self._wrote_all(one, tests.files):
            yield "own"

    def _wrote_all(self, one: Statement, files: frozenset[str]) -> bool:
        """Whether every commit to these files is the agent's, and one of them changed other files too."""
        mine = {commit.fact.id for commit in self._people.commits_by(one)}
        wanted = {file.casefold() for file in files}
        touching = [commit for commit in self._people.commits if not wanted.isdisjoint(commit.changed)]
        return (
            bool(touching)
            and all(commit.fact.id in mine for commit in touching)
            and any(not commit.changed <= wanted for commit in touching)
        )

    @cached_property
    def _files(self) -> Mapping[str, Sequence[str]]:
        """Every path that a record or a commit knows, by the last part of its name, folded."""
        found: dict[str, set[str]] = {}
        paths = {fact.source.path for fact in self._facts.records.values() if fact.source.path is not None}
        known = {path.casefold() for path in paths}.union(
            *(commit.changed for commit in self._people.commits)
        )
        for path in known:
            found.setdefault(path.rpartition("/")[2], set()).add(path)
        return {name: sorted(paths) for name, paths in found.items()}

    def absent(self, one: Statement) -> tuple[str, ...]:
        """Files that a claim says were written and that no record knows."""
        said = one.fact.statement
        if not said.target.paths or said.action == "remove" or not says_written(one):
            return ()
        text = said.text.casefold()
        return tuple(
            path
            for path in said.target.paths
            if "*" not in path
            and "." in path.rpartition("/")[2].lstrip(".")
            and path.rpartition("/")[2].casefold() in text
            and not self._knows(path.casefold())
        )

    def _knows(self, path: str) -> bool:
        return any(
            known == path or known.endswith("/" + path)
            for known in self._files.get(path.rpartition("/")[2], ())
        )
