"""What the commands say of a journal, or of its surroundings, that somebody damaged: never a traceback."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

NOTE = b'{"type":"observation.noted","data":{"statement":"checked"}}'
READERS = (("ledger", "head"), ("ledger", "log"), ("doctor",), ("scan",))


def append(t2c: Any, body: bytes = NOTE) -> dict[str, Any]:
    ran = t2c("ledger", "append", "--json", input=body)
    assert ran.code == 0, ran.err
    return ran.document  # type: ignore[no-any-return]


def journal(t2c: Any) -> Path:
    return t2c.root / ".t2c" / "journal.ndjson"  # type: ignore[no-any-return]


def scanned(t2c: Any) -> list[bytes]:
    (t2c.root / "TODO.md").write_text("- [ ] write the manual\n- [ ] test the pump\n")
    assert t2c("scan").code == 0
    append(t2c)
    return journal(t2c).read_bytes().splitlines()


def relinked(lines: list[bytes], at: int, change: Callable[[dict[str, Any]], object]) -> list[bytes]:
    """The chain with one event changed and every id and hash after it made anew, as a forger would."""
    made = lines[:at]
    for line in lines[at:]:
        event = json.loads(line)
        if len(made) == at:
            change(event)
        event["prev"] = sha256(b"\0" + made[-1]).hexdigest()
        del event["id"]
        event["id"] = "EVT-" + sha256(b"\2" + canonical(event)).hexdigest()[:20]
        made.append(canonical(event))
    return made


def canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def write(t2c: Any, lines: list[bytes], *, cache: bool = False) -> None:
    journal(t2c).write_bytes(b"".join(line + b"\n" for line in lines))
    if not cache:
        shutil.rmtree(journal(t2c).parent / "cache", ignore_errors=True)


def first_of(lines: list[bytes], type: str) -> int:
    return next(at for at, line in enumerate(lines) if json.loads(line)["type"] == type)


def checks(t2c: Any, code: int) -> dict[str, dict[str, Any]]:
    """Doctor's checks by name: a name is there once, so nothing is both well and at fault."""
    ran = t2c("doctor", "--json")
    assert ran.code == code, (ran.out, ran.err)
    found = ran.document["checks"]
    by_name = {check["name"]: check for check in found}
    assert len(by_name) == len(found)
    return by_name


@pytest.mark.parametrize("junk", [b"\xff\xfe", b"\\ud800"])
def test_a_line_that_is_no_text_is_damage_to_every_reader(t2c: Any, junk: bytes) -> None:
    lines = scanned(t2c)
    at = first_of(lines, "record.observed")
    lines[at] = lines[at].replace(b"write the manual", b"write the " + junk)
    write(t2c, lines)
    for command in (("ledger", "log"), ("ledger", "log", "--json"), ("doctor",), ("scan",)):
        ran = t2c(*command)
        assert ran.code == 5, (command, ran.out, ran.err)
        assert f"seq {at + 1}" in ran.out + ran.err


@pytest.mark.parametrize(
    "change",
    [
        lambda event: event.update(data=[]),
        lambda event: event.update(data=None),
        lambda event: event["data"].update(record={"id": 5}),
        lambda event: event["data"]["record"].pop("id"),
        lambda event: event["data"]["record"].pop("metadata"),
        lambda event: event.update(v=9, data={"x": 1}),
    ],
)
def test_a_payload_of_another_shape_leaves_less_standing_and_stops_nobody(t2c: Any, change: Any) -> None:
    lines = scanned(t2c)
    at = first_of(lines, "record.observed")
    lines = relinked(lines, at, change)
    write(t2c, lines)
    assert t2c("ledger", "log").code == 0
    checks(t2c, 0)
    assert t2c("scan").code == 0
    write(t2c, lines)
    found = t2c("ledger", "verify", "--level", "domain", "--json")
    assert found.code in (0, 1)
    assert "KeyError" not in found.out or json.loads(lines[at])["v"] == 1


@pytest.mark.parametrize("batch", ["x", [], [1], {"a": 1}])
def test_a_batch_that_is_none_is_a_fault_of_the_event(t2c: Any, batch: Any) -> None:
    lines = scanned(t2c)
    write(t2c, relinked(lines, len(lines) - 2, lambda event: event.update(batch=batch)))
    found = t2c("ledger", "verify", "--level", "domain", "--json")
    assert found.code == 1
    faults = {(fault["seq"], fault["kind"]) for fault in found.document["faults"]}
    assert {(len(lines) - 1, "envelope"), (len(lines) - 1, "unreadable")} <= faults


def test_views_that_cannot_be_compared_are_one_fault_among_the_others(t2c: Any) -> None:
    lines = relinked(scanned(t2c), 1, lambda event: event.update(ts=None))
    write(t2c, lines)
    folder = journal(t2c).parent / "projections"
    for manifest in folder.glob("*/projection.json"):
        held = json.loads(manifest.read_bytes())
        held["head"] = sha256(b"\0" + lines[held["seq"] - 1]).hexdigest()
        manifest.write_text(json.dumps(held))
    found = t2c("ledger", "verify", "--level", "domain", "--json")
    assert found.code == 1
    assert {"envelope", "projection"} <= {fault["kind"] for fault in found.document["faults"]}


def test_lines_that_end_in_cr_lf_stop_every_reader(t2c: Any) -> None:
    scanned(t2c)
    journal(t2c).write_bytes(journal(t2c).read_bytes().replace(b"\n", b"\r\n"))
    for command in (*READERS, ("ledger", "show", "1"), ("ledger", "append", "--statement", "x")):
        ran = t2c(*command)
        assert ran.code == 5, command
        assert "CR LF" in ran.out + ran.err
    found = t2c("ledger", "verify", "--json").document["faults"]
    assert [fault["kind"] for fault in found] == ["crlf"]


