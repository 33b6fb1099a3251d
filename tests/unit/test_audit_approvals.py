"""Claims: each promise of approvals, applies and changes, broken on purpose, is named; what keeps them all is clean.

Mutations seen to fail: the digest of an approval not compared; a second receipt let pass; a hash that is believed.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.anchors.keyring import Keyring
from t2c.ledger.anchors.signing import register
from t2c.ledger.approvals.keys import revoke
from t2c.ledger.approvals.signatures import approval_problem, sign_with_own_key
from t2c.ledger.audit.applies import ApplyAudit
from t2c.ledger.audit.approvals import ApprovalAudit
from t2c.ledger.audit.domain import DomainAudit
from t2c.ledger.engine import JOURNAL, Ledger
from t2c.ledger.events.base import Payload
from t2c.ledger.events.changes import (
    ApplyAnnounced,
    ApplyFailed,
    ApplyReceipted,
    ChangeClosed,
    ChangeEvaluated,
    ChangePlanned,
    ChangeTried,
    FileChange,
    PatchRendered,
    SubjectVerdict,
)
from t2c.ledger.events.decisions import ApprovalGranted, ApprovalWithdrawn
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.gates import GateAnnounced, GateRan
from t2c.ledger.events.journal import KeyRevoked
from t2c.ledger.kernel.actor import SCANNER, Actor
from t2c.ledger.kernel.canon import canonical
from t2c.ledger.kernel.change_ids import patch_hash, patch_id, plan_hash, plan_id

ADA, BOB, BOT = Actor("human", "ada"), Actor("human", "bob"), Actor("agent", "bot")
A, B, NOWHERE = "a" * 64, "b" * 64, "EVT-" + "0" * 20
GATE: dict[str, Any] = {
    "purpose": "change", "subject": None, "argv": ("true",), "command": None, "cwd": ".", "environment": {},
    "timeout_seconds": 5, "tree": "worktree", "revision": None, "fingerprint": None, "contract": None, "task": None,
    "criterion": None,
}  # fmt: skip
RAN: dict[str, Any] = {
    "outcome": "exited", "duration_ms": 1, "output_bytes": 0, "kept_bytes": 0, "masked": {}, "detail": "",
}  # fmt: skip
FILES = (FileChange(path="TODO.md", before=A, after=B),)


class Book:
    """A ledger that events are put into as they come."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def add(self, payload: Payload, actor: Actor = SCANNER) -> str:
        return self.ledger.append(
            [draft(payload, actor=actor, trust=None if actor == SCANNER else "asserted")]
        )[0].id

    def approve(self, actor: Actor = ADA, digest: str = A, subject: str = "patch:todo", **more: Any) -> str:
        return self.add(ApprovalGranted(subject=subject, digest=digest, statement="", **more), actor)

    def announce(self, approval: str | None, **more: Any) -> str:
        plain = {
            "purpose": "todo.apply",
            "files": FILES,
            "subject": "patch:todo",
            "digest": A,
            "requested_by": "human:ada",
        }
        return self.add(ApplyAnnounced(**{**plain, **more}, approval=approval))

    def done(self, announced: str, **more: Any) -> str:
        return self.add(ApplyReceipted(**{"announced": announced, "files": FILES, **more}))

    def rendered(self, text: bytes = b"what is shown", actor: Actor = BOT, **more: Any) -> str:
        shown = self.ledger.objects.put(text)
        plain = {
            "kind": "todo", "hash": shown, "shown": shown, "artifact": {"renderedPatchHash": shown}, "plans": (),
            "proposed_by": (str(actor),),
        }  # fmt: skip
        return self.add(PatchRendered(**{**plain, **more}), actor)

    def audit(self) -> tuple[list[str], list[str]]:
        """The kinds of the faults and what is left unproven."""
        audit = DomainAudit(self.ledger.objects.has, read=self.ledger.objects.get, signed=approval_problem)
        for seq, line in enumerate((self.ledger.workspace / JOURNAL).read_bytes().splitlines(), 1):
            audit.visit(seq, orjson.loads(line))
        unproven = audit.finish()
        return [fault.kind for fault in audit.faults], unproven

    def faults(self) -> list[str]:
        return self.audit()[0]


