"""Facts of another system's run folder: each item judged by itself, the whole made into a chain of its own."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.audit.domain import DomainAudit
from t2c.ledger.audit.schema import SchemaAudit
from t2c.ledger.errors import Usage
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.interop.chain import chain_of, write_chain
from t2c.ledger.interop.foreign import Foreign
from t2c.ledger.interop.run_folder import read_foreign
from t2c.ledger.journal.entry import Entry
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.verify import verify_chain
from t2c.ledger.kernel.canon import canonical
from t2c.ledger.redaction.funnel import Funnel

RUN = Path(__file__).parent / "interop_fixtures" / "run"
GRAPH = "intent.graph.json"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A copy of a whole run folder."""
    return Path(shutil.copytree(RUN, tmp_path / "run"))


def read(path: Path) -> Foreign:
    return read_foreign(path, path.name, lambda stage, done, total: None)


def entries(path: Path, tmp_path: Path) -> list[Entry]:
    """The events of the chain that is made of what was read."""
    journal = tmp_path / "chain.ndjson"
    write_chain(chain_of(read(path), Funnel()), journal)
    assert verify_chain(JournalFile(journal)).faults == []
    return list(JournalFile(journal).entries(None, None))


def change(path: Path, how: Callable[[Any], object]) -> None:
    """Change a JSON file, or the first record of JSON lines."""
    lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
    body = json.loads(lines[0])
    how(body)
    if path.suffix == ".jsonl":
        lines[0] = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        path.write_text("\n".join(lines) + "\n")
    else:
        path.write_text(json.dumps(body, indent=2, ensure_ascii=False) + "\n")


# what is there


def test_a_whole_folder_is_right(run: Path) -> None:
    found = read(run)
    assert found.refused == []
    assert (len(found.records), len(found.relations)) == (12, 22)
    assert found.log is not None and len(found.log.events) == 2
    assert found.manifest is not None and found.manifest.runId == "20261130T155721Z-5c3cb17c"
    assert found.not_read == ["diagnostics.json", "team-summary.md"]
    assert len(found.files) == 10
    ids = {
        json.loads(line)["id"]
        for path in run.glob("*.intent.jsonl")
        for line in path.read_text().splitlines()
    }
    assert found.records.keys() == ids


def test_each_kind_of_file_stands_for_itself(run: Path) -> None:
    assert len(read(run / "todo.intent.jsonl").records) == 2
    graph = read(run / GRAPH)
    assert (len(graph.records), len(graph.relations)) == (12, 22)
    log = read(run / "logs.dsl.txt")
    assert log.log is not None and not log.records
    with pytest.raises(Usage, match="no file whose facts"):
        read(run / "team-summary.md")
    with pytest.raises(Usage, match="there is no"):
        read(run / "gone.jsonl")


def test_of_a_folder_of_runs_the_newest_is_read(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "out" / "runs" / "b")
    (tmp_path / "out" / "latest.json").write_text('{"runId": "b"}')
    assert len(read(tmp_path / "out").records) == 12
    (tmp_path / "out" / "latest.json").write_text('{"runId": "../../run"}')
    with pytest.raises(Usage, match="holds neither"):
        read(tmp_path / "out")


def test_a_folder_without_facts_is_none(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("hello")
    with pytest.raises(Usage, match="holds neither records nor a graph"):
        read(tmp_path)


def test_an_old_manifest_is_read(run: Path) -> None:
    def older(manifest: Any) -> None:
        for name in ("status", "failure", "runtime", "configuration", "stages", "llm", "warnings"):
            del manifest[name]

    change(run / "manifest.json", older)
    found = read(run)
    assert found.refused == []
    assert found.manifest is not None and found.manifest.status is None


# what cannot be taken


def refusals(path: Path) -> list[tuple[str, str]]:
    return [(item.where, item.reason) for item in read(path).refused]


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        (lambda record: record.update(more=1), "more: Extra inputs"),
        (lambda record: record["statement"].update(action="Add"), "statement.action"),
        (lambda record: record["statement"]["target"].update(paths=["/etc/passwd"]), "is not a path inside"),
        (lambda record: record["source"].update(lines={"start": 4, "end": 3}), "lines end before they start"),
        (lambda record: record["source"].update(rawExcerpt="x"), "contentHash"),
        (lambda record: record["metadata"]["generation"].pop("model"), "model"),
        (lambda record: record["metadata"].update(x=0.12345), "more than three decimals"),
        (lambda record: record.update(id="INT-DOC-" + "0" * 20), "begins with INT-TODO-"),
    ],
)
def test_a_bad_record_is_named_by_file_and_line(run: Path, how: Callable[[Any], object], reason: str) -> None:
    file = run / "todo.intent.jsonl"
    file.write_text(file.read_text().splitlines()[0] + "\n")
    change(file, how)
    file.write_text("\n" + file.read_text())
    ((where, why),) = refusals(file)
    assert where == "todo.intent.jsonl:2"
    assert reason in why


