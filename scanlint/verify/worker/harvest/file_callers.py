"""Arguments that other functions of the file pass, if these take only numbers and modes themselves."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator
from itertools import islice

from ..infer.specs import Array, Specs, every_leaf
from ..infer.static_parameters import statics
from ..runtime.calling import Signature, TookTooLong, Values, limited, plain
from ..runtime.jax_functions import rebound
from ..runtime.loading import Loaded, complete
from ..search.case_values import Filling, make
from ..search.input_sources import Inputs
from .caught_calls import Enough, concrete

MAX_CALLERS = 3
SECONDS = 4.0


def handed_in(loaded: Loaded, function: str, signature: Signature) -> Iterator[Values]:
    """The arguments that each caller passes if it is called with made-up numbers.

    A caller that takes arrays is left out, for their shapes would be guessed.
    """
    callers = [node for node in loaded.tree.body if isinstance(node, ast.FunctionDef) and _calls(node, function)]
    for node in islice((c for c in callers if c.name != function), MAX_CALLERS):
        try:
            complete(loaded, {node.name})
            caller = loaded.names[node.name]
            if not callable(caller):
                continue
            here = Signature.of(node, statics(Loaded(loaded.module, loaded.tree, node)))
            specs = {name: found[0] for name, found in Inputs(loaded, caller, node, here).candidates().items()}
            with limited(SECONDS):
                values = None if _guessed(specs) else caught(loaded, function, signature, caller, specs)
        except (Exception, SystemExit, TookTooLong):  # noqa: BLE001 - the next caller is tried
            continue
        if values is not None:
            yield values


def _calls(node: ast.FunctionDef, function: str) -> bool:
    return any(
        isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == function for n in ast.walk(node)
    )


def _guessed(specs: Specs) -> bool:
    return any(isinstance(leaf, Array) for _, leaf in every_leaf(specs))


def caught(
    loaded: Loaded, function: str, signature: Signature, caller: Callable[..., object], specs: Specs
) -> Values | None:
    """The arguments of the first call of a function while its caller runs; its caller's own Python is run."""
    kept: list[Values] = []
    names = (*signature.positional, *signature.keyword)

    def catch(*positional: object, **keywords: object) -> object:
        passed = {**dict(zip(signature.positional, positional, strict=False)), **keywords}
        kept.append({name: concrete(value) for name, value in passed.items()})
        raise Enough

    with contextlib.suppress(Enough), rebound(loaded.names, {function: catch}):  # what was wanted has been caught
        plain(caller)(**make(specs, Filling("ordinary values"), ()))
    return kept[0] if kept and set(kept[0]) <= set(names) else None
