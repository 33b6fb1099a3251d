; Scala 2 and 3. Tests have titles; what holds a title stands at the entry of its node or in its first child.

(package_clause name: (package_identifier) @n) @d.module
(class_definition name: (_) @n) @d.type
(object_definition name: (_) @n) @d.type
(package_object name: (_) @n) @d.type
(trait_definition name: (_) @n) @d.type
(enum_definition name: (_) @n) @d.type
(type_definition name: (_) @n) @d.type
(function_definition name: (_) @n) @d.func
(function_declaration name: (_) @n) @d.func
(val_definition pattern: (identifier) @n) @d.const
(given_definition) @d.const
(extension_definition) @d.scope

; What an anonymous class holds is named by the value that it is, or not at all.
(val_definition pattern: (identifier) @n value: (instance_expression (template_body)) @d.scope)
(instance_expression (template_body)) @d.scope

((call_expression . (call_expression . (identifier) @_t . (arguments . (string) @n))) @d.func
  (#any-of? @_t "test" "it" "they" "property" "scenario" "Scenario" "testAsync" "pureTest" "simpleTest" "ignore"))
((assignment_expression . (call_expression . (identifier) @_t . (arguments . (string) @n))) @d.func
  (#any-of? @_t "property" "propertyWithSeed"))
((call_expression . (call_expression . (identifier) @_g . (arguments . (string) @n))) @d.scope
  (#any-of? @_g "describe" "suite" "feature" "Feature" "group"))
((infix_expression . (infix_expression . [(string) (identifier)] @_s . (identifier) @_v . (string) @n) . (identifier) @_t) @d.func
  (#any-of? @_v "should" "must" "can") (#eq? @_t "in"))
((infix_expression . (infix_expression . (string) @n . (identifier) @_w . (_)) . (identifier) @_t) @d.func
  (#eq? @_w "taggedAs") (#eq? @_t "in"))
((infix_expression . (string) @n . (identifier) @_t . (_)) @d.func (#eq? @_t "in"))
((infix_expression . (string) @n . [(identifier) (operator_identifier)] @_g . [(block) (indented_block)]) @d.scope
  (#any-of? @_g "should" "must" "can" "when" "which" "that" "-"))

(import_declaration) @imp
(call_expression . (_) @call)
(instance_expression . [(type_identifier) (generic_type) (stable_type_identifier)] @call)
(class_definition (annotation) @deco)
(object_definition (annotation) @deco)
(trait_definition (annotation) @deco)
(enum_definition (annotation) @deco)
(type_definition (annotation) @deco)
(function_definition (annotation) @deco)
(function_declaration (annotation) @deco)
(val_definition (annotation) @deco)
(comment) @com
(block_comment) @com
