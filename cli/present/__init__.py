"""How results and errors look: text for people, one JSON document for machines, exit codes for shells."""
