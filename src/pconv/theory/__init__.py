"""What a window can tell apart, said before any training. No torch below this package."""
