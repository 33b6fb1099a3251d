"""The command line: an answer to whoever asked."""
