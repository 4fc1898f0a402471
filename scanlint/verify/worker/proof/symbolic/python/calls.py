"""Functions of a version, and calls."""

from __future__ import annotations

import ast
import contextlib
import functools
import types
from collections.abc import Callable, Iterator, Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from ....runtime.calling import plain
from ....runtime.free_names import own_names
from ..polynomials import NotProved
from ..sizes import SymbolicSizes
from .doubles import Double
from .followed_paths import FollowedPaths
from .jax_transforms import stacks, static_of
from .library import OF_SIZES, fixed_size, is_library, types_of, whole_list
from .numbers_of_trips import Traced
from .products import product
from .python_expressions import PythonExpressions
from .python_values import (
    PLAIN,
    CompiledCall,
    Grown,
    ListRows,
    NameFrame,
    PartialCall,
    PythonFunction,
    Returned,
    Signal,
    SingleUse,
    SpreadItems,
    Stack,
    SymbolicInt,
    Table,
    UnknownNumber,
    Value,
    VmapCall,
    bound,
    contents,
    dated,
    kept,
    objects,
    refuse,
)

MOST_CALLS = 3_000
DEEPEST_CALL = 12
POWERS = frozenset(["power", "pow", "float_power", "integer_pow"])
CALLED_ANEW = frozenset([
    "grad", "value_and_grad", "vmap", "jacfwd", "jacrev", "hessian", "jvp", "vjp", "linearize", "map", "tree_map",
    "reduce",
])  # fmt: skip
"""Functions of JAX that call each time what they are given; others may keep what they have traced."""
CONVERTS = frozenset(["while_loop", "fori_loop", "cond", "switch"])
"""Those that make arrays of the numbers that they hand on, or hand them on as they are in a trace too."""
REVERSE = frozenset(["grad", "value_and_grad", "vjp", "jacrev", "hessian", "linear_transpose"])


