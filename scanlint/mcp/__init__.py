"""Tools for coding agents by the Model Context Protocol, on standard input and output."""
