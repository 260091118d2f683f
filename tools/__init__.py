"""Programs for those who work on pconv; they are not part of the package."""
