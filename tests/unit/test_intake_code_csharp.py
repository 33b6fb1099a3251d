"""What only C# has: modifiers, properties, XML comments, namespaces in two forms, branches that cut a construct."""

from __future__ import annotations

import pytest

from t2c.ledger.intake.base import Draft, Reading
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.code.lang.branches import without_cut_branches
from t2c.ledger.intake.comments.markers import MarkerExtractor
from t2c.ledger.intake.inventory import Inventory

NO_FILES = Inventory(())


def read(text: str, path: str = "src/A.cs") -> Reading:
    return CodeExtractor().read(path, text.encode(), NO_FILES)


def symbols(text: str, path: str = "src/A.cs") -> dict[str, Draft]:
    reading = read(text, path)
    assert reading.complete, reading.warnings
    return {draft.symbol or "": draft for draft in reading.records if draft.kind == "symbol_fact"}


@pytest.mark.parametrize(
    ("member", "name", "native"),
    [
        ("public W(int a) : base(a) {}", "W", "method"),
        ("~W() {}", "~W", "method"),
        ("public int F<T>(T t) where T : class => 1;", "F", "method"),
        ("void IDisposable.Dispose() {}", "IDisposable.Dispose", "method"),
        ("IEnumerator<T> IEnumerable<T>.GetEnumerator() => null;", "IEnumerable.GetEnumerator", "method"),
        ("public static W operator +(W a, W b) => a;", "operator+", "method"),
        ("public static implicit operator int(W w) => 1;", "operator int", "method"),
        ("public int this[int i] => 1;", "this", "indexer"),
        ("public int P { get; set; } = 3;", "P", "property"),
        ("public int P => 1;", "P", "property"),
        ("public event EventHandler E;", "E", "event"),
        ("public event EventHandler E { add {} remove {} }", "E", "event"),
        ("public delegate void D(object s);", "D", "delegate"),
        ("public record struct R(int A);", "R", "record"),
        ("public const int @class = 1;", "class", "constant"),
        ("static readonly Dictionary<string, int> Names = new();", "Names", "constant"),
        ("int field; static int Other; readonly int third = 1;", "", ""),
    ],
)
def test_members_and_their_names(member: str, name: str, native: str) -> None:
    found = symbols(f"class W : X {{ {member} }}")
    found.pop("W")
    assert [(key, draft.metadata["nativeKind"]) for key, draft in found.items()] == (
        [(f"W.{name}", native)] if name else []
    )


@pytest.mark.parametrize(
    ("text", "name", "public"),
    [
        ("class W {}", "W", False),
        ("public class W {}", "W", True),
        ("public class W { int F() => 1; }", "W.F", False),
        ("public class W { protected internal int F() => 1; }", "W.F", False),
        ("public class W { public int F() => 1; }", "W.F", True),
        ("internal class W { public int F() => 1; }", "W.F", False),
        ("public interface W { int F(); }", "W.F", True),
        ("public interface W { internal int F() => 1; }", "W.F", False),
        ("[A]\n[B(1)]\npublic\nclass W {}", "W", True),
        ("public class W { [A] public static readonly int F = 1; }", "W.F", True),
    ],
)
def test_public_is_what_is_said_to_be_all_the_way(text: str, name: str, public: bool) -> None:
    assert symbols(text)[name].metadata["public"] is public


@pytest.mark.parametrize(
    "text", ["namespace A.B { class W { void F() {} } }", "namespace A.B;\nclass W { void F() {} }"]
)
def test_a_namespace_is_the_package_in_either_form(text: str) -> None:
    module, *facts = read(text).records
    assert (module.symbol, module.metadata["package"]) == ("A.B", "A.B")
    assert [draft.symbol for draft in facts] == ["W", "W.F"]


@pytest.mark.parametrize(
    ("text", "module", "names"),
    [
        ("using A.B;", "A.B", []),
        ("global using A.B;", "A.B", []),
        ("using static A.B;", "A.B", ["*"]),
        ("using C = A.B<int>;", "A.B", []),
        ("using global::A.B;", "A.B", []),
    ],
)
def test_imports(text: str, module: str, names: list[str]) -> None:
    (draft,) = read(text).records[1:]
    assert (draft.symbol, draft.metadata["names"]) == (module, names)


@pytest.mark.parametrize(
    ("call", "names"),
    [
        ("F(G(1));", ["F", "G"]),
        ("a.b.F<List<int>>(1);", ["F"]),
        ("a?.F(1)?.G();", ["F", "G"]),
        ("var x = new A.B<int>(1);", ["B"]),
        ("X x = new(1);", []),
        ("await this.FAsync();", ["FAsync"]),
        ("a[0](1); (f)(1);", []),
        ('throw new E(nameof(x), typeof(int), $"{F()}");', ["E", "F"]),
    ],
)
def test_callees(call: str, names: list[str]) -> None:
    assert symbols(f"class W {{ async void M() {{ {call} }} }}")["W.M"].metadata.get("calls", []) == names


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("/// <summary>Says it.</summary>\n", "Says it."),
        (
            "/// <summary>\n/// Says it.\n/// And more.\n/// </summary>\n/// <param name='a'>No.</param>\n",
            "Says it.",
        ),
        ('/// <summary>Gives <see cref="T:A.B"/> or <c>null</c>.</summary>\n', "Gives T:A.B or null."),
        ("// Says it.\n", "Says it."),
        ("/* Says it. */\n", "Says it."),
        ("/// <summary>Says it.</summary>\n[A(1)]\n[B]\n", "Says it."),
        ("/// <inheritdoc/>\n", None),
        ("/// <summary>No.</summary>\n\n", None),
    ],
)
def test_docstrings_are_summaries_above_attributes(comment: str, said: str | None) -> None:
    found = symbols(f"class W {{\n{comment}public void F() {{}}\n{comment}public const int K = 1;\n}}")
    assert (found["W.F"].metadata.get("docstring"), found["W.K"].metadata.get("docstring")) == (said, said)
    assert (found["W.F"].excerpt, found["W.K"].excerpt) == ("public void F()", "public const int K = 1")


