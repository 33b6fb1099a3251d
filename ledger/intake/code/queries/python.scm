; Python. Every pattern is decided at its entry or by its first child: none waits for a field behind nested
; children, which on long call chains would cost minutes.

(function_definition) @d.func
(class_definition) @d.type
(decorator) @deco
[(import_statement) (import_from_statement) (future_import_statement)] @imp
(assignment left: (identifier) @n) @d.const
((assignment left: (identifier) @_all) @exp (#eq? @_all "__all__"))
((augmented_assignment left: (identifier) @_all) @exp (#eq? @_all "__all__"))
(call function: (_) @call)
(comment) @com
