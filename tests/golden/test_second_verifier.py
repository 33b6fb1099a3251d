"""Claims: who knows docs/journal.md alone can verify a journal: events, root and head are those of t2c, and what t2c
refuses is refused, by its chain or by what stands behind it.

Mutations of the second verifier seen to fail: a node hashed as a leaf; the salt left out of a payload's hash; `former`
left out of an old line; a left-over segment read; an unfinished batch counted; any one rule left out.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import t2c
from t2c.ledger.engine import Ledger, create
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.journal import PayloadRedacted
from t2c.ledger.events.statements import ObservationNoted
from t2c.ledger.journal.segments import SealRule
from t2c.ledger.journal.verify import verify_chain
from t2c.ledger.kernel.actor import SCANNER, Actor
from t2c.ledger.transfer.merge import carry_out, merged, taking_turns
from t2c.ledger.transfer.plan import plan
from t2c.ledger.transfer.source import JournalSource

_SPEC = spec_from_file_location("second_verifier", Path(__file__).with_name("second_verifier.py"))
assert _SPEC is not None and _SPEC.loader is not None
_MODULE = module_from_spec(_SPEC)
_SPEC.loader.exec_module(_MODULE)
verify: Callable[[Path], Any] = _MODULE.verify

ADA = Actor("human", "ada")
RULE = SealRule(bytes=2000, events=8)
JOURNAL = "journal.ndjson"
Event = dict[str, Any]


def note(text: str, **members: Any) -> EventDraft:
    return draft(ObservationNoted(statement=text), actor=ADA, **members)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    root = folder.parent
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(root),
        "PYTHONPATH": str(Path(t2c.__file__).parents[1]),
    }
    command = [sys.executable, "-m", "t2c.cli", "--root", str(root), "ledger", *arguments]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=120)


def judged(folder: Path) -> set[tuple[int, str]]:
    """(seq, kind) of what t2c finds at level domain; seq 0 for a checkpoint that does not fit."""
    document = json.loads(run(folder, "verify", "--level", "domain", "--full", "--json").stdout)
    found = {(fault["seq"], fault["kind"]) for fault in document["faults"]}
    return found if found or document["ok"] else {(0, document["verdict"])}


def named(folder: Path) -> list[tuple[int, str]]:
    """(seq, kind) of what the second verifier finds."""
    return [(seq, said.split(":")[0]) for seq, said in verify(folder).faults]


def take(ours: Ledger, theirs: Ledger) -> None:
    def objects(wanted: Any) -> Any:
        return ((digest, theirs.objects.get(digest)) for digest in wanted if theirs.objects.has(digest))

    def quiet(stage: str, done: int, total: int) -> None:
        pass

    source = JournalSource(theirs.journal, "other", objects=objects)
    with taking_turns(ours):
        found = plan(ours, source, quiet)
        carry_out(ours, source, found, merged(source, found), quiet)


def fill(ledger: Ledger, who: str) -> None:
    """Events of every form: alone, batches, keys, causes and runs, payloads kept apart and one redacted."""
    first = ledger.append([note(f"{who} first: zażółć \u2028 \x7f \U0001f40e", key=f"{who} key", run=who)])[0]
    ledger.append([note(f"{who} part {n}") for n in range(5)], atomic=True)
    ledger.append([note(f"{who} loose {n}", cause=(first.id,)) for n in range(7)])
    ledger.append([draft(ObservationNoted(statement=f"{who} saw"), actor=SCANNER, trust="observed")])
    ledger.append([note(f"{who} apart {n}", redactable=True) for n in range(3)], atomic=True)
    (hidden,) = ledger.append([note(f"{who} hidden", redactable=True)])
    digest = json.loads(ledger.journal.line_at(hidden.offset))["data_hash"]
    redacted = PayloadRedacted(event=hidden.id, data_hash=digest, reason="asked", requested_by="human:ada")
    ledger.append([draft(redacted)])
    ledger.objects.remove(digest)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger in segments that took in a branch, through it two other ledgers, and has a signed checkpoint."""
    base = tmp_path_factory.mktemp("second")
    ours, branch, foreign, farther = (
        base / name / ".t2c" for name in ("ours", "branch", "foreign", "farther")
    )
    for folder in (ours, foreign, farther):
        folder.parent.mkdir()
        create(folder)
    with Ledger(ours, rule=RULE) as ledger:
        fill(ledger, "shared")
    shutil.copytree(ours, branch)
    with (
        Ledger(ours, rule=RULE, hold=True) as here,
        Ledger(branch, rule=RULE, hold=True) as there,
        Ledger(foreign, hold=True) as other,
        Ledger(farther, hold=True) as beyond,
    ):
        beyond.append([note("from far away"), note("and farther")])
        take(other, beyond)
        for ledger, who in ((here, "here"), (there, "there"), (other, "other")):
            fill(ledger, who)
        take(there, other)
        take(here, there)
    assert run(ours, "key", "new").returncode == 0
    assert run(ours, "checkpoint", "--sign").returncode == 0
    with Ledger(ours) as ledger:
        ledger.append([note("after the checkpoint"), note("the same")], atomic=True)
        ledger.append([note("the end")])
    return ours


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy" / ".t2c", ignore=shutil.ignore_patterns("cache")))


