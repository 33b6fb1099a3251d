"""Requirements: which sentences of a document plan, which only advise, and what identifies them."""

from __future__ import annotations

from hashlib import sha256

import pytest

from t2c.ledger.intake.base import Draft, Reading, materialise
from t2c.ledger.intake.docs.extractor import DocumentExtractor

GUIDE, SPEC, DELTA = "docs/guide.md", "specs/door.md", "openspec/changes/doors/specs/door/spec.md"


class Files:
    """A tree that is a mapping of paths to contents."""

    def __init__(self, **held: bytes) -> None:
        self.held = held

    def __contains__(self, path: str) -> bool:
        return path in self.held

    def named(self, name: str) -> tuple[str, ...]:
        return tuple(sorted(path for path in self.held if path.rpartition("/")[2] == name))

    def content(self, path: str) -> bytes | None:
        return self.held.get(path)


def read(text: str, path: str = GUIDE, **held: bytes) -> Reading:
    return DocumentExtractor().read(path, text.encode(), Files(**held))


def required(text: str, path: str = GUIDE) -> list[Draft]:
    return [draft for draft in read(text, path).records if draft.kind == "requirement"]


def ids(reading: Reading) -> list[str]:
    return [found.id for found in materialise(reading)]


@pytest.mark.parametrize(
    "heading",
    ["Roadmap", "Acceptance criteria", "Success Criteria *(mandatory)*", "Milestones", "Future work", "Planned", "TODO", "3. Planned features:", "🚀 Roadmap",
     "Kryteria akceptacji", "Planowane funkcje", "Do zrobienia", "Mapa drogowa", "Wymagania funkcjonalne", "Plan prac"],
)  # fmt: skip
def test_items_of_sections_that_plan_are_plans(heading: str) -> None:
    (draft,) = required(f"# App\n\n## {heading}\n\n- Export the metrics as CSV\n")
    assert (draft.cls, draft.status, draft.metadata["form"]) == ("plan", "planned", "section")
    assert "planning_section" in draft.basis


@pytest.mark.parametrize(
    "text",
    [
        "You should run `make test` before each commit.",
        "The exporter must write metrics through `exportMetrics`.",
        "## Requirements\n\n- Python 3.11 or newer must be installed\n- A text editor\n- You must have Git on the path",
        "## Next steps\n\n- [Read the tutorial](tutorial.md)\n- Learn how to write plugins\n- See the `api.md` pages",
        "## Constraints\n\n- `NegativeInt`: requires the input to be less than zero",
        "## Milestone use\n\n- All issues in a milestone must be fixed before it ships",
        "## Requirements\n\n- `libssl`: this requires the development headers",
        "## Roadmap\n\nRead our roadmap on the site, you will like it.",
        "## Usage\n\n- Add the plugin to the list of plugins",
        "## System requirements\n\n- 4 GB of memory",
        "## Roadmap\n\n### Non-goals\n\n- Replace the whole of the database",
        "> - [ ] quoted words of somebody else",
        "- UTF-8: the encoding of all files\n- E501: the line is too long\n- ABC-12: a line in some list",
    ],
)
def test_advice_in_a_guide_is_no_plan(text: str) -> None:
    drafts = read(f"# App\n\n{text}\n").records
    assert drafts
    assert {draft.kind for draft in drafts} == {"documentation_statement"}
    assert {draft.cls for draft in drafts} == {"declaration"}


def test_a_weak_section_plans_in_a_guide_what_binds_the_system_and_in_a_specification_all() -> None:
    text = "# App\n\n## Requirements\n\n- The server must refuse weak ciphers\n- Export of metrics as CSV\n"
    assert [draft.text for draft in required(text)] == ["The server must refuse weak ciphers"]
    assert len(required(text, SPEC)) == 2
    assert [draft.text for draft in required(text.replace("Requirements", "Wymagania"))] == [
        "The server must refuse weak ciphers"
    ]
    polish = "# App\n\n## Wymagania\n\n- Serwer musi odrzucać słabe szyfry\n"
    assert [draft.modality for draft in required(polish)] == ["required"]


def test_the_title_can_make_a_specification() -> None:
    assert len(required("# Payments Requirements\n\n## Requirements\n\n- Export of payments as CSV\n")) == 1
    assert required("# Payments\n\n## Requirements\n\n- Export of payments as CSV\n") == []


