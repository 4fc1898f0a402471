"""`python -m scanlint`."""

from scanlint.cli import main

if __name__ == "__main__":
    main()
