"""Extractors of code facts: one in-process engine, one query file a language."""
