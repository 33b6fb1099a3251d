"""Histories of any shape: what is known and what is read make up the whole, however HEAD and the refs came to be."""

from __future__ import annotations

import io
import os
import re
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Warning, materialise
from t2c.ledger.intake.git import History, read_history
from t2c.ledger.intake.git_changes import Changes, read_changes
from t2c.ledger.intake.git_claim import claim
from t2c.ledger.intake.git_log import parse_commit, parse_tag, read_objects
from t2c.ledger.intake.git_message import agents, forms, trailers, without_mail
from t2c.ledger.intake.git_tags import version_of

SHA = "0123456789abcdef0123456789abcdef01234567"
ISOLATED = {
    "PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
}  # fmt: skip


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", "/nonexistent")


def git(root: Path, *arguments: str, given: bytes | None = None) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *arguments], input=given, env=ISOLATED, capture_output=True, check=True
    )
    return done.stdout.decode("utf-8", "replace").strip()


messages = st.one_of(
    st.sampled_from(
        [
            b"feat(x): y",
            b"Merge pull request #1 from a/b\n\nt",
            b"fix: z\n\nFixes: #1\nCo-authored-by: A <a@b.c>",
            b"\xff\x92",
        ]
    ),
    st.binary(max_size=40).map(lambda raw: raw.replace(b"\0", b"")),
)
people = st.sampled_from([b"Ada <a@x>", b"ada <a@x>", b"Bob <b@x>", b"ada <b@x>"])
steps = st.tuples(st.integers(0, 6), st.integers(0, 6), st.sampled_from("abc"), messages, people)


def made(root: Path, graph: list[tuple[int, int, str, bytes, bytes]]) -> list[str]:
    """A history of these commits, each on one or two earlier ones; one branch at each."""
    git(root, "init", "-q", "-b", "b0")
    stream = []
    for number, (parent, other, path, message, who) in enumerate(graph, 1):
        line = b"%b %d +0100\n" % (who, 1767600000 + number * 60)
        stream.append(
            b"commit refs/heads/c%d\nmark :%d\nauthor %bcommitter %b" % (number, number, line, line)
        )
        stream.append(b"data %d\n%b\n" % (len(message), message))
        if number > 1:
            first = number - 1 - parent % (number - 1)
            second = number - 1 - other % (number - 1)
            stream.append(b"from :%d\n" % first)
            if second != first:
                stream.append(b"merge :%d\n" % second)
        content = b"%d\n" % number
        stream.append(b"M 100644 inline %b.py\ndata %d\n%b\n" % (path.encode(), len(content), content))
    git(root, "fast-import", "--quiet", given=b"".join(stream))
    return git(
        root, "for-each-ref", "--sort=version:refname", "--format=%(objectname)", "refs/heads/c*"
    ).split()


