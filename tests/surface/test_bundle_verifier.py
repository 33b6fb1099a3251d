"""The verifier that a bundle ships, run with nothing else: what it proves, and why it refuses each tampered copy."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from t2c.ledger.engine import Ledger
from t2c.ledger.transfer.export import export


class Ran(NamedTuple):
    code: int
    found: dict[str, Any]
    err: str

    def kinds(self) -> set[str]:
        return {fault["kind"] for fault in self.found["faults"]}


def verify(where: Path, *arguments: str | Path) -> Ran:
    """`python3 -I -S verify.py` in a folder that holds a bundle and nothing else, with an empty environment."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "verify.py", "--json", *map(str, arguments)],
        check=False,
        cwd=where,
        env={},
        capture_output=True,
        timeout=60,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    found = json.loads(done.stdout) if done.stdout else {}
    return Ran(done.returncode, found, done.stderr.decode())


@pytest.fixture
def bundle(evidence: Any, tmp_path: Path) -> Path:
    """A bundle in a folder of its own."""
    folder = tmp_path / "auditor" / "bundle"
    folder.parent.mkdir()
    with Ledger(evidence.workspace) as ledger:
        export(ledger, folder)
    return folder


@pytest.fixture
def elsewhere(evidence: Any, tmp_path: Path) -> dict[str, Path]:
    """What an auditor has from elsewhere: the key, and checkpoints of event 8 and of the last one."""
    folder = tmp_path / "kept"
    folder.mkdir()
    for name, text in (("key", evidence.signer.vkey), ("early", evidence.anchor), ("late", evidence.head)):
        (folder / name).write_text(text)
    return {name: folder / name for name in ("key", "early", "late")}


def adapt(bundle: Path, **figures: Any) -> None:
    """Make the manifest fit the files, as a sender who tampers would."""
    path = bundle / "manifest.json"
    manifest = json.loads(path.read_bytes())
    manifest["files"] = {
        str(file.relative_to(bundle)): {
            "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
            "bytes": file.stat().st_size,
        }
        for file in sorted(bundle.rglob("*"))
        if file.is_file() and file != path
    }
    path.write_text(json.dumps({**manifest, **figures}))


def rewrite(bundle: Path, lines: Iterable[bytes]) -> None:
    (bundle / "journal.ndjson").write_bytes(b"".join(line + b"\n" for line in lines))


def lines(bundle: Path) -> list[bytes]:
    return (bundle / "journal.ndjson").read_bytes().splitlines()


def state(bundle: Path, oracle: Any, ledger: str = "0" * 32) -> None:
    """Make manifest and checkpoint.txt state what the journal now is."""
    leaves = [oracle.leaf(line) for line in lines(bundle)]
    root = oracle.root([bytes.fromhex(leaf) for leaf in leaves])
    text = f"t2c/{ledger}\n{len(leaves)}\n{base64.b64encode(root).decode()}\n"
    (bundle / "checkpoint.txt").write_text(text)
    adapt(bundle, last=len(leaves), head=leaves[-1], root=root.hex(), ledger=ledger)


def test_a_sound_bundle_is_sound_and_says_what_that_does_not_prove(
    bundle: Path, evidence: Any, elsewhere: dict[str, Path]
) -> None:
    ran = verify(bundle)
    assert (ran.code, ran.found["verdict"], ran.found["faults"]) == (0, "sound", [])
    assert (ran.found["root"], ran.found["head"]) == (evidence.root().hex(), evidence.chain.head)
    assert ran.found["missing"] == 2
    said = " ".join(ran.found["unproven"])
    for words in (
        "no --key", "no --checkpoint", "cut off its end", "prove only that it agrees with itself",
        "2 cited objects", "1 of them deleted by a redaction event", "times are true",
    ):  # fmt: skip
        assert words in said
    ran = verify(bundle, "--key", elsewhere["key"], "--checkpoint", elsewhere["early"])
    assert ran.code == 0
    last = evidence.chain.seq
    assert ran.found["proven"] == [
        f"events 1 to {last} are those that the given key signed",
        f"events 1 to 8 are those that {elsewhere['early']} vouches for",
    ]
    assert "no --key" not in " ".join(ran.found["unproven"])


def flipped(bundle: Path) -> None:
    rewrite(bundle, [line.replace(b"checked on", b"checker on") for line in lines(bundle)])


