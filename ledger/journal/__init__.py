"""Bytes on disk and nothing about meaning: chain, append, read, verify, recover, objects."""
