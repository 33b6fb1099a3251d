"""A topic is filed under a path where nothing is: nobody wrote the file, or the newest commit took it away."""

from __future__ import annotations

from typing import Any

import pytest

from t2c.ledger.intake.base import Draft
from t2c.projections.base import Inputs
from t2c.projections.fold import fold
from t2c.projections.reality.presence import missing
from t2c.projections.registry import ALL
from t2c.projections.topics import Topics


def mention(chain: Any, path: str) -> None:
    draft = Draft(
        kind="documentation_statement", text=f"See {path}", object=path, action="document", cls="declaration",
        status="proposed", confidence=0.6, basis=("markdown_structure",), lines=(3, 3), paths=(path,),
    )  # fmt: skip
    chain.observe("document", "README.md", draft)


def commit(chain: Any, revision: str, *changed: dict[str, str]) -> None:
    draft = Draft(
        kind="commit_intent_claim", text=f"Change {revision}", object="it", action="fix", cls="claim",
        status="implemented", confidence=0.86, basis=("commit_message",), revision=revision * 40,
        paths=tuple(one["path"] for one in changed), metadata={"changedFiles": list(changed)},
    )  # fmt: skip
    chain.observe("git", None, draft)


def nowhere(chain: Any) -> frozenset[str]:
    folded = fold(chain.journal, ALL, ["timeline"])
    assert folded.ts is not None
    return missing(Topics.of(Inputs(folded.ts, folded.states, folded.made)))


def test_a_path_that_nothing_speaks_of_is_missing_and_one_of_code_is_not(chain: Any) -> None:
    chain.symbol("app.run", path="src/shop/app.py")
    for path in ("src/app.toml", "src/shop/app.py", "app.py"):
        mention(chain, path)
    assert nowhere(chain) == {"path:src/app.toml"}


@pytest.mark.parametrize("folder", ["src", "src/shop", "src/shop/"])
def test_a_folder_that_holds_a_file_is_there(chain: Any, folder: str) -> None:
    chain.symbol("app.run", path="src/shop/app.py")
    mention(chain, folder)
    assert nowhere(chain) == frozenset()


@pytest.mark.parametrize("pattern", ["docs/*.toml", "docs/<name>.toml", "docs/{a,b}.toml"])
def test_a_pattern_is_no_file_that_could_be_missing(chain: Any, pattern: str) -> None:
    mention(chain, pattern)
    assert nowhere(chain) == frozenset()


def test_a_file_that_is_only_committed_is_there_until_a_commit_takes_it_away(chain: Any) -> None:
    for path in ("art/logo.svg", "art", "art/old.svg", "art/gone.svg"):
        mention(chain, path)
    commit(chain, "a", *({"path": f"art/{name}.svg", "status": "A"} for name in ("logo", "old", "gone")))
    assert nowhere(chain) == frozenset()


@pytest.mark.parametrize(
    "change",
    [
        {"path": "art/new.svg", "previousPath": "art/old.svg", "status": "R100"},
        {"path": "art/old.svg", "status": "D"},
    ],
)
def test_what_a_commit_renamed_or_deleted_is_missing(chain: Any, change: dict[str, str]) -> None:
    mention(chain, "art/old.svg")
    commit(chain, "b", change)
    assert nowhere(chain) == {"path:art/old.svg"}


def test_what_was_copied_is_still_there(chain: Any) -> None:
    mention(chain, "art/new.svg")
    commit(chain, "b", {"path": "art/new.svg", "previousPath": "art/old.svg", "status": "C90"})
    assert nowhere(chain) == frozenset()