def dropped(bundle: Path) -> None:
    found = lines(bundle)
    rewrite(bundle, found[:3] + found[4:])


def swapped(bundle: Path) -> None:
    found = lines(bundle)
    rewrite(bundle, [*found[:3], found[4], found[3], *found[5:]])


def doubled(bundle: Path) -> None:
    found = lines(bundle)
    rewrite(bundle, [*found[:4], found[3], *found[4:]])


def object_changed(bundle: Path) -> None:
    for path in (bundle / "objects").rglob("*"):
        if path.is_file():
            path.chmod(0o644)
            path.write_bytes(path.read_bytes() + b"!")


def object_removed(bundle: Path) -> None:
    shutil.rmtree(bundle / "objects")


def object_called_missing(bundle: Path) -> None:
    manifest = json.loads((bundle / "manifest.json").read_bytes())
    manifest["missing"].append({"object": "a" * 64, "seq": 1, "reason": ""})
    (bundle / "manifest.json").write_text(json.dumps(manifest))


def root_changed(bundle: Path) -> None:
    path = bundle / "checkpoint.txt"
    found = path.read_text().split("\n")
    path.write_text("\n".join([*found[:2], base64.b64encode(b"x" * 32).decode()]) + "\n")


def signature_changed(bundle: Path) -> None:
    for path in [bundle / "checkpoint.txt", *(bundle / "checkpoints").iterdir()]:
        head, _, packed = path.read_text()[:-1].rpartition(" ")
        content = bytearray(base64.b64decode(packed))
        content[20] ^= 1
        path.write_text(f"{head} {base64.b64encode(content).decode()}\n")


def file_added(bundle: Path) -> None:
    (bundle / "extra.txt").write_text("by the way")


def file_removed(bundle: Path) -> None:
    (bundle / "README.md").unlink()


def nothing(bundle: Path) -> None:
    pass


@pytest.mark.parametrize(
    ("tamper", "adapted", "kinds", "where"),
    [
        (flipped, False, {"id", "prev", "root", "file_changed", "checkpoint"}, "seq 3"),
        (flipped, True, {"id", "prev", "root", "checkpoint"}, "seq 3"),
        (dropped, False, {"gap", "count", "root", "file_changed", "checkpoint"}, "seq 4"),
        (dropped, True, {"gap", "count", "root", "checkpoint"}, "seq 4"),
        (swapped, False, {"gap", "reordered", "root", "file_changed", "checkpoint"}, "seq 4"),
        (swapped, True, {"gap", "reordered", "root", "checkpoint"}, "seq 4"),
        (doubled, True, {"reordered", "count", "root", "checkpoint"}, "seq 5"),
        (object_changed, False, {"object_changed", "object_missing", "file_changed"}, "objects/"),
        (object_changed, True, {"object_changed", "object_missing"}, "objects/"),
        (object_removed, False, {"object_missing", "file_missing"}, "objects/"),
        (object_removed, True, {"object_missing"}, "objects/"),
        (object_called_missing, False, {"manifest"}, "manifest.json"),
        (root_changed, False, {"checkpoint", "file_changed"}, "checkpoint.txt"),
        (root_changed, True, {"checkpoint"}, "checkpoint.txt"),
        (signature_changed, False, {"signature", "file_changed"}, "checkpoint.txt"),
        (signature_changed, True, {"signature"}, "checkpoint.txt"),
        (file_added, False, {"file_unlisted"}, "extra.txt"),
        (file_removed, False, {"file_missing"}, "README.md"),
    ],
)
def test_each_tampered_copy_is_refused_with_the_reason(
    bundle: Path, tamper: Callable[[Path], None], adapted: bool, kinds: set[str], where: str
) -> None:
    tamper(bundle)
    if adapted:
        adapt(bundle)
    ran = verify(bundle)
    assert (ran.code, ran.found["verdict"]) == (1, "faulty")
    assert ran.kinds() - {"head"} == kinds
    assert any(fault["where"].startswith(where) for fault in ran.found["faults"])