@pytest.fixture
def book(ledger: Ledger) -> Book:
    return Book(ledger)


def takes_back(book: Book, receipt: str, subject: str | None = None, **more: Any) -> str:
    """Announce, under an approval of just that, that a receipt is taken back."""
    told = {
        "purpose": "change.revert", "subject": subject or f"revert:{receipt}", "digest": B, "reverts": receipt,
        "files": (FileChange(path="TODO.md", before=B, after=A),), **more,
    }  # fmt: skip
    return book.announce(book.approve(subject=told["subject"], digest=B), **told)


def receipted(book: Book) -> str:
    return book.done(book.announce(book.approve()))


def test_what_is_approved_announced_and_done_is_clean(book: Book) -> None:
    book.rendered()
    approval = book.approve()
    first = book.announce(approval)
    receipt = book.done(first)
    back = (FileChange(path="TODO.md", before=B, after=A),)
    book.done(takes_back(book, receipt), files=back)
    book.add(ApplyFailed(announced=book.announce(approval), outcome="nothing", reason="full", files=FILES))
    book.add(ApprovalWithdrawn(approval=approval, reason="enough"), ADA)
    assert book.faults() == []


def test_events_of_earlier_versions_are_clean(book: Book, ledger: Ledger) -> None:
    plain = {"path": "TODO.md", "before": A, "after": B}
    old = canonical({"purpose": "intake", "files": [plain]})
    (announced,) = ledger.append([EventDraft("apply.announced", 1, old, SCANNER, "observed")])
    receipt = canonical({"announced": announced.id, "files": [plain]})
    ledger.append([EventDraft("apply.receipted", 1, receipt, SCANNER, "observed")])
    said = canonical(
        {
            "subject": "answer:x",
            "digest": A,
            "statement": "",
            "proposed_by": [],
            "expires": None,
            "signature": None,
        }
    )
    ledger.append([EventDraft("approval.granted", 1, said, ADA, "asserted")])
    assert book.faults() == []


BROKEN: list[tuple[str, Callable[[Book], object]]] = [
    ("apply_unapproved", lambda book: book.announce(None)),
    ("apply_unapproved", lambda book: book.announce(None, purpose="change.apply")),
    ("apply_unapproved", lambda book: book.announce(None, purpose="change.revert")),
    ("approval_unknown", lambda book: book.announce(NOWHERE)),
    ("approval_mismatch", lambda book: book.announce(book.approve(digest=B))),
    ("approval_mismatch", lambda book: book.announce(book.approve(subject="patch:other"))),
    ("approval_expired", lambda book: book.announce(book.approve(expires="2001-01-01T00:00:00Z"))),
    ("approval_unknown", lambda book: book.add(ApprovalWithdrawn(approval=NOWHERE, reason="x"), ADA)),
    ("trust", lambda book: book.add(ApprovalWithdrawn(approval=book.approve(), reason="x"), BOT)),
    ("trust", lambda book: book.approve(BOT)),
    ("key_unknown", lambda book: book.add(KeyRevoked(key="nobody", reason="x"), ADA)),
    ("apply_unknown", lambda book: book.done(NOWHERE)),
    ("apply_unknown", lambda book: book.announce(book.approve(), reverts=NOWHERE)),
    ("apply_settled", lambda book: [book.done(one) for one in [book.announce(book.approve())] * 2]),
    ("apply_files", lambda book: book.done(book.announce(book.approve()), files=(FileChange(path="x", before=A, after=B),))),
    ("apply_files", lambda book: book.done(book.announce(book.approve()), files=(FileChange(path="TODO.md", before=A, after=A),))),
    ("apply_files", lambda book: book.done(book.announce(book.approve()), in_place=("x",))),
    ("apply_files", lambda book: book.done(book.announce(book.approve()), files=(FileChange(path="TODO.md", before=None, after=B),))),
    ("apply_files", lambda book: book.done(
        book.announce(book.approve(), files=(FileChange(path="TODO.md", before=A, after=B, after_mode="0644"),)),
        files=(FileChange(path="TODO.md", before=A, after=B, after_mode="0755"),),
    )),
    ("apply_unknown", lambda book: takes_back(book, receipted(book), reverts=None)),
    ("apply_unknown", lambda book: takes_back(book, receipted(book), subject="revert:x")),
    ("apply_files", lambda book: takes_back(book, receipted(book), files=FILES)),
    ("patch_hash", lambda book: book.rendered(hash=A)),
    ("patch_hash", lambda book: book.rendered(artifact={"renderedPatchHash": A})),
    ("patch_hash", lambda book: book.rendered(kind="revert", artifact={}, hash=A)),
    ("change_shape", lambda book: book.rendered(artifact={})),
    ("object_missing", lambda book: book.rendered(hash=A, shown=A, artifact={"renderedPatchHash": A})),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "broken"), BROKEN)
