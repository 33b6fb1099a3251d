; What JavaScript and TypeScript share. A pattern that looks at a value or an argument is decided when that child
; is entered, and what stands before it is a leaf.

(function_declaration name: (identifier) @n) @d.func
(generator_function_declaration name: (identifier) @n) @d.func
(class_declaration name: (_) @n) @d.type
(method_definition name: (_) @n) @d.func
(variable_declarator name: (identifier) @n value: [(arrow_function) (function_expression) (generator_function)]) @d.func
(variable_declarator name: (identifier) @n value: (class)) @d.type
(pair key: (property_identifier) @n value: [(arrow_function) (function_expression) (generator_function)]) @d.func
(assignment_expression left: (member_expression) @n right: [(arrow_function) (function_expression) (generator_function)]) @d.func
(assignment_expression left: (member_expression) @n right: (class)) @d.type
(export_statement value: [(arrow_function) (function_expression) (generator_function)] @d.func)
(export_statement value: (class) @d.type)

(program (lexical_declaration (variable_declarator name: (identifier) @n) @d.const))
(program (variable_declaration (variable_declarator name: (identifier) @n) @d.const))
(export_statement (lexical_declaration (variable_declarator name: (identifier) @n) @d.const))
(export_statement (variable_declaration (variable_declarator name: (identifier) @n) @d.const))
(program (lexical_declaration (variable_declarator name: (identifier) @n value: (object)) @d.scope))
(program (variable_declaration (variable_declarator name: (identifier) @n value: (object)) @d.scope))
(program (expression_statement (assignment_expression left: (member_expression) @n right: (object)) @d.scope))
(program (expression_statement (assignment_expression left: (member_expression) @n) @d.const))

; What stands in an object that the file exports as a whole, or gives to a call that it exports.
((assignment_expression left: (member_expression) @_m right: (object (method_definition name: (_) @n) @d.func) @_whole)
  (#match? @_m "^(module[.])?exports"))
((assignment_expression left: (member_expression) @_m right: (object (pair key: (property_identifier) @n value: [(arrow_function) (function_expression) (generator_function)]) @d.func) @_whole)
  (#match? @_m "^(module[.])?exports"))
(export_statement value: (object (method_definition name: (_) @n) @d.func) @_whole)
(export_statement value: (object (pair key: (property_identifier) @n value: [(arrow_function) (function_expression) (generator_function)]) @d.func) @_whole)
(export_statement value: (call_expression arguments: (arguments (object (method_definition name: (_) @n) @d.func) @_whole)))
(export_statement value: (call_expression arguments: (arguments (object (pair key: (property_identifier) @n value: [(arrow_function) (function_expression) (generator_function)]) @d.func) @_whole)))
((assignment_expression left: (member_expression) @_m right: (object (pair key: (property_identifier) @n value: (object)) @d.scope) @_whole)
  (#match? @_m "^(module[.])?exports"))
(export_statement value: (object (pair key: (property_identifier) @n value: (object)) @d.scope) @_whole)
(export_statement value: (call_expression arguments: (arguments (object (pair key: (property_identifier) @n value: (object)) @d.scope) @_whole)))

; Tests have titles, not names.
((call_expression function: (identifier) @_t arguments: (arguments . [(string) (template_string)] @n)) @d.func
  (#any-of? @_t "it" "test" "specify"))
((call_expression function: (member_expression object: (identifier) @_t) arguments: (arguments . [(string) (template_string)] @n)) @d.func
  (#any-of? @_t "it" "test" "specify"))
((call_expression function: (call_expression function: (member_expression object: (identifier) @_t)) arguments: (arguments . [(string) (template_string)] @n)) @d.func
  (#any-of? @_t "it" "test" "specify"))
((call_expression function: (call_expression function: (member_expression object: (identifier) @_g)) arguments: (arguments . [(string) (template_string)] @n)) @d.scope
  (#any-of? @_g "describe" "context" "suite"))
((call_expression function: (identifier) @_g arguments: (arguments . [(string) (template_string)] @n)) @d.scope
  (#any-of? @_g "describe" "context" "suite"))
((call_expression function: (member_expression object: (identifier) @_g) arguments: (arguments . [(string) (template_string)] @n)) @d.scope
  (#any-of? @_g "describe" "context" "suite"))

(import_statement) @imp
(export_statement source: (string)) @imp
((call_expression function: (identifier) @_r arguments: (arguments . (string) .)) @imp (#eq? @_r "require"))
(call_expression function: (import) arguments: (arguments . (string))) @imp

(export_specifier name: (identifier) @exp)
(export_statement value: (identifier) @exp)
((assignment_expression left: (member_expression) @_m right: (identifier) @exp)
  (#match? @_m "^(module[.])?exports([.]|$)"))
((assignment_expression left: (member_expression) @_m right: (object) @exp) (#eq? @_m "module.exports"))

(call_expression function: (_) @call)
(new_expression constructor: (_) @call)
(decorator) @deco
(comment) @com