def test_keywords_in_capitals_plan_in_a_specification_alone() -> None:
    text = (
        "# Door\n\nThe door MUST lock at night and stay so.\n\n- The door SHOULD ring.\n- It MAY be green.\n"
        "- A guest MUST NOT open it.\n- It `MUST` not count in code.\n\n"
        'The key words "MUST" and "SHOULD" are to be read as in RFC 2119.\n'
    )
    drafts = required(text, SPEC)
    assert [(draft.modality, draft.polarity, draft.metadata["constraint"]) for draft in drafts] == [
        ("required", "positive", False), ("recommended", "positive", False), ("optional", "positive", False),
        ("required", "negative", True),
    ]  # fmt: skip
    assert all("rfc2119_keyword" in draft.basis and draft.cls == "plan" for draft in drafts)
    assert required(text, GUIDE) == []


def test_a_prohibition_is_a_constraint_in_any_form() -> None:
    (draft,) = required("# A\n\n## Kryteria akceptacji\n\n- Nie wolno usuwać `src/legacy.py`\n")
    assert (draft.polarity, draft.modality, draft.metadata["constraint"]) == ("negative", "required", True)


@pytest.mark.parametrize(
    ("text", "identifier"),
    [
        ("REQ-12: The door locks", "REQ-12"), ("**FR-001**: The door locks", "FR-001"),
        ("[SRS-12] The door locks", "SRS-12"), ("**REQ-7** The door locks", "REQ-7"),
        ("`NFR-3` - The door locks", "NFR-3"), ("REQ_4. The door locks", "REQ_4"),
    ],
)  # fmt: skip
def test_ids_of_requirements(text: str, identifier: str) -> None:
    (draft,) = required(f"# A\n\n- {text}\n")
    assert draft.metadata["requirementId"] == identifier
    assert (draft.cls, draft.metadata["form"]) == ("plan", "identified")
    assert draft.tickets == ((identifier,) if "-" in identifier else ())


def test_other_prefixes_identify_in_a_specification_alone() -> None:
    assert [draft.metadata["requirementId"] for draft in required("- DOOR-3: The door locks\n", SPEC)] == [
        "DOOR-3"
    ]
    assert required("- DOOR-3: The door locks\n", GUIDE) == []
    assert required("- CWE-79: The door locks\n", SPEC) == []


def test_rows_with_an_id_state_a_requirement() -> None:
    text = "| ID | Priority | Requirement |\n|---|---|---|\n| REQ-1 | high | The door must lock |\n| x | y | z |\n"
    (draft,) = required(text)
    assert draft.text == "REQ-1: The door must lock"
    assert draft.metadata["requirementId"] == "REQ-1"
    assert draft.metadata["columns"] == {
        "ID": "REQ-1",
        "Priority": "high",
        "Requirement": "The door must lock",
    }


def test_stories_and_scenarios() -> None:
    (story,) = required("# A\n\nAs a guest, I want to open the door so that I get in.\n")
    assert (story.metadata["form"], story.cls) == ("story", "plan")
    (polish,) = required("# A\n\nJako gość chcę otworzyć drzwi, aby wejść.\n")
    assert polish.metadata["form"] == "story"
    (steps,) = required("- Given a locked door, when the key turns, then it opens\n", SPEC)
    assert steps.metadata["form"] == "scenario"
    assert required("- Given that the door is old, use oil when it squeaks\n", GUIDE) == []
    assert required("When you open it, then close it again, `src/a.py` helps.\n", SPEC) == []


def test_checkboxes_plan_and_tell_what_is_done() -> None:
    drafts = required("# A\n\n- [ ] Lock the door\n- [x] Paint the door\n")
    assert [(draft.text, draft.status, draft.metadata["checked"]) for draft in drafts] == [
        ("Lock the door", "planned", False), ("Paint the door", "completed", True),
    ]  # fmt: skip
    again = required("# A\n\n- [x] Lock the door\n- [x] Paint the door\n")
    assert [draft.text for draft in again] == [draft.text for draft in drafts]


@pytest.mark.parametrize(
    "path", [".github/PULL_REQUEST_TEMPLATE.md", "CONTRIBUTING.md", "docs/release-checklist.md"]
)
def test_checklists_for_readers_plan_nothing(path: str) -> None:
    assert required("# A\n\n- [ ] Tests were added for the change\n", path) == []


