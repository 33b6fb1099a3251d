"""What only Elixir has: definitions that are calls, clauses, attributes that document what follows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from t2c.ledger.intake.base import Draft, Reading
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.code.languages import LANGUAGES
from t2c.ledger.intake.code.traits import traits_of
from t2c.ledger.intake.comments.markers import MarkerExtractor
from t2c.ledger.intake.inventory import FileEntry, Inventory

NO_FILES = Inventory(())


def read(text: str, path: str = "lib/post/a.ex") -> Reading:
    reading = CodeExtractor().read(path, text.encode(), NO_FILES)
    assert reading.complete, reading.warnings
    return reading


def symbols(text: str, path: str = "lib/post/a.ex") -> dict[str, Draft]:
    return {draft.symbol or "": draft for draft in read(text, path).records if draft.kind == "symbol_fact"}


def members(text: str) -> dict[str, Draft]:
    """The symbols inside of a module M, without its name."""
    found = symbols(f"defmodule M do\n{text}\nend\n")
    return {name.removeprefix("M."): draft for name, draft in found.items() if name != "M"}


@pytest.mark.parametrize(
    ("text", "name", "native", "public"),
    [
        ("def f(a), do: a", "f", "function", True),
        ("def f, do: 1", "f", "function", True),
        ("def f a, b do\n a\nend", "f", "function", True),
        ("def f!(a) when a > 1 when a < 9, do: a", "f!", "function", True),
        ("def f? when true do\n1\nend", "f?", "function", True),
        ("defp f(a), do: a", "f", "function", False),
        ("def _f(a), do: a", "_f", "function", False),
        ("def __struct__(a), do: a", "__struct__", "function", True),
        ("def a <> b, do: a", "<>", "function", True),
        ("def a + b when is_x(a), do: a", "+", "function", True),
        ("defmacro f(a) do\n a\nend", "f", "macro", True),
        ("defmacrop f(a), do: a", "f", "macro", False),
        ("defguard f(a) when is_atom(a)", "f", "guard", True),
        ("defdelegate f(a), to: Map, as: :g", "f", "function", True),
        ("@callback f(a) :: b", "f", "callback", True),
        ("@callback f(a) :: b when a: term", "f", "callback", True),
        ("@type f :: a", "f", "type", True),
        ("@type f(a) :: [a]", "f", "type", True),
        ("@typep f :: a", "f", "type", False),
        ("@opaque f :: a", "f", "opaque type", True),
        ("@f 1", "@f", "attribute", False),
    ],
)
def test_what_a_module_defines(text: str, name: str, native: str, public: bool) -> None:
    ((found, draft),) = members(text).items()
    assert (found, draft.metadata["nativeKind"], draft.metadata["public"]) == (name, native, public)


def test_what_is_worked_out_has_no_name_and_attributes_of_the_language_are_no_constants() -> None:
    text = "def unquote(name)(a), do: a\n@compile inline: [f: 1]\n@moduledoc false\n@before_compile X\n@tag :slow\n@f"
    assert list(members(text)) == []


def test_modules_nest_and_implementations_are_named_by_both() -> None:
    text = """
    defprotocol A.P do
      def p(x)
    end
    defimpl A.P, for: B.C do
      def p(x), do: x
    end
    defmodule D do
      defmodule E do
        defimpl A.P do
          def p(x), do: x
        end
      end
    end
    """
    found = symbols(text)
    assert {name: draft.metadata["nativeKind"] for name, draft in found.items()} == {
        "A.P": "protocol",
        "A.P.p": "function",
        "A.P.B.C": "implementation",
        "A.P.B.C.p": "function",
        "D": "module",
        "D.E": "module",
        "D.E.A.P": "implementation",
        "D.E.A.P.p": "function",
    }
    assert found["A.P.B.C"].metadata["bases"] == ["A.P"]


def test_clauses_are_one_function_and_the_first_with_a_body_stands() -> None:
    found = members("def f(a, b \\\\ 1)\ndef f(1, b), do: g(b)\ndef f(a, b) do\n  h(a)\nend\n")["f"]
    assert (found.lines, found.metadata["declarations"], found.metadata["calls"]) == ((3, 3), 3, ["g", "h"])
    assert found.excerpt == "def f(1, b)"


def test_a_type_does_not_hide_the_function_of_its_name() -> None:
    found = members("@type f :: a\n@type g :: a\n@f 1\ndef f(a), do: a")
    assert {name: draft.metadata["symbolKind"] for name, draft in found.items()} == {
        "f()": "type",
        "g": "type",
        "@f": "constant",
        "f": "function",
    }


def test_values_of_attributes_may_be_secrets_and_may_call() -> None:
    found = members('@a 1\n@b "x"\n@c key(1)\n@d [1, 2]\n@e true')
    assert [draft.excerpt for draft in found.values()] == ["@a 1", "@b", "@c", "@d", "@e true"]
    assert found["@c"].metadata["calls"] == ["key"]


@pytest.mark.parametrize(
    ("above", "said", "decorators"),
    [
        ('@doc "Does it."', "Does it.", None),
        ('@doc """\nDoes it.\n\nMore.\n"""', "Does it.", None),
        ('@doc ~S"""\n# Does it.\n"""', "Does it.", None),
        ('@doc "Says \\"x\\"."', 'Says \\"x\\".', None),
        ('@doc "Does it."\n@spec f(t()) :: g()\n@impl true', "Does it.", ["spec", "impl"]),
        ('@spec f(t()) ::\n        {:ok, g()}\n        | h()\n@doc "Does it."', "Does it.", ["spec"]),
        ('@doc since: "1.0"\n@doc "Does it."', "Does it.", ["doc"]),
        ('@deprecated "Use g"\n@doc false', None, ["deprecated", "doc"]),
        ("# Does it.", "Does it.", None),
        ('@doc "Does it."\n\n@x 1\n', None, None),
    ],
)
def test_attributes_above_document_the_function(
    above: str, said: str | None, decorators: list[str] | None
) -> None:
    draft = members(f"{above}\ndef f(a), do: a")["f"]
    assert draft.metadata.get("docstring") == said
    assert draft.metadata.get("decorators") == decorators
    assert "calls" not in draft.metadata


