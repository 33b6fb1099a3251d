; Lua. Functions are values: of a name, of a field, of an entry of a table. What stands before a value is short.

(function_declaration name: (_) @n) @d.func
(assignment_statement (variable_list . name: (_) @n) (expression_list . value: (function_definition))) @d.func
(field name: (_) @n value: (function_definition)) @d.func
(field name: (_) @n value: (table_constructor)) @d.scope

; The tables of a file, and what stands in the one that is its module or that it returns right away.
(chunk (variable_declaration (assignment_statement (variable_list . name: (_) @n) (expression_list . value: (table_constructor)))) @d.scope)
(chunk (assignment_statement (variable_list . name: (_) @n) (expression_list . value: (table_constructor))) @d.scope)
(chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @_own) (expression_list . value: (table_constructor (field name: (_) @n value: (function_definition)) @d.func)))))
(chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @_own) (expression_list . value: (table_constructor (field name: (_) @n value: (table_constructor)) @d.scope)))))
(chunk (return_statement (expression_list (table_constructor (field name: (_) @n value: (function_definition) @_returned) @d.func))))
(chunk (return_statement (expression_list (table_constructor (field name: (_) @n value: (table_constructor) @_returned) @d.scope))))

; Classes are tables as well: the traits know which.
(chunk (variable_declaration (assignment_statement (variable_list . name: (_) @n) (expression_list . value: (_)))) @d.type)
(chunk (assignment_statement (variable_list . name: (_) @n) (expression_list . value: (_))) @d.type)

(chunk (variable_declaration (assignment_statement (variable_list name: (_) @n))) @d.const)
(chunk (assignment_statement (variable_list name: (_) @n)) @d.const)

; Tests have titles, not names (busted).
((function_call name: (identifier) @_t arguments: (arguments . (string) @n)) @d.func
  (#any-of? @_t "it" "test" "spec" "pending"))
((function_call name: (identifier) @_g arguments: (arguments . (string) @n . (function_definition))) @d.scope
  (#any-of? @_g "describe" "context" "insulate" "expose"))

((function_call name: (identifier) @_r arguments: (arguments . (string) .)) @imp
  (#any-of? @_r "require" "dofile" "loadfile"))
((function_call name: (identifier) @_p arguments: (arguments . (identifier) @_r . (string))) @imp
  (#any-of? @_p "pcall" "xpcall") (#eq? @_r "require"))

(chunk (return_statement (expression_list (_) @exp)))
(chunk (assignment_statement (variable_list . name: (dot_index_expression) .) (expression_list . value: (identifier) .)) @exp)

(function_call name: (_) @call)
(comment) @com
