"""Any range of any journal, with any types withheld: the bundle's verifier and the ledger's own agree."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.engine import Ledger
from t2c.ledger.journal.verify import verify_chain
from t2c.ledger.transfer.export import export
from t2c.ledger.transfer.layout import check, open_bundle
from t2c.ledger.transfer.verifier.verdict import check as check_files

TYPES = ("observation.noted", "record.observed", "run.started", "weather.seen")
NAMES = (*TYPES, "record.*", "run.*")


@settings(max_examples=30)
@given(data=st.data())
def test_a_bundle_proves_what_the_journal_is(data: st.DataObject, new_journal: Callable[[Path], Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        chain = new_journal(Path(folder) / ".t2c" / "journal.ndjson")
        kinds = data.draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=40))
        for number, kind in enumerate(kinds):
            chain.add(kind, {"number": number, "objects": []})
        first = data.draw(st.integers(1, chain.seq))
        last = data.draw(st.integers(first, chain.seq))
        withhold = data.draw(st.sets(st.sampled_from(NAMES), max_size=3)) & {
            name
            for name in NAMES
            if any(kind.startswith(name.removesuffix("*")) for kind in kinds[: last - 1])
        }
        suffix = data.draw(st.sampled_from(("", ".tar.gz")))
        with Ledger(chain.path.parent) as ledger:
            made = export(ledger, Path(folder) / f"bundle{suffix}", first=first, last=last, withhold=withhold)
            lines = [line for _, line, _ in ledger.journal.lines()]
        prefix = Path(folder) / "prefix" / "journal.ndjson"
        prefix.parent.mkdir()
        prefix.write_bytes(b"".join(lines[:last]))
        report = verify_chain(prefix)
        bundle = open_bundle(made.path)
        found = check(bundle)
        assert (found.verdict, found.faults, report.faults) == ("sound", [], [])
        assert (found.root, found.head, found.last) == (
            report.root,
            report.position.hash,
            report.position.seq,
        )
        shipped = list(bundle.lines())
        assert len(shipped) == last - first + 1
        hidden = [line.seq for line in shipped if line.line is None]
        assert len(hidden) == found.withheld
        for line, whole in zip(shipped, lines[first - 1 : last], strict=True):
            kind = json.loads(whole)["type"]
            here = any(
                kind == name or (name.endswith("*") and kind.startswith(name[:-1])) for name in withhold
            )
            assert line.line == (None if here else whole[:-1])


@settings(max_examples=30)
@given(data=st.data())
def test_no_byte_of_a_bundle_can_be_changed_unseen(
    data: st.DataObject, new_evidence: Callable[[Path], Any]
) -> None:
    """Any flipped bit of any file but the manifest, whose digest is the bundle's identity."""
    with tempfile.TemporaryDirectory() as folder:
        evidence = new_evidence(Path(folder) / ".t2c")
        with Ledger(evidence.workspace) as ledger:
            made = export(ledger, Path(folder) / "bundle", first=data.draw(st.sampled_from((1, 5))))
        path = made.path / data.draw(st.sampled_from(sorted(made.manifest.files)))
        content = bytearray(path.read_bytes())
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] ^= 1 << data.draw(st.integers(0, 7))
        path.chmod(0o644)
        path.write_bytes(content)
        assert check(open_bundle(made.path)).verdict == "faulty"


@settings(max_examples=30)
@given(data=st.data())
def test_no_line_can_be_changed_unseen_even_if_the_manifest_follows(
    data: st.DataObject, new_evidence: Callable[[Path], Any]
) -> None:
    """The ledger's verification and the bundle's say the same of a changed journal."""
    import hashlib

    with tempfile.TemporaryDirectory() as folder:
        evidence = new_evidence(Path(folder) / ".t2c")
        with Ledger(evidence.workspace) as ledger:
            made = export(ledger, Path(folder) / "bundle")
        path = made.path / "journal.ndjson"
        content = bytearray(path.read_bytes())
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] ^= 1 << data.draw(st.integers(0, 7))
        path.write_bytes(content)
        manifest = json.loads((made.path / "manifest.json").read_bytes())
        manifest["files"]["journal.ndjson"]["sha256"] = hashlib.sha256(content).hexdigest()
        (made.path / "manifest.json").write_text(json.dumps(manifest))
        found = check(open_bundle(made.path))
        evidence.chain.path.write_bytes(content)
        assert found.verdict == "faulty"
        assert verify_chain(evidence.chain.path).faults
        assert {"root", "file_changed"} & {fault.kind for fault in found.faults} == {"root"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=70),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=80)
@given(data=st.data())
def test_no_manifest_or_proof_makes_the_verifier_stumble(
    data: st.DataObject, new_evidence: Callable[[Path], Any]
) -> None:
    """Any member anywhere may hold anything: there is a verdict, never a traceback."""
    with tempfile.TemporaryDirectory() as folder:
        evidence = new_evidence(Path(folder) / ".t2c")
        with Ledger(evidence.workspace) as ledger:
            made = export(ledger, Path(folder) / "bundle", first=5, withhold=("record.observed",))
        path = made.path / data.draw(st.sampled_from(("manifest.json", "manifest.json", "proof.json")))
        document: Any = json.loads(path.read_bytes())
        part: Any = document
        while True:
            key = data.draw(st.sampled_from(sorted(part) if isinstance(part, dict) else range(len(part))))
            if not (isinstance(part[key], dict | list) and part[key] and data.draw(st.booleans())):
                break
            part = part[key]
        before = part[key]
        part[key] = data.draw(JSON)
        path.chmod(0o644)
        path.write_text(json.dumps(document))
        found = check_files(made.path)
        # What a member that says nothing about the lines holds is for the manifest's own digest to vouch for.
        assert found.verdict == "faulty" or path.name == "manifest.json"
        if (
            part is document
            and key in ("ledger", "first", "last", "head", "root", "files")
            and part[key] != before
        ):
            assert found.verdict == "faulty"
