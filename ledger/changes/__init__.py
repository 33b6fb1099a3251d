"""Code changes: plans, patches and what became of them, as the published contracts have them (intent-evidence §7.4-7.6)."""
