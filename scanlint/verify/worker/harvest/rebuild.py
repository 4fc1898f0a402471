"""Build values again from their descriptions: by import path, from the project's own source, never by unpickling."""

from __future__ import annotations

import ast
import functools
import importlib
import os
import sys
import types
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

import jax
import jax.numpy as jnp
import numpy as np

from ..runtime.free_names import free_names
from ..runtime.loading import Loaded, complete, load, place
from ..search.case_values import invented

MOST_ELEMENTS = 4_000_000
KEYS = {"fry": "threefry2x32", "rbg": "rbg", "urbg": "unsafe_rbg"}
Node = object
Description = Mapping[str, object]


class CannotBuild(Exception):
    """Something that a recording names is not there any more; the message names it."""


@dataclass
class Builder:
    """Builds the values of one recording, among the names of the version that is loaded."""

    loaded: Loaded
    root: str
    arrays: Mapping[int, np.ndarray] = field(default_factory=dict)
    parts: dict[str, Loaded] = field(default_factory=dict)
    made: int = 0

    def value(self, node: Node) -> object:
        """One value; raises CannotBuild."""
        if not isinstance(node, dict):
            return node
        kind = next(iter(node))
        build = BUILDERS.get(kind)
        if build is None:
            raise CannotBuild(f"a description of kind `{kind}`")
        return build(self, node)

    def several(self, nodes: object) -> list[object]:
        return [self.value(n) for n in cast("list[Node]", nodes)]

    # -- arrays

    def array(self, node: Description) -> object:
        dtype, shape = str(node["dtype"]), tuple(cast("list[int]", node["shape"]))
        stored = self.arrays.get(cast("int", node["array"]))
        if stored is None:
            return self.invented(shape, dtype, bool(node.get("weak")))
        if dtype.startswith("key<"):
            return jax.random.wrap_key_data(jnp.asarray(stored), impl=KEYS.get(dtype[4:-1], dtype[4:-1]))
        values = stored if str(stored.dtype) == dtype else stored.view(jnp.dtype(dtype))
        if node.get("numpy"):
            return values[()] if node["numpy"] == "generic" else values
        if node.get("weak") and not shape:
            return jnp.asarray(values.item())
        return jnp.asarray(values)

    def traced(self, node: Description) -> object:
        return self.invented(tuple(cast("list[int]", node["aval"])), str(node["dtype"]), bool(node["weak"]))

    def invented(self, shape: tuple[int, ...], dtype: str, weak: bool) -> object:
        """A value of a shape and dtype of which no more was recorded."""
        self.made += 1
        if int(np.prod(shape)) > MOST_ELEMENTS:
            raise CannotBuild(f"an array of shape {shape}")
        return invented(shape, dtype, self.made, weak=weak)

    # -- by import path

    def imported(self, at: Description) -> object:
        """What stands at an import path; in the module that is verified, its loaded version."""
        module, name = str(at["module"]), str(at.get("name") or "")
        file = self.file(at)
        if file is not None and self.is_loaded(file):
            return self.of_loaded(name)
        try:
            found: object = importlib.import_module(module) if module != "__main__" else None
        except Exception:  # noqa: BLE001
            found = None
        if found is None and file is not None and name:
            return self.part(file, name).resolve(name)
        for part in name.split(".") if name else ():
            found = getattr(found, part, None)
        if found is None:
            raise CannotBuild(f"`{module}.{name}` is not there")
        return found

    def file(self, at: Description) -> str | None:
        return os.path.join(self.root, str(at["file"])) if at.get("file") else None

    def is_loaded(self, file: str) -> bool:
        return os.path.realpath(file) == os.path.realpath(str(self.loaded.module.__file__))

    def of_loaded(self, name: str) -> object:
        """A name of the module under test; what its slice left out is run now."""
        head = name.partition(".")[0]
        if head not in self.loaded.names:
            complete(self.loaded, {head})
        try:
            return self.loaded.resolve(name)
        except (KeyError, AttributeError):
            raise CannotBuild(f"`{name}` is not there any more") from None

    def part(self, file: str, name: str) -> Loaded:
        """The slice of another file of the project that defines a name."""
        if f"{file}:{name}" not in self.parts:
            with open(file, encoding="utf-8") as stream:
                self.parts[f"{file}:{name}"] = load(stream.read(), file, self.root, name, "recorded")
        return self.parts[f"{file}:{name}"]

    # -- functions and objects

    def closure(self, node: Description) -> object:
        """A function that another one made: its source, compiled among the values that it closed over."""
        at = cast("Description", node["closure"])
        free = cast("dict[str, Node]", node["free"])
        home = self.home(at)
        if home is None or home.module.__file__ is None:
            raise CannotBuild(f"the source of `{node['name']}`")
        found = _definition(home.tree, node)
        complete(home, free_names(found) - set(free))
        function = _compiled(found, [n for n, inner in free.items() if inner != {"itself": True}], home)(
            **{n: self.value(inner) for n, inner in free.items() if inner != {"itself": True}}
        )
        if not isinstance(function, types.FunctionType):
            raise CannotBuild(f"`{node['name']}`")
        function.__defaults__ = cast("tuple[object, ...] | None", self.value(node["defaults"]))
        function.__kwdefaults__ = cast("dict[str, object] | None", self.value(node["keywords"]))
        return function

    def home(self, at: Description) -> Loaded | None:
        """The module that a function was made in, with the syntax tree of its file: places are those of the file."""
        name, file = str(at["module"]), self.file(at)
        if file is not None and self.is_loaded(file):
            module = self.loaded.module
        elif file is not None and (name == "__main__" or name not in sys.modules):
            module = types.ModuleType(name)
            module.__file__, module.__package__ = file, place(file)[2]
        else:
            module = importlib.import_module(name)
        if module.__file__ is None:
            return None
        with open(module.__file__, encoding="utf-8") as stream:
            return Loaded(module, ast.parse(stream.read()), None)

    def instance(self, node: Description) -> object:
        cls = self.imported(cast("Description", node["object"]))
        if not isinstance(cls, type):
            raise CannotBuild(f"the class `{cls}`")
        made: object = object.__new__(cls)
        own = getattr(made, "__dict__", None)
        for name, inner in cast("dict[str, Node]", node["fields"]).items():
            if own is not None and not isinstance(getattr(cls, name, None), types.MemberDescriptorType):
                own[name] = self.value(inner)
            else:
                object.__setattr__(made, name, self.value(inner))
        for name, inner in cast("dict[str, Node]", node.get("attached", {})).items():
            function = self.value(inner) if not hasattr(cls, name) else None
            if own is not None and isinstance(function, types.FunctionType):
                own[name] = types.MethodType(function, made)
        return made

    def linen(self, node: Description) -> object:
        cls = cast("Callable[..., object]", self.imported(cast("Description", node["linen"])))
        return cls(**{name: self.value(v) for name, v in cast("dict[str, Node]", node["fields"]).items()})

    def record(self, node: Description) -> object:
        cls = self.imported(cast("Description", node["namedtuple"]))
        if not (isinstance(cls, type) and issubclass(cls, tuple)):
            raise CannotBuild(f"the class `{cls}`")
        return tuple.__new__(cls, self.several(node["items"]))

    def member(self, node: Description) -> object:
        return cast("Mapping[str, object]", self.imported(cast("Description", node["enum"])))[str(node["name"])]

    def partial(self, kind: type[functools.partial[object]], node: Node) -> object:
        function, args, keywords = self.several(node)
        return kind(
            cast("Callable[..., object]", function),
            *cast("tuple[object, ...]", args),
            **cast("dict[str, object]", keywords),
        )