@pytest.mark.parametrize(
    "line", ['{"a":1,"a":2}', "[]", "nothing", "{", '"\\ud800"', "[" * 3000, "\udcff", '{"x":NaN}', "1e999"]
)
def test_a_line_that_is_no_record_is_named(tmp_path: Path, line: str) -> None:
    good = (RUN / "todo.intent.jsonl").read_bytes()
    (tmp_path / "x.jsonl").write_bytes(good + line.encode("utf-8", "surrogateescape") + b"\n" + b"\n")
    found = read(tmp_path / "x.jsonl")
    assert [item.where for item in found.refused] == ["x.jsonl:3"]
    assert len(found.records) == 2


def line_of(path: Path, text: str) -> int:
    return path.read_text().partition(text)[0].count("\n") + 1


def test_a_bad_record_of_a_graph_takes_its_relations_with_it(run: Path) -> None:
    graph = run / GRAPH
    bad = json.loads(graph.read_text())["records"][0]["id"]
    change(graph, lambda body: body["records"][0]["statement"].update(polarity="maybe"))
    found = read(graph)
    assert found.refused[0].where == f"{GRAPH}:{line_of(graph, bad)}"
    assert "records[0]: statement.polarity" in found.refused[0].reason
    dangling = [item for item in found.refused if bad in item.reason and "relations[" in item.reason]
    assert len(dangling) == 22 - len(found.relations) > 0
    # Of a graph that was not taken whole nothing more is asked.
    assert len(found.refused) == 1 + len(dangling)


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        (lambda graph: graph.update(fingerprint="0" * 64), "fingerprint is not that of"),
        (lambda graph: graph["stats"]["bySource"].update(ast=99), "stats are not the counts"),
        (lambda graph: graph.update(fingerprint="x"), "fingerprint is no SHA-256"),
        (lambda graph: graph.update(more=1), "exactly the members"),
        (lambda graph: graph.update(schemaVersion="t2c.graph/v2"), "no t2c.graph/v1"),
        (lambda graph: graph.update(records={}), "are lists"),
        (lambda graph: graph["records"].append(graph["records"][0]), "stands twice"),
        (lambda graph: graph["relations"].append(graph["relations"][0]), "stands twice"),
        (lambda graph: graph["relations"][0].update(type="likes"), "relations[0]: type"),
        (
            lambda graph: graph["relations"][0].update({"from": "INT-X-" + "0" * 20}),
            "which is none of the records",
        ),
        (lambda graph: graph["relations"].append(7), "relations[22]"),
    ],
)
def test_a_graph_that_is_not_what_it_says_is_named(
    run: Path, how: Callable[[Any], object], reason: str
) -> None:
    change(run / GRAPH, how)
    found = refusals(run / GRAPH)
    assert any(reason in why for _, why in found), found
    assert all(where.startswith(GRAPH) for where, _ in found)


def test_a_bad_manifest_and_a_bad_log_are_named(run: Path) -> None:
    change(run / "manifest.json", lambda manifest: manifest.update(runId=7))
    log = run / "logs.dsl.txt"
    log.write_text(log.read_text().replace('"PASSED"', '"DONE"'))
    found = refusals(run)
    assert [where for where, _ in found] == ["logs.dsl.txt:9", "manifest.json:1"]
    assert found[0][1].startswith("LOG-VALUE-002: ")
    assert "runId" in found[1][1]


