"""Claims: people register and revoke SSH keys, approvals are signed with them, and from an exported bundle alone
anybody tells a good signature from a forged one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.engine import Ledger
from t2c.ledger.events.decisions import ApprovalGranted
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor

FOR_ADA = ("--participant", "human:ada")


@pytest.fixture
def keys(t2c: Any, tmp_path: Path) -> Path:
    """A folder with keys as ssh-keygen makes them; the Ed25519 one is registered for Ada."""
    for name, kind in (("ed", "ed25519"), ("ec", "ecdsa")):
        subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-f", tmp_path / name], check=True)
    assert t2c("init").code == 0
    assert (
        t2c("ledger", "key", "add", tmp_path / "ed.pub", *FOR_ADA, env={"T2C_ACTOR": "human:ada"}).code == 0
    )
    return tmp_path


def as_(who: str) -> dict[str, str]:
    return {"T2C_ACTOR": who}


def test_people_register_and_revoke_and_everybody_sees_it(t2c: Any, keys: Path) -> None:
    (row,) = t2c("ledger", "key", "list", "--json").document["keys"]
    assert (row["algorithm"], row["participant"], row["revoked"]) == ("ssh", "human:ada", None)
    assert row["id"].startswith("SHA256:") and row["public"].count(" ") == 1, "the comment is kept"
    again = t2c("ledger", "key", "add", keys / "ed.pub", *FOR_ADA)
    assert again.code == 4 and "registered already" in again.err
    private = t2c("ledger", "key", "add", keys / "ed", *FOR_ADA)
    assert private.code == 2 and "private key" in private.err and ".pub" in private.err
    for words in (
        ("add", keys / "ec.pub", *FOR_ADA),
        ("revoke", row["id"], "--reason", "x"),
        ("new", *FOR_ADA),
    ):
        refused = t2c("ledger", "key", *words, env=as_("agent:bot"))
        assert refused.code == 3 and "no person" in refused.err
    with Ledger(t2c.root / ".t2c") as ledger:
        told = [bytes(one.data) for one in ledger.entries() if one.type == "refusal.noted"]
    assert len(told) == 3 and all(b"KEY_BY_NO_PERSON" in one for one in told)
    assert t2c("ledger", "key", "revoke", row["id"], "--reason", "lost", env=as_("human:ada")).code == 0
    assert "revoked (seq" in t2c("ledger", "key", "list").out
    (t2c.root / "a.md").write_text("text\n")
    signed = t2c("approve", "--file", "a.md", "--yes", "--ssh-key", keys / "ed", env=as_("human:ada"))
    assert signed.code == 3 and "revoked" in signed.err


def granted(root: Path) -> list[dict[str, Any]]:
    """The payloads of the approvals that were recorded."""
    with Ledger(root / ".t2c") as ledger:
        return [json.loads(bytes(one.data)) for one in ledger.entries() if one.type == "approval.granted"]


def verified(bundle: Path) -> dict[str, Any]:
    """What the verifier that travels in the bundle says."""
    ran = subprocess.run(
        [sys.executable, "-I", bundle / "verify.py", bundle, "--json"], capture_output=True, check=False
    )
    return json.loads(ran.stdout)  # type: ignore[no-any-return]


def exported(t2c: Any, folder: Path, root: Path | None = None) -> dict[str, Any]:
    told = t2c("ledger", "export", "--dest", folder, **({} if root is None else {"cwd": root}))
    assert told.code == 0 and "key" not in told.err, told.err
    return verified(folder)


def test_signatures_are_told_good_from_forged_by_the_bundle_alone(t2c: Any, keys: Path) -> None:
    for name in ("one.md", "two.md", "three.md"):
        (t2c.root / name).write_text(f"{name}\n")
    assert t2c("ledger", "key", "add", keys / "ec.pub", *FOR_ADA, env=as_("human:ada")).code == 0
    assert t2c("ledger", "key", "new", *FOR_ADA, env=as_("human:ada")).code == 0
    with Ledger(t2c.root / ".t2c") as ledger:
        said = [(str(one.actor), one.trust) for one in ledger.entries() if one.type == "key.registered"]
    assert said == [("human:ada", "asserted")] * 3, "whose key it is was said by a person, and not by t2c"
    for name, words in (
        ("one.md", ("--ssh-key", keys / "ed")),
        ("two.md", ("--sign",)),
        ("three.md", ("--ssh-key", keys / "ec")),
    ):
        made = t2c("approve", "--file", name, "--yes", *words, env=as_("human:ada"))
        assert made.code == 0, made.err
    assert t2c("approvals").out.count("standing") == 3
    assert t2c("ledger", "verify", "--level", "domain").code == 0
    verdict = exported(t2c, keys / "good")
    good = [told for told in verdict["proven"] if "signature of the approval" in told]
    assert (
        verdict["verdict"] == "sound"
        and len(good) == 2
        and all("registered for human:ada" in one for one in good)
    )
    assert any("not Ed25519, not checked here: use t2c" in told for told in verdict["unproven"])

    plain = granted(t2c.root)[0]
    assert plain["subject"] == "file:one.md"
    with Ledger(t2c.root / ".t2c") as ledger:
        for who, changed in (("ada", {"digest": "c" * 64}), ("eve", {}), ("ada", {"subject": "file:two.md"})):
            body = {**plain, "proposed_by": (), **changed}
            ledger.append([draft(ApprovalGranted.model_validate(body), actor=Actor("human", who))])
    verdict = exported(t2c, keys / "forged")
    faults = [fault["detail"] for fault in verdict["faults"]]
    assert verdict["verdict"] == "faulty" and len(faults) == 3
    assert [fault["kind"] for fault in verdict["faults"]] == ["approval_signature"] * 3
    assert (
        "registered for human:ada" in faults[1]
        and "not one of this" in faults[0]
        and "not one of this" in faults[2]
    )
    here = t2c("ledger", "verify", "--level", "domain", "--json")
    assert here.code == 1 and [fault["kind"] for fault in here.document["faults"]] == ["signature_bad"] * 3


def test_a_signature_of_another_ledger_counts_for_nothing_here(t2c: Any, keys: Path) -> None:
    (t2c.root / "one.md").write_text("one\n")
    assert (
        t2c("approve", "--file", "one.md", "--yes", "--ssh-key", keys / "ed", env=as_("human:ada")).code == 0
    )
    (told,) = granted(t2c.root)
    other = keys / "other"
    (other / ".git").mkdir(parents=True)
    assert t2c("init", cwd=other).code == 0
    assert t2c("ledger", "key", "add", keys / "ed.pub", *FOR_ADA, cwd=other, env=as_("human:ada")).code == 0
    body = {**told, "proposed_by": ()}
    with Ledger(other / ".t2c") as ledger:
        ledger.append([draft(ApprovalGranted.model_validate(body), actor=Actor("human", "ada"))])
    verdict = exported(t2c, keys / "replayed", other)
    (fault,) = verdict["faults"]
    assert fault["kind"] == "approval_signature" and "not one of this" in fault["detail"]


def test_a_revoked_key_signs_no_checkpoint(t2c: Any) -> None:
    ada = {"T2C_ACTOR": "human:ada"}
    assert t2c("init").code == 0
    key = t2c("ledger", "key", "new", "--json").document["id"]
    assert t2c("ledger", "checkpoint", "--sign").code == 0
    assert t2c("ledger", "key", "revoke", key, "--reason", "lost", env=ada).code == 0
    refused = t2c("ledger", "checkpoint", "--sign")
    assert refused.code == 2 and f"the key {key} is revoked" in refused.err
