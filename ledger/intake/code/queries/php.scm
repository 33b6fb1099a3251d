; PHP. The name of a method that is called comes after the object, so it is asked for by its neighbours: an arrow or
; a double colon before it and arguments behind it.

(namespace_definition name: (_) @n) @d.module
(class_declaration) @d.type
(interface_declaration) @d.type
(trait_declaration) @d.type
(enum_declaration) @d.type
(anonymous_class) @d.scope
(function_definition) @d.func
(method_declaration) @d.func
(const_element . (name) @n) @d.const
(enum_case) @d.const
((function_call_expression function: (name) @_define arguments: (arguments . (argument (string) @n))) @d.const
  (#eq? @_define "define"))

; Tests of Pest have titles, not names.
((function_call_expression function: (name) @_t arguments: (arguments . (argument [(string) (encapsed_string)] @n) . (argument [(anonymous_function) (arrow_function)]))) @d.func
  (#any-of? @_t "it" "test"))
((function_call_expression function: (name) @_g arguments: (arguments . (argument [(string) (encapsed_string)] @n) . (argument [(anonymous_function) (arrow_function)]))) @d.scope
  (#eq? @_g "describe"))

(namespace_use_declaration) @imp
(require_expression) @imp
(require_once_expression) @imp
(include_expression) @imp
(include_once_expression) @imp

(function_call_expression function: [(name) (qualified_name) (relative_name)] @call)
("->" . (name) @call . (arguments))
("?->" . (name) @call . (arguments))
("::" . (name) @call . (arguments))
("new" . [(name) (qualified_name)] @call)

; Attributes of what is a record; not those of parameters and properties.
(class_declaration attributes: (attribute_list (attribute_group (attribute) @deco)))
(interface_declaration attributes: (attribute_list (attribute_group (attribute) @deco)))
(trait_declaration attributes: (attribute_list (attribute_group (attribute) @deco)))
(enum_declaration attributes: (attribute_list (attribute_group (attribute) @deco)))
(function_definition attributes: (attribute_list (attribute_group (attribute) @deco)))
(method_declaration attributes: (attribute_list (attribute_group (attribute) @deco)))
(enum_case attributes: (attribute_list (attribute_group (attribute) @deco)))

(comment) @com
