"""A second reading of a journal, from docs/journal.md alone: lines are read once, then questions are asked of them."""

import base64
import hashlib
import json
import sys
from collections.abc import Iterator
from datetime import datetime
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

Questions = Iterator[tuple[str, bool]]
NEEDED = {"seq", "prev", "type", "v", "id", "ts", "actor", "trust"}
OPTIONAL = {"batch", "cause", "run", "key", "origin"}
CLAIMS = {"imported", "asserted"}
TRUST = {"human": CLAIMS, "agent": CLAIMS} | dict.fromkeys(("helper", "host_adapter"), CLAIMS | {"observed"})
PLACE = ("seq", "prev", "id", "ts", "trust", "batch")
MALFORMED = (ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError)


class Verdict(NamedTuple):
    events: int
    root: str
    head: str
    faults: list[tuple[int, str]]


class Line(NamedTuple):
    raw: bytes
    leaf: bytes = bytes(32)
    id: str = ""
    event: dict[str, Any] = {"seq": 0, "ts": ""}  # noqa: RUF012


def sha(tag: int, *blocks: bytes) -> bytes:
    return hashlib.sha256(bytes([tag]) + b"".join(blocks)).digest()


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def members(text: str, at: int = 1) -> Iterator[tuple[str, Any, str]]:
    """Each member of an object without white space: name, value, and for `id` the text that is left without it."""
    while at < len(text):
        name, colon = json.JSONDecoder().raw_decode(text, at)
        value, end = json.JSONDecoder().raw_decode(text, colon + 1)
        yield name, value, text[:at] + text[end + 1 :] if name == "id" else ""
        at = end + 1


def read_line(raw: bytes) -> Line:
    try:
        found = list(members(raw.decode()))
        bare = "".join(rest for _, _, rest in found).encode()
        event = {name: value for name, value, _ in found}
        return Line(raw, sha(0, raw), "EVT-" + sha(2, bare).hex()[:20], event)
    except MALFORMED:
        return Line(raw, sha(0, raw), "", {})


def root(row: list[bytes]) -> bytes:
    """The same tree from below: pairs become nodes, an odd one waits for the next row."""
    if len(row) < 2:
        return row[0] if row else hashlib.sha256().digest()
    return root([sha(1, *pair) for pair in zip(row[::2], row[1::2], strict=False)] + row[len(row) & ~1 :])


def allowed(value: Any) -> bool:
    match value:
        case dict():
            return allowed([*value.values()]) and max("".join(value), default="") <= "\ud7ff"
        case list():
            return all(map(allowed, value))
        case float():
            return value == round(value, 3) and not value.is_integer()
    return not isinstance(value, int) or abs(value) < 1 << 53


def came_true(event: dict[str, Any]) -> bool:
    """Every line that the event once was, made again, has the hash and the id that an origin gives."""
    place = event.get("origin", {})
    first, *rest = place.get("former", [{}])
    older = {"origin": first | ({"former": rest} if rest else {})}
    there = event | older | {name: place[name] for name in PLACE if name in place}
    line = read_line(canonical({name: value for name, value in there.items() if name != "origin" or value}))
    proven = not place or (line.leaf.hex(), line.id) == (place["hash"], place["id"])
    return proven and (not place or came_true(line.event))


