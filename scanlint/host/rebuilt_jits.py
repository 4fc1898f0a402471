"""Functions that are jitted anew on each trip of a loop, or on each call of a function that a loop calls.

What JAX keeps is found again by the function object: one function of the module, jitted a thousand times, is compiled
once. A lambda, an inner function, a `partial`, a bound method, what `grad` or `vmap` gives is another object each time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.dataflow.around import defuse_of
from scanlint.dataflow.locations import Definition, DefinitionKind
from scanlint.jaxapi.canonical import COMPILERS
from scanlint.jaxapi.decorators import applied
from scanlint.jaxapi.words import words
from scanlint.syntax.bindings import Function, free, reads, walk_scope
from scanlint.syntax.walk import walk
from scanlint.trace.domain.callables import Closure, Code, Transformed
from scanlint.trace.domain.evidence import Reason
from scanlint.trace.domain.values import Instance, Value
from scanlint.trace.program.repeats import loop_around, trips
from scanlint.trace.unit import Unit

FRESH = words(
    "functools.partial jax.grad jax.value_and_grad jax.vmap jax.jacfwd jax.jacrev jax.hessian jax.checkpoint jax.remat"
)
"""What gives another function object on each call."""
WRAPS = FRESH - {"functools.partial"}
SOLVERS = ("scipy.optimize.", "scipy.integrate.")
CACHES = words("functools.cache functools.lru_cache equinox.filter_jit_wrapper")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
DEEPEST = 8
LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class RebuiltJit(NamedTuple):
    """One jit that is built again and again and only called where it is built.

    `site` is the call or the decorated definition, `what` it jits in words. `loop` is the outermost loop that changes
    nothing of it, else the innermost around it. Where `function` is what runs again, for the reason `why`, it is that
    function if it stands in another, and None if it is one of the module.
    `taken` are the local names that it reads; those that keep it where it is are `bound`, the object whose method this
    is (`receiver`) among them. `parts` are the site and the inner functions that it takes along.
    """

    site: ast.expr | ast.FunctionDef
    what: str
    function: Function
    loop: ast.AST | None
    why: tuple[Reason, ...]
    bound: tuple[str, ...]
    taken: frozenset[str]
    parts: tuple[ast.AST, ...]
    receiver: str | None = None


def rebuilt_jit(unit: Unit, node: ast.AST) -> RebuiltJit | None:
    """The jit at a node, if it is known to be traced and compiled again and again."""
    wrapped = _wrapped(unit, node)
    outer = unit.parents.get(node)
    if wrapped is None or outer is None or unit.context(outer).traced:
        return None
    assert isinstance(node, ast.expr | ast.FunctionDef)
    function = next(a for a in [outer, *unit.ancestors(outer)] if isinstance(a, FUNCTIONS))
    calls = _calls(unit, node)
    if calls is None or any(_function(unit, call) is not function for call in calls):
        return None
    made = wrapped is node and isinstance(node, ast.Call)
    found = _in_loop(unit, node, wrapped, function)
    if made:  # what a factory makes of other arguments is another program on purpose
        return found if found is not None and not found.bound else None
    return found or _in_function(unit, node, wrapped, function, calls)


def is_factory(unit: Unit, call: ast.Call) -> bool:
    """A call of a function of the project that makes a function, jits it, and returns it."""
    match unit.value(call.func).callee, unit.value(call).callee:
        case Closure(code), Transformed(transform=transform, function=Value(callee=Closure(made))):
            own = made.qualname.startswith(f"{code.qualname}.<locals>.")
            return own and transform in COMPILERS and not code.mode.traced and not _keeps(code)
    return False


def _keeps(code: Code) -> bool:
    """A factory may keep what it has made: it is decorated, or stores it somewhere."""
    if isinstance(code.node, ast.Lambda):
        return False
    stores = (p for p in walk_scope(code.node.body) if isinstance(p, ast.Attribute | ast.Subscript | ast.Global))
    return bool(code.node.decorator_list) or any(not isinstance(getattr(p, "ctx", None), ast.Load) for p in stores)


def _wrapped(unit: Unit, node: ast.AST) -> ast.AST | None:
    """What is jitted at a node: the argument of a call, or the definition under a decorator."""
    match node:
        case ast.FunctionDef(decorator_list=[only]) if applied(unit.resolve, only) in COMPILERS:
            return node if node is not unit.node else None
        case ast.Call() if is_factory(unit, node):
            return node
        case ast.Call(func=function, args=[first, *_]) if unit.resolve(function) in COMPILERS:
            decorates = isinstance(parent := unit.parents.get(node), FUNCTIONS) and node is not getattr(
                parent, "body", 0
            )
            return None if decorates or isinstance(first, ast.Starred) else first
    return None


def _function(unit: Unit, node: ast.AST) -> ast.AST | None:
    return next((a for a in unit.ancestors(node) if isinstance(a, FUNCTIONS)), None)


# -- what is done with the jitted function


def _calls(unit: Unit, made: ast.AST) -> list[ast.Call] | None:
    """The calls of a function, where nothing else is done with it: nobody keeps it or asks it anything.

    What SciPy is handed it calls, and forgets.
    """
    if isinstance(made, ast.FunctionDef):
        return _calls_by_name(unit, made)
    parent = unit.parents.get(made)
    handed = unit.parents.get(parent) if isinstance(parent, ast.keyword) else parent
    match parent:
        case ast.Call(func=function) as call if function is made:
            return [call]
        case ast.Call(func=function, args=[first, *_]) as call if first is made and unit.resolve(function) in WRAPS:
            return _calls(unit, call)
        case ast.Assign(targets=[ast.Name() as target], value=value) if value is made:
            return _calls_by_name(unit, target)
        case ast.AnnAssign(target=ast.Name() as target, value=value) if value is made:
            return _calls_by_name(unit, target)
    if isinstance(handed, ast.Call) and (unit.resolve(handed.func) or "").startswith(SOLVERS):
        return [handed]
    return None


def _calls_by_name(unit: Unit, binding: ast.AST) -> list[ast.Call] | None:
    """The same for a function by its name; None where some reader may see another function under this name."""
    flow = defuse_of(unit)
    made = flow.made(binding)
    found: list[ast.Call] = []
    for use in (use for definition in made for use in flow.uses(definition)):
        calls = _calls(unit, use) if flow.definitions(use) == frozenset(made) else None
        if calls is None:
            return None
        found += calls
    return found or None


# -- what makes it another function each time


def _is_new(unit: Unit, wrapped: ast.AST, around: ast.AST) -> str | None:
    """What is jitted, in words, if it is another object each time that something around it runs."""
    match wrapped:
        case ast.FunctionDef(name=name):
            return f"`{name}`"
        case ast.Lambda():
            return "a lambda"
        case ast.Call(func=function) if unit.resolve(function) in FRESH:
            return f"`{ast.unparse(function)}(...)`"
        case ast.Call(func=function) if is_factory(unit, wrapped):
            return f"what `{ast.unparse(function)}(...)` makes"
        case ast.Name(id=name):
            found = defuse_of(unit).definitions(wrapped)
            fresh = bool(found) and all(_is_made(unit, definition, around) for definition in found)
            return f"`{name}`" if fresh else None
        case ast.Attribute() if _is_bound(unit, wrapped):
            return f"the bound method `{ast.unparse(wrapped)}`"
    return None


def _is_made(unit: Unit, definition: Definition, around: ast.AST) -> bool:
    """Whether a definition gives a new function on each run of what is around it."""
    if around not in unit.ancestors(definition.node):
        return False
    if definition.kind is DefinitionKind.FUNCTION:
        return not getattr(definition.node, "decorator_list", [])
    source = defuse_of(unit).source(definition) if definition.kind is DefinitionKind.ASSIGN else None
    return source is not None and not isinstance(source, ast.Name) and _is_new(unit, source, around) is not None


def _is_bound(unit: Unit, attribute: ast.Attribute) -> bool:
    """Whether an attribute is a method: each look makes another object of it."""
    match unit.value(attribute).callee:
        case Closure(receiver=receiver):
            return receiver is not None and isinstance(unit.value(attribute.value).callee, Instance)
    return False


# -- what it takes from around


def _parts(unit: Unit, node: ast.AST) -> tuple[ast.AST, ...]:
    """The expression or definition, and the inner functions that it names."""
    found: dict[ast.AST, None] = {node: None}
    flow, waiting = defuse_of(unit), [node]
    while waiting:
        at = waiting.pop()
        for name in _free_names(at):
            for made in flow.definitions(name):
                if made.kind is DefinitionKind.FUNCTION and made.node not in found and made.node is not unit.node:
                    found[made.node] = None
                    waiting.append(made.node)
    return tuple(found)


def _free_names(part: ast.AST) -> Iterator[ast.Name]:
    """The places where a part reads what is bound outside of it."""
    outside = free(part) if isinstance(part, FUNCTIONS) else reads(part)
    own = getattr(part, "name", None)
    for name in walk(part):
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load) and name.id in outside and name.id != own:
            yield name


def _taken(unit: Unit, parts: tuple[ast.AST, ...]) -> dict[str, list[ast.Name]]:
    """The local names that the parts read, with the places; those of the inner functions themselves left out."""
    flow = defuse_of(unit)
    found: dict[str, list[ast.Name]] = {}
    for name in (name for part in parts for name in _free_names(part)):
        made = [d for d in flow.definitions(name) if d.node not in parts and not d.missing]
        if any(d.kind is not DefinitionKind.OUTER for d in made):
            found.setdefault(name.id, []).append(name)
    return found


def _is_data(unit: Unit, names: list[ast.Name]) -> bool:
    """Whether a name surely stands for what could as well be an argument: an array, or a number that is no whole one.

    A whole number may be a setting, on which shapes depend.
    """
    values = [unit.value(name) for name in names]
    return any(v.array or v.dtype == "float" for v in values) and not any(v.callee for v in values)


def _is_result(unit: Unit, place: ast.AST) -> bool:
    """Whether a name is what a jitted function returns, or a part of that: only arrays and trees of them leave one."""
    at: ast.AST | None = place
    while isinstance(around := unit.parents.get(at) if at is not None else None, ast.Tuple | ast.List | ast.Dict):
        at = around
    return isinstance(around, ast.Return) or (isinstance(around, ast.Lambda) and around.body is at)


# -- in a loop


def _in_loop(unit: Unit, node: ast.expr | ast.FunctionDef, wrapped: ast.AST, function: Function) -> RebuiltJit | None:
    loops = list(loops_around(unit, node, function))
    parts = _parts(unit, node)
    taken = _taken(unit, parts)
    for loop in reversed(loops):
        what = _is_new(unit, wrapped, loop)
        if what is not None and not _changed(unit, taken, loop):
            return RebuiltJit(node, what, function, loop, (), (), frozenset(taken), parts)
    for loop in loops:
        what = _is_new(unit, wrapped, loop)
        changed = _changed(unit, taken, loop)
        if what is not None and all(_is_data(unit, taken[name]) for name in changed):
            return RebuiltJit(node, what, function, loop, (), changed, frozenset(taken), parts)
    return None


def loops_around(unit: Unit, node: ast.AST, function: Function) -> Iterator[ast.AST]:
    """The loops of a function that run a node on each trip, from the inside out."""
    inner, at = node, unit.parents.get(node)
    while at is not None and inner is not function:
        if isinstance(at, LOOPS) and any(part is inner for part in [*trips(at), *getattr(at, "generators", [])[:1]]):
            yield at
        inner, at = at, unit.parents.get(at)


def _changed(unit: Unit, taken: dict[str, list[ast.Name]], loop: ast.AST) -> tuple[str, ...]:
    """The names among these that a loop binds."""
    flow = defuse_of(unit)
    made = {name: {d.node for at in places for d in flow.definitions(at)} for name, places in taken.items()}
    return tuple(name for name, nodes in made.items() if any(loop in unit.ancestors(n) for n in nodes))


# -- in a function that a loop calls


def _in_function(
    unit: Unit, node: ast.expr | ast.FunctionDef, wrapped: ast.AST, function: Function, calls: list[ast.Call]
) -> RebuiltJit | None:
    what = _is_new(unit, wrapped, function)
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    if what is None or is_cached(unit, node):
        return None
    parts = _parts(unit, node)
    taken = _taken(unit, parts)
    if isinstance(function, ast.FunctionDef) and function is not unit.node:
        moved = (name for name, places in taken.items() if _bound_in_loop(unit, places))
        changed = tuple(dict.fromkeys((*_changed(unit, taken, function), *moved)))
        why = unit.repeats(function) if all(_is_data(unit, taken[name]) for name in changed) else ()
        return RebuiltJit(node, what, function, function, why, changed, frozenset(taken), parts) if why else None
    if any(loop_around(body, call) for call in calls):
        return None
    receiver = _receiver(unit)
    roots = [_roots(unit, places, receiver, 0) for places in taken.values()]
    if None in roots:
        return None
    bound = tuple(dict.fromkeys(name for names in roots for name in names or ()))
    runs = unit.repeats(function) or unit.several(function)
    if runs is None:
        return None
    return RebuiltJit(node, what, function, None, runs, bound, frozenset(taken), parts, receiver)


def _bound_in_loop(unit: Unit, places: list[ast.Name]) -> bool:
    """Whether a loop binds a name that is read: it may be another one each time."""
    made = (d.node for place in places for d in defuse_of(unit).definitions(place))
    return any(isinstance(around, LOOPS) for node in made for around in unit.ancestors(node))


def settled(unit: Unit, places: list[ast.Name], function: ast.AST) -> bool:
    """Whether a name of the function around is bound once, above the inner function: its calls see one value."""
    made = {d.node for place in places for d in defuse_of(unit).definitions(place) if d.node is not function}
    return len(made) == 1 and all(getattr(node, "lineno", 0) < getattr(function, "lineno", 0) for node in made)


def _roots(unit: Unit, places: list[ast.Name], receiver: str | None, depth: int) -> tuple[str, ...] | None:
    """What a local name comes from: the object whose method this is, and data; None where that is not all."""
    name = places[0].id
    if name == receiver or _is_data(unit, places) or any(_is_result(unit, place) for place in places):
        return (name,)
    found: list[str] = []
    flow = defuse_of(unit)
    for definition in (d for place in places for d in flow.definitions(place)):
        statement = unit.parents.get(definition.node)
        while isinstance(statement, ast.Tuple | ast.Starred):
            statement = unit.parents.get(statement)
        if not isinstance(statement, ast.Assign) or depth > DEEPEST:
            return None
        taken = _taken(unit, (statement.value,))
        inner = [_roots(unit, parts, receiver, depth + 1) for parts in taken.values()]
        if None in inner:
            return None
        found += [n for names in inner for n in names or ()]
    return tuple(dict.fromkeys(found))


def is_cached(unit: Unit, node: ast.AST) -> bool:
    """Whether a function around keeps what it has made."""
    around = [unit.node, *unit.ancestors(node)]
    decorators = [d for f in around if isinstance(f, ast.FunctionDef | ast.AsyncFunctionDef) for d in f.decorator_list]
    plain = [d.func if isinstance(d, ast.Call) else d for d in decorators]
    return any(unit.resolve(d) in CACHES or ast.unparse(d).endswith(("cached_property", "cache")) for d in plain)


def _receiver(unit: Unit) -> str | None:
    """The name of the object whose method the unit is."""
    arguments = unit.node.args
    first = [*arguments.posonlyargs, *arguments.args][:1]
    return first[0].arg if first and "." in unit.qualname else None
