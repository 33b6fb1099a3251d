"""Tags as facts, names of people by `.mailmap`, and what is read again when only they change."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import msgspec
import pytest

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Draft, Reading, materialise
from t2c.ledger.intake.git import History, read_history
from t2c.ledger.intake.git_tags import version_of


class Repo:
    """A real repository whose commits have fixed people and times."""

    def __init__(self, path: Path, *options: str) -> None:
        self.path = path
        path.mkdir(parents=True)
        self.git("init", "-q", "-b", "main", *options)

    def git(self, *arguments: str, name: str = "Ada", mail: str = "ada@example.org") -> str:
        people = {
            "GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": mail, "GIT_AUTHOR_DATE": "2026-01-05T23:30:00+05:30",
            "GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": mail, "GIT_COMMITTER_DATE": "2026-01-06T08:00:00+00:00",
        }  # fmt: skip
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env={**os.environ, **people}, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def commit(self, message: str, name: str = "Ada", mail: str = "ada@example.org") -> str:
        self.git("commit", "-q", "--allow-empty", "-m", message, name=name, mail=mail)
        return self.git("rev-parse", "HEAD")


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


def part(history: History, path: str) -> Reading | None:
    return next((reading for reading in history.further if reading.scope.path == path), None)


def tags(history: History) -> dict[str, Draft]:
    reading = part(history, "refs/tags")
    assert reading is not None
    assert reading.complete
    for found in materialise(reading):
        Record.model_validate_json(found.body)
    return {draft.text: draft for draft in reading.records}


def ids(reading: Reading | None) -> list[str]:
    assert reading is not None
    return [found.id for found in materialise(reading)]


def known(history: History) -> frozenset[str]:
    read = {draft.revision for draft in history.reading.records if draft.revision}
    return frozenset(read | history.standing)


def test_a_tag_is_a_fact_about_its_commit(repo: Repo) -> None:
    sha = repo.commit("one")
    repo.git("tag", "v1.2.3")
    repo.git("tag", "-a", "pkg@2.0.0-rc.1", "-m", "Second <a@b.c>\n\nbody", name="Eve")
    repo.git("tag", "-a", "again", "pkg@2.0.0-rc.1", "-m", "a tag of a tag")
    found = tags(read_history(repo.path))
    assert list(found) == ["again", "pkg@2.0.0-rc.1", "v1.2.3"]
    light = found["v1.2.3"]
    assert (light.kind, light.cls, light.action, light.status) == (
        "git_tag_fact",
        "fact",
        "release",
        "released",
    )
    assert (light.object, light.subject, light.versions, light.actor) == (
        "v1.2.3",
        "v1.2.3",
        ("1.2.3",),
        None,
    )
    assert light.observed_at == "2026-01-06T08:00:00+00:00"
    assert light.metadata == {
        "tag": "v1.2.3", "commit": sha, "annotated": False, "package": None, "tagger": None, "message": None,
        "signed": False,
    }  # fmt: skip
    full = found["pkg@2.0.0-rc.1"]
    assert (full.versions, full.actor, full.metadata["package"]) == (("2.0.0-rc.1",), "Eve", "pkg")
    assert (full.metadata["commit"], full.metadata["message"]) == (sha, "Second")
    nested = found["again"]
    assert (nested.metadata["commit"], nested.status, nested.action) == (sha, "unknown", "declare")


def test_a_tag_keeps_its_id_when_it_moves_and_is_absent_when_deleted(repo: Repo) -> None:
    repo.commit("one")
    repo.git("tag", "v1")
    repo.git("tag", "v2")
    first = read_history(repo.path)
    second = repo.commit("two")
    repo.git("tag", "-f", "v1")
    moved = read_history(repo.path)
    assert ids(part(moved, "refs/tags")) == ids(part(first, "refs/tags"))
    assert tags(moved)["v1"].metadata["commit"] == second
    repo.git("tag", "-d", "v2")
    assert list(tags(read_history(repo.path))) == ["v1"]


def test_signatures_and_encodings_of_tags_are_read(repo: Repo) -> None:
    sha = repo.commit("one")

    def made(name: str, encoding: bytes, message: bytes) -> None:
        content = b"object %b\ntype commit\ntag %b\ntagger Ren\xe9 <r@x.y> 1767600000 +0100\n%b\n%b" % (
            sha.encode(), name.encode(), encoding, message,
        )  # fmt: skip
        done = subprocess.run(
            ["git", "hash-object", "-t", "tag", "-w", "--literally", "--stdin"],
            cwd=repo.path, input=content, capture_output=True, check=True,
        )  # fmt: skip
        repo.git("update-ref", f"refs/tags/{name}", done.stdout.decode().strip())

    made("v1.0", b"encoding ISO-8859-1\n", b"caf\xe9\n-----BEGIN PGP SIGNATURE-----\n\nxyz\n")
    made("v2.0", b"", b"caf\xe9 -----BEGIN PGP SIGNATURE-----\n")
    made("v3.0", b"", b"-----BEGIN SSH SIGNATURE-----\nxyz\n")
    found = tags(read_history(repo.path))
    assert (found["v3.0"].metadata["message"], found["v3.0"].metadata["signed"]) == (None, True)
    assert (found["v1.0"].metadata["message"], found["v1.0"].metadata["signed"]) == ("café", True)
    assert found["v1.0"].actor == "René"
    assert (found["v2.0"].actor, found["v2.0"].metadata["signed"]) == ("Ren\\xe9", False)


def test_tags_of_no_commit_are_counted(repo: Repo) -> None:
    repo.commit("one")
    tree = repo.git("rev-parse", "HEAD^{tree}")
    repo.git("tag", "tree", tree)
    repo.git("tag", "-a", "told", tree, "-m", "x")
    repo.git("tag", "v1.0")
    history = read_history(repo.path)
    reading = part(history, "refs/tags")
    assert reading is not None
    assert list(tags(history)) == ["v1.0"]
    (warning,) = reading.warnings
    assert (warning.reason, warning.path, warning.count) == ("tag_without_commit", "refs/tags", 2)
    assert warning.detail.endswith("told, tree")


@pytest.mark.parametrize(
    ("name", "package", "version"),
    [
        ("v1.2.3", None, "1.2.3"),
        ("1.2", None, "1.2"),
        ("v7", None, "7"),
        ("release-1.2.3", None, "1.2.3"),
        ("version/2.0", None, "2.0"),
        ("rel/v1.0.0+build.5", None, "1.0.0+build.5"),
        ("pkg@1.2.3", "pkg", "1.2.3"),
        ("@scope/pkg@1.2.3-rc.1", "@scope/pkg", "1.2.3-rc.1"),
        ("sdk/go/v1.2.3", "sdk/go", "1.2.3"),
        ("home-0.5.12", "home", "0.5.12"),
        ("core-v2.46.0", "core", "2.46.0"),
        ("v2.13.0b1", None, "2.13.0b1"),
        ("0.15.0-alpha20240216", None, "0.15.0-alpha20240216"),
        ("nightly", None, None),
        ("2024", None, None),
        ("nightly-2024-01-02", None, None),
        ("before-1", None, None),
        ("v", None, None),
    ],
)
def test_versions_and_packages_are_read_from_names(
    name: str, package: str | None, version: str | None
) -> None:
    assert version_of(name) == (package, version)


def test_names_are_declared_by_the_mailmap_and_commits_stay(repo: Repo) -> None:
    repo.commit("one", "ada", "ada@old.example")
    repo.commit("two", "root", "ada@old.example")
    repo.commit("three", "root", "bob@example.org")
    repo.commit("four", "Cyd", "cyd@example.org")
    plain = read_history(repo.path)
    (repo.path / ".mailmap").write_text("Ada Lovelace <ada@example.org> <ada@old.example>\n")
    mapped = read_history(repo.path)
    assert mapped.reading == plain.reading
    reading = part(mapped, ".mailmap")
    assert reading is not None
    for found in materialise(reading):
        Record.model_validate_json(found.body)
    assert [(draft.text, draft.metadata["canonical"]) for draft in reading.records] == [
        ("ada", "Ada Lovelace"),
        ("root", None),
    ]
    assert reading.records[1].metadata["candidates"] == ["Ada Lovelace", "root"]
    (repo.path / ".mailmap").write_text("Ada King <ada@example.org> <ada@old.example>\n")
    again = read_history(repo.path, known=known(mapped), seen=mapped.seen)
    assert again.reading.records == ()
    assert ids(part(again, ".mailmap")) == ids(reading)
    assert part(again, "refs/tags") is None
    (repo.path / ".mailmap").unlink()
    gone = part(read_history(repo.path, known=known(again), seen=again.seen), ".mailmap")
    assert gone is not None
    assert (gone.records, gone.complete) == ((), True)


def test_names_of_new_commits_join_those_that_were_seen(repo: Repo) -> None:
    (repo.path / ".mailmap").write_text("Ada <ada@example.org> <a@x>\nBob <bob@example.org> <b@x>\n")
    repo.commit("one", "ada", "a@x")
    repo.commit("two", "robert", "other@x")
    history = read_history(repo.path)
    steps = [("ada", "else@x"), ("Cyd", "c@x"), ("robert", "b@x"), ("ada", "a@x")]
    for number, (name, mail) in enumerate(steps):
        repo.commit(f"c{number}", name, mail)
        history = read_history(repo.path, known=known(history), seen=history.seen)
        assert len(history.reading.records) == 1
        assert part(history, ".mailmap") == part(read_history(repo.path), ".mailmap")
    assert history.seen is not None
    assert history.seen.aliases == {"ada": ("Ada", "ada"), "robert": ("Bob", "robert")}


def test_a_name_is_forgotten_with_the_commits_that_bore_it(repo: Repo) -> None:
    (repo.path / ".mailmap").write_text("Ada <ada@example.org> <a@x>\n")
    repo.commit("one", "Ada")
    repo.commit("two", "ada", "a@x")
    history = read_history(repo.path)
    repo.git("reset", "-q", "HEAD~1")
    later = read_history(repo.path, known=known(history), seen=history.seen)
    reading = part(later, ".mailmap")
    assert reading is not None
    assert (reading.records, reading.complete) == ((), True)


def test_settings_of_the_user_name_nobody(repo: Repo, own_settings: Path) -> None:
    (repo.path / ".mailmap").write_text("Ada <ada@example.org> <a@x>\n")
    repo.commit("one", "ada", "a@x")
    repo.commit("two", "bob", "b@x")
    plain = read_history(repo.path)
    (own_settings / "mine").write_text("Somebody <s@x> <b@x>\n")
    (own_settings / ".gitconfig").write_text(
        f"[mailmap]\n file = {own_settings}/mine\n blob = HEAD:nowhere\n[i18n]\n logOutputEncoding = ISO-8859-1\n"
    )
    assert read_history(repo.path) == plain


def test_a_bare_repository_has_the_names_of_its_head(repo: Repo, tmp_path: Path) -> None:
    (repo.path / ".mailmap").write_text("Ada <ada@example.org> <a@x>\n")
    repo.git("add", ".")
    repo.commit("one", "ada", "a@x")
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "bare.git"))
    assert part(read_history(tmp_path / "bare.git"), ".mailmap") == part(read_history(repo.path), ".mailmap")


def test_what_was_seen_can_be_kept_as_text(repo: Repo) -> None:
    (repo.path / ".mailmap").write_text("Ada <ada@example.org> <a@x>\n")
    repo.commit("one", "ada", "a@x")
    repo.git("tag", "tree", repo.git("rev-parse", "HEAD^{tree}"))
    history = read_history(repo.path)
    assert history.seen is not None
    kept = msgspec.json.decode(msgspec.json.encode(history.seen), type=type(history.seen))
    assert kept == history.seen
    assert read_history(repo.path, known=known(history), seen=kept).unchanged


def test_warnings_hold_as_long_as_nothing_is_read_again(repo: Repo) -> None:
    first = repo.commit("one")
    repo.git("tag", "tree", repo.git("rev-parse", "HEAD^{tree}"))
    second = repo.commit("two")
    repo.git("replace", second, first)
    history = read_history(repo.path)
    said = {(item.path, item.reason) for item in (*history.reading.warnings, *history.further[0].warnings)}
    assert said == {(None, "replace_refs"), ("refs/tags", "tag_without_commit")}
    same = read_history(repo.path, known=known(history), seen=history.seen)
    assert same.unchanged
    assert {(item.path, item.reason) for item in same.reading.warnings} == said
    repo.commit("three")
    later = read_history(repo.path, known=known(history), seen=history.seen)
    assert part(later, "refs/tags") is None
    assert {(item.path, item.reason) for item in later.reading.warnings} == said


def test_sha256_repositories_are_read_like_others(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "wide", "--object-format=sha256")
    first = repo.commit("one")
    (repo.path / "a.py").write_text("x\n")
    repo.git("add", ".")
    second = repo.commit("two")
    repo.git("revert", "--no-edit", second)
    third = repo.git("rev-parse", "HEAD")
    repo.git("tag", "-a", "v1.0", second, "-m", "x")
    assert len(first) == 64
    history = read_history(repo.path)
    assert [draft.revision for draft in history.reading.records] == [third, second, first]
    assert history.reading.records[0].metadata["reverts"] == [second]
    assert history.reading.records[1].metadata["additions"] == 1
    assert tags(history)["v1.0"].metadata["commit"] == second
    assert history.seen is not None
    repo.commit("four")
    later = read_history(repo.path, known=known(history), seen=history.seen)
    assert [draft.text for draft in later.reading.records] == ["four"]
    assert later.reading.warnings == ()
