"""Reports of tests, coverage and static analysis, as evidence of what ran and what it found."""
