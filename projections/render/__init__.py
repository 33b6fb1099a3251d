"""Artifact models turned into bytes for people."""
