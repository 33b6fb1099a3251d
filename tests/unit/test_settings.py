"""Settings: the order of sources, their origins, and what is said of wrong ones."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from t2c.cli.actions.context import locate
from t2c.cli.present.progress import INTERVAL, PATIENCE, ProgressLine
from t2c.cli.present.style import Style, printable, wants_colour
from t2c.cli.settings import DEFAULTS, KEYS, Key, Terminal, debugging, load, terminal
from t2c.ledger.errors import Environment, Refused, Usage

OTHER = {
    "actor": ("agent:ci", '"agent:ci"', "agent:ci"),
    "durability": ("batch", '"batch"', "batch"),
    "color": ("never", '"never"', "never"),
    "debug": (True, "true", "yes"),
    "allow_network_filesystem": (True, "true", "1"),
    "scan.commits": (7, "7", "7"),
    "scan.read_generated": (True, "true", "yes"),
    "scan.embeddings": (True, "true", "yes"),
    "scan.processes": (3, "3", "3"),
    "scan.markers": (("TODO", "PERF"), '["TODO", "PERF"]', "TODO, PERF"),
    "scan.communication": ("team", '"team"', "team"),
    "scan.max_file_bytes": (8, "8", "8"),
    "scan.max_changelog_bytes": (9, "9", "9"),
    "scan.max_report_bytes": (10, "10", "10"),
    "redact.detect": (False, "false", "no"),
    "redact.allow": (("ghp_[a-z]+", "abc"), '["ghp_[a-z]+", "abc"]', "ghp_[a-z]+, abc"),
    "scan.exclude": (("*.min.js", "build/"), '["*.min.js", "build/"]', "*.min.js, build/"),
    "approval.separation": (False, "false", "no"),
    "approval.signature": (True, "true", "yes"),
    "approval.days": (30, "30", "30"),
    "anchor.every": (50, "50", "50"),
    "anchor.git": ("required", '"required"', "required"),
    "anchor.rfc3161": ("best-effort", "'best-effort'", "best-effort"),
    "anchor.rfc3161_url": ("https://tsa.example/", "'https://tsa.example/'", "https://tsa.example/"),
    "anchor.rfc3161_ca": ("tsa/ca.pem", "'tsa/ca.pem'", "tsa/ca.pem"),
    "llm.mode": ("replay", '"replay"', "replay"),
    "llm.base_url": ("http://127.0.0.1:8080/v1", '"http://127.0.0.1:8080/v1"', "http://127.0.0.1:8080/v1"),
    "llm.model": ("vendor/other", '"vendor/other"', "vendor/other"),
    "llm.natural_language_model": ("vendor/other", '"vendor/other"', "vendor/other"),
    "llm.markdown_model": ("vendor/other", '"vendor/other"', "vendor/other"),
    "llm.communication_model": ("vendor/other", '"vendor/other"', "vendor/other"),
    "llm.document_model": ("vendor/other", '"vendor/other"', "vendor/other"),
    "llm.summary_model": ("vendor/other", '"vendor/other"', "vendor/other"),
    "llm.task_model": ("vendor/other", '"vendor/other"', "vendor/other"),
    "llm.answer_model": ("vendor/other", '"vendor/other"', "vendor/other"),
    "llm.natural_language": ("require-llm", '"require-llm"', "require-llm"),
    "llm.markdown": ("require-llm", '"require-llm"', "require-llm"),
    "llm.communication": ("require-llm", '"require-llm"', "require-llm"),
    "llm.documents": ("require-llm", '"require-llm"', "require-llm"),
    "llm.summary": ("require-llm", '"require-llm"', "require-llm"),
    "llm.tasks": ("require-llm", '"require-llm"', "require-llm"),
    "llm.schema": ("forced_tool", '"forced_tool"', "forced_tool"),
    "llm.require_parameters": (False, "false", "no"),
    "llm.stream": (True, "true", "yes"),
    "llm.temperature": ("0.5", '"0.5"', "0.5"),
    "llm.max_tokens": (7, "7", "7"),
    "llm.timeout_ms": (7, "7", "7"),
    "llm.max_wait_ms": (7, "7", "7"),
    "llm.attempts": (7, "7", "7"),
    "llm.concurrency": (7, "7", "7"),
    "llm.document_chunks": (7, "7", "7"),
    "llm.budget_requests": (7, "7", "7"),
    "llm.budget_tokens": (7, "7", "7"),
    "llm.budget_seconds": (7, "7", "7"),
    "llm.budget_cost": ("1.5", '"1.5"', "1.5"),
    "llm.price_prompt": ("2", '"2"', "2"),
    "llm.price_completion": ("3.25", '"3.25"', "3.25"),
    "llm.site_url": ("https://shop.example/", '"https://shop.example/"', "https://shop.example/"),
    "llm.app_name": ("vendor/other", '"vendor/other"', "vendor/other"),
    "llm.recordings": (
        ("old/.t2c/journal.ndjson", "b"),
        '["old/.t2c/journal.ndjson", "b"]',
        "old/.t2c/journal.ndjson, b",
    ),
    "llm.semantic": (True, "true", "yes"),
    "llm.semantic_model_revision": ("vendor/other", '"vendor/other"', "vendor/other"),
}
"""For each key a value that is not the default: as a setting, in TOML, in a variable."""


USERS = {
    "approval.separation",
    "llm.recordings",
    *(name for name in KEYS if name.startswith(("llm.budget_", "llm.price_"))),
}
"""What a repository's own files do not say over its user's head."""


def write(path: Path, key: Key, toml: str, table: str = "") -> None:
    section, _, name = key.name.rpartition(".")
    header = ".".join(part for part in (table, section) if part)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((f"[{header}]\n" if header else "") + f"{name} = {toml}\n")


def test_every_key_is_covered_here() -> None:
    assert OTHER.keys() == KEYS.keys()
    assert all(DEFAULTS.value(name) != value for name, (value, _, _) in OTHER.items())


def test_names_follow_by_rule() -> None:
    key = KEYS["scan.max_file_bytes"]
    assert (key.variable, key.option) == ("T2C_SCAN_MAX_FILE_BYTES", "--max-file-bytes")


@pytest.mark.parametrize("name", KEYS)
def test_each_source_stands_above_the_next(tmp_path: Path, name: str) -> None:
    key, (value, toml, text) = KEYS[name], OTHER[name]
    user = tmp_path / "config"
    environ = {"XDG_CONFIG_HOME": str(user)}

    def found(environ: dict[str, str], options: dict[str, object] | None = None) -> tuple[object, str]:
        settings = load(tmp_path, environ, options)
        return settings.value(name), settings.origins[name]

    assert found(environ) == (DEFAULTS.value(name), "default")
    write(user / "t2c" / "config.toml", key, toml)
    assert found(environ) == (value, f"user configuration {user}/t2c/config.toml")
    write(tmp_path / "pyproject.toml", key, toml, "tool.t2c")
    users = f"user configuration {user}/t2c/config.toml" if name in USERS else None
    assert found(environ) == (value, users or "pyproject.toml")
    write(tmp_path / "t2c.toml", key, toml)
    assert found(environ) == (value, users or "t2c.toml")
    variables = {**environ, key.variable: text}
    assert found(variables) == (value, f"environment {key.variable}")
    assert found(variables, {name: value}) == (value, f"option {key.option}")
    assert found(variables, {name: None}) == (value, f"environment {key.variable}")


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("wrong", ["[1]", "{a = 1}", "1.5", "1979-05-27"])
def test_a_value_of_the_wrong_kind_names_key_file_line_and_what_is_expected(
    tmp_path: Path, name: str, wrong: str
) -> None:
    write(tmp_path / "t2c.toml", KEYS[name], wrong)
    line = 2 if "." in name else 1
    with pytest.raises(Usage, match=f"^{name} must be {KEYS[name].expected}, not ") as caught:
        load(tmp_path, {})
    assert caught.value.where == f"t2c.toml:{line}"
    assert caught.value.details == {"key": name, "expected": KEYS[name].expected}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("scan.commits", "-1"),
        ("scan.commits", "1e3"),
        ("scan.commits", "many"),
        ("scan.commits", "9" * 30),
        ("debug", "maybe"),
        ("durability", "always"),
        ("anchor.git", "on"),
        ("color", "pink"),
        ("actor", "me"),
        ("actor", "robot:r2"),
        ("actor", "human:a b"),
    ],
)
def test_a_wrong_variable_names_itself(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(Usage, match=f"^{name}") as caught:
        load(tmp_path, {KEYS[name].variable: text})
    assert caught.value.where == f"environment {KEYS[name].variable}"
    assert caught.value.remedy


def test_true_is_no_number_and_no_number_is_true(tmp_path: Path) -> None:
    for text in ("scan.commits = true", "debug = 1"):
        (tmp_path / "t2c.toml").write_text(text)
        with pytest.raises(Usage):
            load(tmp_path, {})


@pytest.mark.parametrize(
    ("file", "text", "place", "said"),
    [
        ("t2c.toml", "\nactr = 'x'\n", "t2c.toml:2", "unknown setting actr; did you mean actor?"),
        ("t2c.toml", "[scan]\n# commits = 1\ncommit = 1", "t2c.toml:3", "did you mean scan.commits?"),
        ("t2c.toml", "scan . 'commit' = 1", "t2c.toml:1", "unknown setting scan.commit;"),
        ("t2c.toml", "[scna]\ncommits = 1", "t2c.toml:1", "unknown setting scna; did you mean scan?"),
        ("t2c.toml", "scan = { commitz = 1 }", "t2c.toml", "unknown setting scan.commitz"),
        ("t2c.toml", "zzzz = 1", "t2c.toml:1", "unknown setting zzzz"),
        ("t2c.toml", "scan = 1", "t2c.toml:1", "scan must be a table"),
        ("t2c.toml", "debug = \n", "t2c.toml:1", "not TOML"),
        ("t2c.toml", "actor = 'a'\nactor = 'b'", "t2c.toml:2", "not TOML"),
        ("pyproject.toml", "[tool.t2c]\n\nactr = 1", "pyproject.toml:3", "unknown setting actr"),
        ("pyproject.toml", "[tool.t2c.scan]\nx = 1", "pyproject.toml:2", "unknown setting scan.x"),
        ("pyproject.toml", "tool.t2c = 1", "pyproject.toml:1", "tool.t2c must be a table"),
    ],
)
def test_a_wrong_file_is_told_with_its_line(
    tmp_path: Path, file: str, text: str, place: str, said: str
) -> None:
    (tmp_path / file).write_text(text)
    with pytest.raises(Usage) as caught:
        load(tmp_path, {})
    assert said in caught.value.what
    assert caught.value.where == place


def test_a_file_that_is_not_utf8_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "t2c.toml").write_bytes(b"# fine\nactor = 'human:\xff'\n")
    with pytest.raises(Usage, match="not UTF-8") as caught:
        load(tmp_path, {})
    assert caught.value.where == "t2c.toml:2"


def test_a_folder_in_place_of_a_file_is_the_environment(tmp_path: Path) -> None:
    (tmp_path / "t2c.toml").mkdir()
    with pytest.raises(Environment, match="cannot be read"):
        load(tmp_path, {})


def test_a_byte_order_mark_is_no_part_of_a_key(tmp_path: Path) -> None:
    (tmp_path / "t2c.toml").write_bytes(b"\xef\xbb\xbfdebug = true\n")
    assert load(tmp_path, {}).debug


def test_both_project_files_mean_the_own_one_and_a_notice(tmp_path: Path) -> None:
    (tmp_path / "t2c.toml").write_text("scan.commits = 3")
    (tmp_path / "pyproject.toml").write_text("[tool.t2c]\nscan.commits = 4\nno_such = 1\n")
    settings = load(tmp_path, {})
    assert settings.scan.commits == 3
    assert [(file.name, bool(file.why)) for file in settings.files] == [
        ("t2c.toml", False),
        ("pyproject.toml [tool.t2c]", True),
    ]
    assert len(settings.notices) == 1


def test_a_project_file_that_is_not_about_t2c_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("this is [no TOML")
    found = load(tmp_path, {})
    assert found.files == ()
    assert [found.value(key) for key in KEYS] == [DEFAULTS.value(key) for key in KEYS]
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "t2c-fan"\n')
    assert load(tmp_path, {}).files == ()


def test_unknown_variables_are_a_notice_and_empty_ones_are_not_set(tmp_path: Path) -> None:
    environ = {"T2C_ACTR": "x", "T2C_ACTOR": "", "T2C_ROOT": "/", "_T2C_COMPLETE": "x", "T2CX": "y"}
    settings = load(tmp_path, environ)
    assert settings.actor == "human:local"
    assert settings.notices == (
        "the environment variable T2C_ACTR means nothing to t2c; did you mean T2C_ACTOR?",
    )


def test_names_of_the_contract_stand_below_every_file(tmp_path: Path) -> None:
    environ = {
        "OPENROUTER_MODEL": "vendor/one",
        "OPENROUTER_TIMEOUT_MS": "9",
        "OPENROUTER_RESPONSE_HEALING": "true",
    }
    settings = load(tmp_path, environ)
    assert (settings.llm.model, settings.llm.timeout_ms) == ("vendor/one", 9)
    assert settings.origins["llm.model"] == "environment OPENROUTER_MODEL"
    assert settings.notices == ("OPENROUTER_RESPONSE_HEALING is left aside: an answer is never repaired",)
    (tmp_path / "t2c.toml").write_text('[llm]\nmodel = "vendor/two"\n')
    assert load(tmp_path, environ).llm.model == "vendor/two"


def test_a_key_for_a_provider_comes_from_the_environment_and_is_shown_nowhere(tmp_path: Path) -> None:
    key = "sk-or-v1-" + "0123456789abcdef" * 4
    settings = load(tmp_path, {"OPENROUTER_API_KEY": key})
    assert settings.api_key is not None and settings.api_key.value == key
    assert key not in repr(settings) and key in settings.secrets
    assert load(tmp_path, {"T2C_LLM_API_KEY": "other", "OPENROUTER_API_KEY": key}).notices == ()
    (tmp_path / "t2c.toml").write_text(f'[llm]\napi_key = "{key}"\n')
    with pytest.raises(Usage, match=r"unknown setting llm\.api_key"):
        load(tmp_path, {})


@pytest.mark.parametrize("mode", ["record", "live"])
@pytest.mark.parametrize(("file", "table"), [("t2c.toml", "llm"), ("pyproject.toml", "tool.t2c.llm")])
def test_a_repository_does_not_make_its_reader_ask_a_model(
    tmp_path: Path, mode: str, file: str, table: str
) -> None:
    (tmp_path / file).write_text(f'[{table}]\nmode = "{mode}"\n')
    settings = load(tmp_path, {})
    assert settings.llm.mode == "off"
    assert [notice for notice in settings.notices if f"llm.mode of {file}:2 is left aside" in notice]
    (tmp_path / file).write_text(f'[{table}]\nrecordings = ["planted/.t2c"]\n')
    assert load(tmp_path, {}).llm.recordings == ()
    assert "T2C_LLM_RECORDINGS" in load(tmp_path, {}).notices[0]
    (tmp_path / file).write_text(f'[{table}]\nmode = "{mode}"\n')
    assert load(tmp_path, {"T2C_LLM_MODE": mode}).llm.mode == mode
    user = tmp_path / "config" / "t2c" / "config.toml"
    user.parent.mkdir(parents=True)
    user.write_text('[llm]\nmode = "live"\n')
    assert load(tmp_path, {"XDG_CONFIG_HOME": str(tmp_path / "config")}).llm.mode == "live"


def test_a_repository_does_not_let_who_wrote_a_patch_approve_it(tmp_path: Path) -> None:
    (tmp_path / "t2c.toml").write_text("[approval]\nseparation = false\nsignature = true\n")
    settings = load(tmp_path, {})
    assert settings.approval.separation and settings.approval.signature
    assert "approval.separation of t2c.toml:2 is left aside" in settings.notices[0]
    assert not load(tmp_path, {"T2C_APPROVAL_SEPARATION": "no"}).approval.separation
    (tmp_path / "t2c.toml").write_text("[approval]\nseparation = true\n")
    assert not load(tmp_path, {}).notices


def test_a_number_beyond_all_measure_is_a_wrong_value(tmp_path: Path) -> None:
    (tmp_path / "t2c.toml").write_text("[llm]\nmax_tokens = 99999999999999999999999\n")
    with pytest.raises(Usage, match=r"llm\.max_tokens must be"):
        load(tmp_path, {})


@pytest.mark.parametrize(
    "address",
    ["http://[::1", "ftp://host/v1", "https://user:word@host/v1", "host/v1", "https://host/v1?key=1", ""],
)
def test_an_address_holds_no_credentials(tmp_path: Path, address: str) -> None:
    with pytest.raises(Usage, match=r"llm\.base_url"):
        load(tmp_path, {}, {"llm.base_url": address})


@pytest.mark.parametrize("value", [None, "", "relative/config"])
def test_an_empty_or_relative_xdg_folder_is_as_if_not_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    for place in ("home/.config", "relative/config"):
        (tmp_path / place / "t2c").mkdir(parents=True)
    (tmp_path / "home/.config/t2c/config.toml").write_text("scan.commits = 11")
    (tmp_path / "relative/config/t2c/config.toml").write_text("scan.commits = 12")
    environ = {"HOME": str(tmp_path / "home")} | ({} if value is None else {"XDG_CONFIG_HOME": value})
    assert load(tmp_path, environ).scan.commits == 11
    assert load(tmp_path, {**environ, "HOME": ""}).scan.commits == 0


def test_the_root_says_where_it_comes_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tmp_path / "real"
    (real / "deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to(real)
    monkeypatch.chdir(tmp_path)
    assert locate("link", {"T2C_ROOT": "/"})[:2] == (real, "option --root")
    assert locate(None, {"T2C_ROOT": "link/deep"})[:2] == (real / "deep", "environment T2C_ROOT")
    for wrong in ("absent", "link/deep/../../absent", "nul\0"):
        with pytest.raises(Usage, match="is not a folder"):
            locate(wrong, {})


def test_a_current_folder_that_is_gone_is_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(Environment, match="current folder"):
        locate(None, {})


# what the environment says of terminals

PLAIN = Terminal(no_color=False, force_color=False, dumb=False)


@pytest.mark.parametrize(
    ("choice", "origin", "tty", "facts", "wanted"),
    [
        ("auto", "default", True, PLAIN, True),
        ("auto", "default", False, PLAIN, False),
        ("auto", "default", True, PLAIN._replace(dumb=True), False),
        ("auto", "default", True, PLAIN._replace(no_color=True), False),
        ("auto", "default", False, PLAIN._replace(force_color=True), True),
        ("auto", "default", True, PLAIN._replace(no_color=True, force_color=True), False),
        ("never", "option --color", True, PLAIN._replace(force_color=True), False),
        ("always", "option --color", False, PLAIN._replace(no_color=True, dumb=True), True),
        ("always", "user configuration /c", False, PLAIN._replace(no_color=True), True),
        ("always", "environment T2C_COLOR", False, PLAIN, True),
        ("always", "environment T2C_COLOR", True, PLAIN._replace(no_color=True), False),
        ("always", "t2c.toml", True, PLAIN._replace(no_color=True), False),
    ],
)
def test_colour_is_decided_in_one_place(
    choice: str, origin: str, tty: bool, facts: Terminal, wanted: bool
) -> None:
    assert wants_colour(choice, origin, tty, facts) is wanted


def test_the_variables_about_terminals() -> None:
    assert terminal({}) == PLAIN
    assert terminal({"NO_COLOR": ""}) == PLAIN
    assert terminal({"NO_COLOR": "0"}).no_color
    assert not terminal({"FORCE_COLOR": "0"}).force_color
    assert terminal({"CLICOLOR_FORCE": "1"}).force_color
    assert terminal({"TERM": "dumb"}).dumb
    assert debugging({"T2C_DEBUG": "1"})
    assert not debugging({"T2C_DEBUG": "nonsense"})


def test_text_of_others_cannot_steer_the_terminal() -> None:
    hostile = "a\x1b[31mred\x1b[0m\x1b]0;title\x07\r\x9b2J\tż\n"
    assert printable(hostile) == "a\\x1b[31mred\\x1b[0m\\x1b]0;title\\x07\\x0d\\x9b2J\tż\n"
    assert printable(hostile, keep_colour=True).startswith("a\x1b[31mred\x1b[0m\\x1b]0;")
    assert Style(True).bad("x") == "\x1b[31mx\x1b[0m"
    assert Style(False).bad("x") == "x"


# progress


def test_progress_is_one_line_after_a_while_and_gone_at_the_end() -> None:
    stream, now = io.StringIO(), [0.0]
    line = ProgressLine(stream, lambda: now[0])
    line("scan", 1, 10)
    assert stream.getvalue() == ""
    now[0] = PATIENCE
    line("scan", 2, 10)
    assert stream.getvalue() == "\r\x1b[Kscan 2/10 (20%)"
    line("scan", 3, 10)
    assert stream.getvalue().endswith("(20%)"), "drawn too often"
    now[0] += INTERVAL
    line("read\x1b\n", 4, None)
    assert stream.getvalue().endswith("\r\x1b[Kread\\x1b  4")
    line.close()
    line.close()
    assert stream.getvalue().endswith("4\r\x1b[K")


def test_progress_of_short_work_and_without_a_terminal_is_silent() -> None:
    stream = io.StringIO()
    line = ProgressLine(stream, lambda: 0.5)
    line("scan", 10, 10)
    line.close()
    assert stream.getvalue() == ""
    nowhere = ProgressLine(None)
    nowhere("scan", 1, 0)
    nowhere.close()


@pytest.mark.parametrize(
    ("file", "text", "line"),
    [("t2c.toml", "debug = false\nactor = '{}'\n", 2), ("pyproject.toml", "[tool.t2c]\nactor = '{}'\n", 2)],
)
def test_a_repository_does_not_say_who_its_user_is(tmp_path: Path, file: str, text: str, line: int) -> None:
    root, user = tmp_path / "repo", tmp_path / "config"
    root.mkdir()
    (user / "t2c").mkdir(parents=True)
    (user / "t2c" / "config.toml").write_text("actor = 'human:me'\n")
    for kind in ("human", "helper", "host_adapter"):
        (root / file).write_text(text.format(f"{kind}:boss"))
        with pytest.raises(Usage, match="does not say who its user is") as raised:
            load(root, {"T2C_ACTOR": "human:me"})
        assert raised.value.where == f"{file}:{line}"
    (root / file).write_text(text.format("agent:ci"))
    assert load(root, {}).actor == "agent:ci"
    (root / file).unlink()
    assert load(root, {"XDG_CONFIG_HOME": str(user)}).actor == "human:me"


def test_an_agent_stays_one(tmp_path: Path) -> None:
    agent = {"T2C_ACTOR": "agent:x"}
    assert load(tmp_path, agent, {"actor": "agent:y"}).actor == "agent:y"
    assert load(tmp_path, {"T2C_ACTOR": "human:me"}, {"actor": "human:you"}).actor == "human:you"
    for asked in ("human:boss", "helper:t2c"):
        with pytest.raises(Refused, match="agent:x cannot speak as"):
            load(tmp_path, agent, {"actor": asked})


def test_where_a_gate_says_that_it_began_this_only_an_agent_speaks(tmp_path: Path) -> None:
    inside = {"T2C_GATE": "1"}
    assert load(tmp_path, {**inside, "T2C_ACTOR": "agent:gate"}).actor == "agent:gate"
    found = load(tmp_path, inside)
    assert (found.value("actor"), found.notices) == ("human:local", ())
    with pytest.raises(Refused, match="no person"):
        _ = found.actor
