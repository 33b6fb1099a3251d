"""What t2c writes into the user's tree: announced, done file by file, receipted (decisions A11)."""
