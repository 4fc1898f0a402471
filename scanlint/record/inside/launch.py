"""Started in place of a script of the user's, with the script as its first argument; `script.py` does the rest."""

import importlib

importlib.import_module("_scanlint_record.script").main()
