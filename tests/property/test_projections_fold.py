"""However a state comes about, it is the state of the events: cold, from any snapshot, or as of any moment."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.journal.read import JournalFile
from t2c.projections.base import Artifacts
from t2c.projections.fold import Folded, fold
from t2c.projections.registry import ALL

Act = tuple[Any, ...]

TEXT = st.sampled_from(["one", "two", "three", "ąę", "*x*"])
PICK = st.integers(0, 30)
REVISION = st.sampled_from(["a" * 40, "b" * 40, "c" * 40])
RUN = st.sampled_from(["r1", "r2"])

ACTS: st.SearchStrategy[Act] = st.one_of(
    st.tuples(st.just("todo"), TEXT, st.integers(1, 9), st.booleans()),
    st.tuples(st.just("entry"), TEXT),
    st.tuples(st.just("commit"), REVISION, st.lists(REVISION, max_size=2), st.integers(1, 28)),
    st.tuples(st.just("symbol"), TEXT),
    st.tuples(st.just("move"), PICK, st.integers(1, 99)),
    st.tuples(st.just("retract"), PICK, PICK),
    st.tuples(st.just("link"), PICK, PICK, st.sampled_from([0.5, 1])),
    st.tuples(st.just("unlink"), PICK),
    st.tuples(st.just("omit"), TEXT, st.integers(1, 3)),
    st.tuples(st.just("cure"), TEXT),
    st.tuples(st.just("note"), TEXT),
    st.tuples(st.just("start"), RUN),
    st.tuples(st.just("stage"), RUN),
    st.tuples(st.just("end"), RUN),
    st.tuples(st.just("unknown")),
    st.tuples(st.just("withheld")),
    st.tuples(st.just("poison"), st.sampled_from(["record.observed", "relation.linked", "run.started"])),
)


def play(chain: Any, acts: list[Act]) -> None:
    """Write the events of a random history; picks choose among what was made before."""
    records, relations = ["INT-TODO-" + "0" * 20], ["REL-" + "0" * 20]
    for act, *args in acts:
        match act, args:
            case "todo", [text, line, done]:
                records.append(chain.todo(text, line=line, done=done))
            case "entry", [text]:
                records.append(chain.entry(text))
            case "commit", [revision, parents, day]:
                at = f"2026-01-{day:02}T00:00:00Z"
                records.append(chain.commit(revision, "subject", at=at, parents=tuple(parents)))
            case "symbol", [text]:
                records.append(chain.symbol(text))
            case "move", [pick, line]:
                moves = [{"id": records[pick % len(records)], "lines": {"start": line, "end": line}}]
                chain.add("record.moved", {"source": "todo", "path": "TODO.md", "moves": moves})
            case "retract", [pick, heir]:
                successor = records[heir % len(records)] if heir % 2 else None
                gone = {"id": records[pick % len(records)], "why": "reworded", "superseded_by": successor}
                chain.add("record.retracted", gone)
            case "link", [source, target, confidence]:
                ends = records[source % len(records)], records[target % len(records)]
                relations.append(chain.link(*ends, confidence=confidence))
            case "unlink", [pick]:
                chain.add("relation.unlinked", {"id": relations[pick % len(relations)], "why": "signal_gone"})
            case "omit", [path, count]:
                body = {
                    "source": "ast",
                    "path": path,
                    "reason": "big",
                    "count": count,
                    "lines": [],
                    "detail": "",
                }
                chain.add("omission.noted", body)
            case "cure", [path]:
                chain.add("omission.cleared", {"source": "ast", "path": path, "reason": "big"})
            case "note", [text]:
                chain.add("observation.noted", {"statement": text, "subject": None})
            case "start", [run]:
                body = {"verb": "scan", "requested_by": "x", "tool": "t", "revision": None, "branch": None}
                chain.add("run.started", body, run=run)
            case "stage", [run]:
                body = {"stage": "todo", "status": "succeeded", "counts": {}, "detail": None}
                chain.add("stage.finished", body, run=run)
            case "end", [run]:
                chain.add("run.finished", {"status": "succeeded", "detail": None}, run=run)
            case "unknown", []:
                chain.add("something.else", {}, v=2, run="r1")
            case "withheld", []:
                chain.withheld("record.observed", run="r2")
            case "poison", [kind]:
                chain.add(kind, {"nothing": "of use"}, run="r1")


def said(folded: Folded) -> tuple[object, ...]:
    """Everything that a fold says except how it came to it."""
    files = {name: whole(folded.artifacts(name)) for name in ALL}
    return (
        folded.position,
        folded.ts,
        files,
        folded.faults,
        folded.fault_counts,
        folded.unknown,
        folded.withheld,
    )


def whole(artifacts: Artifacts) -> dict[str, bytes]:
    return {name: body if isinstance(body, bytes) else b"".join(body) for name, body in artifacts.items()}


def cut(journal: JournalFile, offset: int, path: Path) -> JournalFile:
    path.write_bytes(journal.path.read_bytes()[:offset])
    return JournalFile(path)


@settings(max_examples=60, deadline=None)
@given(
    acts=st.lists(ACTS, min_size=1, max_size=40),
    snapshots=st.lists(
        st.tuples(st.integers(1, 41), st.sets(st.sampled_from(sorted(ALL)), min_size=1)), max_size=4
    ),
)
def test_any_snapshots_and_a_refresh_say_what_a_cold_fold_says(
    new_journal: Callable[[Path], Any], acts: list[Act], snapshots: list[tuple[int, set[str]]]
) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        chain = new_journal(folder / "journal.ndjson")
        play(chain, acts)
        journal = chain.journal
        cold = fold(journal, ALL, ALL)
        for number, (seq, names) in enumerate(snapshots):
            position = journal.position(min(seq, chain.seq))
            part = cut(journal, position.offset, folder / f"part{number}.ndjson")
            fold(part, ALL, names, cache=folder / "cache", snapshot_after=1)
        warm = fold(journal, ALL, ALL, cache=folder / "cache", snapshot_after=1)
        assert said(warm) == said(cold)
        again = fold(journal, ALL, ALL, cache=folder / "cache")
        assert set(again.resumed.values()) == {chain.seq}
        assert said(again) == said(cold)
    finally:
        shutil.rmtree(folder)


@settings(max_examples=40, deadline=None)
@given(acts=st.lists(ACTS, min_size=1, max_size=30), seq=st.integers(1, 31))
def test_a_fold_as_of_an_event_is_the_fold_of_a_journal_that_ends_there(
    new_journal: Callable[[Path], Any], acts: list[Act], seq: int
) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        chain = new_journal(folder / "journal.ndjson")
        play(chain, acts)
        seq = min(seq, chain.seq)
        position = chain.journal.position(seq)
        short = cut(chain.journal, position.offset, folder / "short.ndjson")
        fold(chain.journal, ALL, ALL, cache=folder / "cache", snapshot_after=1)
        then = fold(chain.journal, ALL, ALL, until=seq, cache=folder / "cache")
        assert said(then) == said(fold(short, ALL, ALL))
    finally:
        shutil.rmtree(folder)


@settings(max_examples=40, deadline=None)
@given(acts=st.lists(ACTS, max_size=40))
def test_the_live_set_does_not_show_how_it_came_about(
    new_journal: Callable[[Path], Any], comparable: Callable[[Artifacts], dict[str, bytes]], acts: list[Act]
) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        chain = new_journal(folder / "journal.ndjson")
        play(chain, acts)
        long = fold(chain.journal, ALL, ["graph", "records"])
        direct = new_journal(folder / "direct.ndjson")
        for raw in whole(long.artifacts("records"))["records.jsonl"].splitlines():
            direct.add("record.observed", b'{"record":' + raw + b"}")
        for _, body in sorted(long.states["graph"].links.items()):
            direct.add("relation.linked", body)
        short = fold(direct.journal, ALL, ["graph", "records"])
        for name in ("graph", "records"):
            assert comparable(long.artifacts(name)) == comparable(short.artifacts(name))
    finally:
        shutil.rmtree(folder)
