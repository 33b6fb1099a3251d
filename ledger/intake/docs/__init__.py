"""Documentation as evidence: what guides, specifications, requirements and decisions say (intent-evidence §2.7)."""
