"""Approvals: of exactly what was shown, by another person than the proposer, for as long as they hold.

Seen to fail once, each: `fits` without the digest, without `shown`, without the subject; `separation` left out of
`forbidden` and of `grant`; `_withdrawn`, `_over`, `reverted` and the look at signatures left out; a program's approval
counted; `thing_of` without `_wrong_plan` and `_wrong_patch`; `expected` not compared; the refusal not recorded.
"""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from t2c.ledger.apply.history import history as apply_history
from t2c.ledger.approvals.base import Policy, Thing
from t2c.ledger.approvals.granting import grant, withdraw
from t2c.ledger.approvals.history import history
from t2c.ledger.approvals.standing import approvals, judged, mandate_for, waiting
from t2c.ledger.approvals.things import find
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Corrupt, Refused, Usage
from t2c.ledger.events.changes import (
    ApplyAnnounced,
    ApplyReceipted,
    ChangePlanned,
    FileChange,
    PatchRendered,
)
from t2c.ledger.events.decisions import ApprovalGranted
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.change_ids import patch_hash, patch_id, plan_hash, plan_id

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ADA, EVE, BOT = Actor("human", "ada"), Actor("human", "eve"), Actor("agent", "bot")
PLAIN = Policy()


def todo(ledger: Ledger, text: bytes, by: str = "agent:bot") -> str:
    """Render a TODO patch; returns its hash."""
    shown = ledger.objects.put(text)
    payload = PatchRendered(
        kind="todo",
        hash=shown,
        shown=shown,
        artifact={"renderedPatchHash": shown},
        plans=(),
        proposed_by=(by,),
    )
    ledger.append([draft(payload, trust="asserted")])
    return shown


def plan_of(title: str = "Paint the door", fingerprint: str = "f" * 64) -> dict[str, Any]:
    plan: dict[str, Any] = {
        "title": title,
        "description": "d",
        "priority": "P1",
        "target": {"paths": ["a.py"], "symbols": [], "tickets": [], "versions": []},
        "acceptanceCriteria": ["it is red"],
        "changes": [{"path": "a.py", "action": "modify", "symbols": [], "rationale": "r"}],
        "risk": {"level": "low", "reasons": ["small"]},
        "rollback": "revert",
        "evidence": {
            "graphFingerprint": fingerprint,
            "recordIds": ["INT-TODO-" + "0" * 20],
            "diagnosticIds": ["DIAG-" + "0" * 20],
            "conclusionIds": [],
            "proposalIds": [],
        },
    }
    return {**plan, "planHash": plan_hash(plan), "id": plan_id(plan_hash(plan))}


def planned(ledger: Ledger, plan: dict[str, Any]) -> str:
    payload = ChangePlanned(id=plan["id"], hash=plan["planHash"], plan=plan, proposed_by=("agent:bot",))
    ledger.append([draft(payload, trust="asserted")])
    return str(plan["id"])


def source(ledger: Ledger, plan: dict[str, Any], diff: str | None, *, forged: str | None = None) -> str:
    patch: dict[str, Any] = {
        "planId": plan["id"],
        "planHash": plan["planHash"],
        "graphFingerprint": "f" * 64,
        "diagnosticIds": ["DIAG-" + "0" * 20],
        "recordIds": ["INT-TODO-" + "0" * 20],
        "acceptanceCriteria": ["it is red"],
        "edits": [
            {"path": "a.py", "action": "modify", "symbols": [], "instruction": "i", "unifiedDiff": diff}
        ],
    }
    hash = patch_hash(patch)
    artifact = {**patch, "patchHash": hash, "id": patch_id(hash)}
    if forged is not None:
        artifact["edits"] = [{**patch["edits"][0], "unifiedDiff": forged}]
    text = f"hash `{hash}`\n" + ("do it" if diff is None else f"```diff\n{diff}\n```\n")
    payload = PatchRendered(
        kind="source", hash=hash, shown=ledger.objects.put(text.encode()), artifact=artifact, plans=(plan["id"],),
        proposed_by=("agent:bot",),
    )  # fmt: skip
    ledger.append([draft(payload, trust="asserted")])
    return hash


