"""Sealed tests: fixed without being shown, kept from the implementer, and provably those that were sealed."""

from __future__ import annotations

import json
import stat
from base64 import b64encode, encodebytes, urlsafe_b64encode
from hashlib import sha1, sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.answers.checks.sealed_runs import starts_nothing
from t2c.ledger.answers.commitments import commitment, fits
from t2c.ledger.answers.leaks import audit, burn, leak_guard
from t2c.ledger.answers.readable import readable
from t2c.ledger.answers.sealed_store import SealedStore
from t2c.ledger.answers.sealing import OpenTest, named, open_sealed, reveal, seal, sealed_tests
from t2c.ledger.answers.showing import Secret, Secrets
from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Corrupt, Environment, Refused, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.events.llm import LlmAsked
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.llm.asking import Asking
from t2c.ledger.llm.base import Brief, Message, Request, Shape, Shown

BODY = (
    "from shop import total\n\n\n"
    "def test_discount_applies_once() -> None:\n"
    '    assert total([30, 70], code="SPRING") == 90, "exactly once\\tper cart"\n'
    "    assert total([]) == 0\n"
)
PATH = "tests/held/test_discount.py"
HUMAN = Actor("human", "ada")
TELLING = BODY.splitlines()[4].strip()


def held_out(*files: dict[str, Any]) -> bytes:
    return json.dumps({"files": files or (file(),), "notes": ["quietly"]}).encode()


def file(path: str = PATH, content: str = BODY, **more: Any) -> dict[str, Any]:
    return {
        "path": path,
        "content": content,
        "scenarios": ["US1"],
        "argv": ["python", path],
        "composition": False,
        **more,
    }


class Place:
    """A ledger in a tree, and a state folder outside of it."""

    def __init__(self, base: Path) -> None:
        self.tree, self.state = base / "repo", base / "state"
        self.tree.mkdir(parents=True)
        create(self.tree / ".t2c")
        self.ledger = Ledger(self.tree / ".t2c")
        self.store = SealedStore(self.state, str(self.ledger.id()), self.ledger.workspace)

    def seal(self, content: bytes | None = None, **more: Any) -> Any:
        return seal(self.ledger, self.store, content or held_out(), tree=self.tree, **more)

    def asking(
        self, text: str, *, role: str = "implementer", items: tuple[Shown, ...] = (), root: str | None = None
    ) -> tuple[Asking[Any], bytes]:
        messages = (Message("system", "Do the task."), Message("user", text))
        shape = Shape(root or ("acceptance" if role.startswith("test") else "attempt_report"), b"{}")
        brief = Brief("task", text, items, {})
        asking = Asking("attempt", role, "m", messages, shape, brief, check=json.loads)
        return asking, Request("m", messages, shape).body

    def ask(self, text: str, **more: Any) -> None:
        """Record a request as if it had been sent past the guard."""
        asking, body = self.asking(text, **more)
        payload = LlmAsked(
            request=self.ledger.objects.put(body),
            role=asking.role,
            stage="attempt",
            model="m",
            mode="json_schema",
            endpoint="http://127.0.0.1/v1",
            schema_name=asking.shape.name,
            schema_digest=asking.shape.digest,
            brief="task",
            brief_digest=asking.brief.digest,
            manifest=self.ledger.objects.put(asking.brief.manifest()),
            items=len(asking.brief.items),
            body_bytes=len(body),
            masked={},
            corrects=None,
            instead_of=None,
        )
        self.ledger.append([draft(payload)])

    def types(self) -> list[str]:
        return [entry.type for entry in self.ledger.entries()]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def everything_under(folder: Path) -> bytes:
    return b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@settings(max_examples=40)
@given(st.binary(max_size=40), st.binary(max_size=40), st.binary(min_size=32, max_size=32))
def test_a_commitment_fits_its_bytes_salt_and_kind_alone(one: bytes, other: bytes, salt: bytes) -> None:
    digest = commitment(salt, "path", one)
    assert digest == sha256(b"\x05" + salt + b"path" + one).hexdigest()
    assert fits(digest, salt, "path", one)
    assert fits(digest, salt, "path", other) == (one == other)
    assert not fits(digest, salt, "content", one)
    assert not fits(digest, bytes(31), "path", one)


