"""What only Ruby has: sections and names of what is private, attributes, class methods, tests with titles."""

from __future__ import annotations

import time

import pytest

from t2c.ledger.intake.base import Draft
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.comments.markers import MarkerExtractor
from t2c.ledger.intake.inventory import FileEntry, Inventory

NO_FILES = Inventory(())


def records(text: str, path: str, kind: str, *files: str) -> list[Draft]:
    inventory = Inventory(tuple(FileEntry(file, 1) for file in sorted(files)))
    reading = CodeExtractor().read(path, text.encode(), inventory)
    assert reading.complete, reading.warnings
    return [draft for draft in reading.records if draft.kind == kind]


def symbols(text: str, path: str = "lib/a.rb") -> dict[str, Draft]:
    return {draft.symbol or "": draft for draft in records(text, path, "symbol_fact")}


@pytest.mark.parametrize(
    ("text", "name", "public"),
    [
        ("class A\n  def f; end\nend", "A.f", True),
        ("class A\n  private\n  def f; end\nend", "A.f", False),
        ("class A\n  protected\n\n  def g; end\n  def f; end\nend", "A.f", False),
        ("class A\n  private\n  def g; end\n  public\n  def f; end\nend", "A.f", True),
        ("class A\n  private\n  def self.f; end\nend", "A.f", True),
        ("class A\n  private\n  class B\n    def f; end\n  end\nend", "A.B.f", True),
        ("class A\n  class B\n    private\n  end\n  def f; end\nend", "A.f", True),
        ("class A\n  class << self\n    private\n    def g; end\n  end\n  def f; end\nend", "A.f", True),
        ("class A\n  class << self\n    private\n    def f; end\n  end\nend", "A.f", False),
        ("class A\n  private def f; end\nend", "A.f", False),
        ("class A\n  private_class_method def self.f; end\nend", "A.f", False),
        ("class A\n  def f; end\n  def g; end\n  private :f, :h\nend", "A.f", False),
        ("class A\n  def f; end\n  def g; end\n  private :f, :h\nend", "A.g", True),
        ("class A\n  def self.f; end\n  private_class_method :f\nend", "A.f", False),
        ("class A\n  F = 1\n  private_constant :F\nend", "A.F", False),
        ("class A\n  private\n  F = 1\nend", "A.F", True),
        ("class A\n  private\n  attr_reader :f\nend", "A.f", False),
        ("describe A do\n  def f; end\nend", "A.f", False),
        ("module A\n  module_function\n  def f; end\nend", "A.f", True),
        ("class A\n  private\nend\nclass A\n  def f; end\nend", "A.f", True),
    ],
)
def test_public_by_section_by_word_and_by_name(text: str, name: str, public: bool) -> None:
    assert symbols(text)[name].metadata["public"] is public


@pytest.mark.parametrize(
    ("text", "name", "kind", "native"),
    [
        ("module A::B\n  class C::D\n  end\nend", "A.B.C.D", "type", "class"),
        ("class A\n  def self.f; end\nend", "A.f", "method", "method"),
        ("class A\n  def A.f; end\nend", "A.f", "method", "method"),
        ("class A\n  class << self\n    def f; end\n  end\nend", "A.f", "method", "method"),
        ("def A.f; end", "A.f", "method", "method"),
        ("class A\n  def []=(k, v); end\nend", "A.[]=", "method", "method"),
        ("class A\n  def <=>(o) = 0\nend", "A.<=>", "method", "method"),
        ("class A\n  def f=(v); end\nend", "A.f=", "method", "method"),
        ("class A\n  attr_accessor :f, 'g'\nend", "A.g", "method", "attribute"),
        ("class A\n  attr_writer :f\nend", "A.f=", "method", "attribute"),
        ("class A\n  alias g f\nend", "A.g", "method", "alias"),
        ("class A\n  alias_method :g, :f\nend", "A.g", "method", "alias"),
        ("class A\n  define_method(:f) { |x| go(x) }\nend", "A.f", "method", "method"),
        ("A = Struct.new(:b) do\n  def f; end\nend", "A.f", "method", "method"),
        ("A = Class.new(B)", "A", "type", "class"),
        ("A = Data.define(:b)", "A", "type", "class"),
        ("def f; end", "f", "function", "function"),
        ("class A\n  B ||= 1\nend", "A.B", "constant", "constant"),
        ("A, B = 1, 2", "B", "constant", "constant"),
        ("A::B = 1", "A.B", "constant", "constant"),
        ("Aliased = B::C", "Aliased", "constant", "constant"),
    ],
)
def test_names_of_what_is_defined_in_many_ways(text: str, name: str, kind: str, native: str) -> None:
    found = symbols(text)
    assert name in found, list(found)
    assert (found[name].metadata["symbolKind"], found[name].metadata["nativeKind"]) == (kind, native)


