"""`python -m scanlint`."""

from scanlint.cli import main

main()
