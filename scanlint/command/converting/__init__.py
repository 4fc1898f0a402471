"""`scanlint jit`: its options, and what it shows."""
