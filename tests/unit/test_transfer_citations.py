"""Claims: whatever an event cites goes along and is missed where it is not there; a commitment to something sealed is
neither; all who copy, check or take in events follow the same members.

Mutations seen to fail: a type or a member left out of the table; `sealed` not followed into another range; what the
verifier does not know taken for a fault; approved bytes left behind.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.audit.domain import DomainAudit
from t2c.ledger.audit.payloads import PayloadAudit
from t2c.ledger.engine import Ledger, create
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.transfer.bundled import bundle_source, imported, withheld
from t2c.ledger.transfer.citations import Payload, cited_in
from t2c.ledger.transfer.export import Exported, export
from t2c.ledger.transfer.layout import check, open_bundle
from t2c.ledger.transfer.merge import Merged, carry_out, merged, taking_turns
from t2c.ledger.transfer.plan import plan
from t2c.ledger.transfer.source import JournalSource
from t2c.ledger.transfer.verifier.citing import CITING, OFFERING, offered_by
from t2c.ledger.transfer.verifier.lines import cited

MODEL, ADA = Actor("agent", "model"), Actor("human", "ada")
NO_OBJECTS = {
    "answer.recorded": {"schema_digest"},  # of a schema that t2c publishes
    "apply.announced": {"digest", "files[].after", "files[].before"},  # files of the user
    "apply.failed": {"files[].after", "files[].before"},
    "apply.receipted": {"files[].after", "files[].before"},
    "approval.granted": {"normalised"},
    "bundle.exported": {"sha256"},
    "bundle.imported": {"hash", "root", "sha256"},
    "change.evaluated": {"hash"},
    "change.planned": {"hash"},
    "change.tried": {"patch"},
    "checkpoint.signed": {"root"},
    "choice.made": {"digest"},  # of a part of the answer
    "gate.announced": {"equivalence", "fingerprint"},
    "heldout.leaked": {"request"},  # never sent, or cited by its `llm.asked`
    "heldout.ran": {"candidate", "output"},  # a fingerprint, a commitment
    "heldout.revealed": {"files[].salt"},
    "heldout.sealed": {"files[].argv", "files[].content", "files[].path"},  # commitments
    "identity.bound": {"payloadHash"},
    "journal.merged": {"hash", "root"},
    "journal.repaired": {"sha256"},
    "llm.answered": {"request"},  # cited by its `llm.asked`
    "llm.unusable": {"request"},
    "message.captured": {"payloadHash"},
    "patch.rendered": {"hash"},
    "participant.admitted": {"payloadHash"},
    "payload.redacted": {"data_hash"},
    "projection.rebuilt": {"payloadHash"},
    "record.observed": {"record.source.contentHash"},
    "role.assigned": {"payloadHash"},
    "stream.verified": {"payload.verifiedHash", "payloadHash"},
    "variant.announced": {"files[].content"},  # stands in the answer
}
"""Members of the form of a digest that name no object."""


def digests(schema: Mapping[str, Any], parts: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """The members of a payload that have the form of a digest."""
    if "$ref" in schema:
        yield from digests(parts[schema["$ref"].rpartition("/")[2]], parts, path)
    if schema.get("pattern") == "^[0-9a-f]{64}$":
        yield path
    for key in ("anyOf", "oneOf", "prefixItems"):
        for one in schema.get(key, ()):
            yield from digests(one, parts, path)
    for key, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(schema.get(key), dict):
            yield from digests(schema[key], parts, path + mark)
    for name, one in schema.get("properties", {}).items():
        yield from digests(one, parts, f"{path}.{name}" if path else name)


def test_every_member_of_the_form_of_a_digest_names_an_object_or_is_said_to_name_none() -> None:
    for name in CATALOGUE.types():
        schema = CATALOGUE.payload(name).model_json_schema()
        found = {
            member
            for member in digests(schema, schema.get("$defs", {}))
            if member not in NO_OBJECTS.get(name, ())
        }
        named = CITING.get(name, ()) + OFFERING.get(name, ())
        assert {member.partition("[")[0] for member in found} == set(named), name
    members = {name for names in (*CITING.values(), *OFFERING.values()) for name in names}
    assert members | {"root", "asked", "sealed"} == set(Payload.__struct_fields__)


class Made:
    """A ledger with an event of every type that cites objects. `bodies` are those that it holds, by their digests."""

    def __init__(self, workspace: Path) -> None:
        create(workspace)
        self.workspace = workspace
        self.bodies: dict[str, bytes] = {}
        self.seqs: dict[str, int] = {}
        with Ledger(workspace) as ledger:
            self.ledger = ledger
            self._fill()

    def put(self, text: str) -> str:
        digest = self.ledger.objects.put(text.encode())
        self.bodies[digest] = text.encode()
        return digest

    def add(
        self, kind: str, actor: Actor | None = None, trust: Any = None, name: str = "", **data: Any
    ) -> str:
        payload = CATALOGUE.payload(kind)(**data)
        more = {} if actor is None else {"actor": actor}
        receipt = self.ledger.append([draft(payload, trust=trust, **more)])[0]
        self.seqs[name or kind] = receipt.seq
        return receipt.id

    def ask(self, name: str, *, sealed: bool = False) -> tuple[str, str]:
        request = self.put(f"request {name}")
        asked = self.add(
            "llm.asked", name=f"asked {name}", request=request, role="analyst", stage="markdown", model="m",
            mode="json_schema", endpoint="http://127.0.0.1/v1", schema_name="s", schema_digest=self.put("{}"), brief="b",
            brief_digest=self.put(f"brief {name}"), manifest=self.put(f"manifest {name}"), items=1, body_bytes=9,
            masked={}, corrects=None, instead_of=None, sealed=sealed,
        )  # fmt: skip
        return asked, request

    def _fill(self) -> None:
        usage = dict.fromkeys(
            ("prompt_tokens", "completion_tokens", "reasoning_tokens", "total_tokens", "cost_micros")
        )
        story = {
            "requested": "m", "served": None, "provider": None, "response_id": None, "finish_reason": None,
            "attempts": (), "usage": {**usage, "currency": "USD"},
        }  # fmt: skip
        asked, request = self.ask("open")
        said = {"asked": asked, "request": request, "story": story, "replayed": None}
        answered = self.add(
            "llm.answered", MODEL, content=self.put("said"), raw=self.put("raw"), value=None, guarantee="enforced", **said
        )  # fmt: skip
        asked, request = self.ask("refused")
        said |= {"asked": asked, "request": request}
        self.add(
            "llm.unusable",
            content=None,
            raw=self.put("no"),
            reason="refused",
            where=None,
            detail="no",
            **said,
        )
        asked, request = self.ask("under seal", sealed=True)
        said |= {"asked": asked, "request": request}
        self.commitments = {f"{number:064x}" for number in (1, 2)}
        sealed = self.add(
            "llm.answered", MODEL, name="sealed", content=min(self.commitments), raw=max(self.commitments), value=None,
            guarantee="enforced", **said,
        )  # fmt: skip
        answer = {"schema_digest": "a" * 64, "about": None, "value": None}
        plain = self.add(
            "answer.recorded", MODEL, root="acceptance", answered=answered, content=self.put("said"), **answer
        )
        held = self.add(
            "answer.recorded",
            MODEL,
            name="held",
            root="held_out",
            answered=sealed,
            content="c" * 64,
            **answer,
        )
        self.add(
            "answer.verified", answer=plain, check="rule", item=None, result="supported", detail="it holds", evidence=(),
            objects=(self.put("one"), self.put("two")),
        )  # fmt: skip
        gate = self.add(
            "gate.announced", purpose="check", subject=None, argv=("true",), command=None, cwd=".", environment={},
            timeout_seconds=9, tree="copy", revision=None, fingerprint=None, contract=None, task=None, criterion=None,
        )  # fmt: skip
        self.add(
            "gate.ran", announced=gate, outcome="exited", exit_code=0, duration_ms=1, output=self.put("ran"),
            output_bytes=3, kept_bytes=3, masked={}, detail="",
        )  # fmt: skip
        salt = bytes(32)
        body = self.put("assert True")

        def fixed(kind: bytes, content: bytes) -> str:
            return sha256(b"\x05" + salt + kind + content).hexdigest()

        parts = {
            "path": fixed(b"path", b"t.py"),
            "content": fixed(b"content", b"assert True"),
            "argv": fixed(b"argv", b'["python"]'),
        }
        seal = self.add(
            "heldout.sealed", answer=held, about=None,
            files=({**parts, "scenarios": (), "composition": False, "common": ()},),
        )  # fmt: skip
        self.add(
            "heldout.revealed", sealed=seal,
            files=({"path": "t.py", "argv": ("python",), "content": body, "salt": salt.hex()},),
        )  # fmt: skip
        frozen = (
            {"path": "a.py", "content": self.put("frozen")},
            {"path": "b.py", "content": self.put("too")},
        )
        self.add("test.frozen", answer=plain, about=None, files=frozen, argv=(), evidence=())
        shown = {"subject": "plan", "statement": "yes"}
        self.add("approval.granted", ADA, digest=self.put("approved"), **shown)
        rendered = self.put("a brief and a diff")
        payload = CATALOGUE.payload("patch.rendered")(
            kind="revert", hash=rendered, shown=rendered, artifact={}, plans=(), proposed_by=()
        )
        self.seqs["patch.rendered"] = self.ledger.append([draft(payload)])[0].seq
        self.add("approval.granted", ADA, name="shown", digest=rendered, shown=rendered, **shown)
        self.add("approval.granted", ADA, name="masked", digest="d" * 64, **shown)
        self.add("observation.noted", ADA, statement="seen", objects=(self.put("noted"),))

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.workspace / "journal.ndjson").read_bytes().splitlines()]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("cites") / "repo" / ".t2c")


@pytest.fixture
def copied(shared: Made, tmp_path: Path) -> Path:
    return Path(shutil.copytree(shared.workspace, tmp_path / "repo" / ".t2c"))


def bundle(workspace: Path, target: Path, **options: Any) -> tuple[Exported, dict[str, bytes]]:
    with Ledger(workspace) as ledger:
        made = export(ledger, target, **options)
    names = [name for name in made.manifest.files if name.startswith("objects/")]
    return made, {name[8:].replace("/", ""): (target / name).read_bytes() for name in names}


def remade(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_bytes())
    change(manifest)
    path.write_text(json.dumps(manifest))


def test_all_that_is_cited_is_in_the_bundle_and_what_is_sealed_is_said_to_be(
    shared: Made, tmp_path: Path
) -> None:
    made, found = bundle(shared.workspace, tmp_path / "bundle")
    assert found == shared.bodies
    missing = {(item.object, item.seq, item.reason) for item in made.manifest.missing}
    assert missing == {(name, shared.seqs["sealed"], "sealed") for name in shared.commitments}
    assert set(made.manifest.citing) == set(CITING)
    verdict = check(open_bundle(tmp_path / "bundle"))
    assert (verdict.verdict, verdict.faults, verdict.missing) == ("sound", [], 0)
    told = " ".join(verdict.unproven)
    assert "what 2 commitments stand for" in told and "cited objects" not in told and "are for" not in told
    assert "2 commitments stand for it" in (tmp_path / "bundle" / "README.md").read_text()


def test_the_audit_the_verifier_and_a_merge_follow_the_same_objects(shared: Made) -> None:
    asked: list[str] = []

    def has(digest: str) -> bool:
        asked.append(digest)
        return True

    audit = DomainAudit(has)
    seen: set[str] = set()
    for event in shared.events():
        asked.clear()
        audit.visit(event["seq"], event)
        found = [name for name in cited(event) if name not in shared.commitments]
        assert sorted(asked) == sorted(found), event["type"]
        data = json.dumps(event["data"]).encode()
        offered = list(offered_by(event["type"], event["data"].get))
        assert cited_in(event["type"], data) == [*cited(event), *offered]
        seen |= {*found, *offered}
    assert audit.faults == []
    assert seen - {"d" * 64} == set(shared.bodies)
    assert {event["type"] for event in shared.events()} >= CITING.keys() | OFFERING.keys()


@pytest.mark.parametrize("kind", sorted(CITING))
def test_an_object_taken_out_of_a_bundle_is_missed(shared: Made, tmp_path: Path, kind: str) -> None:
    _made, found = bundle(shared.workspace, tmp_path / "bundle")
    (name, *_) = (name for event in shared.events() if event["type"] == kind for name in cited(event))
    assert name in found
    (tmp_path / "bundle" / "objects" / name[:2] / name[2:]).unlink()
    remade(tmp_path / "bundle", lambda said: said["files"].pop(f"objects/{name[:2]}/{name[2:]}"))
    verdict = check(open_bundle(tmp_path / "bundle"))
    assert [(fault.kind, fault.where) for fault in verdict.faults] == [
        ("object_missing", f"objects/{name[:2]}/{name[2:]}")
    ]


@pytest.mark.parametrize("kind", sorted(CITING))
def test_an_object_that_the_ledger_lost_is_named(
    copied: Path, shared: Made, tmp_path: Path, kind: str
) -> None:
    (name, *_) = (name for event in shared.events() if event["type"] == kind for name in cited(event))
    (copied / "objects" / name[:2] / name[2:]).unlink()
    made, _found = bundle(copied, tmp_path / "bundle")
    assert {(one.object, one.reason) for one in made.manifest.missing if one.reason != "sealed"} == {
        (name, "not in the ledger")
    }
    verdict = check(open_bundle(tmp_path / "bundle"))
    assert (verdict.verdict, verdict.missing) == ("sound", 1)


def test_what_is_withheld_takes_its_objects_with_it(shared: Made, tmp_path: Path) -> None:
    whole = bundle(shared.workspace, tmp_path / "whole")[1]
    made, found = bundle(shared.workspace, tmp_path / "bundle", withhold=("llm.*", "answer.*"))
    hidden = [event for event in shared.events() if event["type"].startswith(("llm.", "answer."))]
    only = {name for event in hidden for name in cited(event)}
    assert found.keys() == whole.keys() - only
    assert made.manifest.missing == []
    assert check(open_bundle(tmp_path / "bundle")).verdict == "sound"


def test_a_range_before_the_reveal_holds_no_body_of_a_sealed_test(shared: Made, tmp_path: Path) -> None:
    _made, found = bundle(shared.workspace, tmp_path / "bundle", last=shared.seqs["heldout.sealed"])
    assert b"assert True" not in found.values()
    assert check(open_bundle(tmp_path / "bundle")).verdict == "sound"


@pytest.mark.parametrize("options", [{"first": "sealed"}, {"withhold": ("llm.asked",)}])
def test_a_sealed_answer_without_its_question_is_sealed_still(
    shared: Made, tmp_path: Path, options: dict[str, Any]
) -> None:
    if "first" in options:
        options = {"first": shared.seqs["sealed"]}
    made, _ = bundle(shared.workspace, tmp_path / "bundle", **options)
    assert {(item.object, item.reason) for item in made.manifest.missing} == {
        (name, "sealed") for name in shared.commitments
    }
    assert check(open_bundle(tmp_path / "bundle")).verdict == "sound"


def test_a_bundle_of_before_is_sound_and_says_what_was_not_looked_for(shared: Made, tmp_path: Path) -> None:
    """As bundles were made that followed `observation.noted` alone."""
    _made, found = bundle(shared.workspace, tmp_path / "bundle")
    kept = next(name for name, content in found.items() if content == b"noted")
    for name in found.keys() - {kept}:
        (tmp_path / "bundle" / "objects" / name[:2] / name[2:]).unlink()

    def before(said: dict[str, Any]) -> None:
        said["files"] = {
            name: item
            for name, item in said["files"].items()
            if not name.startswith("objects/") or name[8:].replace("/", "") == kept
        }
        said["missing"] = []
        del said["citing"]

    remade(tmp_path / "bundle", before)
    verdict = check(open_bundle(tmp_path / "bundle"))
    assert (verdict.verdict, verdict.faults) == ("sound", [])
    assert any("did not look for objects of these types" in text for text in verdict.unproven)


def test_what_a_later_version_calls_missing_is_no_fault_to_this_one(shared: Made, tmp_path: Path) -> None:
    bundle(shared.workspace, tmp_path / "bundle")
    later = {"object": "e" * 64, "seq": 1, "reason": "not in the ledger"}
    remade(tmp_path / "bundle", lambda said: said["missing"].append(later))
    (fault,) = check(open_bundle(tmp_path / "bundle")).faults
    assert "no line cites it" in fault.detail
    remade(tmp_path / "bundle", lambda said: said["citing"].append("later.type"))
    assert check(open_bundle(tmp_path / "bundle")).verdict == "sound"


@pytest.mark.parametrize("said", ["llm.asked", [1], {"a": 1}, None])
def test_a_manifest_whose_citing_is_no_list_of_types_cannot_be_used(
    shared: Made, tmp_path: Path, said: object
) -> None:
    from t2c.ledger.errors import T2cError

    bundle(shared.workspace, tmp_path / "bundle")
    remade(tmp_path / "bundle", lambda manifest: manifest.update(citing=said))
    try:
        verdict = check(open_bundle(tmp_path / "bundle"))
    except T2cError as error:
        assert "cannot be used" in error.what
    else:
        assert [fault.kind for fault in verdict.faults] == ["manifest"]


def quiet(stage: str, done: int, total: int) -> None:
    pass


def take(workspace: Path, other: Path) -> Merged:
    """Take in a bundle, or the ledger of a workspace."""
    with Ledger(workspace, hold=True) as ours:
        if (other / "manifest.json").exists():
            with bundle_source(other, "other", quiet) as source, taking_turns(ours):
                found = plan(ours, source, quiet)
                return carry_out(ours, source, found, imported(source, found), quiet, withheld(source, found))
        with Ledger(other) as theirs:

            def objects(wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
                return ((name, theirs.objects.get(name)) for name in wanted if theirs.objects.has(name))

            chain = JournalSource(theirs.journal, "other", objects=objects)
            with taking_turns(ours):
                found = plan(ours, chain, quiet)
                return carry_out(ours, chain, found, merged(chain, found), quiet)


def held(workspace: Path) -> dict[str, bytes]:
    with Ledger(workspace) as ledger:
        return {name: ledger.objects.get(name) for name in ledger.objects.digests()}


@pytest.mark.parametrize("way", ["bundle", "ledger", "range", "branch"])
def test_all_that_is_cited_comes_in(shared: Made, tmp_path: Path, way: str) -> None:
    here, other, bodies = tmp_path / "here" / ".t2c", shared.workspace, shared.bodies
    here.mkdir(parents=True)
    if way == "branch":
        # It holds what asked for the sealed answer, and not what came of it.
        shutil.copytree(other / "objects", here / "objects")
        lines = (other / "journal.ndjson").read_bytes().splitlines(keepends=True)
        (here / "journal.ndjson").write_bytes(b"".join(lines[: shared.seqs["sealed"] - 1]))
        early = {name for line in lines[: shared.seqs["sealed"] - 1] for name in cited(json.loads(line))}
        for name in bodies.keys() - early:
            (here / "objects" / name[:2] / name[2:]).unlink()
    else:
        create(here)
    if way in ("bundle", "range"):
        other = tmp_path / "bundle"
        first = shared.seqs["sealed"] if way == "range" else 1
        bodies = bundle(shared.workspace, other, first=first)[1]
    before = held(here).keys()
    done = take(here, other)
    assert held(here) == bodies
    assert (done.objects, done.missing) == (len(bodies.keys() - before), [])
    assert done.objects > 5
    assert take(here, other).last == 0
    with Ledger(here) as ledger:
        audit = DomainAudit(ledger.objects.has, read=ledger.objects.get)
        for _, line, entry in ledger.journal.lines():
            audit.visit(entry.seq, json.loads(line))
    audit.finish()
    assert audit.faults == []


def test_what_the_other_side_lost_is_named_but_not_what_nobody_misses(
    copied: Path, shared: Made, tmp_path: Path
) -> None:
    here = tmp_path / "here" / ".t2c"
    here.parent.mkdir()
    create(here)
    lost = [
        next(name for name, content in shared.bodies.items() if content == body)
        for body in (b"frozen", b"approved")
    ]
    for name in lost:
        (copied / "objects" / name[:2] / name[2:]).unlink()
    assert take(here, copied).missing == lost[:1]
    assert held(here).keys() == shared.bodies.keys() - set(lost)


@pytest.mark.parametrize(
    ("body", "deleted", "kinds"),
    [
        (b"request open", True, set()),
        (b"request open", False, {"redaction_unfinished"}),
        (b"approved", True, set()),
        (b"nobody cites it", True, {"redaction_unknown"}),
    ],
)
def test_what_is_redacted_is_a_payload_or_an_object_that_was_cited_before_and_is_gone(
    copied: Path, shared: Made, body: bytes, deleted: bool, kinds: set[str]
) -> None:
    name = sha256(body).hexdigest()
    with Ledger(copied) as ledger:
        asked = next(event["id"] for event in shared.events() if event["type"] == "llm.asked")
        data = {"event": asked, "data_hash": name, "reason": "asked for", "requested_by": "human:ada"}
        ledger.append([draft(CATALOGUE.payload("payload.redacted")(**data))])
        if deleted:
            ledger.objects.remove(name)
        payloads = PayloadAudit(ledger.objects.payload)
        audit = DomainAudit(ledger.objects.has, payloads=payloads, read=ledger.objects.get)
        for _, line, entry in ledger.journal.lines():
            audit.visit(entry.seq, json.loads(line))
        audit.finish()
    assert {fault.kind for fault in (*audit.faults, *payloads.faults)} == kinds