@pytest.mark.parametrize(
    ("figure", "value", "kind"),
    [
        ("root", "a" * 64, "root"), ("head", "a" * 64, "head"), ("last", 12, "count"), ("first", 2, "range_proof"),
        ("ledger", "1" * 32, "foreign_ledger"), ("withheld", [{"type": "x.y", "seqs": [[3, 4]]}], "withheld"),
        ("withheld", [{"type": "x.y", "seqs": [[4, 3]]}], "manifest"), ("withheld", [{"seqs": [["a", 3]]}], "manifest"),
        ("missing", [], "object_missing"), ("schema", "t2c.bundle/v9", "manifest"), ("files", None, "manifest"),
        ("last", 10**30, "manifest"), ("first", 0, "manifest"), ("root", None, "manifest"),
    ],
)  # fmt: skip
def test_a_figure_of_the_manifest_that_was_changed_is_named(
    bundle: Path, figure: str, value: Any, kind: str
) -> None:
    manifest = json.loads((bundle / "manifest.json").read_bytes())
    (bundle / "manifest.json").write_text(json.dumps({**manifest, figure: value}))
    ran = verify(bundle)
    assert ran.code == 1
    assert kind in ran.kinds()


def test_a_cut_tail_with_everything_adapted_is_seen_by_what_was_signed_or_kept(
    bundle: Path, elsewhere: dict[str, Path], oracle: Any
) -> None:
    rewrite(bundle, lines(bundle)[:-1])
    state(bundle, oracle)
    ran = verify(bundle)
    assert (ran.code, ran.kinds()) == (1, {"checkpoint"}), "a signed checkpoint in the bundle knows of more"
    assert verify(bundle, "--key", elsewhere["key"]).found["verdict"] == "truncated"
    for path in (bundle / "checkpoints").iterdir():
        if path.name.startswith("10-"):
            path.unlink()
    adapt(bundle)
    ran = verify(bundle)
    assert ran.code == 0, "nothing in it says that it was longer"
    assert "cut off its end" in " ".join(ran.found["unproven"])
    ran = verify(bundle, "--checkpoint", elsewhere["late"])
    assert (ran.code, ran.found["verdict"], ran.kinds()) == (5, "truncated", {"truncated"})
    assert verify(bundle, "--checkpoint", elsewhere["early"]).code == 0
    ran = verify(bundle, "--key", elsewhere["key"])
    assert ran.code == 0
    assert "events after 8: no signature by the given key covers them" in ran.found["unproven"]


def test_a_chain_made_anew_is_seen_by_what_was_signed_or_kept(
    bundle: Path, elsewhere: dict[str, Path], oracle: Any
) -> None:
    events = [json.loads(line) for line in lines(bundle)]
    events.insert(3, {**events[2], "data": {**events[2]["data"], "statement": "never said"}})
    rewrite(bundle, oracle.mint(events).splitlines())
    state(bundle, oracle)
    ran = verify(bundle)
    assert (ran.code, ran.kinds()) == (1, {"checkpoint"})
    ran = verify(bundle, "--key", elsewhere["key"])
    assert (ran.code, ran.found["verdict"]) == (5, "forked")
    shutil.rmtree(bundle / "checkpoints")
    adapt(bundle)
    assert verify(bundle).code == 0, "it agrees with itself"
    ran = verify(bundle, "--checkpoint", elsewhere["early"])
    assert (ran.code, ran.found["verdict"], ran.kinds()) == (5, "forked", {"forked"})
    ran = verify(bundle, "--key", elsewhere["key"])
    assert (ran.code, ran.kinds()) == (1, {"unsigned"})


def test_a_damaged_line_is_a_fault_and_no_fork(bundle: Path, elsewhere: dict[str, Path]) -> None:
    flipped(bundle)
    ran = verify(bundle, "--checkpoint", elsewhere["early"], "--key", elsewhere["key"])
    assert (ran.code, ran.found["verdict"]) == (1, "faulty")
    assert "damaged from seq 3 on" in " ".join(ran.found["unproven"])


def test_the_journal_of_another_ledger_is_named(
    bundle: Path, elsewhere: dict[str, Path], oracle: Any
) -> None:
    events = [json.loads(line) for line in lines(bundle)]
    events[0]["data"]["ledger"] = "1" * 32
    rewrite(bundle, oracle.mint(events).splitlines())
    adapt(bundle)
    assert {"foreign_ledger", "root", "checkpoint"} <= verify(bundle).kinds()
    state(bundle, oracle, ledger="1" * 32)
    assert verify(bundle).kinds() == {"checkpoint"}
    shutil.rmtree(bundle / "checkpoints")
    adapt(bundle)
    assert verify(bundle).code == 0, "a ledger of its own"
    ran = verify(bundle, "--checkpoint", elsewhere["early"])
    assert (ran.code, ran.found["verdict"]) == (5, "forked")
    assert "not of this ledger" in ran.found["faults"][0]["detail"]