def segments(folder: Path) -> list[Path]:
    return sorted((folder / "segments").iterdir())


def lines_of(folder: Path) -> list[bytes]:
    return b"".join(path.read_bytes() for path in [*segments(folder), folder / JOURNAL]).splitlines()


def same(folder: Path) -> Any:
    """The verdict, after events, root and head were found to be those of t2c."""
    verdict, report = verify(folder), verify_chain(folder / JOURNAL)
    assert (verdict.events, verdict.root) == (report.events, report.root)
    assert (verdict.events, verdict.head) == (report.position.seq, report.position.hash)
    return verdict


def test_both_say_the_same_of_a_sound_ledger(made: Path) -> None:
    verdict = same(made)
    assert verdict.faults == []
    assert judged(made) == set()
    events = [json.loads(line) for line in lines_of(made)]
    assert len(segments(made)) > 3 and len(events) == verdict.events > 80
    assert any("former" in event.get("origin", {}) for event in events)
    places = [place for event in events for place in event.get("origin", {}).get("former", [])]
    assert max(len(event.get("origin", {}).get("former", [])) for event in events) == 2
    assert {"trust" in place for place in places} == {"batch" in event for event in events} == {True, False}
    assert sum("data_hash" in event for event in events) == 16
    assert len(list((made / "checkpoints").glob("*.txt"))) == 1


def test_at_every_size(workspace: Path, tmp_path: Path) -> None:
    with Ledger(workspace, rule=RULE, durability="none") as ledger:
        ledger.append([note(f"number {n}") for n in range(40)])
    lines = lines_of(workspace)
    for size in range(1, len(lines) + 1):
        (tmp_path / JOURNAL).write_bytes(b"".join(line + b"\n" for line in lines[:size]))
        assert same(tmp_path).faults == []


def test_the_last_segment_may_be_all_and_a_left_over_one_is_no_part(copy: Path) -> None:
    last = segments(copy)[-1]
    rest = (copy / JOURNAL).read_bytes()
    (copy / "segments" / f"{last.name[:12]}-{len(lines_of(copy)):012}.ndjson").write_bytes(
        last.read_bytes() + rest
    )
    assert same(copy).faults == []


@pytest.mark.parametrize("cut", [1, 2, 30])
def test_an_unfinished_end_is_one_fault_and_not_counted(copy: Path, cut: int) -> None:
    active = copy / JOURNAL
    active.write_bytes(active.read_bytes()[:-cut])
    verdict = same(copy)
    assert verdict.faults == [(verdict.events + 1, "unfinished end")]
    active.write_bytes(active.read_bytes().rsplit(b"\n", 2)[0] + b"\n")
    assert json.loads(lines_of(copy)[-1])["batch"] == [1, 2]
    verdict = same(copy)
    assert verdict.faults == [(verdict.events + 1, "unfinished end")]


