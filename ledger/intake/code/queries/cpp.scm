; What C++ has beyond C. A template takes its parameters in: the same definition also matches without it, later.

(template_declaration [
  (class_specifier name: (_) @n body: (_))
  (struct_specifier name: (_) @n body: (_))
  (union_specifier name: (_) @n body: (_))
  (alias_declaration name: (_) @n)
  (concept_definition name: (_) @n)
] @d.type) @_template
(template_declaration (function_definition) @d.func) @_template
(template_declaration (declaration declarator: (function_declarator declarator: (_) @n)) @d.func) @_template
(template_declaration (declaration declarator: (reference_declarator (function_declarator declarator: (_) @n))) @d.func) @_template
(template_declaration (declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @n))) @d.func) @_template

(namespace_definition name: (_) @n) @d.module
; What a namespace without a name holds is marked from its first word to its last brace.
(namespace_definition !name . "namespace" @section)
(namespace_definition !name body: (declaration_list "}" @section .))
(access_specifier) @section
((labeled_statement label: (statement_identifier) @section) (#any-of? @section "public" "protected" "private"))

(class_specifier name: (_) @n body: (_)) @d.type
(function_definition type: (class_specifier !body) declarator: (identifier) @n) @d.type
(alias_declaration name: (_) @n) @d.type
(concept_definition name: (_) @n) @d.type

(declaration declarator: (function_declarator declarator: [(operator_name) (destructor_name) (qualified_identifier) (template_function)] @n)) @d.func
(declaration declarator: (init_declarator declarator: (function_declarator declarator: [(identifier) (operator_name) (destructor_name)] @n))) @d.func
(declaration declarator: (reference_declarator (function_declarator declarator: (_) @n))) @d.func
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: [(operator_name) (qualified_identifier)] @n))) @d.func
(declaration declarator: (operator_cast) @n) @d.func
(field_declaration declarator: (function_declarator declarator: [(field_identifier) (operator_name) (destructor_name)] @n)) @d.func
(field_declaration declarator: (reference_declarator (function_declarator declarator: (_) @n))) @d.func
(field_declaration declarator: (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @n))) @d.func
(field_declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @n)))) @d.func
(field_declaration declarator: (pointer_declarator declarator: (reference_declarator (function_declarator declarator: (field_identifier) @n)))) @d.func
(field_declaration declarator: (operator_cast) @n) @d.func

((field_declaration . (storage_class_specifier) @_static declarator: (_) @n) @d.const (#eq? @_static "static"))
((field_declaration . (_) . (storage_class_specifier) @_static declarator: (_) @n) @d.const (#eq? @_static "static"))

(new_expression type: (_) @call)
(compound_literal_expression type: (_) @call)
(function_definition (attribute_declaration (attribute) @deco))
(declaration (attribute_declaration (attribute) @deco))
(field_declaration (attribute_declaration (attribute) @deco))
(class_specifier (attribute_declaration (attribute) @deco))
(struct_specifier (attribute_declaration (attribute) @deco))
