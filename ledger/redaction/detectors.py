"""What secrets look like: one row a format, found by a literal first and by a pattern only where that stands.

A row that fires on a text that holds no secret costs somebody a statement that cannot be had back, so each pattern is
as narrow as its format. Every repetition is bounded or followed by what it cannot hold, so none can backtrack far.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple

from t2c.ledger.redaction.entropy import placeholder, random_looking
from t2c.ledger.redaction.prefilter import nothing_in

__all__ = ["KINDS", "Detector", "folded", "holds_a_secret", "matches", "suspects"]


class Detector(NamedTuple):
    """One format. `literal` stands in every secret of it, and `pattern` has to match where the literal begins.

    `kind` stands in the marker; `stands` has the last word on a match; `secret` is the group that is masked, 0 for
    all of it. With `folded` the literal is looked for in any case.
    """

    kind: str
    literal: str
    pattern: str
    stands: Callable[[re.Match[str]], bool]
    secret: int = 0
    flags: re.RegexFlag = re.ASCII
    folded: bool = False


def _given(match: re.Match[str]) -> bool:
    return not placeholder(match[0])


def _numbered(match: re.Match[str]) -> bool:
    return not placeholder(match[0]) and sum(char.isdigit() for char in match[0]) >= 6


def _random(match: re.Match[str]) -> bool:
    return random_looking(match[0])


def _random_part(match: re.Match[str]) -> bool:
    return random_looking(match[1])


def _is_jwt(match: re.Match[str]) -> bool:
    """True if the first part decodes to a JSON object that names an algorithm."""
    import binascii
    from base64 import urlsafe_b64decode

    import orjson

    header = match[0].partition(".")[0]
    try:
        decoded = orjson.loads(urlsafe_b64decode(header + "=" * (-len(header) % 4)))
    except (binascii.Error, orjson.JSONDecodeError, ValueError):
        return False
    return isinstance(decoded, dict) and "alg" in decoded


_PEM_LINE: Final = re.compile(r"[A-Za-z0-9+/=]{30}")


def _is_pem(match: re.Match[str]) -> bool:
    """True if it holds a line of a key; documents write only the first and the last line."""
    return _PEM_LINE.search(match[0]) is not None


_NO_PASSWORDS: Final = frozenset(
    {
        "admin", "changeit", "changeme", "credentials", "foo", "bar", "guest", "key", "pass", "passphrase",
        "passwd", "password", "postgres", "pw", "pwd", "pass123", "root", "secret", "test", "token", "user",
        "username", "x-oauth-basic", "oauth2", "userpass", "mypassword", "mypass",
    }
)  # fmt: skip


def _is_password(match: re.Match[str]) -> bool:
    user, password = match[1], match[2]
    return not (
        password.lower() in _NO_PASSWORDS
        or password == user
        or user.endswith("[redacted")
        or (password.isdigit() and len(password) <= 5)
        or placeholder(password)
        or (password[0] in "[:" or password[-1] in "]}")
    )


def _is_basic(match: re.Match[str]) -> bool:
    """True if it decodes to `user:password`."""
    import binascii
    from base64 import b64decode

    text = match[1]
    try:
        _, colon, password = b64decode(text + "=" * (-len(text) % 4)).partition(b":")
    except (binascii.Error, ValueError):
        return False
    return bool(colon and password) and password.lower().decode("latin-1") not in _NO_PASSWORDS


_HASH_NAMES: Final = re.compile(
    r"hash|sha[0-9]{0,3}|digest|commit|revision|checksum|fingerprint|integrity|public", re.IGNORECASE
)
_HASH: Final = re.compile(r"[0-9a-fA-F]{40}(?:[0-9a-fA-F]{24})?\Z")
_PATH_OF_NAMES: Final = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+\Z")
_BESIDE: Final = 60
"""Characters before a name in which a word can say that its value is a hash."""


def _is_assigned(match: re.Match[str]) -> bool:
    """True if the value of something that is named as a secret looks drawn, and is no name, call or hash."""
    text, name, quote, value = match.string, match["name"], match["quote"], match["value"]
    keyword_end = match.end("word")
    follows = text[keyword_end : keyword_end + 1]
    if follows.islower() and text[keyword_end - 1].islower() and follows != "s":
        return False  # `tokenizer` and `secretary` name no secret
    after = text[match.end("value") : match.end("value") + 1]
    if not quote and (after in ("(", "[") or _PATH_OF_NAMES.match(value)):
        return False
    if _HASH.match(value):
        start = match.start()
        around = text[max(0, start - _BESIDE) : start].rpartition("\n")[2] + name
        if _HASH_NAMES.search(around):
            return False
    elif _HASH_NAMES.search(name):
        return False
    return random_looking(value)


_ASSIGNED: Final = r"""
    (?P<name>
        (?P<word> secret | token | passw(?:or)?d | passphrase | credentials?
            | (?: (?<=api)|(?<=api[_-])|(?<=access)|(?<=access[_-])|(?<=private)|(?<=private[_-])
                |(?<=encryption[_-])|(?<=signing[_-])|(?<=auth)|(?<=auth[_-]) ) key
        )
        [A-Za-z0-9_-]{0,30}+
    )
    [\\"'\]]{0,4}+
    (?: \s{0,2}:\s{0,2}[A-Za-z_][\w.]{0,30}+ (?=\s{0,2}=) )?
    \s{0,3}+ (?: :=|=>|==?|: ) \s{0,3}+
    (?P<quote>[bru]{0,2}\\?["'`])?
    (?P<value> (?: (?(quote)[^\s"'`\\<>]|[A-Za-z0-9_+/=.~!@\#^*?:$%-]) ){16,4096}+ )
"""

_PEM: Final = r"""
    -----BEGIN\ [A-Z0-9\ ]{0,40}PRIVATE\ KEY(?:\ BLOCK)?-----
    (?:
        (?: [A-Za-z0-9+/=\s,"'>|\#*:.\\] | -(?!----) ){0,16384}+
        -----END\ [A-Z0-9\ ]{0,40}PRIVATE\ KEY(?:\ BLOCK)?-----
    |
        (?: (?: [\s,"'+>|\#*] | \\[nr] ){0,40}+ [A-Za-z0-9+/=]{16,}+ )++
    )
"""

_URL: Final = r"://([^\s/@:\"'<>`]{0,100}+):([^\s/@\"'<>`]{1,200}+)@"
_URL_USER: Final = r"://([^\s/@:\"'<>`]{16,200}+)(?::[^\s/@\"'<>`]{0,40}+)?@"
_JWT: Final = r"eyJ(?<![\w-]eyJ)[\w-]{7,4096}+(?:\.[\w-]{0,65536}+){2,4}"
_BASIC: Final = r"asic\x20{1,3}+([A-Za-z0-9+/_-]{8,1024}+={0,2})"
_BEARER: Final = r"earer\x20{1,3}+([A-Za-z0-9._~+/=-]{16,4096}+)"
_STRIPE: Final = r".k_(?:live|test)_(?<!\w.{8})[A-Za-z0-9]{16,255}+"
_SLACK: Final = r"xox[abeoprs]-(?<!\w.{5})[A-Za-z0-9-]{10,255}+"
_GITHUB: Final = r"gh._(?<!\w....)[A-Za-z0-9]{30,255}+"
_HUGGINGFACE: Final = r"hf_(?<!\w...)[A-Za-z0-9]{30,64}+(?!\w)"
_GOOGLE: Final = r"ya29\.(?<!\w.{5})[\w-]{20,1024}+"
_SENDGRID: Final = r"SG\.(?<!\w...)[\w-]{16,32}+\.[\w-]{16,64}+"
_AWS: Final = r"A[KS]IA(?<!\w.{4})[A-Z2-7]{16}(?![A-Za-z0-9])"

_ROWS: Final[tuple[tuple[str, tuple[tuple[str, tuple[Detector, ...]], ...]], ...]] = (
    (
        "-",
        (
            ("-BEGIN ", (Detector("private_key", "-----BEGIN ", _PEM, _is_pem, flags=re.VERBOSE),)),
            (
                "sk-",
                (
                    Detector("openrouter_key", "sk-or-v1-", r"sk-or-v1-(?<!\w.{9})[0-9a-f]{40,80}+", _given),
                    Detector("anthropic_key", "sk-ant-", r"sk-ant-(?<!\w.{7})[\w-]{20,256}+", _random),
                    Detector("openai_key", "sk-", r"sk-(?<![\w-]...)[\w-]{20,256}+", _random),
                ),
            ),
            ("xox", (Detector("slack_token", "xox", _SLACK, _numbered),)),
            ("glpat-", (Detector("gitlab_token", "glpat-", r"glpat-(?<!\w.{6})[\w.-]{20,255}+", _given),)),
            ("pypi-A", (Detector("pypi_token", "pypi-AgEI", r"pypi-AgEI[\w-]{50,1024}+", _given),)),
        ),
    ),
    (
        "_",
        (
            ("gh", tuple(Detector("github_token", f"gh{one}_", _GITHUB, _given) for one in "opsur")),
            (
                "_pat_",
                (Detector("github_token", "github_pat_", r"github_pat_(?<!\w.{11})\w{40,255}+", _given),),
            ),
            ("npm_", (Detector("npm_token", "npm_", r"npm_(?<!\w....)[A-Za-z0-9]{36}(?!\w)", _given),)),
            ("hf_", (Detector("huggingface_token", "hf_", _HUGGINGFACE, _given),)),
            ("_live_", tuple(Detector("stripe_key", f"{one}k_live_", _STRIPE, _given) for one in "rs")),
            ("_test_", tuple(Detector("stripe_key", f"{one}k_test_", _STRIPE, _given) for one in "rs")),
        ),
    ),
    ("J", (("eyJ", (Detector("jwt", "eyJ", _JWT, _is_jwt),)),)),
    (
        "I",
        (
            ("KIA", (Detector("aws_access_key_id", "AKIA", _AWS, _given),)),
            ("SIA", (Detector("aws_access_key_id", "ASIA", _AWS, _given),)),
            ("AIz", (Detector("google_api_key", "AIza", r"AIza(?<!\w....)[\w-]{35}(?![\w-])", _given),)),
        ),
    ),
    ("9", (("ya29.", (Detector("google_oauth_token", "ya29.", _GOOGLE, _random),)),)),
    ("G", (("SG.", (Detector("sendgrid_key", "SG.", _SENDGRID, _given),)),)),
    (
        "@",
        (
            (
                "://",
                (
                    Detector("url_password", "://", _URL, _is_password, 2, re.NOFLAG),
                    Detector("url_password", "://", _URL_USER, _random_part, 1, re.NOFLAG),
                ),
            ),
        ),
    ),
)
"""A character that a group needs, a literal that some of it need, and those: most texts have few of either."""

_HEADERS: Final = (
    Detector("authorization", "earer ", _BEARER, _random_part, 1),
    Detector("authorization", "asic ", _BASIC, _is_basic, 1),
)
_ASSIGNMENTS: Final = tuple(
    Detector(
        "assigned_secret",
        word,
        _ASSIGNED,
        _is_assigned,
        4,
        re.ASCII | re.IGNORECASE | re.VERBOSE,
        folded=True,
    )
    for word in ("secret", "token", "passw", "passphrase", "credential", "key")
)


KINDS: Final = tuple(
    sorted(
        {row.kind for _, needles in _ROWS for _, rows in needles for row in rows}
        | {row.kind for row in (*_HEADERS, *_ASSIGNMENTS)}
    )
)
"""Every kind of secret that is told by its looks."""


def suspects(text: str) -> list[Detector]:
    """The detectors whose literals stand in the text, in the order in which they are to be tried."""
    if nothing_in(text):
        return []
    found: list[Detector] = []
    for char, needles in _ROWS:
        if char in text:
            for needle, rows in needles:
                if needle in text:
                    found += [row for row in rows if row.literal in text]
    found += [row for row in _HEADERS if row.literal in text]
    if ":" in text or "=" in text:
        lowered = text.lower()
        found += [row for row in _ASSIGNMENTS if row.literal in lowered]
    return found


def folded(text: str) -> str:
    """The text in small letters, each where it stood: one letter has a small form of another length."""
    return text.replace("\u0130", "i").lower()


def matches(detector: Detector, text: str, small: str) -> Iterator[re.Match[str]]:
    """Where a detector finds a secret, in order and apart from each other; `small` is the text folded."""
    pattern, literal = compiled(detector.pattern, detector.flags), detector.literal
    within = small if detector.folded else text
    at = within.find(literal)
    while at >= 0:
        match = pattern.match(text, at)
        if match is not None and detector.stands(match):
            yield match
            at = match.end()
        else:
            at += len(literal)
        at = within.find(literal, at)


@cache
def compiled(pattern: str, flags: re.RegexFlag) -> re.Pattern[str]:
    """A pattern, compiled when it is first needed, which most commands never do."""
    return re.compile(pattern, flags)


_NAME: Final = re.compile(
    r"(?:api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d|passphrase|credentials?|private[_-]?key"
    r"|encryption[_-]?key|signing[_-]?key|auth[_-]?key)s?(?![a-z])",
    re.IGNORECASE,
)


def holds_a_secret(name: str, value: str) -> bool:
    """True if a member of this name with this value is a secret, as an assignment of it would be."""
    return (
        _NAME.search(name) is not None
        and not _HASH_NAMES.search(name)
        and random_looking(value)
        and not re.search(r"\s", value)
    )
