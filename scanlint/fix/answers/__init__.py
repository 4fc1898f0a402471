"""Keys of kept answers of the verifier, and their move to another text or another checkout."""
