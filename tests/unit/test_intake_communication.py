"""Messages of people and agents: which files are some, what they say and what keeps their identity."""

from __future__ import annotations

import time

import pytest

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Draft, Reading, materialise
from t2c.ledger.intake.communication.envelope import moment
from t2c.ledger.intake.communication.extractor import CommunicationExtractor, projection_hash
from t2c.ledger.intake.communication.names import FileName, is_evidence, is_ticket, said_by_name
from t2c.ledger.intake.communication.sections import section_type
from t2c.ledger.intake.communication.statements import sentences

AI = "project/ticket-004/ai-codex.md"
USER = "project/ticket-004/user-tom.md"
ONE = "project/ACME-1/human.tom.request.001.md"


class Files:
    """A tree that is a mapping of paths to contents."""

    def __init__(self, **held: str) -> None:
        self.held = {path.replace("__", "/").replace("_json", ".json"): text for path, text in held.items()}

    def __contains__(self, path: str) -> bool:
        return path in self.held

    def named(self, name: str) -> tuple[str, ...]:
        return tuple(sorted(path for path in self.held if path.rpartition("/")[2] == name))

    def content(self, path: str) -> bytes | None:
        return self.held[path].encode() if path in self.held else None


def read(text: str | bytes, path: str = ONE, tree: Files | None = None) -> Reading:
    content = text.encode() if isinstance(text, str) else text
    return CommunicationExtractor().read(path, content, tree or Files())


def said(text: str, path: str = ONE) -> list[Draft]:
    return list(read(text, path).records)


def ids(text: str | bytes, path: str = AI) -> list[str]:
    return [found.id for found in materialise(read(text, path))]


def noted(reading: Reading) -> dict[str, tuple[int, tuple[int, ...]]]:
    return {warning.reason: (warning.count, warning.lines) for warning in reading.warnings}


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        (AI, True), (USER, True), ("project/ticket-004/notes/a.txt", True), ("project/ACME-1/x.md", True),
        ("project/TICKETS.md", False), ("project/ticket-004/a.json", False), ("src/project/t-1/a.md", False),
        ("projects/ticket-1/a.md", False), ("project/t-1/a.mdx", False),
    ],
)  # fmt: skip
def test_which_files_may_be_messages(path: str, wanted: bool) -> None:
    assert CommunicationExtractor().wants(path) is wanted


def test_the_project_folder_is_a_setting() -> None:
    extractor = CommunicationExtractor(folder="docs/work/")
    assert extractor.wants("docs/work/ticket-1/user-tom.md")
    assert not extractor.wants(AI)
    (draft,) = extractor.read("docs/work/ACME-1/human.tom.request.md", b"Add the cache", Files()).records
    assert draft.tickets == ("ACME-1",)


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("t-1/user-Tom-X.md", FileName("human", "tom-x", "request", True)),
        ("t-1/human-ada.txt", FileName("human", "ada", "request", True)),
        ("t-1/ai-codex.md", FileName("agent", "codex", "plan", True)),
        ("t-1/AGENT-R2.md", FileName("agent", "r2", "plan", True)),
        ("t-1/ai-codex-logs.txt", FileName()),
        ("t-1/human.tom.request.001.md", FileName("human", "tom", "request")),
        ("t-1/agent.codex.plan.md", FileName("agent", "codex", "plan")),
        ("t-1/user.tom.md", FileName("human", "tom")),
        ("t-1/agent.codex.nonsense.md", FileName("agent", "codex")),
        ("t-1/agents/codex/report.001.md", FileName("agent", "codex", "report")),
        ("t-1/humans/ada/x.md", FileName("human", "ada")),
        ("t-1/plan.md", FileName(type="plan")),
        ("t-1/notes.md", FileName()),
    ],
)
def test_what_a_name_says(inside: str, expected: FileName) -> None:
    assert said_by_name(inside) == expected


@pytest.mark.parametrize(
    ("base", "evidence"),
    [
        ("README.md", True), ("preprompt.md", True), ("changelog.md", True), ("audit.md", True),
        ("baseline.md", True), ("logs.txt", True), ("TODO.md", True), ("my-task.md", True), ("a.todo.md", True),
        ("iteration-01.md", True), ("iteration-2-fix.md", True), ("ai-codex-logs.txt", True),
        ("agent-r2-logs.txt", True), ("multitask.md", False), ("ai-codex.md", False), ("iteration.md", False),
    ],
)  # fmt: skip
def test_which_files_are_evidence(base: str, evidence: bool) -> None:
    assert is_evidence(base) is evidence


