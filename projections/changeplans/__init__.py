"""Code-change plans: drawn from what is planned and not there, and held against what is there afterwards."""
