"""What names, uses and calls in the text tell of values that the interpreter does not know."""
