; What C alone has. Attributes of the compiler are the nearest to decorators.

(attribute_specifier (argument_list . (identifier) @deco))
(attribute_specifier (argument_list . (call_expression) @deco))
(attribute_declaration (attribute) @deco)
