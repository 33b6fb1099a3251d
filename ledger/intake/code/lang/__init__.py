"""What is particular of each language: one module and one query file a language."""