def test_nothing_of_a_sealed_test_stands_in_the_workspace(place: Place) -> None:
    done = place.seal(about="US1")
    lines = [line.strip().encode() for line in BODY.splitlines() if line.strip()]
    found = everything_under(place.tree)
    assert not [line for line in lines if line in found]
    assert PATH.encode() not in found and b"test_discount" not in found and b"quietly" not in found
    assert sha256(BODY.encode()).hexdigest().encode() not in found  # without a salt it could be guessed
    (sealed,) = sealed_tests(place.ledger)
    assert (sealed.event, sealed.about, sealed.files[0].scenarios) == (done.sealed, "US1", ("US1",))
    recorded = next(entry for entry in place.ledger.entries() if entry.type == "answer.recorded")
    assert json.loads(bytes(recorded.data))["value"] is None
    assert (recorded.trust, recorded.actor.kind) == ("asserted", "agent")


def test_sealed_bytes_are_for_their_user_alone(place: Place) -> None:
    place.seal()
    paths = list(place.state.rglob("*"))
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_file()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_dir()} == {0o700}


def test_a_state_folder_inside_the_workspace_is_refused(place: Place) -> None:
    store = SealedStore(place.tree / "state", "x" * 32, place.ledger.workspace)
    with pytest.raises(Refused, match="inside the workspace"):
        seal(place.ledger, store, held_out(), tree=place.tree)
    assert place.types() == ["journal.opened"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (held_out(file(path="../x.py")), r"files\[0\]\.path"),
        (held_out(file(argv=[])), r"files\[0\]\.argv"),
        (held_out(file(argv=["sh", "-c", "x"])), r"files\[0\]\.argv"),
        (held_out(file(), file()), r"files\[1\]\.path"),
        (b'{"files": [], "notes": []}', "there is no test in it"),
        (b'{"files": [], "notes": [], "notes": []}', "notes"),
        (b"nothing", "JSON"),
    ],
)
def test_what_cannot_be_run_is_not_sealed(place: Place, content: bytes, told: str) -> None:
    with pytest.raises(Usage, match=told):
        place.seal(content)
    assert place.types() == ["journal.opened"] and not place.state.exists()


def test_a_person_gives_no_answer(place: Place) -> None:
    with pytest.raises(Refused, match="human:ada cannot give an answer"):
        place.seal(actor=Actor("human", "ada"))


@pytest.mark.parametrize(("composed", "result"), [(False, "inconsistent"), (True, "supported")])
def test_a_story_of_several_scenarios_needs_a_test_of_them_together(
    place: Place, composed: bool, result: str
) -> None:
    done = place.seal(held_out(file(), file("tests/b.py", scenarios=["US2"], composition=composed)))
    assert [found.result for found in done.found] == [result]
    kept = [json.loads(bytes(e.data)) for e in place.ledger.entries() if e.type == "answer.verified"]
    assert [(item["check"], item["result"]) for item in kept] == [("composition", result)]


