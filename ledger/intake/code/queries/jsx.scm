; An element of a component is a call of it; those in lower case are of the page.

((jsx_opening_element name: (_) @call) (#match? @call "^[A-Z]"))
((jsx_self_closing_element name: (_) @call) (#match? @call "^[A-Z]"))
