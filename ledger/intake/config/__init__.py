"""What configuration declares: keys, dependencies, pipelines, targets; never the values (intent-evidence §2.4)."""
