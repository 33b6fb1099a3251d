; Ruby. The name of a call comes after its receiver, so it is asked for by its neighbour: the dot before it. A name
; without receiver and arguments may be a variable and is no call.

(class) @d.type
(module) @d.type
(singleton_class) @d.scope
((assignment left: (constant) @n right: (call receiver: (constant) @_maker method: (identifier) @_make)) @d.type
  (#any-of? @_maker "Struct" "Class" "Module" "Data")
  (#any-of? @_make "new" "define"))
(method) @d.func
(singleton_method object: (_) @recv) @d.func
(alias) @d.func
((call . method: (identifier) @_attribute arguments: (argument_list [(simple_symbol) (string)] @d.func))
  (#any-of? @_attribute "attr_reader" "attr_writer" "attr_accessor" "cattr_accessor" "mattr_accessor" "class_attribute"))
((call . method: (identifier) @_alias arguments: (argument_list . (simple_symbol) @d.func)) (#eq? @_alias "alias_method"))
((call . method: (identifier) @_define arguments: (argument_list . [(simple_symbol) (string)] @n)) @d.func
  (#any-of? @_define "define_method" "define_singleton_method"))
(assignment left: (constant) @n) @d.const
(assignment left: (scope_resolution) @n) @d.const
(operator_assignment left: (constant) @n) @d.const
(left_assignment_list (constant) @d.const)

; Tests that have titles, and groups of them, which may be named after a class.
((call . method: (identifier) @_t arguments: (argument_list . [(string) (chained_string)] @n) block: (_)) @d.func
  (#any-of? @_t "it" "specify" "example" "scenario" "test" "should" "xit" "fit" "property"))
((call . method: (identifier) @_g arguments: (argument_list . [(string) (chained_string) (constant) (scope_resolution) (simple_symbol)] @n) block: (_)) @d.scope
  (#any-of? @_g "describe" "context" "feature" "xdescribe" "fdescribe" "shared_examples" "shared_context" "shared_examples_for"))
((call receiver: (constant) @_r method: (identifier) @_g arguments: (argument_list . [(string) (chained_string) (constant) (scope_resolution) (simple_symbol)] @n) block: (_)) @d.scope
  (#eq? @_r "RSpec")
  (#any-of? @_g "describe" "context" "feature" "shared_examples" "shared_context" "shared_examples_for"))

((call . method: (identifier) @_i arguments: (argument_list)) @imp
  (#any-of? @_i "require" "require_relative" "load" "autoload"))

((body_statement (identifier) @section) (#any-of? @section "private" "public" "protected" "module_function"))
((program (identifier) @section) (#any-of? @section "private" "public"))
; What the file keeps to itself by name.
((call . method: (identifier) @_hide arguments: (argument_list [(simple_symbol) (string)] @exp))
  (#any-of? @_hide "private" "protected" "private_class_method" "private_constant"))

(call . method: [(identifier) (constant)] @call)
("." . [(identifier) (constant)] @call)
("&." . [(identifier) (constant)] @call)
("::" . (identifier) @call)
((call receiver: [(constant) (scope_resolution)] @call method: (identifier) @_new) (#eq? @_new "new"))

(comment) @com