class Calls(PythonExpressions):
    """What a call does, and what JAX keeps of it."""

    def suite(self, body: Sequence[ast.stmt], frame: NameFrame) -> Signal:
        raise NotImplementedError

    def __init__(
        self, sizes: SymbolicSizes, module: Mapping[str, object], functions: Mapping[str, ast.FunctionDef]
    ) -> None:
        self.sizes = sizes
        self.integers = sizes.integers
        self.module = module
        self.functions = functions
        self.asked = FollowedPaths()
        self.traced = Traced(self.integers, sizes.expression)
        self.handed = {}
        self.depth = 0  # loops around
        self.calls = 0
        self.made_from: dict[int, tuple[object, tuple[PythonFunction, ...]]] = {}  # what JAX has made of functions
        self.makers: dict[int, tuple[object, str]] = {}  # and by which of its own
        self.moved_by = {}
        self.called = 0
        self.tracked: list[set[int]] = []  # by loop, the objects that its trips may change
        self.traces: list[tuple[PythonFunction, int]] = []  # what is traced once, and the first frame that it makes

    def noted(self, holder: NameFrame, name: str, found: Value) -> None:
        """What is traced once has to find the same again."""
        for closure, begun in self.traces:
            if holder.made < begun:
                self.unchanged(closure, (holder, name), found)

    def unchanged(self, closure: PythonFunction, key: object, found: Value) -> None:
        now = contents(found)
        before = closure.read.setdefault(key, now)
        same = len(now) == len(before) and all(
            a is b or (isinstance(a, (*PLAIN, SymbolicInt)) and type(a) is type(b) and repr(a) == repr(b))
            for a, b in zip(now, before, strict=True)
        )
        if not same:
            raise NotProved("what is traced once finds something else later")

    def of_module(self, node: ast.FunctionDef, found: Value) -> Value:
        """A function of the module: the definition of the object that the name stands for."""
        function = plain(found) if callable(found) else None
        code = getattr(function, "__code__", None)
        lines = {node.lineno, *(d.lineno for d in node.decorator_list)}
        if not isinstance(function, types.FunctionType) or code is None or code.co_firstlineno not in lines:
            raise NotProved(f"`{node.name}` is not what its definition says")
        made = self.closure(node, NameFrame({}, None, self.module))
        if (made.compiled is None) != (function is found):
            raise NotProved(f"`{node.name}` is compiled otherwise than its definition says")
        defaults, named = function.__defaults__ or (), function.__kwdefaults__ or {}
        return PythonFunction(
            node,
            made.frame,
            [self.taken(d, -1) for d in defaults],
            {k: self.taken(d, -1) for k, d in named.items()},
            made.compiled,
        )

    def closure(self, node: ast.FunctionDef | ast.Lambda, frame: NameFrame) -> PythonFunction:
        compiled = None
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            if len(node.decorator_list) > 1:
                raise NotProved("a decorator that is not known")
            compiled = self.options_of_jit(node.decorator_list[0], frame, node.args)
        if any(
            isinstance(n, ast.Nonlocal | ast.Global | ast.Yield | ast.YieldFrom | ast.Await) for n in ast.walk(node)
        ):
            raise NotProved("a function that binds names outside of it, or yields")
        named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        return PythonFunction(
            node,
            frame,
            [kept(self.value(d, frame)) for d in node.args.defaults],
            {a.arg: kept(self.value(d, frame)) for a, d in named if d is not None},
            compiled,
        )

    def options_of_jit(self, decorator: ast.expr, frame: NameFrame, of: ast.arguments) -> frozenset[str | int]:
        """The parameters that are no arrays, where the decorator is `jit`, with or without options."""
        keywords: list[ast.keyword] = []
        function = decorator
        if isinstance(decorator, ast.Call):
            keywords, function = decorator.keywords, decorator.func
            if self.module_value(function, frame) is functools.partial and len(decorator.args) == 1:
                [function] = decorator.args
            elif decorator.args:
                raise NotProved("a decorator that is not known")
        if self.module_value(function, frame) is not jax.jit:
            raise NotProved("a decorator that is not known")
        return static_of({k.arg or "": self.value(k.value, frame) for k in keywords}, of)

    def module_value(self, node: ast.expr, frame: NameFrame) -> Value:
        """What a name, or a name of a module, stands for."""
        if isinstance(node, ast.Attribute):
            owner = self.module_value(node.value, frame)
            return getattr(owner, node.attr, None) if isinstance(owner, types.ModuleType) else None
        return self.known(node.id, frame) if isinstance(node, ast.Name) else None

    def call_node(self, node: ast.Call, frame: NameFrame) -> Value:
        function = self.value(node.func, frame)
        others = [*node.args[1:], *(keyword.value for keyword in node.keywords)]  # a generator runs after them
        arguments = self.elements(
            node.args,
            frame,
            consumed=function in (tuple, list, sum) and all(isinstance(x, ast.Constant | ast.Name) for x in others),
            spread=function in (jax.tree.map, jax.tree_util.tree_map),
        )
        if any(isinstance(x, SpreadItems) for x in arguments):
            return self.leaf_by_leaf(node, arguments)
        named: dict[str, Value] = {}
        for keyword in node.keywords:
            found = kept(self.value(keyword.value, frame))
            if keyword.arg is None:
                if not isinstance(found, Table):
                    refuse(node)
                named |= {str(k): v for k, v in found.known.items()}
            else:
                named[keyword.arg] = found
        return self.call(function, arguments, named)

    def leaf_by_leaf(self, node: ast.Call, arguments: Sequence[Value]) -> Value:
        """`jax.tree.map(function, *items)` for a list of many trips: the function of the list of each leaf."""
        if (
            len(arguments) != 2
            or node.keywords
            or not isinstance(function := arguments[0], PythonFunction)
            or not isinstance(spread := arguments[1], SpreadItems)
        ):
            refuse(node)
        stacked, length = self.one_stack(spread.rows), spread.rows.length
        mapped, of = function.node, function.node.args
        if not isinstance(mapped, ast.Lambda) or of.vararg is None or of.args or of.posonlyargs or of.kwonlyargs:
            refuse(node)
        if any(isinstance(thing, ListRows) for thing in objects(stacked)):
            refuse(node)
        body, name = mapped.body, of.vararg.arg

        def one(leaf: Value) -> Value:
            return self.value(
                body, NameFrame({name: ListRows([Stack(length, leaf)], -1)}, function.frame, function.frame.module)
            )

        return dated(jax.tree_util.tree_map(one, stacked), self.depth)

    def call(self, function: Value, arguments: Sequence[Value], named: Mapping[str, Value]) -> Value:
        self.calls += 1
        if self.calls > MOST_CALLS:
            raise NotProved("too many calls")
        if isinstance(function, PythonFunction):
            if any(isinstance(x, SingleUse) for x in (*arguments, *named.values())):
                raise NotProved("an iterator that a name holds")
            run = self.entered if function.compiled is None else self.traced_once
            return run(function, arguments, named)
        if isinstance(function, VmapCall):
            return self.mapped(function, arguments, named)
        if isinstance(function, CompiledCall):
            return self.call_compiled(function, arguments, named)
        if isinstance(function, PartialCall):
            return self.call(function.function, [*function.arguments, *arguments], {**function.named, **named})
        if callable(function) and (meaning := self.meaning(function)) is not None:
            return meaning(*arguments, **named)
        if callable(function) and is_library(function):
            return self.by_jax(function, arguments, named)
        raise NotProved(f"a call of `{getattr(function, '__name__', type(function).__name__)}`")

    def by_jax(self, function: Callable[..., object], arguments: Sequence[Value], named: Mapping[str, Value]) -> Value:
        """A call of a function of JAX, as it is."""
        self.without_floats(*arguments, *named.values())
        name = getattr(function, "__name__", "")
        if stacks(function) and arguments and isinstance(arguments[0], ListRows) and arguments[0].plain is None:
            return self.stacked(function, arguments, named)
        if name in POWERS and any(isinstance(x, SymbolicInt | UnknownNumber) for x in (*arguments, *named.values())):
            raise NotProved("a power that depends on a size or a trip: JAX multiplies where it is a number")
        if (
            name == "concatenate"
            and len(arguments) == 1
            and not named
            and (grown := joined_to(arguments[0])) is not None
        ):
            return grown
        of_sizes = [x for x in (*arguments, *named.values()) if name in OF_SIZES and not fixed_size(x)]
        if of_sizes:
            raise NotProved(f"`{name}` of arrays whose sizes are not known")
        if name == "einsum" and len(arguments) > 3:
            if named or self.reverse:
                raise NotProved("a product of several arrays, whose order depends on their sizes")
            return product(arguments[0], [*map(self.given, arguments[1:])])
        given, more = self.handed_to(function, arguments, named)
        found = function(*given, **more)
        if not str(getattr(function, "__module__", "")).startswith(("jax.numpy", "jax._src.numpy")):  # makes arrays
            self.without_numbers(found)
        if callable(found) and not isinstance(found, jax.Array):
            self.makers[id(found)] = found, name
            self.note_made(found, [*arguments, *named.values()])
        self.converted(
            (*arguments, *named.values()), (given, more), found, makes=isinstance(function, type) or stacks(function)
        )
        return self.taken(found)

    def handed_to(
        self, function: Callable[..., object], arguments: Sequence[Value], named: Mapping[str, Value]
    ) -> tuple[list[object], dict[str, object]]:
        """The arguments as a function of JAX takes them."""
        name, values = getattr(function, "__name__", ""), [*arguments, *named.values()]
        maker = self.makers[id(function)][1] if id(function) in self.makers else name
        calls = maker is not name or any(isinstance(x, PythonFunction | PartialCall | VmapCall) for x in values)
        outer = self.keeps, self.reverse, self.tells
        self.keeps, self.reverse = name not in CALLED_ANEW, self.reverse or name in REVERSE
        self.tells = maker in CALLED_ANEW | CONVERTS
        try:
            if calls and not self.tells:
                self.without_unknown(values)
            return [*map(self.given, arguments)], {k: self.given(v) for k, v in named.items()}
        finally:
            self.keeps, self.reverse, self.tells = outer

    def note_made(self, found: object, values: Sequence[Value]) -> None:
        """Keep what functions of a version JAX has made a function of, where all of them are known."""
        closures: list[PythonFunction] = []
        for value in values:
            if isinstance(value, PythonFunction):
                closures.append(value)
            elif id(value) in self.made_from:
                closures += self.made_from[id(value)][1]
            elif not isinstance(value, (*PLAIN, tuple)) or (isinstance(value, tuple) and any(map(callable, value))):
                return
        self.made_from[id(found)] = found, tuple(closures)

    def without_floats(self, *values: Value) -> None:
        """Require that no float of an array is handed on: JAX would take it for one of any type."""
        leaves = jax.tree_util.tree_leaves(values, is_leaf=lambda x: isinstance(x, UnknownNumber | ListRows))
        if any(isinstance(leaf, UnknownNumber) and leaf.of_array for leaf in leaves):
            raise NotProved("a float of an array is handed on")

    def converted(self, values: Sequence[Value], given: object, found: object, *, makes: bool) -> None:
        """Require that numbers of Python become what the arrays that stand in their places become."""
        numbers = jax.tree_util.tree_leaves(
            [*values], is_leaf=lambda x: isinstance(x, UnknownNumber | ListRows) and not whole_list(x)
        )
        of_floats = [
            x for x in numbers if isinstance(x, Double) or (isinstance(x, UnknownNumber) and x.array.dtype.kind == "f")
        ]
        usual = jnp.asarray(0.0).dtype
        if of_floats and usual.itemsize < 8:
            if any(kind.kind == "f" and kind != usual for kind in types_of(given)) or any(
                kind not in (usual, bool, np.complex64) for kind in types_of(found)
            ):
                raise NotProved("a float of Python in a function of other types")
        for x in numbers:
            counted = isinstance(x, UnknownNumber) and x.array.dtype.kind == "i"
            if not counted and not (isinstance(x, SymbolicInt) and (makes or self.moves(x))):
                continue
            for kind in types_of(found):
                if kind.kind in "iu" and kind != jnp.asarray(0).dtype:
                    if counted or not self.integers.fits(x.value, kind):
                        raise NotProved("a whole number of Python that may leave a type")

    def traced_once(self, closure: PythonFunction, arguments: Sequence[Value], named: Mapping[str, Value]) -> Value:
        """A call of a compiled function: its numbers are arrays, and nothing but its result remains."""
        assert closure.compiled is not None
        positional, more = self.as_compiled(closure.compiled, arguments, named)
        with self.within_trace(closure):
            found = self.array_of(self.entered(closure, positional, more))
        return dated(found, self.depth)

    def as_compiled(
        self, static: frozenset[str | int], arguments: Sequence[Value], named: Mapping[str, Value]
    ) -> tuple[list[Value], dict[str, Value]]:
        """What a compiled function is given: arrays, but for these parameters."""
        positional = [a if k in static else self.array_of(a) for k, a in enumerate(arguments)]
        return positional, {n: a if n in static else self.array_of(a) for n, a in named.items()}

    def call_compiled(self, made: CompiledCall, arguments: Sequence[Value], named: Mapping[str, Value]) -> Value:
        positional, more = [*map(self.array_of, arguments)], {n: self.array_of(a) for n, a in named.items()}
        with contextlib.ExitStack() as stack:
            for closure in made.closures:
                stack.enter_context(self.within_trace(closure))
            found = self.call(made.function, positional, more)
        return dated(found, self.depth)

    def array_of(self, value: Value) -> Value:
        """A value as a compiled function takes or gives it: new lists and dicts of arrays."""
        self.without_floats(value)
        leaves, tree = jax.tree_util.tree_flatten(self.given(value))
        return self.taken(jax.tree_util.tree_unflatten(tree, [jnp.asarray(x) for x in leaves]))

    @contextlib.contextmanager
    def within_trace(self, closure: PythonFunction, *, kept: bool = True) -> Iterator[None]:
        """A call of what JAX traces: it may change nothing outside; if `kept`, it has to find what it found before."""
        self.depth += 1
        self.inside += 1
        self.tracked.append(set())
        if kept:
            self.traces.append((closure, NameFrame({}, None, {}).made))
            for k, value in enumerate((*closure.defaults, *closure.named.values())):
                self.unchanged(closure, k, value)
        try:
            yield
        finally:
            if kept:
                self.traces.pop()
            self.tracked.pop()
            self.inside -= 1
            self.depth -= 1

    def entered(self, closure: PythonFunction, arguments: Sequence[Value], named: Mapping[str, Value]) -> Value:
        if self.called >= DEEPEST_CALL:
            raise NotProved("calls within calls")
        for traced, _ in self.traces:  # what a default holds may change
            for k, value in enumerate((*closure.defaults, *closure.named.values())):
                self.unchanged(traced, (closure, k), value)
        names = bound(closure, arguments, named)
        frame = NameFrame(names, closure.frame, closure.frame.module, frozenset(own_names(closure.node)))
        self.called += 1
        try:
            if isinstance(closure.node, ast.Lambda):
                return self.value(closure.node.body, frame)
            signal = self.suite(closure.node.body, frame)
        finally:
            self.called -= 1
        return signal.value if isinstance(signal, Returned) else None


def joined_to(value: Value) -> Grown | None:
    """What is joined to an array that a loop lets grow."""
    parts = value.plain if isinstance(value, ListRows) else value
    if not isinstance(parts, list | tuple) or not parts or not isinstance(parts[0], Grown):
        return None
    grown, *others = parts
    if not all(isinstance(x, jax.Array) and x.ndim and type(x.shape[0]) is int for x in others):
        raise NotProved("an array grows by what has no known number of rows")
    return Grown(grown.slot, (*grown.added, *others))
