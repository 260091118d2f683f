"""Figures for print, one interactive page, and the document of results, from theories and stored runs."""