BUILDERS: dict[str, Callable[[Builder, Description], object]] = {
    "float": lambda b, n: float(str(n["float"])),
    "complex": lambda b, n: complex(*(float(x) for x in cast("list[str]", n["complex"]))),
    "bytes": lambda b, n: bytes.fromhex(str(n["bytes"])),
    "slice": lambda b, n: slice(*b.several(n["slice"])),
    "range": lambda b, n: range(*cast("list[int]", n["range"])),
    "dtype": lambda b, n: jnp.dtype(str(n["dtype"])),
    "ellipsis": lambda b, n: ...,
    "tuple": lambda b, n: tuple(b.several(n["tuple"])),
    "list": lambda b, n: b.several(n["list"]),
    "set": lambda b, n: set(b.several(n["set"])),
    "frozenset": lambda b, n: frozenset(b.several(n["frozenset"])),
    "dict": lambda b, n: {k: v for k, v in (b.several(p) for p in cast("list[Node]", n["dict"]))},  # noqa: C416
    "OrderedDict": lambda b, n: OrderedDict(
        cast("tuple[object, object]", tuple(b.several(p))) for p in cast("list[Node]", n["OrderedDict"])
    ),
    "array": Builder.array,
    "aval": Builder.traced,
    "import": lambda b, n: b.imported(cast("Description", n["import"])),
    "method": lambda b, n: getattr(b.value(n["method"]), str(n["name"])),
    "jitted": lambda b, n: b.value(n["jitted"]),
    "closure": Builder.closure,
    "object": Builder.instance,
    "linen": Builder.linen,
    "namedtuple": Builder.record,
    "enum": Builder.member,
    "partial": lambda b, n: b.partial(functools.partial, n["partial"]),
    "Partial": lambda b, n: b.partial(jax.tree_util.Partial, n["Partial"]),
}


