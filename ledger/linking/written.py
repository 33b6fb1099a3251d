"""How a statement writes a name: in a heading, in code or in prose; and whether it names a file or only a word like it."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, Literal

from t2c.ledger.linking.features import Corpus, Record
from t2c.ledger.linking.symbols import Declaration, Grade

__all__ = [
    "CODE",
    "TEST_PATH",
    "Place",
    "foreign_modules",
    "in_code",
    "is_elsewhere",
    "names_file",
    "place_of_name",
]

CODE: Final = re.compile(r"`{1,2}([^`\n]{1,200})`{1,2}")
"""What stands in backticks."""
TEST_PATH: Final = re.compile(
    r"(?:^|/)(?:tests?|spec|__tests?__|examples?|docs?|benchmarks?|fixtures)(?:/|$)|[._](?:spec|test)\.\w{1,4}$"
)
"""Paths of tests, examples and documentation."""
_ROLE: Final = re.compile(
    r":(?:\w{1,10}:)?(?:meth|func|class|attr|exc|data|mod|obj|const):`[~!.]{0,2}([\w.]{1,200})"
)
Place = Literal["heading", "code", "prose"]


def place_of_name(record: Record, name: str, code: Collection[str]) -> Place:
    """Where a statement writes a name; `code` are the names that stand in its code."""
    if record.metadata.documentationOrigin == "heading":
        return "heading"
    return "code" if name in code else "prose"


def in_code(text: str) -> frozenset[str]:
    """The names that stand in code, spelled as targets are."""
    if "`" not in text:
        return frozenset()
    spans = [span.strip() for span in CODE.findall(text)] + _ROLE.findall(text)
    found: set[str] = set()
    for span in spans:
        bare = span.replace("::", ".").replace("#", ".").strip("~!. ")
        found.update((bare, bare.partition("(")[0]))
    return frozenset(found)


def is_elsewhere(record: Record, name: str, declaration: Declaration, grade: Grade) -> bool:
    """Whether a name tells another module than the one in which its last two parts were found.

    `shop.utils.lock` is not the `lock` of `shop.old.utils`; `shop.Door.close` may be the `Door.close` of
    `shop.door`, since a package exports what its modules declare, though nothing of another package. What
    tests and examples declare is meant only from their own folder or beside their path: the title of a test
    is no name.
    """
    is_aside = not declaration.is_product or TEST_PATH.search(declaration.path) is not None
    if is_aside and declaration.path not in record.statement.target.paths:
        folder = (record.source.path or "").rpartition("/")[0]
        if not folder or not declaration.path.startswith(f"{folder}/"):
            return True
    if grade in ("leaf", "narrowed") and "." in name:
        package = name.rpartition(".")[0]
        return not declaration.dotted.startswith(f"{package.rpartition('.')[0] or package}.")
    return grade == "tail" and name.count(".") > 1 and "." not in declaration.name


def names_file(record: Record, path: str) -> bool:
    """Whether a statement means this file: two parts of its path are written, or it stands in the same folder.

    A bare name is as often a file of the reader's own, and so is a short path of a test or an example.
    """
    if "/" not in path or (TEST_PATH.search(path) and path.count("/") < 2):
        return False
    folder = (record.source.path or "").rpartition("/")[0]
    return "/".join(path.split("/")[-2:]) in record.text or path.rpartition("/")[0] == folder


def foreign_modules(corpus: Corpus) -> frozenset[str]:
    """Modules that code of this repository imports from elsewhere: `json.loads` is not our `loads` in `shop/json.py`."""
    found: set[str] = set()
    for record in corpus.of("ast"):
        if record.statement.kind == "module_fact" and isinstance(record.metadata.imports, list):
            found.update(
                one
                for one in record.metadata.imports
                if isinstance(one, str) and "." not in one and "/" not in one
            )
    return frozenset(found) - corpus.names.packages
