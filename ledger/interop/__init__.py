"""Facts of other systems in the shapes of theirs: read, checked, and made into events that can be taken in."""
