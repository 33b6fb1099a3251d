"""What became of what a plan is about: the same logical subject, followed through moves and rewordings.

That an id is gone proves nothing. A subject is `cleared` only where its records stand and were read whole, the rules of
the diagnostics find the condition false, and something that came since the plan shows it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from t2c.ledger.events.changes import SubjectState
from t2c.projections.base import Inputs
from t2c.projections.changeplans.lineage import Lineage
from t2c.projections.changeplans.since import Since
from t2c.projections.diagnostics import findings_of
from t2c.projections.diagnostics.messages import told
from t2c.projections.diagnostics.model import Finding
from t2c.projections.diagnostics.plans import plans
from t2c.projections.diagnostics.predicates import is_done, telling
from t2c.projections.diagnostics.view import View
from t2c.projections.evidence import Graded, Item, graded
from t2c.projections.evidence.code import leaf
from t2c.projections.evidence.naming import names_in
from t2c.projections.facts import Fact, Facts
from t2c.projections.graph import fingerprint
from t2c.projections.timeline.state import Timeline

__all__ = ["IN_PART", "Before", "Judge", "Judged", "Now", "before_of", "now_of"]

_encode = msgspec.json.encode
IN_PART: Final = frozenset(
    {
        "unreadable_folder", "unreadable_file", "too_large", "file_too_large", "read_in_part", "reader_stopped",
        "reader_failed", "not_seen_again", "binary_file", "json_not_read", "syntax_errors", "minified_file",
        "generated_file", "nested_too_deeply", "parse_timeout", "undecodable_file", "configuration_unparsed",
        "configuration_template", "configuration_too_deep", "configuration_too_large", "xml_entities", "xml_too_deep",
        "report_not_recognised", "report_unparsed", "cycle_invalid", "cycle_item_invalid", "envelope_unclosed",
        "invalid_registry",
    }
)  # fmt: skip
"""Reasons of omissions after which nothing is known of what else stands in a file."""
FAMILY: Final = frozenset(
    {
        "PLANNED_NOT_IMPLEMENTED", "CHANGELOG_WITHOUT_IMPLEMENTATION", "FALSE_COMPLETION", "REGRESSION_DETECTED",
        "CONFLICTING_INTENT",
    }
)  # fmt: skip
"""Findings of which each says that a statement is not made true; one may take the place of another."""
_READING: Final = frozenset(
    {"inventory", "todo", "comments", "changelog", "docs", "tags", "code", "tests", "git"}
)
"""Stages of a scan without which a statement, or what shows it, may be unknown."""
_OPEN: Final = "PLANNED_NOT_IMPLEMENTED"
_WORK: Final = frozenset({_OPEN, "FALSE_COMPLETION", "CHANGELOG_WITHOUT_IMPLEMENTATION"})
_SETTLE: Final = "Code, a commit that changes code or a test that names or cites it settles it, once scanned; a tick does not."
"""What a finding suggests instead may be to tick it off, or to reword it."""
_GONE: Final[Mapping[str, str]] = {
    "absent": "its statement was deleted and nothing took its place",
    "file_gone": "its file is gone",
    "left_out": "its file is left out by a setting or an ignore rule now",
    "unreachable": "it is not in the history any more",
}
_GRAVEST: Final[tuple[SubjectState, ...]] = ("remaining", "undecided", "gone", "cleared")


class Before(NamedTuple):
    """What stood when a plan was recorded, at event `seq`: kept, since the states of a fold go on.

    `members` has the parts of each plan by the record that it is about, `planned` when each of these was written, and
    `facts` what the subjects said then.
    """

    seq: int
    fingerprint: str
    findings: Mapping[str, Finding]
    members: Mapping[str, tuple[str, ...]]
    planned: Mapping[str, str | None]
    facts: Mapping[str, Fact]
    records: Mapping[str, bytes]


class Judged(NamedTuple):
    """What became of one diagnostic: the records that stand for it now, and why the state is so, in words."""

    diagnostic: str
    state: SubjectState
    records: tuple[str, ...]
    reason: str


class _State(NamedTuple):
    """What became of one statement."""

    state: SubjectState
    records: tuple[str, ...]
    reason: str


class Now(NamedTuple):
    """What stands now. `scanned` is the last event of which a scan is known to have come after; `suppressed` are the ids
    of findings that somebody decided not to be told of."""

    seq: int
    fingerprint: str
    view: View
    findings: Sequence[Finding]
    history: Timeline
    scanned: int
    suppressed: frozenset[str] = frozenset()


def before_of(inputs: Inputs, seq: int, diagnostics: Collection[str]) -> Before:
    """What stood at event `seq`, as far as it is asked for to judge these diagnostics."""
    found = {one.id: one for one in findings_of(inputs)}
    view = View.of(inputs, inputs.states["diagnostics"])
    subjects = {
        identity
        for one in diagnostics
        if one in found
        for identity in _subjects(found[one], view.facts.records)
    }
    members = {
        identity: tuple(member.id for member in plan.members)
        for plan in (plans(view) if subjects else ())
        for identity in (subjects & {plan.head.id})
    }
    facts = {identity: view.facts.records[identity] for identity in subjects}
    planned = {
        one: view.grades[one].planned_at
        for one in (*subjects, *(part for parts in members.values() for part in parts))
        if one in view.grades
    }
    return Before(seq, fingerprint(inputs), found, members, planned, facts, dict(view.raw))


def now_of(inputs: Inputs, seq: int, scanned: int, suppressed: Iterable[str] = ()) -> Now:
    """What stands at event `seq`, the last one."""
    view = View.of(inputs, inputs.states["diagnostics"])
    history: Timeline = inputs.states["timeline"]
    return Now(seq, fingerprint(inputs), view, findings_of(inputs), history, scanned, frozenset(suppressed))


def _subjects(finding: Finding, records: Mapping[str, Fact]) -> tuple[str, ...]:
    """The statements that a finding of the family is about."""
    if finding.code not in FAMILY:
        return ()
    if finding.subject in records:
        return (finding.subject,)
    if finding.subject.startswith("comments:"):
        return tuple(identity for identity in finding.records if identity in records)
    return ()


class Judge:
    """Judges the diagnostics of a plan that is about `files`, by what stood when it was recorded and what stands now.

    Of a finding of several statements those count that are among the `records` of the plan, all if none is.
    """

    def __init__(
        self, before: Before, now: Now, files: Collection[str], records: Collection[str] = ()
    ) -> None:
        self._before = before
        self._now = now
        self._files = frozenset(files)
        self._records = frozenset(records)
        self.lineage = Lineage(now.history, now.view.facts.records, before.seq)
        self._since = Since(now.view, before.records)

    def judged(self, diagnostic: str) -> Judged:
        """What became of one diagnostic; the gravest state of its subjects."""
        finding = self._before.findings.get(diagnostic)
        if finding is None:
            why = "it did not stand when the plan was recorded, so nothing can be told of it; draw a new plan"
            return Judged(diagnostic, "undecided", (), why)
        if self._now.scanned <= self._before.seq:
            why = "nothing was scanned since the plan was recorded; do the work, then run t2c scan"
            return Judged(diagnostic, "undecided", (), why)
        subjects = _subjects(finding, self._before.facts)
        if not subjects:
            why = (
                f"{finding.code} is about no statement whose condition could be judged again; draw a new plan"
            )
            return Judged(diagnostic, "undecided", (), why)
        meant = [one for one in subjects if one in self._records] or subjects
        found = [self._one(finding, identity) for identity in meant]
        gravest = min(found, key=lambda one: _GRAVEST.index(one.state))
        reason = gravest.reason
        if len(found) > 1:
            same = sum(one.state == gravest.state for one in found)
            reason = f"{same} of {len(found)} statements, the first: {reason}"
        if gravest.state == "remaining" and diagnostic in self._now.suppressed:
            reason += " (it is suppressed, which makes nothing true)"
        records = tuple(sorted({record for one in found for record in one.records}))
        return Judged(diagnostic, gravest.state, records, reason)

    def _one(self, finding: Finding, identity: str) -> _State:
        heir = self.lineage.follow(identity)
        if heir.id is None:
            why = _GONE.get(heir.why, _GONE["absent"])
            return _State("gone", (), f"{why}; that proves nothing: put it back, or draw a new plan")
        fact, was = self._now.view.facts.records[heir.id], self._before.facts[identity]
        standing = (fact.id,)
        if (unread := self._unread(fact)) is not None:
            return _State("undecided", standing, f"{unread}; mend that and scan again")
        if self._now.view.is_dropped(fact):
            return _State("remaining", standing, f"{fact.where} is marked as dropped, which is not done")
        still = next(self._still(finding, fact), None)
        otherwise = _otherwise(was, fact)
        if (
            still is not None
            and otherwise is None
            and still.code == _OPEN
            and still.subject == fact.id != was.id
        ):
            # The rules know of this wording only, and that it was written later than what carries it out.
            found = tuple(self._shown(identity, fact, self._as_planned(identity)))
            if found:
                where = f"{fact.where}, as it was planned before it was reworded, is shown by"
                return _State("cleared", standing, f"{where} {self._since.told(found)}")
        if still is not None and (loose := self._uncommitted(fact)) is not None:
            return _State("remaining", standing, f"{still.code}: {loose}")
        if still is not None:
            words = told(still)
            settle = _SETTLE if still.code in _WORK else words.suggestedAction
            text = f"{still.code}: {words.detail} {settle}"
            return _State("remaining", standing, " ".join(text.split()))
        if otherwise is not None:
            why = f"{fact.where} {otherwise}: what shows the one does not show the other; draw a new plan"
            return _State("undecided", standing, why)
        found = tuple(self._shown(identity, fact, self._now.view.grades))
        if found:
            where = f"{fact.where} is shown by {self._since.told(found)}"
            return _State("cleared", standing, where)
        if finding.code == "CHANGELOG_WITHOUT_IMPLEMENTATION":
            commits = self._since.explaining(fact, self._files)
            within = [one.where for one in commits if self._touches(one)]
            if within:
                return _State(
                    "cleared", standing, f"{fact.where} is explained by commit {', commit '.join(within[:3])}"
                )
            if commits:
                why = f"commit {commits[0].where} explains {fact.where} and {self._otherwhere}"
                return _State("remaining", standing, why)
        if elsewhere := self._elsewhere(identity, fact):
            return elsewhere
        return _State("remaining", standing, self._unshown(fact))

    def _unread(self, fact: Fact) -> str | None:
        """What was not read whole of what a verdict would rest on."""
        path = fact.source.path or ""
        for omission in self._now.view.state.omissions.values():
            place = omission.path or ""
            if (
                omission.reason in IN_PART
                and omission.source in (fact.source.kind, "inventory")
                and (place == path or (place and path.startswith(f"{place}/")))
            ):
                return f"{place} was not read whole ({omission.reason})"
        for name in sorted(_READING & self._now.view.state.stages.keys()):
            if self._now.view.state.stages[name].status == "failed":
                return f"stage {name} failed when it was last run"
        return None

    def _still(self, finding: Finding, fact: Fact) -> Iterator[Finding]:
        """The findings of the family that say now that the statement is not made true."""
        order = {code: place for place, code in enumerate((*sorted(FAMILY), finding.code))}
        found = [
            one
            for one in self._now.findings
            if one.code in FAMILY and (one.subject == fact.id or fact.id in one.records)
        ]
        yield from sorted(found, key=lambda one: (one.subject != fact.id, order[one.code], one.id))

    def _heirs(self, identity: str) -> Mapping[str, str]:
        """The parts that a statement had when it was planned, itself among them, and what stands for each now."""
        parts = self._before.members.get(identity, (identity,))
        heirs = {one: self.lineage.follow(one).id for one in parts}
        return {one: heir for one, heir in heirs.items() if heir is not None}

    def _as_planned(self, identity: str) -> Mapping[str, Graded]:
        """How well everything is evidenced where reworded parts count as written when they were planned."""
        written = {
            heir: self._before.planned.get(one)
            for one, heir in self._heirs(identity).items()
            if one != heir and self._before.planned.get(one) is not None
        }
        facts = self._now.view.facts
        records = dict(facts.records)
        for heir, at in written.items():
            records[heir] = msgspec.structs.replace(records[heir], observedAt=at)
        relations = tuple(
            link
            for link in facts.relations
            if link.relation.type != "declares" or link.relation.to not in written
        )
        return graded(Facts(records, relations), self._now.history.first)

    def _shown(self, identity: str, fact: Fact, grades: Mapping[str, Graded]) -> Iterator[Item]:
        """What is new and shows the statement, or a part that it had when it was planned; the strongest first.

        Where the plan names files, something of it is there.
        """
        new = self._new(identity, fact, grades)
        if not self._files or any(self._since.is_within(item, self._files) for item in new):
            yield from (item for item in new if not self._since.is_stub(item) or self._within(item))

    def _within(self, item: Item) -> bool:
        return self._since.is_within(item, self._files)

    def _new(self, identity: str, fact: Fact, grades: Mapping[str, Graded]) -> list[Item]:
        standing = {*self._heirs(identity).values(), fact.id}
        items = [item for one in sorted(standing) if one in grades for item in grades[one].showing]
        new = [item for item in items if self._since.shows(item, self._files)]
        if not any(item.relation is not None for item in new):
            return []  # what a commit touched shows nothing where the commit itself is an old one
        return sorted(new, key=lambda item: (-item.grade, item.record))

    def _elsewhere(self, identity: str, fact: Fact) -> _State | None:
        """What is new and shows the statement in files that the plan does not name; undecided where one is gone."""
        new = self._new(identity, fact, self._now.view.grades)
        if not new:
            return None
        item = next((one for one in new if not self._since.is_stub(one)), new[0])
        place = self._since.told([item])
        if self._since.is_stub(item):
            why = f"{place} is a stub, which declares it and shows nothing done: do it in {', '.join(sorted(self._files)[:4])}"
            return _State("remaining", (fact.id,), f"{fact.where} is not shown yet: {why}")
        gone = self._gone_files()
        if gone:
            why = f"{place} may be what was asked for in {', '.join(gone[:4])}, which is gone: plan again with --path"
            return _State("undecided", (fact.id,), why)
        why = f"{place} {self._otherwhere}"
        return _State("remaining", (fact.id,), f"{fact.where} is not shown yet: {why}")

    def _gone_files(self) -> list[str]:
        """The files of the plan of which something was read when it was recorded and nothing is now."""
        standing = {fact.source.path for fact in self._now.view.facts.records.values()}
        marks = {path: b'"path":' + _encode(path) for path in self._files if path not in standing}
        return sorted(
            path for path, mark in marks.items() if any(mark in raw for raw in self._before.records.values())
        )

    def _uncommitted(self, fact: Fact) -> str | None:
        """The code of the plan's files that a statement names, as it was written since and as no commit holds it yet."""
        graded = self._now.view.grades.get(fact.id)
        found = [
            code.where
            for code in self._since.uncommitted(fact, graded.items if graded is not None else ())
            if not self._files or code.source.path in self._files
        ]
        if not found:
            return None
        was, verb = ("was", "is") if len(found) == 1 else ("were", "are")
        return f"{', '.join(found[:4])} {was} written since the plan and {verb} not committed: commit it, then scan"

    def _touches(self, commit: Fact) -> bool:
        return not self._files or not self._files.isdisjoint(commit.statement.target.paths)

    @property
    def _otherwhere(self) -> str:
        files = ", ".join(sorted(self._files)[:4])
        return f"lies outside of the files of the plan ({files}): do it there, or plan again with --path"

    def _unshown(self, fact: Fact) -> str:
        graded = self._now.view.grades.get(fact.id)
        if (loose := self._uncommitted(fact)) is not None:
            return f"{fact.where} is not shown yet: {loose}"
        if graded is not None and graded.showing:
            return (
                f"{fact.where} is shown only by what stood before the plan, or by what changed no code since"
            )
        state = "is ticked" if is_done(fact) else "stands as it is"
        return f"{fact.where} {state}, and no code, commit or test that came since the plan shows it"


def _otherwise(was: Fact, fact: Fact) -> str | None:
    """How a statement says something else than it did; None where it says the same in other words at most."""
    if fact.id == was.id:
        return None
    if fact.statement.polarity != was.statement.polarity:
        return "was turned into its opposite"
    lost = sorted(_names(was) - _names(fact))
    if lost:
        return f"does not name {', '.join(lost[:4])} any more"
    words = telling(was.statement.text)
    if 2 * len(words & telling(fact.statement.text)) <= len(words) and words:
        return "was reworded so far that it may mean something else"
    return None


def _names(fact: Fact) -> frozenset[str]:
    target = fact.statement.target
    return frozenset((*map(leaf, names_in(fact)), *target.paths, *target.tickets))
