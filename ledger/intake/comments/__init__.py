"""What stands in comments: tasks that somebody left beside the code, and tags that trace a requirement."""
