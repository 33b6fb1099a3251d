"""Fixtures shared by tests of several kinds: a journal on disk, written event by event."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import t2c
from t2c.ledger.engine import Ledger, create
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.evidence import Relation, RelationLinked, Signal
from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.journal.chain import seal
from t2c.ledger.journal.note import Checkpoint
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.kernel.actor import SCANNER, Actor, Trust
from t2c.ledger.kernel.canon import canonical
from t2c.ledger.kernel.clock import rfc3339
from t2c.ledger.kernel.digests import ZERO
from t2c.ledger.kernel.ids import relation_id

# Whoever starts the tests in the background may have Ctrl-C ignored, which every child would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci")

Noted = CATALOGUE.payload("observation.noted")
_FIRST_TS = datetime(2026, 1, 5, 10, 0, tzinfo=UTC)


class ChainedJournal:
    """A journal file with a right chain, one second between events; payloads are not checked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seq = 0
        self.head = ZERO
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        opened = {"ledger": "0" * 32, "format": 1, "hash": "sha-256", "tool": "t2c 0", "key": None}
        self.add("journal.opened", opened)

    @property
    def journal(self) -> JournalFile:
        return JournalFile(self.path)

    def add(
        self,
        type: str,
        data: Mapping[str, Any] | bytes,
        *,
        v: int = 1,
        run: str | None = None,
        actor: Actor = SCANNER,
        trust: Trust = "observed",
    ) -> int:
        """Append one event; `data` as bytes stands in the line as it is."""
        body = data if isinstance(data, bytes) else canonical(data)
        ts = rfc3339(_FIRST_TS + timedelta(seconds=self.seq))
        draft = EventDraft(type, v, body, actor, trust, run=run)
        sealed = seal(draft, seq=self.seq + 1, prev=self.head, ts=ts, cause=(), batch=None)
        with self.path.open("ab") as stream:
            stream.write(sealed.line + b"\n")
        self.seq, self.head = self.seq + 1, sealed.hash
        return self.seq

    def withheld(self, type: str, run: str | None = None) -> int:
        """Append an event whose payload lies elsewhere, behind its hash."""
        return self.add(type, b'null,"data_hash":"' + b"a" * 64 + b'"', run=run)

    def observe(self, source: str, path: str | None, *drafts: Draft, run: str | None = None) -> list[str]:
        """Append `record.observed` for statements read from one scope; returns the ids of their records."""
        reading = Reading(Scope(source, path), f"t2c/{source}@1", drafts)
        found = list(materialise(reading))
        for record in found:
            self.add("record.observed", b'{"record":' + record.body + b"}", run=run)
        return [record.id for record in found]

    def link(
        self,
        source: str,
        target: str,
        kind: str = "releases",
        *,
        confidence: float = 0.97,
        rule: str = "number",
    ) -> str:
        """Append `relation.linked`; returns the id of the relation."""
        identity = relation_id(source, target, kind)
        relation = Relation.model_validate(
            {
                "id": identity,
                "from": source,
                "to": target,
                "type": kind,
                "confidence": confidence,
                "basis": (rule,),
            }
        )
        linked = RelationLinked(relation=relation, rule=rule, signals=(Signal(name=rule, value="#12"),))
        self.add("relation.linked", linked.encode())
        return identity

    def todo(
        self,
        text: str,
        *,
        line: int = 1,
        done: bool = False,
        trail: tuple[str, ...] = (),
        path: str = "TODO.md",
    ) -> str:
        """Observe one TODO item."""
        return self.observe(
            "todo",
            path,
            Draft(
                kind="todo_item",
                text=text,
                object=text,
                action="add",
                cls="plan",
                status="completed" if done else "planned",
                confidence=0.9,
                basis=("markdown_checkbox",),
                trail=trail,
                lines=(line, line),
                modality="required",
            ),
        )[0]

    def entry(
        self, text: str, *, version: str = "1.0.0", date: str | None = "2026-01-04", line: int = 1
    ) -> str:
        """Observe one changelog entry."""
        return self.observe(
            "changelog",
            "CHANGELOG.md",
            Draft(
                kind="changelog_entry",
                text=text,
                object=text,
                action="fix",
                cls="claim",
                status="proposed" if version == "Unreleased" else "released",
                confidence=0.92,
                basis=("markdown_release_heading",),
                trail=(version, "Fixed"),
                lines=(line, line),
                subject=f"release:{version}",
                versions=(version,),
                metadata={"version": version, "releaseDate": date},
            ),
        )[0]

    def commit(
        self,
        revision: str,
        subject: str,
        *,
        at: str = "2026-01-03T12:00:00+01:00",
        parents: tuple[str, ...] = (),
        author: str = "Ada",
    ) -> str:
        """Observe one commit."""
        return self.observe(
            "git",
            None,
            Draft(
                kind="commit_intent_claim",
                text=subject,
                object=subject,
                action="fix",
                cls="claim",
                status="implemented",
                confidence=0.86,
                basis=("commit_message",),
                revision=revision,
                actor=author,
                observed_at=at,
                metadata={"parents": list(parents), "committedAt": at},
            ),
        )[0]

    def symbol(
        self,
        name: str,
        *,
        path: str = "src/app.py",
        line: int = 1,
        public: bool = True,
        kind: str = "function_fact",
        metadata: Mapping[str, Any] | None = None,
    ) -> str:
        """Observe one declaration in the code."""
        return self.observe(
            "ast",
            path,
            Draft(
                kind=kind,
                text=f"declare {name}",
                object=name,
                action="declare",
                cls="fact",
                status="implemented",
                confidence=1.0,
                basis=("syntax_tree",),
                lines=(line, line + 3),
                symbol=name,
                symbols=(name,),
                metadata={"public": public} if metadata is None else metadata,
            ),
        )[0]


