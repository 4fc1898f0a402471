"""Optional arguments: calls that pass them, and calls that do not."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from ..infer.guess import Sizes, guesses
from ..infer.inference import infer
from ..infer.need import Need
from ..infer.specs import Alternatives, Array, Scalar, Spec, Specs, Struct, every_leaf
from ..runtime.free_names import defaults_of, whole_numbers
from ..search.case_values import USUAL, Family, Filling, cases
from ..search.input_sources import Inputs

Function = Callable[..., object]
MOST_TRIED = 6  # specs for one argument
MOST_FURTHER = 8  # arguments of `*args`
FURTHER = "further"
"""A key that no text names."""
PRESENT, DEFAULTED = "with ", "by a changed default, "
LOOKED_UP = frozenset(["get", "pop", "setdefault"])


def optional_families(inputs: Inputs, after: Function, specs: Specs, *, absent: bool) -> list[Family]:
    """Beside calls of these specs: such with each argument that may be there, and those that are told by `absent` ones.

    Only what the old version accepts is a call to compare; of several guesses the first that `after` accepts too.
    """
    found = [(f"{PRESENT}{name}", {**specs, name: spec}) for name, spec in _present(inputs, after, specs)]
    together = {**specs, **{name: spec for _, changed in found for name, spec in changed.items() if name not in specs}}
    if len(found) > 1 and inputs.attempt(together) is None:
        found.append((f"{PRESENT}all optional arguments", together))
    found += list(_without(inputs, specs)) if absent else []
    integers = inputs.constants()[1]
    few = Filling("few different values", seed=12, few=True)  # masks are zero somewhere
    fillings = (USUAL[0], few, *USUAL[1:])
    return [Family(label, changed, list(cases(changed, iter(fillings), integers))) for label, changed in found]


def _without(inputs: Inputs, specs: Specs) -> Iterator[tuple[str, Specs]]:
    """Calls with empty lists, with one key more in each dict, and without the arguments that have defaults."""
    for name, spec in specs.items():
        bare: Specs = {**specs, name: Struct("list", ())}
        if isinstance(spec, Struct) and spec.kind == "list" and inputs.attempt(bare) is None:
            yield f"nothing in {name}", bare
    more = {
        name: _with_further(spec) for name, spec in specs.items()
    }  # dicts that are gone over together have the same
    if more != specs and inputs.attempt(more) is None:
        yield "one key more in each dict", more
    absent = {name: spec for name, spec in specs.items() if name not in defaults_of(inputs.node.args)}
    if len(absent) < len(specs) and inputs.attempt(absent) is None:
        yield "without optional arguments", absent


def _with_further(spec: Spec) -> Spec:
    if isinstance(spec, Struct) and spec.kind == "dict" and spec.items:
        return replace(spec, items=(*spec.items, (FURTHER, spec.items[0][1])))
    return spec


def by_changed_defaults(inputs: Inputs, changed: Collection[str], families: Sequence[Family]) -> Iterator[Family]:
    """Families without the arguments whose defaults differ: they show in other ranks or dtypes only."""
    integers = inputs.constants()[1]
    for family in families if changed else ():
        if family.specs is not None and not family.specs.keys().isdisjoint(changed):
            absent = {name: spec for name, spec in family.specs.items() if name not in changed}
            if inputs.attempt(absent) is None:
                yield Family(f"{DEFAULTED}{family.label}", absent, list(cases(absent, iter(USUAL), integers)))


def _present(inputs: Inputs, after: Function, specs: Specs) -> Iterator[tuple[str, Spec]]:
    """Optional parameters with a spec that the old version accepts in place of nothing."""
    needs = infer(inputs.node, inputs.functions())
    absent = {name for name, default in defaults_of(inputs.node.args).items() if _none(default) and name in specs}
    for name in sorted(absent, key=list(specs).index):
        wanted = replace(needs.get(name, Need()), default=...)
        yield from _accepted(
            inputs, after, specs, name, [*guesses(name, wanted, Sizes(), inputs.loaded.names), *_like(specs)]
        )
    if inputs.signature.star:
        texts = filter(None, (inputs.node, inputs.new))
        known = (n for n in whole_numbers(*texts) if n <= MOST_FURTHER)
        counts = dict.fromkeys((max(2, *known, 0) + 1, 2))  # more than either text tells apart
        several = [_several(spec, count) for spec in _like(specs) for count in counts]
        yield from _accepted(inputs, after, specs, inputs.signature.star, several)
    if inputs.signature.double:
        keys = looked_up(inputs.node, inputs.signature.double.lstrip("*"))
        options: list[Spec] = [Struct("dict", tuple((key, spec) for key in keys)) for spec in _like(specs) if keys]
        yield from _accepted(inputs, after, specs, inputs.signature.double, options)


def _accepted(
    inputs: Inputs, after: Function, specs: Specs, name: str, tried: list[Spec]
) -> Iterator[tuple[str, Spec]]:
    wanted = [spec for spec in tried[:MOST_TRIED] if spec != Alternatives((None,))]
    accepted = [spec for spec in wanted if inputs.attempt({**specs, name: spec}) is None]
    both = (spec for spec in accepted if inputs.attempt({**specs, name: spec}, after) is None)
    yield from ((name, spec) for spec in [next(both, *accepted[:1])] if accepted)


def _like(specs: Specs) -> list[Spec]:
    """Specs of a further argument beside these: an array like one of them, a number."""
    arrays = dict.fromkeys(leaf for _, leaf in every_leaf(specs) if isinstance(leaf, Array))
    return [*arrays, Array(()), Scalar("float"), Scalar("int")]


def _several(spec: Spec, count: int) -> Spec:
    return Struct("tuple", tuple((str(k), spec) for k in range(count)))


def _none(default: ast.expr) -> bool:
    return isinstance(default, ast.Constant) and default.value is None


def looked_up(node: ast.AST, name: str) -> list[str]:
    """The keys that a function asks of a dict, in the order of its text."""
    found: dict[str, None] = {}
    for part in ast.walk(node):
        match part:
            case ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=str(key))) if table == name:
                found[key] = None
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=table), attr=attr), args=[ast.Constant(value=str(key)), *_]
            ) if table == name and attr in LOOKED_UP:
                found[key] = None
            case ast.Compare(left=ast.Constant(value=str(key)), comparators=[ast.Name(id=table)]) if table == name:
                found[key] = None
    return list(found)
