"""Claims: values of the environment that are named as secrets are known, and nothing else is; they are shown nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from t2c.cli.settings import load
from t2c.ledger.redaction.known import secret_values

VALUE = "s3cr3t-value"


@pytest.mark.parametrize(
    "name",
    [
        "API_KEY",
        "github_token",
        "MY_SECRET_2",
        "DB_PASSWORD",
        "PASSWD",
        "AWS_CREDENTIALS",
        "SSH_KEY_PASSPHRASE",
    ],
)
def test_a_name_that_says_so_makes_a_value_known(name: str) -> None:
    assert secret_values({name: VALUE}) == (VALUE,)


@pytest.mark.parametrize("name", ["HOME", "PATH", "GPG_KEY", "KEYBOARD_LAYOUT", "SSH_PUBLIC_KEY", "USER"])
def test_other_names_do_not(name: str) -> None:
    assert secret_values({name: VALUE}) == ()


@pytest.mark.parametrize(
    "value",
    ["", "short12", "disabled", "keyboard layout", "/run/secrets/api_key", "~/.config/token.json", "12345678",
     "https://login.example.org/token", "2026-01-05", "C:\\keys\\a1.pem"],
)  # fmt: skip
def test_plain_words_numbers_paths_and_addresses_are_not_known(value: str) -> None:
    assert secret_values({"API_KEY": value}) == ()


def test_an_address_that_holds_a_password_is_known() -> None:
    address = "postgres://app:hunter2@db/x"
    assert secret_values({"DATABASE_CREDENTIAL": address, "OTHER_TOKEN": f" {VALUE}\n"}) == (address, VALUE)


def test_settings_hold_them_and_show_them_nowhere(tmp_path: Path) -> None:
    settings = load(tmp_path, {"API_KEY": VALUE})
    assert settings.secrets == (VALUE,)
    assert VALUE not in repr(settings) + str(settings.secrets)
    assert "1 hidden" in repr(settings)
