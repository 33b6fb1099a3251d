"""Typed answers of a model, and the checks that must follow each: an answer is a claim, never a verdict."""
