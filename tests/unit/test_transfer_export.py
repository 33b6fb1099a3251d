"""Export: what is in a bundle, that it is the same bytes each time, and what is never written."""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Corrupt, Environment, Refused, Usage
from t2c.ledger.transfer import staging
from t2c.ledger.transfer.export import Exported, export
from t2c.ledger.transfer.layout import View, check, open_bundle


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its name."""
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if not path.is_dir()
    }


def exported(evidence: Any, name: str = "bundle", **options: Any) -> tuple[Path, Exported]:
    destination = evidence.workspace.parent.parent / name
    with Ledger(evidence.workspace) as ledger:
        return destination, export(ledger, destination, **options)


def test_a_bundle_holds_the_lines_and_all_that_they_cite(evidence: Any) -> None:
    view = View(1, 5, "f" * 64, {"summary.md": "e" * 64})
    later = View(1, 500, "f" * 64, {})
    folder, made = exported(evidence, views={"summary": view, "runs": later})
    found = tree(folder)
    manifest = json.loads(found["manifest.json"])
    journal = evidence.chain.path.read_bytes()
    assert found["journal.ndjson"] == journal
    last = evidence.chain.seq
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in found.items()}
    own = digests.pop("manifest.json")
    assert {name: item["sha256"] for name, item in manifest["files"].items()} == digests
    assert {name: item["bytes"] for name, item in manifest["files"].items()} == {
        name: len(found[name]) for name in digests
    }
    assert (made.sha256, made.left_out) == (own, ())
    assert (manifest["schema"], manifest["ledger"]) == ("t2c.bundle/v1", "0" * 32)
    assert (manifest["first"], manifest["last"], manifest["head"]) == (1, last, evidence.chain.head)
    assert manifest["root"] == evidence.root().hex()
    assert manifest["projections"] == {
        "summary": {"version": 1, "seq": 5, "head": "f" * 64, "files": {"summary.md": "e" * 64}}
    }
    assert {name for name in found if name.startswith("objects/")} == {
        f"objects/{digest[:2]}/{digest[2:]}" for digest in (evidence.object, evidence.payload)
    }
    redaction = json.loads(journal.splitlines()[6])
    assert redaction["type"] == "payload.redacted"
    assert manifest["missing"] == sorted(
        [
            {"object": evidence.absent, "seq": 4, "reason": "not in the ledger"},
            {"object": evidence.gone, "seq": 6, "reason": f"redacted by {redaction['id']}"},
        ],
        key=lambda item: item["object"],
    )
    types = {json.loads(line)["type"] for line in journal.splitlines()} | {"envelope"}
    assert {name for name in found if name.startswith("schemas/")} == {
        f"schemas/events/{name}.v1.schema.json" for name in types
    }
    assert manifest["unknown"] == []
    assert found["checkpoint.txt"].decode() == evidence.head
    notes = {content.decode() for name, content in found.items() if name.startswith("checkpoints/")}
    assert notes == {evidence.anchor, evidence.head}
    (key,) = (content for name, content in found.items() if name.startswith("keys/"))
    assert key.decode() == evidence.signer.vkey + "\n"
    assert "proof.json" not in found


def test_two_exports_are_the_same_bytes_wherever_they_are_made(evidence: Any) -> None:
    one, _ = exported(evidence, "one")
    two, _ = exported(evidence, "two")
    assert tree(one) == tree(two)
    packed = [exported(evidence, f"{name}.tar.gz")[0].read_bytes() for name in ("a", "bb")]
    assert packed[0] == packed[1]


def test_an_export_leaves_the_ledger_as_it_was(evidence: Any) -> None:
    before = tree(evidence.workspace)
    exported(evidence)
    exported(evidence, "x.tar.gz")
    assert tree(evidence.workspace) == before
    assert {path.name for path in evidence.workspace.parent.parent.iterdir()} == {
        "repo",
        "bundle",
        "x.tar.gz",
    }


def test_an_archive_holds_the_files_of_the_folder_and_nothing_of_the_machine(evidence: Any) -> None:
    folder, _ = exported(evidence)
    packed, _ = exported(evidence, "x.tar.gz")
    plain = gzip.decompress(packed.read_bytes())
    assert packed.read_bytes()[3:8] == b"\0" * 5, "no name and no time in the gzip header"
    with tarfile.open(packed) as archive:
        members = archive.getmembers()
    assert [member.name for member in members] == sorted(tree(folder))
    last = json.loads(evidence.chain.path.read_bytes().splitlines()[-1])
    assert last["ts"] == "2026-01-05T10:00:09.000Z"
    for member in members:
        assert (member.uid, member.gid, member.uname, member.gname) == (0, 0, "", "")
        assert member.mtime == 1767607209
        assert member.mode == (0o755 if member.name == "verify.py" else 0o644)
    listed = subprocess.run(["tar", "-tf", "-"], input=plain, capture_output=True, check=True).stdout
    assert listed.decode().split() == sorted(tree(folder))
    other, _ = exported(evidence, "y.tar.gz", moment=86_400)
    with tarfile.open(other) as archive:
        assert {member.mtime for member in archive.getmembers()} == {86_400}


def test_a_range_carries_the_nodes_before_it(evidence: Any, oracle: Any) -> None:
    folder, made = exported(evidence, first=7, last=9)
    lines = evidence.chain.path.read_bytes().splitlines(keepends=True)
    assert (folder / "journal.ndjson").read_bytes() == b"".join(lines[6:9])
    leaves = [bytes.fromhex(oracle.leaf(line[:-1])) for line in lines]
    proof = json.loads((folder / "proof.json").read_bytes())
    assert proof["nodes"] == [oracle.root(leaves[:4]).hex(), oracle.root(leaves[4:6]).hex()]
    assert made.manifest.root == oracle.root(leaves[:9]).hex()
    assert check(open_bundle(folder)).verdict == "sound"
    assert {path.name for path in (folder / "keys").iterdir()}, "a key registered before the range"


def test_withheld_lines_become_stubs_and_take_with_them_what_only_they_cite(
    evidence: Any, oracle: Any
) -> None:
    folder, made = exported(evidence, withhold=("observation.noted", "record.*"))
    lines = evidence.chain.path.read_bytes().splitlines()
    shipped = (folder / "journal.ndjson").read_bytes().splitlines()
    hidden = [
        seq
        for seq, line in enumerate(lines, 1)
        if json.loads(line)["type"] in ("observation.noted", "record.observed")
    ]
    assert len(hidden) == 6
    for seq, (line, sent) in enumerate(zip(lines, shipped, strict=True), 1):
        stub = b'{"withheld":"%b"}' % oracle.leaf(line).encode()
        assert sent == (stub if seq in hidden else line)
    said = {
        item.type: [seq for a, b in item.seqs for seq in range(a, b + 1)] for item in made.manifest.withheld
    }
    assert sorted(seq for seqs in said.values() for seq in seqs) == hidden
    assert said["record.observed"] == [8]
    assert made.manifest.missing == [], "what a withheld line cites is not named either"
    assert not (folder / "objects").exists()
    everything = b"".join(tree(folder).values())
    for secret in (b"staging", b"write the guide", evidence.object.encode(), evidence.payload.encode()):
        assert secret not in everything
    found = check(open_bundle(folder))
    assert (found.verdict, found.withheld, found.root) == ("sound", 6, evidence.root().hex())


@pytest.mark.parametrize("pattern", ["observation.noticed", "record", "record.*x", "*", "records.*"])
def test_a_misspelt_type_hands_nothing_over(evidence: Any, pattern: str) -> None:
    with pytest.raises(Usage, match="no event is of the type"):
        exported(evidence, withhold=(pattern,))
    assert {path.name for path in evidence.workspace.parent.parent.iterdir()} == {"repo"}


@pytest.mark.parametrize(("first", "last"), [(0, 3), (4, 3), (1, 999), (999, 999), (-1, None)])
def test_a_range_that_is_not_there_is_refused(evidence: Any, first: int, last: int | None) -> None:
    with pytest.raises(Usage, match="no range of this ledger"):
        exported(evidence, first=first, last=last)


def test_a_damaged_journal_or_object_is_not_handed_over(evidence: Any) -> None:
    journal = evidence.chain.path.read_bytes()
    evidence.chain.path.write_bytes(journal.replace(b"checked on staging", b"chocked on staging"))
    with pytest.raises(Corrupt, match="seq 4 does not follow"):
        exported(evidence)
    evidence.chain.path.write_bytes(journal.replace("Zażółć".encode(), "Zażółw".encode()))
    with pytest.raises(Corrupt, match="does not fit its own id"):
        exported(evidence)
    evidence.chain.path.write_bytes(journal)
    evidence.keep(b"other output", evidence.object)
    with pytest.raises(Corrupt, match="does not hold the bytes"):
        exported(evidence)
    assert {path.name for path in evidence.workspace.parent.parent.iterdir()} == {"repo"}


@pytest.mark.parametrize("name", ["taken", "taken.tar.gz", "link", "link.tar.gz", "empty.tar.gz"])
def test_what_stands_at_the_destination_stays(evidence: Any, name: str) -> None:
    top = evidence.workspace.parent.parent
    (top / "taken").mkdir()
    (top / "taken" / "mine").write_text("mine")
    (top / "taken.tar.gz").write_text("mine")
    (top / "empty.tar.gz").mkdir()
    (top / "elsewhere").mkdir()
    (top / "link").symlink_to("elsewhere")
    (top / "link.tar.gz").symlink_to("nowhere")
    before = {path.name for path in top.iterdir()}
    with pytest.raises(Refused, match="is there already"):
        exported(evidence, name)
    assert {path.name for path in top.iterdir()} == before
    assert (top / "taken" / "mine").read_text() == (top / "taken.tar.gz").read_text() == "mine"
    assert not any((top / "elsewhere").iterdir())


def test_an_empty_folder_takes_a_bundle(evidence: Any) -> None:
    (evidence.workspace.parent.parent / "bundle").mkdir()
    folder, _ = exported(evidence)
    assert (folder / "manifest.json").is_file()


def test_what_came_to_the_destination_meanwhile_stays(evidence: Any, tmp_path: Path) -> None:
    for name, made in (("f", "folder"), ("f.tar.gz", "file")):
        source = tmp_path / "made"
        if made == "folder":
            source.mkdir()
            (tmp_path / name).mkdir()
            (tmp_path / name / "mine").touch()
        else:
            source.touch()
            (tmp_path / name).write_text("mine")
        with pytest.raises(Refused, match="is there already"):
            staging.place(source, tmp_path / name)
        if made == "folder":
            source.rmdir()
    assert (tmp_path / "f" / "mine").exists()
    assert (tmp_path / "f.tar.gz").read_text() == "mine"


def test_two_exports_to_one_place_do_not_mix(evidence: Any) -> None:
    destination = evidence.workspace.parent.parent / "bundle"
    with staging.staged(destination, archive=False) as made:
        (made / "mine").touch()
        with pytest.raises(Conflict, match="another export"):
            exported(evidence)
        assert (made / "mine").exists()
    exported(evidence)


def test_what_a_killed_export_left_is_cleared(evidence: Any) -> None:
    left = evidence.workspace.parent.parent / ".bundle.t2c-staging"
    (left / "bundle" / "objects").mkdir(parents=True)
    (left / "bundle" / "objects" / "half").write_bytes(b"ha")
    (left / "archive").write_bytes(b"\x1f\x8b")
    folder, _ = exported(evidence)
    assert not left.exists()
    assert "objects/half" not in tree(folder)


def test_a_place_that_cannot_be_written_is_named(evidence: Any) -> None:
    with pytest.raises(Usage, match="there is no folder"):
        exported(evidence, "nowhere/bundle")
    with pytest.raises(Environment) as caught:
        exported(evidence, "x" * 250)
    assert caught.value.safe is not None
    with pytest.raises(Usage, match="NUL"):
        exported(evidence, "a\0b")


def test_checkpoints_and_keys_that_do_not_belong_are_named_not_dropped(
    evidence: Any, new_evidence: Callable[[Path], Any]
) -> None:
    kept = evidence.workspace / "checkpoints"
    (kept / "broken.txt").write_text("no checkpoint")
    (kept / "other.txt").write_text(evidence.head.replace("t2c/0", "t2c/1"))
    evidence.chain.add("key.registered", {"key": "k2", "algorithm": "ssh", "public": "ssh-ed25519 AAAA"})
    evidence.chain.add("key.registered", {"key": "k3", "algorithm": "ed25519", "public": "no key"})
    _, made = exported(evidence, last=9)
    assert "a checkpoint of more events than the range ends with" in made.left_out
    _, made = exported(evidence, "all")
    assert [sentence.partition(":")[0] for sentence in made.left_out] == [
        "a registered key, 'no key'",  # the one of SSH signs approvals and no checkpoint
        "checkpoints/broken.txt", "a checkpoint of t2c/1" + "0" * 31 + ", another log",
    ]  # fmt: skip


def test_types_of_a_newer_version_are_shipped_and_counted(evidence: Any) -> None:
    evidence.chain.add("weather.seen", {"sun": True})
    folder, made = exported(evidence)
    assert made.manifest.unknown == ["weather.seen.v1"]
    assert check(open_bundle(folder)).verdict == "sound"


def test_a_segmented_journal_is_one_file_in_a_bundle(tmp_path: Path, note: Callable[..., Any]) -> None:
    from t2c.ledger.engine import create
    from t2c.ledger.journal.segments import SealRule

    create(tmp_path / ".t2c")
    with Ledger(tmp_path / ".t2c", rule=SealRule(bytes=2000, events=4)) as ledger:
        for number in range(20):
            ledger.append([note(f"event {number}")])
        assert len(list((tmp_path / ".t2c" / "segments").iterdir())) > 1
        made = export(ledger, tmp_path / "bundle", first=3)
        lines = [line for _, line, _ in ledger.journal.lines()]
    assert (tmp_path / "bundle" / "journal.ndjson").read_bytes() == b"".join(lines[2:])
    assert made.manifest.last == 21
    assert check(open_bundle(tmp_path / "bundle")).verdict == "sound"


def test_a_bundle_is_opened_the_same_from_folder_and_archive(evidence: Any) -> None:
    folder, _ = exported(evidence, withhold=("record.observed",))
    packed, _ = exported(evidence, "x.tar.gz", withhold=("record.observed",))
    one, two = open_bundle(folder), open_bundle(packed)
    assert one.manifest == two.manifest
    assert one.sha256 == two.sha256
    assert list(one.lines()) == list(two.lines())
    assert dict(one.objects()) == dict(two.objects())
    assert set(dict(one.objects())) == {evidence.object, evidence.payload}
    for bundle in (one, two):
        assert bundle.object(evidence.object) == b"gate output\n"
        assert bundle.object(evidence.gone) is None
        shipped = list(bundle.lines())
        assert [line.seq for line in shipped] == list(range(1, evidence.chain.seq + 1))
        assert shipped[7].line is None
        assert shipped[-1].hash == evidence.chain.head


@pytest.mark.parametrize(
    ("content", "error"),
    [(None, Usage), (b"", Usage), (b"{}", Corrupt), (b"\xff", Corrupt), (b'{"schema":"x"}', Corrupt)],
)
def test_what_is_no_bundle_is_refused_by_name(
    tmp_path: Path, content: bytes | None, error: type[Exception]
) -> None:
    folder = tmp_path / "bundle"
    folder.mkdir()
    if content:
        (folder / "manifest.json").write_bytes(content)
    with pytest.raises(error):
        open_bundle(folder)
    with pytest.raises(Usage):
        open_bundle(tmp_path / "nowhere")


def test_a_file_that_no_archive_can_hold_is_named_before_it_is_read(tmp_path: Path) -> None:
    from t2c.ledger.transfer.archive import MOST_IN_ARCHIVE, pack

    with (tmp_path / "journal.ndjson").open("wb") as sparse:
        sparse.truncate(MOST_IN_ARCHIVE)
    with pytest.raises(Usage, match="too long for an archive"):
        pack(tmp_path, ["journal.ndjson"], tmp_path / "x", 0, "verify.py")


def test_what_a_line_that_is_not_withheld_cites_stays(evidence: Any) -> None:
    """An object that withheld and other lines cite is still evidence for the others."""
    from t2c.ledger.transfer.cut import matches

    assert matches("record.observed", ("record.*",))
    assert not matches("recordings.kept", ("record.*",))
    evidence.chain.add("gate.ran", b'null,"data_hash":"%b"' % evidence.payload.encode())
    folder, _ = exported(evidence, withhold=("observation.noted",))
    assert {name[8:] for name in tree(folder) if name.startswith("objects/")} == {
        f"{evidence.payload[:2]}/{evidence.payload[2:]}"
    }
    assert check(open_bundle(folder)).verdict == "sound"


def test_an_unfinished_end_stays_behind_and_is_named(evidence: Any) -> None:
    with evidence.chain.path.open("ab") as journal:
        journal.write(b'{"actor":{"id":"t2c","kin')
    folder, made = exported(evidence)
    assert made.left_out == ("an unfinished end of 25 bytes, which was never acknowledged",)
    assert check(open_bundle(folder)).verdict == "sound"
    _, made = exported(evidence, "part", last=3)
    assert not any("unfinished" in sentence for sentence in made.left_out)
