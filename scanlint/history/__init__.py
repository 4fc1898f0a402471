"""What differs between a git revision and the work tree, function by function, and whether it does the same."""