@pytest.mark.parametrize(
    ("folder", "ticket"),
    [
        ("ticket-004", True),
        ("ACME-1", True),
        ("ACME-1-fix_it", True),
        ("batch_1", False),
        ("docs", False),
        ("1-2", False),
    ],
)
def test_which_folders_are_tickets(folder: str, ticket: bool) -> None:
    assert is_ticket(folder) is ticket


def test_the_record_of_a_message_with_an_envelope() -> None:
    text = (
        "---\nparticipant: Tom\nrole: human\ntype: request\nto: codex\ntimestamp: 2026-01-05T11:00:00+01:00\n"
        'git-authors: ["Tom S", "tom"]\npaths: ./src//a.py, docs\\b.md\nsymbols: ["A::run(x)"]\n---\n'
        "\nAdd `validate` to src/core.py for ACME-7.\n"
    )
    reading = read(text, tree=Files(src__core="", **{"src/core.py": ""}))
    assert reading.complete
    assert reading.warnings == ()
    (found,) = materialise(reading)
    record = Record.model_validate_json(found.body)
    assert record.statement.kind == "communication_request"
    assert record.statement.text == "Add `validate` to src/core.py for ACME-7."
    assert record.statement.actor == "Tom"
    assert (record.statement.action, record.statement.subject) == ("add", "to:codex")
    assert record.statement.target.model_dump() == {
        "paths": ("docs/b.md", "src/a.py", "src/core.py"), "symbols": ("A.run",),
        "tickets": ("ACME-1", "ACME-7"), "versions": (),
    }  # fmt: skip
    assert (record.lifecycle.status, record.epistemic.cls, record.epistemic.confidence) == (
        "proposed", "declaration", 0.88,
    )  # fmt: skip
    assert record.epistemic.basis == (
        "communication_front_matter", "heuristic_action_dictionary", "project_ticket_path",
    )  # fmt: skip
    assert record.observedAt == "2026-01-05T10:00:00.000Z"
    assert record.source.kind == "agent_log"
    assert record.source.extractor == "t2c/project-communication@1"
    assert record.source.lines is not None
    assert record.source.lines.start == 12
    shown = {key: value for key, value in record.metadata.items() if key not in ("anchor", "generation")}
    assert shown == {
        "participant": "Tom", "participantId": None, "displayName": "Tom", "participantRole": "human",
        "messageType": "request", "ticket": "ACME-1", "recipient": "codex", "gitAuthors": ["Tom S", "tom"],
        "a2aAgentIds": [], "humanAliases": [], "identityResolved": True, "identitySource": "legacy",
        "participantRegistry": None, "llmUsed": False, "headingPath": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "status", "cls", "modality"),
    [
        ("agent.c.plan.md", "planned", "plan", "required"),
        ("agent.c.report.md", "implemented", "claim", "claimed"),
        ("agent.c.result.md", "implemented", "claim", "claimed"),
        ("agent.c.claim.md", "implemented", "claim", "claimed"),
        ("human.t.decision.md", "completed", "declaration", "required"),
        ("human.t.request.md", "proposed", "declaration", "required"),
        ("human.t.message.md", "proposed", "declaration", "required"),
        ("agent.c.message.md", "proposed", "claim", "required"),
        ("agent.c.md", "proposed", "claim", "required"),
    ],
)
def test_how_far_each_kind_of_message_goes(name: str, status: str, cls: str, modality: str) -> None:
    (draft,) = said("The cache must be kept\n", f"project/ACME-1/{name}")
    assert (draft.status, draft.cls, draft.modality) == (status, cls, modality)
    assert draft.subject == "ticket:ACME-1"


def test_what_an_agent_says_it_did_is_a_claim_and_never_a_fact() -> None:
    drafts = said("All 12 tests pass. Fixed `src/a.py`.\n", "project/ACME-1/agent.codex.report.001.md")
    assert [draft.cls for draft in drafts] == ["claim", "claim"]
    assert [draft.modality for draft in drafts] == ["claimed", "claimed"]


def test_a_decision_without_a_verb_approves() -> None:
    (draft,) = said("The plan of ACME-1 as it stands\n", "project/ACME-1/human.t.decision.md")
    assert draft.action == "approve"


