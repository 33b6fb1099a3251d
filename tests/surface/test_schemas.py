"""The published schemas: in the checkout, in a copy of it, and in the wheel."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from t2c import schemas
from t2c.ledger.events.catalogue import CATALOGUE

ROOT = Path(__file__).parents[2]
FOLDERS = ("cli", "ledger", "projections", "schemas")


def files(folder: Path) -> dict[str, bytes]:
    """Every JSON file below a folder, by name."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.json"))}


@pytest.fixture
def checkout(tmp_path: Path, t2c: Any) -> Iterator[Path]:
    """A copy of this checkout, and the command running from it."""
    copy = tmp_path / "checkout"
    for name in FOLDERS:
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / ".src", copy / ".src", symlinks=True)
    shutil.copy(ROOT / "pyproject.toml", copy)
    t2c.environ["PYTHONPATH"] = str(copy / ".src")
    del t2c.environ["PYTHONSAFEPATH"]
    yield copy


# the files of this checkout


def test_the_files_and_the_types_agree(t2c: Any) -> None:
    """The check that the build runs; `t2c schemas write` mends it."""
    ran = t2c("schemas", "check", "--json")
    assert (ran.code, ran.document["agree"]) == (0, True), ran.out
    assert ran.document["schema"] == "t2c.schemas.checked/v1"


def test_every_event_is_published_with_title_description_and_id() -> None:
    for name in CATALOGUE.types():
        for version in range(1, CATALOGUE.payload(name).v + 1):
            schema = schemas.load(f"events/{name}.v{version}.schema.json")
            Draft202012Validator.check_schema(schema)
            assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
            assert schema["$id"] == f"urn:t2c:schema:events:{name}:{version}"
            assert schema["title"] == f"{name} v{version}"
            assert schema["description"]


def test_the_index_names_every_file_and_nothing_else() -> None:
    index: Any = schemas.load("index.json")
    folder = ROOT / "schemas"
    assert {found["file"] for found in index["schemas"].values()} == files(folder).keys() - {"index.json"}
    assert {"intent.v1", "graph.v1", "envelope.v1", "record.observed.v1"} <= index["schemas"].keys()
    for name, found in index["schemas"].items():
        schema: Any = json.loads((folder / found["file"]).read_bytes())
        assert found == {"file": f"{found['file'].partition('/')[0]}/{name}.schema.json", "id": schema["$id"],
            "title": schema["title"]}  # fmt: skip


def test_bytes_are_sorted_and_end_with_one_line_feed() -> None:
    for content in files(ROOT / "schemas").values():
        written = json.dumps(json.loads(content), indent=2, sort_keys=True, ensure_ascii=False)
        assert content.decode() == written + "\n"


# list and show


def test_list_and_show(t2c: Any) -> None:
    listed = t2c("schemas", "list", "--json").document
    assert listed == json.loads((ROOT / "schemas" / "index.json").read_bytes())
    lines = t2c("schemas", "list").out.splitlines()
    assert [line.split()[0] for line in lines] == sorted(listed["schemas"])
    for name in ("record.observed", "record.observed.v1", "events/record.observed.v1.schema.json"):
        for flags in ([], ["--json"]):
            ran = t2c("schemas", "show", name, *flags)
            assert (ran.code, ran.err) == (0, "")
            assert ran.stdout == (ROOT / "schemas/events/record.observed.v1.schema.json").read_bytes()


@pytest.mark.parametrize(
    "name", ["record.obseved", "../pyproject.toml", "index.json", "", "record.observed.v9"]
)
def test_show_knows_only_schemas(t2c: Any, name: str) -> None:
    ran = t2c("schemas", "show", name)
    assert (ran.code, ran.out) == (2, "")
    assert f"no schema is called {name}\n" in ran.err
    assert "obseved" not in name or "did you mean record.observed" in ran.err


# write


def test_write_gives_the_same_bytes_every_time(t2c: Any) -> None:
    first = t2c("schemas", "write", "--dest", "one", "--json").document
    assert first["folder"] == str(t2c.root / "one")
    assert (first["unchanged"], first["removed"]) == (0, [])
    t2c("schemas", "write", "--dest", "two", env={"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo"})
    shipped = files(ROOT / "schemas")
    assert files(t2c.root / "one") == files(t2c.root / "two") == shipped
    assert sorted(first["written"]) == sorted(shipped)
    again = t2c("schemas", "write", "--dest", "one", "--json").document
    assert (again["written"], again["unchanged"]) == ([], len(shipped))


def test_write_stays_inside_the_root_and_out_of_folders_of_others(t2c: Any, tmp_path: Path) -> None:
    ran = t2c("schemas", "write", "--dest", "../elsewhere")
    assert (ran.code, (tmp_path / "elsewhere").exists()) == (2, False)
    notes = t2c.root / "notes"
    notes.mkdir()
    (notes / "index.json").write_text('{"mine": true}')
    ran = t2c("schemas", "write", "--dest", "notes")
    assert ran.code == 3
    assert "nothing was written" in ran.err
    assert files(notes) == {"index.json": b'{"mine": true}'}
    ran = t2c("schemas", "write", "--dest", "notes/index.json")
    assert ran.code == 2


