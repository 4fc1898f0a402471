"""Notebooks and files of cells: their programs, and the way of a changed program back into the file."""
