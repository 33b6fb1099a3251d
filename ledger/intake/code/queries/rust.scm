; Rust. What a macro is given is a tree of tokens: a name right before parentheses there is taken for a call.

(function_item name: (_) @n) @d.func
(function_signature_item name: (_) @n) @d.func
(macro_definition name: (_) @n) @d.func
(struct_item name: (_) @n) @d.type
(enum_item name: (_) @n) @d.type
(union_item name: (_) @n) @d.type
(trait_item name: (_) @n) @d.type
(type_item name: (_) @n) @d.type
(associated_type name: (_) @n) @d.type
(const_item name: (_) @n) @d.const
(static_item name: (_) @n) @d.const
(mod_item name: (_) @n body: (_)) @d.module
(impl_item) @d.scope

; The types that a file keeps to itself: what is implemented for them is open to nobody either.
(struct_item . "struct" name: (_) @exp)
(enum_item . "enum" name: (_) @exp)
(union_item . "union" name: (_) @exp)
(struct_item (visibility_modifier (_)) name: (_) @exp)
(enum_item (visibility_modifier (_)) name: (_) @exp)
(union_item (visibility_modifier (_)) name: (_) @exp)

(source_file (use_declaration) @imp)
(block (use_declaration) @imp)
(mod_item name: (_) @_inside body: (declaration_list (use_declaration) @imp))
(source_file (mod_item name: (_) !body) @imp)
(extern_crate_declaration) @imp

(call_expression function: (_) @call)
(generic_function function: (_) @call)
(macro_invocation macro: (_) @call)
(token_tree (identifier) @call . (token_tree "("))
; Attributes of items; not those of fields, variants and statements.
(source_file (attribute_item) @deco)
(declaration_list (attribute_item) @deco)
(block (attribute_item) @deco . [(function_item) (struct_item) (enum_item) (attribute_item)])
(line_comment) @com
(block_comment) @com
