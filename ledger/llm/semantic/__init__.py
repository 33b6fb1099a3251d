"""Candidates that words propose and a model judges. What was retrieved decides nothing (intent-evidence §10.1)."""
