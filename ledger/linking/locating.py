"""Which code a requirement, a decision, an intent or a message names: where to look, and nothing more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from t2c.ledger.linking.base import Abstention, Hit, Prior, RuleBook
from t2c.ledger.linking.features import Corpus, Record
from t2c.ledger.linking.written import foreign_modules, in_code, is_elsewhere, names_file, place_of_name

__all__ = ["BOOK", "MAX_NAMED", "located"]

MAX_NAMED: Final = 8
"""Names of one statement that are looked at."""
_KINDS: Final = frozenset({"architecture_decision", "declared_intent", "requirement"})


def located(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """A statement that asks, plans or reports is `related_to` the code that it names.

    * Requirements, decisions, declared intents and statements of a conversation, samples left out; for tasks,
      entries and commits see the rules `symbol` and `path`, for explanations see `documents`.
    * A name of which exactly one declaration is meant, in code or by at least two parts; a name with several
      declarations is `located_ambiguous`. A file by at least two parts of its path, or from the same folder.

    Not: as evidence. What is named exists, and may have done so before anybody asked for anything.
    """
    foreign = foreign_modules(corpus)
    for record in corpus.of("agent_log", "document", "nl"):
        is_spoken = record.source.kind == "agent_log" or record.statement.kind in _KINDS
        if is_spoken and record.metadata.sample is not True:
            yield from _symbols(record, corpus, foreign)
            for path in record.statement.target.paths[:MAX_NAMED]:
                if path in corpus.modules and names_file(record, path):
                    yield Hit(
                        record.id,
                        corpus.modules[path],
                        "related_to",
                        "located",
                        ("located_file",),
                        (("file", path),),
                    )


def _symbols(record: Record, corpus: Corpus, foreign: frozenset[str]) -> Iterator[Hit | Abstention]:
    target = record.statement.target
    code = in_code(record.text) if target.symbols else frozenset[str]()
    paths = frozenset(target.paths)
    for name in target.symbols[:MAX_NAMED]:
        if name.count(".") == 1 and name.partition(".")[0] in foreign:
            continue
        called = f"{name}(" in record.text
        declaration, grade, candidates = corpus.names.resolve(name, paths, called=called, within=False)
        if declaration is None:
            if candidates:
                yield Abstention("located_ambiguous", f"{name} declared {candidates} times")
        elif is_elsewhere(record, name, declaration, grade):
            continue
        elif grade in ("qualified", "tail") or place_of_name(record, name, code) == "code":
            signals = (("path", declaration.path), ("symbol", name))
            yield Hit(record.id, declaration.id, "related_to", "located", (f"located_{grade}",), signals)


BOOK: Final = RuleBook(
    "located",
    located,
    {
        "located_qualified": Prior(0.95, "The whole qualified name is written and one declaration has it."),
        "located_tail": Prior(0.9, "The last two parts are written and one declaration ends in them."),
        "located_leaf": Prior(0.8, "Only the last part is written, in code; one declaration has it."),
        "located_narrowed": Prior(0.75, "Several declarations share the name; a named file leaves one."),
        "located_file": Prior(0.9, "The file is named or linked to, and holds one module."),
    },
    {"located_ambiguous": "names in requirements, intents and messages with several declarations"},
    {"file": "names `{}`", "path": "declared in `{}`", "symbol": "names `{}`"},
)