@pytest.mark.parametrize(
    "above",
    [
        "## PR Guidelines\n\n### Before Submitting", "## Pull request checklist", "## Merge request checklist",
        "## Before you open a pull request", "## Definition of Done", "## Release process", "## Deployment steps",
        "## Przed wysłaniem zmian", "## Work\n\nBefore submitting your change, make sure that:",
        "## Work\n\nThe release checklist:", "## Before a release", "## Before Committing",
        "## Work\n\nPlease go through this before you send us a PR:",
    ],
)  # fmt: skip
@pytest.mark.parametrize("box", ["[ ] ", ""])
def test_a_list_that_is_gone_through_each_time_plans_nothing(above: str, box: str) -> None:
    assert required(f"# A\n\n{above}\n\n- {box}Check the format of the code\n- {box}Test everything\n") == []


def test_what_a_plan_lists_to_be_done_once_is_planned() -> None:
    for heading in (
        "Definition of Done",
        "Release process",
        "Deployment steps",
        "Check mails before sending them",
    ):
        assert len(required(f"# A\n\n## {heading}\n\n- [ ] Check the format\n", "docs/plans/doors.md")) == 1
    text = "# A\n\nBefore submitting, check:\n\n- [ ] The format\n\nStill to do:\n\n- [ ] Lock the door\n"
    assert [draft.text for draft in required(text)] == ["Lock the door"]
    assert required("# A\n\n## Before submitting a pull request\n\n- [ ] Check it\n", "docs/plans/a.md") == []


def test_what_a_roadmap_ticks_off_is_done() -> None:
    text = "# Roadmap\n\n- ✅ Lock the door\n- 🚧 Paint the door\n\n## Done\n\n- Oil the hinges\n\n## Later\n\n- Sell the house\n"
    assert [draft.status for draft in required(text)] == ["completed", "in_progress", "completed", "planned"]
    assert required("# Guide\n\n## Done\n\n- Oil the hinges\n") == []


@pytest.mark.parametrize(
    "path",
    [
        "tests/fixtures/spec.md",
        "web/integration-tests/a/spec.md",
        "tests/openspec/specs/a/spec.md",
        "docs/examples/spec.md",
        "specs/spec-template.md",
    ],
)
def test_samples_plan_nothing_of_this_project(path: str) -> None:
    text = "# A\n\n## Roadmap\n\n- Lock the door\n\n### Requirement: Lock\n\nThe door MUST lock.\n"
    (draft,) = required(text, path)
    assert (draft.cls, draft.metadata["sample"]) == ("declaration", True)


# --- OpenSpec ---------------------------------------------------------------------------------------------

REQUIREMENT = "### Requirement: Lock the door\n\nThe door SHALL lock.\n\n#### Scenario: Night\n\n- **WHEN** it is dark\n- **THEN** it locks\n"


def test_a_requirement_and_its_scenario() -> None:
    requirement, scenario = required(f"# Door\n\n## ADDED Requirements\n\n{REQUIREMENT}", DELTA)
    assert (requirement.text, requirement.action, requirement.modality) == (
        "The door SHALL lock.",
        "add",
        "required",
    )
    assert requirement.trail == ("Door", "ADDED Requirements", "Requirement: Lock the door")
    assert (requirement.cls, requirement.status) == ("plan", "proposed")
    assert requirement.metadata["requirement"] == "Lock the door"
    assert requirement.metadata["delta"] == "added"
    assert scenario.text == "**WHEN** it is dark **THEN** it locks"
    assert (scenario.metadata["form"], scenario.metadata["scenario"]) == ("scenario", "Night")
    assert scenario.metadata["requirement"] == "Lock the door"
    assert scenario.lines == (11, 12)


@pytest.mark.parametrize(
    ("path", "cls", "status"),
    [
        ("openspec/specs/door/spec.md", "declaration", "implemented"),
        ("openspec/changes/a/specs/door/spec.md", "plan", "proposed"),
        ("openspec/changes/archive/2026-a/specs/door/spec.md", "plan", "completed"),
        ("openspec/changes/add-template-tests/specs/door/spec.md", "plan", "proposed"),
        ("specs/001-door/spec.md", "plan", "planned"),
    ],
)
def test_the_place_of_a_specification_tells_its_lifecycle(path: str, cls: str, status: str) -> None:
    assert {(draft.cls, draft.status) for draft in required(f"## Requirements\n\n{REQUIREMENT}", path)} == {
        (cls, status)
    }