def applied(ledger: Ledger, thing: Thing, approval: str, *, reverts: str | None = None) -> str:
    """Announce and receipt an apply; returns the receipt."""
    files = (FileChange(path="a", before=None, after="0" * 64),)
    told = ApplyAnnounced(
        purpose="todo.apply", files=files, subject=thing.subject, digest=thing.digest, approval=approval, reverts=reverts
    )  # fmt: skip
    (announced,) = ledger.append([draft(told)])
    (receipt,) = ledger.append([draft(ApplyReceipted(announced=announced.id, files=files))])
    return receipt.id


def refusals(ledger: Ledger) -> list[str]:
    return [
        str(msgspec.json.decode(entry.data)["code"])
        for entry in ledger.entries()
        if entry.type == "refusal.noted"
    ]


def states(ledger: Ledger, root: Path, now: datetime = NOW, policy: Policy = PLAIN) -> list[str]:
    return [one.state for one in approvals(ledger, root, now, policy)]


def refused(ledger: Ledger, thing: Thing, now: datetime = NOW, policy: Policy = PLAIN) -> str:
    """The code of the recorded refusal to let this be applied."""
    before = len(refusals(ledger))
    with pytest.raises(Refused) as caught:
        mandate_for(ledger, thing, policy, now, "human:ada")
    (code,) = refusals(ledger)[before:]
    assert caught.value.details["code"] == code
    return code


def test_an_approval_of_one_hash_never_applies_another(ledger: Ledger, tmp_path: Path) -> None:
    first, second = todo(ledger, b"- [ ] one\n"), todo(ledger, b"- [ ] two\n")
    a, b = (find(ledger, tmp_path, name) for name in (first, second[:8]))
    assert (a.subject, a.shown, b.shown) == ("patch:todo", b"- [ ] one\n", b"- [ ] two\n")
    assert refused(ledger, a) == "APPROVAL_MISSING"
    given = grant(ledger, a, ADA, policy=PLAIN, now=NOW)
    assert mandate_for(ledger, a, PLAIN, NOW, "human:eve") == given.event
    assert refused(ledger, b) == "APPROVAL_STALE"
    assert refused(ledger, a._replace(shown=b"- [ ] other\n")) == "APPROVAL_STALE", (
        "the same hash, another text"
    )
    assert refused(ledger, a._replace(subject="patch:review")) == "APPROVAL_MISSING"


def test_only_a_person_who_did_not_propose_it_approves(ledger: Ledger, tmp_path: Path) -> None:
    thing = find(ledger, tmp_path, todo(ledger, b"- [ ] one\n", by="human:ada"))
    shouting = Actor("human", "ADA")
    for actor, code in (
        (BOT, "APPROVER_IS_NO_PERSON"), (ADA, "APPROVER_PROPOSED_IT"), (shouting, "APPROVER_PROPOSED_IT"),
    ):  # fmt: skip
        with pytest.raises(Refused):
            grant(ledger, thing, actor, policy=PLAIN, now=NOW)
        assert refusals(ledger)[-1] == code
    assert states(ledger, tmp_path) == []
    alone = Policy(separation=False)
    given = grant(ledger, thing, ADA, policy=alone, now=NOW)
    assert mandate_for(ledger, thing, alone, NOW, "human:ada") == given.event
    assert refused(ledger, thing) == "APPROVER_PROPOSED_IT", "the policy of the one who applies decides"
    assert states(ledger, tmp_path) == ["refused"]
    by_eve = grant(ledger, thing, EVE, policy=PLAIN, now=NOW)
    assert mandate_for(ledger, thing, PLAIN, NOW, "x") == by_eve.event


def test_an_approval_that_a_program_wrote_never_holds(ledger: Ledger, tmp_path: Path) -> None:
    thing = find(ledger, tmp_path, todo(ledger, b"- [ ] one\n"))
    ledger.append(
        [draft(ApprovalGranted(subject=thing.subject, digest=thing.digest, statement=""), actor=BOT)]
    )
    assert refused(ledger, thing) == "APPROVER_IS_NO_PERSON"


