"""A known secret is found in whatever common form it stands, and what only looks a little like it is left alone."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.redaction.funnel import KNOWN, Funnel, marker

RUN = sha256(b"a key of nobody").hexdigest()
KEY = f"sk-or-v1-{RUN}"
WORD = "correct horse/battery?staple"
TOKEN = "Zk3Qw8Lm2Xc9Vb4Nn7"
MASK = marker(KNOWN)
FUNNEL = Funnel((KEY, WORD, TOKEN), detect=False)


def escaped(value: str, form: str) -> str:
    return "".join(form % ord(char) for char in value)


FORMS = {
    "as it is": KEY,
    "the run alone": RUN,
    "half of the run": RUN[32:],
    "in capitals": RUN.upper(),
    "in lines": f"{RUN[:20]}\n{RUN[20:40]}\r\n    {RUN[40:]}",
    "in two words": f"{RUN[:30]} and {RUN[30:]}",
    "joined in code": f'"{RUN[:25]}" + "{RUN[25:]}"',
    "a line end that JSON escapes": f"{RUN[:32]}\\n{RUN[32:]}",
    "JSON, all": escaped(KEY, "\\u%04x"),
    "JSON, capitals": escaped(KEY, "\\u%04X"),
    "JSON, some": KEY[:20] + escaped(KEY[20:23], "\\u%04x") + KEY[23:],
    "JSON, every third": "".join(escaped(c, "\\u%04x") if at % 3 == 0 else c for at, c in enumerate(KEY)),
    "JSON within JSON": json.dumps(escaped(KEY, "\\u%04x"))[1:-1],
    "Python": escaped(KEY, "\\x%02x"),
    "URL, all": escaped(KEY, "%%%02X"),
    "URL, small": escaped(KEY, "%%%02x"),
    "URL, some": KEY.replace("-", "%2D"),
    "HTML": escaped(KEY, "&#x%02x;"),
    "base64": b64encode(KEY.encode()).decode(),
    "hexadecimal": RUN.encode().hex(),
    "a short one": TOKEN,
    "a short one over two lines": TOKEN[:9] + "\n" + TOKEN[9:],
    "a phrase": WORD,
    "a phrase in a URL": "correct%20horse%2Fbattery%3Fstaple",
    "a phrase escaped in part": "correct\\u0020horse/battery\\u003fstaple",
    "a phrase in base64": b64encode(WORD.encode()).decode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_known_secret_is_masked_in_each_form(form: str) -> None:
    text = f'before "{FORMS[form]}" behind'
    masked = FUNNEL.mask(text).text
    assert MASK in masked and masked.startswith('before "') and masked.endswith('" behind')
    for value in (KEY, WORD, TOKEN):
        left = masked.replace(MASK, "").lower()
        assert not any(value[at : at + 8].lower() in left for at in range(len(value) - 7))
    assert FUNNEL.mask(masked).text == masked and not FUNNEL.clean(text)


@pytest.mark.parametrize("before", range(5))
def test_base64_is_found_wherever_it_begins(before: int) -> None:
    plain = b"x" * before + KEY.encode() + b"and more"
    for encoded in (b64encode(plain).decode(), urlsafe_b64encode(plain).decode()):
        assert len(FUNNEL.mask(encoded).text) < len(MASK) + before * 2 + 30


@pytest.mark.parametrize(
    "text",
    [
        RUN[:15],
        f"{RUN[:8]} and so on",
        sha256(b"another").hexdigest(),
        "correct horse",
        "100%25 of \\u0041\\u0042 and &#x41;",
        TOKEN.lower(),
        f"{RUN[:8]}{RUN[20:24]}",
    ],
)
def test_what_only_begins_like_it_stays(text: str) -> None:
    assert FUNNEL.mask(text).text == text


def test_words_that_are_joined_are_no_secret_by_themselves() -> None:
    known = Funnel(("my-production_databasepassword2024!",), detect=False)
    assert known.mask("databasepassword2024").text == "databasepassword2024"
    assert known.mask("is my-production_databasepassword2024!").text == f"is {MASK}"


def test_each_that_stands_is_counted() -> None:
    assert FUNNEL.mask(f"{KEY}, {RUN}; {escaped(KEY, chr(92) + 'u%04x')} {WORD}").findings == {KNOWN: 4}


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_any_mixture_of_escapes_hides_nothing(data: st.DataObject) -> None:
    ways = data.draw(
        st.lists(st.sampled_from(["%s", "\\u", "%", "\\x"]), min_size=len(KEY), max_size=len(KEY))
    )
    shown = {"\\u": "\\u%04x", "%": "%%%02X", "\\x": "\\x%02x"}
    text = "".join(c if way == "%s" else escaped(c, shown[way]) for c, way in zip(KEY, ways, strict=True))
    assert FUNNEL.mask(f"a {text} b").text == f"a {MASK} b"


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 63), st.sampled_from(["\n", " ", "\\n", '",\n"', " and "]))
def test_long_parts_are_found_wherever_it_is_broken(at: int, gap: str) -> None:
    assert FUNNEL.mask(f"a {RUN[:at]}{gap}{RUN[at:]} b").text == f"a {MASK} b"


def test_many_beginnings_of_a_secret_are_looked_through_in_time_with_their_number() -> None:
    text = (RUN[:8] + " " + RUN[-8:] + "\\u0041%41 ") * 20_000
    assert FUNNEL.mask(text).text == text
