; Elixir. Everything is a call: what it defines is told by its first word. A node behind another is asked for only
; where the first cannot hold others.

((call target: (identifier) @_k (arguments . (alias) @n)) @d.type
  (#any-of? @_k "defmodule" "defprotocol" "defimpl"))
((call target: (identifier) @_k (arguments . (dot left: (identifier) @_own_name) @n)) @d.type
  (#eq? @_k "defmodule") (#eq? @_own_name "__MODULE__"))

((call target: (identifier) @_k (arguments . (call target: (identifier) @n))) @d.func
  (#any-of? @_k "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defn" "defnp"))
((call target: (identifier) @_k (arguments . (identifier) @n)) @d.func
  (#any-of? @_k "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defn" "defnp"))
((call target: (identifier) @_k (arguments . (binary_operator left: (call target: (identifier) @n)) @_by)) @d.func
  (#any-of? @_k "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defn" "defnp"))
((call target: (identifier) @_k (arguments . (binary_operator left: (_) @n) @_by)) @d.func
  (#any-of? @_k "def" "defp" "defmacro" "defmacrop"))
((call target: (identifier) @_k (arguments . (binary_operator left: (binary_operator left: (_) @n) @_by))) @d.func
  (#any-of? @_k "def" "defp" "defmacro" "defmacrop"))

; Attributes of a module.
((unary_operator operand: (call target: (identifier) @_k (arguments . (binary_operator left: (identifier) @n)))) @d.type
  (#any-of? @_k "type" "typep" "opaque"))
((unary_operator operand: (call target: (identifier) @_k (arguments . (binary_operator left: (call target: (identifier) @n))))) @d.type
  (#any-of? @_k "type" "typep" "opaque"))
((unary_operator operand: (call target: (identifier) @_k (arguments . (binary_operator left: (call target: (identifier) @n))))) @d.func
  (#any-of? @_k "callback" "macrocallback"))
((unary_operator operand: (call target: (identifier) @_k (arguments . (binary_operator left: (binary_operator left: (call target: (identifier) @n)))))) @d.func
  (#any-of? @_k "callback" "macrocallback"))
((unary_operator operand: (call target: (identifier) @n (arguments))) @d.const
  (#match? @d.const "^@"))
((binary_operator left: (unary_operator operand: (identifier) @_k)) @deco
  (#any-of? @_k "spec" "impl" "deprecated" "dialyzer" "tag" "decorate"))
((binary_operator left: (unary_operator operand: (identifier) @_k) right: (charlist)) @deco
  (#any-of? @_k "doc" "typedoc"))
((binary_operator left: (unary_operator operand: (identifier) @_k) right: [(string) (sigil)]) @com
  (#any-of? @_k "doc" "typedoc"))

; Tests have titles, not names.
((call target: (identifier) @_t (arguments . (string) @n)) @d.func (#any-of? @_t "test" "property"))
((call target: (identifier) @_g (arguments . (string) @n)) @d.scope (#eq? @_g "describe"))

((call target: (identifier) @_i (arguments . [(alias) (dot)])) @imp
  (#any-of? @_i "alias" "import" "require" "use"))
((call target: (identifier) @_k (arguments . (alias) @_module) (do_block (call target: (identifier) @_i (arguments . (dot))) @imp))
  (#any-of? @_k "defmodule" "defprotocol") (#any-of? @_i "alias" "import" "require" "use"))

; `a.b` of a variable reads a field, unless arguments follow.
(call target: (identifier) @call)
(call target: (dot left: [(alias) (atom)]) @call)
(call target: (dot left: (identifier)) @call (arguments))
(unary_operator operator: "&" operand: (binary_operator left: (identifier) @call))
(comment) @com
