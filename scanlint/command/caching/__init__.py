"""Export kept verdicts to a file, and import those of another checkout."""