def test_governance_files_are_read_by_their_sections() -> None:
    text = (
        "# Participant: Codex (AI agent)\n\n- **Ticket**: ticket-004\n- **Status**: COMPLETE\n\n## Understanding\n\n"
        "The cache is wrong. It must be\nmended soon.\n\n## Execution plan\n\n1. Add a test.\n2. Fix the cache,\n"
        "   all of it.\n\n### Phase 2\n\n- Remove the old one\n\n## Actual changes\n\n- Added a test\n\n## Blockers\n\n"
        "- None.\n\n## Approval gate\n\nApproved by Tom.\n\n## Notes\n\nSomething else.\n"
    )
    reading = read(text, AI)
    assert [(draft.kind, draft.text, draft.lines) for draft in reading.records] == [
        ("communication_plan", "The cache is wrong.", (8, 8)),
        ("communication_plan", "It must be mended soon.", (8, 9)),
        ("communication_plan", "Add a test.", (13, 13)),
        ("communication_plan", "Fix the cache, all of it.", (14, 15)),
        ("communication_plan", "Remove the old one", (19, 19)),
        ("communication_report", "Added a test", (23, 23)),
        ("communication_claim", "Approved by Tom.", (31, 31)),
    ]
    assert noted(reading) == {"unclassified_section": (1, (35,))}
    assert reading.records[0].trail == ("Participant: Codex (AI agent)", "Understanding")
    assert "heading_context" in reading.records[0].basis


@pytest.mark.parametrize(
    ("heading", "human", "agent"),
    [
        ("Decisions", "decision", None), ("Decyzje", "decision", None), ("Approval", "decision", "claim"),
        ("Zatwierdzenie", "decision", "claim"), ("Assigned instruction", "request", None),
        ("Wymagania", "request", None), ("Cel", "request", None), ("Polecenie", "request", None),
        ("Scope", "request", "plan"), ("Zakres prac", "request", "plan"), ("Actual changes", None, "report"),
        ("Wyniki", None, "report"), ("Rzeczywiste zmiany", None, "report"), ("Blokery", None, "report"),
        ("Unfinished items and blockers", None, "report"), ("Execution plan", None, "plan"),
        ("Plan wykonania", None, "plan"), ("Planowane zmiany", None, "plan"), ("Ryzyka", None, "plan"),
        ("Rozumienie intencji", None, "plan"), ("Planned code locations", None, "plan"), ("Celebration", None, None),
        ("Ownership boundary", None, None), ("Explanation", None, None), ("Notes", None, None),
    ],
)  # fmt: skip
def test_what_a_heading_says(heading: str, human: str | None, agent: str | None) -> None:
    assert (section_type(heading, "human"), section_type(heading, "agent")) == (human, agent)


def test_a_governance_file_without_known_sections_names_who_must_classify_it() -> None:
    reading = read("# Notes\n\nAdd the cache.\n", USER)
    assert reading.records == ()
    assert reading.complete
    warning = {item.reason: item for item in reading.warnings}["no_recognised_section"]
    assert "human:tom must classify" in warning.detail


def test_a_type_in_front_matter_classifies_the_whole_governance_file() -> None:
    (draft,) = said("---\ntype: request\n---\n# Notes\n\nAdd the cache.\n", USER)
    assert (draft.kind, draft.actor) == ("communication_request", "tom")


def test_an_item_of_several_sentences_is_several_statements() -> None:
    text = "## Plan\n\n- [ ] Add a cache\n  for reads. No second\n  one. Test it.\n  - Not now\n"
    drafts = said(text, AI)
    assert [(draft.text, draft.lines, draft.polarity) for draft in drafts] == [
        ("Add a cache for reads.", (3, 4), "positive"),
        ("No second one.", (4, 5), "negative"),
        ("Test it.", (5, 5), "positive"),
        ("Not now", (6, 6), "negative"),
    ]
    assert drafts[3].trail == ("Plan", "Add a cache for reads. No second one. Test it.")
    assert drafts[3].excerpt == "  - Not now"


def test_a_section_may_name_what_is_excluded() -> None:
    wanted, left = said("## Scope\n\n- Add a cache\n\n## Excluded scope\n\n- Changing the parser\n", AI)
    assert (wanted.polarity, left.polarity) == ("positive", "negative")


