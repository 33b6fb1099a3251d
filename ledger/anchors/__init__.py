"""What vouches for a journal from outside it: checkpoints kept elsewhere, and the keys that sign them."""
