"""Which code a document describes: by a name that resolves to one declaration, by a path, by the name of its file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking.alike import nearest, texts
from t2c.ledger.linking.base import Abstention, Hit, Prior, RuleBook
from t2c.ledger.linking.features import Corpus, Record, declarations
from t2c.ledger.linking.symbols import COMMON_NAMES, Names
from t2c.ledger.linking.written import (
    CODE,
    TEST_PATH,
    foreign_modules,
    in_code,
    is_elsewhere,
    names_file,
    place_of_name,
)

__all__ = ["BOOK", "MAX_DESCRIBED", "described"]

MAX_DESCRIBED: Final = 8
"""Names of one record that are looked at; a longer list is a table of contents."""
ALIKE: Final = 0.6
"""Share of words from which on a document tells of a declared intent."""
FEWEST: Final = 4
"""Words of the shortest statements that are compared."""
_LEAST_STEM: Final = 6
"""Characters of the shortest name of a file that says by itself what the file is about."""
_IMPORT_FROM: Final = re.compile(
    r"^\s*from\s{1,4}([A-Za-z_][\w.]{0,100})\s{1,4}import\s{1,4}\(?([\w\s,]{1,400})", re.MULTILINE
)
_QUALIFIED: Final = re.compile(r"(?<![\w.])([A-Za-z_]\w{0,60}(?:(?:\.|::)[A-Za-z_]\w{0,60}){1,5})\s?\(")
_ALIAS: Final = re.compile(r"\s+as\s+\w+")
_NO_STEMS: Final = frozenset({"changelog", "contributing", "getting-started", "readme"})


def described(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """A document `documents` the code, the configuration or the intent that it describes.

    * A statement of documentation names a symbol and exactly one declaration has that name (see `symbols`):
      in a heading, in code (backticks, roles of reStructuredText), or in prose if at least two parts of the
      name are written. A name with several declarations is `documented_ambiguous`.
    * It names or links to the file of a module, by at least two parts of its path or from the same folder.
    * It names, in code, the whole key of exactly one setting (`tool.shop.retries`); a key of one plain word
      is none.
    * A page that is named like exactly one module, both in folders of one name or the name of several words,
      is about it: the relation starts at its topmost heading.
    * An example documents the module or declaration that it imports from this repository, or calls by a qualified name.
    * A statement that shares at least ALIKE of its words with a declared intent documents the intent.

    Not: what plans (a requirement, a decision), for that something exists is no description of it; a name of
    another project, a name declared only in tests and examples unless its path is named or it is in the
    page's own folder; more than MAX_DESCRIBED names.
    """
    keys = _keys(corpus)
    foreign = foreign_modules(corpus)
    stated = [one for one in corpus.of("document") if one.statement.kind == "documentation_statement"]
    for record in stated:
        yield from _symbols(record, corpus, foreign)
        yield from _paths(record, corpus)
        yield from _settings(record, keys)
    yield from _namesakes(stated, corpus)
    yield from _examples(corpus)
    yield from _intents(stated, corpus)


def _symbols(record: Record, corpus: Corpus, foreign: Collection[str]) -> Iterator[Hit | Abstention]:
    target = record.statement.target
    if not target.symbols:
        return
    code = in_code(record.text)
    paths = frozenset(target.paths)
    if len(target.symbols) > MAX_DESCRIBED:
        yield Abstention("documented_list", record.source.path or "")
        return
    for name in target.symbols:
        if name.count(".") == 1 and name.partition(".")[0] in foreign:
            continue
        place = place_of_name(record, name, code)
        declaration, grade, candidates = corpus.names.resolve(
            name, paths, called=f"{name}(" in record.text, within=False
        )
        if declaration is None:
            if candidates:
                yield Abstention("documented_ambiguous", f"{name} declared {candidates} times")
        elif not is_elsewhere(record, name, declaration, grade) and (
            place != "prose" or grade in ("qualified", "tail")
        ):
            signals = (("path", declaration.path), ("symbol", name))
            basis = (f"documents_{grade}", *((f"in_{place}",) if place != "prose" else ()))
            yield Hit(record.id, declaration.id, "documents", "document", basis, signals)


def _paths(record: Record, corpus: Corpus) -> Iterator[Hit]:
    for path in record.statement.target.paths[:MAX_DESCRIBED]:
        if path in corpus.modules and names_file(record, path):
            signals = (("file", path),)
            yield Hit(record.id, corpus.modules[path], "documents", "document", ("documents_path",), signals)


def _keys(corpus: Corpus) -> dict[str, Record | None]:
    """Settings by their whole key, None where several bear it; keys of one plain word are left out."""
    found: dict[str, Record | None] = {}
    for record in corpus.of("system"):
        key = record.metadata.key
        if record.statement.kind == "configuration_declaration" and isinstance(key, str) and "." in key:
            found[key] = None if key in found else record
    return found


def _settings(record: Record, keys: dict[str, Record | None]) -> Iterator[Hit | Abstention]:
    if "`" not in record.text or not keys:
        return
    for name in dict.fromkeys(span.strip().strip("[]") for span in CODE.findall(record.text)):
        if name in keys:
            setting = keys[name]
            if setting is None:
                yield Abstention("documented_ambiguous", f"{name} set in several files")
            else:
                yield Hit(
                    record.id, setting.id, "documents", "document", ("documents_setting",), (("key", name),)
                )


def _namesakes(stated: list[Record], corpus: Corpus) -> Iterator[Hit]:
    modules: dict[str, list[str]] = {}
    for path in sorted(corpus.modules):
        if not TEST_PATH.search(path):
            modules.setdefault(_stem(path), []).append(path)
    topmost: dict[str, tuple[float, RecordId]] = {}
    for record in stated:
        page, level = record.source.path, record.metadata.level
        if page is not None and isinstance(level, int):
            rank = (level + (record.statement.polarity == "negative") / 2, record.id)
            topmost[page] = min(topmost.get(page, rank), rank)
    for path in sorted(topmost):
        stem = _stem(path)
        found = modules.get(stem, ())
        if len(found) != 1 or len(stem) < _LEAST_STEM or stem in _NO_STEMS or stem in COMMON_NAMES:
            continue
        if "-" in stem or "_" in stem or path.split("/")[-2:-1] == found[0].split("/")[-2:-1]:
            heading = topmost[path][1]
            signals = (("file", found[0]),)
            yield Hit(
                heading, corpus.modules[found[0]], "documents", "document", ("documents_namesake",), signals
            )


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].lower()


def _examples(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """What examples import and call; the names are resolved apart, since no statement names them."""
    used = {
        record.id: (record, found)
        for record in corpus.of("document")
        if record.statement.kind == "documentation_example" and (found := _used(record.text))
    }
    if not used:
        return
    code = [record for record in corpus.of("ast") if record.statement.action == "declare"]
    modules = {
        one.source.path: one
        for one in code
        if one.statement.kind == "module_fact" and one.source.path is not None
    }
    by_name = {one.source.symbol: one.id for one in modules.values() if one.source.symbol}
    names = Names.of(
        {name for _, names_used in used.values() for name in names_used},
        declarations(code, modules),
        (one.source.symbol for one in modules.values() if one.source.symbol),
    )
    for identity, (record, names_used) in used.items():
        ours = [name for name in names_used if name.partition(".")[0] in names.packages]
        if len(ours) > MAX_DESCRIBED:
            yield Abstention("documented_list", identity)
            continue
        for name in ours:
            if (module := by_name.get(name)) is not None:
                yield Hit(identity, module, "documents", "document", ("example_whole",), (("symbol", name),))
                continue
            declaration, grade, _ = names.resolve(name, (), called=True, within=False)
            # What a package exports stands by itself: a member of the same name is another thing.
            if declaration is None or is_elsewhere(record, name, declaration, grade):
                continue
            if grade in ("qualified", "tail") or "." not in declaration.name:
                signals = (("path", declaration.path), ("symbol", name))
                basis = (f"example_{'whole' if grade == 'qualified' else 'exported'}",)
                yield Hit(identity, declaration.id, "documents", "document", basis, signals)


def _used(code: str) -> tuple[str, ...]:
    """The qualified names that an example imports or calls."""
    found: list[str] = []
    if "import" in code:
        for module, names in _IMPORT_FROM.findall(code):
            listed = (
                _ALIAS.sub("", name).strip()
                for name in names.split("\n\n")[0].replace("\n", " , ").split(",")
            )
            found += [f"{module}.{name}" for name in listed if name.isidentifier()]
    found += [name.replace("::", ".") for name in _QUALIFIED.findall(code)]
    return tuple(dict.fromkeys(found))


def _intents(stated: list[Record], corpus: Corpus) -> Iterator[Hit]:
    intents = [one for one in corpus.of("nl") if one.statement.kind == "declared_intent"]
    if not intents:
        return
    polarity = {one.id: one.statement.polarity for one in (*stated, *intents)}
    for match in nearest(texts(stated), texts(intents), ALIKE, FEWEST):
        if polarity[match.one] == polarity[match.other]:
            signals = (("words_shared", f"{match.share:.2f}"),)
            yield Hit(match.one, match.other, "documents", "document", ("documents_intent",), signals)


BOOK: Final = RuleBook(
    "document",
    described,
    {
        "documents_qualified": Prior(0.95, "The whole qualified name is written and one declaration has it."),
        "documents_tail": Prior(0.9, "The last two parts are written and one declaration ends in them."),
        "documents_leaf": Prior(0.8, "Only the last part is written, in code; one declaration has it."),
        "documents_narrowed": Prior(0.75, "Several declarations share the name; a named file leaves one."),
        "documents_path": Prior(0.9, "The file is named or linked to, and holds one module."),
        "documents_setting": Prior(0.85, "The whole key is written in code, and one file sets it."),
        "documents_namesake": Prior(0.85, "The page bears the name of one module."),
        "documents_intent": Prior(0.7, "The document shares most of its words with the intent."),
        "example_whole": Prior(0.95, "The example imports or calls the declaration by its whole name."),
        "example_exported": Prior(
            0.85,
            "The example takes the name from a package of the repository, in which one declaration has it.",
        ),
    },
    {
        "documented_ambiguous": "names in documents with several declarations",
        "documented_list": f"records of documents that name more than {MAX_DESCRIBED} symbols",
    },
    {
        "file": "about `{}`",
        "in_code": "in code",
        "in_heading": "in a heading",
        "key": "names the setting `{}`",
        "path": "declared in `{}`",
        "symbol": "names `{}`",
        "words_shared": "shares {} of its words",
    },
)
