"""The files of governed intake: how they look, when one is still intake's own, and how they are put into the tree."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from t2c.ledger.apply.base import Wanted
from t2c.ledger.apply.engine import carry_out
from t2c.ledger.apply.files import announcement, look
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Environment, Refused
from t2c.ledger.intake.communication.extractor import CommunicationExtractor
from t2c.ledger.intake.communication.registry import Registry, read_registry
from t2c.ledger.intake.governed.files import Message, managed_of, registry_file, role_file, role_path, slug_of

MESSAGES = [Message(2, "Add the cache.\r\n\r\n---\n\nkey: value\n"), Message(5, "\n  - Remove it\n")]
ADA = {
    "id": "human:ada", "kind": "human", "displayName": "Ada L.", "governanceRole": "dev", "capabilities": [],
    "principals": [{"provider": "git", "subject": "Ada", "verifiedAt": "2026-01-05T09:00:00Z"}],
    "ticketIds": ["ticket-004"],
}  # fmt: skip


class Files:
    """A tree with one file."""

    def __init__(self, path: str, content: bytes) -> None:
        self.path, self.bytes = path, content

    def __contains__(self, path: str) -> bool:
        return path == self.path

    def named(self, name: str) -> tuple[str, ...]:
        return ()

    def content(self, path: str) -> bytes | None:
        return self.bytes if path == self.path else None


def test_the_file_of_a_person() -> None:
    body = b"# Participant: Ada L.\n\n## Message 2\n\nAdd it.\nNow.\n"
    head = (
        b"---\nparticipant-id: human:ada\nparticipant: Ada L.\nrole: dev\nticket: ticket-004\n"
        b"projection-managed: trusted-intake\nprojection-hash: %b\n---\n"
    )
    written = role_file("human:ada", "Ada L.", "dev", "ticket-004", [Message(2, "Add it.\r\nNow.\n\n")])
    assert written == head % sha256(body).hexdigest().encode() + body
    assert slug_of("human:ada.l") == "ada.l"
    assert role_path("project", "ticket-004", "dev", "human:ada") == "project/ticket-004/dev-ada.md"


def test_what_intake_wrote_is_its_own_until_somebody_changes_it() -> None:
    content = role_file("human:ada", "Ada L.", "dev", "ticket-004", MESSAGES)
    assert managed_of(content, "human:ada")
    assert managed_of(content)
    assert managed_of(content.replace(b"\n", b"\r\n"))
    assert not managed_of(content, "human:eve")
    assert not managed_of(content + b"More\n")
    assert not managed_of(content.replace(b"Remove", b"Retain"))
    assert not managed_of(content.replace(b"trusted-intake", b"me"))
    assert not managed_of(content.removeprefix(b"---\n"))
    assert not managed_of(b"")
    assert not managed_of(b"\xff")


def test_the_extractor_reads_what_intake_writes() -> None:
    registry = registry_file(3, [ADA])
    tree = Files("project/participants.v2.json", registry)
    found = read_registry("project", tree)
    assert isinstance(found, Registry)
    path = role_path("project", "ticket-004", "dev", "human:ada")
    content = role_file("human:ada", "Ada L.", "dev", "ticket-004", MESSAGES)
    reading = CommunicationExtractor().read(path, content, tree)
    assert reading.warnings == ()
    assert [draft.text for draft in reading.records] == ["Add the cache.", "key: value", "Remove it"]
    for draft in reading.records:
        assert draft.kind == "communication_message"
        assert draft.actor == draft.metadata["participantId"] == "human:ada"
        assert draft.metadata["identityResolved"] is True
        assert (draft.cls, draft.status) == ("declaration", "proposed")


def test_the_registry_is_in_order() -> None:
    content = registry_file(3, [{**ADA, "id": "human:zed"}, ADA]).decode()
    assert content.index("human:ada") < content.index("human:zed")
    assert content.endswith("}\n")


def carried(ledger: Ledger, root: Path, *wanted: Wanted) -> None:
    (announced,) = ledger.append([announcement("a test", wanted, ())])
    carry_out(ledger, root, wanted, announced, "a test")


def test_files_are_written_whole_with_their_folders_and_modes(ledger: Ledger, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    carried(ledger, root, Wanted("a/b/c.md", None, b"one\n"))
    assert (root / "a/b/c.md").read_bytes() == b"one\n"
    (root / "a/b/c.md").chmod(0o600)
    carried(ledger, root, Wanted("a/b/c.md", b"one\n", b"two\n"), Wanted("x.md", None, b"x"))
    assert look(root, "a/b/c.md") == b"two\n"
    assert (root / "a/b/c.md").stat().st_mode & 0o777 == 0o600
    carried(ledger, root, Wanted("x.md", b"x", None))
    assert look(root, "x.md") is None
    assert sorted(path.name for path in root.rglob("*")) == ["a", "b", "c.md"]


def test_what_changed_in_between_is_not_overwritten(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"theirs")
    with pytest.raises(Conflict):
        carried(ledger, tmp_path, Wanted("a.md", b"mine", b"new"))
    with pytest.raises(Conflict):
        carried(ledger, tmp_path, Wanted("a.md", None, b"new"))
    assert (tmp_path / "a.md").read_bytes() == b"theirs"


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/x", "a//b", "", "a/./b", "a\0b"])
def test_nothing_outside_the_root_is_looked_at(tmp_path: Path, path: str) -> None:
    with pytest.raises(Refused):
        look(tmp_path, path)


def test_nothing_behind_a_link_is_touched(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/x.md").write_bytes(b"x")
    (tmp_path / "folder").symlink_to("real")
    (tmp_path / "file.md").symlink_to("real/x.md")
    (tmp_path / "dangling.md").symlink_to("/nowhere")
    for path in ("folder/x.md", "file.md", "dangling.md", "folder/new.md"):
        with pytest.raises(Refused):
            look(tmp_path, path)
        with pytest.raises(Refused):
            carried(ledger, tmp_path, Wanted(path, None, b"new"))
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()
    for path in ("pipe.md", "folder.md"):
        with pytest.raises((Refused, Environment)):
            look(tmp_path, path)
    assert (tmp_path / "real/x.md").read_bytes() == b"x"


def test_what_is_announced_is_receipted_or_recorded_as_failed(ledger: Ledger, tmp_path: Path) -> None:
    carried(ledger, tmp_path, Wanted("a.md", None, b"one"))
    with pytest.raises(Conflict):
        carried(ledger, tmp_path, Wanted("a.md", None, b"two"))
    told = [(entry.type, entry.trust, bool(entry.cause)) for entry in ledger.entries()][1:]
    assert told == [
        ("apply.announced", "observed", False), ("apply.receipted", "observed", True),
        ("apply.announced", "observed", False), ("apply.failed", "observed", True),
    ]  # fmt: skip
