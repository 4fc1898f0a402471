"""Runs the analysis and the rewriters on a text, and both versions of a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import jax
import numpy as np
import pytest

from scanlint.finding import Report, Withheld
from scanlint.settings import Settings
from tests.agreed import Agreed
from tests.rewritten import rewritten

HEAD = "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n\n\n"


@dataclass(frozen=True)
class Sample:
    """A text with what is found in it at first, and what it becomes; the test that asks, and the pairs that agreed."""

    old: str
    new: str
    reports: Sequence[Report]
    test: pytest.Item
    agreed: Agreed

    @property
    def body(self) -> str:
        """The new text without the imports that every sample has."""
        return self.new.removeprefix(HEAD)

    @property
    def codes(self) -> list[str]:
        return [report.finding.name for report in self.reports]

    @property
    def reasons(self) -> list[str]:
        return [r.outcome.code for r in self.reports if isinstance(r.outcome, Withheld)]

    def agree(self, name: str, *cases: Sequence[object]) -> None:
        """Assert that both versions give the same for each case, the old one run eagerly, also with 64 bits."""
        parts = (self.old, self.new, name, Path(__file__).read_text(encoding="utf-8"))
        self.agreed.once(self.test, parts, lambda: self.compare(name, cases))

    def compare(self, name: str, cases: Sequence[Sequence[object]]) -> None:
        for x64 in (False, True):
            with jax.enable_x64(x64):
                for case in cases:
                    made = [a() if callable(a) else a for a in case]
                    with jax.disable_jit():
                        want = run(self.old, name, made)
                    same(want, run(self.new, name, made))


def run(text: str, name: str, args: Sequence[object]) -> object:
    space: dict[str, object] = {}
    exec(compile(text, "sample.py", "exec"), space)
    function = space[name]
    assert callable(function)
    return function(*args)


def same(want: object, got: object) -> None:
    left, right = jax.tree.flatten(want), jax.tree.flatten(got)
    assert left[1] == right[1]
    for a, b in zip(left[0], right[0], strict=True):
        assert np.shape(a) == np.shape(b)
        if not isinstance(a, int | float | bool):
            assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=max(1e-5, _rounding(a)))


def _rounding(array: object) -> float:
    """What compiling may change in half precision: a few of its last places, as the processor fuses operations."""
    dtype = np.asarray(array).dtype
    return 4 * float(np.finfo(dtype).eps) if dtype == np.float16 else 0.0


@pytest.fixture
def rewrite(tmp_path: Path, request: pytest.FixtureRequest, agreed: Agreed) -> Callable[..., Sample]:
    """Rewrites all that can be rewritten in a text, to the fixed point; `plainest`: each in its last form."""

    def apply(code: str, *, head: str = HEAD, plainest: bool = False, **options: bool) -> Sample:
        settings = Settings(select=("ALL",), level="advice", **options)
        new, first = rewritten(head + code, tmp_path / "sample.py", settings, plainest=plainest)
        return Sample(head + code, new, first, request.node, agreed)

    return apply
