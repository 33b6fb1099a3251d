"""`t2c ledger log`, `show` and `head` over time: filters, moments, and waiting for what comes."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.engine import Ledger
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.journal.chain import seal
from t2c.ledger.journal.entry import decode_entry
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.segments import SealRule
from t2c.ledger.kernel.actor import Actor


def note(t2c: Any, statement: str, *more: str, **body: Any) -> dict[str, Any]:
    event = {"type": "observation.noted", **body}
    event["data"] = {"statement": statement, **body.get("data", {})}
    ran = t2c("ledger", "append", "--json", *more, input=json.dumps(event).encode())
    assert ran.code == 0, ran.err
    return ran.document  # type: ignore[no-any-return]


def journal(t2c: Any) -> Path:
    return t2c.root / ".t2c" / "journal.ndjson"  # type: ignore[no-any-return]


def seqs(t2c: Any, *options: str) -> list[int]:
    ran = t2c("ledger", "log", "--json", *options)
    assert ran.code == 0, ran.err
    return [event["seq"] for event in ran.document["events"]]


def refused(ran: Any, code: int, *words: str) -> None:
    assert ran.code == code, (ran.code, ran.out, ran.err)
    assert "Traceback" not in ran.err
    for word in words:
        assert word in ran.err


@pytest.fixture
def scanned(t2c: Any) -> Any:
    """A repository whose TODO changes between two scans."""
    (t2c.root / ".git").rmdir()
    subprocess.run(["git", "init", "-q", str(t2c.root)], check=True)
    (t2c.root / "TODO.md").write_text("- [ ] write the manual\n- [ ] paint the fence\n")
    (t2c.root / "NOTES.md").write_text("# Notes\n\nThe manual must be short.\n")
    assert t2c("scan").code == 0
    (t2c.root / "TODO.md").write_text("\n- [ ] write the manual\n")
    assert t2c("scan").code == 0
    return t2c


# moments


def test_every_reading_command_takes_a_moment(scanned: Any) -> None:
    head = scanned("ledger", "head", "--json").document
    assert scanned("ledger", "head", "--at", "now", "--json").document["seq"] == head["seq"]
    assert seqs(scanned, "--at", "3") == [1, 2, 3]
    assert scanned("ledger", "head", "--at", "3", "--json").document["seq"] == 3
    assert (
        scanned("ledger", "head", "--at", "3", "--json").document["hash"]
        == json.loads(journal(scanned).read_bytes().splitlines()[3])["prev"]
    )
    assert scanned("ledger", "project", "runs", "--at", "3", "--json").document["seq"] == 3
    moment = head["ts"]
    assert seqs(scanned, "--at", moment)[-1] == head["seq"]
    for command in (("log",), ("head",), ("show", "1"), ("project",)):
        refused(scanned("ledger", *command, "--at", "yesterday"), 2, "checkpoint:latest", "2026-01-05")
        refused(scanned("ledger", *command, "--at", "1999"), 2, f"from 1 to {head['seq']}")


def test_show_gives_the_last_event_about_a_record_as_of_then(scanned: Any) -> None:
    events = scanned("ledger", "log", "--jsonl").lines
    gone = next(event for event in events if event["type"] == "record.retracted")
    identity = gone["data"]["id"]
    assert scanned("ledger", "show", identity).document["seq"] == gone["seq"]
    earlier = scanned("ledger", "show", identity, "--at", str(gone["seq"] - 1)).document
    assert earlier["type"] == "record.observed"
    refused(scanned("ledger", "show", identity, "--at", str(earlier["seq"] - 1)), 2, "as of seq")
    for ref in (str(gone["seq"]), gone["id"]):
        refused(scanned("ledger", "show", ref, "--at", str(gone["seq"] - 1)), 2, "as of seq")


def test_since_begins_there_and_refuses_what_is_not_there_yet(t2c: Any) -> None:
    note(t2c, "one")
    note(t2c, "two")
    assert seqs(t2c, "--since", "2") == [2, 3]
    assert seqs(t2c, "--since", "1h") == [1, 2, 3]
    assert seqs(t2c, "--since", "2001-01-01") == [1, 2, 3]
    refused(t2c("ledger", "log", "--since", "4"), 2, "from 1 to 3")
    empty = t2c("ledger", "log", "--since", "2999-01-01")
    assert (empty.code, empty.out) == (0, "")
    assert "no event fits" in empty.err


def test_a_run_that_never_was_is_refused_with_those_nearest(t2c: Any) -> None:
    note(t2c, "x", run="session-17")
    assert seqs(t2c, "--run", "session-17") == [2]
    assert seqs(t2c, "--run", "session-17", "--since", "1", "--at", "1") == []
    refused(t2c("ledger", "log", "--run", "session-71"), 2, "did you mean session-17")
    refused(t2c("ledger", "log", "--run", "zzz", "--json"), 2, "zzz")


def test_a_journal_without_a_whole_first_event_is_damaged_to_every_reader(t2c: Any) -> None:
    note(t2c, "x")
    journal(t2c).write_bytes(journal(t2c).read_bytes()[:50])
    for command in (("log",), ("log", "--follow"), ("head",), ("show", "1"), ("project",)):
        refused(t2c("ledger", *command), 5, "first event")


# subjects


def test_a_path_shows_all_that_was_ever_said_of_it(scanned: Any) -> None:
    events = scanned("ledger", "log", "--jsonl").lines
    said = {
        event["seq"]: event["type"]
        for event in events
        if event["seq"] in seqs(scanned, "--subject", "TODO.md")
    }
    assert {"record.observed", "record.moved", "record.retracted"} <= set(said.values())
    about = [
        event
        for event in events
        if b"TODO.md" in json.dumps(event).encode() and event["type"] != "run.started"
    ]
    assert {event["seq"] for event in about} <= set(said)
    retracted = next(event["seq"] for event in events if event["type"] == "record.retracted")
    assert retracted in said
    assert seqs(scanned, "--subject", "TODO.md", "--since", str(retracted)) == [
        seq for seq in said if seq >= retracted
    ]
    assert seqs(scanned, "--subject", "./TODO.md") == sorted(said)
    assert seqs(scanned, "--subject", "NOTHING.md") == []
    refused(scanned("ledger", "log", "--subject", "../TODO.md"), 2, "outside the root")


def test_an_id_shows_whatever_cites_it(scanned: Any) -> None:
    record = next(
        event["data"]["record"]["id"]
        for event in scanned("ledger", "log", "--jsonl").lines
        if event["type"] == "record.observed"
    )
    own = seqs(scanned, "--subject", record)
    first = note(scanned, f"see {record}")
    second = note(scanned, "because", cause=[first["id"]])
    assert seqs(scanned, "--subject", record) == [*own, first["seq"]]
    assert seqs(scanned, "--subject", first["id"]) == [first["seq"], second["seq"]]


def test_a_participant_shows_what_they_did_and_what_was_asked_for_them(t2c: Any) -> None:
    note(t2c, "x", "--actor", "agent:ada")
    t2c(
        "ledger",
        "append",
        input=b'{"type":"participant.registered","data":{"participant":"ada","kind":"agent"}}',
    )
    note(t2c, "ada is here")
    assert seqs(t2c, "--subject", "ada") == [2, 3]
    assert seqs(t2c, "--subject", "agent:ada") == [2]
    assert seqs(t2c, "--subject", "human:ada") == []


# marks


def add(t2c: Any, change: Any) -> None:
    """Append a line made of the last one by hand, as a newer version or another ledger might have left it."""
    last = JournalFile(journal(t2c))
    head = last.head()
    before = decode_entry(last.line_at(last.position(head.seq - 1).offset))  # type: ignore[union-attr]
    fields = {"type": "observation.noted", "v": 1, "data": b'{"statement":"x"}', "origin": None, **change}
    made = EventDraft(actor=Actor("human", "local"), trust="asserted", **fields)
    sealed = seal(made, seq=head.seq + 1, prev=head.hash, ts=before.ts, cause=(), batch=None)
    with journal(t2c).open("ab") as stream:
        stream.write(sealed.line + b"\n")


def test_the_list_marks_what_came_from_elsewhere_is_withheld_or_unknown(t2c: Any) -> None:
    note(t2c, "x")
    place = {
        "ledger": "ab" * 16, "seq": 17, "hash": "0" * 64, "prev": "0" * 64, "id": "EVT-" + "0" * 20,
        "ts": "2026-01-05T10:00:00.000Z",
    }  # fmt: skip
    add(t2c, {"origin": json.dumps(place, sort_keys=True, separators=(",", ":")).encode()})
    add(t2c, {"data": b'null,"data_hash":"' + b"a" * 64 + b'"'})
    add(t2c, {"type": "weather.changed"})
    add(t2c, {"v": 9})
    rows = t2c("ledger", "log", "--since", "3").out.splitlines()
    for row, mark in zip(
        rows, ("(from abababab#17)", "(withheld)", "(unknown type)", "(unknown version 9)"), strict=True
    ):
        assert mark in row
    assert "(" not in t2c("ledger", "log", "--at", "2").out


def test_a_payload_kept_in_an_object_is_shown_and_searched(t2c: Any) -> None:
    note(t2c, "x")
    payload = CATALOGUE.payload("observation.noted")(statement="a private word", subject="src/app.py")
    with Ledger(t2c.root / ".t2c") as ledger:
        ledger.append([draft(payload, actor=Actor("human", "local"), redactable=True)])
        hidden = next(entry for entry in ledger.entries() if entry.data_hash is not None)
        assert "a private word" in t2c("ledger", "log", "-n", "1").out
        assert seqs(t2c, "--subject", "src/app.py") == [3]
        ledger.objects.remove(str(hidden.data_hash))
    assert "(withheld)" in t2c("ledger", "log", "-n", "1").out
    assert seqs(t2c, "--subject", "src/app.py") == []


# waiting


@contextmanager
def following(t2c: Any, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    process = t2c.start(
        "ledger", "log", "--follow", *options, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def lines(process: subprocess.Popen[bytes], count: int, stream: str = "stdout") -> list[bytes]:
    """So many lines, each as soon as it was written; fails if they do not come."""
    pipe = getattr(process, stream)
    found = b""
    end = time.monotonic() + 30
    while found.count(b"\n") < count:
        assert select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0], (found, process.poll())
        piece = os.read(pipe.fileno(), 1 << 16)
        assert piece, (found, process.wait())
        found += piece
    assert found.count(b"\n") == count, found
    return found.splitlines()


def test_follow_prints_what_is_there_and_then_what_comes(t2c: Any) -> None:
    note(t2c, "one")
    note(t2c, "two")
    with following(t2c, "-n", "1") as process:
        assert b"two" in lines(process, 1)[0]
        note(t2c, "three")
        assert b"three" in lines(process, 1)[0]
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130


def test_follow_keeps_its_filters_and_hands_on_each_line_as_stored(t2c: Any) -> None:
    note(t2c, "one", "--actor", "agent:a")
    with following(t2c, "--jsonl", "--actor", "agent:a") as process:
        assert json.loads(lines(process, 1)[0])["seq"] == 2
        note(t2c, "not this")
        note(t2c, "this", "--actor", "agent:a")
        assert lines(process, 1) == journal(t2c).read_bytes().splitlines()[-1:]


def test_follow_ends_quietly_when_its_reader_goes(t2c: Any) -> None:
    note(t2c, "one")
    with following(t2c) as process:
        lines(process, 2)
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.wait(30) == 141
        assert process.stderr.read() == b""


def test_follow_goes_on_after_what_both_histories_hold_and_says_so(t2c: Any) -> None:
    note(t2c, "one")
    shared = journal(t2c).read_bytes()
    note(t2c, "here")
    with following(t2c, "-n", "1") as process:
        assert b"here" in lines(process, 1)[0]
        beside = journal(t2c).with_name("other")
        beside.write_bytes(shared)
        beside.replace(journal(t2c))
        assert b"history changed" in lines(process, 1, "stderr")[0]
        note(t2c, "there")
        assert b"there" in lines(process, 1)[0]


def test_follow_waits_for_a_journal_that_is_gone(t2c: Any) -> None:
    note(t2c, "one")
    with following(t2c, "-n", "0") as process:
        time.sleep(1)
        away = journal(t2c).rename(journal(t2c).with_name("away"))
        assert b"gone" in lines(process, 1, "stderr")[0]
        away.rename(journal(t2c))
        note(t2c, "two")
        assert b"two" in lines(process, 1)[0]


def test_follow_goes_on_over_a_sealed_segment(t2c: Any) -> None:
    """What was the active file becomes a segment; the chain and the seqs run on."""
    note(t2c, "one")
    note(t2c, "two")
    with following(t2c, "--jsonl") as process:
        assert len(lines(process, 3)) == 3
        with Ledger(t2c.root / ".t2c", rule=SealRule(bytes=1, events=2)) as ledger:
            for word in ("three", "four", "five"):
                ledger.append([draft(CATALOGUE.payload("observation.noted")(statement=word))])
        assert list(journal(t2c).with_name("segments").iterdir())
        assert [json.loads(line)["seq"] for line in lines(process, 3)] == [4, 5, 6]
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr is not None
        assert b"history" not in process.stderr.read()


def test_follow_shows_every_event_once_while_the_journal_is_written_and_sealed(t2c: Any) -> None:
    note(t2c, "one")
    with following(t2c, "--jsonl") as process:
        found = lines(process, 2)
        with Ledger(t2c.root / ".t2c", rule=SealRule(bytes=1, events=16), hold=True) as ledger:
            payload = CATALOGUE.payload("observation.noted")
            for number in range(400):
                ledger.append([draft(payload(statement=f"{number}"))])
            written = [line.rstrip(b"\n") for _, line, _ in ledger.journal.lines()]
        assert len(list(journal(t2c).with_name("segments").iterdir())) > 10
        found += lines(process, 400)
        assert found == written


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--json",), "--follow never"),
        (("--at", "1"), "--at"),
        (("--since", "9"), "from 1 to 2"),
        (("--run", "r"), "'r'"),
    ],
)
def test_follow_refuses_what_it_cannot_do(t2c: Any, options: tuple[str, ...], word: str) -> None:
    note(t2c, "one")
    refused(t2c("ledger", "log", "--follow", *options), 2, word)


def test_completion_of_an_unknown_shell_is_refused_in_both_spellings(t2c: Any) -> None:
    for arguments in (("--show-completion", "nosuch"), ("--install-completion", "nosuch")):
        refused(t2c(*arguments), 2, "nosuch", "bash")
    assert list((t2c.home).iterdir()) == []


def test_a_signed_checkpoint_is_a_moment_of_every_reading_command(t2c: Any) -> None:
    note(t2c, "before")
    assert t2c("ledger", "key", "new").code == 0
    signed = t2c("ledger", "checkpoint", "--sign")
    assert signed.code == 0, signed.err
    size = int(signed.out.splitlines()[1])
    kept = t2c.home / "kept.txt"
    kept.write_bytes(signed.stdout)
    note(t2c, "after")
    for given in ("checkpoint:latest", f"checkpoint:{size}", str(kept)):
        assert t2c("ledger", "head", "--at", given, "--json").document["seq"] == size
        assert seqs(t2c, "--at", given) == list(range(1, size + 1))
        assert seqs(t2c, "--since", given)[0] == size + 1
        assert t2c("ledger", "diff", given, "--json").document["a"]["seq"] == size
        assert t2c("ledger", "replay", "--to", given, "--json").document["seq"] == size
        assert t2c("ledger", "project", "runs", "--at", given, "--json").document["seq"] == size
    journal(t2c).write_bytes(b"".join(journal(t2c).read_bytes().splitlines(keepends=True)[: size - 1]))
    refused(t2c("ledger", "head", "--at", str(kept)), 5, "missing")