def test_a_requirement_under_a_misspelt_section_is_read_and_the_section_noted() -> None:
    reading = read(f"# Door\n\n## Add Requirements\n\n{REQUIREMENT}", DELTA)
    requirement = next(draft for draft in reading.records if draft.kind == "requirement")
    assert requirement.trail == ("Door", "Add Requirements", "Requirement: Lock the door")
    assert requirement.metadata["delta"] is None
    (warning,) = reading.warnings
    assert (warning.reason, warning.count, warning.lines) == ("unknown_section", 1, (3,))
    assert "ADDED Requirements" in warning.detail
    assert reading.complete


def test_a_known_section_is_not_noted() -> None:
    for section in ("ADDED Requirements", "Modified requirements", "Requirements"):
        assert read(f"# Door\n\n## {section}\n\n{REQUIREMENT}", DELTA).warnings == ()


def test_a_stray_section_in_mid_file_loses_nothing() -> None:
    second = REQUIREMENT.replace("Lock the door", "Ring the bell").replace(
        "door SHALL lock", "bell SHALL ring"
    )
    text = f"# Door\n\n## Requirements\n\n{REQUIREMENT}\n## ADDED Requirements\n\n{second}"
    path = "openspec/specs/door/spec.md"
    assert [draft.text for draft in required(text, path)] == [
        "The door SHALL lock.", "**WHEN** it is dark **THEN** it locks",
        "The bell SHALL ring.", "**WHEN** it is dark **THEN** it locks",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "heading", ["###Requirement: X", "### requirement: X", "### Requirement: X", "### **Requirement: X**"]
)
def test_spellings_of_a_requirement(heading: str) -> None:
    (draft,) = required(f"## Requirements\n\n{heading}\n\nThe door SHALL lock.\n", DELTA)
    assert (draft.text, draft.metadata["requirement"]) == ("The door SHALL lock.", "X")


def test_a_keyword_in_the_heading_counts_and_a_requirement_needs_no_body() -> None:
    first, second = required(
        "## Requirements\n\n### Requirement: Breaker SHALL open\n\nWithin a second.\n\n"
        "### Requirement: Fuse SHALL NOT melt\n",
        DELTA,
    )
    assert (first.text, first.modality) == ("Within a second.", "required")
    assert (second.text, second.modality, second.metadata["constraint"]) == (
        "Fuse SHALL NOT melt",
        "required",
        True,
    )


def test_a_divider_is_no_requirement() -> None:
    text = f"## Requirements\n\n### Documentation Requirements\n\n{REQUIREMENT}"
    drafts = read(text, "openspec/specs/door/spec.md").records
    assert next(draft.text for draft in drafts if draft.kind == "requirement") == "The door SHALL lock."
    assert "Documentation Requirements" in [
        draft.text for draft in drafts if draft.kind == "documentation_statement"
    ]


def test_removed_and_renamed_requirements() -> None:
    text = (
        "## REMOVED Requirements\n\n### Requirement: Old bell\n\n**Reason**: It MUST go.\n\n"
        "## RENAMED Requirements\n\n- FROM: `### Requirement: Door`\n- TO: `### Requirement: Gate`\n"
    )
    removed, renamed = [draft for draft in required(text, DELTA) if draft.metadata["form"] == "heading"]
    assert (removed.text, removed.action) == ("Old bell", "remove")
    assert (renamed.text, renamed.action, renamed.metadata["renamedFrom"]) == ("Gate", "change", "Door")


def test_acceptance_criteria_of_a_requirement_plan_and_its_remarks_do_not() -> None:
    text = (
        "## Requirements\n\n### Requirement 1: Login\n\n**User Story:** As a guest, I want to log in.\n\n"
        "- A remark on logging in\n\n#### Acceptance Criteria\n\n- The session ends at night\n"
        "- WHEN the guest leaves THEN the system SHALL end it\n"
    )
    drafts = required(text, ".kiro/specs/login/requirements.md")
    assert [(draft.metadata["form"], draft.metadata["requirement"]) for draft in drafts] == [
        ("heading", "Login"), ("section", "Login"), ("scenario", "Login"),
    ]  # fmt: skip
    assert drafts[0].metadata["requirementId"] == "1"


# --- other tools ------------------------------------------------------------------------------------------