GIT_BLOB = sha1(b"blob %d\0%s" % (len(BODY), BODY.encode())).hexdigest()
LEAKING = {
    "as it is": f"Look:\n{TELLING}",
    "indented and wrapped": TELLING.replace(" ", "\n\t  "),
    "in a diff, with line numbers": f"  12 +    {TELLING},",
    "as JSON": json.dumps({"read": BODY}),
    "as JSON in JSON": json.dumps(json.dumps([BODY])),
    "as JSON in JSON in JSON": json.dumps(json.dumps(json.dumps(BODY))),
    "with code points": TELLING.replace('"', "\\u0022"),
    "its path": f"See ./{PATH}:4",
    "its path from the root of the disk": f"File '/home/ada/repo/{PATH}', line 3",
    "its path on another system": PATH.replace("/", "\\"),
    "its path in a diff": f"+++ b/{PATH}",
    "its path as a test's id": f"{PATH}::test_discount_applies_once PASSED",
    "its path in capitals": PATH.upper(),
    "its path in a longer way": f"see ./tests//x/../held/./{PATH.rpartition('/')[2]}",
    "its path from a folder below": f"../../{PATH}",
    "the end of its path": "in held/test_discount.py",
    "its telling name": "Edit test_discount.py, please.",
    "its hash": sha256(BODY.encode()).hexdigest(),
    "its hash in capitals": f"sha256:{sha256(BODY.encode()).hexdigest().upper()}.",
    "its Git blob": f"index {GIT_BLOB}..0000000",
    "as Base64": f"data:text/plain;base64,{b64encode(BODY.encode()).decode()}",
    "as wrapped Base64": encodebytes(BODY.encode()).decode(),
    "one line as Base64 for a URL": urlsafe_b64encode(TELLING.encode()).decode().rstrip("="),
    "as hexadecimal digits": BODY.encode().hex(),
    "as escaped bytes": "".join(f"\\x{byte:02x}" for byte in TELLING.encode()),
    "as part of a URL": quote(BODY),
    "as a form": quote_plus(TELLING),
}
HARMLESS = {
    "the name of another file": f"src/{PATH} and {PATH}x and my-{PATH}",
    "a short line": "assert total([]) == 0",
    "a name that tells nothing": "__init__.py",
    "a folder": "tests/held",
    "another hash": "0" * 64,
    "words of the scenario": "A discount applies exactly once per cart.",
    "nothing": "",
}


@pytest.mark.parametrize("text", LEAKING.values(), ids=LEAKING)
def test_a_prompt_that_shows_a_sealed_test_to_the_implementer_is_not_sent(place: Place, text: str) -> None:
    done = place.seal()
    guard = leak_guard(place.ledger, place.store)
    asking, body = place.asking(text)
    with pytest.raises(Refused) as refused:
        guard(asking, body)
    assert refused.value.code == 3 and BODY[:20] not in str(refused.value)
    leaked = [entry for entry in place.ledger.entries() if entry.type == "heldout.leaked"]
    assert leaked
    for entry in leaked:
        data = json.loads(bytes(entry.data))
        assert (data["sealed"], data["file"], data["sent"]) == (done.sealed, 0, False)
        assert data["request"] == sha256(body).hexdigest()
    assert not sealed_tests(place.ledger)[0].counts(0)
    place.asking(text, role="test_writer")
    guard(*place.asking(text, role="test_writer"))  # who writes the tests may see them


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_a_prompt_that_shows_nothing_passes(place: Place, text: str) -> None:
    place.seal()
    leak_guard(place.ledger, place.store)(*place.asking(text))
    assert "heldout.leaked" not in place.types() and sealed_tests(place.ledger)[0].counts(0)


def test_a_sealed_hash_among_what_is_shown_is_a_leak(place: Place) -> None:
    place.seal()
    shown = (Shown("upload-7", sha256(BODY.encode()).hexdigest()),)
    with pytest.raises(Refused, match="the hash of test 0"):
        leak_guard(place.ledger, place.store)(*place.asking("see the upload", items=shown))


def test_the_guard_knows_what_was_sealed_after_it_was_made(place: Place) -> None:
    guard = leak_guard(place.ledger, place.store)
    guard(*place.asking(BODY))
    place.seal()
    with pytest.raises(Refused):
        guard(*place.asking(BODY))
    with pytest.raises(Refused):
        guard(*place.asking(BODY))
    signs = [json.loads(bytes(e.data))["how"] for e in place.ledger.entries() if e.type == "heldout.leaked"]
    assert signs == ["line"]  # the same request is told of once
    reveal(place.ledger, place.store, sealed_tests(place.ledger)[0], HUMAN)
    guard(*place.asking(BODY))  # what is revealed is no secret


def test_lines_that_all_could_read_are_not_secret(place: Place) -> None:
    shared = "from shop.discounts.calculation import total\n"
    (place.tree / "test_visible.py").write_text(
        shared + "\n\ndef test_x() -> None:\n    assert total([1]) == 1\n"
    )
    place.seal(held_out(file(content=shared + BODY)))
    assert sealed_tests(place.ledger)[0].files[0].common == (1,)
    guard = leak_guard(place.ledger, place.store)
    guard(*place.asking((place.tree / "test_visible.py").read_text()))
    with pytest.raises(Refused):
        guard(*place.asking(TELLING))


