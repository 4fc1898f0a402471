"""Hints at values that the interpreter does not know, from names, uses and calls in the text."""
