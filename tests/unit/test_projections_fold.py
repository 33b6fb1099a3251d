"""Folding: one pass, honest counts, and snapshots that never decide anything."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from t2c.ledger.errors import Conflict, Usage
from t2c.ledger.events.catalogue import Catalogue
from t2c.ledger.journal.entry import Entry
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.read import JournalFile
from t2c.projections.base import Artifacts, Inputs, Unusable
from t2c.projections.fold import MAX_FAULTS, Folded, fold
from t2c.projections.registry import ALL


class Heard(msgspec.Struct):
    """What `Listener` heard."""

    notes: list[str] = []
    versions: list[int] = []


class Listener:
    """A projection of notes that refuses some of them."""

    name = "listener"
    version = 1
    inputs: tuple[str, ...] = ()
    handles = frozenset({"observation.noted"})
    state_type = Heard

    def start(self) -> Heard:
        return Heard()

    def step(self, state: Heard, entry: Entry) -> None:
        said = msgspec.json.decode(entry.data)
        if said["statement"] == "poison":
            raise Unusable("cannot be heard")
        state.notes.append(said["statement"])
        state.versions.append(entry.v)

    def finish(self, state: Heard, inputs: Inputs) -> Artifacts:
        return {"notes.txt": "\n".join(state.notes).encode()}


class Newer(Listener):
    """The same projection after a change of its rules."""

    version = 2


class Counting(JournalFile):
    """The journal, remembering which events were asked for."""

    read: int = 0

    def entries(self, after: Position | None = None, until: int | None = None) -> Iterator[Entry]:
        for entry in super().entries(after, until):
            self.read += 1
            yield entry


PROJECTIONS: dict[str, Any] = {**ALL, "listener": Listener()}


def say(chain: Any, statement: str, **options: Any) -> int:
    seq: int = chain.add("observation.noted", {"statement": statement, "subject": None}, **options)
    return seq


def listen(chain: Any, **options: Any) -> Folded:
    return fold(options.pop("journal", chain.journal), PROJECTIONS, ["listener"], **options)


def facts(folded: Folded) -> tuple[object, ...]:
    """All that a fold says, apart from how it came to it."""
    return (
        folded.position, folded.ts, folded.states, folded.faults, folded.fault_counts, folded.unknown, folded.withheld,
    )  # fmt: skip


def test_one_pass_feeds_every_projection_and_its_inputs(chain: Any) -> None:
    chain.todo("write it")
    say(chain, "hello")
    journal = Counting(chain.path)
    folded = fold(journal, PROJECTIONS, ["summary", "listener"])
    assert journal.read == chain.seq
    assert set(folded.states) == {"graph", "listener", "records", "runs", "summary"}
    assert folded.states["listener"].notes == ["hello"]
    assert len(folded.states["records"].live) == 1
    assert folded.position == chain.journal.head()


def test_unknown_types_and_newer_versions_are_counted_and_not_fed(chain: Any) -> None:
    say(chain, "old")
    say(chain, "new", v=2)
    for _ in range(3):
        chain.add("something.else", {})
    chain.add("something.else", {}, v=7)
    folded = listen(chain)
    assert folded.states["listener"].notes == ["old"]
    assert folded.unknown == {"observation.noted v2": 1, "something.else v1": 3, "something.else v7": 1}
    assert folded.faults["listener"] == ()


def test_withheld_payloads_are_counted_and_not_fed(chain: Any) -> None:
    chain.withheld("observation.noted")
    chain.withheld("observation.noted")
    folded = listen(chain)
    assert folded.withheld == {"observation.noted": 2}
    assert folded.faults["listener"] == ()


def test_a_poison_event_is_a_fault_of_one_projection_and_stops_nothing(chain: Any) -> None:
    say(chain, "before")
    seq = say(chain, "poison")
    say(chain, "after")
    folded = fold(chain.journal, PROJECTIONS, ["listener", "summary"])
    assert folded.faults["listener"] == ((seq, "cannot be heard"),)
    assert folded.states["listener"].notes == ["before", "after"]
    assert folded.faults["summary"] == ()
    assert folded.states["summary"].noted == 3


def test_an_event_without_payload_is_a_fault(chain: Any) -> None:
    seq = chain.add("observation.noted", b"null")
    assert [fault.seq for fault in fold(chain.journal, ALL, ["summary"]).faults["summary"]] == [seq]


def test_only_the_first_faults_are_kept_and_all_are_counted(chain: Any) -> None:
    for _ in range(MAX_FAULTS + 5):
        say(chain, "poison")
    folded = listen(chain)
    assert len(folded.faults["listener"]) == MAX_FAULTS
    assert folded.fault_counts["listener"] == MAX_FAULTS + 5


def second_version(upcast: Callable[[dict[str, Any]], dict[str, Any]]) -> Catalogue:
    """A catalogue in which notes have a second version, reached by `upcast`."""
    from t2c.ledger.events.statements import ObservationNoted

    catalogue = Catalogue(
        locations={"observation.noted": ("none", "none"), "journal.opened": ("none", "none")},
        upcasts={("observation.noted", 1): upcast},
    )
    current = type("Noted2", (ObservationNoted,), {"v": 2, "__module__": __name__})
    catalogue._loaded["observation.noted"] = current
    return catalogue


def test_an_old_version_is_lifted_before_it_is_fed(chain: Any) -> None:
    say(chain, "old")
    say(chain, "new", v=2)
    catalogue = second_version(lambda data: {**data, "statement": data["statement"] + " lifted"})
    folded = listen(chain, catalogue=catalogue)
    assert folded.states["listener"].notes == ["old lifted", "new"]
    assert folded.states["listener"].versions == [2, 2]
    assert folded.unknown == {}


def test_a_lift_that_fails_is_a_fault(chain: Any) -> None:
    seq = chain.add("observation.noted", {"said": "no statement"})
    say(chain, "sound")
    catalogue = second_version(lambda data: {**data, "statement": data["statement"]})
    folded = listen(chain, catalogue=catalogue)
    assert [fault.seq for fault in folded.faults["listener"]] == [seq]
    assert folded.states["listener"].notes == ["sound"]


def test_a_fold_until_an_event_takes_in_that_event_and_none_after(chain: Any) -> None:
    seq = say(chain, "one")
    say(chain, "two")
    folded = listen(chain, until=seq)
    assert folded.states["listener"].notes == ["one"]
    assert folded.position == chain.journal.position(seq)
    assert folded.ts == "2026-01-05T10:00:01.000Z"


@pytest.mark.parametrize("until", [-1, 0, 3])
def test_a_fold_until_an_event_that_is_not_there_is_refused(chain: Any, until: int) -> None:
    say(chain, "one")
    with pytest.raises(Usage, match="there is no event"):
        listen(chain, until=until)


def test_an_unknown_projection_is_refused_by_name(chain: Any) -> None:
    with pytest.raises(Usage, match="'nope'"):
        fold(chain.journal, ALL, ["nope"])


def test_an_empty_journal_folds_to_nothing_and_has_no_artifacts(tmp_path: Path) -> None:
    path = tmp_path / "journal.ndjson"
    path.touch()
    folded = fold(JournalFile(path), ALL, ["records"])
    assert folded.position == START
    with pytest.raises(Usage, match="no event"):
        folded.artifacts("records")


def test_a_journal_that_shrinks_under_the_fold_is_a_conflict(chain: Any) -> None:
    class Shrinking(JournalFile):
        def entries(self, after: Position | None = None, until: int | None = None) -> Iterator[Entry]:
            return super().entries(after, None if until is None else until - 1)

    say(chain, "one")
    with pytest.raises(Conflict, match="ended before event 2"):
        listen(chain, journal=Shrinking(chain.path))


def test_the_collector_is_as_it_was_after_a_fold(chain: Any) -> None:
    states: list[bool] = []

    class Watching(JournalFile):
        def entries(self, after: Position | None = None, until: int | None = None) -> Iterator[Entry]:
            states.append(gc.isenabled())
            return super().entries(after, until)

    listen(chain, journal=Watching(chain.path))
    assert (states, gc.isenabled()) == ([False], True)
    gc.disable()
    try:
        listen(chain)
        assert not gc.isenabled()
    finally:
        gc.enable()


# Snapshots


def full(chain: Any) -> Any:
    """A journal with something of everything that a fold reports."""
    for number in range(5):
        say(chain, f"note {number}")
    say(chain, "poison")
    chain.add("something.else", {})
    chain.withheld("observation.noted")
    return chain


def test_a_refresh_reads_the_new_events_alone_and_says_the_same(chain: Any, tmp_path: Path) -> None:
    full(chain)
    listen(chain, cache=tmp_path, snapshot_after=1)
    taken = chain.seq
    say(chain, "later")
    chain.add("something.else", {})
    journal = Counting(chain.path)
    warm = listen(chain, journal=journal, cache=tmp_path)
    assert journal.read == 2
    assert warm.resumed == {"listener": taken}
    assert facts(warm) == facts(listen(chain))
    assert warm.unknown == {"something.else v1": 2}
    assert warm.withheld == {"observation.noted": 1}
    assert len(warm.faults["listener"]) == 1


def test_a_refresh_without_new_events_knows_all_that_the_snapshot_knew(chain: Any, tmp_path: Path) -> None:
    full(chain)
    listen(chain, cache=tmp_path, snapshot_after=1)
    journal = Counting(chain.path)
    warm = listen(chain, journal=journal, cache=tmp_path)
    assert journal.read == 0
    assert facts(warm) == facts(listen(chain))


def test_projections_with_snapshots_of_different_age_are_each_fed_their_own_events(
    chain: Any, tmp_path: Path
) -> None:
    full(chain)
    listen(chain, cache=tmp_path, snapshot_after=1)
    first = chain.seq
    chain.todo("between")
    say(chain, "between")
    fold(chain.journal, PROJECTIONS, ["records"], cache=tmp_path, snapshot_after=1)
    second = chain.seq
    say(chain, "last")
    names = ["listener", "records", "summary"]
    warm = fold(chain.journal, PROJECTIONS, names, cache=tmp_path)
    assert warm.resumed == {"graph": 0, "listener": first, "records": second, "runs": 0, "summary": 0}
    assert facts(warm) == facts(fold(chain.journal, PROJECTIONS, names))
    older = fold(chain.journal, PROJECTIONS, ["listener", "records"], cache=tmp_path)
    assert facts(older) == facts(fold(chain.journal, PROJECTIONS, ["listener", "records"]))


def test_no_snapshot_is_written_for_few_events(chain: Any, tmp_path: Path) -> None:
    full(chain)
    listen(chain, cache=tmp_path, snapshot_after=chain.seq + 1)
    assert list(tmp_path.glob("*.msgpack")) == []
    listen(chain, cache=tmp_path, snapshot_after=chain.seq)
    assert [path.name for path in tmp_path.glob("*.msgpack")] == ["listener.v1.msgpack"]


def test_a_look_into_the_past_uses_no_later_snapshot_and_writes_none(chain: Any, tmp_path: Path) -> None:
    full(chain)
    listen(chain, cache=tmp_path, snapshot_after=1)
    kept = (tmp_path / "listener.v1.msgpack").read_bytes()
    past = listen(chain, cache=tmp_path, until=3, snapshot_after=1)
    assert past.resumed == {"listener": 0}
    assert past.states["listener"].notes == ["note 0", "note 1"]
    assert (tmp_path / "listener.v1.msgpack").read_bytes() == kept


def test_a_damaged_snapshot_counts_as_none(chain: Any, tmp_path: Path) -> None:
    full(chain)
    cold = listen(chain, cache=tmp_path, snapshot_after=1)
    path = tmp_path / "listener.v1.msgpack"
    sound = path.read_bytes()
    damaged = [sound[:cut] for cut in range(len(sound))]
    damaged += [sound[:at] + bytes([sound[at] ^ 1]) + sound[at + 1 :] for at in range(len(sound))]
    for content in [*damaged, sound + b"\0", b"\xff" * 100]:
        path.write_bytes(content)
        found = listen(chain, cache=tmp_path)
        assert found.resumed == {"listener": 0}
        assert facts(found) == facts(cold)
    path.write_bytes(sound)
    assert listen(chain, cache=tmp_path).resumed == {"listener": chain.seq}


def test_a_snapshot_of_another_version_or_projection_counts_as_none(chain: Any, tmp_path: Path) -> None:
    full(chain)
    listen(chain, cache=tmp_path, snapshot_after=1)
    path = tmp_path / "listener.v1.msgpack"
    path.rename(tmp_path / "listener.v2.msgpack")
    assert fold(chain.journal, {"listener": Newer()}, ["listener"], cache=tmp_path).resumed == {"listener": 0}
    (tmp_path / "listener.v2.msgpack").rename(tmp_path / "records.v1.msgpack")
    assert fold(chain.journal, ALL, ["records"], cache=tmp_path).resumed == {"records": 0}


def test_a_snapshot_of_another_history_counts_as_none(chain: Any, tmp_path: Path, new_journal: Any) -> None:
    full(chain)
    listen(chain, cache=tmp_path, snapshot_after=1)
    other = new_journal(tmp_path / "other" / "journal.ndjson")
    for number in range(chain.seq + 3):
        say(other, f"other {number}")
    folded = listen(other, cache=tmp_path)
    assert folded.resumed == {"listener": 0}
    assert folded.states["listener"].notes[0] == "other 0"


def test_a_cache_that_cannot_be_written_stops_no_fold(chain: Any, tmp_path: Path) -> None:
    full(chain)
    blocked = tmp_path / "cache"
    blocked.write_text("a file stands here")
    assert facts(listen(chain, cache=blocked, snapshot_after=1)) == facts(listen(chain))
    assert blocked.read_text() == "a file stands here"


def test_a_snapshot_leaves_no_temporary_file(chain: Any, tmp_path: Path) -> None:
    full(chain)
    cache = tmp_path / "cache" / "folds"
    listen(chain, cache=cache, snapshot_after=1)
    assert [path.name for path in cache.iterdir()] == ["listener.v1.msgpack"]


def test_a_large_state_survives_a_snapshot_in_pieces(chain: Any, tmp_path: Path) -> None:
    for number in range(2500):
        chain.todo(f"item {number}", line=number + 1)
    cold = fold(chain.journal, ALL, ["records"], cache=tmp_path, snapshot_after=1)
    warm = fold(chain.journal, ALL, ["records"], cache=tmp_path)
    assert warm.resumed == {"records": chain.seq}
    assert warm.states == cold.states
