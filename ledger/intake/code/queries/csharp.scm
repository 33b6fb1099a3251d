; C#. Attributes stand inside of what they belong to; those of parameters and statements are left to themselves.

(namespace_declaration name: (_) @n) @d.module
(file_scoped_namespace_declaration name: (_) @n) @d.module

(class_declaration name: (_) @n) @d.type
(struct_declaration name: (_) @n) @d.type
(interface_declaration name: (_) @n) @d.type
(enum_declaration name: (_) @n) @d.type
(record_declaration name: (_) @n) @d.type
(delegate_declaration name: (_) @n) @d.type

(method_declaration) @d.func
(constructor_declaration name: (_) @n) @d.func
(destructor_declaration name: (_) @n) @d.func
(operator_declaration) @d.func
(conversion_operator_declaration) @d.func
(indexer_declaration) @d.func
(property_declaration) @d.func
(event_declaration) @d.func
(event_field_declaration (variable_declaration type: (_) . (variable_declarator name: (_) @n))) @d.func
(local_function_statement name: (_) @n) @d.func

(field_declaration (variable_declaration type: (_) . (variable_declarator name: (_) @n) @d.const)) @_field
(field_declaration (variable_declaration (variable_declarator name: (_) @n) @d.const)) @_later

(using_directive) @imp
(invocation_expression function: (_) @call)
(object_creation_expression type: (_) @call)
(comment) @com

(class_declaration (attribute_list (attribute) @deco))
(struct_declaration (attribute_list (attribute) @deco))
(interface_declaration (attribute_list (attribute) @deco))
(enum_declaration (attribute_list (attribute) @deco))
(record_declaration (attribute_list (attribute) @deco))
(delegate_declaration (attribute_list (attribute) @deco))
(method_declaration (attribute_list (attribute) @deco))
(constructor_declaration (attribute_list (attribute) @deco))
(operator_declaration (attribute_list (attribute) @deco))
(conversion_operator_declaration (attribute_list (attribute) @deco))
(indexer_declaration (attribute_list (attribute) @deco))
(property_declaration (attribute_list (attribute) @deco))
(event_declaration (attribute_list (attribute) @deco))
(event_field_declaration (attribute_list (attribute) @deco))
(field_declaration (attribute_list (attribute) @deco))
