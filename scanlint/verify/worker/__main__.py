"""Entry: loads this folder as a package of its own, so that scanlint need not be installed in this interpreter."""

import importlib.util
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PACKAGE = "_scanlint_worker"


def load() -> None:
    """Make `import _scanlint_worker.x` find the modules of this folder, and nothing else of scanlint."""
    if sys.path and Path(sys.path[0] or ".").resolve() == FOLDER:
        del sys.path[0]
    spec = importlib.util.spec_from_file_location(
        PACKAGE, FOLDER / "__init__.py", submodule_search_locations=[str(FOLDER)]
    )
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = package
    spec.loader.exec_module(package)


if __name__ == "__main__":
    load()
    importlib.import_module(f"{PACKAGE}.session.serve").main(sys.argv[1:])