def test_a_readable_copy_excuses_nothing_and_is_told(place: Place) -> None:
    many = BODY + "".join(f"    assert total([{n}, {n}, {n}]) == {3 * n}\n" for n in range(100, 103))
    (place.tree / "draft.txt").write_text("# my draft\n" + many)
    (place.tree / "same.py").write_text(many)
    done = place.seal(held_out(file(content=many)))
    assert done.copies == {0: ("draft.txt", "same.py")}
    assert readable(place.tree, [many.encode()])[0].lines == ()
    with pytest.raises(Refused):
        leak_guard(place.ledger, place.store)(*place.asking(many))


@pytest.mark.parametrize("times", range(4))
def test_a_tab_within_a_line_is_found_however_often_it_was_escaped(times: int) -> None:
    body = "assert the_total_of(1,\t2) == 3"
    text = body
    for _ in range(times):
        text = json.dumps(text)
    found = Secrets([Secret("EVT-0", 0, "t.py", body.encode())]).signs(json.dumps({"messages": [text]}))
    assert [sign.how for sign in found] == ["line"]


_LINES = st.text(st.characters(exclude_categories=("Cs", "Cc", "Z")), min_size=24, max_size=60)


@settings(max_examples=50)
@given(_LINES, st.text(max_size=20), st.integers(0, 3), st.booleans())
def test_any_line_is_found_wherever_and_however_it_is_quoted(
    line: str, around: str, times: int, ascii_only: bool
) -> None:
    text = f"{around}\n  {line[:9]} \n {line[9:]}{around}"
    for _ in range(times):
        text = json.dumps([text], ensure_ascii=ascii_only)
    found = Secrets([Secret("EVT-0", 0, "a/path/of/its/own.py", line.encode())])
    assert [sign.how for sign in found.signs(json.dumps({"messages": [text]}))] == ["line"]
    assert [sign.how for sign in found.signs(text)] == ["line"]


def test_many_lines_with_one_beginning_cost_no_more() -> None:
    begin = "x" * 24
    body = "\n".join(begin + "y" * n for n in range(1, 300)).encode()
    secrets = Secrets([Secret("EVT-0", 0, "t.py", body)])
    assert secrets.signs("x" * 200_000) == []
    assert [sign.how for sign in secrets.signs("x" * 200_000 + "y" * 7)] == ["line"]


def test_an_auditor_needs_the_ledger_alone_once_tests_are_revealed(place: Place, tmp_path: Path) -> None:
    place.seal(
        held_out(file(), file("tests/b.py", "def test_b() -> None:\n    assert the_other_thing() == 12\n"))
    )
    place.ask("Build the discount.")
    place.ask(TELLING, role="test_writer")
    place.ask(f"A colleague says: {json.dumps(TELLING)}")
    (sealed,) = sealed_tests(place.ledger)
    reveal(place.ledger, place.store, sealed, HUMAN)
    place.state.rename(tmp_path / "gone")
    found = audit(place.ledger, None, tree=place.tree)
    leaked, clean = found.tests
    assert found.requests == 2 and found.unread == ()
    assert [(leak.how, leak.sent) for leak in leaked.leaks] == [("line", True)]
    assert leaked.leaks[0].seq == place.types().index("heldout.revealed")  # the request before it
    assert (clean.leaks, clean.opened, clean.since, clean.path) == ((), "ledger", sealed.seq, "tests/b.py")
    assert audit(place.ledger, None, role="test_writer").tests[0].leaks
    place.ask(json.dumps(BODY) + " tests/b.py")  # what is revealed is no secret, and may lie in the tree
    (place.tree / PATH).parent.mkdir(parents=True)
    (place.tree / PATH).write_text(BODY)
    again = audit(place.ledger, None, tree=place.tree)
    assert [len(trail.leaks) for trail in again.tests] == [1, 0]
    assert [trail.lies for trail in again.tests] == [None, None]


