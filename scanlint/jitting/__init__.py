"""Functions that a user wants to run under `jax.jit`: rewritten, jitted, and compared with what they were."""