def test_write_follows_no_link_out_of_the_root(t2c: Any, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    assert t2c("schemas", "write", "--dest", "out").code == 0
    shutil.rmtree(t2c.root / "out" / "events")
    (t2c.root / "out" / "events").symlink_to(outside)
    assert t2c("schemas", "write", "--dest", "out").code == 2
    assert list(outside.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_the_environment(t2c: Any) -> None:
    assert t2c("schemas", "write", "--dest", "out").code == 0
    shutil.rmtree(t2c.root / "out" / "events")
    (t2c.root / "out" / "events").write_text("in the way")
    ran = t2c("schemas", "write", "--dest", "out", "--json")
    assert ran.code == 6
    assert ran.document["error"]["where"] == str(t2c.root / "out" / "events")


def test_check_names_what_differs_and_write_mends_it(t2c: Any, checkout: Path) -> None:
    folder = checkout / "schemas"
    wanted = files(folder)
    changed = folder / "events" / "run.started.v1.schema.json"
    changed.write_bytes(changed.read_bytes().replace(b"verb", b"verp"))
    (folder / "events" / "run.finished.v1.schema.json").unlink()
    (folder / "events" / "gone.away.v1.schema.json").write_bytes(b"{}")
    ran = t2c("schemas", "check", "--json")
    assert ran.code == 1
    assert ran.document["differing"] == ["events/run.started.v1.schema.json"]
    assert ran.document["missing"] == ["events/run.finished.v1.schema.json"]
    assert ran.document["left_over"] == ["events/gone.away.v1.schema.json"]
    ran = t2c("schemas", "check")
    assert ran.out == (
        "differs: events/run.started.v1.schema.json\n"
        "missing: events/run.finished.v1.schema.json\n"
        "left over: events/gone.away.v1.schema.json\n"
    )
    written = t2c("schemas", "write", "--json").document
    assert written["folder"] == str(folder)
    assert written["removed"] == ["events/gone.away.v1.schema.json"]
    assert len(written["written"]) == 2
    assert files(folder) == wanted
    assert t2c("schemas", "check").code == 0


def test_a_type_that_changes_is_noticed(t2c: Any, checkout: Path) -> None:
    runs = checkout / "ledger" / "events" / "runs.py"
    runs.write_text(runs.read_text().replace('"""A run writes its first event.', '"""Another word.'))
    ran = t2c("schemas", "check", "--json")
    assert (ran.code, ran.document["differing"]) == (1, ["events/run.started.v1.schema.json"])


def test_schemas_of_older_versions_stay(t2c: Any, checkout: Path) -> None:
    runs = checkout / "ledger" / "events" / "runs.py"
    runs.write_text(
        runs.read_text().replace(
            'type: ClassVar[str] = "run.started"',
            'type: ClassVar[str] = "run.started"\n    v: ClassVar[int] = 2',
        )
    )
    written = t2c("schemas", "write", "--json").document
    assert (written["written"], written["removed"]) == (
        ["events/run.started.v2.schema.json", "index.json"],
        [],
    )
    assert (checkout / "schemas/events/run.started.v1.schema.json").is_file()
    assert t2c("schemas", "check").code == 0
    assert '"urn:t2c:schema:events:run.started:2"' in t2c("schemas", "show", "run.started").out


# the wheel


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """t2c built as a wheel and installed into a folder of its own."""
    place = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(place), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = place.glob("*.whl")
    install = [
        sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile",
        "--disable-pip-version-check", "--target", str(place / "site"), str(wheel),
    ]  # fmt: skip
    subprocess.run(install, check=True, capture_output=True)
    return place / "site"


def test_the_wheel_ships_the_same_schemas(installed: Path, t2c: Any) -> None:
    assert files(installed / "t2c" / "schemas") == files(ROOT / "schemas")
    script = (
        "import t2c.schemas as s; print(s.__file__, s.load('events/record.observed.v1.schema.json')['$id'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=t2c.root,
        env={**t2c.environ, "PYTHONPATH": str(installed)},
        check=True,
        capture_output=True,
    )
    where, name = done.stdout.decode().split()
    assert Path(where).is_relative_to(installed)
    assert name == "urn:t2c:schema:events:record.observed:1"


def test_an_installed_t2c_does_not_write_into_itself(installed: Path, t2c: Any) -> None:
    t2c.environ["PYTHONPATH"] = str(installed)
    before = files(installed / "t2c" / "schemas")
    ran = t2c("schemas", "write", "--json")
    assert ran.code == 3
    assert ran.document["error"]["class"] == "Refused"
    assert "--dest" in ran.document["error"]["remedy"]
    assert files(installed / "t2c" / "schemas") == before
    assert t2c("schemas", "check").code == 0
    assert t2c("schemas", "write", "--dest", "out").code == 0
    assert files(t2c.root / "out") == before
