"""The same facts in other systems' shapes."""
