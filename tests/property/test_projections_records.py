"""The records and graph projections against a second, plain way of saying the same."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.kernel.canon import artifact, canonical
from t2c.projections.base import Content, pretty
from t2c.projections.fold import fold
from t2c.projections.records.commits import Commit, commit_order
from t2c.projections.registry import ALL

TEXT = st.text(st.characters(codec="utf-8"), max_size=40)
KEY = st.text(st.characters(codec="utf-8", max_codepoint=0xD7FF), max_size=8)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.integers(-999, 999).filter(lambda n: n % 10).map(lambda n: n / 1000 if n % 1000 else n)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEY, inner, max_size=3),
    max_leaves=12,
)


def whole(content: Content) -> bytes:
    return content if isinstance(content, bytes) else b"".join(content)


@settings(max_examples=100, deadline=None)
@given(
    made=st.lists(st.tuples(TEXT, st.dictionaries(KEY, JSON, max_size=3), st.integers(0, 3)), max_size=8),
    moved=st.booleans(),
)
def test_artifacts_are_what_plain_json_makes_of_the_records(
    new_journal: Callable[[Path], Any], made: list[tuple[str, dict[str, Any], int]], moved: bool
) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        chain = new_journal(folder / "journal.ndjson")
        expected: dict[str, Any] = {}
        for number, (text, metadata, kind) in enumerate(made):
            identity = chain.todo("a statement", line=number + 1, path=f"{number}.md")
            record = orjson.loads(chain.path.read_bytes().splitlines()[-1])["data"]["record"]
            record["statement"]["text"] = record["source"]["rawExcerpt"] = text
            record["metadata"] |= metadata
            record["observedAt"] = "2026-01-01T00:00:00Z" if kind else None
            chain.add("record.observed", {"record": record})
            if moved:
                moves = [{"id": identity, "lines": {"start": 70, "end": 71}}]
                chain.add("record.moved", {"source": "todo", "path": f"{number}.md", "moves": moves})
                record["source"]["lines"] = {"start": 70, "end": 71}
            expected[identity] = record
        folded = fold(chain.journal, ALL, ["graph", "records"])
        assert not any(folded.faults.values())
        records = [expected[identity] for identity in sorted(expected)]
        lines = whole(folded.artifacts("records")["records.jsonl"])
        assert lines == b"".join(canonical(record) + b"\n" for record in records)
        document = whole(folded.artifacts("graph")["graph.json"])
        graph = orjson.loads(document)
        assert graph["records"] == records
        assert document == pretty(graph)
        seed = artifact({"records": [{**record, "observedAt": None} for record in records], "relations": []})
        assert graph["fingerprint"] == sha256(seed).hexdigest()
    finally:
        shutil.rmtree(folder)


@given(
    st.dictionaries(
        st.text("abcdef", min_size=1, max_size=2),
        st.builds(
            Commit,
            st.lists(st.text("abcdef", min_size=1, max_size=2), max_size=3).map(tuple),
            st.none() | st.datetimes().map(lambda time: time.isoformat() + "+00:00"),
        ),
        max_size=12,
    )
)
def test_every_commit_has_one_place_and_none_comes_before_its_children(commits: dict[str, Commit]) -> None:
    # A commit names only commits of greater name as parents, so that there is no circle.
    history = {
        name: commit._replace(parents=tuple(parent for parent in commit.parents if parent > name))
        for name, commit in commits.items()
    }
    order = commit_order(history)
    assert sorted(order.values()) == list(range(1, len(history) + 1))
    for name, commit in history.items():
        assert all(order[name] < order[parent] for parent in commit.parents if parent in history)
    assert sorted(commit_order(commits).values()) == list(range(1, len(commits) + 1))
