"""Views: pure folds of the journal, deleted and made again at will."""
