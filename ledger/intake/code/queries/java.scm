; Java. The name of a call comes after the object that it is called on, so it is asked for by its neighbours: a dot
; before it and arguments behind it.

(package_declaration [(scoped_identifier) (identifier)] @n) @d.module
(class_declaration) @d.type
(interface_declaration) @d.type
(enum_declaration) @d.type
(record_declaration) @d.type
(annotation_type_declaration) @d.type
(method_declaration) @d.func
(constructor_declaration) @d.func
(compact_constructor_declaration) @d.func
(annotation_type_element_declaration) @d.func
(field_declaration declarator: (variable_declarator name: (identifier) @n)) @d.const
(constant_declaration declarator: (variable_declarator name: (identifier) @n)) @d.const
(enum_constant) @d.const
(variable_declarator name: (identifier) @n value: (object_creation_expression)) @d.scope

(import_declaration) @imp
(requires_module_directive) @imp

(method_invocation . name: (identifier) @call)
("." . (identifier) @call . (argument_list))
("." . (type_arguments) . (identifier) @call)
("new" . [(type_identifier) (scoped_type_identifier)] @call . (argument_list))
("new" . (generic_type . (_) @call) . (argument_list))

; Annotations of what is a record; not those of parameters and variables.
(class_declaration (modifiers [(annotation) (marker_annotation)] @deco))
(interface_declaration (modifiers [(annotation) (marker_annotation)] @deco))
(enum_declaration (modifiers [(annotation) (marker_annotation)] @deco))
(record_declaration (modifiers [(annotation) (marker_annotation)] @deco))
(annotation_type_declaration (modifiers [(annotation) (marker_annotation)] @deco))
(method_declaration (modifiers [(annotation) (marker_annotation)] @deco))
(constructor_declaration (modifiers [(annotation) (marker_annotation)] @deco))
(compact_constructor_declaration (modifiers [(annotation) (marker_annotation)] @deco))
(annotation_type_element_declaration (modifiers [(annotation) (marker_annotation)] @deco))
((field_declaration (modifiers [(annotation) (marker_annotation)] @deco "static" "final") declarator: (variable_declarator name: (identifier) @_n))
  (#match? @_n "^[A-Z_][A-Z0-9_]*$"))
(enum_constant (modifiers [(annotation) (marker_annotation)] @deco))

(line_comment) @com
(block_comment) @com