def test_a_broken_promise_is_named(book: Book, kind: str, broken: Callable[[Book], object]) -> None:
    broken(book)
    assert book.faults() == [kind]


def test_an_approval_by_no_person_carries_no_apply(book: Book) -> None:
    book.announce(book.approve(BOT))
    assert book.faults() == ["trust", "apply_unapproved"]


def test_withdrawn_means_that_nothing_is_applied_after(book: Book) -> None:
    approval = book.approve()
    book.done(book.announce(approval))
    book.add(ApprovalWithdrawn(approval=approval, reason="no"), ADA)
    assert book.faults() == []
    book.announce(approval)
    book.add(ApprovalWithdrawn(approval=approval, reason="again"), ADA)
    assert book.faults() == ["approval_withdrawn", "approval_withdrawn"]


def test_an_approval_by_who_proposed_it_is_told_and_no_fault(book: Book) -> None:
    book.rendered(actor=ADA, text=b"own")
    digest = book.ledger.objects.put(b"own")
    book.approve(ADA, digest)
    book.approve(BOB, digest)
    book.approve(BOB, B, proposed_by=("human:bob",))
    faults, unproven = book.audit()
    assert faults == []
    assert (
        "2 approvals were given by who proposed it, which the policy of that time may have allowed"
        in unproven
    )


def plan_of() -> dict[str, Any]:
    plan: dict[str, Any] = {
        "title": "Do it", "description": "d", "priority": "P1",
        "target": {"paths": ["a.py"], "symbols": [], "tickets": [], "versions": []}, "acceptanceCriteria": ["it runs"],
        "changes": [{"path": "a.py", "action": "modify", "symbols": [], "rationale": "r"}],
        "risk": {"level": "low", "reasons": ["small"]}, "rollback": "take it back",
        "evidence": {
            "graphFingerprint": A, "recordIds": ["INT-TODO-" + "0" * 20], "diagnosticIds": ["DIAG-" + "0" * 20],
            "conclusionIds": [], "proposalIds": [],
        },
    }  # fmt: skip
    found = plan_hash(plan)
    return {**plan, "id": plan_id(found), "planHash": found}


def planned(book: Book, **more: Any) -> str:
    plan = plan_of()
    told = {"id": plan["id"], "hash": plan["planHash"], "plan": plan, "proposed_by": ("agent:bot",)}
    return book.add(ChangePlanned(**{**told, **more}), BOT)


def source(book: Book, lie: dict[str, Any], **more: Any) -> str:
    plan = plan_of()
    patch: dict[str, Any] = {
        "planId": plan["id"], "planHash": plan["planHash"], "graphFingerprint": A, "diagnosticIds": ["DIAG-" + "0" * 20],
        "recordIds": [], "acceptanceCriteria": ["it runs"],
        "edits": [{"path": "a.py", "action": "modify", "symbols": [], "instruction": "i", "unifiedDiff": "x"}],
    }  # fmt: skip
    found = patch_hash(patch)
    artifact = {**patch, "patchHash": found, "id": patch_id(found), **lie}
    text = f"hash `{artifact['patchHash']}`\n```diff\nx\n```\n".encode()
    return book.rendered(text, **{"kind": "source", "hash": found, "artifact": artifact, **more})