def test_a_key_inside_the_bundle_proves_nothing_about_its_maker(
    bundle: Path, elsewhere: dict[str, Path], oracle: Any
) -> None:
    """A forger signs the forged history with a key of its own and puts that into the bundle."""
    events = [json.loads(line) for line in lines(bundle)]
    events[2]["data"]["statement"] = "never said"
    rewrite(bundle, oracle.mint(events).splitlines())
    shutil.rmtree(bundle / "checkpoints")
    state(bundle, oracle)
    ran = verify(bundle)
    assert ran.code == 0
    assert "prove only that it agrees with itself" in " ".join(ran.found["unproven"])
    assert verify(bundle, "--key", elsewhere["key"]).code == 1


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b'{"actor":', "not_json"), (b"", "not_json"), (b"\xff\xfe", "not_utf8"), (b"[1]", "not_json"),
        (b'{"seq":1,"seq":1}', "duplicate_key"), (b"[" * 100_000, "not_json"), (b"x" * (1 << 21), "too_long"),
        (b'{"seq":1e400,"prev":"","id":"","ts":"","type":""}', "not_json"), (b"NaN", "not_json"),
        (b'{"withheld":"abc"}', "not_json"), (b'{"seq":' + b"9" * 5000 + b"}", "not_json"),
        (b'{"seq":true,"prev":"","id":"","ts":"","type":""}', "not_json"),
        (b'{"data":[],"id":"\\ud800","prev":"","seq":4,"ts":"","type":"payload.redacted"}', "id"),
    ],
)  # fmt: skip
def test_a_hostile_line_is_named_and_the_walk_goes_on(bundle: Path, line: bytes, kind: str) -> None:
    found = lines(bundle)
    rewrite(bundle, [*found[:3], line, *found[3:]])
    ran = verify(bundle)
    assert ran.code == 1
    assert any(fault["kind"] == kind and fault["where"] == "seq 4" for fault in ran.found["faults"])


def test_a_last_line_without_an_end_is_named(bundle: Path) -> None:
    path = bundle / "journal.ndjson"
    path.write_bytes(path.read_bytes()[:-1])
    adapt(bundle)
    ran = verify(bundle)
    assert ran.code == 1
    assert "the last line has no end" in [fault["detail"] for fault in ran.found["faults"]]


def test_an_empty_journal_is_no_journal(bundle: Path) -> None:
    """[public-case 61] The file replaced by an empty one."""
    rewrite(bundle, [])
    adapt(bundle)
    ran = verify(bundle)
    assert ran.code == 1
    assert {"count", "head", "root"} <= ran.kinds()
    (bundle / "journal.ndjson").unlink()
    adapt(bundle)
    assert "there is no journal.ndjson" in verify(bundle).found["faults"][-1]["detail"]


def test_times_that_go_back_are_named(bundle: Path, oracle: Any) -> None:
    events = [json.loads(line) for line in lines(bundle)]
    events[4]["ts"] = "2020-01-01T00:00:00.000Z"
    rewrite(bundle, oracle.mint(events).splitlines())
    shutil.rmtree(bundle / "checkpoints")
    state(bundle, oracle)
    assert verify(bundle).kinds() == {"time"}


