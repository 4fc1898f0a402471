"""`python -m scanlint`, which looks for no module in the working directory: what lies there is the user's code."""

import sys
from os import path

HERE = path.dirname(path.dirname(path.abspath(__file__)))


def _looks_here() -> bool:
    """Whether modules are looked for in the working directory; where that is gone there are none."""
    try:
        return path.abspath(sys.path[0]) == path.abspath("") != HERE
    except OSError:
        return False


if sys.path and _looks_here():
    del sys.path[0]

from scanlint.cli import main  # noqa: E402

if __name__ == "__main__":
    main()
