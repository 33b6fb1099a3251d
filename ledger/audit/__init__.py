"""What events promise each other beyond the chain: their types' rules (level schema) and their sense (level domain)."""