def test_what_attributes_say_is_called_by_nobody() -> None:
    text = "defmodule M do\n@moduledoc false\n@spec f(t(), g()) :: h() # x()\n@impl true\ndef f(a), do: a\nplug(:x)\nend"
    assert symbols(text)["M"].metadata["calls"] == ["plug"]


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("g(1)", ["g"]),
        ("g 1, h(2)", ["g", "h"]),
        ("A.B.g(1); :lists.h(1)", ["g", "h"]),
        ("A.g", ["g"]),
        ("a.g(1)", ["g"]),
        ("a.b", []),
        ("a.b.c(1).d", []),
        ("x |> g() |> A.h(1)", ["g", "h"]),
        ("Enum.map(x, &g/1)", ["g", "map"]),
        ("z.(1)", []),
        ("if a, do: g(1), else: raise(h())", ["g", "h"]),
        ("case a do\n  1 -> g()\nend", ["g"]),
        ("%{a: g(1), b: [h(2)]}", ["g", "h"]),
        ('"#{g(1)}"', ["g"]),
    ],
)
def test_callees(text: str, calls: list[str]) -> None:
    assert (
        members(f"def f(a, b \\\\ default()) when ok(a) do\n{text}\nend")["f"].metadata.get("calls", [])
        == calls
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("alias A.B", {"A.B": []}),
        ("alias A.B, as: C", {"A.B": []}),
        ("alias A.{B, C.D,\n  E}", {"A.B": [], "A.C.D": [], "A.E": []}),
        ("import A, only: [f: 1, g!: 2]", {"A": ["f", "g!"]}),
        ("import A, except: [f: 1]", {"A": []}),
        ("require(A)", {"A": []}),
        ("use A, b: 1", {"A": []}),
        ("alias __MODULE__.B", {"M.B": []}),
        ("alias __MODULE__.{B, C}", {"M.B": [], "M.C": []}),
        ("def f do\n  alias A.B\nend", {"A.B": []}),
        ("import unquote(a)", {}),
        ("@behaviour A", {}),
    ],
)
def test_forms_of_imports(text: str, expected: dict[str, list[str]]) -> None:
    records = read(f"defmodule M do\n{text}\nend").records
    assert {
        draft.object: draft.metadata["names"] for draft in records if draft.kind == "module_dependency_fact"
    } == expected


