"""`t2c ledger …` as a user types it."""

from __future__ import annotations

import json
import random
import subprocess
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

NOTE = b'{"type":"observation.noted","data":{"statement":"checked"}}'


def append(t2c: Any, body: bytes = NOTE, *more: str) -> dict[str, Any]:
    ran = t2c("ledger", "append", "--json", *more, input=body)
    assert ran.code == 0, ran.err
    return ran.document  # type: ignore[no-any-return]


def journal(t2c: Any) -> Path:
    return t2c.root / ".t2c" / "journal.ndjson"  # type: ignore[no-any-return]


def refused(ran: Any, code: int, *words: str) -> dict[str, Any]:
    """A failure as everybody gets it: one document, a remedy, no traceback; returns the error."""
    assert ran.code == code, (ran.code, ran.out, ran.err)
    error: dict[str, Any] = ran.document["error"]
    assert "Traceback" not in ran.err
    for word in words:
        assert word in json.dumps(error, ensure_ascii=False)
    return error


def test_an_append_makes_the_ledger_and_prints_the_receipt(t2c: Any) -> None:
    receipt = append(t2c)
    assert set(receipt) >= {"seq", "id", "hash", "durable"}
    assert (receipt["seq"], receipt["durable"]) == (2, True)
    last = journal(t2c).read_bytes().splitlines()[-1]
    assert receipt["hash"] == sha256(b"\0" + last).hexdigest()
    event = json.loads(last)
    assert (event["actor"], event["trust"]) == ({"id": "local", "kind": "human"}, "asserted")
    assert append(t2c)["seq"] == 3
    assert json.loads(journal(t2c).read_bytes().splitlines()[-1])["prev"] == receipt["hash"]


def test_the_chain_can_be_checked_with_openssl_and_sed(t2c: Any) -> None:
    append(t2c)
    recipe = f"(printf '\\0'; sed -n 1p {journal(t2c)} | tr -d '\\n') | openssl dgst -sha256"
    said = subprocess.run(["sh", "-c", recipe], capture_output=True, text=True, check=True).stdout
    assert said.split()[-1] == json.loads(journal(t2c).read_bytes().splitlines()[1])["prev"]


def test_who_speaks(t2c: Any) -> None:
    append(t2c, NOTE, "--actor", "agent:a")
    t2c("ledger", "append", input=NOTE, env={"T2C_ACTOR": "agent:b"})
    append(t2c, b'{"type":"observation.noted","actor":"agent:c","data":{"statement":"x"}}')
    actors = [event["actor"]["id"] for event in t2c("ledger", "log", "--jsonl").lines]
    assert actors == ["t2c", "a", "b", "c"]


def test_a_statement_needs_no_json(t2c: Any) -> None:
    ran = t2c("ledger", "append", "--statement", "zażółć gęślą jaźń ✓")
    assert ran.code == 0
    assert ran.out.startswith("seq 2  EVT-")
    assert t2c("ledger", "log", "--jsonl").lines[-1]["data"]["statement"] == "zażółć gęślą jaźń ✓"


def test_a_body_from_a_file(t2c: Any) -> None:
    (t2c.root / "body.json").write_bytes(b"\xef\xbb\xbf" + NOTE)
    assert t2c("ledger", "append", "body.json").code == 0
    refused(t2c("ledger", "append", "nobody.json", "--json"), 2, "nobody.json")


@pytest.mark.parametrize(
    ("body", "code", "word"),
    [
        (b"", 2, "empty"),
        (b"not json", 2, "line 1, column 1"),
        (b'{"type":"observation.noted","data":{"statement":"x"},"data":{}}', 2, "duplicate key"),
        (b'{"type":"observation.noted","data":{}}', 2, "data.statement"),
        (b'{"type":"observation.noted","data":{"statement":"x","n":NaN}}', 2, "NaN"),
        (b'{"type":"observation.note","data":{}}', 2, "observation.noted"),
        (b'{"type":"record.observed","data":{}}', 3, "record.observed"),
        (b'{"type":"observation.noted","trust":"observed","data":{"statement":"x"}}', 3, "asserted"),
        (b'{"type":"observation.noted","data":{"statement":"\xff"}}', 2, "UTF-8"),
        (
            b'{"type":"observation.noted","data":{"statement":"x"}}\n{"type":"observation.noted"}',
            2,
            "--jsonl",
        ),
        (
            b'{"type":"observation.noted","cause":["EVT-%s"],"data":{"statement":"x"}}' % (b"0" * 20),
            2,
            "cause",
        ),
        (
            b'{"type":"observation.noted","data":{"statement":"x","objects":["%s"]}}' % (b"0" * 64),
            2,
            "object",
        ),
        (b'{"type":"observation.noted","data":{"statement":"%s"}}' % (b"x" * 200_000), 2, "data.statement"),
        (b"[" * 100_000, 2, "nested"),
    ],
)
def test_a_bad_body_is_refused_and_nothing_is_written(t2c: Any, body: bytes, code: int, word: str) -> None:
    append(t2c)
    before = journal(t2c).read_bytes()
    refused(t2c("ledger", "append", "--json", input=body), code, word)
    assert journal(t2c).read_bytes() == before


