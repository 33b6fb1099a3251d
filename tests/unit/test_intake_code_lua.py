"""What only Lua has: functions as values of names, the table that a file returns, tables that are classes."""

from __future__ import annotations

import pytest

from t2c.ledger.intake.base import Draft, Reading
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.comments.markers import MarkerExtractor
from t2c.ledger.intake.inventory import FileEntry, Inventory

NO_FILES = Inventory(())


def read(text: str, path: str = "src/post/a.lua") -> Reading:
    return CodeExtractor().read(path, text.encode(), NO_FILES)


def symbols(text: str, path: str = "src/post/a.lua") -> dict[str, Draft]:
    return {draft.symbol or "": draft for draft in read(text, path).records if draft.kind == "symbol_fact"}


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("function f() end", "f", "function"),
        ("local function f(a, ...) end", "f", "function"),
        ("local f = function() end", "f", "function"),
        ("f = function() end", "f", "function"),
        ("local T = {}\nfunction T.f() end", "T.f", "method"),
        ("local T = {}\nfunction T.a.b:f() end", "T.a.b.f", "method"),
        ('local T = {}\nT["f"] = function() end', "T.f", "method"),
        ("local T = { f = function() end }", "T.f", "method"),
        ('local T = { a = { ["f"] = function() end } }', "T.a.f", "method"),
        ("local M = {}\nfunction M.f() end\nreturn M", "f", "function"),
        ("local M = {}\nM.f = function() end\nreturn setmetatable(M, {})", "f", "function"),
        ("local M = {}\nfunction M:f() end\nreturn M", "f", "method"),
        ("local M = {}\nfunction M.T.f() end\nreturn M", "T.f", "method"),
        ("local M = { f = function() end }\nreturn M", "f", "function"),
        ("return { f = function() end }", "f", "function"),
        ("return { T = { f = function() end } }", "T.f", "method"),
        ("local C = {}\nC.__index = C\nfunction C.f() end\nreturn C", "C.f", "method"),
        ("function C.new() local self = {}\nself.f = function() end\nreturn self end", "C.new.f", "method"),
    ],
)
def test_names_of_functions(text: str, name: str, kind: str) -> None:
    found = symbols(text)
    assert name in found, list(found)
    assert found[name].metadata["symbolKind"] == kind


@pytest.mark.parametrize(
    ("text", "name", "public"),
    [
        ("function f() end", "f", True),
        ("local function f() end", "f", False),
        ("local f\nfunction f() end", "f", False),
        ("local g, f <const> = 1, 2\nf = function() end", "f", False),
        ("local function f() end\nreturn { f = f }", "f", True),
        ("local function f() end\nreturn { named = f }", "f", True),
        ("local function f() end\nreturn f", "f", True),
        ("local function f() end\nlocal M = {}\nM.f = f\nreturn M", "f", True),
        ("local function f() end\nlocal M = {}\nreturn M", "f", False),
        ("local function f() end\nlocal M = {}\nlocal T = {}\nT.f = f\nreturn M", "f", False),
        ("local C, M = {}, {}\nC.__index = C\nfunction C.f() end\nreturn M", "C.f", False),
        ("local M = {}\nM.t = { f = function() end }\nreturn M", "t.f", True),
        ("local M = {}\nfunction M.f() end\nreturn M", "f", True),
        ("local M = {}\nfunction M._f() end\nreturn M", "_f", False),
        ("local C = {}\nC.__index = C\nfunction C:__tostring() end\nreturn C", "C.__tostring", True),
        ("local T = {}\nfunction T.f() end", "T.f", False),
        ("local T = {}\nfunction T.f() end\nreturn { T = T }", "T.f", True),
        ("T = {}\nfunction T.f() end", "T.f", True),
        ("function f() local function g() end end", "f.g", False),
    ],
)
def test_public_is_what_is_global_or_returned(text: str, name: str, public: bool) -> None:
    found = symbols(text)
    assert name in found, list(found)
    assert found[name].metadata["public"] is public


@pytest.mark.parametrize(
    ("text", "bases"),
    [
        ("local C = {}\nC.__index = C", []),
        ("local C = class(Base)", ["Base"]),
        ("local C = middle.class('C', Base)", ["Base"]),
        ("local C = a.Base:extend()", ["a.Base"]),
        ("local C = Base:subclass('C')", ["Base"]),
        ("local C = {}\nC.__index = C\nsetmetatable(C, {__index = Base})", ["Base"]),
        ("---@class C : A, b.B\nlocal C = {}", ["A", "b.B"]),
        ("local C = types.C\nclass(Base, nil, C)", ["Base"]),
        ("local C = {}\nC.__index = D", None),
        ("local C = require('class')", None),
        ("local C = classify(Base)", None),
    ],
)
def test_a_class_is_a_table_that_is_made_one(text: str, bases: list[str] | None) -> None:
    found = {name: draft for name, draft in symbols(text).items() if draft.metadata["symbolKind"] == "type"}
    assert {name: draft.metadata.get("bases", []) for name, draft in found.items()} == (
        {} if bases is None else {"C": bases}
    )