_GENERATED_AT = re.compile(rb'("generatedAt": |As of )("?)[0-9TZ:.-]{24}("?)')


def _comparable(artifacts: Mapping[str, bytes | Iterable[bytes]]) -> dict[str, bytes]:
    whole = {name: body if isinstance(body, bytes) else b"".join(body) for name, body in artifacts.items()}
    return {
        name: _GENERATED_AT.sub(rb"\1\2\3", body) for name, body in whole.items() if name != "lineage.json"
    }


@pytest.fixture(scope="session")
def comparable() -> Callable[[Mapping[str, bytes | Iterable[bytes]]], dict[str, bytes]]:
    """Artifacts with `generatedAt` blanked, which is how those of two histories are compared (decisions A6).

    What became of ids that are gone (`lineage.json`) is history itself and set aside.
    """
    return _comparable


@pytest.fixture(scope="session")
def new_journal() -> Callable[[Path], ChainedJournal]:
    """Makes a journal at a path, with its genesis event."""
    return ChainedJournal


@pytest.fixture
def chain(tmp_path: Path) -> ChainedJournal:
    """A journal in a workspace of its own, with its genesis event."""
    return ChainedJournal(tmp_path / ".t2c" / "journal.ndjson")


class Oracle:
    """The journal's format once more, with json and hashlib alone: nothing of t2c's own is used here."""

    ZERO = "0" * 64

    def leaf(self, line: bytes) -> str:
        return hashlib.sha256(b"\x00" + line).hexdigest()

    def line(self, event: Mapping[str, Any]) -> bytes:
        return json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()

    def identity(self, event: Mapping[str, Any]) -> str:
        bare = {name: value for name, value in event.items() if name != "id"}
        return "EVT-" + hashlib.sha256(b"\x02" + self.line(bare)).hexdigest()[:20]

    def mint(self, events: Iterable[Mapping[str, Any]]) -> bytes:
        """A journal of these events, each with a new seq, prev and id: what a forger would write."""
        lines, prev = [], self.ZERO
        for seq, event in enumerate(events, 1):
            minted = {**event, "seq": seq, "prev": prev}
            minted["id"] = self.identity(minted)
            lines.append(self.line(minted))
            prev = self.leaf(lines[-1])
        return b"".join(line + b"\n" for line in lines)

    def root(self, leaves: Sequence[bytes]) -> bytes:
        """RFC 6962 §2.1, word for word."""
        if not leaves:
            return hashlib.sha256(b"").digest()
        if len(leaves) == 1:
            return leaves[0]
        split = 1
        while split * 2 < len(leaves):
            split *= 2
        return hashlib.sha256(b"\x01" + self.root(leaves[:split]) + self.root(leaves[split:])).digest()

    def check(self, path: Path) -> list[dict[str, Any]]:
        """All events of a journal, after every rule of the line format was asserted."""
        content = path.read_bytes()
        assert content.endswith(b"\n")
        events, prev = [], self.ZERO
        for seq, line in enumerate(content[:-1].split(b"\n"), 1):
            event: dict[str, Any] = json.loads(line)
            assert self.line(event) == line
            assert len(line) < 1 << 20
            assert (event["seq"], event["prev"]) == (seq, prev)
            assert event["id"] == self.identity(event)
            assert not events or events[-1]["ts"] <= event["ts"]
            assert all(event.get(name, True) for name in ("batch", "cause", "run", "key", "origin"))
            events.append(event)
            prev = self.leaf(line)
        return events


@pytest.fixture(scope="session")
def oracle() -> Oracle:
    """An independent reading of the journal's format."""
    return Oracle()


def _note(
    text: str,
    *,
    cause: tuple[str | int, ...] = (),
    key: str | None = None,
    run: str | None = None,
    actor: Actor = SCANNER,
) -> EventDraft:
    return draft(Noted(statement=text), actor=actor, cause=cause, key=key, run=run)