def test_a_leak_that_no_guard_saw_burns_the_test_once_it_is_found(place: Place) -> None:
    place.seal()
    place.ask(TELLING)
    place.ask(TELLING, role="test_writer")
    assert sealed_tests(place.ledger)[0].counts(0)
    for _ in range(2):
        burn(place.ledger, audit(place.ledger, place.store))
    (leaked,) = [json.loads(bytes(e.data)) for e in place.ledger.entries() if e.type == "heldout.leaked"]
    assert (leaked["sent"], leaked["how"], leaked["role"]) == (True, "line", "implementer")
    assert not sealed_tests(place.ledger)[0].counts(0)


def test_what_cannot_be_opened_or_read_is_said(place: Place, tmp_path: Path) -> None:
    place.seal()
    place.ask("Build it.")
    for shelf in (place.ledger.workspace / "objects").iterdir():
        for item in shelf.iterdir():
            item.unlink()
    assert audit(place.ledger, place.store).unread == (place.ledger.head().seq,)
    place.state.rename(tmp_path / "gone")
    (trail,) = audit(place.ledger, place.store).tests
    assert trail.opened is None and trail.why is not None and "is not here" in trail.why


def test_a_sealed_test_that_lies_in_the_work_tree_is_found(place: Place) -> None:
    place.seal()
    target = place.tree / PATH
    target.parent.mkdir(parents=True)
    target.write_text("another test of that name")
    assert audit(place.ledger, place.store, tree=place.tree).tests[0].lies is None
    target.write_text(BODY)
    assert audit(place.ledger, place.store, tree=place.tree).tests[0].lies == PATH


def test_a_store_that_was_changed_reveals_nothing(place: Place) -> None:
    place.seal()
    (sealed,) = sealed_tests(place.ledger)
    body = place.store._path(sealed.files[0].content)
    body.write_bytes(body.read_bytes() + b"\n")
    with pytest.raises(Corrupt, match="is not what was sealed"):
        reveal(place.ledger, place.store, sealed, HUMAN)
    assert "heldout.revealed" not in place.types()
    body.write_bytes(body.read_bytes()[:-1])
    body.chmod(0o644)
    with pytest.raises(Refused, match="read by others"):
        reveal(place.ledger, place.store, sealed, HUMAN)
    body.unlink()
    with pytest.raises(Environment, match="is not here"):
        reveal(place.ledger, place.store, sealed, HUMAN)


def test_revealed_tests_are_those_that_were_sealed(place: Place) -> None:
    done = place.seal()
    sealed = named(place.ledger, done.answer)
    event, tests = reveal(place.ledger, place.store, sealed, HUMAN)
    assert [(test.path, test.body.decode(), test.argv) for test in tests] == [(PATH, BODY, ("python", PATH))]
    again = named(place.ledger, str(sealed.seq))
    assert again.revealed == event and not again.counts(0)
    assert reveal(place.ledger, place.store, again, HUMAN)[0] == event
    assert open_sealed(place.ledger, place.store, again) == tests
    data = next(json.loads(bytes(e.data)) for e in place.ledger.entries() if e.type == "heldout.revealed")
    (opened,) = data["files"]
    salt, part = bytes.fromhex(opened["salt"]), sealed.files[0]
    assert commitment(salt, "content", place.ledger.objects.get(opened["content"])) == part.content
    assert commitment(salt, "path", opened["path"].encode()) == part.path


def test_a_test_with_a_secret_in_it_stays_sealed(place: Place) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 3 + "a1B2c3"
    place.seal(held_out(file(content=f"TOKEN = '{token}'\n")))
    with pytest.raises(Refused, match="holds a secret"):
        reveal(place.ledger, place.store, sealed_tests(place.ledger)[0], HUMAN)
    assert token.encode() not in everything_under(place.tree)


@pytest.mark.parametrize("name", ["1", "EVT-00000000000000000000", "x"])
def test_what_names_no_sealed_tests_is_said(place: Place, name: str) -> None:
    with pytest.raises(Usage, match="no sealed tests"):
        named(place.ledger, name)


