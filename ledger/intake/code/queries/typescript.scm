; What TypeScript has beyond JavaScript, or calls otherwise.

(abstract_class_declaration name: (type_identifier) @n) @d.type
(interface_declaration name: (type_identifier) @n) @d.type
(enum_declaration name: (identifier) @n) @d.type
(type_alias_declaration name: (type_identifier) @n) @d.type
(internal_module name: (_) @n) @d.module
(module name: (_) @n) @d.module
(function_signature name: (identifier) @n) @d.func
(method_signature name: (_) @n) @d.func
(abstract_method_signature name: (_) @n) @d.func
(public_field_definition name: (_) @n value: [(arrow_function) (function_expression)]) @d.func
(public_field_definition name: (_) @n value: (class)) @d.type
(public_field_definition name: (property_identifier) @n) @d.const
(import_alias) @imp
(export_statement value: (_ . (object (method_definition name: (_) @n) @d.func) @_whole))
(export_statement value: (_ . (object (pair key: (property_identifier) @n value: [(arrow_function) (function_expression) (generator_function)]) @d.func) @_whole))
(export_statement value: (_ . (object (pair key: (property_identifier) @n value: (object)) @d.scope) @_whole))