def test_the_text_that_is_approved_shows_what_is_done(book: Book) -> None:
    source(book, {})
    edit = {"path": "a.py", "action": "modify", "symbols": [], "instruction": "i", "unifiedDiff": "evil"}
    plan = plan_of()
    patch = {
        "planId": plan["id"], "planHash": plan["planHash"], "graphFingerprint": A, "diagnosticIds": ["DIAG-" + "0" * 20],
        "recordIds": [], "acceptanceCriteria": ["it runs"], "edits": [edit],
    }  # fmt: skip
    found = patch_hash(patch)
    artifact = {**patch, "patchHash": found, "id": patch_id(found)}
    book.rendered(f"hash `{found}`\n```diff\nx\n```\n".encode(), kind="source", hash=found, artifact=artifact)
    assert book.faults() == ["patch_shown"]
    text = f"# Tasks\n\nWritten for `TODO.md`, with the SHA-256 `{A}`.\n".encode()
    told = {"renderedPatchHash": sha256(text).hexdigest()}
    book.rendered(text, artifact={**told, "sourceTodo": {"path": "TODO.md", "contentHash": A}})
    book.rendered(text, artifact={**told, "sourceTodo": {"path": "ci.yml", "contentHash": A}})
    book.rendered(text, artifact={**told, "sourceTodo": {"path": "TODO.md", "contentHash": B}})
    assert book.faults() == ["patch_shown"] * 3


def test_hashes_of_plans_and_source_patches_are_computed_and_not_believed(book: Book) -> None:
    planned(book)
    source(book, {})
    assert book.faults() == []
    planned(book, plan={**plan_of(), "title": "Do more"})
    assert book.faults() == ["plan_hash", "plan_hash"]
    planned(book, hash=A)
    assert book.faults()[2:] == ["plan_hash"]
    planned(book, id="CPLAN-" + "0" * 20)
    assert book.faults()[3:] == ["plan_hash"]
    planned(book, plan={"title": "half"})
    assert book.faults()[4:] == ["change_shape"]
    source(book, {"graphFingerprint": B})
    source(book, {"id": "SPATCH-" + "0" * 20})
    source(book, {}, hash=A)
    assert book.faults()[5:] == ["patch_hash"] * 4, "of an id that is not that of its content, both are told"


def evaluated(
    book: Book, state: str, accepted: bool, blocking: list[str] | None = None, *, lie: Any = None
) -> str:
    document = {
        "planId": plan_of()["id"],
        "accepted": accepted,
        "newBlockingDiagnosticIds": blocking or [],
        **(lie or {}),
    }
    if not any(entry.type == "change.planned" for entry in book.ledger.entries()):
        planned(book)
    verdict = SubjectVerdict(diagnostic="DIAG-" + "0" * 20, state=state, records=(), reason="r")  # type: ignore[arg-type]
    return book.add(
        ChangeEvaluated(
            plan=plan_of()["id"], hash=plan_of()["planHash"], accepted=accepted, subjects=(verdict,), acceptance=document
        )
    )  # fmt: skip


def test_accepted_means_that_every_subject_is_cleared_and_nothing_new_blocks(book: Book) -> None:
    evaluated(book, "cleared", True)
    evaluated(book, "remaining", False)
    evaluated(book, "gone", False)
    evaluated(book, "cleared", False, ["DIAG-" + "1" * 20])
    assert book.faults() == []
    for state, accepted, blocking in (
        ("remaining", True, []), ("gone", True, []), ("cleared", True, ["DIAG-" + "1" * 20]), ("cleared", False, []),
    ):  # fmt: skip
        before = len(book.faults())
        evaluated(book, state, accepted, blocking)
        assert book.faults()[before:] == ["change_evaluated"], (state, accepted, blocking)
    evaluated(book, "remaining", False, lie={"accepted": True})
    assert book.faults()[4:] == ["change_evaluated"]


def test_only_accepted_plans_are_closed(book: Book) -> None:
    def close(*evaluations: str, plan: str = plan_of()["id"]) -> None:
        book.add(ChangeClosed(plans=(plan,), evaluations=evaluations, result={}))

    good, bad = evaluated(book, "cleared", True), evaluated(book, "remaining", False)
    close(good)
    assert book.faults() == []
    close(bad)
    close(NOWHERE)
    close(good, plan="CPLAN-" + "0" * 20)
    assert book.faults() == ["change_closed"] * 3


