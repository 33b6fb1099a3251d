"""One funnel before the log: what is a secret is masked before it is hashed, named and recorded."""
