"""That the implementer never saw a sealed test: looked at before each prompt goes out, and by whoever audits later.

(answers §5.1)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from t2c.ledger.answers.history import decoded, events
from t2c.ledger.answers.readable import readable_paths
from t2c.ledger.answers.sealed_store import SealedStore
from t2c.ledger.answers.sealing import (
    OpenTest,
    Sealed,
    open_sealed,
    open_test,
    sealed_tests,
    secret,
    unopened,
)
from t2c.ledger.answers.showing import How, Secrets, Sign
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt, Environment, Refused, T2cError, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.intake.base import Progress, no_progress
from t2c.ledger.journal.position import Position
from t2c.ledger.kernel.paths import confine
from t2c.ledger.llm.asking import Asking, Guard
from t2c.ledger.llm.base import Shown

__all__ = [
    "IMPLEMENTER",
    "Audit",
    "Leak",
    "Trail",
    "audit",
    "burn",
    "leak_guard",
    "lying_about",
    "must_not_know",
]

IMPLEMENTER: Final = "implementer"
"""The role that must see no sealed test; every other that need not know them is taken for it."""
_KNOWING: Final = frozenset({"test-writer", "test-author", "held-out-author", "test-reviewer"})
_OF_IMPLEMENTERS: Final = frozenset({"attempt_report", "proposal", "blocked", "question"})
"""What nobody but an implementer answers, whatever it calls itself."""
_APART: Final = re.compile(r"[\s_-]+")
_NUMBERED: Final = re.compile(r"-?[0-9]+$")
_SEALINGS: Final = frozenset({"heldout.sealed", "heldout.leaked", "heldout.revealed"})


def _is(role: str, wanted: str) -> bool:
    """True if it is the role, in whatever case, or one of several that bear its name."""
    found, wanted = role.strip().casefold(), wanted.strip().casefold()
    return found == wanted or (found.startswith(wanted) and not found[len(wanted)].isalpha())


def must_not_know(role: str, schema: str) -> bool:
    """True unless the role is one of the few that must know sealed tests, and asks for no answer of an implementer."""
    name = _NUMBERED.sub("", _APART.sub("-", role.strip().casefold()))
    return name not in _KNOWING or schema in _OF_IMPLEMENTERS


def _looked_at(data: Mapping[str, Any], role: str) -> bool:
    """True if a recorded request, or a leak, is one to the role; what must not know is the implementer."""
    if _is(role, IMPLEMENTER):
        return must_not_know(data["role"], data.get("schema_name", ""))
    return _is(data["role"], role)


def leak_guard(ledger: Ledger, store: SealedStore) -> Guard:
    """A guard that lets no request to whoever need not know go out that shows something of a sealed test.

    What it stops is recorded as `heldout.leaked`, not sent: the test is burned all the same, since whoever made the
    prompt had it at hand. It raises Refused then. A test whose bytes do not lie in this user's state folder can only be
    looked for after it is revealed; see `audit`.
    """
    return _Guard(ledger, store)


class _Guard:
    def __init__(self, ledger: Ledger, store: SealedStore) -> None:
        self._ledger = ledger
        self._store = store
        self._after: Position | None = None
        self._tests: dict[str, Sealed] = {}
        self._secrets = Secrets(())
        self._told: set[tuple[Sign, str]] = set()

    def __call__(self, asking: Asking[Any], body: bytes) -> None:
        if not must_not_know(asking.role, asking.shape.name):
            return
        self._refresh()
        signs = self._secrets.signs(body.decode("utf-8", "replace"), asking.brief.items)
        if not signs:
            return
        request = sha256(body).hexdigest()
        self._note([sign for sign in signs if (sign, request) not in self._told], request, asking.role)
        self._told.update((sign, request) for sign in signs)
        first = signs[0]
        many = len({(sign.sealed, sign.file) for sign in signs})
        raise Refused(
            f"the prompt to the {asking.role} shows {'a sealed test' if many == 1 else f'{many} sealed tests'}: "
            f"{_WORDS[first.how]} of test {first.file}",
            where=f"sealed by {first.sealed}",
            safe="nothing was sent; the leak is recorded, and passes of the test count for nothing from here on",
            remedy="leave out what shows it, and seal new tests in its place",
        )

    def _refresh(self) -> None:
        """Take account of what was sealed, or revealed, since the last request."""
        head = self._ledger.head()
        fresh = any(entry.type in _SEALINGS for entry in self._ledger.entries(self._after, head.seq))
        self._after = head
        if not fresh:
            return
        secrets = []
        for one in sealed_tests(self._ledger):
            if one.revealed is None:
                for file in range(len(one.files)):
                    try:
                        secrets.append(secret(one, open_test(self._store, one, file)))
                    except (Environment, Corrupt):
                        secrets.append(unopened(one, file))
        self._secrets = Secrets(secrets, readable_paths(self._ledger.workspace.parent) if secrets else ())

    def _note(self, signs: Iterable[Sign], request: str, role: str) -> None:
        from t2c.ledger.events.heldout import HeldoutLeaked

        drafts = [
            draft(
                HeldoutLeaked(
                    sealed=sign.sealed, file=sign.file, how=sign.how, role=role, request=request, sent=False
                ),
                cause=(sign.sealed,),
            )
            for sign in signs
        ]
        if drafts:
            self._ledger.append(drafts)


_WORDS: Final = {"hash": "the hash", "path": "the path", "line": "a line"}


class Leak(NamedTuple):
    """A request that shows a test: the seq of its `llm.asked`, and what shows it; `sent` is false for one that the guard
    stopped, which `seq` then names by its `heldout.leaked`. `request` is the SHA-256 of its bytes."""

    seq: int
    how: How
    sent: bool
    request: str
    role: str


class Trail(NamedTuple):
    """What is known of one sealed test: `since` when it exists, `until` when it was secret, and where it was shown.

    `opened` says where its bytes were had from: the ledger after it was revealed, or the store; None if neither has
    them, and then nothing is proven. `lies` is where in the work tree it can be read.
    """

    sealed: str
    file: int
    since: int
    until: int
    about: str | None
    scenarios: tuple[str, ...]
    path: str | None
    opened: str | None
    why: str | None
    leaks: tuple[Leak, ...]
    lies: str | None


class Audit(NamedTuple):
    """All sealed tests beside all requests of a role up to event `seq`.

    `requests` were read; `unread` are the seqs of those whose bytes are not here any more, and are proven nothing of.
    """

    role: str
    seq: int
    requests: int
    unread: tuple[int, ...]
    tests: tuple[Trail, ...]


def audit(
    ledger: Ledger,
    store: SealedStore | None,
    *,
    role: str = IMPLEMENTER,
    tree: Path | None = None,
    progress: Progress = no_progress,
) -> Audit:
    """Look for every sealed test in every recorded request to a role, from the first one on until it was revealed.

    What was shown before it was sealed was shown too. The implementer is whoever need not know sealed tests.

    Once tests are revealed it needs the ledger alone. Each test is looked at, whoever cannot be opened is said so.
    """
    head = ledger.head()
    sealings = sealed_tests(ledger)
    opened: dict[tuple[str, int], OpenTest] = {}
    failed: dict[str, str] = {}
    for one in sealings:
        try:
            found = _opened(ledger, store, one)
        except T2cError as error:
            failed[one.event] = error.what
        else:
            opened |= {(test.sealed, test.file): test for test in found}
    secrets = [
        secret(one, test) if (test := opened.get((one.event, file))) is not None else unopened(one, file)
        for one in sealings
        for file in range(len(one.files))
    ]
    taken = readable_paths(tree) if tree is not None and secrets else ()
    shown, requests, unread = _shown(ledger, Secrets(secrets, taken), role, progress)
    stopped = _stopped(ledger, role)
    trails = []
    for one in sealings:
        for file, part in enumerate(one.files):
            test = opened.get((one.event, file))
            key = one.event, file
            until = head.seq if one.until is None else one.until
            trails.append(
                Trail(
                    one.event,
                    file,
                    one.seq,
                    until,
                    one.about,
                    part.scenarios,
                    None if test is None else test.path,
                    None if test is None else "ledger" if one.revealed is not None else "store",
                    failed.get(one.event),
                    tuple(
                        sorted(
                            leak
                            for leak in (*shown.get(key, ()), *stopped.get(key, ()))
                            if leak.seq < until or one.until is None
                        )
                    ),
                    lying_about(tree, test)
                    if test is not None and tree is not None and one.until is None
                    else None,
                )
            )
    return Audit(role, head.seq, requests, tuple(unread), tuple(trails))


def burn(ledger: Ledger, found: Audit) -> None:
    """Record the leaks of an audit that no guard had seen: passes of those tests count for nothing from here on."""
    from t2c.ledger.events.heldout import HeldoutLeaked

    known = {
        (data["sealed"], data["file"], data["request"])
        for entry in events(ledger, "heldout.leaked")
        if (data := decoded(entry))["sent"]
    }
    drafts = []
    for trail in found.tests:
        for leak in trail.leaks:
            key = trail.sealed, trail.file, leak.request
            if leak.sent and key not in known:
                known.add(key)
                payload = HeldoutLeaked(
                    sealed=trail.sealed,
                    file=trail.file,
                    how=leak.how,
                    role=leak.role,
                    request=leak.request,
                    sent=True,
                )
                drafts.append(draft(payload, cause=(trail.sealed,)))
    if drafts:
        ledger.append(drafts)


def _opened(ledger: Ledger, store: SealedStore | None, one: Sealed) -> list[OpenTest]:
    if store is None and one.revealed is None:
        raise Environment("it is not revealed, and there is no state folder")
    assert store is not None or one.revealed is not None
    return open_sealed(ledger, store, one)  # type: ignore[arg-type]


def lying_about(tree: Path, test: OpenTest) -> str | None:
    """The path of a test where the work tree holds it with this content, so that whoever works there can read it."""
    try:
        place = confine(tree, test.path)
        return test.path if place.is_file() and place.read_bytes() == test.body else None
    except (Usage, OSError):
        return None


_Found = dict[tuple[str, int], list[Leak]]


def _shown(ledger: Ledger, secrets: Secrets, role: str, progress: Progress) -> tuple[_Found, int, list[int]]:
    found: _Found = {}
    requests, unread = 0, []
    for entry in events(ledger, "llm.asked"):
        data = decoded(entry)
        if not _looked_at(data, role):
            continue
        requests += 1
        progress("requests", requests, None)
        try:
            body = ledger.objects.get(data["request"]).decode("utf-8", "replace")
            items = _manifest(ledger.objects.get(data["manifest"]))
        except (T2cError, ValueError):
            unread.append(entry.seq)
            continue
        for sign in secrets.signs(body, items):
            found.setdefault((sign.sealed, sign.file), []).append(
                Leak(entry.seq, sign.how, True, data["request"], data["role"])
            )
    return found, requests, unread


def _manifest(content: bytes) -> list[Shown]:
    return [Shown(str(item["id"]), str(item["digest"])) for item in orjson.loads(content)["items"]]


def _stopped(ledger: Ledger, role: str) -> _Found:
    """Leaks that the guard kept from being sent."""
    found: _Found = {}
    for entry in events(ledger, "heldout.leaked"):
        data = decoded(entry)
        if not data["sent"] and (_is(role, IMPLEMENTER) or _is(data["role"], role)):
            found.setdefault((data["sealed"], data["file"]), []).append(
                Leak(entry.seq, data["how"], False, data["request"], data["role"])
            )
    return found
