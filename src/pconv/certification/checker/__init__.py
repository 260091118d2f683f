"""The check of a certificate: a second, plain implementation, in numpy and without code of the first."""