def test_comments_inside_are_no_part_of_the_head() -> None:
    text = "module A\n  # Says.\n  class B < C # Too.\n    # Again.\n    def f(a) # And again.\n      a\n    end\n  end\nend"
    found = symbols(text)
    assert [draft.excerpt for draft in found.values()] == ["module A", "class B < C", "def f(a)"]
    assert found["A.B"].metadata["docstring"] == "Says."


def test_a_list_of_attributes_is_one_record_each_side_by_side() -> None:
    text = "class A\n  # Says.\n  attr_reader :b, :c,\n              :d\n  def e; end\nend"
    assert list(symbols(text)) == ["A", "A.b", "A.c", "A.d", "A.e"]
    assert symbols(text)["A.b"].metadata["docstring"] == "Says."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("require 'a/b'", {"a/b": []}),
        ('require("a")', {"a": []}),
        ("require_relative 'b'", {"lib/x/b": []}),
        ("require_relative '../b.rb'", {"lib/b": []}),
        ("require File.expand_path('../b', __FILE__)", {"lib/x/b": []}),
        ("require File.expand_path('../../b', __FILE__)", {"lib/b": []}),
        ("require File.expand_path('../b', __dir__)", {"lib/b": []}),
        ("require File.join(__dir__, 'b')", {"lib/x/b": []}),
        ("autoload :B, 'a/b'", {"a/b": ["B"]}),
        ("load 'tasks/a.rake'", {"tasks/a.rake": []}),
        ("begin\n  require 'a'\nrescue LoadError\nend", {"a": []}),
        ("require name; require \"a/#{b}\"; x.require('c')", {}),
    ],
)
def test_forms_of_imports(text: str, expected: dict[str, list[str]]) -> None:
    found = records(text, "lib/x/a.rb", "module_dependency_fact")
    assert {draft.object: draft.metadata["names"] for draft in found} == expected


@pytest.mark.parametrize(
    ("path", "text", "files", "found"),
    [
        ("lib/a/b.rb", "require_relative 'c'", ["lib/a/c.rb"], "lib/a/c.rb"),
        ("lib/a.rb", "require 'a/c'", ["lib/a/c.rb", "a/c.rb"], "lib/a/c.rb"),
        ("gems/x/lib/a.rb", "require 'x/c'", ["gems/x/lib/x/c.rb", "lib/x/c.rb"], "gems/x/lib/x/c.rb"),
        ("spec/a/b_spec.rb", "require 'spec_helper'", ["spec/spec_helper.rb"], "spec/spec_helper.rb"),
        ("test/a_test.rb", "require 'a'", ["lib/a.rb"], "lib/a.rb"),
        ("x/lib/x.rb", "require 'a/b'", ["lib/a/b.rb"], "lib/a/b.rb"),
        ("a.rb", "require 'json'", ["json.rb"], None),
    ],
)
def test_an_import_names_the_file_that_it_means(
    path: str, text: str, files: list[str], found: str | None
) -> None:
    (draft,) = records(text, path, "module_dependency_fact", *files)
    assert draft.metadata.get("resolvedPath") == found


def test_tests_of_rspec_have_titles_that_name_nothing() -> None:
    text = """
    RSpec.describe Post::Parcel, type: :model do
      let(:parcel) { build(1) }
      def helper; end
      describe "#weigh" do
        context 'when light' do
          it "is 'small'" do
            expect(parcel.weigh).to eq(1)
          end
          it { is_expected.to be_valid }
          specify("x") { go(1) }
        end
      end
    end
    it "none"
    """
    found = symbols(text, "spec/parcel_spec.rb")
    assert {name: draft.metadata["nativeKind"] for name, draft in found.items()} == {
        "Post::Parcel.helper": "function",
        "Post::Parcel > #weigh > when light > is 'small'": "test",
        "Post::Parcel > #weigh > when light > x": "test",
    }
    small = found["Post::Parcel > #weigh > when light > is 'small'"]
    assert (small.symbols, small.metadata["test"]) == ((), True)
    assert small.metadata["calls"] == ["eq", "expect", "to", "weigh"]


