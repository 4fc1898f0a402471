"""Functions that make functions: judged by what the made function gives for the calls that were recorded of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence

from ..runtime.calling import Signature, TookTooLong, Values, limited
from ..runtime.loading import Loaded
from ..runtime.made_functions import MakerSignature, product

SECONDS = 4.0


def made(
    loaded: Loaded,
    function: Callable[..., object],
    outer: Signature,
    own: Sequence[Values],
    inner: Mapping[str, Callable[[Signature], Sequence[Values]]],
) -> tuple[MakerSignature, tuple[Values, ...]] | None:
    """The calls of a function that this one makes, each with arguments of its maker; None where it makes none."""
    for name, calls in inner.items():
        node = next((n for n in _functions(loaded, name)), None)
        if node is None:
            continue
        signature = MakerSignature.by(outer, Signature.of(node, frozenset()), name)
        found = []
        for maker in own or [{}]:
            try:
                with limited(SECONDS):
                    if product(outer.call(function, dict(maker)), name) is None:
                        continue
            except (Exception, SystemExit, TookTooLong):  # noqa: BLE001 - the next call of the maker is tried
                continue
            values = calls(signature.inner)
            found += [{**maker, **{f"{name}.{k}": v for k, v in value.items()}} for value in values]
        if found:
            return signature, tuple(found)
    return None


def _functions(loaded: Loaded, name: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Definitions of a name inside the function under test."""
    if loaded.function is not None:
        for node in ast.walk(loaded.function):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
                yield node
