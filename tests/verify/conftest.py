"""One worker for all tests of the verifier: the import of JAX is paid once, as in a run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from scanlint.finding import Verification
from scanlint.fix.program_calls import answered_alone
from scanlint.verify.verifier import Task, Verifier, verification

HEADER = "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n\n"
STANDING = "import functools\n\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom jax import lax\n\n"
Judge = Callable[..., Verification]
Compare = Callable[..., Verification]


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
        if not Path(task.file).exists():
            Path(task.file).write_text(task.old)
        return verification(answered_alone(using or verifier, task))

    return verify


@pytest.fixture
def compare(verifier: Verifier, tmp_path: Path) -> Compare:
    """The verdict on two versions that stand in two files, here of one folder."""

    def verify(
        old: str, new: str, function: str = "f", folders: tuple[str, str] = ("", ""), **options: object
    ) -> Verification:
        places = [tmp_path / folder for folder in folders]
        texts = [STANDING + dedent(text) for text in (old, new)]
        files = [place / name for place, name in zip(places, ("old.py", "new.py"), strict=True)]
        for file, text in zip(files, texts, strict=True):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        task = Task(
            path="new.py", function=function, old=texts[0], new=texts[1], root=str(tmp_path), file=str(files[1]),
            old_file=str(files[0]), old_root=str(tmp_path), **options,  # type: ignore[arg-type]
        )  # fmt: skip
        return verification(answered_alone(verifier, task))

    return verify
