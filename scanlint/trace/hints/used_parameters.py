"""Finds the parameters that a function uses as arrays, by itself or by the functions that it calls."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from scanlint.trace.calls.jax_results import ARRAY_ROOTS
from scanlint.trace.calls.transforms import functions_in
from scanlint.trace.domain.callables import Code
from scanlint.trace.domain.values import Value
from scanlint.trace.hints.array_uses import SAME_PARAMETERS, array_uses, unpacked_uses
from scanlint.trace.hints.asked_arrays import asked_arrays
from scanlint.trace.members import noted

DEEPEST_USES = 40
LISTS = frozenset(("list", "tuple"))


class UsedParameters:
    """Answers for each function; `asking` is how deep the answers rest on each other.

    `asked` are the functions that the user says are to be jitted.
    """

    def __init__(self) -> None:
        self.asking = 0
        self.asked: frozenset[str] = frozenset()

    def of(self, code: Code, *, elements: bool = True) -> Mapping[str, bool]:
        """The names of a function that are used as arrays; with `elements`, those of whose elements alone that is told.

        What callers are seen to hand a list for is no array by its elements.
        """
        known = code.uses if elements else code.whole
        return known if known is not None else self._ask(code, elements)

    def loose(self, code: Code) -> list[str]:
        """The parameters that are arrays by what is done with their elements alone: a list would do as well."""
        used = [a.arg for a in code.parameters() if a.arg in self.of(code)]
        return [name for name in used if name not in self.of(code, elements=False)]

    def lists(self, code: Code, args: Mapping[str, Value]) -> list[str]:
        """Of these parameters those that are given a list: they are no arrays from now on."""
        if not any(value.container in LISTS for value in args.values()):
            return []
        found = [name for name in self.loose(code) if name in args and args[name].container in LISTS]
        if found:
            code.listed |= frozenset(found)
            code.uses = None
        return found

    def _ask(self, code: Code, elements: bool) -> Mapping[str, bool]:
        self._keep(code, elements, {})
        self.asking += 1
        found = array_uses(code.node, lambda node: self._of_callee(code, node, elements), elements=elements)
        self.asking -= 1
        if elements and code.qualname in self.asked and code.jit is not None:
            found = dict.fromkeys(asked_arrays(code.node), False) | found
        notes = {a.arg: noted(code, a) for a in code.parameters() if a.annotation is not None}
        several = {name for name, note in notes.items() if note is not None and note.container is not None}
        uses = {name: strong for name, strong in found.items() if name not in several | code.listed}
        positional = [a.arg for a in code.positional()]
        places = {str(i): uses[name] for i, name in enumerate(positional) if name in uses}
        return self._keep(code, elements, {**uses, **places, **unpacked_uses(code.node, positional, uses)})

    def _keep(self, code: Code, elements: bool, found: Mapping[str, bool]) -> Mapping[str, bool]:
        if elements:
            code.uses = found
        else:
            code.whole = found
        return found

    def _of_callee(self, code: Code, node: ast.expr, elements: bool) -> str | Mapping[str, bool] | None:
        match node:
            case ast.Call(func=changed, args=[ast.Name() as inner, *_]):
                same = code.scope.annotation(changed) in SAME_PARAMETERS
                return self._of_callee(code, inner, elements) if same else None
        name = code.scope.annotation(node)
        if name is None or name.startswith(ARRAY_ROOTS):
            return name
        if not isinstance(node, ast.Name) or self.asking > DEEPEST_USES:
            return None
        value = code.scope.lookup(node.id)
        functions = functions_in(value) if value is not None else []
        alone = len(functions) == 1 and functions[0].receiver is None
        return self.of(functions[0].code, elements=elements) if alone else None
