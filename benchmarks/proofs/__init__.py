"""Random small programs for the proof, and their mutants."""
