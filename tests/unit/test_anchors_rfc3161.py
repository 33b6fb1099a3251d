"""Time-stamp tokens from a real authority: openssl behind an HTTP server of this process, with a CA of its own."""

from __future__ import annotations

import hashlib
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.anchors import rfc3161, tokens
from t2c.ledger.anchors.found import Found
from t2c.ledger.errors import Conflict, Corrupt, Environment, Usage
from t2c.ledger.journal.note import Checkpoint, origin_of

LEDGER = "a" * 32


def checkpoint(size: int, ledger: str = LEDGER) -> Checkpoint:
    return Checkpoint(origin_of(ledger), size, hashlib.sha256(b"%d" % size).digest())


def test_the_request_is_the_one_that_openssl_makes(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.write_text(checkpoint(5).body())
    made = subprocess.run(
        ["openssl", "ts", "-query", "-data", str(data), "-sha256", "-cert", "-no_nonce"],
        check=True,
        capture_output=True,
    ).stdout
    assert rfc3161.request(checkpoint(5)) == made


def test_a_token_proves_its_checkpoint_and_tells_the_time(authority: Any) -> None:
    token = rfc3161.fetch(authority.url, rfc3161.request(checkpoint(5)))
    stamp = rfc3161.verify(token, checkpoint(5), authority.ca)
    assert stamp.proven
    assert stamp.time.startswith("20")
    assert stamp.time.endswith("Z")
    assert stamp.authority is not None
    assert "Test TSA" in stamp.authority
    assert authority.asked == [("/", "application/timestamp-query")]


def test_without_a_certificate_it_is_a_claim(authority: Any) -> None:
    token = authority.stamp(checkpoint(5))
    assert not rfc3161.verify(token, checkpoint(5)).proven


def test_a_token_for_something_else_proves_nothing(authority: Any) -> None:
    token = authority.stamp(checkpoint(5))
    for ca in (None, authority.ca):
        with pytest.raises(Corrupt, match="something else"):
            rfc3161.verify(token, checkpoint(6), ca)


def test_a_stranger_vouches_for_nothing(authority: Any, new_authority: Callable[[str], Any]) -> None:
    stranger = new_authority("stranger")
    token = stranger.stamp(checkpoint(5))
    assert rfc3161.verify(token, checkpoint(5), stranger.ca).proven
    with pytest.raises(Corrupt, match=r"do not vouch for it \(.*certificate"):
        rfc3161.verify(token, checkpoint(5), authority.ca)


def test_a_changed_token_proves_nothing(authority: Any) -> None:
    token = authority.stamp(checkpoint(5))
    for at in (20, len(token) // 2, len(token) - 1):
        broken = bytes([*token[:at], token[at] ^ 1, *token[at + 1 :]])
        with pytest.raises(Corrupt):
            rfc3161.verify(broken, checkpoint(5), authority.ca)
    for broken in (b"", b"hello", token[:100]):
        with pytest.raises(Corrupt, match="no time-stamp response"):
            rfc3161.verify(broken, checkpoint(5), authority.ca)


def test_a_token_outlives_the_certificate_that_made_it(new_authority: Callable[..., Any]) -> None:
    short = new_authority("short", seconds=3)
    path = tokens.keep(short.folder, checkpoint(5), short.stamp(checkpoint(5)))
    by_hand = [
        "openssl",
        "ts",
        "-verify",
        "-data",
        path.with_suffix(".stamped"),
        "-in",
        path,
        "-CAfile",
        short.ca,
    ]
    for _ in range(40):
        if subprocess.run(by_hand, check=False, capture_output=True).returncode != 0:
            break
        time.sleep(0.25)
    else:
        pytest.fail("the certificate does not end")
    assert rfc3161.verify(path.read_bytes(), checkpoint(5), short.ca).proven


def test_a_refusal_is_said_in_the_authoritys_words(authority: Any) -> None:
    wrong = rfc3161.request(checkpoint(5)).replace(
        bytes.fromhex("0609608648016503040201"), bytes.fromhex("0609608648016503040209")
    )
    token = rfc3161.fetch(authority.url, wrong)
    with pytest.raises(Corrupt, match=r"the authority refused: .*algorithm"):
        rfc3161.verify(token, checkpoint(5), authority.ca)


def test_no_such_certificate_file(authority: Any, tmp_path: Path) -> None:
    token = authority.stamp(checkpoint(5))
    with pytest.raises(Usage, match="no file of trusted certificates"):
        rfc3161.verify(token, checkpoint(5), tmp_path / "none.pem")


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/error", "HTTP status 503"),
        ("/moved", "HTTP status 302, /"),
        ("/page", "text/html"),
        ("/endless", "longer than"),
        ("/cut", "peer closed|incomplete"),
    ],
)
def test_an_authority_that_does_not_answer_right(authority: Any, path: str, why: str) -> None:
    with pytest.raises(Environment, match=why) as caught:
        rfc3161.fetch(authority.url + path.removeprefix("/"), rfc3161.request(checkpoint(5)))
    assert caught.value.safe
    assert caught.value.remedy


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1/", "ftp://127.0.0.1/", "nonsense", "http://[", "http://\x00/"]
)
def test_an_address_where_nobody_is(url: str) -> None:
    with pytest.raises(Environment, match="gave no token"):
        rfc3161.fetch(url, b"")


