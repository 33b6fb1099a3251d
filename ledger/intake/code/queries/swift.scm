; Swift. A return type carries the field `name` too: the name of a function is the first.

(class_declaration name: (type_identifier) @n) @d.type
(class_declaration name: [(user_type) (array_type) (dictionary_type) (optional_type)] @n) @d.scope
(protocol_declaration name: (type_identifier) @n) @d.type
(typealias_declaration name: (type_identifier) @n) @d.type
(associatedtype_declaration name: (type_identifier) @n) @d.type
(function_declaration) @d.func
(protocol_function_declaration) @d.func
(init_declaration) @d.func
(deinit_declaration) @d.func
(subscript_declaration) @d.func
(macro_declaration (simple_identifier) @n) @d.func
(property_declaration name: (pattern bound_identifier: (simple_identifier) @n)) @d.const

; Tests of Quick have titles, not names.
((call_expression . (simple_identifier) @_t . (call_suffix . (value_arguments . (value_argument value: (line_string_literal) @n)))) @d.func
  (#any-of? @_t "it" "fit" "xit"))
((call_expression . (simple_identifier) @_g . (call_suffix . (value_arguments . (value_argument value: (line_string_literal) @n)))) @d.scope
  (#any-of? @_g "describe" "context" "fdescribe" "fcontext" "xdescribe" "xcontext"))

(import_declaration) @imp

; `a[0]` is a call for the grammar; it can be told from one where the callee is a plain name.
(call_expression . (simple_identifier) @call . (call_suffix . [(lambda_literal) (value_arguments . "(")]))
(call_expression . [(navigation_expression) (postfix_expression) (prefix_expression)] @call)
(constructor_expression constructed_type: (_) @call)
(macro_invocation . (simple_identifier) @call)

(class_declaration . (modifiers (attribute) @deco))
(protocol_declaration . (modifiers (attribute) @deco))
(typealias_declaration . (modifiers (attribute) @deco))
(function_declaration . (modifiers (attribute) @deco))
(protocol_function_declaration . (modifiers (attribute) @deco))
(init_declaration . (modifiers (attribute) @deco))
(subscript_declaration . (modifiers (attribute) @deco))
(macro_declaration . (modifiers (attribute) @deco))
(property_declaration . (modifiers (attribute) @deco))
(comment) @com
(multiline_comment) @com
