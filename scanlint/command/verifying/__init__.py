"""`scanlint verify`: its options, and what it shows."""
