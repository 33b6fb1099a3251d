"""t2c: an append-only, event-sourced evidence ledger."""

__version__ = "0.1.0"
