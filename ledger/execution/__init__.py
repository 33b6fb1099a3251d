"""What runs beside the user's work: private folders, detached worktrees, the fingerprint of a work tree."""
