"""`t2c ledger stats`: compared with a count of its own by json alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.engine import Ledger, create
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.events.draft import draft
from t2c.ledger.journal.segments import SealRule
from t2c.ledger.kernel.actor import Actor

Noted = CATALOGUE.payload("observation.noted")


def counted(lines: list[bytes], key: Callable[[dict[str, Any]], str]) -> dict[str, dict[str, int]]:
    events: Counter[str] = Counter()
    size: Counter[str] = Counter()
    for line in lines:
        name = key(json.loads(line))
        events[name] += 1
        size[name] += len(line)
    return {name: {"events": events[name], "bytes": size[name]} for name in sorted(events)}


@pytest.fixture
def full(t2c: Any, new_journal: Callable[[Path], Any]) -> list[bytes]:
    """A journal with a little of everything; returns its lines, LF included."""
    chain = new_journal(t2c.root / ".t2c" / "journal.ndjson")
    chain.todo("first thing")
    chain.todo("second thing", line=2)
    chain.add(
        "observation.noted", {"statement": "said"}, actor=Actor("human", "ada"), trust="asserted", run="R1"
    )
    chain.add("observation.noted", {"statement": "x" * 5000}, trust="observed", run="R1")
    chain.add("observation.noted", {"statement": "said"}, run="R2")
    chain.withheld("observation.noted")
    chain.add("starship.launched", {})
    chain.add("record.observed", {}, v=9)
    with Ledger(t2c.root / ".t2c") as ledger:
        ledger.objects.put(b"evidence")
        ledger.append([draft(Noted(statement=f"part {part}")) for part in range(3)], atomic=True)
    content: bytes = (t2c.root / ".t2c" / "journal.ndjson").read_bytes()
    return content.splitlines(keepends=True)


def test_every_sum_is_right(t2c: Any, full: list[bytes]) -> None:
    found = t2c("ledger", "stats", "--json").document
    assert found["schema"] == "t2c.stats/v1"
    assert found["total"] == {"events": len(full), "bytes": sum(map(len, full))}
    assert found["types"] == counted(full, lambda event: event["type"])
    assert found["actors"] == counted(full, lambda event: f"{event['actor']['kind']}:{event['actor']['id']}")
    assert found["trust"] == counted(full, lambda event: event["trust"])
    assert found["days"] == counted(full, lambda event: event["ts"][:10])
    assert len(found["days"]) == 2
    assert found["runs"] == {"runs": 2, "events": 3}
    assert found["batches"] == {"batches": 1, "events": 3}
    assert found["unknown"] == {"record.observed v9": 1, "starship.launched v1": 1}
    assert found["largest"] == {"seq": 5, "bytes": max(map(len, full))}
    assert found["files"] == [{"path": "journal.ndjson", "bytes": sum(map(len, full))}]
    assert (found["seq"], found["ledger"]) == (len(full), "0" * 32)
    assert (found["first"], found["last"]) == (json.loads(full[0])["ts"], json.loads(full[-1])["ts"])
    assert found["origins"] == {}


def test_payloads_that_lie_apart(t2c: Any, full: list[bytes]) -> None:
    apart = [event for event in map(json.loads, full) if "data_hash" in event]
    held = [
        event for event in apart
        if (t2c.root / ".t2c/objects" / event["data_hash"][:2] / event["data_hash"][2:]).exists()
    ]  # fmt: skip
    found = t2c("ledger", "stats", "--json").document
    assert found["payloads"] == {"apart": len(apart), "withheld": len(apart) - len(held)}
    assert found["payloads"]["withheld"] == 1
    objects = [path for path in (t2c.root / ".t2c/objects").rglob("*") if path.is_file()]
    assert found["objects"] == {
        "objects": len(objects),
        "bytes": sum(path.stat().st_size for path in objects),
    }
    assert len(objects) >= 1


def test_nothing_that_came_later_counts(t2c: Any, full: list[bytes]) -> None:
    found = t2c("ledger", "stats", "--at", "4", "--json").document
    assert found["seq"] == 4
    assert found["total"] == {"events": 4, "bytes": sum(map(len, full[:4]))}
    assert found["types"] == counted(full[:4], lambda event: event["type"])
    assert found["live"] is None
    refused = t2c("ledger", "stats", "--at", "99999")
    assert refused.code == 2


def test_what_events_were_taken_in(t2c: Any, new_journal: Callable[[Path], Any]) -> None:
    chain = new_journal(t2c.root / ".t2c" / "journal.ndjson")
    for ledger in ("b" * 32, "a" * 32, "b" * 32):
        place = {"ledger": ledger, "seq": 2, "hash": "c" * 64, "prev": "d" * 64, "id": "EVT-" + "0" * 20}
        origin = json.dumps({**place, "ts": "2026-01-01T00:00:00.000Z"}).encode()
        chain.add("observation.noted", b'{"statement":"x"},"origin":' + origin)
    found = t2c("ledger", "stats", "--json").document
    assert {name: amount["events"] for name, amount in found["origins"].items()} == {"a" * 32: 1, "b" * 32: 2}
    assert list(found["origins"]) == ["a" * 32, "b" * 32]
    assert "b" * 32 in t2c("ledger", "stats").out


def test_what_stands_is_counted_where_it_is_known(t2c: Any) -> None:
    (t2c.root / "TODO.md").write_text("- [ ] one thing\n- [ ] another thing\n")
    assert t2c("scan").code == 0
    found = t2c("ledger", "stats", "--json").document
    assert found["live"]["records"] >= 2
    for snapshot in (t2c.root / ".t2c/cache/states").iterdir():
        snapshot.unlink()
    assert t2c("ledger", "stats", "--json").document["live"] is None


def test_the_text_is_a_table_whose_columns_stand_in_line(t2c: Any, full: list[bytes]) -> None:
    lines = t2c("ledger", "stats").out.splitlines()
    assert f"{len(full):,} in {sum(map(len, full)):,} bytes" in next(
        line for line in lines if line.startswith("events")
    )
    assert any(line.startswith("unknown type") and "starship.launched v1: 1" in line for line in lines)
    start = next(at for at, line in enumerate(lines) if line.startswith("type "))
    table = lines[start : lines.index("", start)]
    assert len({len(line) for line in table}) == 1
    assert len(table) == 1 + len(counted(full, lambda event: event["type"]))


def test_damage_is_said(t2c: Any, full: list[bytes]) -> None:
    (t2c.root / ".t2c" / "journal.ndjson").write_bytes(b"".join([full[0], b"junk\n", *full[1:]]))
    assert t2c("ledger", "stats").code == 5


def test_no_ledger_and_an_unfinished_end(t2c: Any, full: list[bytes]) -> None:
    with (t2c.root / ".t2c" / "journal.ndjson").open("ab") as stream:
        stream.write(b'{"torn')
    found = t2c("ledger", "stats", "--json").document
    assert found["total"]["events"] == len(full)
    assert found["files"][0]["bytes"] == sum(map(len, full)) + 6
    (t2c.root / ".t2c" / "journal.ndjson").unlink()
    assert t2c("ledger", "stats").code == 2


def test_a_journal_in_segments_is_counted_whole(t2c: Any) -> None:
    workspace = t2c.root / ".t2c"
    create(workspace)
    with Ledger(workspace, rule=SealRule(bytes=1000, events=8)) as ledger:
        for part in range(20):
            ledger.append([draft(Noted(statement=f"part {part}"))])
    found = t2c("ledger", "stats", "--json").document
    sizes = {file["path"]: file["bytes"] for file in found["files"]}
    on_disk = {
        path.relative_to(workspace).as_posix(): path.stat().st_size for path in workspace.rglob("*.ndjson")
    }
    assert sizes == on_disk
    assert len(sizes) == 3
    assert found["total"] == {"events": 21, "bytes": sum(on_disk.values())}
    assert "segments        2 in " in t2c("ledger", "stats").out