def test_openssl_alone_checks_what_is_kept(authority: Any, tmp_path: Path) -> None:
    folder = tmp_path / "checkpoints"
    path = tokens.keep(folder, checkpoint(42), authority.stamp(checkpoint(42)))
    assert path == folder / "000000000042.tsr"
    done = subprocess.run(
        [
            "openssl",
            "ts",
            "-verify",
            "-data",
            path.with_suffix(".stamped"),
            "-in",
            path,
            "-CAfile",
            authority.ca,
        ],
        check=False,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr


def test_what_is_kept_is_found_again(authority: Any, tmp_path: Path) -> None:
    assert tokens.kept(tmp_path, checkpoint(5)) is None
    tokens.keep(tmp_path, checkpoint(5), authority.stamp(checkpoint(5)))
    token = tokens.kept(tmp_path, checkpoint(5))
    assert token is not None
    assert token.text == checkpoint(5).body()
    other = checkpoint(5)._replace(root=b"\x00" * 32)
    with pytest.raises(Conflict, match="another checkpoint of 5 events"):
        tokens.kept(tmp_path, other)


def test_tokens_are_anchors_as_strong_as_what_vouches_for_them(authority: Any, tmp_path: Path) -> None:
    assert tokens.read(tmp_path / "none", LEDGER) == Found((), ())
    for size in (20, 7):
        tokens.keep(tmp_path, checkpoint(size), authority.stamp(checkpoint(size)))
    tokens.keep(tmp_path, checkpoint(8, "b" * 32), authority.stamp(checkpoint(8, "b" * 32)))
    anchors, remarks = tokens.read(tmp_path, LEDGER, authority.ca)[:2]
    assert [(anchor.checkpoint.size, anchor.strength) for anchor in anchors] == [
        (7, "witness"),
        (20, "witness"),
    ]
    assert [(remark.reason, remark.number) for remark in remarks] == [("other_ledger", 1)]
    anchors, remarks = tokens.read(tmp_path, LEDGER)[:2]
    assert [(anchor.checkpoint.size, anchor.strength) for anchor in anchors] == [
        (7, "beside"),
        (20, "beside"),
    ]
    assert [remark.reason for remark in remarks] == ["other_ledger", "authority_unknown"]


def test_tokens_that_prove_nothing_are_named_and_hide_no_other(authority: Any, tmp_path: Path) -> None:
    for size in (5, 6, 7, 8, 9):
        tokens.keep(tmp_path, checkpoint(size), authority.stamp(checkpoint(size)))
    (tmp_path / "000000000005.tsr").write_bytes(b"junk")
    (tmp_path / "000000000006.stamped").unlink()
    (tmp_path / "000000000007.stamped").write_text("junk")
    (tmp_path / "000000000008.stamped").write_text(checkpoint(80).body())
    (tmp_path / "notes.tsr").write_text("not ours")
    anchors, remarks = tokens.read(tmp_path, LEDGER, authority.ca)[:2]
    assert [anchor.checkpoint.size for anchor in anchors] == [9]
    assert [remark.detail[:16] for remark in remarks] == [f"{size:012d}.tsr" for size in (5, 6, 7, 8)]
    with pytest.raises(Usage):
        tokens.read(tmp_path, LEDGER, tmp_path / "none.pem")


def test_no_openssl_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Environment, match="`openssl` was not found"):
        rfc3161.verify(b"", checkpoint(5))


def test_certificates_of_the_ledgers_own_make_no_witness(authority: Any, tmp_path: Path) -> None:
    tokens.keep(tmp_path, checkpoint(5), authority.stamp(checkpoint(5)))
    found = tokens.read(tmp_path, LEDGER, authority.ca, own=True)
    assert [anchor.strength for anchor in found.anchors] == ["beside"]
    assert "this repository's own" in found.doubts[0]
    (anchor,) = tokens.read(tmp_path, LEDGER, authority.ca).anchors
    assert anchor.strength == "witness"
