"""The checks that must follow each answer, one module a root."""
