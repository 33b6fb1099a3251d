"""Bundles: what leaves a ledger so that others can check it, and what comes in from them (journal-engine §7)."""