def test_evidence_beside_a_conversation_is_counted_once_for_the_folder() -> None:
    reading = read("Add the cache.\n", "project/ticket-004/logs.txt")
    assert reading.records == ()
    assert reading.complete
    assert [(item.path, item.reason, item.count) for item in reading.warnings] == [
        ("project", "evidence_file", 1)
    ]
    assert read("Add the cache.\n", "project/ticket-004/README.md").warnings == ()
    (draft,) = said(
        "---\nrole: human\nparticipant: tom\n---\nAdd the cache.\n", "project/ticket-004/README.md"
    )
    assert draft.actor == "tom"


def test_a_document_that_nobody_signed_is_no_message() -> None:
    reading = read("Design\n\nThe cache must be fast.\n", "project/ticket-004/DESIGN.txt")
    assert reading.records == ()
    assert noted(reading) == {"role_unknown": (1, (1,)), "participant_missing": (1, (1,))}
    document = read("# Design\n\nThe cache must be fast.\n", "project/ticket-004/DESIGN.md")
    assert (document.records, document.warnings) == ((), ())  # it is read as a document instead


def test_files_of_other_folders_are_messages_only_if_a_role_is_known() -> None:
    assert read("Add the cache.", "project/batch_1/context.md") == Reading(
        read("", "project/batch_1/context.md").scope, "t2c/project-communication@1", ()
    )
    (draft,) = said("Add the cache.", "project/batch_1/human.tom.request.md")
    assert draft.tickets == ("BATCH_1",)
    (draft,) = said(
        "---\nrole: agent\nparticipant: r2\nticket: acme 12\n---\nAdd the cache.", "project/x/context.md"
    )
    assert draft.tickets == ("ACME-12",)


def test_what_is_missing_in_an_envelope_is_noted_and_lowers_the_confidence() -> None:
    reading = read(
        "---\ntype: report\nrole: robot\ntimestamp: yesterday\npaths: ../x, /y\n---\nAdded it all.\n"
    )
    (draft,) = reading.records
    assert draft.confidence == 0.55
    assert draft.metadata["participantRole"] == "unknown"
    assert draft.metadata["identityResolved"] is False
    assert draft.observed_at is None
    assert draft.cls == "claim"
    assert noted(reading) == {
        "role_unknown": (1, (3,)), "invalid_timestamp": (1, (4,)), "unusable_path": (2, (5,)),
    }  # fmt: skip
    reading = read("---\nrole: human\n---\nAdd the cache.\n", "project/ACME-1/note.md")
    (draft,) = reading.records
    assert draft.actor == "unknown:note.md"
    assert draft.confidence == 0.55
    assert noted(reading) == {"participant_missing": (1, (1,))}


def test_a_sentinel_is_nobody() -> None:
    for name in ("unresolved:human", "unresolved:agent"):
        reading = read(
            f"---\nrole: human\nparticipant: {name}\nto: unresolved:agent\n---\nAdd the cache.\n",
            "project/ACME-1/n.md",
        )
        (draft,) = reading.records
        assert draft.actor == "unknown:n.md"
        assert draft.metadata["identityResolved"] is False
        assert draft.metadata["recipient"] is None
        assert noted(reading)["sentinel_participant"] == (2, (3, 4))


def test_an_envelope_without_an_end_rejects_the_file() -> None:
    reading = read("---\nrole: human\ntype: request\n\nAdd the cache.\n")
    assert (reading.records, reading.complete) == ((), False)
    assert noted(reading)["envelope_unclosed"] == (1, (1,))


def test_a_rule_at_the_top_is_no_envelope() -> None:
    (draft,) = said("---\n\nAdd the cache.\n")
    assert draft.text == "Add the cache."


def test_lists_in_an_envelope() -> None:
    for text in ("[\"b\", 'a']", "a, b", "[a, 'b']", '\n- a\n-  "b"'):
        (draft,) = said(f"---\ngit_authors: {text}\nrole: human\n---\nAdd the cache.\n")
        assert draft.metadata["gitAuthors"] == ["a", "b"], text


