"""Topics: what records are about, one key each by contract, and whom relations bring to them from elsewhere.

A record may have several anchors. They are ranked, the first is its key (intent-evidence §5.1), and the rest stay
visible as its ambiguity. A relation that shows something, and not one that only locates, makes a record of another
topic take part in this one too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from t2c.projections.base import Inputs
from t2c.projections.facts import DECLARED, OBSERVED, Fact, Facts

__all__ = ["BRINGS", "Topic", "Topics", "is_prohibition", "shortened", "shows", "undone"]

BRINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "implements": ("from",),
    "releases": ("to",),
    "evidenced_by": ("to",),
    "documents": ("to", "from"),
    "tests": ("from",),
    "plans": ("from",),
    "claimed_by": ("to",),
    "contradicts": ("to", "from"),
}
"""Type of relation → the ends that it brings into the topic of the other end. `related_to` and the like locate only."""

_UNTELLING: Final = frozenset({"call", "get", "main", "new", "run", "set", "test"})
"""Last parts of names that are in every program (intent-evidence §3.2)."""
_SHORTEST_LEAF: Final = 3
_LABEL: Final = 100
_MOST_ANCHORS: Final = 20
"""Anchors of one record that are kept: what touches more files than this is about none of them."""
_MOST_CANDIDATES: Final = 5
"""Files that declare one name; a name of more says nothing about where."""
_VOICE: Final = 60
_STUBS: Final = (".d.ts", ".d.mts", ".d.cts", ".pyi")
"""Endings of files that only repeat what another file declares."""
_FILES: Final = frozenset({"ast", "system", "document", "todo", "test"})
"""Kinds of sources whose path is that of a file of this repository."""


class Topic(msgspec.Struct, gc=False):
    """`members` have this key, `guests` were brought by relations; ids in byte order, no id in both.

    `ambiguous` counts members with further anchors, and `others` are the commonest of those.
    """

    key: str
    label: str
    members: tuple[str, ...]
    guests: tuple[str, ...]
    ambiguous: int
    others: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """Members and guests in byte order."""
        return tuple(sorted((*self.members, *self.guests))) if self.guests else self.members


class Topics:
    """All topics by key, and the key of every record; made once for all views that read them."""

    def __init__(self, facts: Facts, raw: Mapping[str, bytes] | None = None) -> None:
        """`raw` has the canonical records, for the ids of requirements, which no fact carries."""
        self.facts = facts
        self.raw = raw or {}
        files = {fact.source.path for fact in facts.of_kind(*_FILES) if fact.source.path is not None}
        self.files = files
        self._code = {fact.source.path for fact in facts.of_kind("ast")}
        self._tails = _tails(files)
        self._own = _own_ids(facts, self.raw)
        self._tasks = _tasks(facts)
        self._whole, self._ends = _declared_in(facts)
        self.anchors: dict[str, tuple[str, ...]] = {}
        members: dict[str, list[str]] = {}
        for fact in facts.records.values():
            anchors = self._anchors(fact)
            if len(anchors) > 1:
                self.anchors[fact.id] = anchors
            members.setdefault(next(iter(anchors)), []).append(fact.id)
        self.key_of: dict[str, str] = {one: key for key, ids in members.items() for one in ids}
        guests = self._guests()
        self.by_key: dict[str, Topic] = {
            key: self._topic(key, members[key], guests.get(key, ())) for key in sorted(members)
        }

    @classmethod
    def of(cls, inputs: Inputs) -> Topics:
        """Those of the folded states of `records` and `graph`."""
        found = inputs.made.get("topics")
        if not isinstance(found, Topics):
            found = inputs.made["topics"] = cls(Facts.of(inputs), inputs.states["records"].live)
        return found

    def _anchors(self, fact: Fact) -> tuple[str, ...]:
        """Everything that a record can be filed under, the first by contract; at least one."""
        target, source = fact.statement.target, fact.source
        tickets = [f"ticket:{one}" for one in sorted(target.tickets)]
        own_id = self._own.get(fact.id)
        if own_id is None and not tickets and source.kind == "todo" and source.path in self._tasks:
            # A criterion of a task that is a file of its own is about that task, whatever else it names.
            own_id = self._own.get(self._tasks[source.path].id)
            tickets = [f"source:{source.path}"]
        if own_id is not None:
            tickets = [
                f"ticket:{own_id}",
                *(one for one in tickets if one[:7] == "ticket:" and one[7:] != own_id),
            ]
        ranked = self._ranked(target.paths)
        paths = [f"path:{one}" for one in ranked]
        if ranked and ranked[0] not in self.files and fact.epistemic.cls != "plan":
            # What only describes is about the code that it names before a file that is nowhere.
            resolved, leads = self._resolved(target.symbols)
            paths = [*(f"path:{one}" for one in resolved if leads), *paths]
        found = [*tickets, *paths][:_MOST_ANCHORS]
        if found:
            return tuple(found)
        if source.kind in ("ast", "system") and source.path is not None:
            return (f"path:{source.path}",)
        resolved, leads = self._resolved(target.symbols)
        others = [f"path:{one}" for one in resolved][:_MOST_ANCHORS]
        if source.kind == "todo" and source.path in self._code:
            own = f"path:{source.path}"  # a comment is about the code that it stands in
            return (own, *(one for one in others if one != own))
        if leads:
            return tuple(others)
        if source.kind in DECLARED and not resolved:
            touched = self._touched(fact.id)
            if len(touched) == 1:
                return (f"path:{touched[0]}",)
            others = [f"path:{one}" for one in touched][:_MOST_ANCHORS]
        if source.path in self._code:
            return (f"path:{source.path}", *others)
        if target.symbols:
            name = min(target.symbols, key=lambda one: (len(one), one))
            return (f"symbol:{name}", *others)
        if source.path is not None:
            return (f"source:{source.path}", *others)
        return (f"record:{fact.id}", *others)

    def _resolved(self, names: Sequence[str]) -> tuple[list[str], bool]:
        """The files that may declare these names, the likeliest first; and whether the first is likelier than others.

        Each name has one voice, which it shares out among its candidates.
        """
        voices: Counter[str] = Counter()
        for name in names:
            found = self._resolve(name)
            for path in found:
                voices[path] += _VOICE // len(found)
        ordered = sorted(voices, key=lambda path: (-voices[path], path))
        leads = len(ordered) == 1 or (len(ordered) > 1 and voices[ordered[0]] > voices[ordered[1]])
        return ordered, leads

    def _ranked(self, paths: Iterable[str]) -> list[str]:
        """Paths that are files of this repository before those that are not, each in byte order."""
        real: set[str] = set()
        unreal: set[str] = set()
        for path in paths:
            found = self.file(path)
            (unreal if found is None else real).add(found or path)
        return [*sorted(real), *sorted(unreal - real)]

    def file(self, path: str) -> str | None:
        """The file that a written path is: in full, or as the end of exactly one; None if there is none."""
        if path in self.files:
            return path
        ends = [one for one in self._tails.get(path.rpartition("/")[2], ()) if one.endswith("/" + path)]
        return ends[0] if len(ends) == 1 else None

    def _resolve(self, name: str) -> frozenset[str]:
        """The few files that declare a name, its last two parts, its last part, or what it is a part of; else none."""
        parts = name.split(".")
        for alias in _aliases(parts):
            found = self._whole.get(alias) or self._ends.get(alias)
            if found:
                return found if len(found) <= _MOST_CANDIDATES else frozenset()
        found = self._whole.get(".".join(parts[:-1]), frozenset())
        return found if len(found) == 1 else frozenset()

    def _touched(self, identity: str) -> list[str]:
        """Files of code and configuration that relations of a record lead to, one step away."""
        found = {
            other.source.path
            for _, other in self.facts.neighbours(identity)
            if other.source.kind in ("ast", "system") and other.source.path is not None
        }
        return sorted(found)

    def _guests(self) -> dict[str, list[str]]:
        """Key → records of other topics that a relation brings, in byte order."""
        found: dict[str, set[str]] = {}
        records = self.facts.records
        for link in self.facts.relations:
            relation = link.relation
            ends = BRINGS.get(relation.type, ())
            source, target = records[relation.source], records[relation.to]
            if "from" in ends and _may_come(source, target):
                found.setdefault(self.key_of[target.id], set()).add(source.id)
            if "to" in ends and _may_come(target, source):
                found.setdefault(self.key_of[source.id], set()).add(target.id)
        return {
            key: sorted(one for one in ids if self.key_of[one] != key) for key, ids in sorted(found.items())
        }

    def _topic(self, key: str, members: Sequence[str], guests: Sequence[str]) -> Topic:
        further: dict[str, int] = {}
        ambiguous = 0
        for one in members:
            anchors = self.anchors.get(one, ())
            if anchors and self.facts.records[one].source.kind != "git":
                ambiguous += 1
                for anchor in anchors[1:]:
                    further[anchor] = further.get(anchor, 0) + 1
        others = sorted(further, key=lambda one: (-further[one], one))[:3]
        return Topic(key, self._label(key, members), tuple(members), tuple(guests), ambiguous, tuple(others))

    def _label(self, key: str, members: Sequence[str]) -> str:
        """The name of a topic: that of its key, with what is said of a ticket, of a task that is a file, or alone."""
        kind, _, name = key.partition(":")
        if kind not in ("ticket", "record"):
            return name
        said = min((self.facts.records[one] for one in members), key=self._telling).statement.text
        if kind == "record":
            return shortened(said)
        said = said.removeprefix(name).lstrip(" :-–—").removesuffix(name).removesuffix(f"({name})")
        return shortened(f"{name} {said}")

    def _telling(self, fact: Fact) -> tuple[bool, int, str]:
        """The record that names a topic best comes first: one with an id of its own, then in the order of lanes."""
        kind = fact.source.kind
        return fact.id not in self._own, _LANES.index(kind) if kind in _LANES else len(_LANES), fact.id


_LANES: Final = (*DECLARED, "changelog", *OBSERVED)


def shows(fact: Fact, undone: frozenset[str] = frozenset(), *, documentation: bool = False) -> bool:
    """Whether a record of an observed kind shows something: a claim counts in no observed lane (decisions C3).

    A commit shows what its diff changed, so one that was reverted (`undone`) shows nothing, and one that changed
    documentation alone only what is said about `documentation`.
    """
    if fact.source.kind not in OBSERVED:
        return False
    if fact.source.kind == "git":
        return (documentation or fact.metadata.docOnly is not True) and fact.id not in undone
    return fact.epistemic.cls == "fact"


def is_prohibition(fact: Fact) -> bool:
    """Whether a record of a declared kind asks for the absence of something."""
    return fact.source.kind in DECLARED and fact.statement.polarity == "negative"


def shortened(text: str, limit: int = _LABEL) -> str:
    """One line of at most `limit` characters."""
    flat = " ".join(text[: 4 * limit].split())
    return flat if len(flat) <= limit and len(text) <= 4 * limit else flat[: limit - 1].rstrip() + "…"


def undone(facts: Facts) -> frozenset[str]:
    """Commits that a later one reverted, as relations between commits say."""
    return frozenset(
        link.relation.to
        for link in facts.relations
        if link.relation.type == "supersedes"
        and facts.records[link.relation.source].source.kind == "git"
        and facts.records[link.relation.to].source.kind == "git"
    )


def _may_come(guest: Fact, host: Fact) -> bool:
    """Code takes part in what is said of it and is visited by what is said of it, but not by other code or commits."""
    if host.source.kind in ("ast", "system"):
        return guest.source.kind in (*DECLARED, "changelog", "test")
    return host.source.kind not in OBSERVED


class _Identified(msgspec.Struct, gc=False):
    requirementId: Any = None


class _Requirement(msgspec.Struct, gc=False):
    metadata: _Identified


_requirement = msgspec.json.Decoder(_Requirement).decode


def _own_ids(facts: Facts, raw: Mapping[str, bytes]) -> dict[str, str]:
    """Record → the id that it bears as its own: of a task or a requirement, and of no other file."""
    borne: dict[str, list[Fact]] = {}
    for fact in facts.of_kind("todo", "document"):
        own = fact.metadata.explicitId
        if fact.statement.kind == "requirement" and fact.id in raw:
            own = _requirement(raw[fact.id]).metadata.requirementId or own
        if isinstance(own, str) and own:
            borne.setdefault(own, []).append(fact)
    return {
        fact.id: own
        for own, found in borne.items()
        if len({fact.source.path for fact in found}) == 1
        for fact in found
    }


def _tasks(facts: Facts) -> dict[str | None, Fact]:
    """File → the task that it is: the only item of it with an id of its own."""
    found: dict[str | None, Fact | None] = {}
    for fact in facts.of_kind("todo"):
        if isinstance(fact.metadata.explicitId, str) and fact.statement.kind == "todo_item":
            found[fact.source.path] = None if fact.source.path in found else fact
    return {path: fact for path, fact in found.items() if path is not None and fact is not None}


def _tails(files: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in sorted(files):
        found.setdefault(path.rpartition("/")[2], []).append(path)
    return found


def _declared_in(facts: Facts) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """Whole name → the files that declare it, and end of a name → the files that do; tests left out."""
    whole: dict[str, set[str]] = {}
    ends: dict[str, set[str]] = {}
    code = [fact for fact in facts.of_kind("ast") if fact.statement.action == "declare"]
    tests = {fact.source.path for fact in code if fact.metadata.test is True and fact.metadata.aggregate}
    for fact in code:
        path = fact.source.path
        if path is None or fact.metadata.test is True or path in tests:
            continue
        for name in fact.statement.target.symbols:
            whole.setdefault(name, set()).add(path)
            for alias in _aliases(name.split(".")):
                if alias != name:
                    ends.setdefault(alias, set()).add(path)
    return _frozen(whole), _frozen(ends)


def _frozen(found: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {
        name: frozenset(path for path in paths if not path.endswith(_STUBS)) or frozenset(paths)
        for name, paths in found.items()
    }


def _aliases(parts: Sequence[str]) -> Iterator[str]:
    """The whole name, its last two parts, its last part if that tells anything (intent-evidence §3.2)."""
    yield ".".join(parts)
    if len(parts) > 2:
        yield ".".join(parts[-2:])
    leaf = parts[-1]
    if len(parts) > 1 and len(leaf) >= _SHORTEST_LEAF and leaf.lower() not in _UNTELLING:
        yield leaf