def of_line(objects: Path, redactions: bytes, before: Line, line: Line) -> Questions:
    event, past = line.event, before.event
    yield "seq", event["seq"] == past["seq"] + 1
    yield "prev", event["prev"] == before.leaf.hex()
    yield "id", event["id"] == line.id
    yield "canonical form", canonical(event) == line.raw and allowed(event)
    yield "too_long", len(line.raw) < 1 << 20
    payload = event.keys() & {"data", "data_hash"}
    yield "members", NEEDED <= event.keys() <= NEEDED | OPTIONAL | payload and len(payload) == 1
    yield "empty members", all(event.get(name, True) for name in OPTIONAL)
    yield "foreign_start", (not before.raw) == (event["type"] == "journal.opened")
    then = datetime.strptime(event["ts"], "%Y-%m-%dT%H:%M:%S.%fZ").isoformat(timespec="milliseconds")
    yield "ts", event["ts"] == then + "Z" and event["ts"] >= past["ts"]
    yield "actor or version", event["actor"].keys() == {"id", "kind"} and type(event["v"]) is int
    yield "trust", event["trust"] in TRUST[event["actor"]["kind"]]
    (k, n), (i, j) = event.get("batch", (1, 1)), past.get("batch", (1, 1))
    yield "incomplete_batch", (k, n) == (i + 1, j) if i < j else k == 1 and (n > 1 or "batch" not in event)
    new, old = event.get("origin", {}), past.get("origin", {})
    joined = new and old and (new["ledger"], new["seq"]) == (old["ledger"], old["seq"] + 1)
    yield "origin", came_true(event) and (not joined or new["prev"] == old["hash"])
    digest = event.get("data_hash")
    if digest and b'"data_hash":"%b"' % digest.encode() not in redactions:
        kept = (objects / digest[:2] / digest[2:]).read_bytes()
        yield "payload", sha(3, kept).hex() == digest and canonical(json.loads(kept[32:])) == kept[32:]


def of_segment(path: Path) -> Questions:
    rows = path.read_bytes().split(b"\n")
    first, last = (read_line(rows[at]).event["seq"] for at in (0, -2))
    yield "segment_name", path.stem == f"{first:012}-{last:012}"


def of_checkpoint(lines: list[Line], path: Path) -> Questions:
    name, size, told = path.read_text("utf-8").splitlines()[:3]
    ledger, made = lines[0].event["data"]["ledger"], root([line.leaf for line in lines[: int(size)]])
    stem = f"{int(size):012}-{base64.b64decode(told).hex()[:8]}"
    yield "checkpoint", (name, path.stem) == (f"t2c/{ledger}", stem)
    yield "checkpoint's events", int(size) <= len(lines) and told == base64.b64encode(made).decode()


def answered(number: int, questions: Questions) -> Iterator[tuple[int, str]]:
    try:
        yield from ((number, name) for name, held in questions if not held)
    except MALFORMED as error:
        yield number, f"malformed: {error!r}"


def verify(folder: Path) -> Verdict:
    active = (folder / "journal.ndjson").read_bytes()
    begin = str(read_line(active.partition(b"\n")[0]).event.get("seq", "9")).zfill(12)
    segments = [path for path in sorted(folder.glob("segments/*.ndjson")) if path.stem[13:] < begin]
    *rows, rest = b"".join([*(path.read_bytes() for path in segments), active]).split(b"\n")
    lines = [read_line(raw) for raw in rows]
    match lines[-1:]:
        case [Line(event={"batch": [int(k), int(n)]})] if 0 < k < n:
            lines = lines[:-k]
    unfinished = [(len(lines) + 1, "unfinished end")] if rest or not lines or len(lines) < len(rows) else []
    redactions = b"".join(line.raw for line in lines if line.event.get("type") == "payload.redacted")
    inside = (of_line(folder / "objects", redactions, *pair) for pair in pairwise([Line(b""), *lines]))
    kept = (of_checkpoint(lines, path) for path in sorted(folder.glob("checkpoints/*.txt")))
    answers = [answered(number, questions) for number, questions in enumerate(inside, 1)]
    answers += [answered(len(lines), questions) for questions in chain(map(of_segment, segments), kept)]
    leaves = [bytes(32), *(line.leaf for line in lines)]
    return Verdict(len(lines), root(leaves[1:]).hex(), leaves[-1].hex(), [*chain(*answers), *unfinished])


if __name__ == "__main__":
    print(*(verdict := verify(Path(sys.argv[1]))), sep="\n")
    sys.exit(bool(verdict.faults))