def test_lines_of_an_envelope_that_say_nothing_are_counted() -> None:
    assert noted(read("---\nrole: human\nwhat is this\n# a comment\n---\nAdd it.\n")) == {
        "envelope_line": (1, (3,))
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-05T10:00:00Z", "2026-01-05T10:00:00.000Z"),
        ("2026-01-05T10:00:00.1239+02:00", "2026-01-05T08:00:00.123Z"),
        ("2026-01-05T23:59:60Z", "2026-01-06T00:00:00.000Z"),
        ("2026-01-05T10:00:00", None), ("2026-01-05", None), ("2026-13-05T10:00:00Z", None),
        ("0001-01-01T00:00:00+02:00", None), ("9999-12-31T23:59:59-02:00", None), ("2026-01-05T10:00:00+99:00", None),
    ],
)  # fmt: skip
def test_times_carry_an_offset_and_are_kept_in_utc(text: str, expected: str | None) -> None:
    assert moment(text) == expected


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Add a. Then b.", ["Add a.", "Then b."]),
        ("Use e.g. Redis, i.e. Not ours. Żaden inny.", ["Use e.g. Redis, i.e. Not ours.", "Żaden inny."]),
        ("See `a. B` now. It is 1.5. 2 more.", ["See `a. B` now.", "It is 1.5.", "2 more."]),
        ("Dr. Kowalski; Ada said so! (Really.) Yes", ["Dr. Kowalski;", "Ada said so!", "(Really.)", "Yes"]),
        ("no break. here", ["no break. here"]),
        ('He said "Stop." Then left.', ['He said "Stop."', "Then left."]),
    ],
)
def test_where_sentences_end(text: str, parts: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == parts


def test_blank_lines_reordering_and_neighbours_change_no_id() -> None:
    text = "## Execution plan\n\n- Add a\n- Fix b\n\n## Actual changes\n\n- Added a\n"
    first = ids(text)
    assert ids(text.replace("\n\n", "\n\n\n")) == first
    assert ids(text.replace("\n", "\r\n")) == first
    assert sorted(ids(text.replace("- Add a\n- Fix b\n", "- Fix b\n- Add a\n"))) == sorted(first)
    changed = ids(text.replace("Fix b", "Fix c"))
    assert len(set(first) & set(changed)) == 2
    assert len(set(first)) == 3


def test_who_speaks_is_no_part_of_the_identity_of_what_is_said() -> None:
    unsigned = ids("Add the cache.\n", ONE)
    assert ids("---\nparticipant: Thomas\nrole: human\ntype: request\n---\nAdd the cache.\n", ONE) == unsigned


def test_tables_and_code_are_counted() -> None:
    reading = read("## Plan\n\n| a | b |\n|---|---|\n\n```\nx\n```\n", AI)
    assert noted(reading) == {
        "table_not_read": (2, (3, 4)), "code_not_read": (1, (6,)), "no_recognised_section": (1, ()),
    }  # fmt: skip
    assert "no_statements_found" in noted(read("| a | b |\n"))


def test_a_binary_file_is_incomplete() -> None:
    reading = read(b"a\0b")
    assert not reading.complete
    assert noted(reading) == {"binary_file": (1, ())}


def test_a_projection_of_intake_is_read_as_messages_of_a_person() -> None:
    body = "# Participant: Ada\n\n## Message 3\n\nAdd the cache.\n\n## Message 4\n\n## Decision\n\nKeep it.\n"
    head = (
        "---\nparticipant-id: human:ada\nparticipant: Ada\nrole: manager\nticket: ticket-004\n"
        f"projection-managed: trusted-intake\nprojection-hash: {projection_hash(body)}\n---\n"
    )
    path = "project/ticket-004/manager-ada.md"
    reading = read(head + body, path)
    assert reading.warnings == ()
    assert [(draft.kind, draft.text, draft.trail) for draft in reading.records] == [
        ("communication_message", "Add the cache.", ("Participant: Ada",)),
        ("communication_decision", "Keep it.", ("Participant: Ada", "Decision")),
    ]
    assert {draft.metadata["participantRole"] for draft in reading.records} == {"human"}
    assert "projection_drift" in noted(read(head + body + "More.\n", path))


def test_a_long_file_is_read_in_linear_time() -> None:
    def seconds(count: int) -> float:
        text = "## Execution plan\n\n" + "- Add the parser of `src/a.py` for ACME-7. Then test it\n" * count
        begun = time.process_time()
        assert len(read(text, AI).records) == 2 * count
        return time.process_time() - begun

    seconds(100)
    assert seconds(8_000) < 24 * max(seconds(1_000), 0.01)
