"""Time-stamp tokens of RFC 3161: an authority signs that a checkpoint existed at an instant (journal-engine §5).

The request is the SHA-256 of the checkpoint's text without its signatures, so that a signature added later does
not make the token worthless. It holds no nonce: a nonce keeps an old answer from being taken for a new one, and an
old answer about the same checkpoint only proves that it existed even earlier.

What was stamped and its token are kept side by side, so that `openssl` alone can check them:

    openssl ts -verify -data <size>.stamped -in <size>.tsr -CAfile ca.pem

Tokens are read and proven by the program `openssl`, in its own words; nothing here parses signatures
(docs/adr/0005).
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.anchors.base import Anchor
from t2c.ledger.anchors.found import Found, Remark
from t2c.ledger.errors import Conflict, Corrupt, Environment, Usage
from t2c.ledger.journal.files import make_folder, write_atomically
from t2c.ledger.journal.note import MAX_NOTE, Checkpoint, parse_checkpoint

__all__ = ["Stamp", "Token", "fetch", "keep", "kept", "read", "request", "verify"]

_REQUEST: Final = bytes.fromhex("30390201013031300d060960864801650304020105000420")
"""TimeStampReq: version 1, imprint by SHA-256; the digest follows, and then that the certificates are wanted."""
_WITH_CERTIFICATES: Final = b"\x01\x01\xff"

_LARGEST: Final = 1 << 20
_CONNECT, _WAIT = 10.0, 30.0
_OPENSSL_SECONDS: Final = 30

_STATUS: Final = re.compile(r"^Status: (.+?)\.?$", re.MULTILINE)
_REFUSAL: Final = re.compile(r"^(?:Status description|Failure info): (?!unspecified)(.+)$", re.MULTILINE)
_HASH: Final = re.compile(r"^Hash Algorithm: (\S+)$", re.MULTILINE)
_DUMP: Final = re.compile(r"^ +[0-9a-f]{4} - ((?:[0-9a-f]{2}[ -]){1,16})", re.MULTILINE)
_TIME: Final = re.compile(
    r"^Time stamp: ([A-Z][a-z]{2}) +([0-9]{1,2}) ([0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]+)? ([0-9]{4}) GMT$",
    re.MULTILINE,
)
_AUTHORITY: Final = re.compile(r"^TSA: (.+)$", re.MULTILINE)
_REASON: Final = re.compile(r"[Ee]rror:(?:[^\n]*:)?([^:\n]*[a-z][^:\n]*)$", re.MULTILINE)
_NAME: Final = re.compile(r"([0-9]{12,16})\.tsr\Z")


class Stamp(NamedTuple):
    """What a token says. `time` is RFC 3339 in UTC to the second, `authority` the name in it, if any.

    `proven` is True if a certificate that was given vouches for it; else all of it is a claim.
    """

    time: str
    authority: str | None
    proven: bool


class Token(NamedTuple):
    """A token that is kept: its file, its bytes and the text that it is for."""

    path: Path
    content: bytes
    text: str


def request(checkpoint: Checkpoint) -> bytes:
    """The DER bytes of a request to stamp a checkpoint; the same for the same checkpoint."""
    return _REQUEST + sha256(checkpoint.body().encode()).digest() + _WITH_CERTIFICATES


def fetch(url: str, asked: bytes) -> bytes:
    """The answer of a time-stamp authority to a request (RFC 3161 §3.4). Raises Environment if there is none.

    Redirections are not followed: who stamps is for the user to say.
    """
    import httpx

    headers = {"Content-Type": "application/timestamp-query", "Accept": "application/timestamp-reply"}
    try:
        with (
            httpx.Client(timeout=httpx.Timeout(_WAIT, connect=_CONNECT), follow_redirects=False) as client,
            client.stream("POST", url, content=asked, headers=headers) as response,
        ):
            if response.status_code != 200:
                to = response.headers.get("location")
                raise _no_answer(
                    url, f"it answered with HTTP status {response.status_code}" + (f", {to}" if to else "")
                )
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/timestamp-reply":
                raise _no_answer(
                    url, f"its answer is {kind or 'of no type'}, not application/timestamp-reply"
                )
            content = b""
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > _LARGEST:
                    raise _no_answer(url, f"its answer is longer than {_LARGEST:,} bytes")
            return content
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise _no_answer(url, str(error) or type(error).__name__) from error


def _no_answer(url: str, why: str) -> Environment:
    return Environment(
        f"the time-stamp authority gave no token: {why}",
        where=url,
        safe="the journal and its checkpoints",
        remedy="check the address and the network, then anchor again",
    )


def verify(token: bytes, checkpoint: Checkpoint, ca: Path | None = None) -> Stamp:
    """Check that a token was granted and is for this checkpoint, and with `ca` also who signed it.

    `ca` is a file of trusted certificates in PEM. They are judged as of the time in the token, since tokens
    outlive the certificates that made them. Raises Corrupt if the token does not prove the checkpoint, Usage if
    `ca` is no file, Environment without the program `openssl`.
    """
    _readable(ca)
    said = _openssl(["ts", "-reply", "-text"], token=token)
    text = said.stdout.decode("utf-8", "backslashreplace")
    status = _STATUS.search(text)
    if said.returncode != 0 or status is None:
        raise _worthless("it is no time-stamp response")
    if status[1] not in ("Granted", "Granted with modifications"):
        why = "; ".join(_REFUSAL.findall(text)) or status[1]
        raise _worthless(f"the authority refused: {why}")
    time, algorithm = _time(text), _HASH.search(text)
    if time is None or algorithm is None:
        raise _worthless("it holds no time stamp")
    body = checkpoint.body().encode()
    imprint = "".join(_DUMP.findall(text)).replace(" ", "").replace("-", "")
    if algorithm[1].lower() != "sha256" or imprint != sha256(body).hexdigest():
        raise _worthless("it stamps something else")
    if ca is not None:
        _prove(token, body, ca, time)
    named = _AUTHORITY.search(text)
    authority = None if named is None or named[1] == "unspecified" else named[1]
    return Stamp(time.isoformat().replace("+00:00", "Z"), authority, ca is not None)


def _readable(ca: Path | None) -> None:
    if ca is not None and not ca.is_file():
        raise Usage("there is no file of trusted certificates", where=str(ca), remedy="name one in PEM")


def _time(text: str) -> datetime | None:
    found = _TIME.search(text)
    if found is None:
        return None
    try:
        return datetime.strptime(f"{found[1]} {found[2]} {found[3]} {found[5]}", "%b %d %H:%M:%S %Y").replace(
            tzinfo=UTC
        )
    except ValueError:
        return None


def _prove(token: bytes, body: bytes, ca: Path, time: datetime) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "stamped"
        data.write_bytes(body)
        at = str(int(time.timestamp()))
        done = _openssl(["ts", "-verify", "-data", str(data), "-CAfile", str(ca), "-attime", at], token=token)
    if done.returncode != 0:
        why = _REASON.findall(done.stderr.decode("utf-8", "replace"))
        raise _worthless(
            f"the certificates in {ca.name} do not vouch for it ({(why or ['no reason given'])[-1]})"
        )


def _worthless(why: str) -> Corrupt:
    return Corrupt(
        f"a time-stamp token does not prove the checkpoint: {why}",
        safe="the journal and its checkpoints",
        remedy="ask the authority for a token again, or check with `openssl ts -verify`",
    )


def _openssl(arguments: list[str], *, token: bytes) -> subprocess.CompletedProcess[bytes]:
    with tempfile.NamedTemporaryFile() as file:
        file.write(token)
        file.flush()
        try:
            return subprocess.run(
                ["openssl", *arguments, "-in", file.name],
                check=False,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_OPENSSL_SECONDS,
            )
        except FileNotFoundError:
            raise Environment(
                "the program `openssl` was not found",
                safe="the journal and its checkpoints",
                remedy="install OpenSSL, or put it on the PATH",
            ) from None
        except subprocess.TimeoutExpired:
            raise Environment(
                f"`openssl ts` did not end within {_OPENSSL_SECONDS} seconds",
                safe="the journal and its checkpoints",
            ) from None


def kept(folder: Path, checkpoint: Checkpoint) -> Token | None:
    """The token that is kept for a checkpoint, None if there is none.

    Raises Conflict if one for another checkpoint of the same size is: the journal is not what it was then.
    """
    path, beside = _files(folder, checkpoint.size)
    token = _token(path, beside)
    if token is None:
        return None
    if token.text != checkpoint.body():
        raise Conflict(
            f"a token for another checkpoint of {checkpoint.size:,} events is kept: the journal is not the one of then",
            where=str(path),
            safe="the token that is kept",
            remedy="run `t2c ledger verify --anchor rfc3161`",
        )
    return token


def keep(folder: Path, checkpoint: Checkpoint, token: bytes) -> Path:
    """Keep a token and what it stamps as `<size>.tsr` and `<size>.stamped` (12 digits); returns the token's file.

    Raises Environment if they cannot be written.
    """
    path, beside = _files(folder, checkpoint.size)
    try:
        make_folder(folder)
        write_atomically(beside, checkpoint.body().encode())
        write_atomically(path, token)
    except OSError as error:
        raise Environment(
            f"the token could not be kept: {error.strerror}",
            where=str(path),
            safe="the journal and its checkpoints",
            remedy="make room or the folder writable, then anchor again",
        ) from error
    return path


def read(folder: Path, ledger: str, ca: Path | None = None) -> Found:
    """The anchors of a ledger among the tokens in a folder, the smallest first.

    Without `ca` a token is worth what a file beside the journal is. One that proves nothing is named in remarks.
    """
    anchors: list[Anchor] = []
    remarks: list[Remark] = []
    others = 0
    _readable(ca)
    for token in _tokens(folder, remarks):
        try:
            checkpoint = parse_checkpoint(token.text).checkpoint
            stamp = verify(token.content, checkpoint, ca)
        except (Usage, Corrupt) as error:
            remarks.append(Remark("unproven_token", 1, f"{token.path.name}: {error.what}"))
            continue
        if checkpoint.ledger != ledger:
            others += 1
            continue
        source = f"time stamp of {stamp.time} ({token.path.name})"
        anchors.append(Anchor(source, checkpoint, token.text, "witness" if stamp.proven else "beside"))
    if others:
        remarks.append(Remark("other_ledger", others, "tokens for the checkpoints of another ledger"))
    if anchors and ca is None:
        remarks.append(
            Remark(
                "authority_unknown",
                len(anchors),
                "who signed the time stamps was not checked: no certificate was given",
            )
        )
    return Found(tuple(sorted(anchors, key=lambda anchor: anchor.checkpoint.size)), tuple(remarks))


def _files(folder: Path, size: int) -> tuple[Path, Path]:
    return folder / f"{size:012d}.tsr", folder / f"{size:012d}.stamped"


def _token(path: Path, beside: Path) -> Token | None:
    try:
        with path.open("rb") as stream:
            content = stream.read(_LARGEST + 1)
        with beside.open("rb") as stream:
            text = stream.read(MAX_NOTE + 1).decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Environment(f"a token cannot be read: {error.strerror}", where=str(error.filename)) from error
    return Token(path, content, text)


def _tokens(folder: Path, remarks: list[Remark]) -> Iterator[Token]:
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if _NAME.match(path.name):
            token = _token(path, path.with_suffix(".stamped"))
            if token is None:
                remarks.append(Remark("unproven_token", 1, f"{path.name}: what it stamps is not beside it"))
            else:
                yield token
