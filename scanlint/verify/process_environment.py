"""What of the environment the code under test is given: where things lie and how JAX runs, never what may be secret."""

from __future__ import annotations

import os
import re

from scanlint.syntax.regex import regex

NAMES = frozenset(
    [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR", "TEMP", "TMP",
        "PYTHONPATH", "PYTHONHOME", "PYTHONUTF8", "PYTHONHASHSEED", "VIRTUAL_ENV", "CONDA_PREFIX",
        "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH",
        "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "USERPROFILE",
        "HOMEDRIVE", "HOMEPATH", "PROGRAMFILES", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
    ]
)  # fmt: skip
PREFIXES = ("LC_", "JAX_", "XLA_", "TF_CPP_", "CUDA_", "NVIDIA_", "HIP_", "ROCR_", "TPU_", "OMP_", "MKL_", "OPENBLAS_")
SECRET = regex(r"TOKEN|SECRET|PASSW|CREDENTIAL|API_?KEY|PRIVATE", re.IGNORECASE)
DEFAULTS = {
    "JAX_PLATFORMS": "cpu",
    "JAX_TRACEBACK_FILTERING": "off",  # half the cost of a failed attempt
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "PYTHONHASHSEED": "0",  # sets of names have one order, and searches go one way
}


def cleaned(wanted: tuple[str, ...] = (), *, measure: bool = False) -> dict[str, str]:
    """The worker's environment; `wanted` names what the user lets pass beside what JAX and Python need.

    Versions are compared on the processor, where sums have one order and float32 is float32. Only what is measured
    runs on the user's device.
    """
    passed = {k: v for k, v in os.environ.items() if k in wanted or _passes(k.upper())}
    passed |= {"PYTHONDONTWRITEBYTECODE": "1", "JAX_ENABLE_COMPILATION_CACHE": "0"}
    if measure:
        return {**DEFAULTS, **passed}
    return {**DEFAULTS, "JAX_DISABLE_MOST_OPTIMIZATIONS": "1", **passed, "JAX_PLATFORMS": "cpu"}


def _passes(name: str) -> bool:
    return (name in NAMES or name.startswith(PREFIXES)) and not SECRET.search(name)
