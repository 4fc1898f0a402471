"""Parts of check_mutants.py: correct pairs, wrong versions of them, and an independent judge."""
