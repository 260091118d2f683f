"""The paper's tables and our own studies, and the analyses of their runs."""
