"""The output of `scanlint verify`, as text and as plain data."""
