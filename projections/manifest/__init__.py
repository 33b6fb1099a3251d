"""The manifest of a run and the files of its folder (intent-evidence §8)."""