def test_only_t2c_itself_says_what_became_of_a_plan(book: Book) -> None:
    plan = plan_of()
    document = {"planId": plan["id"], "accepted": False, "newBlockingDiagnosticIds": []}
    verdict = SubjectVerdict(diagnostic="DIAG-" + "0" * 20, state="gone", records=(), reason="r")
    payload = ChangeEvaluated(
        plan=plan["id"], hash=plan["planHash"], accepted=False, subjects=(verdict,), acceptance=document
    )
    book.add(payload)
    assert book.faults() == ["change_evaluated"], "of no plan"
    planned(book)
    book.add(payload, BOT)
    assert book.faults()[1:] == ["trust"]
    book.add(payload.model_copy(update={"hash": A}))
    other = SubjectVerdict(diagnostic="DIAG-" + "1" * 20, state="gone", records=(), reason="r")
    book.add(payload.model_copy(update={"subjects": (other,)}))
    assert book.faults()[2:] == ["change_evaluated"] * 2


def test_a_try_rests_on_gates_that_ran(book: Book) -> None:
    def gate(code: int) -> str:
        announced = book.add(GateAnnounced(**GATE))
        output = book.ledger.objects.put(b"")
        return book.add(GateRan(announced=announced, exit_code=code, output=output, **RAN))

    def tried(*gates: str, passed: bool, applied: bool = True) -> None:
        payload = ChangeTried(
            patch=A,
            plans=(),
            revision="HEAD",
            dirty=False,
            applied=applied,
            gates=gates,
            passed=passed,
            detail="",
        )
        book.add(payload)

    tried(gate(0), passed=True)
    tried(gate(1), passed=False)
    tried(passed=False, applied=False)
    assert book.faults() == []
    tried(gate(1), passed=True)
    tried(passed=True, applied=False)
    tried(NOWHERE, passed=False)
    assert book.faults() == ["change_tried", "change_tried", "gate_unknown"]


def test_signatures_are_checked_against_the_keys_of_the_approver(
    book: Book, ledger: Ledger, tmp_path: Path
) -> None:
    from datetime import UTC, datetime

    now = datetime.now(UTC)
    ring = Keyring(tmp_path / "state", ledger.id())
    key = register(ledger, ring, participant="human:ada")
    sign = sign_with_own_key(ledger, ring, key.id, "human:ada", now)
    plain = ApprovalGranted(subject="patch:todo", digest=A, statement="")
    signature = sign(plain)
    book.approve(signature=signature)
    assert book.faults() == []
    for forged in (
        lambda: book.approve(digest=B, signature=signature),
        lambda: book.approve(subject="patch:x", signature=signature),
        lambda: book.approve(BOB, signature=signature),
        lambda: book.approve(signature=signature.model_copy(update={"key": "00000000"})),
        lambda: book.approve(signature=signature.model_copy(update={"value": "AAAA"})),
        lambda: book.approve(signature=signature.model_copy(update={"algorithm": "ssh"})),
    ):
        before = len(book.faults())
        forged()
        assert book.faults()[before:] == ["signature_bad"]
    before = len(book.faults())
    revoke(ledger, key.id, "lost", ADA)
    book.approve(signature=signature)
    assert book.faults()[before:] == ["signature_bad"]


def taken_in(event: dict[str, Any], ledger: str) -> dict[str, Any]:
    """An event as it stands after it was taken in from a place of a ledger; its id there is the one given here."""
    place = {"ledger": ledger, "seq": 2, "hash": A, "prev": B, "id": event["id"], "ts": event["ts"]}
    return {**event, "id": "EVT-" + sha256(event["id"].encode()).hexdigest()[:20], "origin": place}


def of(payload: Payload, number: int, ts: str = "2026-03-01T00:00:00.000Z") -> dict[str, Any]:
    """An event of t2c's own code, as plain values."""
    identity = "EVT-" + sha256(str(number).encode()).hexdigest()[:20]
    actor = {"kind": SCANNER.kind, "id": SCANNER.id}
    data = orjson.loads(canonical(payload.model_dump(mode="json", by_alias=True)))
    return {"type": payload.type, "id": identity, "ts": ts, "actor": actor, "trust": "observed", "data": data}


