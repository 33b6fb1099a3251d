"""Plans from task files of every shape: lists, tables, outlines, records with fields (intent-evidence §2.5)."""