def test_evidence_of_a_log_is_looked_at(run: Path) -> None:
    (run / "diagnostics.json").write_text("{}")
    assert refusals(run) == [
        ("logs.dsl.txt:31", "LOG-EVIDENCE-006: artifact:diagnostics.json has other bytes than the log says")
    ]
    (run / "diagnostics.json").unlink()
    assert "is not in the folder" in refusals(run)[0][1]
    assert read(run / "logs.dsl.txt").refused == []


def test_of_two_records_with_one_id_the_surer_is_taken(run: Path) -> None:
    file = run / "todo.intent.jsonl"
    change(file, lambda record: record["epistemic"].update(confidence=0.5))
    first = json.loads(file.read_text().splitlines()[0])["id"]
    found = read(run)
    assert (found.refused, found.differing) == ([], 1)
    assert found.records[first].confidence == 0.9


def test_a_record_too_long_for_a_line_is_named(run: Path, tmp_path: Path) -> None:
    change(run / "todo.intent.jsonl", lambda record: record["metadata"].update(x="y" * (1 << 20)))
    (run / GRAPH).unlink()
    assert refusals(run) == [("todo.intent.jsonl:1", "it is longer than an event may be")]
    change(run / "manifest.json", lambda manifest: manifest.update(warnings=["w" * 1000] * 2000))
    told = entries(run, tmp_path)
    options = orjson.loads(bytes(told[1].data))["options"]
    assert (len(options["warnings"]), options["moreWarnings"]) == (100, 1900)


# the chain


