"""Drawing code-change plans: for each finding of something wanted that is not there, what to change and how it is judged.

Nobody guesses: a plan names only files that the records name, and a finding without any gives none, which is told. So does
one of several comments, which are several things to do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from t2c.ledger.changes.contract import CODES, Action, Change, Risk, in_order, plan_document
from t2c.ledger.llm.synthesis.contract import Priority, Target
from t2c.projections.base import Inputs
from t2c.projections.changeplans.useful import unusable
from t2c.projections.evidence import code_of
from t2c.projections.evidence.code import Code, leaf
from t2c.projections.facts import Fact, Facts
from t2c.projections.findings import read
from t2c.projections.findings.model import Shown, shortened
from t2c.projections.graph import fingerprint

__all__ = ["LARGEST", "MOST", "Drawn", "Given", "Left", "Wish", "candidates", "draw"]

MOST: Final = 50
LARGEST: Final = 500
"""Plans drawn at once, by default and at most (intent-evidence §7.4)."""
_TITLE: Final = 160
_QUOTED: Final = 300
_BY_HAND: Final = 0.92
_NAME: Final = re.compile(r"[^\W\d]\w{0,99}(?:(?:\.|::|#|->)[^\W\d]\w{0,99}){0,9}(?:\(\))?")
_JOINTS: Final = re.compile(r"::|#|->")
_JUDGED: Final[Mapping[str, tuple[Priority, Any, float]]] = {
    "blocking": ("P0", "high", 0.88),
    "review_required": ("P1", "medium", 0.80),
    "warning": ("P2", "low", 0.72),
    "info": ("P3", "low", 0.72),
}
"""Severity → priority, level of risk and confidence."""


class Given(NamedTuple):
    """A file that a person names; without an action it follows from whether the file is there."""

    path: str
    action: Action | None = None


class Wish(NamedTuple):
    """What is asked for: `findings` by id (all without any), and what a person says of a single one."""

    findings: tuple[str, ...] = ()
    most: int = MOST
    paths: tuple[Given, ...] = ()
    title: str | None = None
    criteria: tuple[str, ...] = ()

    @property
    def by_hand(self) -> bool:
        """True where some of the plan is a person's own."""
        return bool(self.paths or self.title or self.criteria)


class Left(NamedTuple):
    """A finding without a plan: `reason` is `no_path`, `unusable_path`, `absent_file`, `several_comments`, `suppressed`
    or `beyond_the_cap`."""

    finding: str
    code: str
    place: str
    reason: str
    why: str


class Drawn(NamedTuple):
    """The plans without their times, the most urgent first, and each finding that gave none.

    `graph` is the fingerprint that they are of, `considered` how many findings plans can be drawn from.
    """

    graph: str
    considered: int
    plans: tuple[dict[str, Any], ...]
    left: tuple[Left, ...]


def candidates(inputs: Inputs) -> list[Shown]:
    """The findings that plans are drawn from, suppressed ones too: what is planned first, then by id."""
    found = [one for one in read(inputs.states["findings"], inputs) if one.code in CODES and one.recordIds]
    return sorted(found, key=lambda one: (CODES.index(one.code), one.id))


def draw(
    inputs: Inputs,
    wish: Wish,
    exists: Callable[[str], bool],
    *,
    conclusions: Iterable[Mapping[str, Any]] = (),
    proposals: Iterable[Mapping[str, Any]] = (),
    kept: Collection[str] = (),
) -> Drawn:
    """Plans for what was wished, at most `wish.most`. `exists` says whether the repository has a file now.

    `conclusions` and `proposals` are those that stand; a plan rests on those that cite its finding. `kept` are findings
    whose plan is being carried out: none is drawn in its place.
    """
    facts, graph = Facts.of(inputs), fingerprint(inputs)
    found = candidates(inputs)
    wanted = [one for one in found if (not wish.findings or one.id in wish.findings) and one.id not in kept]
    cited = _by_finding(conclusions), _by_finding(proposals)
    names, code = _files(facts), code_of(inputs)
    plans: list[dict[str, Any]] = []
    left: list[Left] = []
    for one in wanted:
        if one.suppressed is not None:
            left.append(_left(one, "suppressed", one.suppressed.reason))
            continue
        if len(plans) >= wish.most:
            left.append(_left(one, "beyond_the_cap", f"more than {wish.most:,} plans"))
            continue
        drawing = _Drawing(
            one, facts, code, names, exists, cited[0].get(one.id, ()), cited[1].get(one.id, ())
        )
        made = drawing.plan(wish, graph)
        if isinstance(made, Left):
            left.append(made)
        else:
            plans.append(made)
    return Drawn(graph, len(found), tuple(dict(one) for one in in_order(plans)), tuple(left))