def test_a_withdrawn_one_is_refused_and_is_withdrawn_once(ledger: Ledger, tmp_path: Path) -> None:
    thing = find(ledger, tmp_path, todo(ledger, b"- [ ] one\n"))
    given = grant(ledger, thing, ADA, policy=PLAIN, now=NOW)
    with pytest.raises(Refused):
        withdraw(ledger, given.event, BOT, "no")
    assert refusals(ledger) == ["WITHDRAWER_IS_NO_PERSON"]
    assert withdraw(ledger, thing.digest[:10], EVE, "too early").approval.event == given.event
    assert refused(ledger, thing) == "APPROVAL_WITHDRAWN"
    (row,) = approvals(ledger, tmp_path, NOW, PLAIN)
    assert row.state == "withdrawn" and "human:eve" in row.why and "too early" in row.why
    with pytest.raises(Conflict, match="withdrawn already, by human:eve"):
        withdraw(ledger, str(given.seq), ADA, "again")
    anew = grant(ledger, thing, ADA, policy=PLAIN, now=NOW)
    assert mandate_for(ledger, thing, PLAIN, NOW, "x") == anew.event
    with pytest.raises(Usage, match="there is no approval"):
        withdraw(ledger, "patch:nothing", ADA, "no")


def test_an_expired_one_is_refused_by_the_clock_that_is_given(ledger: Ledger, tmp_path: Path) -> None:
    thing = find(ledger, tmp_path, todo(ledger, b"- [ ] one\n"))
    given = grant(ledger, thing, ADA, policy=Policy(days=2), now=NOW)
    assert given.expires == "2026-03-03T12:00:00.000Z"
    assert mandate_for(ledger, thing, PLAIN, NOW + timedelta(days=2, seconds=-1), "x") == given.event
    assert refused(ledger, thing, NOW + timedelta(days=2)) == "APPROVAL_EXPIRED"
    assert states(ledger, tmp_path, NOW + timedelta(days=2)) == ["expired"]
    longer = grant(ledger, thing, ADA, policy=PLAIN, now=NOW, expires="2026-04-01T00:00:00.000Z")
    assert not longer.repeated
    assert mandate_for(ledger, thing, PLAIN, NOW + timedelta(days=9), "x") == longer.event


def test_the_days_of_the_policy_hold_for_older_approvals_too(ledger: Ledger, tmp_path: Path) -> None:
    thing = find(ledger, tmp_path, todo(ledger, b"- [ ] one\n"))
    grant(ledger, thing, ADA, policy=PLAIN, now=NOW)
    late = datetime(2100, 1, 1, tzinfo=UTC)
    assert mandate_for(ledger, thing, PLAIN, late, "x")
    assert refused(ledger, thing, late, Policy(days=30)) == "APPROVAL_EXPIRED"


def test_a_signature_that_is_asked_for_must_be_there_and_good(ledger: Ledger, tmp_path: Path) -> None:
    from t2c.ledger.events.decisions import Signature

    thing, signing = find(ledger, tmp_path, todo(ledger, b"- [ ] one\n")), Policy(signature=True)
    with pytest.raises(Refused):
        grant(ledger, thing, ADA, policy=signing, now=NOW)
    assert refusals(ledger) == ["APPROVAL_SIGNATURE_REQUIRED"]
    grant(ledger, thing, ADA, policy=PLAIN, now=NOW)
    assert refused(ledger, thing, policy=signing) == "APPROVAL_SIGNATURE_REQUIRED"
    forged = Signature(key="k", algorithm="ed25519", value="AAAA")
    grant(ledger, thing, ADA, policy=signing, now=NOW, sign=lambda payload: forged)
    assert refused(ledger, thing, policy=signing) == "APPROVAL_SIGNATURE_BAD"


def test_approving_the_same_again_writes_nothing(ledger: Ledger, tmp_path: Path) -> None:
    thing = find(ledger, tmp_path, todo(ledger, b"- [ ] one\n"))
    first = grant(ledger, thing, ADA, policy=PLAIN, now=NOW)
    head = ledger.head().seq
    again = grant(ledger, thing, ADA, policy=PLAIN, now=NOW)
    assert (again.repeated, again.event, ledger.head().seq) == (True, first.event, head)
    assert not grant(ledger, thing, EVE, policy=PLAIN, now=NOW).repeated
    assert not grant(ledger, thing, ADA, policy=PLAIN, now=NOW, statement="seen twice").repeated