def test_tests_of_minitest_and_rails_in_test_files() -> None:
    text = 'class ATest < T\n  def test_f; end\n  def tested; end\n  test "x" do\n    go(1)\n  end\n  should "y" do\n  end\nend\n'
    found = symbols(text, "test/a_test.rb")
    assert [name for name, draft in found.items() if draft.metadata["test"]] == [
        "ATest", "ATest.test_f", "ATest > x", "ATest > y",
    ]  # fmt: skip
    assert not any(draft.metadata["test"] for draft in symbols(text, "lib/a.rb").values())


@pytest.mark.parametrize(
    ("path", "test"),
    [("spec/a.rb", True), ("test/a.rb", True), ("lib/a_test.rb", True), ("lib/a_spec.rb", True),
     ("lib/test_a.rb", True), ("lib/latest.rb", False), ("lib/contest/a.rb", False)],
)  # fmt: skip
def test_files_of_tests(path: str, test: bool) -> None:
    (module,) = records("A = 1", path, "module_fact")
    assert module.metadata["test"] is test


@pytest.mark.parametrize(
    ("text", "said", "entry"),
    [
        ("# Says.\n\nclass A; end", "Says.", False),
        (
            "#!/usr/bin/env ruby\n# frozen_string_literal: true\n\n# Says.\nrequire 'a'\nclass A; end",
            "Says.",
            True,
        ),
        ("# Of A.\nclass A; end", None, False),
        ("# frozen_string_literal: true\n\n# Of A.\nclass A; end", None, False),
        ("# Copyright me\n# All rights\n\nclass A; end", None, False),
        ("class A; end\n# Says.\n", None, False),
        ("run(1) if __FILE__ == $0\n", None, True),
    ],
)
def test_a_file_is_documented_by_a_comment_that_is_of_nothing_else(
    text: str, said: str | None, entry: bool
) -> None:
    (module,) = records(text, "lib/a.rb", "module_fact")
    assert (module.metadata["docstring"], module.metadata["entryPoint"]) == (said, entry)


def test_files_are_known_by_name_too() -> None:
    for path in ("Rakefile", "Gemfile", "a.gemspec", "tasks/a.rake", "config.ru"):
        assert CodeExtractor().read(path, b"X = 1\n", NO_FILES).extractor.startswith("t2c/tree-sitter-ruby@")


def test_calls_are_named_whatever_they_are_called_on_and_however_long_the_chain() -> None:
    text = "def f(a = b.c)\n  d(1); e.g; h&.i!; J::k(1); L::M.new(2); n.map(&:o); self.p = 1; q; super(1); R('1')\nend"
    assert symbols(text)["f"].metadata["calls"] == ["M", "R", "d", "g", "i!", "k", "map", "p"]
    started = time.process_time()
    symbols("def f\n  x" + ".b(1)" * 900 + "\nend")
    assert time.process_time() - started < 10


def test_markers_are_read_from_every_kind_of_comment_and_from_no_text() -> None:
    text = (
        "#!/usr/bin/ruby TODO: none\n# TODO: one\n\n=begin\nTODO: two\n=end\n\n## TODO: three\nclass A\n  def f; end # TODO: four\nend\n"
        'S = "# TODO: none #{1}"\nH = <<~X\n  # TODO: none\nX\nW = %w[# TODO: none]\n__END__\n# TODO: none\n'
    )
    found = MarkerExtractor().read("lib/a.rb", text.encode(), NO_FILES).records
    assert [draft.text.split()[0] for draft in found] == ["one", "two", "three", "four"]
    assert all("comment_token" in draft.basis for draft in found)


def test_where_the_grammar_fails_lines_are_read() -> None:
    text = "class A\n" + "  def self.left(a, = }}] ( {\n" * 3 + "  def right\n"
    reading = CodeExtractor().read("lib/a.rb", text.encode(), NO_FILES)
    found = {
        (draft.symbol or "").rpartition(".")[2] for draft in reading.records if "line_fallback" in draft.basis
    }
    assert found & {"left", "right", "A"}


def test_a_block_of_comment_documents_too() -> None:
    assert symbols("=begin\nSays.\n=end\ndef f; end")["f"].metadata["docstring"] == "Says."


def test_bytes_of_another_encoding_hide_nothing_and_are_told() -> None:
    text = b"#!/usr/bin/ruby \xe9\n# caf\xe9\nrequire 'caf\xe9'\ndescribe 'caf\xe9' do\nend\nattr_reader 'caf\xe9'\ndef f; end\n"
    reading = CodeExtractor().read("lib/a.rb", text, NO_FILES)
    assert "undecodable_bytes" in {warning.reason for warning in reading.warnings}
    assert "f" in {draft.symbol for draft in reading.records}
