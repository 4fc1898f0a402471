"""One worker for all tests of the verifier: the import of JAX is paid once, as in a run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from scanlint.finding import Verification
from scanlint.verify.verifier import Task, Verifier

HEADER = "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n\n"
Judge = Callable[..., Verification]


@pytest.fixture(scope="session")
def verifier() -> Iterator[Verifier]:
    with Verifier(sys.executable, timeout=20.0) as shared:
        yield shared


@pytest.fixture
def judge(verifier: Verifier, tmp_path: Path) -> Judge:
    """Verify `old` against `new`; both get the usual imports."""

    def verify(
        old: str, new: str, function: str = "f", using: Verifier | None = None, **options: object
    ) -> Verification:
        task = Task(
            path="module.py",
            function=function,
            old=HEADER + dedent(old),
            new=HEADER + dedent(new),
            root=str(tmp_path),
            file=str(tmp_path / "module.py"),
            **options,  # type: ignore[arg-type]
        )
        return (using or verifier).verify(task)

    return verify