def heard(*events: dict[str, Any], approvals: ApprovalAudit | None = None) -> list[str]:
    """What the audit of applies says of these."""
    found: list[str] = []
    audit = ApplyAudit(
        lambda seq, kind, detail: found.append(kind), approvals or ApprovalAudit(lambda *told: None)
    )
    for seq, event in enumerate(events, 1):
        audit.visit(seq, event["data"], event)
    return found


def test_an_outcome_from_elsewhere_ends_no_apply_of_here() -> None:
    announced = of(ApplyAnnounced(purpose="intake", files=FILES), 1)
    failed = of(ApplyFailed(announced=announced["id"], outcome="undone", reason="x", files=FILES), 2)
    receipt = of(ApplyReceipted(announced=announced["id"], files=FILES), 3)
    assert heard(announced, taken_in(failed, A[:32]), receipt) == []
    assert heard(announced, failed, receipt) == ["apply_settled"]
    there = taken_in(announced, A[:32])
    wrong = of(
        ApplyReceipted(announced=announced["id"], files=(FILES[0], FileChange(path="x", before=A, after=B))),
        4,
    )
    assert heard(there, taken_in(wrong, A[:32])) == ["apply_files"], (
        "an outcome of there ends an apply of there"
    )


def test_what_a_branch_applied_needs_an_approval_too() -> None:
    approvals = ApprovalAudit(lambda *told: None)
    approvals.opened({"ledger": A[:32]})
    told = {"purpose": "change.apply", "files": FILES, "subject": "patch:todo", "digest": A}
    bare = of(ApplyAnnounced(**told), 1)
    assert heard(taken_in(bare, A[:32]), approvals=approvals) == ["apply_unapproved"]
    assert heard(taken_in(bare, B[:32]), approvals=approvals) == [], "another ledger has rules of its own"
    granted = of(ApprovalGranted(subject="patch:todo", digest=A, statement=""), 2)
    granted["actor"] = {"kind": "human", "id": "ada"}
    asked = of(ApplyAnnounced(**told, approval=granted["id"]), 3)
    assert heard(taken_in(asked, A[:32]), approvals=approvals) == []
    (left,) = approvals.finish()
    assert "1 apply of a branch" in left
    approvals.granted(2, granted["data"], granted)
    withdrawn = of(ApprovalWithdrawn(approval=granted["id"], reason="no"), 4)
    withdrawn["actor"], withdrawn["trust"] = granted["actor"], "asserted"
    approvals.visit(3, withdrawn["data"], withdrawn)
    assert heard(asked, approvals=approvals) == ["approval_withdrawn"]
    assert heard(taken_in(asked, A[:32]), approvals=approvals) == []
    assert any("withdrawn, or before it" in one for one in approvals.finish())


def test_under_an_approval_only_the_files_of_its_patch_are_changed(book: Book) -> None:
    planned(book)
    source(book, {})
    patch = orjson.loads((book.ledger.workspace / JOURNAL).read_bytes().splitlines()[-1])["data"]["hash"]
    approval = book.approve(subject="patch:x", digest=patch)
    more = {"purpose": "change.apply", "subject": "patch:x", "digest": patch}
    good, evil = (FileChange(path=path, before=None, after=B) for path in ("a.py", "EVIL.sh"))
    book.done(book.announce(approval, files=(good,), **more), files=(good,))
    assert book.faults() == []
    book.done(book.announce(approval, files=(evil,), **more), files=(evil,))
    assert book.faults() == ["apply_files"]