def test_specification_items_of_openfasttrace() -> None:
    text = (
        "# Door\n\n### Login Lock\n`req~login-lock~1`\n\nThe account is locked after three tries.\n\n"
        "Rationale: nobody guesses then.\n\nCovers:\n\n* [feat~login~1](#login)\n\nNeeds: dsn, utest\n"
    )
    (draft,) = required(text, "doc/spec/door.md")
    assert draft.text == "The account is locked after three tries."
    assert draft.metadata["requirementId"] == "req~login-lock~1"
    assert draft.metadata["covers"] == ["feat~login~1"]
    assert draft.metadata["needs"] == ["dsn", "utest"]
    assert draft.tickets == ()
    (bare,) = required("# Door\n\n`req~bare~2`\n", "doc/spec/door.md")
    assert (bare.text, bare.metadata["requirementId"]) == ("Door", "req~bare~2")


ITEM = "active: true\nderived: false\nlevel: 1.2\nnormative: true\nreviewed: null\n"


def test_an_item_of_doorstop_has_one_anchor_for_each_file() -> None:
    text = (
        ITEM + "text: |\n  The door must lock\n  at night.\nref: [tests/t1.py, tests/t2.py, tests/folder]\n"
    )
    held = {"tests/t1.py": b"one", "tests/t2.py": b"two"}
    before = read(text, "reqs/REQ001.yml", **held)
    requirement, first, second, folder = before.records
    assert (requirement.text, requirement.cls) == ("The door must lock at night.", "plan")
    assert requirement.metadata["requirementId"] == "REQ001"
    assert (first.kind, first.paths) == ("requirement_anchor", ("tests/t1.py",))
    assert first.metadata["contentSha256"] == sha256(b"one").hexdigest()
    assert (folder.paths, folder.metadata["contentSha256"], folder.metadata["missing"]) == (
        ("tests/folder",),
        None,
        False,
    )
    after = read(text, "reqs/REQ001.yml", **{**held, "tests/t2.py": b"changed"})
    changed = [
        old.id
        for old, new in zip(materialise(before), materialise(after), strict=True)
        if old.digest != new.digest
    ]
    assert ids(before) == ids(after)
    assert changed == [ids(before)[2]]
    assert second.paths == ("tests/t2.py",)


def test_a_reviewed_digest_that_differs_makes_the_anchor_suspect() -> None:
    text = (
        ITEM
        + f"text: Lock\nreferences:\n- path: a.py\n  type: file\n  sha: {sha256(b'x').hexdigest()}\n- path: gone.py\n"
    )
    _, same, gone = read(text, "REQ1.yml", **{"a.py": b"x"}).records
    _, other, _ = read(text, "REQ1.yml", **{"a.py": b"y"}).records
    assert (same.metadata["suspect"], other.metadata["suspect"]) == (False, True)
    assert (gone.metadata["missing"], gone.metadata["suspect"]) == (True, None)


@pytest.mark.parametrize(
    "text",
    ["on: push\njobs: {}\n", "text: a\nlevel: 1\n", "[", "- a\n", ITEM, "text: [" * 3000 + "normative: true"],
)
def test_other_yaml_is_no_item(text: str) -> None:
    assert read(text, "flow1.yml").records == ()


def test_an_item_that_is_no_yaml_is_noted() -> None:
    reading = read(ITEM + "text: [a\n", "REQ1.yml")
    assert [warning.reason for warning in reading.warnings] == ["invalid_yaml"]


def test_requirements_of_strictdoc() -> None:
    text = (
        "[DOCUMENT]\nTITLE: Door\n\n[[SECTION]]\nTITLE: Locks\n\n[REQUIREMENT]\nMID: 1a\nUID: DOOR-1\nSTATUS: Active\n"
        "TITLE: Lock\nSTATEMENT: >>>\nThe door shall lock\nat night.\n<<<\nRELATIONS:\n- TYPE: File\n  VALUE: src/a.py\n\n"
        "[[/SECTION]]\n\n[TEXT]\nSTATEMENT: Words only.\n\n[REQUIREMENT]\nUID: DOOR-2\nSTATEMENT: It must not creak.\n"
    )
    first, second = required(text, "door.sdoc")
    assert (first.text, first.trail) == ("The door shall lock at night.", ("Locks", "Lock"))
    assert first.metadata["requirementId"] == "DOOR-1"
    assert first.metadata["relations"] == [{"type": "File", "value": "src/a.py"}]
    assert (second.trail, second.metadata["constraint"]) == ((), True)
