"""`python -m scanlint`, which looks for no module in the working directory: what lies there is the user's code."""

import sys
from os import path

HERE = path.dirname(path.dirname(path.abspath(__file__)))
if sys.path and path.abspath(sys.path[0]) == path.abspath("") != HERE:
    del sys.path[0]

from scanlint.cli import main  # noqa: E402

if __name__ == "__main__":
    main()
