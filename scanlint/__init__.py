"""scanlint: finds Python control flow that JAX cannot trace well, rewrites it, and verifies each rewrite."""

__version__ = "0.1.0"