@pytest.mark.parametrize(
    "role", ["coder", "developer", "agent", "Implementer 2", "reviewer", "extractor", "tester's friend"]
)
def test_whoever_need_not_know_sealed_tests_is_shown_none(place: Place, role: str) -> None:
    place.seal()
    guard = leak_guard(place.ledger, place.store)
    with pytest.raises(Refused):
        guard(*place.asking(TELLING, role=role, root="acceptance"))
    for knowing in ("test-writer", "Test_Writer-2", "held-out author", "test reviewer"):
        guard(*place.asking(TELLING, role=knowing, root="acceptance"))


@pytest.mark.parametrize("root", ["attempt_report", "proposal", "blocked", "question"])
def test_an_implementer_stays_one_whatever_it_calls_itself(place: Place, root: str) -> None:
    place.seal()
    with pytest.raises(Refused):
        leak_guard(place.ledger, place.store)(*place.asking(TELLING, role="test-writer", root=root))
    place.ask(TELLING, role="test-writer", root=root)
    place.ask(TELLING, role="coder", root="acceptance")
    leaks = audit(place.ledger, place.store).tests[0].leaks
    assert [(leak.sent, leak.role) for leak in leaks] == [
        (False, "test-writer"), (True, "test-writer"), (True, "coder"),
    ]  # fmt: skip


def test_commitments_are_known_even_where_the_test_is_not(place: Place, tmp_path: Path) -> None:
    place.seal()
    part = sealed_tests(place.ledger)[0].files[0]
    place.state.rename(tmp_path / "gone")
    for mark in part.marks:
        with pytest.raises(Refused, match="the hash of test 0"):
            leak_guard(place.ledger, place.store)(*place.asking(f"what is {mark.upper()}?"))
    place.ask(part.content)
    assert [leak.how for leak in audit(place.ledger, None).tests[0].leaks if leak.sent] == ["hash"]


def test_what_was_shown_before_it_was_sealed_is_a_leak(place: Place) -> None:
    place.ask(BODY)
    place.seal()
    burn(place.ledger, audit(place.ledger, place.store))
    assert not sealed_tests(place.ledger)[0].counts(0)


SHORT = "def test_a():\n    a = one()\n\n    b = two(a)\n    c = a + b\n    d = c - 1\n    assert d\n"


def test_short_lines_tell_of_a_test_together(place: Place) -> None:
    place.seal(held_out(file("t.py", SHORT)))
    guard = leak_guard(place.ledger, place.store)
    lines = SHORT.splitlines()
    guard(*place.asking("\n".join(lines[:5])))  # four and a blank one
    for text in (
        SHORT,
        "\n".join(f"{n}| {line}" for n, line in enumerate(lines)),
        SHORT.replace("\n", "\n+"),
    ):
        with pytest.raises(Refused, match="a line of test 0"):
            guard(*place.asking(text))


def test_short_lines_that_all_can_read_tell_nothing(place: Place) -> None:
    (place.tree / "shown.py").write_text("x = 1\n" + SHORT)
    place.seal(held_out(file("t.py", SHORT + "    assert c\n")))
    guard = leak_guard(place.ledger, place.store)
    guard(*place.asking(SHORT))
    with pytest.raises(Refused):
        guard(*place.asking(SHORT + "    assert c\n"))


def test_a_name_that_all_can_read_names_no_sealed_test(place: Place) -> None:
    (place.tree / "test_discount.py").write_text("x = 1\n")
    place.seal()
    guard = leak_guard(place.ledger, place.store)
    guard(*place.asking("Edit test_discount.py, please."))
    with pytest.raises(Refused):
        guard(*place.asking(PATH.upper()))


def test_only_a_person_reveals_and_the_event_names_them(place: Place) -> None:
    place.seal()
    (sealed,) = sealed_tests(place.ledger)
    for actor in (Actor("agent", "coder"), Actor("helper", "t2c"), Actor("host_adapter", "ci")):
        with pytest.raises(Refused, match="revealed by a person") as refused:
            reveal(place.ledger, place.store, sealed, actor)
        assert refused.value.code == 3 and "human:" not in str(refused.value.remedy)
    assert "heldout.revealed" not in place.types()
    noted = [json.loads(bytes(e.data)) for e in place.ledger.entries() if e.type == "refusal.noted"]
    assert [one["requested_by"] for one in noted] == ["agent:coder", "helper:t2c", "host_adapter:ci"]
    reveal(place.ledger, place.store, sealed, HUMAN)
    (entry,) = [e for e in place.ledger.entries() if e.type == "heldout.revealed"]
    assert json.loads(bytes(entry.data))["requested_by"] == "human:ada"