def _definition(tree: ast.Module, node: Description) -> ast.Lambda | ast.FunctionDef:
    """The source of a function by its place; raises CannotBuild where there is none, or more than one fits."""
    last, line, reach = str(node["name"]).rpartition(".")[2], node["line"], node["reach"]
    if last != "<lambda>":
        named = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == last]
        there = [n for n in named if min([n.lineno, *(d.lineno for d in n.decorator_list)]) == line] or named
        if len(there) == 1:
            return there[0]
        raise CannotBuild(f"one definition of `{node['name']}`")
    lambdas = [n for n in ast.walk(tree) if isinstance(n, ast.Lambda) and n.lineno == line]
    if reach is not None:
        (first, end) = (tuple(place) for place in cast("list[list[int]]", reach))
        lambdas = [
            n
            for n in lambdas
            if (n.lineno, n.col_offset) <= first and end <= (n.end_lineno or 0, n.end_col_offset or 0)
        ]
        lambdas.sort(key=lambda n: (n.end_lineno or 0, n.end_col_offset or 0, -n.lineno, -n.col_offset))
        lambdas = lambdas[:1]
    if len(lambdas) != 1:
        raise CannotBuild(f"one lambda at line {line}")
    return lambdas[0]


def _compiled(found: ast.Lambda | ast.FunctionDef, free: list[str], home: Loaded) -> Callable[..., object]:
    """A function of the closed-over values that gives the function."""
    copy = ast.parse(ast.unparse(_bare(found))).body[0]
    body: list[ast.stmt] = [copy]
    if isinstance(found, ast.FunctionDef):
        body.append(ast.Return(ast.Name(found.name, ast.Load())))
    else:
        body = [ast.Return(cast("ast.Expr", copy).value)]
    arguments = ast.arguments([], [], None, [ast.arg(n) for n in free], [None] * len(free), None, [])
    maker = ast.parse("def __make__(): ...").body[0]
    assert isinstance(maker, ast.FunctionDef)
    maker.args, maker.body = arguments, body
    local: dict[str, Callable[..., object]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.fix_missing_locations(ast.Module([maker], []))
        exec(compile(tree, f"{home.module.__file__}", "exec", dont_inherit=True), home.names, local)
    return local["__make__"]


def _bare(found: ast.Lambda | ast.FunctionDef) -> ast.AST:
    """The definition without what is evaluated when it is made: decorators, annotations and defaults."""
    copy = ast.parse(ast.unparse(found)).body[0]
    function = copy.value if isinstance(copy, ast.Expr) else copy
    assert isinstance(function, (ast.Lambda, ast.FunctionDef))
    a = function.args
    for argument in (*a.posonlyargs, *a.args, *a.kwonlyargs, *([a.vararg] if a.vararg else []), a.kwarg or ast.arg("")):
        argument.annotation = None
    a.defaults = [ast.Constant(None) for _ in a.defaults]
    a.kw_defaults = [d and ast.Constant(None) for d in a.kw_defaults]
    if isinstance(function, ast.FunctionDef):
        function.decorator_list, function.returns = [], None
    return ast.fix_missing_locations(copy)