def test_what_changed_while_the_question_was_open_is_not_approved(ledger: Ledger, tmp_path: Path) -> None:
    plan = tmp_path / "PLAN.md"
    plan.write_text("# Plan\n- [ ] paint 3 doors\n")
    seen = find(ledger, tmp_path, "file:PLAN.md")
    plan.write_text("# Plan\n- [ ] paint 4 doors\n")
    now_there = find(ledger, tmp_path, "file:PLAN.md")
    with pytest.raises(Conflict, match="not what was shown"):
        grant(ledger, now_there, ADA, policy=PLAIN, now=NOW, expected=seen.digest)
    assert refusals(ledger) == ["APPROVAL_STALE"] and states(ledger, tmp_path) == []
    given = grant(ledger, now_there, ADA, policy=PLAIN, now=NOW, expected=now_there.digest.upper())
    assert ledger.objects.get(given.shown) == plan.read_bytes()
    plan.write_bytes(b"# Plan\r\n- [x] paint 4 doors  \r\n")
    ticked = find(ledger, tmp_path, "file:PLAN.md")
    assert states(ledger, tmp_path) == ["standing"], "progress is no change"
    assert mandate_for(ledger, ticked, PLAIN, NOW, "x") == given.event
    plan.write_text("# Plan\n- [x] paint 5 doors\n")
    assert states(ledger, tmp_path) == ["stale"]
    assert refused(ledger, find(ledger, tmp_path, "file:PLAN.md")) == "APPROVAL_STALE"
    plan.unlink()
    assert states(ledger, tmp_path) == ["stale"]