def test_parts_of_a_class_in_one_file_are_one() -> None:
    found = symbols("public partial class W { void A() {} }\npartial class W { partial void B(); }")
    assert (found["W"].metadata["declarations"], found["W"].metadata["public"]) == (2, True)
    assert set(found) == {"W", "W.A", "W.B"}


@pytest.mark.parametrize(
    "attribute", ["Fact", "Theory", "Test", "TestCase(1)", "TestMethod", "Xunit.FactAttribute"]
)
def test_tests_are_marked_by_attributes(attribute: str) -> None:
    found = symbols(
        f"public class W {{ [{attribute}] public void F() {{}} public void TestG() {{}} }}", "a/WTests.cs"
    )
    assert [name for name, draft in found.items() if draft.metadata["test"]] == ["W.F"]


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("test/A/B.cs", True),
        ("src/A.Tests/B.cs", True),
        ("src/A.UnitTests/B.cs", True),
        ("src/A.Specs/B.cs", True),
        ("src/A/BTests.cs", True),
        ("src/Contests/B.cs", False),
        ("src/A/Latest.cs", False),
    ],
)
def test_files_of_tests_are_told_by_their_path(path: str, is_test: bool) -> None:
    assert read("class W {}", path).records[0].metadata["test"] is is_test


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("class P { static void Main() {} }", True), ("Run(1);", True), ("class P {}", False)],
)
def test_what_can_be_started(text: str, is_one: bool) -> None:
    assert read(text).records[0].metadata["entryPoint"] is is_one


CUT_HEAD = """class W
#if A
    : X, Y
#else
    : X
#endif
{
    public void F(int a
#if B
        , int b
#endif
    )
    {
        G();
    }
    int H()
#if C
    {
        return 1; // TODO: one
    }
#else
    ; // TODO: two
#endif
}
"""


def test_branches_that_cut_a_construct_leave_one_of_them_to_the_grammar() -> None:
    found = symbols(CUT_HEAD)
    assert set(found) == {"W", "W.F", "W.H"}
    assert (found["W"].metadata["bases"], found["W"].lines, found["W.F"].lines) == (
        ["X", "Y"],
        (1, 24),
        (8, 15),
    )
    reading = MarkerExtractor().read("src/A.cs", CUT_HEAD.encode(), NO_FILES)
    assert [draft.lines[0] for draft in reading.records if draft.lines] == [19, 22]


@pytest.mark.parametrize(
    "text",
    [
        "#if A\nclass W {}\n#else\nclass V {}\n#endif\n",
        "class W {\n#if A\nint F() { return 1; }\n#elif B\nint F() { return 2; }\n#endif\n}\n",
        "void f() {\n  g();\n#ifdef A\n  h();\n#else\n  i();\n#endif\n}\n",
        "#ifndef A_H\n#define A_H\nint f(void);\n#endif\n",
        "class W {\npublic:\n#ifdef A\n  int f();\n#endif\n};\n",
        "MACRO(a)\n#ifdef A\nvoid f() { }\n#else\nvoid f() { }\n#endif\n",
        'int a; /* { */\n#if A // (\nchar *s = "{";\n#endif\n',
        "#endif\n#else\nint a;\n#if A\n",
    ],
)
def test_branches_that_are_whole_all_stay(text: str) -> None:
    assert without_cut_branches(text.encode()) == text.encode()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("W() : a(1),\n#ifdef A\nb(2)\n#endif\n{ }", "W() : a(1),\n        \nb(2)\n      \n{ }"),
        ("#if A\nif (a) {\n#else\nif (b) {\n#endif\n}", "     \nif (a) {\n     \n        \n      \n}"),
        ("#if 0\nif (a) {\n#else\nif (b) {\n#endif\n}", "     \n        \n     \nif (b) {\n      \n}"),
        (
            "f(a,\n#if A\nb // c\n#else\nd /* e */ + f\n#endif\n);",
            "f(a,\n     \nb // c\n     \n  /* e */    \n      \n);",
        ),
        ("x = 1;\n#if A\nelse { }\n#endif\n", "x = 1;\n     \nelse { }\n      \n"),
    ],
)
def test_of_branches_that_cut_a_construct_the_first_that_may_be_compiled_stays(text: str, kept: str) -> None:
    assert without_cut_branches(text.encode()).decode() == kept


def test_where_the_text_does_not_parse_definitions_are_found_by_line() -> None:
    broken = "class {{{ ((\npublic sealed class Kept : X\n{\n    public async Task<int> Found(int a)\n    {\n    }\n}\n]] ))\n"
    found = {(draft.symbol or "").rpartition(".")[2] for draft in read(broken).records}
    assert {"Kept", "Found"} <= found


def test_markers_are_read_from_comments_of_each_kind_and_from_no_string() -> None:
    text = (
        "// TODO: one\n/* TODO: two */\n/// <summary>\n/// TODO: three\n/// </summary>\nclass W {\n"
        'string a = "// TODO: none";\nstring b = @"\n// TODO: none";\nstring c = """\n  // TODO: none\n  """;\n/** TODO: four */\n}\n'
    )
    reading = MarkerExtractor().read("src/A.cs", text.encode(), NO_FILES)
    assert [draft.lines[0] for draft in reading.records if draft.lines] == [1, 2, 4, 13]
