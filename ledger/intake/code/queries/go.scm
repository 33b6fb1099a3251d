; Go. A call with type arguments, `f[int](1)`, is parsed as a conversion.

(package_clause (package_identifier) @n) @d.module
(function_declaration) @d.func
(method_declaration receiver: (parameter_list) @recv) @d.func
(method_elem) @d.func
(type_spec) @d.type
(type_alias) @d.type
(source_file (const_declaration (const_spec name: (identifier) @n) @d.const))
(source_file (var_declaration (var_spec name: (identifier) @n) @d.const))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @n) @d.const)))
(import_spec) @imp
(call_expression function: (_) @call)
(type_conversion_expression type: (generic_type) @call)
(comment) @com