def test_a_range_is_proven_against_the_root_of_the_whole(
    evidence: Any, elsewhere: dict[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "auditor"
    with Ledger(evidence.workspace) as ledger:
        export(ledger, folder, first=6)
    ran = verify(folder, "--checkpoint", elsewhere["late"], "--checkpoint", elsewhere["early"])
    assert (ran.code, ran.found["first"], ran.found["root"]) == (0, 6, evidence.root().hex())
    assert len(ran.found["proven"]) == 2
    assert any(sentence.startswith("events 1 to 5: only the nodes") for sentence in ran.found["unproven"])
    proof = json.loads((folder / "proof.json").read_bytes())
    (folder / "proof.json").write_text(json.dumps({**proof, "nodes": [proof["nodes"][0], "a" * 64]}))
    adapt(folder)
    ran = verify(folder, "--checkpoint", elsewhere["late"])
    assert (ran.code, ran.found["verdict"]) == (1, "faulty"), (
        "event 6 holds the hash of event 5, and that is the node"
    )
    assert "prev" in ran.kinds()
    changed = json.dumps({**proof, "nodes": ["a" * 64, proof["nodes"][1]]})
    (folder / "proof.json").write_text(changed)
    adapt(folder)
    ran = verify(folder, "--checkpoint", elsewhere["late"])
    assert (ran.code, ran.found["verdict"]) == (5, "forked")
    for nodes in ([], ["a" * 64], ["a" * 63, "b" * 64], "ab", [1, 2]):
        (folder / "proof.json").write_text(json.dumps({**proof, "nodes": nodes}))
        assert verify(folder).kinds() == {"range_proof"}


def test_two_views_of_one_ledger_part_where_they_differ(
    tmp_path: Path, new_evidence: Callable[[Path], Any]
) -> None:
    """[public-case 67] Each alone is sound; together they show that somebody was told another history."""
    bundles = []
    for name in ("one", "two"):
        ledger_at = new_evidence(tmp_path / name / ".t2c")
        ledger_at.note(f"told to {name}")
        ledger_at.note("the same again")
        with Ledger(ledger_at.workspace) as ledger:
            export(ledger, tmp_path / f"{name}.tar.gz")
            export(ledger, tmp_path / f"{name}-part", first=4, last=9, withhold=("observation.noted",))
            export(ledger, tmp_path / f"{name}-end", first=11)
        bundles.append(tmp_path / f"{name}.tar.gz")
    folder = tmp_path / "auditor"
    folder.mkdir()
    shutil.copy(tmp_path / "one-part" / "verify.py", folder)
    one, two = bundles
    assert verify(folder, one).code == verify(folder, two).code == 0
    ran = verify(folder, one, "--against", two)
    assert (ran.code, ran.found["verdict"]) == (5, "forked")
    assert "seq 11 is the first event that differs" in ran.found["faults"][-1]["detail"]
    ran = verify(folder, one, "--against", tmp_path / "two-part")
    assert ran.code == 0, "withheld lines compare by their hashes"
    assert f"6 events up to seq 9 are the same in {tmp_path / 'two-part'}" in ran.found["proven"]
    ran = verify(folder, tmp_path / "one-part", "--against", tmp_path / "two-end")
    assert "no event is in both" in " ".join(ran.found["unproven"])


def test_usage_is_two(bundle: Path, tmp_path: Path, elsewhere: dict[str, Path], new_evidence: Any) -> None:
    other = new_evidence(tmp_path / "other" / ".t2c")
    manifest = bundle / "manifest.json"
    foreign = tmp_path / "foreign"
    with Ledger(other.workspace) as ledger:
        export(ledger, foreign)
    said = json.loads(manifest.read_bytes())
    (foreign / "manifest.json").write_text(json.dumps({**said, "ledger": "1" * 32}))
    for arguments in (
        ["--key", "nonsense"], ["--key", elsewhere["early"]], ["--checkpoint", elsewhere["key"]],
        ["--checkpoint", tmp_path / "nowhere"], ["--unknown"], ["--against", foreign],
    ):  # fmt: skip
        ran = verify(bundle, *arguments)
        assert ran.code == 2, arguments
        assert ran.err
    assert verify(bundle, tmp_path / "nowhere").kinds() == {"unreadable"}


def packed(members: list[tuple[tarfile.TarInfo, bytes]], tail: bytes = b"") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for member, content in members:
            member.size = len(content) if member.isreg() else 0
            archive.addfile(member, io.BytesIO(content))
    return gzip.compress(out.getvalue() + tail)


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tuple[tarfile.TarInfo, bytes]:
    found = tarfile.TarInfo(name)
    found.type, found.linkname = kind, target
    return found, b"x"


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ([member("/etc/passwd")], "not a name that a bundle may hold"),
        ([member("../up")], "not a name that a bundle may hold"),
        ([member("a/../../up")], "not a name that a bundle may hold"),
        ([member("a\n")], "not a name that a bundle may hold"),
        ([member("link", tarfile.SYMTYPE, "/etc/passwd")], "no plain file"),
        ([member("link", tarfile.LNKTYPE, "manifest.json")], "no plain file"),
        ([member("null", tarfile.CHRTYPE)], "no plain file"),
        ([member("pipe", tarfile.FIFOTYPE)], "no plain file"),
        ([member("folder", tarfile.DIRTYPE)], "no plain file"),
        ([member("sparse", tarfile.GNUTYPE_SPARSE)], "no plain file"),
        ([member("b"), member("a")], "out of order"),
        ([member("a"), member("a")], "stands twice"),
        ([], "there is no manifest.json"),
    ],
)
def test_an_archive_that_would_do_harm_is_refused(
    bundle: Path, tmp_path: Path, members: list[tuple[tarfile.TarInfo, bytes]], words: str
) -> None:
    hostile = tmp_path / "hostile.tar.gz"
    hostile.write_bytes(packed(members))
    before = sorted(tmp_path.rglob("*"))
    ran = verify(bundle, hostile)
    assert (ran.code, ran.kinds()) == (1, {"unreadable"})
    assert words in ran.found["faults"][0]["detail"]
    assert sorted(tmp_path.rglob("*")) == before, "nothing is unpacked"