@pytest.mark.parametrize(
    ("path", "module", "file", "found"),
    [
        ("lib/post/a.ex", "Post.BigParcel", "lib/post/big_parcel.ex", True),
        ("test/post/a_test.exs", "Post.HTTPClient2", "lib/post/http_client2.ex", True),
        ("apps/x/lib/a.ex", "Post.B", "apps/x/lib/post/b.ex", True),
        ("apps/x/test/a_test.exs", "Post.B", "apps/x/lib/post/b.ex", True),
        ("lib/post/a.ex", "Post.B", "deep/lib/post/b.ex", False),
    ],
)
def test_an_import_names_the_file_where_mix_keeps_it(path: str, module: str, file: str, found: bool) -> None:
    inventory = Inventory((FileEntry(file, 1),))
    reading = CodeExtractor().read(path, f"alias {module}".encode(), inventory)
    assert reading.records[1].metadata.get("resolvedPath") == (file if found else None)


def test_tests_have_titles_that_name_nothing() -> None:
    text = """
    defmodule Post.ATest do
      use ExUnit.Case
      setup do
        :ok
      end
      describe "weigh/1" do
        setup [:parcel]
        @tag :slow
        test "is 'small'", %{a: a} do
          assert weigh(a)
        end
        test "later"
        defp helper(a), do: a
      end
      property "holds" do
        check()
      end
    end
    """
    found = symbols(text, "test/post/a_test.exs")
    assert {
        name: (draft.metadata["nativeKind"], draft.metadata["test"]) for name, draft in found.items()
    } == {
        "Post.ATest": ("module", True),
        "Post.ATest > weigh/1 > is 'small'": ("test", True),
        "Post.ATest > weigh/1 > later": ("test", True),
        "Post.ATest > weigh/1.helper": ("function", False),
        "Post.ATest > holds": ("test", True),
    }
    small = found["Post.ATest > weigh/1 > is 'small'"]
    assert (small.symbols, small.metadata["calls"], small.metadata["decorators"]) == (
        (),
        ["assert", "weigh"],
        ["tag"],
    )
    assert not any(draft.metadata["test"] for draft in symbols(text, "lib/post/a.ex").values())


@given(st.text("@specdocimpl \"'#~S(),:\n\r\ttż|", max_size=80))
def test_what_the_grammar_gets_is_as_long_as_the_text_and_has_the_same_lines(text: str) -> None:
    content = ("@spec " + text + "\n  @doc " + text).encode()
    shown = traits_of(LANGUAGES["elixir"]).for_grammar(content)
    assert len(shown) == len(content)
    assert [at for at, byte in enumerate(shown) if byte == 10] == [
        at for at, byte in enumerate(content) if byte == 10
    ]


def test_markers_are_read_from_comments_and_documentation_and_from_no_other_text() -> None:
    text = (
        'defmodule M do\n  @moduledoc """\n  TODO: one\n  """\n  # TODO: two\n  @doc """\n  TODO: three\n  """\n'
        '  @spec f(t()) :: g() # TODO: four\n  def f(a) do\n    x = "# TODO: no" # TODO: five\n'
        "    ~s(# TODO: no)\n  end\n  @doc ~S'''\n  TODO: six\n  '''\n  def g, do: 1\nend\n"
    )
    records = MarkerExtractor().read("lib/a.ex", text.encode(), NO_FILES).records
    assert [draft.object for draft in records] == ["one", "two", "three", "four", "five", "six"]


def test_a_task_of_mix_and_an_application_can_be_started() -> None:
    def starts(text: str) -> object:
        return read(text).records[0].metadata["entryPoint"]

    assert starts("defmodule M do\n  use Mix.Task\n  def run(a), do: a\nend") is True
    assert starts("defmodule M do\n  def main(args), do: args\nend") is True
    assert starts("defmodule M do\n  alias Mix.Task\n  defp main(args), do: args\nend") is False
