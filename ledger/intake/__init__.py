"""Extractors: what a source says becomes records, and what could not be read becomes warnings."""
