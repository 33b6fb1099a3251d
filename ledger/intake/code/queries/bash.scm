; Shell. Everything is a command; a test of Bats is shown to the grammar as a function.

(function_definition name: (word) @n) @d.func
(program (variable_assignment name: (variable_name) @n) @d.const)
(program (declaration_command (variable_assignment name: (variable_name) @n)) @d.const)

((command name: (command_name (word) @_s) . argument: (_) @_file) @imp
  (#any-of? @_s "source" "." "\\." "load" "bats_load_library"))

(command name: (command_name) @call)
; What these run is called as well.
((command name: (command_name (word) @_by) . argument: (word) @call)
  (#any-of? @_by "run" "command" "exec" "sudo" "time" "nohup" "env" "xargs"))
((command name: (command_name (word) @_by) . argument: (_) @_flag . argument: (word) @call)
  (#eq? @_by "run") (#match? @_flag "^[-!]"))

(comment) @com
