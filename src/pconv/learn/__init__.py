"""Networks and their training. Nothing here knows any theory."""
