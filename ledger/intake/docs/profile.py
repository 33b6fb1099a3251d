"""What kind of document a path names: that decides which of its sentences may plan.

A guide tells readers what is and what they can do; only where it says so it plans. Specifications, plans,
designs and decisions plan in more forms. Samples (fixtures, examples, templates) plan nothing of this project.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from t2c.ledger.events.record import EpistemicClass, Status
from t2c.ledger.intake.vocabulary import words

__all__ = ["Delta", "Profile", "profile_of", "with_title"]

Kind = Literal["guide", "specification", "plan", "design", "decision"]
Delta = Literal["change", "archive", "current"]

_SPECIFICATIONS: Final = words("spec specs openspec kitty-specs rfc rfcs requirements srs prd prds wymagania")
_PLANS: Final = words("plan plans roadmap roadmaps milestones proposals")
_DESIGNS: Final = words("design designs enhancements keps design-docs design_docs")
_DECISIONS: Final = words(
    "adr adrs decisions decision-records decision_records architecture-decisions architecture_decisions"
    " architectural-decisions architecture-decision-records decyzje"
)
_SAMPLES: Final = words(
    "test tests testdata fixture fixtures example examples sample samples template templates snapshot snapshots mocks"
)
_TESTS: Final = words("test tests testdata fixture fixtures")
"""Parts of folder names, as in `integration-tests`, that say as much."""
_STEM: Final = re.compile(r"[^a-z0-9]+")
_SPECIFIED: Final = words("spec specification requirements requirement srs prd wymagania specyfikacja")
_PLANNED: Final = words("roadmap plan plans milestones backlog proposal")
_FOR_READERS: Final = words(
    "contributing releasing release maintainers maintaining support skill agents claude gemini copilot security"
    " governance code_of_conduct conduct checklist review reviewing hacking onboarding style"
)
_TITLE: Final = re.compile(
    r"(?:requirements?|specification|specyfikacja|wymagania|\bsrs|\bprd)(?: (?:document|specification))?$"
)


class Profile(NamedTuple):
    """How a document is to be read.

    `sample`: it shows what a document of its kind looks like. `addressed`: it tells readers how to work, so that
    its checklists are theirs. `delta`: where in the OpenSpec life cycle it stands, if it does.
    """

    kind: Kind
    sample: bool
    addressed: bool
    delta: Delta | None

    @property
    def standing(self) -> tuple[EpistemicClass, Status]:
        """Class and lifecycle of its requirements: those of a current OpenSpec specification say what is built."""
        if self.sample:
            return "declaration", "proposed"
        match self.delta:
            case "current":
                return "declaration", "implemented"
            case "archive":
                return "plan", "completed"
            case "change":
                return "plan", "proposed"
            case None:
                return "plan", "planned"


def profile_of(path: str) -> Profile:
    """The profile of a repository path."""
    *folders, name = path.lower().split("/")
    stem = name.partition(".")[0]
    parts = frozenset(part for part in _STEM.split(stem) if part)
    held = frozenset(folders)
    hidden = any(folder.startswith(".") for folder in folders) and held.isdisjoint(("specs", "spec"))
    addressed = hidden or stem in _FOR_READERS or not parts.isdisjoint(("checklist", "contributing"))
    delta: Delta | None = None
    if "openspec" in held:
        after = folders[folders.index("openspec") + 1 :]
        if after[:2] == ["changes", "archive"]:
            delta = "archive"
        elif after[:1] == ["changes"]:
            delta = "change"
        elif after[:1] == ["specs"]:
            delta = "current"
    outer = folders[: folders.index("openspec")] if delta else folders
    pieces = frozenset(part for folder in outer for part in _STEM.split(folder))
    sample = not _SAMPLES.isdisjoint(outer) or not _TESTS.isdisjoint(pieces)
    sample = sample or (delta is None and not parts.isdisjoint(("template", "example", "sample")))
    return Profile(_kind(held, stem, parts, addressed), sample, addressed, delta)


def _kind(held: frozenset[str], stem: str, parts: frozenset[str], addressed: bool) -> Kind:
    instructions = addressed or stem in ("readme", "index")
    if not held.isdisjoint(_DECISIONS) and not instructions:
        return "decision"
    if instructions:
        return "guide"
    if not held.isdisjoint(_SPECIFICATIONS) or not parts.isdisjoint(_SPECIFIED):
        return "specification"
    if not held.isdisjoint(_PLANS) or not parts.isdisjoint(_PLANNED):
        return "plan"
    return "design" if not held.isdisjoint(_DESIGNS) or parts == {"design"} else "guide"


def with_title(profile: Profile, title: str) -> Profile:
    """The profile once the title is known: `Payments Requirements` is a specification wherever it lies."""
    if profile.kind == "guide" and not profile.addressed and _TITLE.search(title) and len(title.split()) <= 6:
        return profile._replace(kind="specification")
    return profile
