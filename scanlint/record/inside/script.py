"""Run a script as Python does, with the hook in its functions."""

from __future__ import annotations

import os
import sys
import types
from importlib.machinery import SourceFileLoader

from . import boot

HERE = os.path.dirname(os.path.abspath(__file__))


def main() -> None:
    """Run the script that is the first argument; the process looks as if it had been started with it."""
    code, names = _prepare()
    try:
        exec(code, names)
    except SystemExit:
        raise
    except BaseException:
        _hide_these_frames()
        raise


def _prepare() -> tuple[types.CodeType, dict[str, object]]:
    at = len(sys.orig_argv) - len(sys.argv)
    del sys.argv[0], sys.orig_argv[at]
    path = os.path.abspath(sys.argv[0])
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    loader = SourceFileLoader("__main__", path)
    code = boot.compiled(loader.get_data(path), path, boot.FILES.wanted(path) or {}, loader.source_to_code)
    names = sys.modules["__main__"].__dict__
    builtins = names["__builtins__"]
    names.clear()
    names.update(__name__="__main__", __doc__=None, __package__=None, __loader__=loader, __spec__=None)
    names.update(__annotations__={}, __builtins__=builtins, __file__=path, __cached__=None)
    return code, names


def _hide_these_frames() -> None:
    """An error that ends the script is shown as it would be without the recorder."""
    shown = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: types.TracebackType | None) -> None:
        while trace is not None and os.path.dirname(trace.tb_frame.f_code.co_filename) == HERE:
            trace = trace.tb_next
        shown(kind, error.with_traceback(trace), trace)

    sys.excepthook = hook