def test_doctor_finds_a_journal_without_its_first_event(t2c: Any) -> None:
    append(t2c)
    whole = journal(t2c).read_bytes()
    for kept, word in ((b"", "empty"), (whole[:50], "not complete")):
        journal(t2c).write_bytes(kept)
        found = checks(t2c, 5)
        assert found["journal"]["status"] == "fault"
        assert word in found["journal"]["detail"]


def test_doctor_finds_a_last_event_that_writers_would_refuse(t2c: Any) -> None:
    append(t2c)
    journal(t2c).write_bytes(journal(t2c).read_bytes().replace(b'"checked"', b'"CHECKED"'))
    assert checks(t2c, 5)["journal"]["status"] == "fault"


def test_doctor_names_the_check_that_met_the_damage(t2c: Any) -> None:
    lines = scanned(t2c)
    lines[1] = b"{}"
    write(t2c, lines)
    found = checks(t2c, 5)
    assert (found["journal"]["status"], found["runs"]["status"]) == ("ok", "fault")


def test_doctor_finds_a_lock_and_a_folder_that_cannot_be_used(t2c: Any) -> None:
    append(t2c)
    lock = journal(t2c).parent / "lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()
    assert checks(t2c, 6)["lock"]["status"] == "fault"
    shutil.rmtree(journal(t2c).parent)
    journal(t2c).parent.symlink_to(".t2c")
    assert checks(t2c, 6)["folder"]["status"] == "fault"


def test_doctor_finds_what_permissions_forbid(t2c: Any) -> None:
    append(t2c)
    if os.geteuid() == 0:  # permissions bind root only without these two capabilities
        without = "-dac_override,-dac_read_search"
        t2c.command = ("setpriv", "--bounding-set", without, "--inh-caps", without, *t2c.command)
    journal(t2c).chmod(0o444)
    assert checks(t2c, 6)["journal"]["status"] == "fault"
    journal(t2c).parent.chmod(0)
    try:
        assert checks(t2c, 6)["folder"]["status"] == "fault"
    finally:
        journal(t2c).parent.chmod(0o755)


def test_views_of_another_history_are_stale_and_no_fault(t2c: Any) -> None:
    lines = scanned(t2c)
    assert t2c("ledger", "project").code == 0
    others = (
        lines[:-1],
        relinked(lines, len(lines) - 1, lambda event: event["data"].update(statement="other")),
    )
    for other in others:
        write(t2c, other)
        found = t2c("ledger", "verify", "--level", "domain", "--json")
        assert (found.code, found.document["faults"]) == (0, [])
        assert "summary" in found.document["stale"]
        assert "views are of another history: " in checks(t2c, 0)["projections"]["detail"]
    write(t2c, lines)
    found = t2c("ledger", "verify", "--level", "domain", "--json").document
    assert (found["ok"], found["stale"]) == (True, [])


def test_show_gives_the_last_event_that_is_about_a_record_or_relation(t2c: Any) -> None:
    scanned(t2c)
    (t2c.root / "TODO.md").write_text("\n\n- [ ] write the manual\n- [ ] test the pump\n")
    assert t2c("scan").code == 0
    (moved,) = t2c("ledger", "log", "--json", "--type", "record.moved").document["events"]
    identity = moved["data"]["moves"][0]["id"]
    assert t2c("ledger", "show", identity).document["seq"] == moved["seq"]
    relation = "REL-" + "0" * 20
    body = json.loads(t2c("ledger", "types", "--example", "relation.judged").out)
    body["data"]["relation"] = relation
    judged = append(t2c, json.dumps(body).encode())
    assert t2c("ledger", "show", relation).document["seq"] == judged["seq"]


@pytest.mark.parametrize("ref", ["\u0661", "\uff11", "9" * 5000])
def test_show_takes_plain_digits_only(t2c: Any, ref: str) -> None:
    append(t2c)
    ran = t2c("ledger", "show", ref, env={"LC_ALL": "C.UTF-8"})
    assert ran.code == 2, ran.err


@pytest.mark.parametrize(
    "options",
    [
        ("--trust", "sure"),
        ("--actor", "me"),
        ("--actor", "robot:me"),
        ("--type", "record"),
        ("--type", "x.*"),
    ],
)
def test_log_refuses_what_can_match_nothing(t2c: Any, options: tuple[str, str]) -> None:
    append(t2c)
    ran = t2c("ledger", "log", *options)
    assert (ran.code, ran.out) == (2, "")


def test_log_finds_events_of_types_that_only_a_newer_version_knows(t2c: Any) -> None:
    append(t2c)
    lines = journal(t2c).read_bytes().splitlines()
    write(t2c, relinked(lines, 1, lambda event: event.update(type="weather.changed", data={"x": 1})))
    for name in ("weather.changed", "weather.*"):
        found = t2c("ledger", "log", "--json", "--type", name).document["events"]
        assert [event["seq"] for event in found] == [2]
    near = t2c("ledger", "log", "--type", "weather.change")
    assert near.code == 2
    assert "weather.changed" in near.err


def test_the_published_schemas_are_a_second_opinion(t2c: Any) -> None:
    lines = scanned(t2c)
    sound = t2c("ledger", "verify", "--published", "--json")
    assert (sound.code, sound.document["level"]) == (0, "schema")
    write(t2c, relinked(lines, len(lines) - 1, lambda event: event["data"].update(statement=5)))
    found = t2c("ledger", "verify", "--published", "--json")
    assert found.code == 1
    assert {"schema", "published"} <= {fault["kind"] for fault in found.document["faults"]}