def test_many_events_from_lines(t2c: Any) -> None:
    body = b"\n".join(b'{"type":"observation.noted","data":{"statement":"n%d"}}' % n for n in range(250))
    ran = t2c("ledger", "append", "--jsonl", "--json", input=body + b"\n\n")
    assert [receipt["seq"] for receipt in ran.lines] == list(range(2, 252))
    assert t2c("ledger", "verify", "--level", "domain").code == 0


def test_one_bad_line_of_many_means_that_none_is_recorded(t2c: Any) -> None:
    append(t2c)
    before = journal(t2c).read_bytes()
    (t2c.root / "notes.jsonl").write_bytes(NOTE + b"\n" + b'{"type":"observation.noted"}\n' + NOTE)
    refused(t2c("ledger", "append", "--jsonl", "--json", "notes.jsonl"), 2, "notes.jsonl:2")
    assert journal(t2c).read_bytes() == before


def test_an_atomic_append_is_one_batch(t2c: Any) -> None:
    t2c("ledger", "append", "--jsonl", "--atomic", input=NOTE + b"\n" + NOTE)
    assert [event.get("batch") for event in t2c("ledger", "log", "--jsonl").lines] == [None, [1, 2], [2, 2]]


def test_a_key_makes_a_retry_harmless(t2c: Any) -> None:
    first = append(t2c, NOTE, "--key", "k1")
    again = append(t2c, NOTE, "--key", "k1")
    assert (again["seq"], again["id"], again["hash"]) == (first["seq"], first["id"], first["hash"])
    assert (first["repeated"], again["repeated"]) == (False, True)
    other = NOTE.replace(b"checked", b"other")
    refused(t2c("ledger", "append", "--json", "--key", "k1", input=other), 4, "k1")


def test_an_expected_head(t2c: Any) -> None:
    receipt = append(t2c)
    head = t2c("ledger", "head", "--json").document
    assert (head["seq"], head["hash"], head["events"]) == (2, receipt["hash"], 2)
    append(t2c, NOTE, "--expect-seq", "2", "--expect-head", receipt["hash"])
    refused(t2c("ledger", "append", "--json", "--expect-seq", "2", input=NOTE), 4, "seq 3")
    refused(t2c("ledger", "append", "--json", "--expect-head", receipt["hash"], input=NOTE), 4)


def test_ten_processes_at_once_make_one_chain(t2c: Any) -> None:
    append(t2c)
    with ThreadPoolExecutor(10) as pool:
        receipts = list(pool.map(lambda _: append(t2c), range(10)))
    assert sorted(receipt["seq"] for receipt in receipts) == list(range(3, 13))
    found = t2c("ledger", "verify", "--json").document
    assert (found["ok"], found["events"]) == (True, 12)


def test_reading_a_ledger_that_is_not_there(t2c: Any) -> None:
    for command in (("head",), ("log",), ("show", "1"), ("verify",), ("project",)):
        refused(t2c("ledger", *command, "--json"), 2, "t2c init")
    assert not (t2c.root / ".t2c").exists()


def test_log_filters_and_its_two_machine_forms(t2c: Any) -> None:
    append(t2c, NOTE, "--actor", "agent:a")
    append(t2c, b'{"type":"participant.registered","data":{"participant":"ada","kind":"human"}}')

    def seqs(*options: str) -> list[int]:
        document = t2c("ledger", "log", "--json", *options).document
        assert document["schema"] == "t2c.log/v1"
        return [event["seq"] for event in document["events"]]

    assert seqs() == [1, 2, 3]
    assert seqs("--type", "observation.noted") == [2]
    assert seqs("--type", "observation.*", "--type", "participant.registered") == [2, 3]
    assert seqs("--actor", "agent:a") == [2]
    assert seqs("--trust", "observed") == [1]
    assert seqs("--since", "2") == [2, 3]
    assert seqs("--at", "2") == [1, 2]
    assert seqs("-n", "1") == [3]
    assert seqs("-n", "0") == []
    assert t2c("ledger", "log", "--jsonl").stdout == journal(t2c).read_bytes()
    refused(t2c("ledger", "log", "--json", "--type", "observation.note"), 2, "observation.noted")
    refused(t2c("ledger", "log", "--json", "--at", "9"), 2, "1 to 3")