def rewrite(path: Path, change: Callable[[list[bytes]], Sequence[bytes]]) -> None:
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))


def lines(change: Callable[[list[bytes]], Sequence[bytes]]) -> Callable[[Path], None]:
    """Damage to the second segment as a list of lines."""
    return lambda folder: rewrite(segments(folder)[1], change)


def active(change: Callable[[list[bytes]], Sequence[bytes]]) -> Callable[[Path], None]:
    return lambda folder: rewrite(folder / JOURNAL, change)


def believable(line: bytes) -> bytes:
    """Another statement, and the id that goes with it."""
    event = json.loads(line) | {"data": {"statement": "never said"}}
    event.pop("data_hash", None)
    bare = canonical({name: value for name, value in event.items() if name != "id"})
    event["id"] = "EVT-" + hashlib.sha256(b"\2" + bare).hexdigest()[:20]
    return canonical(event) + b"\n"


def canonical(event: Event) -> bytes:
    return json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


CHAIN: dict[str, Callable[[Path], Any]] = {
    "a letter": lines(lambda found: [found[0].replace(b"shared", b"shareD", 1), *found[1:]]),
    "an event with its id": lines(lambda found: [believable(found[0]), *found[1:]]),
    "an actor": lines(lambda found: [*found[:3], found[3].replace(b'"id":"ada"', b'"id":"bea"'), *found[4:]]),
    "white space": lines(lambda found: [found[0], found[1].replace(b'"seq":', b'"seq": '), *found[2:]]),
    "a line gone": lines(lambda found: [*found[:2], *found[3:]]),
    "two lines swapped": lines(lambda found: [found[1], found[0], *found[2:]]),
    "a line twice": lines(lambda found: [*found[:2], *found[1:]]),
    "an empty line": lines(lambda found: [*found[:2], b"\n", *found[2:]]),
    "no JSON": lines(lambda found: [*found[:2], b"{]\n", *found[3:]]),
    "no UTF-8": lines(lambda found: [*found[:2], found[2].replace(b"shared", b"share\xff", 1), *found[3:]]),
    "a conflict marker": lines(lambda found: [*found[:2], b"<<<<<<< HEAD\n", *found[2:]]),
    "CRLF": lines(lambda found: [line[:-1] + b"\r\n" for line in found]),
    "a BOM": lambda folder: rewrite(segments(folder)[0], lambda found: [b"\xef\xbb\xbf", *found]),
    "the beginning gone": lambda folder: rewrite(segments(folder)[0], lambda found: found[1:]),
    "a segment gone": lambda folder: segments(folder)[1].unlink(),
    "a segment renamed": lambda folder: shutil.move(
        segments(folder)[1],
        folder
        / "segments"
        / f"{segments(folder)[1].stem[:12]}-{int(segments(folder)[1].stem[13:]) + 1:012}.ndjson",
    ),
    "a segment cut": lambda folder: rewrite(segments(folder)[1], lambda found: [*found[:-1], found[-1][:-9]]),
    "unwritten blocks": active(lambda found: [*found, bytes(512)]),
    "a block lost": active(lambda found: [*found[:-1], bytes(len(found[-1]) - 1), b"\n"]),
    "the last line": active(lambda found: [*found[:-1], found[-1].replace(b"the end", b"the End")]),
    "a batch not begun": active(lambda found: [*found[:-3], *found[-2:]]),
    "nothing": lambda folder: [path.write_bytes(b"") for path in [*segments(folder), folder / JOURNAL]],
}


@pytest.mark.parametrize("name", CHAIN)
def test_both_refuse_a_chain_that_was_damaged(copy: Path, name: str) -> None:
    shutil.rmtree(copy / "checkpoints")  # it would tell by itself
    before = {path: path.read_bytes() for path in copy.rglob("*.ndjson")}
    CHAIN[name](copy)
    assert {path: path.read_bytes() for path in copy.rglob("*.ndjson")} != before
    assert verify_chain(copy / JOURNAL).faults
    assert verify(copy).faults


