"""A changelog entry that cites a commit by its hash releases that commit.

A hash is read where it is linked (`…/commit/35d366a…`) or stands by itself as seven to forty hexadecimal digits, both
letters and figures among them. It counts if exactly one commit begins with it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking.base import OBSERVED, Abstention, Hit, Prior, RuleBook
from t2c.ledger.linking.features import Corpus

__all__ = ["BOOK", "cited"]

MAX_CITED: Final = 5
"""An entry that cites more commits than this lists them and tells of none in particular."""
_HASH: Final = re.compile(r"(?<![0-9A-Za-z_#@.-])([0-9a-f]{7,40})(?![0-9A-Za-z_-])")


def cited(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """An entry `releases` each commit whose hash it cites; a short hash of several commits is `ambiguous_revision`."""
    known = sorted(
        (commit.record.source.revision, commit.id)
        for commit in corpus.commits
        if commit.record.source.revision is not None
    )
    revisions = [revision for revision, _ in known]
    for entry in corpus.entries:
        found: dict[RecordId, str] = {}
        for written in _written(entry.record.text):
            at = bisect_left(revisions, written)
            if at < len(known) and revisions[at].startswith(written):
                if at + 1 < len(known) and revisions[at + 1].startswith(written):
                    yield Abstention("ambiguous_revision", f"{written} of {entry.id}")
                else:
                    found.setdefault(known[at][1], written)
        if len(found) > MAX_CITED:
            yield Abstention("revisions_listed", f"{len(found)} commits of {entry.id}")
            continue
        for commit_id, written in found.items():
            yield Hit(
                entry.id, commit_id, "releases", "revision", ("revision",), (("revision", written[:12]),)
            )


def _written(text: str) -> Sequence[str]:
    """The hashes of a text, each once; a plain number or a plain word is none, unless it is as long as a hash."""
    return [
        written
        for written in dict.fromkeys(_HASH.findall(text))
        if len(written) == 40 or not (written.isdigit() or written.isalpha())
    ]


BOOK: Final = RuleBook(
    "revision",
    cited,
    {"revision": Prior(0.98, "A hash names one commit; only a slip of the pen names another.")},
    {
        "ambiguous_revision": "short hashes with which several commits begin",
        "revisions_listed": f"entries that cite more than {MAX_CITED} commits by their hashes",
    },
    {"revision": "cites {}"},
    ignores=OBSERVED,
)