def test_show_finds_by_seq_and_id(t2c: Any) -> None:
    receipt = append(t2c)
    by_seq = t2c("ledger", "show", "2")
    assert by_seq.document["id"] == receipt["id"]
    assert t2c("ledger", "show", receipt["id"], "--json").document == by_seq.document
    assert t2c("ledger", "show", "2", "--raw").stdout == journal(t2c).read_bytes().splitlines(True)[1]
    refused(t2c("ledger", "show", "7", "--json"), 2, "1 to 2")
    refused(t2c("ledger", "show", "EVT-" + "0" * 20, "--json"), 2)
    refused(t2c("ledger", "show", "nonsense", "--json"), 2)


def test_types_lists_what_is_open_and_gives_bodies_to_start_from(t2c: Any) -> None:
    found = t2c("ledger", "types", "--json").document["types"]
    opens = [row["type"] for row in found if row["by_hand"]]
    assert "observation.noted" in opens and "journal.opened" not in opens
    assert [row["type"] for row in t2c("ledger", "types", "--by-hand", "--json").document["types"]] == opens
    for name in opens:
        body = t2c("ledger", "types", "--example", name).stdout
        assert append(t2c, body)["seq"] > 1
    refused(t2c("ledger", "types", "--json", "--example", "journal.opened"), 2)


def flipped(data: bytes, chance: random.Random) -> tuple[bytes, int]:
    """One bit of one byte changed, and the line (from 1) in which it stands."""
    at = chance.randrange(len(data))
    changed = bytes([data[at] ^ (1 << chance.randrange(8))])
    return data[:at] + changed + data[at + 1 :], data[:at].count(b"\n") + 1


def test_any_flipped_bit_is_found_at_the_lowest_seq_not_proven(t2c: Any) -> None:
    for _ in range(4):
        append(t2c)
    data = journal(t2c).read_bytes()
    chance = random.Random(7)
    for _ in range(12):
        damaged, line = flipped(data, chance)
        journal(t2c).write_bytes(damaged)
        ran = t2c("ledger", "verify", "--json")
        assert ran.code == 1, (line, ran.out)
        assert ran.document["ok"] is False
        assert ran.document["faults"][0]["seq"] in (line - 1, line)
        assert journal(t2c).read_bytes() == damaged
    journal(t2c).write_bytes(data)
    assert t2c("ledger", "verify").code == 0


@pytest.mark.parametrize(
    ("change", "seq", "kind"),
    [
        (lambda lines: lines[:2] + lines[3:], 3, "gap"),
        (lambda lines: [*lines[:2], lines[3], lines[2], *lines[4:]], 3, "reordered"),
        (lambda lines: [*lines[:3], lines[2], *lines[3:]], 4, "duplicate"),
        (lambda lines: [*lines[:2], b"\n", *lines[2:]], 3, "empty_line"),
        (lambda lines: [b"\xef\xbb\xbf" + lines[0], *lines[1:]], 1, "bom"),
        (lambda lines: [*lines[:2], b"<<<<<<< HEAD\n", *lines[2:]], 3, "conflict_marker"),
        (lambda lines: [*lines[:-1], lines[-1][:-9]], 5, "torn_tail"),
    ],
)
def test_lines_dropped_swapped_doubled_or_cut_are_named(t2c: Any, change: Any, seq: int, kind: str) -> None:
    for _ in range(4):
        append(t2c)
    journal(t2c).write_bytes(b"".join(change(journal(t2c).read_bytes().splitlines(keepends=True))))
    ran = t2c("ledger", "verify", "--json")
    assert ran.code == 1
    first = ran.document["faults"][0]
    assert (first["seq"], first["kind"]) == (seq, kind)


def test_verify_says_what_it_did_not_prove(t2c: Any) -> None:
    append(t2c)
    unproven = " ".join(t2c("ledger", "verify", "--json").document["unproven"])
    assert "truncation" in unproven and "--level domain" in unproven
    assert "--level" not in " ".join(
        t2c("ledger", "verify", "--level", "domain", "--json").document["unproven"]
    )