class Forger:
    """A journal made anew with a chain that fits, after one of its events was changed."""

    def __init__(self, folder: Path, oracle: Any) -> None:
        self.folder = folder
        self.oracle = oracle
        self.events: list[Event] = [json.loads(line) for line in lines_of(folder)]

    def where(self, true: Callable[[Event], bool]) -> Event:
        return next(event for event in self.events if true(event))

    def write(self, seq: int = 0, raw: Callable[[bytes], bytes] = bytes) -> None:
        shutil.rmtree(self.folder / "segments")
        shutil.rmtree(self.folder / "checkpoints")
        done, prev = b"", self.oracle.ZERO
        for event in self.events:
            event["prev"] = prev
            event["id"] = self.oracle.identity(event)
            line = self.oracle.line(event)
            line = raw(line) if event["seq"] == seq else line
            prev = self.oracle.leaf(line)
            done += line + b"\n"
        (self.folder / JOURNAL).write_bytes(done)


@pytest.fixture
def forger(copy: Path, oracle: Any) -> Forger:
    return Forger(copy, oracle)


def test_a_chain_made_anew_without_a_change_is_the_same(forger: Forger, made: Path) -> None:
    forger.write()
    assert same(forger.folder)[:3] == verify(made)[:3]
    assert verify(forger.folder).faults == []


Change = Callable[[Event], Any]
MEMBERS: dict[str, tuple[str, Change]] = {
    "a seq left out": ("seq", lambda event: event.update(seq=event["seq"] + 1)),
    "a second beginning": ("foreign_start", lambda event: event.update(type="journal.opened")),
    "a line too long": ("too_long", lambda event: event["data"].update(statement="x" * (1 << 20))),
    "an earlier time": ("ts", lambda event: event.update(ts="2001-01-01T00:00:00.000Z")),
    "microseconds": ("ts", lambda event: event.update(ts=event["ts"][:-1] + "000Z")),
    "no such day": ("malformed", lambda event: event.update(ts="2999-02-30T00:00:00.000Z")),
    "an offset": ("malformed", lambda event: event.update(ts=event["ts"][:-1] + "+00:00")),
    "a batch that nothing began": ("incomplete_batch", lambda event: event.update(batch=[2, 2])),
    "a human who observed": ("trust", lambda event: event.update(trust="observed")),
    "an unknown kind": ("malformed", lambda event: event["actor"].update(kind="oracle")),
    "an actor with a name": ("actor or version", lambda event: event["actor"].update(name="Ada")),
    "a version that is no number": ("actor or version", lambda event: event.update(v=True)),
    "an unknown member": ("members", lambda event: event.update(note="x")),
    "two payloads": ("members", lambda event: event.update(data_hash="0" * 64)),
    "no payload": ("members", lambda event: event.pop("data")),
    "an empty member": ("empty members", lambda event: event.update(run=None)),
    "a large integer": ("canonical form", lambda event: event["data"].update(extra=1 << 53)),
    "a fine decimal": ("canonical form", lambda event: event["data"].update(extra=0.1234)),
    "a whole decimal": ("canonical form", lambda event: event["data"].update(extra=1.0)),
    "a far key": ("canonical form", lambda event: event["data"].update({"\ue000": 1})),
}


@pytest.mark.parametrize("name", MEMBERS)
def test_both_refuse_a_forged_last_event(forger: Forger, name: str) -> None:
    kind, change = MEMBERS[name]
    last = forger.events[-1]
    seq = last["seq"]
    change(last)
    forger.write()
    assert named(forger.folder)[0] == (seq, kind)
    assert judged(forger.folder)


RAW: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "a foreign id": ("id", lambda line: line.replace(line[line.index(b"EVT-") :][:24], b"EVT-" + b"0" * 20)),
    "another order": ("canonical form", lambda line: line.replace(b'"trust":"asserted",', b"")[:-1] + b',"trust":"asserted"}'),
    "white space": ("malformed", lambda line: line.replace(b'"seq":', b'"seq": ')),
    "long escapes": ("canonical form", lambda line: line.replace(b"the same", b"\\u0074he same")),
    "a doubled key": ("canonical form", lambda line: line.replace(b'"statement":', b'"statement":"x","statement":')),
    "a lone surrogate": ("malformed", lambda line: line.replace(b"the same", b"\\ud800")),
}  # fmt: skip


