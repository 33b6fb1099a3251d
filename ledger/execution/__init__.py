"""What runs beside the user's work: gates, copies of a tree to try things in, detached worktrees, fingerprints of a tree."""