def test_many_paths_and_encodings_cost_no_more() -> None:
    secrets = Secrets([Secret("EVT-0", 0, PATH, BODY.encode())])
    for text in (
        "a/" * 100_000,
        "ab" * 100_000,
        "x" * 200_000,
        "../" * 70_000,
        "%41" * 60_000,
        "1 | " * 50_000,
        "+\n" * 90_000,
    ):
        assert secrets.signs(text) == []


def test_what_was_revealed_or_burned_is_no_secret_again(place: Place) -> None:
    done = place.seal()
    with pytest.raises(Refused):
        leak_guard(place.ledger, place.store)(*place.asking(TELLING))
    again = held_out(file("tests/other.py"), file("tests/third.py", BODY.replace("    ", "\t") + "\n\n"))
    with pytest.raises(Refused, match=r"files\[0\] is no secret: it is a test that was shown") as refused:
        place.seal(again)
    assert done.sealed in str(refused.value.where) and "other.py" not in str(refused.value)
    fresh = place.seal(held_out(file("tests/b.py", "assert the_quite_other_thing(3) == 12\n")))
    reveal(place.ledger, place.store, named(place.ledger, fresh.sealed), HUMAN)
    with pytest.raises(Refused, match="was revealed"):
        place.seal(held_out(file("tests/c.py", "assert the_quite_other_thing(3)  == 12")))
    assert len(sealed_tests(place.ledger)) == 2
    place.seal(held_out(file("tests/c.py", "assert the_quite_other_thing(3) == 13\n")))


@pytest.mark.parametrize(
    "path", ["shop.py", "src", ".GIT/hooks/pre-commit", "x/.T2c/test_a.py", "a/" * 101 + "b", "x" * 256]
)
def test_a_test_takes_the_place_of_nothing_else(place: Place, path: str) -> None:
    (place.tree / "shop.py").write_text("x = 1\n")
    (place.tree / "src").mkdir()
    (place.tree / "test_shop.py").write_text("x = 1\n")
    with pytest.raises(Usage, match=r"files\[0\]\.path"):
        place.seal(held_out(file(path)))
    place.seal(held_out(file("test_shop.py")))


def test_a_test_of_which_nothing_can_be_found_is_told(place: Place) -> None:
    (place.tree / "shown.py").write_text("assert everybody_knows_this(1) == 2\n")
    tests = ("assert a == 1\n", "assert everybody_knows_this(1) == 2\n", SHORT, BODY)
    done = place.seal(held_out(*(file(f"tests/t{n}.py", body) for n, body in enumerate(tests))))
    assert done.unfindable == (0,)  # the second is a copy, which excuses nothing


_DEFINES = "import sys; sys.path.insert(0, '.')\nfrom shop import total\n\ndef test_a():\n    assert total([1]) == 1\n"


@pytest.mark.parametrize(
    ("body", "argv", "idle"),
    [
        (_DEFINES, ["python3", "tests/t.py"], True),
        ("\"\"\"Held out.\"\"\"\nclass TestA:\n    def test_a(self):\n        assert 0\n", ["python3.12", "tests/t.py"], True),
        (_DEFINES, ["python3", "-m", "pytest", "tests/t.py"], False),
        (_DEFINES, ["pytest", "tests/t.py"], False),
        (_DEFINES + "\ntest_a()\n", ["python3", "tests/t.py"], False),
        (_DEFINES + "\nif __name__ == '__main__':\n    unittest.main()\n", ["python3", "tests/t.py"], False),
        ("from shop import total\nassert total([1]) == 1\n", ["python3", "tests/t.py"], False),
    ],
)  # fmt: skip
def test_a_file_that_starts_none_of_its_tests_is_told(body: str, argv: list[str], idle: bool) -> None:
    test = OpenTest("EVT-0", 0, "tests/t.py", body.encode(), tuple(argv), b"", frozenset())
    assert starts_nothing(test) is idle
