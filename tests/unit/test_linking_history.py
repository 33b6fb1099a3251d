"""History tells who wrote a statement, who changed code last, what was taken back and what was picked."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.intake.changelog import ChangelogExtractor
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.git import read_history
from t2c.ledger.intake.todo import TodoExtractor
from t2c.ledger.linking import features
from t2c.ledger.linking.history import MAX_FILES, oldest_first
from t2c.ledger.linking.linker import link

EXTRACTORS = (CodeExtractor(), ChangelogExtractor(), TodoExtractor())


class Files:
    """The files of a folder, its `.git` aside."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __iter__(self) -> Iterator[str]:
        for path in sorted(self.root.rglob("*")):
            if path.is_file() and ".git" not in path.parts:
                yield path.relative_to(self.root).as_posix()

    def __contains__(self, path: str) -> bool:
        return (self.root / path).is_file()

    def named(self, name: str) -> tuple[str, ...]:
        return tuple(path for path in self if path.rpartition("/")[2] == name)

    def content(self, path: str) -> bytes | None:
        return (self.root / path).read_bytes() if path in self else None


class Repo:
    """A real repository; each commit is made a minute after the one before."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.minute = 0
        path.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        when = f"2026-01-05T10:{self.minute:02}:00+00:00"
        people = {
            "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org", "GIT_COMMITTER_DATE": when,
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
        }  # fmt: skip
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env={**os.environ, **people}, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def put(self, path: str, text: str) -> None:
        (self.path / path).parent.mkdir(parents=True, exist_ok=True)
        (self.path / path).write_text(text)

    def commit(self, message: str, **files: str) -> str:
        """Commit everything; `cart_py="…"` writes cart.py before."""
        for name, text in files.items():
            self.put(name.replace("_", "."), text)
        self.minute += 1
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def bodies(self) -> list[bytes]:
        files = Files(self.path)
        found = [made.body for made in materialise(read_history(self.path).reading)]
        for path in files:
            for extractor in EXTRACTORS:
                if extractor.wants(path):
                    content = files.content(path) or b""
                    found += [made.body for made in materialise(extractor.read(path, content, files))]
        return found

    def drawn(self, *kinds: str) -> list[tuple[str, str, str]]:
        """Relations from commits as (subject, type, what): statements by their text, code by its name."""
        bodies = self.bodies()
        records = {record.id: record for record in features.read(bodies).records}
        links = link(bodies)
        assert link(reversed(bodies)) == links
        found = []
        for draft in links.relations:
            if draft.rule == "history" and draft.type in kinds:
                source, target = records[draft.source], records[draft.target]
                is_code = target.statement.kind == "symbol_fact"
                what = target.source.symbol if is_code else target.source.path or target.statement.text
                if target.source.kind in ("todo", "changelog"):
                    what = target.statement.text
                found.append((source.statement.text, draft.type, str(what)))
        return sorted(found)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


# -- who wrote it ----------------------------------------------------------------------------------------------


def test_the_oldest_commit_that_added_its_line_declares_a_statement(repo: Repo) -> None:
    first = "# Changelog\n\n## Unreleased\n\n- Export the whole cart as `CSV`\n"
    repo.commit("export", CHANGELOG_md=first)
    second = first + "- Import a cart from [CSV](https://example.org/csv)\n"
    repo.commit("import", CHANGELOG_md=second)
    repo.commit("plan", TODO_md="# Plans\n\n- [ ] Send a mail after each failed login\n")
    repo.commit(
        "move down",
        CHANGELOG_md=second.replace("## Unreleased", "## Unreleased\n\n- Sort all lines by price"),
    )
    assert repo.drawn("declares") == [
        ("export", "declares", "Export the whole cart as `CSV`"),
        ("import", "declares", "Import a cart from CSV"),
        ("move down", "declares", "Sort all lines by price"),
        ("plan", "declares", "Send a mail after each failed login"),
    ]


TASK = "# Plans\n\n- [ ] Send a mail after each failed login\n"
DONE = TASK.replace("[ ]", "[x]")
CODE = "def send_mail(login):\n    return login.address\n"


def test_who_ticks_a_task_and_changes_code_carried_it_out(repo: Repo) -> None:
    repo.commit("plan", TODO_md=TASK)
    repo.commit("do it", TODO_md=DONE, mail_py=CODE)
    repo.commit("later", mail_py=CODE + "\n\ndef other():\n    return 1\n")
    assert repo.drawn("implements") == [("do it", "implements", "Send a mail after each failed login")]
    assert repo.drawn("declares") == [("plan", "declares", "Send a mail after each failed login")]


@pytest.mark.parametrize("how", ["apart", "documents", "open", "first", "many", "reverted"])
def test_a_tick_alone_carries_nothing_out(repo: Repo, how: str) -> None:
    if how != "first":
        repo.commit("plan", TODO_md=TASK)
    if how == "apart":
        repo.commit("code", mail_py=CODE)
        repo.commit("tick", TODO_md=DONE)
    elif how == "documents":
        repo.commit("tick", TODO_md=DONE, README_md="# Mail\n\nMail is sent.\n")
    elif how == "open":
        repo.commit("code", TODO_md=TASK + "- [ ] Write the manual of mails\n", mail_py=CODE)
    elif how == "many":
        repo.commit("all", TODO_md=DONE, **{f"mail{n}_py": CODE for n in range(MAX_FILES)})
    else:
        ticked = repo.commit("tick", TODO_md=DONE, mail_py=CODE)
        if how == "reverted":
            repo.git("revert", "--no-edit", ticked)
            repo.commit("tick again", TODO_md=DONE)
    assert repo.drawn("implements") == []


@pytest.mark.parametrize(
    "lead", ["abf400d ", "[`abf400d`](https://example.org/c/abf400d0) ", "[abf400d](https://example.org): "]
)
def test_a_revision_before_the_text_of_a_line_is_no_part_of_it(repo: Repo, lead: str) -> None:
    line = f"- {lead}Export the whole cart as CSV again (#12) (Ada)\n"
    repo.commit("write", CHANGELOG_md=f"# Changelog\n\n## 1.0.0 - 2026-01-05\n\n{line}")
    ((_, _, text),) = repo.drawn("declares")
    assert "Export the whole cart as CSV again" in text


def test_a_statement_is_followed_through_a_renamed_file(repo: Repo) -> None:
    repo.commit("write", CHANGES_md="# Changelog\n\n## Unreleased\n\n- Export the whole cart as CSV\n")
    repo.git("mv", "CHANGES.md", "CHANGELOG.md")
    repo.commit("rename")
    assert repo.drawn("declares") == [("write", "declares", "Export the whole cart as CSV")]


def test_statements_that_begin_alike_are_declared_by_none(repo: Repo) -> None:
    text = "# Changelog\n\n## 2.0\n\n- Update the dependencies\n\n## 1.0\n\n- Update the dependencies\n"
    repo.commit("write", CHANGELOG_md=text)
    assert repo.drawn("declares") == []
    counted = {warning.reason: warning.count for warning in link(repo.bodies()).warnings}
    assert counted["ambiguous_line"] == 2


def test_a_line_of_another_file_or_a_short_one_declares_nothing(repo: Repo) -> None:
    repo.commit("elsewhere", TODO_md="# Plans\n\n- [ ] Export the whole cart as CSV\n")
    repo.put("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- Export the whole cart as CSV\n- Fix it\n")
    assert repo.drawn("declares") == [("elsewhere", "declares", "Export the whole cart as CSV")]


def test_a_reverted_commit_declares_nothing(repo: Repo) -> None:
    text = "# Changelog\n\n## Unreleased\n\n- Export the whole cart as CSV\n"
    repo.commit("start", CHANGELOG_md="# Changelog\n\n## Unreleased\n")
    repo.commit("export", CHANGELOG_md=text)
    repo.git("revert", "--no-edit", "HEAD")
    repo.commit("export again", CHANGELOG_md=text)
    assert repo.drawn("declares") == [("export again", "declares", "Export the whole cart as CSV")]


# -- who changed it last ---------------------------------------------------------------------------------------

CART = "def total(cart):\n    return {}\n\n\ndef lines(cart):\n    return {}\n"


def test_the_youngest_commit_modifies_a_symbol_and_its_module(repo: Repo) -> None:
    repo.commit("first", cart_py=CART.format(1, 1))
    repo.commit("total", cart_py=CART.format(2, 1))
    repo.commit("lines", cart_py=CART.format(2, 2))
    assert repo.drawn("modifies") == [
        ("lines", "modifies", "cart.py"),
        ("lines", "modifies", "lines"),
        ("total", "modifies", "total"),
    ]


def test_a_change_of_a_member_is_one_of_its_type(repo: Repo) -> None:
    text = "class Cart:\n    def count_lines(self):\n        return {}\n"
    repo.commit("first", cart_py=text.format(1))
    repo.commit("second", cart_py=text.format(2))
    assert [found for found in repo.drawn("modifies") if not found[2].endswith(".py")] == [
        ("second", "modifies", "Cart"),
        ("second", "modifies", "Cart.count_lines"),
    ]


def test_a_reverted_commit_modifies_nothing(repo: Repo) -> None:
    repo.commit("first", cart_py=CART.format(1, 1))
    repo.commit("total", cart_py=CART.format(2, 1))
    repo.git("revert", "--no-edit", "HEAD")
    repo.commit("nothing")
    subjects = {subject for subject, _, _ in repo.drawn("modifies")}
    assert "total" not in subjects
    assert 'Revert "total"' in subjects


def made(revision: str, subject: str, parents: tuple[str, ...] = (), **metadata: Any) -> bytes:
    draft = Draft(
        kind="commit_intent_claim", text=subject, object=subject, action="add", cls="claim", status="implemented",
        confidence=0.9, basis=("made",), revision=revision,
        metadata={"parents": list(parents), "committedAt": "2026-01-05T10:00:00+00:00", **metadata},
    )  # fmt: skip
    return next(iter(materialise(Reading(Scope("git", None), "t2c/made@1", (draft,))))).body


def test_where_definitions_were_cut_no_older_commit_is_taken_for_the_last(repo: Repo) -> None:
    repo.put("cart.py", CART.format(1, 1))
    files = Files(repo.path)
    code = [
        found.body
        for found in materialise(CodeExtractor().read("cart.py", files.content("cart.py") or b"", files))
    ]
    changed = [{"path": "cart.py", "status": "M"}]
    old = made("a" * 40, "old", changedFiles=changed, diff={"symbols": ["cart.py::total"]})
    omissions: list[tuple[dict[str, int], int]] = [
        ({}, 2),
        ({"symbolsOmitted": 3}, 1),
        ({"linesOmitted": 9}, 1),
    ]
    for omitted, expected in omissions:
        named = {"symbols": ["cart.py::lines"], **omitted}
        young = made("b" * 40, "young", ("a" * 40,), changedFiles=changed, diff=named)
        drafts = [
            draft for draft in link([*code, old, young]).relations
            if draft.type == "modifies" and "changed_definition" in draft.basis
        ]  # fmt: skip
        assert len(drafts) == expected


def test_where_changed_files_were_cut_no_older_commit_is_taken_for_the_last(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("X = 1\n")
    files = Files(tmp_path)
    code = [
        found.body
        for path in files
        for found in materialise(CodeExtractor().read(path, files.content(path) or b"", files))
    ]
    both = [{"path": "a.py", "status": "M"}, {"path": "b.py", "status": "M"}]
    old = made("a" * 40, "old", changedFiles=both)
    for cut, expected in ((0, 2), (7, 1)):
        young = made("b" * 40, "young", ("a" * 40,), changedFiles=both[:1], pathsOmitted=cut)
        assert sum(draft.type == "modifies" for draft in link([*code, old, young]).relations) == expected


# -- what was taken back or picked -----------------------------------------------------------------------------


def test_a_revert_that_stands_supersedes_what_it_takes_back(repo: Repo) -> None:
    repo.commit("first", cart_py=CART.format(1, 1))
    repo.commit("total", cart_py=CART.format(2, 1))
    repo.git("revert", "--no-edit", "HEAD")
    assert repo.drawn("supersedes") == [('Revert "total"', "supersedes", "total")]
    repo.minute += 1
    repo.git("revert", "--no-edit", "HEAD")
    ((subject, _, target),) = repo.drawn("supersedes")
    assert target == 'Revert "total"'
    assert subject != target


def test_an_abbreviated_revision_is_enough_if_one_commit_has_it(repo: Repo) -> None:
    sha = repo.commit("total", cart_py=CART.format(2, 1))
    repo.commit(f"Put it back\n\nThis reverts commit {sha[:10]}.", cart_py=CART.format(1, 1))
    assert repo.drawn("supersedes") == [("Put it back", "supersedes", "total")]


def test_a_picked_commit_is_the_same_as_the_one_that_it_names(repo: Repo) -> None:
    repo.commit("first", cart_py=CART.format(1, 1))
    repo.git("branch", "old")
    sha = repo.commit("total", cart_py=CART.format(2, 1))
    repo.git("checkout", "-q", "old")
    repo.put("other.py", "x = 1\n")
    repo.commit("aside")
    repo.git("cherry-pick", "-x", sha)
    repo.git("merge", "-q", "-m", "merge", "main")
    assert repo.drawn("same_as") == [("total", "same_as", "total")]


def test_a_pick_of_an_unknown_commit_is_the_same_as_none(repo: Repo) -> None:
    repo.commit(f"total\n\n(cherry picked from commit {'0' * 39}1)", cart_py=CART.format(2, 1))
    assert repo.drawn("same_as") == []


# -- the order of commits --------------------------------------------------------------------------------------


def test_an_ancestor_is_older_whatever_its_clock_said() -> None:
    late, early = "2026-03-01T00:00:00+00:00", "2026-01-01T00:00:00+00:00"
    first = made("a" * 40, "first", committedAt=late)
    second = made("b" * 40, "second", ("a" * 40,), committedAt=early)
    aside = made("c" * 40, "aside", committedAt="2026-02-01T00:00:00+01:00")
    corpus = features.read([second, aside, first])
    assert [one.statement.text for one in oldest_first(corpus.history)] == ["aside", "first", "second"]


def test_a_merge_is_younger_than_all_that_it_merges() -> None:
    main = made("a" * 40, "main", committedAt="2026-01-01T00:00:00+00:00")
    branch = made("b" * 40, "branch", committedAt="2026-03-01T00:00:00+00:00")
    merge = made("c" * 40, "merge", ("a" * 40, "b" * 40), committedAt="2026-02-01T00:00:00+00:00")
    corpus = features.read([merge, branch, main])
    assert [one.statement.text for one in oldest_first(corpus.history)] == ["main", "branch", "merge"]


def test_a_date_that_is_none_and_a_parent_that_is_unknown_do_no_harm() -> None:
    odd = made("a" * 40, "odd", ("f" * 40,), committedAt="yesterday", changedFiles="no list", diff=["none"])
    corpus = features.read([odd])
    assert [one.statement.text for one in oldest_first(corpus.history)] == ["odd"]
    assert link([odd]).relations == ()
