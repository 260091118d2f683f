"""Figures for print, a module each: a record of what is shown, how it is made, and its matplotlib drawer.

`pconv figure` has a command for every registered figure (`pconv.report.figures.registry`). A module put into
this package is found without being named anywhere.
"""
