"""What `scanlint verify` says: as text and as plain data."""
