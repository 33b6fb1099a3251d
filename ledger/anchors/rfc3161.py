"""Time-stamp tokens of RFC 3161: an authority signs that a checkpoint existed at an instant (journal-engine §5).

The request is the SHA-256 of the checkpoint's text without its signatures, so that a signature added later does
not make the token worthless. It holds no nonce: a nonce keeps an old answer from being taken for a new one, and an
old answer about the same checkpoint only proves that it existed even earlier.

Tokens are read and proven by the program `openssl`, in its own words; nothing here parses signatures
(docs/adr/0005).
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.errors import Corrupt, Environment, Usage
from t2c.ledger.journal.note import Checkpoint

__all__ = ["LARGEST", "Stamp", "fetch", "request", "trusted", "verify"]

_REQUEST: Final = bytes.fromhex("30390201013031300d060960864801650304020105000420")
"""TimeStampReq: version 1, imprint by SHA-256; the digest follows, and then that the certificates are wanted."""
_WITH_CERTIFICATES: Final = b"\x01\x01\xff"

LARGEST: Final = 1 << 20
"""Bytes of a token."""
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


class Stamp(NamedTuple):
    """What a token says. `time` is RFC 3339 in UTC to the second, `authority` the name in it, if any.

    `proven` is True if a certificate that was given vouches for it; else all of it is a claim.
    """

    time: str
    authority: str | None
    proven: bool


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
                if len(content) > LARGEST:
                    raise _no_answer(url, f"its answer is longer than {LARGEST:,} bytes")
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
    trusted(ca)
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


def trusted(ca: Path | None) -> None:
    """Raises Usage if there is no such file of certificates."""
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
