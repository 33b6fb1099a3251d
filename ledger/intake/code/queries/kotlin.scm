; Kotlin. Bodies, receivers and values are no fields here; the traits find them by their place.

(package_header (qualified_identifier) @n) @d.module
(class_declaration name: (identifier) @n) @d.type
(object_declaration name: (identifier) @n) @d.type
(companion_object) @d.type
(type_alias type: (identifier) @n) @d.type
(function_declaration name: (identifier) @n) @d.func
(secondary_constructor) @d.func
(property_declaration (variable_declaration . (identifier) @n)) @d.const

; Classes behind annotations, which the grammar may take for infix calls of `class`, two words at a time.
((infix_expression . (identifier) @_m . (identifier) @_c . [(identifier) @n (call_expression . (identifier) @n . [(annotated_lambda) (value_arguments)])]) @d.type
  (#any-of? @_c "class" "interface" "object")
  (#any-of? @_m "public" "private" "internal" "protected" "annotation" "enum" "data" "inner" "open" "abstract" "sealed" "value" "actual" "expect"))
((infix_expression . (identifier) @_c . (identifier) @n (lambda_literal)) @d.type
  (#any-of? @_c "class" "interface" "object"))
((infix_expression . (identifier) @_c . (identifier) @n @d.type (annotated_expression))
  (#any-of? @_c "class" "interface" "object"))
((infix_expression . (infix_expression . (identifier) . (identifier) . (identifier) @_c .) . (identifier) @n (lambda_literal)) @d.type
  (#any-of? @_c "class" "interface" "object"))
((infix_expression . (infix_expression . (identifier) . (identifier) . (identifier) @_c .) . (identifier) @n @d.type (annotated_expression))
  (#any-of? @_c "class" "interface" "object"))
((infix_expression . (infix_expression . (identifier) . (identifier) . (identifier) .) . (identifier) @_c . [(identifier) @n (call_expression . (identifier) @n . [(annotated_lambda) (value_arguments)])]) @d.type
  (#any-of? @_c "class" "interface" "object"))

; What an anonymous object holds is named by the property that it is the value of, or not at all.
(property_declaration (variable_declaration . (identifier) @n) (object_literal) @d.scope)
(object_literal) @d.scope
(enum_entry (identifier) @n (class_body)) @d.scope

; Tests have titles, not names: test("…") { }, "…" { }, describe("…") { }, "…" should { }.
((call_expression . (call_expression . (identifier) @_t (value_arguments . (value_argument . (string_literal) @n)))) @d.func
  (#any-of? @_t "test" "it" "should" "expect" "scenario" "then" "Then"))
((call_expression . (call_expression . (navigation_expression . (call_expression . (identifier) @_t (value_arguments . (value_argument . (string_literal) @n)))))) @d.func
  (#any-of? @_t "test" "it" "should" "expect" "scenario" "then" "Then"))
(call_expression . (string_literal) @n @_t . (annotated_lambda)) @d.func
((call_expression . (call_expression . (identifier) @_g (value_arguments . (value_argument . (string_literal) @n)))) @d.scope
  (#any-of? @_g "describe" "context" "feature" "given" "Given" "When"))
((infix_expression . (string_literal) @n . (identifier) @_g . (lambda_literal)) @d.scope
  (#any-of? @_g "should" "when" "Should" "When"))

(import) @imp
(call_expression . (_) @call)
(class_declaration . (modifiers (annotation) @deco))
(object_declaration . (modifiers (annotation) @deco))
(companion_object . (modifiers (annotation) @deco))
(type_alias . (modifiers (annotation) @deco))
(function_declaration . (modifiers (annotation) @deco))
(secondary_constructor . (modifiers (annotation) @deco))
(property_declaration . (modifiers (annotation) @deco))
(annotated_expression . (annotation) @deco (annotated_expression))
(annotated_expression . (annotation) @deco (infix_expression))
(annotated_expression . (annotation) . (parenthesized_expression)) @deco
(ERROR (modifiers (annotation) @deco))
(line_comment) @com
(block_comment) @com
