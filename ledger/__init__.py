"""What happened is in the journal; all else can be deleted and made again."""