def test_the_same_bytes_are_the_same_chain(run: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for path in (one, two):
        write_chain(chain_of(read(run), Funnel()), path)
    assert one.read_bytes() == two.read_bytes()
    change(run / "todo.intent.jsonl", lambda record: record["metadata"].update(x=1))
    assert (
        chain_of(read(run), Funnel()).ledger
        != orjson.loads(one.read_bytes().splitlines()[0])["data"]["ledger"]
    )


def test_the_chain_tells_of_the_run_and_its_files(run: Path, tmp_path: Path) -> None:
    told = entries(run, tmp_path)
    assert Counter(entry.type for entry in told) == {
        "journal.opened": 1, "run.started": 1, "record.observed": 12, "relation.linked": 22, "observation.noted": 2,
        "stage.finished": 7, "run.finished": 1,
    }  # fmt: skip
    started = orjson.loads(bytes(told[1].data))
    assert started["tool"] == "other-tool 0.5.0"
    assert started["options"]["files"] == read(run).files
    assert started["options"]["warnings"] == ["Requested 10 commits, repository contains 1"]
    assert orjson.loads(bytes(told[-1].data)) == {
        "appended": {"observation.noted": 2, "record.observed": 12, "relation.linked": 22, "run.started": 1},
        "detail": None, "status": "succeeded",
    }  # fmt: skip
    ends = [orjson.loads(bytes(entry.data)) for entry in told if entry.type == "stage.finished"]
    assert {name: value for name, value in ends[-2].items() if name != "detail"} == {
        "stage": "summary",
        "status": "skipped",
        "counts": {"records": 3, "warnings": 0},
    }
    assert ends[-2]["detail"].startswith("LLM_DISABLED: ")
    assert {entry.run for entry in told[1:]} == {"20261130T155721Z-5c3cb17c"}
    assert {entry.ts for entry in told} == {"2026-11-30T15:57:21.459Z"}
    assert b"/home/ada" not in b"".join(bytes(entry.data) for entry in told)


def test_ids_of_records_stay_and_those_of_relations_are_kept_beside_ours(run: Path, tmp_path: Path) -> None:
    graph = json.loads((run / GRAPH).read_text())
    told = entries(run, tmp_path)
    observed = {
        orjson.loads(bytes(entry.data))["record"]["id"] for entry in told if entry.type == "record.observed"
    }
    assert observed == {record["id"] for record in graph["records"]}
    linked = [orjson.loads(bytes(entry.data)) for entry in told if entry.type == "relation.linked"]
    assert {link["signals"][0]["value"] for link in linked} == {
        relation["id"] for relation in graph["relations"]
    }


def test_every_event_keeps_its_type_and_the_chain_its_promises(run: Path, tmp_path: Path) -> None:
    entries(run, tmp_path)
    schema, domain = SchemaAudit(CATALOGUE), DomainAudit(lambda digest: False)
    for seq, line in enumerate((tmp_path / "chain.ndjson").read_bytes().splitlines(), 1):
        event = orjson.loads(line)
        schema.visit(seq, line, event)
        domain.visit(seq, event)
    domain.finish()
    assert (schema.faults, domain.faults, schema.unknown) == ([], [], {})


def test_trust_follows_who_said_it(run: Path, tmp_path: Path) -> None:
    generation = {"requested": "llm", "used": "llm", "provider": "p", "model": "m/large"}

    def by_model(record: Any) -> None:
        record["metadata"]["generation"].update(generation)

    (run / GRAPH).unlink()
    change(run / "document.intent.jsonl", by_model)
    told = [entry for entry in entries(run, tmp_path) if entry.type == "record.observed"]
    by_class = {
        (orjson.loads(bytes(entry.data))["record"]["epistemic"]["class"], str(entry.actor), entry.trust)
        for entry in told
    }
    assert {item for item in by_class if item[0] in ("fact", "plan", "claim")} == {
        ("fact", "helper:other-tool", "imported"),
        ("plan", "helper:other-tool", "imported"),
        ("claim", "helper:other-tool", "asserted"),
    }
    assert [entry.trust for entry in told if entry.actor.kind == "agent"] == ["asserted"]
    assert [entry.actor.id for entry in told if entry.actor.kind == "agent"] == ["m/large"]
    assert "observed" not in {entry.trust for entry in told}


def test_a_log_speaks_with_the_trust_of_its_classes(tmp_path: Path) -> None:
    import msgspec

    from t2c.ledger.interop.event_log import chained, parse, render

    base = parse((RUN / "logs.dsl.txt").read_bytes()).events[0].fact
    classes = ["SYSTEM_FACT", "HUMAN_DECISION", "TRUSTED_ATTESTATION", "ADVISORY_INFERENCE"]
    facts = [
        msgspec.structs.replace(base, event_id=str(number), trust_class=name, actor_id="ada l:1")
        for number, name in enumerate(classes)
    ]
    log = tmp_path / "x.dsl.txt"
    log.write_bytes(render(chained(facts, "s", "2026-01-05T10:00:00+01:00")))
    told = [entry for entry in entries(log, tmp_path) if entry.type == "observation.noted"]
    assert [(str(entry.actor), entry.trust, entry.ts) for entry in told] == [
        ("helper:ada-l-1", "imported", "2026-01-05T09:00:00.000Z"),
        ("human:ada-l-1", "imported", "2026-01-05T09:00:00.000Z"),
        ("host_adapter:ada-l-1", "imported", "2026-01-05T09:00:00.000Z"),
        ("agent:ada-l-1", "asserted", "2026-01-05T09:00:00.000Z"),
    ]
    noted = orjson.loads(bytes(told[0].data))
    assert noted["statement"] == "analysis.completed: PASSED"
    assert noted["metadata"]["eventLog"]["actor_id"] == "ada l:1"


def test_secrets_are_masked_and_the_excerpt_still_fits_its_hash(run: Path, tmp_path: Path) -> None:
    from hashlib import sha256

    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    excerpt = f"- [ ] use {secret}"

    def leak(record: Any) -> None:
        record["statement"]["text"] = excerpt
        record["source"].update(rawExcerpt=excerpt, contentHash=sha256(excerpt.encode()).hexdigest())

    (run / GRAPH).unlink()
    change(run / "todo.intent.jsonl", leak)
    chain = chain_of(read(run), Funnel())
    assert sum(chain.masked.values()) == 2
    bodies = b"".join(item.data for item in chain.drafts)
    assert secret.encode() not in bodies and b"[redacted:" in bodies
    for item in chain.drafts:
        if item.type == "record.observed":
            CATALOGUE.payload("record.observed").decode(item.data)


def test_what_another_tool_wrote_of_our_own_records_comes_back_the_same(run: Path, tmp_path: Path) -> None:
    """The payload is the record as it stands in the file, its members in canonical order."""
    for line in (run / "todo.intent.jsonl").read_bytes().splitlines():
        body = orjson.loads(line)
        assert read(run).records[body["id"]].payload == canonical({"record": body})
