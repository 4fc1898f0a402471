"""Start of every Python below `scanlint record`: the recorder, then the sitecustomize that this one hides."""

import contextlib
import importlib.machinery
import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INSIDE = os.path.join(os.path.dirname(HERE), "inside")
PACKAGE = "_scanlint_record"


def _record() -> None:
    spec = importlib.util.spec_from_file_location(
        PACKAGE, os.path.join(INSIDE, "__init__.py"), submodule_search_locations=[INSIDE]
    )
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = package
    spec.loader.exec_module(package)
    importlib.import_module(PACKAGE + ".boot").start(os.environ["SCANLINT_RECORD"])


def _hidden() -> None:
    """Run the sitecustomize that would have been found without this folder."""
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        sys.modules.pop("sitecustomize", None)
        raise ImportError("No module named 'sitecustomize'", name="sitecustomize")
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != HERE]
if "SCANLINT_RECORD" in os.environ:
    with contextlib.suppress(Exception):  # the user's program runs as ever, whatever is wrong here
        _record()
_hidden()