class _Drawing:
    """One finding and all that a plan of it is made from."""

    def __init__(
        self,
        finding: Shown,
        facts: Facts,
        code: Code,
        files: Mapping[str, str | None],
        exists: Callable[[str], bool],
        conclusions: Sequence[Mapping[str, Any]],
        proposals: Sequence[Mapping[str, Any]],
    ) -> None:
        self._finding = finding
        self._code = code
        self._files = files
        self._exists = exists
        self._conclusions = conclusions
        self._proposals = proposals
        shown = [place.record for place in finding.places]
        ordered = [*shown, *(one for one in finding.recordIds if one not in shown)]
        self._records = [facts.records[one] for one in ordered if one in facts.records]

    def plan(self, wish: Wish, graph: str) -> dict[str, Any] | Left:
        finding = self._finding
        if not self._records:
            return _left(finding, "no_path", "none of its records stands")
        given = {one.path for one in wish.paths}
        if self._are_several_comments and given:
            # A person who names a file means the comments in it, and the others stay as they are.
            self._records = [one for one in self._records if one.source.path in given] or self._records
        elif self._are_several_comments:
            why = f"{len(self._records)} comments, each of which asks for something else: give --path for one"
            return _left(finding, "several_comments", why)
        chosen, refused = self._paths(wish.paths)
        if not chosen:
            return self._without(refused)
        target = Target.of(chosen, *(self._all(name) for name in ("symbols", "tickets", "versions")))
        says = shortened(self._records[0].statement.text, _QUOTED)
        changes = [
            Change(path, action, self._symbols_in(path, len(chosen)), self._rationale(says))
            for path, action in chosen.items()
        ]
        priority, level, confidence = _JUDGED[finding.severity]
        if self._proposals:
            confidence = min(_BY_HAND, max(one["confidence"] for one in self._proposals))
        return plan_document(
            title=wish.title or self._title(),
            description=self._description(says),
            priority=priority,
            target=target._replace(paths=tuple(sorted(chosen))),
            criteria=self._criteria(target, chosen, wish.criteria),
            changes=changes,
            risk=Risk(level, tuple(self._risks(chosen))),
            rollback=f"Take back what is done to {', '.join(sorted(chosen))} (t2c change revert), then scan again.",
            graph=graph,
            records=(one.id for one in self._records),
            diagnostics=(finding.id,),
            conclusions=(one["id"] for one in self._conclusions),
            proposals=(one["id"] for one in self._proposals),
            confidence=confidence,
        )

    def _paths(self, given: Sequence[Given]) -> tuple[dict[str, Action], list[tuple[str, str, str]]]:
        """Path → action of all that can be named; the others with the reason."""
        chosen: dict[str, Action] = {}
        refused: list[tuple[str, str, str]] = []
        # Of several comments a person says which files are meant; those of the others are not.
        named = () if self._are_several_comments else {*self._all("paths"), *self._commented()}
        for path in sorted(named):
            why = unusable(path)
            meant = self._meant(path)
            if why is not None:
                refused.append((path, "unusable_path", why))
            elif self._exists(meant):
                chosen[meant] = "modify"
            elif "/" in path:
                chosen[path] = "create"
            else:
                refused.append((path, "absent_file", "there is no such file, and no folder is named for it"))
        for one in given:
            chosen[one.path] = one.action or ("modify" if self._exists(one.path) else "create")
        return chosen, refused

    def _meant(self, path: str) -> str:
        """The file that a written path means: a bare name may be that of the only file that is called so."""
        if "/" in path or self._exists(path):
            return path
        return self._files.get(path) or path

    @property
    def _are_several_comments(self) -> bool:
        return len(self._records) > 1 and all(map(_is_comment, self._records))

    def _symbols_in(self, path: str, files: int) -> tuple[str, ...]:
        """The symbols that whatever names this one of so many files names, too; what names no file means the only one."""
        found: set[str] = set()
        for record in self._records:
            target = record.statement.target
            places = {*map(self._meant, target.paths), *([record.source.path] if _is_comment(record) else ())}
            if path in places or (not places and files == len(self._records) == 1):
                found.update(target.symbols)
        for one in self._proposals:
            if path in map(self._meant, one["target"]["paths"]):
                found.update(one["target"]["symbols"])
        return tuple(sorted(found))

    def _without(self, refused: Sequence[tuple[str, str, str]]) -> Left:
        if not refused:
            return _left(self._finding, "no_path", "none of its records names a file")
        reasons = {reason for _, reason, _ in refused}
        told = "; ".join(f"{path}: {why}" for path, _, why in refused[:5])
        more = f"; and {len(refused) - 5} more" if len(refused) > 5 else ""
        return _left(
            self._finding, "absent_file" if reasons == {"absent_file"} else "unusable_path", told + more
        )

    def _commented(self) -> Iterator[str]:
        """The code that comments stand in which ask for something: it is there that they ask for it."""
        for record in self._records:
            if _is_comment(record) and record.source.path is not None:
                yield record.source.path

    def _all(self, name: str) -> Iterator[str]:
        for record in self._records:
            yield from getattr(record.statement.target, name)
        for one in self._proposals:
            yield from one["target"][name]

    def _title(self) -> str:
        if self._proposals:
            return str(self._proposals[0]["title"])
        text = shortened(self._records[0].statement.text, _TITLE).rstrip(".!?;: ")
        if self._finding.code == CODES[1]:
            return f"Bring about what the changelog says: {text}"
        return text or self._finding.title

    def _description(self, says: str) -> str:
        first = self._records[0]
        where = f" ({first.source.path})" if first.source.path else ""
        meant = (
            "is said to be released, and nothing shows it"
            if self._finding.code == CODES[1]
            else "is planned, and nothing shows that it is there"
        )
        tickets = sorted(set(self._all("tickets")))
        of = f" Tickets: {', '.join(tickets)}." if tickets else ""
        more = len(self._records) - 1
        beside = f" {more} more record{'s' if more > 1 else ''} of the same finding." if more else ""
        return f"“{says}”{where} {meant}.{of}{beside}"

    def _rationale(self, says: str) -> str:
        return f"Carry out “{says}”"

    def _criteria(self, target: Target, chosen: Mapping[str, Action], given: Iterable[str]) -> Iterator[str]:
        code, identity = self._finding.code, self._finding.id
        yield f"After a new scan, t2c change evaluate finds the condition {code} ({identity}) false for the same subject."
        yield "No new blocking finding."
        yield f"No file is touched but {', '.join(sorted(chosen))}."
        lacking = [
            name
            for name in target.symbols
            if _is_name(name) and name not in target.paths and not self._defined(name)
        ]
        if lacking:
            yield f"Code defines {', '.join(lacking)}."
        for one in self._proposals:
            yield from one["acceptanceCriteria"]
        yield from given

    def _defined(self, name: str) -> bool:
        return bool(self._code.files_declaring(leaf(_JOINTS.sub(".", name.removesuffix("()")))))

    def _risks(self, chosen: Mapping[str, Action]) -> Iterator[str]:
        yield f"The finding is {self._finding.severity}."
        counts = {action: list(chosen.values()).count(action) for action in ("create", "modify", "delete")}
        told = ", ".join(f"{action} {count}" for action, count in counts.items() if count)
        yield f"Files: {told}."


def _by_finding(documents: Iterable[Mapping[str, Any]]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for one in sorted(documents, key=lambda one: str(one["id"])):
        for identity in one["diagnosticIds"]:
            found.setdefault(identity, []).append(one)
    return found


def _files(facts: Facts) -> Mapping[str, str | None]:
    """Name of a file → its path; None where several files have that name."""
    found: dict[str, str | None] = {}
    for path in {fact.source.path for fact in facts.records.values() if _in_file(fact)}:
        if path is not None:
            name = path.rpartition("/")[2]
            found[name] = None if found.get(name, path) != path else path
    return found


def _in_file(fact: Fact) -> bool:
    return fact.source.kind in ("ast", "test", "system", "document")


def _is_comment(fact: Fact) -> bool:
    return fact.statement.kind == "comment_marker"


def _is_name(text: str) -> bool:
    """Whether it is written as names in code are, and not as an abbreviation such as HTTP."""
    return _NAME.fullmatch(text) is not None and ("_" in text or text.endswith("()") or not text.isupper())


def _left(finding: Shown, reason: str, why: str) -> Left:
    place = str(finding.places[0]) if finding.places else ""
    return Left(finding.id, finding.code, place, reason, why)
