"""What runs in the user's interpreter: only the standard library, NumPy and JAX are imported here."""