@pytest.mark.parametrize("name", RAW)
def test_both_refuse_a_line_that_the_chain_vouches_for(forger: Forger, name: str) -> None:
    kind, change = RAW[name]
    seq = forger.events[-2]["seq"]
    forger.write(seq, change)
    assert (seq, kind) in named(forger.folder)
    assert seq in {at for at, _ in judged(forger.folder)}


ORIGINS: dict[str, Change] = {
    "its hash": lambda event: event["origin"].update(hash="0" * 64),
    "its id": lambda event: event["origin"].update(id="EVT-" + "0" * 20),
    "its time": lambda event: event["origin"].update(ts="2001-01-01T00:00:00.000Z"),
    "its text": lambda event: event["data"].update(statement="never said"),
    "an older hash": lambda event: event["origin"]["former"][0].update(hash="0" * 64),
}


@pytest.mark.parametrize("name", ORIGINS)
def test_both_refuse_a_forged_origin(forger: Forger, name: str) -> None:
    event = forger.where(lambda event: "former" in event.get("origin", {}) and "data" in event)
    ORIGINS[name](event)
    forger.write()
    assert verify_chain(forger.folder / JOURNAL).faults == []
    assert (event["seq"], "origin") in verify(forger.folder).faults
    assert (event["seq"], "origin") in judged(forger.folder)


def test_both_refuse_an_origin_that_does_not_follow_the_one_before(forger: Forger, oracle: Any) -> None:
    event = next(
        after
        for before, after in pairwise(forger.events)
        if "origin" in before and "origin" in after and "former" not in after["origin"] and "data" in after
    )
    place = event["origin"]
    place["prev"] = "0" * 64
    older = {name: value for name, value in event.items() if name != "origin"}
    older |= {name: place[name] for name in ("seq", "prev", "ts", "trust", "batch") if name in place}
    place["id"] = older["id"] = oracle.identity(older)
    place["hash"] = oracle.leaf(oracle.line(older))
    forger.write()
    assert (event["seq"], "origin") in named(forger.folder)
    assert (event["seq"], "origin") in judged(forger.folder)


def test_both_refuse_a_payload_that_changed_or_is_gone(copy: Path) -> None:
    event = next(event for event in map(json.loads, lines_of(copy)) if "data_hash" in event)
    digest = event["data_hash"]
    path = copy / "objects" / digest[:2] / digest[2:]
    path.chmod(0o644)
    content = path.read_bytes()
    for changed in (content[:-2] + b"!}", b"\0" + content[1:], content[32:], b""):
        path.write_bytes(changed)
        assert (event["seq"], "payload") in verify(copy).faults
        assert (event["seq"], "object_damaged") in judged(copy)
    path.unlink()
    assert named(copy) == [(event["seq"], "malformed")]
    assert judged(copy) == {(event["seq"], "payload_missing")}


@pytest.mark.parametrize("change", ["root", "size", "ledger", "words"])
def test_both_name_a_kept_checkpoint_that_does_not_fit(copy: Path, change: str) -> None:
    (path,) = (copy / "checkpoints").glob("*.txt")
    name, size, root, *rest = path.read_text().split("\n")
    more = str(int(size) + 10)
    name, size, root, path = {
        "root": (name, size, "A" * 43 + "=", path),
        "size": (name, more, root, path.with_name(f"{more:0>12}-{path.stem[13:]}.txt")),
        "ledger": ("t2c/" + "0" * 32, size, root, path),
        "words": ("a", "b", "c", path),
    }[change]
    path.write_text("\n".join([name, size, root, *rest]))
    assert verify(copy).faults
    ran = run(copy, "verify", "--full")
    assert ran.returncode == {"root": 5, "size": 5}.get(change, 0)
    assert path.name in ran.stdout