@pytest.fixture(scope="session")
def note() -> Callable[..., EventDraft]:
    """Makes a draft of an `observation.noted`."""
    return _note


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The folder of a new ledger."""
    folder = tmp_path / ".t2c"
    create(folder)
    return folder


@pytest.fixture
def ledger(workspace: Path) -> Iterator[Ledger]:
    """A new ledger, open with a held lock."""
    with Ledger(workspace, hold=True) as opened:
        yield opened


@pytest.fixture
def spawn() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts another Python with a script and arguments, its pipes as text; none outlives the test."""
    # The child must find the package where this process found it.
    env = {**os.environ, "PYTHONPATH": str(Path(t2c.__file__).parents[1])}
    children = contextlib.ExitStack()

    def start(script: str, *arguments: object) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [sys.executable, "-c", script, *map(str, arguments)],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        children.enter_context(child)
        children.callback(child.kill)
        return child

    with children:
        yield start


_AUTHORITY_SETTINGS = """
[req]
distinguished_name = dn
prompt = no
[dn]
CN = Test
[ca_ext]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
[tsa_ext]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
[tsa]
default_tsa = tsa1
[tsa1]
serial = serial
crypto_device = builtin
signer_cert = tsa.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
tsa_name = yes
"""


class Authority:
    """A time-stamp authority on 127.0.0.1: `openssl ts -reply` behind HTTP, with a CA of its own in `folder`.

    Besides the root of its address, which answers, there are paths that answer wrongly: `/error`, `/moved`,
    `/page`, `/endless`, `/cut`. `asked` holds (path, content type) of each request.
    """

    def __init__(self, folder: Path, seconds: int | None = None) -> None:
        self.folder = folder
        self.ca = folder / "ca.pem"
        self.asked: list[tuple[str, str | None]] = []
        folder.mkdir()
        (folder / "tsa.cnf").write_text(_AUTHORITY_SETTINGS)
        (folder / "serial").write_text("01\n")
        new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-config", "tsa.cnf")
        self._openssl(
            "req", "-x509", *new, "-keyout", "ca.key", "-out", "ca.pem", "-extensions", "ca_ext", "-subj", "/CN=CA",
            "-days", "100",
        )  # fmt: skip
        self._openssl("req", *new, "-keyout", "tsa.key", "-out", "tsa.csr", "-subj", "/CN=Test TSA")
        now = datetime.now(UTC)
        until = now + (timedelta(days=99) if seconds is None else timedelta(seconds=seconds))
        (folder / "index").touch()
        self._openssl(
            "ca", "-config", self._signer(), "-batch", "-notext", "-in", "tsa.csr", "-out", "tsa.pem",
            "-startdate", f"{now - timedelta(hours=1):%Y%m%d%H%M%SZ}", "-enddate", f"{until:%Y%m%d%H%M%SZ}",
        )  # fmt: skip
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def stamp(self, checkpoint: Checkpoint) -> bytes:
        """A token for a checkpoint, asked for by openssl and without HTTP."""
        (self.folder / "asked").write_text(checkpoint.body())
        self._openssl("ts", "-query", "-data", "asked", "-sha256", "-cert", "-no_nonce", "-out", "query")
        return self.reply((self.folder / "query").read_bytes())

    def reply(self, query: bytes) -> bytes:
        (self.folder / "query").write_bytes(query)
        self._openssl("ts", "-reply", "-queryfile", "query", "-config", "tsa.cnf", "-out", "reply")
        return (self.folder / "reply").read_bytes()

    def _openssl(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def _signer(self) -> str:
        text = (
            "[ca]\ndefault_ca=own\n[own]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ncertificate=ca.pem\n"
            "private_key=ca.key\ndefault_md=sha256\npolicy=any\nx509_extensions=tsa_ext\n[any]\ncommonName=supplied\n"
        )
        extension = _AUTHORITY_SETTINGS[
            _AUTHORITY_SETTINGS.index("[tsa_ext]") : _AUTHORITY_SETTINGS.index("[tsa]")
        ]
        (self.folder / "ca.cnf").write_text(text + extension)
        return "ca.cnf"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        authority = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                query = self.rfile.read(int(self.headers["Content-Length"]))
                authority.asked.append((self.path, self.headers["Content-Type"]))
                kind = "text/html" if self.path == "/page" else "application/timestamp-reply"
                body = authority.reply(query) if self.path == "/" else b"<p>"
                if self.path == "/endless":
                    body = b"x" * (3 << 20)
                self.send_response({"/error": 503, "/moved": 302}.get(self.path, 200))
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body) + (self.path == "/cut")))
                if self.path == "/moved":
                    self.send_header("Location", "/")
                self.end_headers()
                with contextlib.suppress(ConnectionError):
                    self.wfile.write(body)

            def log_message(self, *arguments: object) -> None:
                pass

        return Handler


