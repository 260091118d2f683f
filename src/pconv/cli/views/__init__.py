"""What commands print: tables, progress bars, sentences."""