def test_a_view_changed_by_hand_is_a_fault_and_a_foreign_file_is_left_alone(t2c: Any) -> None:
    append(t2c)
    assert t2c("ledger", "project").code == 0
    view = t2c.root / ".t2c" / "projections" / "summary" / "summary.md"
    view.write_text("all is well")
    ran = t2c("ledger", "verify", "--level", "domain", "--json")
    assert ran.code == 1
    assert [fault["kind"] for fault in ran.document["faults"]] == ["projection"]
    (view.parent / "mine.txt").write_text("mine")
    refused(t2c("ledger", "project", "--json"), 3, "mine.txt")
    assert (view.parent / "mine.txt").read_text() == "mine"


def test_a_cut_last_line_is_repaired_by_the_next_append(t2c: Any) -> None:
    append(t2c)
    whole = journal(t2c).read_bytes()
    for cut in (1, 40, 200):
        journal(t2c).write_bytes(whole[:-cut])
        assert t2c("ledger", "head", "--json").document["unfinished"] == "torn_line"
        receipt = append(t2c)
        types = [event["type"] for event in t2c("ledger", "log", "--jsonl").lines]
        assert types == ["journal.opened", "journal.repaired", "observation.noted"]
        assert receipt["seq"] == 3
        assert t2c("ledger", "verify", "--level", "domain").code == 0
        for fragment in journal(t2c).parent.glob("*.torn-*"):
            fragment.unlink()


def test_doctor(t2c: Any) -> None:
    ran = t2c("doctor", "--json")
    assert (ran.code, ran.document["ok"]) == (0, True)
    append(t2c)
    with journal(t2c).open("ab") as stream:
        stream.write(b"{")
    checks = {check["name"]: check["status"] for check in t2c("doctor", "--json").document["checks"]}
    assert checks["journal"] == "note"
    with journal(t2c).open("ab") as stream:
        stream.write(b"\n")
    damaged = t2c("doctor", "--json")
    assert (damaged.code, damaged.document["ok"]) == (5, False)
    assert b"{\n" in journal(t2c).read_bytes()


def test_init_twice_and_tracked(t2c: Any) -> None:
    made = t2c("init", "--track", "--json").document
    assert (made["made"], made["tracked"]) == (True, True)
    again = t2c("init", "--json").document
    assert (again["made"], again["ledger"]) == (False, made["ledger"])
    ignored = (t2c.root / ".t2c" / ".gitignore").read_text()
    assert "projections" in ignored and "journal" not in ignored


def test_a_bad_line_in_a_later_commit_means_that_nothing_is_recorded(t2c: Any) -> None:
    append(t2c)
    before = journal(t2c).read_bytes()
    good = [b'{"type":"observation.noted","data":{"statement":"n%d"}}' % n for n in range(5)]
    cause = b'{"type":"observation.noted","cause":["EVT-%s"],"data":{"statement":"x"}}' % (b"0" * 20)
    doubled = [b'{"type":"observation.noted","key":"k","data":{"statement":"%d"}}' % n for n in range(2)]
    for lines, code, word in (([*good, cause], 2, "event 6"), ([*good, *doubled], 4, "event 7")):
        ran = t2c("ledger", "append", "--jsonl", "--json", "--per-commit", "2", input=b"\n".join(lines))
        refused(ran, code, word)
        assert journal(t2c).read_bytes() == before


def test_an_answer_that_cannot_be_printed_says_what_is_recorded(t2c: Any) -> None:
    append(t2c)
    with open("/dev/full", "wb") as full:
        process = t2c.start("ledger", "append", "--statement", "x", stdout=full, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 6
    assert b"recorded, up to seq 3" in err
    assert t2c("ledger", "head", "--json").document["seq"] == 3


def test_endless_input_ends(t2c: Any) -> None:
    refused(t2c("ledger", "append", "/dev/zero", "--json"), 2, "longer than")


def test_init_makes_missing_git_files_again_and_marks_a_tracked_record_as_bytes(t2c: Any) -> None:
    assert t2c("init", "--json").document["tracked"] is False
    refused(t2c("init", "--track", "--json"), 2, ".gitignore")
    (t2c.root / ".t2c" / ".gitignore").unlink()
    assert t2c("init", "--track", "--json").document["tracked"] is True
    assert "* -text" in (t2c.root / ".t2c" / ".gitattributes").read_text()
    (t2c.root / ".t2c" / ".gitignore").unlink()
    assert t2c("init", "--json").document["tracked"] is False
    assert (t2c.root / ".t2c" / ".gitignore").read_text().splitlines()[-1] == "*"