def test_an_archive_that_is_cut_damaged_or_a_bomb_is_refused(
    bundle: Path, evidence: Any, tmp_path: Path
) -> None:
    sound = tmp_path / "sound.tar.gz"
    with Ledger(evidence.workspace) as ledger:
        export(ledger, sound)
    assert verify(bundle, sound).code == 0
    content = sound.read_bytes()
    hostile = tmp_path / "hostile.tar.gz"
    for change in (
        content[:1000], content[: len(content) // 2], content[:-8], b"not gzip", b"",
        content[:2000] + bytes([content[2000] ^ 255]) + content[2001:],
        gzip.compress(gzip.decompress(content) + b"more" * 200), gzip.compress(gzip.decompress(content).rstrip(b"\0")),
    ):  # fmt: skip
        hostile.write_bytes(change)
        ran = verify(bundle, hostile)
        assert ran.code == 1, change[:20]
    bomb, _ = member("objects/bomb")
    hostile.write_bytes(packed([(bomb, b"\0" * (8 << 20))]))
    assert len(hostile.read_bytes()) < 20_000
    ran = verify(bundle, hostile, "--most-bytes", "1000000")
    assert "unpacks to more than 1,000,000 bytes" in ran.found["faults"][0]["detail"]


def test_links_and_pipes_in_a_folder_are_not_followed(bundle: Path, tmp_path: Path) -> None:
    import os

    (bundle / "extra").symlink_to("/etc/passwd")
    assert "links and devices are not followed" in verify(bundle).found["faults"][0]["detail"]
    (bundle / "extra").unlink()
    os.mkfifo(bundle / "extra")
    assert "links and devices are not followed" in verify(bundle).found["faults"][0]["detail"]


def interpreters() -> list[Path]:
    """This Python and others of this machine: by the names of their commands, and beside this one."""
    found = [Path(sys.executable)]
    for minor in range(8, 16):
        named = shutil.which(f"python3.{minor}")
        found += [Path(named)] if named else []
        found += sorted(Path(sys.base_prefix).parent.glob(f"3.{minor}.*/bin/python3"))
    # A name may stand for no interpreter: a shim without a version behind it.
    return [path for path in {path.resolve(): path for path in found}.values() if _runs(path)]


def _runs(python: Path) -> bool:
    return subprocess.run([python, "-I", "-V"], check=False, capture_output=True).returncode == 0


def test_it_says_the_same_on_every_python_that_is_here(bundle: Path, elsewhere: dict[str, Path]) -> None:
    said: dict[bytes, list[bytes]] = {}
    flipped(bundle)
    for python in interpreters():
        version = subprocess.run([python, "-I", "-V"], check=True, capture_output=True).stdout
        done = subprocess.run(
            [python, "-I", "-S", "verify.py", "--key", str(elsewhere["key"])],
            check=False, cwd=bundle, env={}, capture_output=True,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (1, b""), version
        said.setdefault(done.stdout, []).append(version.strip())
    assert len(said) == 1, said.values()
    print(next(iter(said.values())))


def test_the_text_says_the_same_and_steers_no_terminal(bundle: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "verify.py"],
        check=False,
        cwd=bundle,
        env={},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert done.stdout.startswith("sound: events 1 to 10 of ledger " + "0" * 32)
    assert done.stdout.count("not proven: ") == 5
    manifest = json.loads((bundle / "manifest.json").read_bytes())
    (bundle / "manifest.json").write_text(json.dumps({**manifest, "ledger": "\x1b[2J" + "x" * 29}))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "verify.py"],
        check=False,
        cwd=bundle,
        env={},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
