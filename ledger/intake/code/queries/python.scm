; One combined query: each further one would walk the whole tree again.
; Every pattern is decided at its entry or by its first child: none waits for a field behind nested children,
; which on long call chains would cost minutes.

(function_definition) @function
(class_definition) @class
(decorator) @decorator
[(import_statement) (import_from_statement) (future_import_statement)] @import
(assignment left: (identifier)) @assignment
(augmented_assignment left: (identifier)) @extension
(call function: (_) @call)