@pytest.fixture
def new_authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Authority]]:
    """Makes a time-stamp authority by name; its certificate may last only some `seconds` from now."""
    with contextlib.ExitStack() as stack:

        def make(name: str, seconds: int | None = None) -> Authority:
            made = Authority(tmp_path_factory.mktemp("tsa") / name, seconds)
            stack.callback(made.close)
            return made

        yield make


@pytest.fixture
def authority(new_authority: Callable[..., Authority]) -> Authority:
    """A time-stamp authority."""
    return new_authority("authority")


class Signer:
    """An Ed25519 key that signs checkpoints as C2SP notes; the same seed gives the same key."""

    def __init__(self, ledger: str, seed: int = 7) -> None:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        self._private = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        self.origin = f"t2c/{ledger}"
        packed = b"\x01" + self._private.public_key().public_bytes_raw()
        self._id = hashlib.sha256(self.origin.encode() + b"\n" + packed).digest()[:4]
        self.vkey = f"{self.origin}+{self._id.hex()}+{base64.b64encode(packed).decode()}"

    def note(self, size: int, root: bytes) -> str:
        """A signed checkpoint."""
        body = f"{self.origin}\n{size}\n{base64.b64encode(root).decode()}\n"
        signature = base64.b64encode(self._id + self._private.sign(body.encode())).decode()
        return f"{body}\n— {self.origin} {signature}\n"


class Evidence:
    """A ledger with one of everything that a bundle may hold: `chain` in `workspace`, signed by `signer`."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.chain = chain = ChainedJournal(workspace / "journal.ndjson")
        self.signer = Signer("0" * 32)
        registered = {"key": "k1", "algorithm": "ed25519", "public": self.signer.vkey}
        chain.add("key.registered", {**registered, "participant": None, "expires": None})
        self.note("checked on staging")
        self.object = self.keep(b"gate output\n")
        self.absent = hashlib.sha256(b"never kept").hexdigest()
        self.note("the gate is green", objects=[self.absent, self.object])
        payload = b"s" * 32 + b'{"statement":"who it was"}'
        self.payload = hashlib.sha256(b"\x03" + payload).hexdigest()
        self.keep(payload, self.payload)
        self.gone = hashlib.sha256(b"\x03gone").hexdigest()
        for digest in (self.payload, self.gone):
            body = b'null,"data_hash":"%b"' % digest.encode()
            chain.add("observation.noted", body, trust="asserted")
        chain.add(
            "payload.redacted",
            {
                "event": "EVT-" + "0" * 20,
                "data_hash": self.gone,
                "reason": "a name",
                "requested_by": "human:local",
            },
        )
        chain.todo("write the guide")
        self.anchor = self.sign()
        note = {"size": chain.seq, "root": self.root().hex(), "key": self.signer.vkey, "note": self.anchor}
        chain.add("checkpoint.signed", note)
        self.note("Zażółć gęślą jaźń")
        self.head = self.sign()

    def note(self, statement: str, objects: Sequence[str] = ()) -> int:
        """Append an `observation.noted`."""
        data = {
            "statement": statement,
            "subject": None,
            "about": [],
            "objects": list(objects),
            "metadata": {},
        }
        return self.chain.add("observation.noted", data, trust="asserted")

    def keep(self, content: bytes, digest: str | None = None) -> str:
        """Put an object into the store."""
        name = digest or hashlib.sha256(content).hexdigest()
        path = self.workspace / "objects" / name[:2] / name[2:]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return name

    def root(self) -> bytes:
        """The Merkle root over all events so far, by the oracle."""
        oracle = Oracle()
        lines = self.chain.path.read_bytes().splitlines()
        return oracle.root([bytes.fromhex(oracle.leaf(line)) for line in lines])

    def sign(self) -> str:
        """Sign a checkpoint of the events so far and keep it beside the journal."""
        note = self.signer.note(self.chain.seq, self.root())
        kept = self.workspace / "checkpoints" / f"{self.chain.seq}.txt"
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(note)
        return note


@pytest.fixture
def evidence(tmp_path: Path) -> Evidence:
    """A ledger to export, in `repo/.t2c`."""
    return Evidence(tmp_path / "repo" / ".t2c")


@pytest.fixture(scope="session")
def new_evidence() -> Callable[[Path], Evidence]:
    """Makes such a ledger at a place."""
    return Evidence


def _provider_server() -> Any:
    """The module of the server: it stands beside the tests and is imported by none of them."""
    name = "t2c_provider_server"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / "provider" / "server.py")
        assert spec is not None and spec.loader is not None
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture
def provider() -> Iterator[Any]:
    """A provider of models on 127.0.0.1 over a real socket (tests/provider/server.py says what it can do)."""
    served = _provider_server().Provider()
    yield served
    served.stop()