def test_a_tick_is_progress_in_markdown_alone(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text("- [x]\n")
    assert find(ledger, tmp_path, "file:a.yml").normalised is None


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00"])
def test_nobody_approves_what_nobody_can_read(ledger: Ledger, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "plan").write_bytes(content)
    with pytest.raises(Usage):
        find(ledger, tmp_path, "file:plan")
    with pytest.raises(Usage, match="is not there"):
        find(ledger, tmp_path, "file:gone")


def test_a_file_behind_a_link_is_refused(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x\n")
    (tmp_path / "b.md").symlink_to(tmp_path / "a.md")
    with pytest.raises(Refused):
        find(ledger, tmp_path, "file:b.md")
    with pytest.raises(Refused):
        find(ledger, tmp_path, "file:../a.md")


def test_a_text_rendered_later_makes_the_approval_stale_until_it_is_the_same_again(
    ledger: Ledger, tmp_path: Path
) -> None:
    thing = find(ledger, tmp_path, todo(ledger, b"- [ ] one\n"))
    given = grant(ledger, thing, ADA, policy=PLAIN, now=NOW)
    todo(ledger, b"- [ ] two\n")
    assert refused(ledger, thing) == "APPROVAL_STALE" and states(ledger, tmp_path) == ["stale"]
    again = grant(ledger, thing, ADA, policy=PLAIN, now=NOW)
    assert not again.repeated, "whoever approves the older one now has seen that there is a newer one"
    assert mandate_for(ledger, thing, PLAIN, NOW, "x") == again.event
    todo(ledger, b"- [ ] one\n")
    assert states(ledger, tmp_path) == ["standing", "standing"]
    assert given.event != again.event


def test_a_plan_that_a_rescan_draws_anew_stays_approved(ledger: Ledger, tmp_path: Path) -> None:
    before, after, other = plan_of(), plan_of(fingerprint="e" * 64), plan_of("Paint the wall")
    thing = find(ledger, tmp_path, planned(ledger, before))
    assert thing.subject == f"plan:{before['id']}" and b'"title": "Paint the door"' in thing.shown
    given = grant(ledger, thing, ADA, policy=PLAIN, now=NOW)
    anew = find(ledger, tmp_path, planned(ledger, after), brief=lambda plan: b"another look\n")
    assert anew.digest != thing.digest
    assert mandate_for(ledger, anew, PLAIN, NOW, "x") == given.event
    assert states(ledger, tmp_path) == ["standing"]
    changed = find(ledger, tmp_path, planned(ledger, other))
    assert refused(ledger, changed) == "APPROVAL_MISSING"
    assert states(ledger, tmp_path) == ["stale"], "another plan for the same finding took its place"


def test_the_hash_inside_is_not_believed(ledger: Ledger, tmp_path: Path) -> None:
    good = plan_of()
    forged = source(ledger, good, "--- a\n+++ b\n", forged="--- a\n+++ b\n+evil\n")
    with pytest.raises(Corrupt, match="hash of the patch"):
        find(ledger, tmp_path, forged)
    planned(ledger, {**good, "title": "Burn the door"})
    with pytest.raises(Corrupt, match="hash of the plan"):
        find(ledger, tmp_path, good["id"])
    planned(ledger, plan_of("Paint the wall"))
    with pytest.raises(Corrupt, match="lacks what its text is made of"):
        find(ledger, tmp_path, str(ledger.head().seq), brief=lambda plan: plan["confidence"])
    shown = todo(ledger, b"- [ ] one\n")
    place = ledger.objects.path(shown)
    place.chmod(0o644)
    place.write_bytes(b"- [ ] two\n")
    with pytest.raises(Corrupt):
        find(ledger, tmp_path, shown)


def test_a_name_that_means_nothing_or_several_things_is_said_so(ledger: Ledger, tmp_path: Path) -> None:
    plan = plan_of()
    hash = source(ledger, plan, "--- a\n+++ b\n")
    seq = ledger.head().seq
    for name in (hash, hash[:8], patch_id(hash), patch_id(hash)[:15], f"patch:{plan['id']}", str(seq)):
        assert find(ledger, tmp_path, name).digest == hash
    text = f"hash `{hash}`\n```diff\n--- a\n+++ b\n\n```\n".encode()
    assert find(ledger, tmp_path, sha256(text).hexdigest()).digest == hash, "the text's own SHA-256"
    for name in ("", hash[:7], "0" * 64, "CPLAN-" + "0" * 20, "EVT-" + "0" * 20, "999", "patch:none", "\x00"):
        with pytest.raises(Usage, match="nothing to approve"):
            find(ledger, tmp_path, name)
    with pytest.raises(Usage, match=r"journal\.opened"):
        find(ledger, tmp_path, "1")


def test_what_was_applied_is_used_and_what_was_taken_back_needs_a_new_word(
    ledger: Ledger, tmp_path: Path
) -> None:
    thing = find(ledger, tmp_path, todo(ledger, b"- [ ] one\n"))
    given = grant(ledger, thing, ADA, policy=PLAIN, now=NOW)
    receipt = applied(ledger, thing, given.event)
    (row,) = approvals(ledger, tmp_path, NOW, PLAIN)
    assert row.state == "used" and len(row.used_by) == 1
    assert mandate_for(ledger, thing, PLAIN, NOW, "x") == given.event, "doing it again finds it done"
    back = applied(ledger, thing, given.event, reverts=receipt)
    assert refused(ledger, thing) == "APPROVAL_USED"
    new = grant(ledger, thing, ADA, policy=PLAIN, now=NOW)
    assert not new.repeated and mandate_for(ledger, thing, PLAIN, NOW, "x") == new.event
    applied(ledger, thing, new.event, reverts=back)
    assert not history(ledger).under[0].reverted, "what took it back was taken back"


def test_what_waits(ledger: Ledger, tmp_path: Path) -> None:
    def names(policy: Policy = PLAIN) -> list[tuple[str, str]]:
        known = history(ledger)
        return [(one.kind, one.digest) for one in waiting(known, judged(ledger, known, NOW, policy))]

    todo(ledger, b"- [ ] one\n")
    newest = todo(ledger, b"- [ ] two\n")
    assert names() == [("todo", newest)]
    plan = plan_of()
    planned(ledger, plan)
    assert names() == [("todo", newest), ("plan", plan["planHash"])]
    source(ledger, plan, None)
    assert names() == [("todo", newest), ("plan", plan["planHash"])], (
        "what only says what to do is no patch yet"
    )
    patch = source(ledger, plan, "--- a\n+++ b\n")
    assert names() == [("todo", newest), ("source", patch)], "the plan waits no longer once there is a patch"
    given = grant(ledger, find(ledger, tmp_path, newest), ADA, policy=PLAIN, now=NOW)
    assert names() == [("source", patch)]
    withdraw(ledger, given.event, ADA, "no")
    assert names() == [("todo", newest), ("source", patch)]
    thing = find(ledger, tmp_path, patch)
    applied(ledger, thing, grant(ledger, thing, ADA, policy=PLAIN, now=NOW).event)
    assert names() == [("todo", newest)]


def test_a_secret_in_a_file_is_neither_kept_nor_shown(ledger: Ledger, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (tmp_path / "PLAN.md").write_text(f"token {secret}\n")
    thing = find(ledger, tmp_path, "file:PLAN.md")
    given = grant(ledger, thing, ADA, policy=PLAIN, now=NOW)
    assert given.masked and given.digest == sha256(thing.shown).hexdigest() != given.shown
    kept = ledger.objects.get(given.shown)
    assert secret.encode() not in kept and b"[redacted:" in kept
    assert mandate_for(ledger, thing, PLAIN, NOW, "x") == given.event
    assert not ledger.objects.has(given.digest)


def test_the_digest_decides_where_no_text_is_named(ledger: Ledger, tmp_path: Path) -> None:
    first, second = todo(ledger, b"- [ ] one\n"), todo(ledger, b"- [ ] two\n")
    told = ApprovalGranted(subject="patch:todo", digest=second, statement="")
    (receipt,) = ledger.append([draft(told, actor=ADA)])
    assert refused(ledger, find(ledger, tmp_path, first)) == "APPROVAL_STALE"
    assert mandate_for(ledger, find(ledger, tmp_path, second), PLAIN, NOW, "x") == receipt.id


def test_an_approval_of_one_file_is_none_of_another_with_the_same_text(
    ledger: Ledger, tmp_path: Path
) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("- [ ] paint\n")
    given = grant(ledger, find(ledger, tmp_path, "file:a.md"), ADA, policy=PLAIN, now=NOW)
    assert mandate_for(ledger, find(ledger, tmp_path, "file:a.md"), PLAIN, NOW, "x") == given.event
    assert refused(ledger, find(ledger, tmp_path, "file:b.md")) == "APPROVAL_MISSING"


def take(ours: Ledger, theirs: Ledger) -> None:
    """Take in what another ledger, or a branch of this one, recorded."""
    from t2c.ledger.transfer.merge import carry_out, merged, taking_turns
    from t2c.ledger.transfer.plan import plan
    from t2c.ledger.transfer.source import JournalSource

    def quiet(*told: object) -> None:
        pass

    source = JournalSource(
        theirs.journal, "other", objects=lambda wanted: ((one, theirs.objects.get(one)) for one in wanted)
    )
    with taking_turns(ours):
        found = plan(ours, source, quiet)
        carry_out(ours, source, found, merged(source, found), quiet)


def branched(ledger: Ledger, folder: Path) -> Path:
    """A copy of the ledger's folder, as another checkout has it."""
    return Path(shutil.copytree(ledger.workspace, folder / ".t2c", ignore=shutil.ignore_patterns("*lock*")))


def test_what_a_branch_took_back_stays_taken_back_after_a_merge(ledger: Ledger, tmp_path: Path) -> None:
    thing = find(ledger, tmp_path, todo(ledger, b"- [ ] one\n"))
    branch = branched(ledger, tmp_path / "branch")
    todo(ledger, b"- [ ] one\n", by="agent:other")
    with Ledger(branch) as there:
        given = grant(there, thing, ADA, policy=PLAIN, now=NOW)
        withdraw(there, given.event, ADA, "no, wrong")
        take(ledger, there)
    (row,) = approvals(ledger, tmp_path, NOW, PLAIN)
    assert row.event != given.event and row.state == "withdrawn"
    assert refused(ledger, thing) == "APPROVAL_WITHDRAWN"
    with pytest.raises(Conflict):
        withdraw(ledger, row.event, ADA, "again")


def test_what_a_branch_applied_and_reverted_needs_a_new_word_after_a_merge(
    ledger: Ledger, tmp_path: Path
) -> None:
    from t2c.ledger.changes.applying import reverts_of

    thing = find(ledger, tmp_path, todo(ledger, b"- [ ] one\n"))
    branch = branched(ledger, tmp_path / "branch")
    todo(ledger, b"- [ ] one\n", by="agent:other")
    with Ledger(branch) as there:
        given = grant(there, thing, ADA, policy=PLAIN, now=NOW)
        applied(there, thing, given.event, reverts=applied(there, thing, given.event))
        take(ledger, there)
    assert refused(ledger, thing) == "APPROVAL_USED"
    done, back = (one.receipt for one in history(ledger).under)
    assert reverts_of(ledger) == {done: back}


def test_a_receipt_from_elsewhere_uses_no_approval(ledger: Ledger, tmp_path: Path) -> None:
    thing = find(ledger, tmp_path, todo(ledger, b"- [ ] one\n"))
    given = grant(ledger, thing, ADA, policy=PLAIN, now=NOW)
    files = (FileChange(path="a", before=None, after="0" * 64),)
    told = ApplyAnnounced(
        purpose="todo.apply", files=files, subject=thing.subject, digest=thing.digest, approval=given.event
    )
    (announced,) = ledger.append([draft(told)])
    branch = branched(ledger, tmp_path / "branch")
    todo(ledger, b"- [ ] one\n", by="agent:other")
    with Ledger(branch) as there:
        there.append([draft(ApplyReceipted(announced=announced.id, files=files))])
        take(ledger, there)
    (row,) = approvals(ledger, tmp_path, NOW, PLAIN)
    assert row.state == "standing"
    assert announced.id in apply_history(ledger).open


def test_what_was_applied_is_not_applied_again_over_a_later_text(ledger: Ledger, tmp_path: Path) -> None:
    thing = find(ledger, tmp_path, todo(ledger, b"- [ ] one\n"))
    given = grant(ledger, thing, ADA, policy=PLAIN, now=NOW)
    applied(ledger, thing, given.event)
    todo(ledger, b"- [ ] two\n")
    assert states(ledger, tmp_path) == ["used"], "what was done stays done"
    assert refused(ledger, thing) == "APPROVAL_STALE"


def test_nobody_approves_what_they_rendered_before_others_did(ledger: Ledger, tmp_path: Path) -> None:
    todo(ledger, b"- [ ] one\n", by="human:ada")
    thing = find(ledger, tmp_path, todo(ledger, b"- [ ] one\n", by="human:eve"))
    with pytest.raises(Refused):
        grant(ledger, thing, ADA, policy=PLAIN, now=NOW)
    assert refusals(ledger) == ["APPROVER_PROPOSED_IT"] and states(ledger, tmp_path) == []
    grant(ledger, thing, Actor("human", "bob"), policy=PLAIN, now=NOW)
    assert states(ledger, tmp_path) == ["standing"]


def test_an_id_of_elsewhere_leads_to_the_event_here_and_never_takes_one_over() -> None:
    from t2c.ledger.approvals.names import Names
    from t2c.ledger.journal.entry import ActorPart, Entry, Origin

    ours, theirs, there = ("EVT-" + digit * 20 for digit in "123")

    def entry(identity: str, was: str | None = None, type: str = "note", data: bytes = b"{}") -> Entry:
        origin = None if was is None else Origin("0" * 32, 1, "0" * 64, "0" * 64, was, "")
        return Entry(
            1, "0" * 64, type, 1, identity, "", ActorPart("human", "ada"), "asserted", msgspec.Raw(data), origin=origin
        )  # fmt: skip

    names = Names()
    names.take(entry(ours))
    names.take(entry(theirs, there))
    names.take(entry("EVT-" + "4" * 20, ours))
    assert (names.of(ours), names.of(there), names.of("EVT-x")) == (ours, theirs, "EVT-x")
    names.take(
        entry("EVT-5", type="journal.merged", data=b'{"aliases":[["EVT-y","' + there.encode() + b'"]]}')
    )
    names.take(entry("EVT-6", type="journal.merged", data=b"[]"))
    assert names.of("EVT-y") == theirs, "a merge says what it stands for"


def test_a_text_that_is_gone_is_damage_and_no_wrong_name(ledger: Ledger, tmp_path: Path) -> None:
    digest = todo(ledger, b"- [ ] one\n")
    ledger.objects.path(digest).unlink()
    with pytest.raises(Corrupt, match="is gone"):
        find(ledger, tmp_path, digest)