def test_what_is_put_into_a_passing_table_is_a_part_of_what_passes_it() -> None:
    found = symbols("function f() report({ fix = function() mend() end })\no.x = function() go() end end")
    assert list(found) == ["f"]
    assert found["f"].metadata["calls"] == ["go", "mend", "report"]
    assert list(symbols("use { 'x', config = function() end }")) == []


def test_fields_of_the_module_are_constants_of_it_and_keep_their_values_to_themselves() -> None:
    found = symbols(
        'local M, LIMIT = {}, 2\nM.path = core.path\nM.map = {}\nM.key = "secret"\nM.a.b = 1\nM._x = 1\nx = 1\nM.F = function() end\nreturn M'
    )
    assert {name: (draft.metadata["nativeKind"], draft.excerpt) for name, draft in found.items()} == {
        "LIMIT": ("constant", "local M, LIMIT"),
        "path": ("field", "M.path"),
        "map": ("field", "M.map"),
        "key": ("field", "M.key"),
        "F": ("function", "M.F = function()"),
    }


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ('require "a.b"', ["a.b"]),
        ("local x = require('a/b').c", ["a.b"]),
        ("local ok = pcall(require, 'a')", ["a"]),
        ("require[[a]]", ["a"]),
        ("dofile('./lib/a.lua')", ["lib.a"]),
        ("function f() return require('a') end", ["a"]),
        ("require(name)\nrequire('a' .. b)\npcall(f, 'a')", []),
        ("-- require('a')\nlocal s = \"require('a')\"", []),
    ],
)
def test_forms_of_imports(text: str, modules: list[str]) -> None:
    found = read(text).records
    assert [draft.object for draft in found if draft.kind == "module_dependency_fact"] == modules


@pytest.mark.parametrize(
    ("path", "module", "files", "found"),
    [
        ("src/a/b.lua", "a.c", ["src/a/c.lua"], "src/a/c.lua"),
        ("src/a/b.lua", "a.c", ["src/a/c/init.lua"], "src/a/c/init.lua"),
        ("x/lua/a/init.lua", "a.c", ["x/lua/a/c.lua"], "x/lua/a/c.lua"),
        ("spec/b.lua", "a.c", ["src/a/c.lua"], "src/a/c.lua"),
        ("main.lua", "util", ["util.lua"], "util.lua"),
        ("main.lua", "util", ["deep/util.lua"], None),
    ],
)
def test_an_import_names_the_file_that_require_would_find(
    path: str, module: str, files: list[str], found: str | None
) -> None:
    inventory = Inventory(tuple(FileEntry(name, 1) for name in files))
    reading = CodeExtractor().read(path, f"require '{module}'".encode(), inventory)
    assert reading.records[1].metadata.get("resolvedPath") == found


def test_tests_have_titles_and_those_of_luaunit_have_names() -> None:
    text = """
    describe("Parcel #fast", function()
      local function helper() end
      before_each(function() setup() end)
      context([[weight]], function()
        it('is "small"', function() assert.same(weigh()) end)
        pending("later")
      end)
    end)
    TestParcel = {}
    function TestParcel:test_weight() end
    function test_all() end
    """
    found = symbols(text, "spec/a_spec.lua")
    assert {
        name: (draft.metadata["nativeKind"], draft.metadata["test"]) for name, draft in found.items()
    } == {
        "Parcel #fast.helper": ("function", False),
        'Parcel #fast > weight > is "small"': ("test", True),
        "Parcel #fast > weight > later": ("test", True),
        "TestParcel.test_weight": ("method", True),
        "test_all": ("function", True),
    }
    assert found['Parcel #fast > weight > is "small"'].metadata["calls"] == ["same", "weigh"]
    assert not any(draft.metadata["test"] for draft in symbols(text, "src/a.lua").values())


def test_builtins_are_no_calls_but_methods_of_their_name_are() -> None:
    found = symbols("function f() print(type(x)); log.error(x); it:next() end")
    assert found["f"].metadata["calls"] == ["error", "next"]


def test_markers_are_read_from_every_kind_of_comment_and_from_no_text() -> None:
    text = (
        "#!/usr/bin/lua TODO: a\n-- TODO: one\n--- TODO: two\n--[[ TODO: three\n]]\nlocal a = 1 -- TODO: four\n"
        '--[==[\nTODO: five\n]==]\nlocal s = "-- TODO: six" .. [[\n-- TODO: seven\n]]\n'
    )
    records = MarkerExtractor().read("src/a.lua", text.encode(), NO_FILES).records
    assert [draft.object for draft in records] == ["one", "two", "three", "four", "five"]


def test_the_first_comment_documents_the_file_only_if_it_is_made_for_that() -> None:
    def documented(text: str) -> object:
        return read(text).records[0].metadata["docstring"]

    assert documented("--- Does it.\n-- @module a\nlocal M = {}") == "Does it."
    assert documented("--[[--\nDoes it.\n]]\n\nlocal M = {}") == "Does it."
    assert documented("--- Of f.\nfunction f() end") is None
    assert documented("-- vim: set ts=2\n\nlocal M = {}") is None
