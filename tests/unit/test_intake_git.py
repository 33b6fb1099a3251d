"""Reading history: what each commit claims, what stands, and what could not be read."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from t2c.ledger.errors import Environment
from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Draft, materialise
from t2c.ledger.intake.git import History, read_history

NIGHT = "2026-01-05T23:30:00+05:30"


class Repo:
    """A real repository whose commits have fixed people and times."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, given: bytes | None = None, **environment: str) -> str:
        people = {
            "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_AUTHOR_DATE": NIGHT,
            "GIT_COMMITTER_NAME": "Bob", "GIT_COMMITTER_EMAIL": "bob@example.org",
            "GIT_COMMITTER_DATE": "2026-01-06T08:00:00+00:00",
        }  # fmt: skip
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env={**os.environ, **people, **environment},
            input=given,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def put(self, path: str, text: str = "x\n") -> None:
        target = self.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def commit(self, message: str, *paths: str, **environment: str) -> str:
        for path in paths:
            self.put(path, f"{message} {path}\n")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", message, **environment)
        return self.git("rev-parse", "HEAD")

    def raw_commit(self, *lines: bytes, message: bytes) -> str:
        """A commit object of exactly these bytes, put on top of HEAD's tree and made HEAD."""
        tree = self.git("rev-parse", "HEAD^{tree}")
        content = b"\n".join([b"tree " + tree.encode(), *lines]) + b"\n\n" + message
        sha = self.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", given=content)
        self.git("update-ref", "HEAD", sha)
        return sha


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, so that no setting of the machine is read and none is written unseen."""
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


def only(history: History) -> Draft:
    (draft,) = history.reading.records
    return draft


def warned(history: History) -> list[tuple[str, str | None, str, int]]:
    return [(item.source, item.path, item.reason, item.count) for item in history.reading.warnings]


def shas(history: History) -> list[str | None]:
    return [draft.revision for draft in history.reading.records]


def valid(history: History) -> list[Record]:
    return [Record.model_validate_json(found.body) for found in materialise(history.reading)]


def test_a_commit_is_a_claim_with_what_it_changed(repo: Repo) -> None:
    first = repo.commit("first", "src/a.py", "src/old.py", "gone.txt")
    repo.git("mv", "src/old.py", "src/new.py")
    (repo.path / "gone.txt").unlink()
    repo.put("src/a.py", "first src/a.py\nmore\n")
    body = "Closes #7 and ABC-12, since 1.4.2.\n\nCo-authored-by: Eve <eve@example.org>\nCo-Authored-By: Dan <d@x.y>"
    sha = repo.commit(f"fix(core): repair loadThing (#14)\n\n{body}")

    history = read_history(repo.path)
    draft, older = history.reading.records
    assert (history.head, history.branch, history.total, history.shallow) == (sha, "main", 2, False)
    assert history.reachable == {first, sha}
    assert history.reading.complete
    assert history.reading.warnings == ()
    assert (draft.kind, draft.cls, draft.modality, draft.status) == (
        "commit_intent_claim", "claim", "claimed", "implemented",
    )  # fmt: skip
    assert (draft.action, draft.polarity, draft.confidence) == ("fix", "positive", 0.86)
    assert draft.basis == ("heuristic_action_dictionary", "commit_message", "changed_files")
    assert draft.text == "fix(core): repair loadThing (#14)"
    assert draft.excerpt == f"{draft.text}\n\n{body}".replace("<eve@example.org>", "<…>").replace(
        "<d@x.y>", "<…>"
    )
    assert (draft.revision, draft.subject, draft.lines) == (sha, f"commit:{sha}", None)
    assert draft.observed_at == NIGHT
    assert draft.paths == ("gone.txt", "src/a.py", "src/new.py")
    assert draft.symbols == ("loadThing",)
    assert draft.tickets == ("#14", "#7", "ABC-12")
    assert draft.versions == ("1.4.2",)
    assert draft.metadata == {
        "author": "Ada",
        "committer": "Bob",
        "coAuthors": ["Eve", "Dan"],
        "committedAt": "2026-01-06T08:00:00+00:00",
        "parents": [first],
        "merge": False,
        "docOnly": False,
        "changedFiles": [
            {"status": "D", "path": "gone.txt"},
            {"status": "M", "path": "src/a.py"},
            {"status": "R100", "path": "src/new.py", "previousPath": "src/old.py"},
        ],
        "filesChanged": 3,
        "additions": 1,
        "deletions": 1,
        "trailers": [
            {"key": "Co-authored-by", "value": "Eve"},
            {"key": "Co-Authored-By", "value": "Dan"},
        ],
        "agents": [],
        "commitType": "fix",
        "scope": "core",
        "breaking": False,
        "diff": {"names": ["more"]},
    }
    assert (older.actor, older.action, older.confidence) == ("Ada", "unknown", 0.53)
    assert [record.source.revision for record in valid(history)] == [sha, first]


def test_a_commit_of_prose_alone_is_marked(repo: Repo) -> None:
    repo.commit("one", "README", "docs/conf.py", "src/notes.rst", "CHANGELOG.md")
    repo.commit("two", "docs/a.md", "src/todo.py")
    both, prose = read_history(repo.path).reading.records
    assert prose.metadata["docOnly"] is True
    assert both.metadata["docOnly"] is False


def test_the_subject_alone_decides_and_no_body_rejects_a_commit(repo: Repo) -> None:
    repo.commit(
        "feat(orders): add read model (#14)\n\nMIN(COALESCE(a, b)) read once, see (the\nnext line]", "a.py"
    )
    draft = only(read_history(repo.path))
    assert (draft.action, draft.object) == ("add", "read model (#14)")
    repo.commit("tidy\n\nfix: remove everything", "b.py")
    assert read_history(repo.path).reading.records[0].action == "unknown"


def test_merges_and_empty_commits_claim_without_paths(repo: Repo) -> None:
    repo.commit("base", "a.py")
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("side", "b.py")
    repo.git("checkout", "-q", "main")
    main = repo.commit("main", "c.py")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge pull request #5 from x/side", "side")
    repo.commit("nothing")
    empty, merge, *_ = read_history(repo.path).reading.records
    assert (empty.paths, empty.metadata["merge"], empty.metadata["docOnly"]) == ((), False, False)
    assert (merge.paths, merge.metadata["merge"]) == ((), True)
    assert merge.metadata["parents"] == [main, side]
    assert merge.tickets == ("#5",)
    assert merge.confidence == 0.45


def test_text_is_decoded_by_the_declared_encoding(repo: Repo) -> None:
    repo.git("commit", "-q", "--allow-empty", "-m", "start")
    people = (
        b"author Ren\xe9 <r@example.org> 1767600000 +0100",
        b"committer Ren\xe9 <r@example.org> 1767600000 +0100",
    )
    latin = repo.raw_commit(*people, b"encoding ISO-8859-1", message=b"fix: caf\xe9\n")
    broken = repo.raw_commit(
        b"author A <a@b.c> 1767600000 +0100",
        b"committer A <a@b.c> 1767600000 +0100",
        message=b"fix: it\x92s \xc3\xa9\n",
    )
    history = read_history(repo.path)
    assert warned(history)[0][:3] == ("git.commit", f"commit:{broken}", "undecodable_message")
    (draft,) = [draft for draft in history.reading.records if draft.revision == broken]
    assert draft.text == "fix: it\\x92s é"
    assert draft.metadata["undecodable"] == "UTF-8"
    valid(history)
    repo.git("update-ref", "HEAD", latin)
    draft = only(read_history(repo.path))
    assert (draft.text, draft.actor, draft.metadata["committer"]) == ("fix: café", "René", "René")
    assert "undecodable" not in draft.metadata


def given_back(text: str) -> bytes:
    """The bytes that a text with escapes was made of."""
    return re.sub(
        rb"\\(?:(\\)|x([0-9a-f]{2}))",
        lambda found: found[1] or bytes.fromhex(found[2].decode()),
        text.encode(),
    )


def test_a_stray_byte_and_its_escape_are_told_apart(repo: Repo) -> None:
    repo.git("commit", "-q", "--allow-empty", "-m", "start")
    who = b"A <a@b.c> 1767600000 +0100"
    texts = set()
    for message in (b"fix: a\\x92 \x92", b"fix: a\x92 \x92"):
        repo.raw_commit(b"author " + who, b"committer " + who, message=message + b"\n")
        draft = only(read_history(repo.path))
        assert given_back(draft.text) == message
        texts.add(draft.text)
    assert len(texts) == 2


@pytest.mark.parametrize("encoding", [b"no-such-set", b"unicode_escape", b"hex", b"utf-7", b"idna", b"\xff"])
def test_no_declared_encoding_can_break_the_reading(repo: Repo, encoding: bytes) -> None:
    repo.git("commit", "-q", "--allow-empty", "-m", "start")
    who = b"A <a@b.c> 1767600000 +0100"
    message = b"fix: \\q \\ud800 +2AA- caf\xe9\n"
    repo.raw_commit(b"author " + who, b"committer " + who, b"encoding " + encoding, message=message)
    draft = only(read_history(repo.path))
    assert given_back(draft.text) == message.strip()
    assert "undecodable" in draft.metadata
    valid(read_history(repo.path))


def test_odd_commit_objects_are_read(repo: Repo) -> None:
    repo.git("commit", "-q", "--allow-empty", "-m", "start")
    cases = {
        (b"author  <> 1767600000 +0100", b"committer X <x> 99999999999999 +9999"): (
            None,
            "2026-01-05T09:00:00+01:00",
        ),
        (b"author No Date <a@b>", b"gpgsig -----BEGIN\n line\n author Fake <f> 1 +0000"): ("No Date", None),
        (b"author Far <a@b> 1767600000 +9999",): ("Far", "2026-01-05T08:00:00+00:00"),
        (b"author Old <a@b> -62135596801 +0000",): ("Old", None),
        (b"",): (None, None),
    }
    for lines, (name, when) in cases.items():
        sha = repo.raw_commit(*lines, message=b"\n\n  the subject  \nbody")
        history = read_history(repo.path)
        draft = only(history)
        assert (draft.revision, draft.actor, draft.observed_at, draft.text) == (
            sha,
            name,
            when,
            "the subject",
        )
        expected = [] if when else [("git.commit", f"commit:{sha}", "unusable_date", 1)]
        assert warned(history) == expected
        valid(history)


def test_an_empty_message_is_a_record(repo: Repo) -> None:
    repo.commit("", "a.py")
    draft = only(read_history(repo.path))
    assert (draft.text, draft.object) == ("", "unspecified")
    valid(read_history(repo.path))


def test_only_the_newest_are_read_and_the_rest_is_counted(repo: Repo) -> None:
    made = [repo.commit(f"c{n}", "a.py", GIT_COMMITTER_DATE=f"2026-01-06T08:00:0{n}+00:00") for n in range(5)]
    history = read_history(repo.path, limit=2)
    assert shas(history) == [made[4], made[3]]
    assert history.total == 5
    assert warned(history) == [("git", None, "older_commits", 3)]
    assert history.reading.complete
    assert shas(read_history(repo.path)) == shas(read_history(repo.path, limit=0)) == made[::-1]


def test_known_commits_stand_and_are_not_read_again(repo: Repo) -> None:
    made = [repo.commit(f"c{n}", "a.py", GIT_COMMITTER_DATE=f"2026-01-06T08:00:0{n}+00:00") for n in range(5)]
    first = read_history(repo.path, limit=3)
    known = frozenset(sha for sha in shas(first) if sha)
    again = read_history(repo.path, limit=3, known=known | {"f" * 40})
    assert again.reading.records == ()
    assert again.standing == known
    assert again.reading.warnings == first.reading.warnings
    newest = repo.commit("c5", "a.py", GIT_COMMITTER_DATE="2026-01-06T08:00:05+00:00")
    later = read_history(repo.path, limit=3, known=known)
    assert shas(later) == [newest]
    assert later.standing == known == set(made[2:])
    assert later.reading.warnings == first.reading.warnings
    repo.git("reset", "-q", "--hard", made[3])
    assert read_history(repo.path, limit=3, known=known).standing == set(made[2:4])


def test_our_own_folders_are_no_change(repo: Repo) -> None:
    repo.commit("start", "a.py")
    repo.commit("ledger", ".t2c/journal.ndjson", "sub/.dwp/plan.json")
    repo.commit("both", ".t2c/journal.ndjson", "b.py", ".t2cx/c.py")
    history = read_history(repo.path)
    assert [draft.text for draft in history.reading.records] == ["both", "start"]
    both = history.reading.records[0]
    assert both.paths == (".t2cx/c.py", "b.py")
    assert (both.metadata["filesChanged"], both.metadata["additions"]) == (2, 2)
    assert history.total == 3


def test_a_commit_of_many_files_is_capped_and_told(repo: Repo) -> None:
    for number in range(500):
        repo.put(f"f{number:03}.py")
    sha = repo.commit("many")
    history = read_history(repo.path)
    draft = only(history)
    assert draft.paths == tuple(f"f{number:03}.py" for number in range(200))
    assert len(draft.metadata["changedFiles"]) == 200
    assert (draft.metadata["filesChanged"], draft.metadata["pathsOmitted"]) == (500, 300)
    assert draft.metadata["additions"] == 500
    assert warned(history) == [("git.commit", f"commit:{sha}", "many_paths", 300)]


def test_odd_file_names_come_as_records_write_them(repo: Repo) -> None:
    odd = ["tab\there", "new\nline", 'quo"te', "zażółć", " lead", "~home.txt", "-dash"]
    for name in odd:
        repo.put(name)
    with open(os.fsencode(repo.path) + b"/caf\xe9", "w") as file:
        file.write("x")
    repo.commit("odd")
    draft = only(read_history(repo.path))
    assert {file["path"] for file in draft.metadata["changedFiles"]} == {*odd, '"caf\\351"'}
    assert set(draft.paths) == {*odd, '"caf\\351"'}
    valid(read_history(repo.path))


def test_a_folder_without_repository_is_told_and_proves_nothing(tmp_path: Path) -> None:
    history = read_history(tmp_path)
    assert warned(history) == [("git", None, "not_a_repository", 1)]
    assert not history.reading.complete
    assert (history.head, history.reachable) == (None, None)


def test_a_repository_without_commits_is_complete(repo: Repo) -> None:
    history = read_history(repo.path)
    assert warned(history) == [("git", None, "no_commits", 1)]
    assert history.reading.complete
    assert (history.head, history.branch, history.reachable, history.total) == (None, "main", frozenset(), 0)
    repo.commit("one", "a.py")
    repo.git("checkout", "-q", "--orphan", "other")
    assert warned(read_history(repo.path)) == [("git", None, "no_commits", 1)]


def test_a_missing_git_is_told(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit("one", "a.py")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "env").symlink_to(str(shutil.which("env")))
    for path in (tools, tmp_path / "nothing"):
        monkeypatch.setenv("PATH", str(path))
        history = read_history(repo.path)
        assert warned(history) == [("git", None, "git_missing", 1)]
        assert not history.reading.complete
        assert history.reachable is None


def test_a_missing_git_is_told_by_a_fresh_process_too(repo: Repo, tmp_path: Path) -> None:
    """GitPython looks for the program when it is first imported."""
    script = (
        "from pathlib import Path; from t2c.ledger.intake.git import read_history;"
        f"print([w.reason for w in read_history(Path({str(repo.path)!r})).reading.warnings])"
    )
    environment = {**os.environ, "PATH": str(tmp_path / "nothing"), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "['git_missing']", done.stderr


def test_damage_is_told_and_proves_nothing(repo: Repo, tmp_path: Path) -> None:
    first = repo.commit("one", "a.py")
    second = repo.commit("two", "b.py")
    third = repo.commit("three", "c.py")

    def loose(sha: str) -> Path:
        return Path(".git/objects") / sha[:2] / sha[2:]

    def damaged(name: str, break_it: Callable[[Path], None]) -> History:
        copy = tmp_path / name
        shutil.copytree(repo.path, copy)
        break_it(copy)
        history = read_history(copy)
        assert {warning.reason for warning in history.reading.warnings} == {"git_failed"}, name
        assert not history.reading.complete, name
        assert history.seen is None, name
        return history

    assert damaged("head", lambda copy: (copy / ".git/HEAD").unlink()).reachable is None
    assert damaged("pointer", _pointer_to_nowhere).head is None
    assert (
        damaged("branch", lambda copy: (copy / ".git/refs/heads/main").write_text("garbage\n") and None).head
        is None
    )
    assert (
        damaged("config", lambda copy: (copy / ".git/config").write_text("[broken\n") and None).head is None
    )
    assert damaged("ancestor", lambda copy: (copy / loose(first)).unlink()).reachable is None
    tree = repo.git("rev-parse", f"{second}^{{tree}}")
    history = damaged("tree", lambda copy: (copy / loose(tree)).unlink())
    assert third not in shas(history)  # its tree differs from one that is lost
    assert history.reachable == {first, second, third}
    assert "unable to read tree" in history.reading.warnings[0].detail


@pytest.mark.parametrize("lost", [0, 3, 6])
def test_a_lost_file_costs_one_commit_its_lines_and_the_others_nothing(repo: Repo, lost: int) -> None:
    made = [
        repo.commit(f"c{n}", f"f{n}.py", GIT_COMMITTER_DATE=f"2026-01-06T08:00:0{n}+00:00") for n in range(7)
    ]
    plain = read_history(repo.path)
    blob = repo.git("rev-parse", f"{made[lost]}:f{lost}.py")
    (repo.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    (repo.path / ".git/index").unlink()  # else Git takes the content from the work tree
    history = read_history(repo.path)
    assert warned(history) == [("git.commit", f"commit:{made[lost]}", "lines_not_counted", 1)]
    assert history.reading.complete
    for before, now in zip(plain.reading.records, history.reading.records, strict=True):
        if now.revision == made[lost]:
            assert (now.metadata["additions"], now.metadata["deletions"]) == (None, None)
            assert now.paths == before.paths
        else:
            assert now == before


def test_after_many_lost_files_lines_are_left_out_at_once(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        repo.commit(f"c{number}", f"f{number}.py")
        repo.commit(f"d{number}", "same.py")
    repo.commit("first", "kept.py")
    for number in range(12):
        blob = repo.git("rev-parse", f"HEAD:f{number}.py")
        (repo.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    (repo.path / ".git/index").unlink()
    monkeypatch.setattr("t2c.ledger.intake.git_changes._MOST_FAILURES", 3)
    history = read_history(repo.path)
    assert len(history.reading.records) == 25
    uncounted = [draft.text for draft in history.reading.records if draft.metadata["additions"] is None]
    assert {f"c{number}" for number in range(12)} <= set(uncounted)
    assert len(warned(history)) == len(uncounted) > 12


def _pointer_to_nowhere(copy: Path) -> None:
    shutil.rmtree(copy / ".git")
    (copy / ".git").write_text("gitdir: /nowhere\n")


def test_a_broken_repository_is_not_mistaken_for_the_one_around_it(repo: Repo) -> None:
    repo.commit("outer", "a.py")
    inner = Repo(repo.path / "inner")
    inner.commit("inner", "b.py")
    (inner.path / ".git/HEAD").unlink()
    history = read_history(inner.path)
    assert warned(history) == [("git", None, "git_failed", 1)]
    assert history.reading.records == ()


def test_a_shallow_clone_is_told_and_proves_nothing(repo: Repo, tmp_path: Path) -> None:
    made = [
        repo.commit(f"c{n}", f"f{n}.py", GIT_COMMITTER_DATE=f"2026-01-06T08:00:0{n}+00:00") for n in range(5)
    ]
    clone = tmp_path / "clone"
    repo.git("clone", "-q", "--depth", "2", f"file://{repo.path}", str(clone))
    history = read_history(clone)
    assert history.shallow
    assert shas(history) == [made[4]]  # what the cut one changed cannot be told: all files seem new in it
    assert warned(history) == [("git", None, "shallow_history", 1)]
    assert "git fetch --unshallow" in history.reading.warnings[0].detail
    assert history.reachable is None
    assert not history.reading.complete
    repo.git("-C", str(clone), "fetch", "-q", "--unshallow")
    whole = read_history(clone, known=frozenset({made[4]}))
    assert shas(whole) == made[3::-1]
    assert (whole.shallow, whole.reading.complete, whole.reading.warnings) == (False, True, ())


def test_partial_clones_are_read_without_fetching(repo: Repo, tmp_path: Path) -> None:
    def objects(clone: Path) -> list[str]:
        return sorted(path.name for path in (clone / ".git/objects").rglob("*"))

    def cloned(kind: str) -> Path:
        clone = tmp_path / kind.replace(":", "-")
        repo.git("clone", "-q", "--no-checkout", f"--filter={kind}", f"file://{repo.path}", str(clone))
        return clone

    repo.put("a.py", "1\n2\n3\n")
    repo.commit("one", "b.py")
    repo.git("mv", "b.py", "c.py")
    repo.put("a.py", "1\n2\n")
    repo.commit("two")
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = cloned("blob:none")
    before = objects(clone)
    history = read_history(clone)
    two, one = history.reading.records
    assert warned(history) == [("git", None, "partial_clone", 1)]
    assert (two.metadata["additions"], two.metadata["filesChanged"]) == (None, 2)
    assert two.metadata["changedFiles"][1] == {"status": "R100", "path": "c.py", "previousPath": "b.py"}
    assert one.paths == ("a.py", "b.py")
    assert objects(clone) == before
    clone = cloned("tree:0")
    before = objects(clone)
    history = read_history(clone)
    assert [reason for _, _, reason, _ in warned(history)] == ["partial_clone", "git_failed"]
    assert not history.reading.complete
    assert objects(clone) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_another_user_stops_with_the_remedy(repo: Repo, own_settings: Path) -> None:
    repo.commit("one", "a.py")
    os.chown(repo.path, 12345, 12345)
    os.chown(repo.path / ".git", 12345, 12345)
    with pytest.raises(Environment) as caught:
        read_history(repo.path)
    assert caught.value.code == 6
    assert caught.value.remedy == (
        f"if you trust it, run: git config --global --add safe.directory {repo.path}"
    )
    assert sorted(own_settings.iterdir()) == []
    (own_settings / ".gitconfig").write_text(f"[safe]\n\tdirectory = {repo.path}\n")
    assert len(read_history(repo.path).reading.records) == 1


def test_no_setting_of_the_user_changes_the_records(repo: Repo, own_settings: Path) -> None:
    repo.commit("one ä", "a/ä.py", "b.py")
    repo.git("mv", "b.py", "c.py")
    repo.put("a/.gitattributes", "*.py diff=loud\n")
    repo.commit("two")
    plain = read_history(repo.path)
    assert plain.reading.records[0].metadata["changedFiles"][1]["status"] == "R100"
    (own_settings / ".gitconfig").write_text(
        "[diff]\n renames = false\n noprefix = true\n relative = true\n external = false\n renameLimit = 0\n"
        " orderFile = /nowhere\n algorithm = patience\n"
        '[diff "loud"]\n textconv = false\n command = false\n'
        "[log]\n showSignature = true\n date = relative\n showRoot = false\n mailmap = true\n follow = true\n"
        "[core]\n quotePath = true\n pager = false\n fsmonitor = false\n"
        "[i18n]\n logOutputEncoding = ISO-8859-1\n commitEncoding = ISO-8859-1\n"
        f"[color]\n ui = always\n[format]\n pretty = oneline\n[core]\n attributesFile = {own_settings}/attributes\n"
    )
    (own_settings / "attributes").write_text("* binary\n")
    assert read_history(repo.path) == plain


def test_an_outer_git_process_does_not_redirect(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit("right", "a.py")
    plain = read_history(repo.path)
    other = Repo(tmp_path / "other")
    other.commit("wrong", "b.py")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.path / ".git/index"))
    monkeypatch.setenv("GIT_PREFIX", "sub/")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.setenv("GIT_TRACE", "1")
    assert read_history(repo.path) == plain
    (tmp_path / "grafts").write_text(f"{plain.head} {'1' * 40}\n")
    steering = {
        "GIT_OBJECT_DIRECTORY": "/nowhere",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(other.path / ".git/objects"),
        "GIT_COMMON_DIR": str(other.path / ".git"),
        "GIT_GRAFT_FILE": str(tmp_path / "grafts"),
        "GIT_NAMESPACE": "elsewhere",
        "GIT_CONFIG_PARAMETERS": "'core.repositoryformatversion'='99'",
        "GIT_CONFIG_COUNT": "one",
        "GIT_SOME_FUTURE_VARIABLE": "1",
    }
    for name, value in steering.items():
        monkeypatch.setenv(name, value)
        assert read_history(repo.path) == plain, name
    assert {name: os.environ[name] for name in steering} == steering


def test_grafts_hide_no_commit(repo: Repo) -> None:
    made = [repo.commit(f"c{n}", "a.py", GIT_COMMITTER_DATE=f"2026-01-06T08:00:0{n}+00:00") for n in range(4)]
    plain = read_history(repo.path)
    (repo.path / ".git/info").mkdir(exist_ok=True)
    (repo.path / ".git/info/grafts").write_text(f"{made[3]}\n")
    assert repo.git("rev-list", "--count", "HEAD") == "1"
    history = read_history(repo.path)
    assert history.reading.records == plain.reading.records
    assert history.reachable == plain.reachable == frozenset(made)
    assert warned(history) == [("git", None, "grafts", 1)]
    assert history.reading.complete


def test_a_limit_beyond_every_history_reads_all(repo: Repo) -> None:
    repo.commit("one", "a.py")
    history = read_history(repo.path, limit=10**30)
    assert (len(history.reading.records), history.reading.warnings) == (1, ())


def test_a_folder_below_the_top_has_the_history_that_touches_it(repo: Repo) -> None:
    repo.commit("outside", "a.py")
    inside = repo.commit("inside", "pkg/b.py", "c.py")
    repo.git("mv", "pkg/b.py", "pkg/d.py")
    moved = repo.commit("moved")
    top = repo.commit("outside again", "a.py")
    history = read_history(repo.path / "pkg")
    assert shas(history) == [moved, inside]
    assert history.reading.records[0].metadata["changedFiles"] == [
        {"status": "R100", "path": "d.py", "previousPath": "b.py"}
    ]
    assert history.reading.records[1].paths == ("b.py",)
    assert (history.head, history.total, len(history.reachable or ())) == (top, 2, 4)


def test_worktrees_and_detached_heads(repo: Repo, tmp_path: Path) -> None:
    first = repo.commit("one", "a.py")
    repo.commit("two", "b.py")
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "-q", "-b", "topic/x", str(linked), first)
    history = read_history(linked)
    assert (history.head, history.branch, shas(history)) == (first, "topic/x", [first])
    repo.git("checkout", "-q", "--detach")
    assert read_history(repo.path).branch is None
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", str(repo.path), str(bare))
    assert len(read_history(bare).reading.records) == 2
    (bare / "config").write_text("[broken\n")
    assert warned(read_history(bare))[0][2] in ("git_failed", "not_a_repository")


def test_replaced_objects_are_read_as_they_were_made(repo: Repo) -> None:
    first = repo.commit("one", "a.py")
    second = repo.commit("two", "b.py")
    repo.git("replace", second, first)
    history = read_history(repo.path)
    assert shas(history) == [second, first]
    assert warned(history) == [("git", None, "replace_refs", 1)]
    assert history.reading.complete


def test_the_number_of_processes_does_not_grow_with_the_history(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        repo.commit(f"c{number}", "a.py")
    wrapper, log = tmp_path / "bin/git", tmp_path / "log"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\necho run >> "{log}"\nexec "{shutil.which("git")}" "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}")
    history = read_history(repo.path)
    assert len(history.reading.records) == 12
    assert log.read_text().count("run") == 4
    log.unlink()
    read_history(repo.path, known=history.reachable or frozenset())
    assert log.read_text().count("run") == 2
    log.unlink()
    read_history(repo.path, known=history.reachable or frozenset(), seen=history.seen)
    assert not log.exists()


def test_progress_counts_commits(repo: Repo) -> None:
    repo.commit("one", "a.py")
    told: list[tuple[str, int, int | None]] = []
    read_history(repo.path, progress=lambda *step: told.append(step))
    assert told == [("git", 0, 1), ("git", 1, 1)]
