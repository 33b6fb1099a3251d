; What JavaScript alone has, or calls otherwise than TypeScript.

(field_definition property: (_) @n value: [(arrow_function) (function_expression)]) @d.func
(field_definition property: (_) @n value: (class)) @d.type
(field_definition property: (property_identifier) @n) @d.const
(html_comment) @com
