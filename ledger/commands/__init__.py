"""Deciders: pure functions from what stands and what is asked to the events that follow. No I/O."""
