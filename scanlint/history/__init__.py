"""Compares the functions of the work tree with those of a git revision, one by one."""
