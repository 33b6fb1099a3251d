"""The layout of a bundle, byte for byte: a change of it is a change of what others have to read."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path
from typing import Any

from t2c.ledger.engine import Ledger
from t2c.ledger.transfer.archive import pack
from t2c.ledger.transfer.export import export

FILES = "f6c071b00f02bab601826e175a0e790a052ff6e8b06085c55a3fa374472f52e2"
MANIFEST = "2d89ec390a06a77fd64620942c2253f1a70b8474d4a00990f4b3622ff9e4b238"
TAR = "166a96c8e062eeffe076120e865e90be6b3ccab26b24dbdccb9d67795374bb03"


def test_the_bytes_of_a_bundle(evidence: Any) -> None:
    """The verifier, the schemas and the version are left out: they change, the layout does not."""
    with Ledger(evidence.workspace) as ledger:
        made = export(ledger, evidence.workspace.parent / "bundle", first=3, withhold=("record.observed",))
    manifest = json.loads((made.path / "manifest.json").read_bytes())
    tool = manifest.pop("tool").encode()
    names = [name for name in manifest["files"] if not name.startswith(("schemas/", "verify.py"))]
    manifest["files"] = {name: manifest["files"][name] for name in names if name != "README.md"}
    said = json.dumps(manifest, sort_keys=True, indent=2)
    digest = hashlib.sha256()
    for name in names:
        digest.update(name.encode() + b"\0" + (made.path / name).read_bytes().replace(tool, b"TOOL") + b"\0")
    assert (hashlib.sha256(said.encode()).hexdigest(), digest.hexdigest()) == (MANIFEST, FILES)


def test_the_bytes_of_an_archive(tmp_path: Path) -> None:
    folder = tmp_path / "bundle"
    (folder / "objects" / "ab").mkdir(parents=True)
    for name in ("b.txt", "a.txt", "objects/ab/c", "verify.py"):
        (folder / name).write_text(name)
        (folder / name).chmod(0o600)
    pack(folder, ["b.txt", "a.txt", "objects/ab/c", "verify.py"], tmp_path / "x", 1_767_607_209, "verify.py")
    content = gzip.decompress((tmp_path / "x").read_bytes())
    assert hashlib.sha256(content).hexdigest() == TAR


def test_the_manifest_of_a_bundle(evidence: Any) -> None:
    with Ledger(evidence.workspace) as ledger:
        made = export(ledger, evidence.workspace.parent / "bundle", first=3, withhold=("record.observed",))
    content = (made.path / "manifest.json").read_bytes()
    assert content.endswith(b"}\n")
    manifest = json.loads(content)
    assert {name: type(value).__name__ for name, value in manifest.items()} == {
        "schema": "str", "tool": "str", "ledger": "str", "first": "int", "last": "int", "head": "str", "root": "str",
        "ts": "str", "files": "dict", "withheld": "list", "missing": "list", "projections": "dict", "unknown": "list",
        "partial": "bool",
    }  # fmt: skip
    assert list(manifest) == sorted(manifest)
    assert manifest["withheld"] == [{"seqs": [[8, 8]], "type": "record.observed"}]
    objects = sorted(f"objects/{name[:2]}/#" for name in (evidence.object, evidence.payload))
    assert [re.sub("[0-9a-f]{8,}", "#", name) for name in manifest["files"]] == [
        "README.md", "checkpoint.txt", "checkpoints/10-#.txt", "checkpoints/8-#.txt", "journal.ndjson", "keys/#.vkey",
        *objects, "proof.json",
        "schemas/events/checkpoint.signed.v1.schema.json", "schemas/events/envelope.v1.schema.json",
        "schemas/events/observation.noted.v1.schema.json", "schemas/events/payload.redacted.v1.schema.json",
        "verify.py",
    ]  # fmt: skip