def facts(history: History) -> dict[str | None, bytes]:
    found = list(materialise(history.reading))
    for item in found:
        Record.model_validate_json(item.body)
    return dict(
        zip((draft.revision for draft in history.reading.records), (item.body for item in found), strict=True)
    )


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(steps, min_size=2, max_size=7), st.data())
def test_any_known_part_and_the_rest_are_the_whole(
    graph: list[tuple[int, int, str, bytes, bytes]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        commits = made(root, graph)
        git(root, "update-ref", "refs/heads/b0", commits[-1])
        whole = facts(read_history(root))
        known = data.draw(st.sets(st.sampled_from(commits)))
        part = read_history(root, known=known)
        assert facts(part).keys() == whole.keys() - known
        assert part.standing == known & whole.keys()
        for sha, body in facts(part).items():
            assert body == whole[sha]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(steps, min_size=2, max_size=7), st.data())
def test_step_by_step_is_as_at_once(
    graph: list[tuple[int, int, str, bytes, bytes]], data: st.DataObject
) -> None:
    """HEAD moves to any commits, names and tags change in between: what stands is what a first reading gives."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        commits = made(root, graph)
        stands: dict[str | None, bytes] = {}
        beside: dict[str | None, object] = {}
        seen = None
        for _ in range(data.draw(st.integers(1, 4))):
            git(root, "update-ref", "refs/heads/b0", data.draw(st.sampled_from(commits)))
            match data.draw(st.sampled_from(["tag", "name", "pack", "nothing"])):
                case "tag":
                    name = data.draw(st.sampled_from(["v1.0", "pkg@2.0", "x"]))
                    git(root, "tag", "-f", name, data.draw(st.sampled_from(commits)))
                case "name":
                    (root / ".mailmap").write_text(
                        data.draw(st.sampled_from(["", "A L <a@x>\n", "B <b@x>\n"]))
                    )
                case "pack":
                    git(root, "pack-refs", "--all")
            known = frozenset(sha for sha in stands if sha)
            history = read_history(root, known=known, seen=seen)
            assert history.reachable is not None
            stands = {sha: body for sha, body in stands.items() if sha in history.reachable} | facts(history)
            beside |= {reading.scope.path: reading.records for reading in history.further}
            seen = history.seen
            first = read_history(root)
            assert stands == facts(first)
            assert beside == {reading.scope.path: reading.records for reading in first.further}
            assert (history.head, history.total) == (first.head, first.total)
            again = read_history(root, known=frozenset(sha for sha in stands if sha), seen=seen)
            assert again.unchanged
            assert (again.head, again.branch, again.total) == (first.head, first.branch, first.total)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(steps, min_size=2, max_size=5), st.permutations(["v2", "v1", "a/b", "B"]))
def test_the_order_of_refs_changes_nothing(
    graph: list[tuple[int, int, str, bytes, bytes]], names: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        commits = made(root, graph)
        git(root, "update-ref", "refs/heads/b0", commits[-1])
        for name in sorted(names):
            git(root, "tag", name, commits[0])
        plain = read_history(root)
        for name in names:
            git(root, "tag", "-d", name)
        for number, name in enumerate(names):
            git(root, "tag", name, commits[0])
            if number == 1:
                git(root, "pack-refs", "--all")
        other = read_history(root)
        assert (other.reading, other.further) == (plain.reading, plain.further)


@given(st.binary(max_size=300), st.sampled_from([b"", b"encoding ISO-8859-2\n", b"encoding x\n"]))
def test_any_bytes_are_a_commit_and_a_tag(raw: bytes, encoding: bytes) -> None:
    for content in (raw, b"author A <a> 1 +0000\n" + encoding + b"\n" + raw):
        warnings: list[Warning] = []
        draft = claim(parse_commit(SHA, content), Changes(200), warnings)
        assert draft.revision == SHA
        parse_tag(content)
    list(read_objects(io.BytesIO(raw)))


@given(st.binary(max_size=300))
def test_any_bytes_are_changes(raw: bytes) -> None:
    start = b"0123\0:100644 160000 1 2 R1\0"
    patch = b"0123\0:100644 100644 1 2 M\0a.py\0\0diff --git a/a.py b/a.py\n"
    for stream in (
        raw,
        start + raw,
        start + b"\0" + raw,
        patch + raw,
        patch + b"@@ -1 +1 @@ def f():\n" + raw,
    ):
        for _, changes in read_changes(io.BytesIO(stream), 3, counted=True):
            assert len(changes.files) <= 3


lines = st.sampled_from(
    [
        b"alpha_one = 1", b"beta_two = 2", b"", b"  ", b"\r", b"@@ -1 +1,2 @@ gamma_three", b"+", b"-", b"--- a/delta_four",
        b"+++ b/epsilon_five", b"diff --git a/x b/x", b"\\ No newline at end of file", b"Binary files a/x and b/x differ",
        b"new file mode 160000", b"def zeta_six():", b"    eta_seven()", b"class Theta_eight:", SHA.encode(), b"\xff\xfe",
        b"q" * 8000, b"\0", SHA.encode() + b"\0", b":100644 100644 1 2 M\0x\0", b"similarity index 90%", b"rename to x",
    ]
)  # fmt: skip
WORDS = [
    "alpha_one",
    "beta_two",
    "gamma_three",
    "delta_four",
    "epsilon_five",
    "zeta_six",
    "eta_seven",
    "Theta_eight",
]
texts = st.tuples(st.lists(lines, max_size=12), st.sampled_from([b"", b"\n"])).map(
    lambda given: b"\n".join(given[0]) + given[1]
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(st.sampled_from(["a.py", "b c.py", "d.rs"]), texts), min_size=1, max_size=3))
def test_any_contents_are_counted_and_named_as_git_compares_them(states: list[dict[str, bytes]]) -> None:
    """What is read of a patch is what Git's own counts and its lines by themselves say, whatever the lines hold."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        git(root, "init", "-q", "-b", "main")
        stream = []
        for state in states:
            stream.append(b"commit refs/heads/main\ncommitter A <a> 1767600000 +0000\ndata 1\nx\ndeleteall\n")
            stream += [
                b'M 100644 inline "%b"\ndata %d\n%b\n' % (path.encode(), len(text), text)
                for path, text in state.items()
            ]
        git(root, "fast-import", "--quiet", given=b"".join(stream))
        before: list[dict[str, bytes]] = [{}, *states[:-1]]
        records = read_history(root).reading.records
        for old, new, draft in zip(before, states, reversed(records), strict=True):
            options = ("--root", "--no-commit-id", "--numstat", "-U0", "-M", "-z")
            told = git(root, "diff-tree", *options, draft.revision or "").partition("\0\0")[0]
            rows = [
                token.split("\t") for token in told.split("\0") if token.count("\t") == 2 and token[0] != "-"
            ]
            assert draft.metadata["additions"] == sum(int(row[0]) for row in rows)
            assert draft.metadata["deletions"] == sum(int(row[1]) for row in rows)
            names = set(draft.metadata.get("diff", {}).get("names", ()))
            if not any(b"\0" in text[:8000] for text in (*old.values(), *new.values())):
                then, now = (b"\n".join(state.values()).decode("latin-1") for state in (old, new))
                assert names <= set(re.findall(r"\w+", f"{then} {now}"))
                assert names >= {word for word in WORDS if then.count(word) != now.count(word)}


@given(st.text(max_size=300), st.booleans())
def test_any_text_is_a_message(text: str, merge: bool) -> None:
    for message in (text, f"Revert {text}\n\nFixes: {text}", f"x\n\n{text}\n\nCo-authored-by: {text}"):
        found = trailers(message)
        assert all(item.key and item.value for item in found.found)
        agents(message, found.found)
        forms(message.partition("\n")[0], message, merge=merge)
        without_mail(message)
    version_of(text)


@given(st.lists(st.sampled_from(["Fixes: #1", "Acked-by: A", "prose", " more", ""]), max_size=8))
def test_a_body_rejects_no_commit_and_blank_lines_change_no_id(lines: list[str]) -> None:
    message = "\n".join(["feat(a): b", "", *lines]).encode()
    head = b"author A <a> 1 +0000\n\n"
    drafts = [
        claim(parse_commit(SHA, head + text), Changes(200), [])
        for text in (message, message.replace(b"\n", b"\r\n"), b"\n\n" + message + b"\n\n")
    ]
    assert drafts[0] == drafts[1] == drafts[2]
    assert (drafts[0].text, drafts[0].metadata["commitType"]) == ("feat(a): b", "feat")
