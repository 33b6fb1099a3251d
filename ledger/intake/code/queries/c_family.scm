; What C and C++ share. A declarator is decided level by level from the declaration down: nothing waits for what
; stands behind a nested child, except the names of a typedef and of
; what has its type written out, and few of these stand in each other.

(function_definition) @d.func
(declaration declarator: (function_declarator declarator: (identifier) @n)) @d.func
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @n))) @d.func
(declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @n)))) @d.func
(declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @n))))) @d.func
(declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (function_declarator declarator: (identifier) @n))))) @d.func
(declaration declarator: (function_declarator declarator: (function_declarator declarator: (identifier) @n))) @d.func
(declaration declarator: (function_declarator declarator: (parenthesized_declarator . (identifier) @n .))) @d.func
(preproc_function_def name: (identifier) @n) @d.func

(struct_specifier name: (_) @n body: (_)) @d.type
(union_specifier name: (_) @n body: (_)) @d.type
(enum_specifier name: (_) @n body: (_)) @d.type
(function_definition type: (struct_specifier !body) declarator: (identifier) @n) @d.type
(type_definition) @d.type
(type_definition declarator: (_) @d.type) @_typedef

; What a framework makes a test of: a call and a block of its own to the grammar.
((expression_statement (call_expression function: (identifier) @_t arguments: (argument_list . (_) @n))) @_test
  . (compound_statement) @d.func
  (#match? @_t "^(([A-Z][A-Z_]*_)?TEST(_[FPEI]|_CASE|_METHOD|_CASE_METHOD)?|UTEST(_[FI])?|(Parameterized)?Test|SCENARIO)$"))

(declaration declarator: (_) @n) @d.const
(declaration type: (_ body: (_)) declarator: (_) @d.const) @_whole
(declaration declarator: (_) @d.const . ",") @_whole
(declaration "," . declarator: (_) @d.const) @_whole
; `type (*name)(void);` is a call to the grammar, `type * (*name)(a *b);` a product. Those in functions really are.
(expression_statement (binary_expression left: (identifier) right: (call_expression function: (parenthesized_expression (pointer_expression argument: (identifier) @n))))) @d.const
(expression_statement (call_expression function: (call_expression function: (identifier) arguments: (argument_list . (pointer_expression argument: (identifier) @n) .)))) @d.const
(expression_statement (assignment_expression left: (call_expression function: (call_expression function: (identifier) arguments: (argument_list . (pointer_expression argument: (identifier) @n) .))))) @d.const
(preproc_def name: (identifier) @n) @d.const
(enum_specifier !name body: (enumerator_list (enumerator name: (identifier) @n) @d.const))

(preproc_include) @imp
(call_expression function: (_) @call)
(comment) @com
