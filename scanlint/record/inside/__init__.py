"""The recorder: runs in the user's interpreter, with nothing but the standard library, NumPy and JAX."""
