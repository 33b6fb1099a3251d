"""What evidences a requirement by its id: trace tags in code and tests, anchors to files, results of tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from t2c.ledger.events.record import RelationType
from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking.base import Abstention, Hit, Prior, RuleBook
from t2c.ledger.linking.features import Corpus, Record
from t2c.ledger.linking.identifiers import Identifiers, spelled
from t2c.ledger.linking.stances import forbids

__all__ = ["BOOK", "traced"]

_ITEM: Final = re.compile(r"(.*)~(\d{1,6})\Z", re.DOTALL)
_TESTING: Final = frozenset({"test", "utest", "itest", "stest", "ptest", "atest", "systest"})
_DESCRIBING: Final = frozenset({"doc", "uman", "manual"})
_IN_NAME: Final = re.compile(
    r"(?:^|_|[^A-Za-z0-9])([A-Za-z]{2,10}[_-]?\d{1,6}(?:_\d{1,4}){0,2})(?=_|[^A-Za-z0-9]|$)"
)


def traced(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """Tags, anchors and tests that name a requirement by its id.

    * A tag that covers a requirement as implementation `implements` it; a requirement is `evidenced_by` a tag
      of a test; a tag of a manual `documents` it. A tag of any other kind is only `related_to` it, and so is
      one that covers another revision than the one that stands (`revision_differs`).
    * A tag is `related_to` the symbol in which it stands, else to the module or file of configuration.
    * A prohibition is implemented by nothing: a tag that claims so is `related_to` it.
    * A requirement is `evidenced_by` each anchor that its own item holds, and the anchor by the module whose
      file it refers to. An anchor whose file changed since the review says so (`anchor_suspect`). An anchor
      to a folder or a word leads to no record.
    * A requirement is `evidenced_by` the result of a test whose name bears its id (`test_FR_001_lock`).
    * An id that several requirements bear, equally near, is `trace_ambiguous`; a tag for which no requirement
      stands is `trace_without_requirement`.

    Not: because a tag stands near to code, or a test is named like the requirement's words. A tag is what its
    author claims; whether the code does it no tag shows.
    """
    requirements = [one for one in corpus.of("document") if one.statement.kind == "requirement"]
    identifiers = Identifiers.of(requirements)
    revisions: dict[str, list[Record]] = {}
    for one in requirements:
        written = one.metadata.requirementId
        match = _ITEM.match(written) if isinstance(written, str) else None
        if match:
            revisions.setdefault(match[1], []).append(one)
    tags = [one for one in corpus.of("document") if one.statement.kind == "trace_tag"]
    yield from _places(tags, corpus)
    for record in corpus.of("document"):
        if record.statement.kind == "trace_tag":
            yield from _tag(record, identifiers, revisions)
        elif record.statement.kind == "requirement_anchor":
            yield from _anchor(record, identifiers, corpus)
    yield from _tests(corpus, identifiers)


def _tag(
    tag: Record, identifiers: Identifiers, revisions: dict[str, list[Record]]
) -> Iterator[Hit | Abstention]:
    covered = tag.metadata.requirementId
    if not isinstance(covered, str):
        return
    found, candidates = identifiers.find(covered, tag)
    signals = (("identifier", covered),)
    if found is None and candidates == 0:
        match = _ITEM.match(covered)
        others = revisions.get(match[1], ()) if match else ()
        if len(others) == 1:
            basis = ("trace_other_revision", "revision_differs")
            yield Hit(tag.id, others[0].id, "related_to", "trace", basis, signals)
        else:
            yield Abstention("trace_without_requirement", f"{covered} in {tag.source.path}")
    elif found is None:
        yield Abstention("trace_ambiguous", f"{covered} in {tag.source.path}")
    else:
        kind = tag.metadata.artifactType
        kind = kind.lower() if isinstance(kind, str) else ""
        if kind in _TESTING or kind.endswith("test"):
            yield Hit(found.id, tag.id, "evidenced_by", "trace", ("trace_test",), signals)
        else:
            drawn: RelationType = "documents" if kind in _DESCRIBING else "related_to"
            if kind == "impl" and not forbids(found):
                drawn = "implements"
            grade = "trace_impl" if drawn == "implements" else "trace_tag"
            yield Hit(tag.id, found.id, drawn, "trace", (grade,), signals)


def _places(tags: Sequence[Record], corpus: Corpus) -> Iterator[Hit]:
    paths = {tag.source.path for tag in tags if tag.source.path is not None}
    if not paths:
        return
    symbols: dict[tuple[str, str], RecordId] = {}
    files: dict[str, RecordId] = {path: corpus.modules[path] for path in paths & corpus.modules.keys()}
    for fact in corpus.of("ast", "system"):
        path = fact.source.path
        if path not in paths or path is None:
            continue
        if fact.statement.kind == "symbol_fact" and fact.source.symbol:
            symbols[path, fact.source.symbol] = fact.id
        elif fact.statement.kind == "configuration_file_fact":
            files.setdefault(path, fact.id)
    for tag in tags:
        path, enclosing = tag.source.path or "", tag.metadata.enclosing
        place = symbols.get((path, enclosing)) if isinstance(enclosing, str) else None
        if (found := place or files.get(path)) is not None:
            yield Hit(tag.id, found, "related_to", "trace", ("trace_place",), (("path", path),))


def _anchor(anchor: Record, identifiers: Identifiers, corpus: Corpus) -> Iterator[Hit]:
    written = anchor.metadata.requirementId
    suspect = ("anchor_suspect",) if anchor.metadata.suspect is True else ()
    if isinstance(written, str):
        own = [
            one
            for one in identifiers.holders.get(spelled(written), ())
            if one.source.path == anchor.source.path
        ]
        for requirement in own[:1]:
            signals = (("identifier", written),)
            yield Hit(requirement.id, anchor.id, "evidenced_by", "trace", ("trace_anchor", *suspect), signals)
    for path in anchor.statement.target.paths[:1]:
        if (module := corpus.modules.get(path)) is not None:
            basis = ("trace_anchored_file", *suspect)
            yield Hit(anchor.id, module, "evidenced_by", "trace", basis, (("path", path),))


def _tests(corpus: Corpus, identifiers: Identifiers) -> Iterator[Hit | Abstention]:
    if not identifiers.holders:
        return
    plain = {key.replace("-", ""): key for key in sorted(identifiers.holders) if "~" not in key}
    for result in corpus.of("test"):
        if result.statement.kind != "test_result":
            continue
        name = result.source.symbol or result.statement.text
        for written in dict.fromkeys(_IN_NAME.findall(name)):
            key = plain.get(spelled(written).replace("-", ""))
            if key is None:
                continue
            found, candidates = identifiers.find(key, result)
            if found is not None:
                signals = (("identifier", key), ("test", name))
                yield Hit(found.id, result.id, "evidenced_by", "trace", ("trace_test_name",), signals)
            elif candidates > 1:
                yield Abstention("trace_ambiguous", f"{key} in {name}")


BOOK: Final = RuleBook(
    "trace",
    traced,
    {
        "trace_impl": Prior(0.95, "The author tags the code with the id of the requirement."),
        "trace_test": Prior(0.95, "The author tags the test with the id of the requirement."),
        "trace_tag": Prior(0.9, "The author tags a part with the id of the requirement."),
        "trace_place": Prior(0.97, "The tag stands in it."),
        "trace_other_revision": Prior(
            0.7, "The tag names another revision of the requirement than the one that stands."
        ),
        "trace_anchor": Prior(0.97, "The item of the requirement itself holds the anchor."),
        "trace_anchored_file": Prior(0.95, "The anchor names the file."),
        "trace_test_name": Prior(0.85, "The name of the test bears the id of one requirement."),
    },
    {
        "trace_ambiguous": "tags and tests whose id several requirements bear",
        "trace_without_requirement": "tags for which no requirement stands",
    },
    {
        "anchor_suspect": "changed since it was reviewed",
        "identifier": "names `{}`",
        "path": "in `{}`",
        "revision_differs": "in another revision",
        "test": "in the test `{}`",
    },
)
