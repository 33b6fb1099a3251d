"""Values without I/O: canonical bytes and digests, ids, the clock, actors, repository paths."""
