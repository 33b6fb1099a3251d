"""What people and agents wrote to each other about a ticket, statement by statement (intent-evidence §2.10)."""