def test_a_merge_makes_no_good_signature_bad(book: Book, ledger: Ledger, tmp_path: Path) -> None:
    from datetime import UTC, datetime

    ring = Keyring(tmp_path / "state", ledger.id())
    key = register(ledger, ring, participant="human:ada")
    plain = ApprovalGranted(subject="patch:todo", digest=A, statement="")
    signature = sign_with_own_key(ledger, ring, key.id, "human:ada", datetime.now(UTC))(plain)
    book.approve(signature=signature)
    *_, registered, granted = (
        orjson.loads(line) for line in (ledger.workspace / JOURNAL).read_bytes().splitlines()
    )

    def said(event: dict[str, Any], expires: str | None, revoked: bool) -> tuple[list[str], list[str]]:
        found: list[str] = []
        audit = ApprovalAudit(lambda seq, kind, detail: found.append(kind), approval_problem)
        audit.opened({"ledger": str(ledger.id())})
        audit.registered(2, {**registered["data"], "expires": expires})
        if revoked:
            audit.visit(3, {"key": key.id}, {"type": "key.revoked"})
        audit.granted(4, event["data"], event)
        return found, audit.finish()

    before = taken_in(granted, str(ledger.id()))
    late = {**before, "ts": "2999-01-01T00:00:00.000Z"}
    assert said({**granted, "ts": late["ts"]}, "2998-01-01T00:00:00Z", False) == (["signature_bad"], [])
    assert said(late, "2998-01-01T00:00:00Z", False) == ([], []), "it was signed before the end of the key"
    assert said(granted, None, True) == (["signature_bad"], [])
    faults, (left,) = said(before, None, True)
    assert faults == [] and "after a key was revoked" in left
    forged = {**before, "data": {**before["data"], "digest": B}}
    assert said(forged, None, True)[0] == ["signature_bad"]


def test_a_receipt_of_another_ledger_is_not_taken_back_here() -> None:
    approvals = ApprovalAudit(lambda *told: None)
    approvals.opened({"ledger": A[:32]})
    announced = of(ApplyAnnounced(purpose="intake", files=FILES), 1)
    receipt = taken_in(of(ApplyReceipted(announced=announced["id"], files=FILES), 2), B[:32])
    named = receipt["origin"]["id"]
    granted = of(ApprovalGranted(subject=f"revert:{named}", digest=B, statement=""), 3)
    granted["actor"] = {"kind": "human", "id": "ada"}
    approvals.granted(3, granted["data"], granted)
    back = of(
        ApplyAnnounced(
            purpose="change.revert", files=(FileChange(path="TODO.md", before=B, after=A),), digest=B,
            subject=f"revert:{named}", reverts=named, approval=granted["id"],
        ),
        4,
    )  # fmt: skip
    assert heard(taken_in(announced, B[:32]), receipt, back, approvals=approvals) == ["apply_unknown"]


def test_a_bundle_with_a_merge_in_it_has_no_bad_signature_for_that(ledger: Ledger, tmp_path: Path) -> None:
    from datetime import UTC, datetime

    from t2c.ledger.transfer.verifier.approving import Approving
    from t2c.ledger.transfer.verifier.findings import Findings

    book = Book(ledger)
    ring = Keyring(tmp_path / "state", ledger.id())
    key = register(ledger, ring, participant="human:ada")
    plain = ApprovalGranted(subject="patch:todo", digest=A, statement="")
    signature = sign_with_own_key(ledger, ring, key.id, "human:ada", datetime.now(UTC))(plain)
    book.approve(signature=signature)
    *_, registered, granted = (
        orjson.loads(line) for line in (ledger.workspace / JOURNAL).read_bytes().splitlines()
    )

    def said(event: dict[str, Any], expires: str | None, revoked: bool) -> tuple[int, int, int]:
        """How many faults there are, and how much is proven and left unproven."""
        found = Findings()
        follows = Approving(str(ledger.id()), found)
        follows.hear(2, {**registered, "data": {**registered["data"], "expires": expires}})
        if revoked:
            follows.hear(3, {"type": "key.revoked", "data": {"key": key.id}})
        follows.hear(4, event)
        proven: list[str] = []
        unproven: list[str] = []
        follows.conclude(proven, unproven)
        return len(found.faults), len(proven), len(unproven)

    before = taken_in(granted, str(ledger.id()))
    late = {**before, "ts": "2999-01-01T00:00:00.000Z"}
    assert said({**granted, "ts": late["ts"]}, "2998-01-01T00:00:00Z", False)[0] == 1
    assert said(late, "2998-01-01T00:00:00Z", False) == (0, 1, 0)
    assert said(granted, None, True)[0] == 1
    assert said(before, None, True) == (0, 0, 1)
    assert said({**before, "data": {**before["data"], "digest": B}}, None, True)[0] == 1
