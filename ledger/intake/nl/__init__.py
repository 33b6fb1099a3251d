"""Statements of intent in prose: a task, a ticket, a letter, in English and Polish (intent-evidence §2.1)."""
