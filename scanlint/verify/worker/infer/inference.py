"""Infers the kind of each parameter from how the function and its callees use it."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from ..runtime.free_names import named_parameters, placed_parameters, with_defaults
from .docstring_hints import annotation, hints
from .need import (
    ARRAY_ATTRIBUTES,
    KEY_CALLS,
    MATRIX_CALLS,
    RANDOM,
    SEEDED,
    SQUARE_CALLS,
    STATIC_CALLS,
    VECTOR_CALLS,
    WITH_AXES,
    Need,
    used_as_floats,
)
from .places import Places, passes
from .size_needs import lengths
from .written_values import constants_in, is_whole, joins_values, strings_in

MAX_DEPTH = 4
ARRAY_MODULES = frozenset(["jnp", "jax.numpy", "np", "numpy", "jp", "onp"])
WITH_OPERANDS = SQUARE_CALLS | MATRIX_CALLS | VECTOR_CALLS
Callee = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Inference(Places):
    """Walks functions with a map from local names to needs."""

    def function(self, node: Callee, needs: Mapping[str, Need]) -> None:
        self.names = {**self.names, **needs}
        body = node.body if isinstance(node.body, list) else [node.body]
        for statement in body:
            self.walk(statement)

    def around(self, node: Callee) -> dict[str, Need]:
        """The needs that a function made here has from outside: those that no parameter of its own hides."""
        hidden = {parameter.arg for parameter in named_parameters(node.args)}
        return {name: need for name, need in self.names.items() if name not in hidden}

    def walk(self, node: ast.AST) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.functions[node.name] = node
                self.closures.add(node.name)
                inner = Inference(self.functions, self.depth)
                inner.names = self.around(node)
                inner.function(node, {})
                return
            case ast.Assign(targets=[target], value=value):
                self.walk(value)  # `x = x[rows]` reads the old one
                self.walk(target)
                self.assign(target, value)
                return
            case ast.For(target=target, iter=iterable):
                self.over_keys(target, iterable, node)
                self.iterate(target, iterable)
            case ast.comprehension(target=target, iter=iterable):
                self.iterate(target, iterable)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                for generator in node.generators:
                    self.over_keys(generator.target, generator.iter, node)
                    self.walk(generator)
            case ast.While(test=ast.Name() as counter):
                need = self.need(counter)
                if need is not None:
                    need.is_int = True  # `while n:`, which counts down; a flag has a `not`, or is named in a comparison
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) | ast.Assert(test=test):
                self.truth(test)
            case ast.BoolOp(values=values) if any(isinstance(v, ast.Compare) for v in values):
                self.truth(node)  # `x > 0 and clipped`: an `or` of numbers alone gives a number
            case ast.Call():
                self.call(node)
            case ast.Compare():
                self.compare(node)
            case ast.Match(subject=subject, cases=cases):
                for value in (n.value for c in cases for n in ast.walk(c.pattern) if isinstance(n, ast.MatchValue)):
                    self.compare(ast.Compare(subject, [ast.Eq()], [value]))
            case ast.BinOp(left=left, op=op, right=right):
                self.arithmetic(left, op, right)
                divisor = self.need(right) if isinstance(op, ast.Mod) and self.counted(left) else None
                if divisor is not None:
                    divisor.is_int = divisor.is_int or not divisor.floating
            case ast.Subscript() | ast.Attribute():
                self.need(node)
        outside = self.carried
        if isinstance(node, ast.For | ast.While):
            bound = (t for n in ast.walk(node) if isinstance(n, ast.Assign) for t in n.targets)
            self.carried = outside | {n.id for t in bound for n in ast.walk(t) if isinstance(n, ast.Name)}
        if isinstance(node, ast.If):  # `if i < 0: i = 0`: what is read afterwards is still the argument
            limits = (n for n in ast.walk(node) if isinstance(n, ast.Assign) and is_whole(n.value))
            self.carried = outside | {t.id for n in limits for t in n.targets if isinstance(t, ast.Name)}
        for child in ast.iter_child_nodes(node):
            self.walk(child)
        self.carried = outside

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Tuple(elts=targets), ast.Attribute(value=inner, attr="shape"):
                need = self.need(inner)
                if need is not None:
                    need.is_array, need.exact = True, len(targets)
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for t, v in zip(targets, values, strict=False):
                    self.assign(t, v)
            case ast.Tuple(elts=targets), _:
                need = self.need(value)
                if need is not None:
                    need.parts = need.parts or [Need() for _ in targets]
                    for t, part in zip(targets, need.parts, strict=False):
                        if isinstance(t, ast.Name):
                            self.names[t.id] = part
                else:
                    self.forget(target, value)
            case ast.Name(id=name), _ if name in self.names and (texts := strings_in(value)):
                self.names[name].constants.update(texts)  # a mode, mostly tested on one path only
            case ast.Name(id=name), ast.Dict(keys=keys, values=values):
                texts = [k.value if isinstance(k, ast.Constant) and isinstance(k.value, str) else "" for k in keys]
                held = {k: need for k, v in zip(texts, values, strict=True) if k and (need := self.need(v)) is not None}
                self.names[name] = Need(keys=held)
            case ast.Name(id=name), ast.Call(args=[ast.Name(id=changed), *_]) if passes(value) and (
                changed in self.functions
            ):
                self.functions = {**self.functions, name: self.functions[changed]}
            case ast.Name(id=name), _:
                need, known = self.need(value), self.names.get(name)
                if need is None:
                    self.computed[name] = value
                    need = known if name in self.carried else None
                if known is not None and known.parts and joins_values(value):
                    known.is_array = True  # a state that is unpacked, and put together again as an array
                if need is not None:
                    if known is not None and known is not need and isinstance(value, ast.Name):
                        known.swapped.append(need)
                    self.names[name] = need
                else:
                    self.forget(target, value)

    def iterate(self, target: ast.expr, iterable: ast.expr) -> None:
        first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target
        if isinstance(first, ast.Name) and first.id in self.keyed:
            return
        match iterable:
            case ast.Call(func=ast.Name(id="range"), args=args):
                for argument in args:
                    need = self.need(argument)
                    if need is not None:
                        need.is_int = need.is_range = True
                        need.is_start = need.is_start or (argument is args[0] and len(args) > 1)
                if isinstance(target, ast.Name):
                    self.counters.add(target.id)
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
                if isinstance(target, ast.Tuple) and len(target.elts) == 2:
                    self.iterate(target.elts[1], inner)
            case ast.Call(func=ast.Name(id="zip"), args=args):
                targets = target.elts if isinstance(target, ast.Tuple) else []
                for t, a in zip(targets, args, strict=False):
                    self.iterate(t, a)
            case ast.Call(func=ast.Name(id="reversed"), args=[inner]) | ast.Subscript(value=inner, slice=ast.Slice()):
                self.iterate(target, inner)
            case _:
                need = self.need(iterable)
                if need is not None:
                    need.at_least(1)
                    self.bind(target, need.of_element())

    def truth(self, test: ast.expr) -> None:
        match test:
            case ast.Name() | ast.Attribute():
                need = self.need(test)
                if need is not None:
                    need.is_flag = True
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                self.truth(inner)
            case ast.BoolOp(values=values):
                for value in values:
                    self.truth(value)

    def arithmetic(self, left: ast.expr, op: ast.operator, right: ast.expr) -> None:
        """The operands of `@` are arrays, and what is divided or raised to a power is no whole number."""
        for need in filter(None, map(self.need, (left, right))):
            if isinstance(op, ast.MatMult):
                need.is_array = True
                need.at_least(1)
            if isinstance(op, ast.Div | ast.Pow):
                need.floating = True

    def compare(self, node: ast.Compare) -> None:
        for side, other in zip([node.left, *node.comparators], [*node.comparators, node.left], strict=False):
            need = self.need(side)
            if need is None:
                continue
            if isinstance(other, ast.Attribute) and self.need(other) is None:
                need.members.append(other)
            if self.counted(other):
                need.is_int = need.is_int or not need.floating
            for value in constants_in(other):
                need.constants.add(value)
                if isinstance(value, int) and not isinstance(value, bool) and isinstance(node.ops[0], (ast.Eq, ast.In)):
                    need.is_int = need.is_int or not need.floating

    def counted(self, node: ast.expr) -> bool:
        """Whether this is the loop's induction variable, or that plus a number."""
        match node:
            case ast.Name(id=name):
                return name in self.counters
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=ast.Constant(value=int())):
                return self.counted(left)
        return False

    def call(self, node: ast.Call) -> None:
        self.operands(node)
        called = node.func.args[0] if passes(node.func) and node.func.args else node.func  # type: ignore[attr-defined]
        need = self.need(called) if isinstance(called, (ast.Name, ast.Subscript)) else None
        if need is not None:
            need.arity = sum(not isinstance(a, ast.Starred) for a in node.args)
            need.named |= {k.arg for k in node.keywords if k.arg}
            need.graded |= called is not node.func and "grad" in ast.unparse(node.func)
        match node.func:
            case ast.Name(id="len"):
                for argument in node.args:
                    inner = self.need(argument)
                    if inner is not None:
                        inner.at_least(1)
            case ast.Name(id=name) if name in self.functions:
                self.into(self.functions[name], node)
            case ast.Call(args=[ast.Name(id=name), *_]) as changed if name in self.functions and passes(changed):
                self.into(self.functions[name], node)
            case function if (within := self.written(function)) is not None:
                self.into(within, node)
            case ast.Name(id=name) if name in WITH_OPERANDS:
                self.library(node.func, name, node)  # `from jax.numpy.linalg import inv`
            case ast.Attribute(value=value, attr="startswith" | "endswith" | "removeprefix" | "removesuffix"):
                if (asked := self.need(value)) is not None:
                    asked.constants.update(text for argument in node.args for text in constants_in(argument))
            case ast.Attribute(value=value, attr=attr):
                self.library(value, attr, node)

    def operands(self, node: ast.Call) -> None:
        """Note the operands that `*` and `**` take apart."""
        for argument in node.args:
            if isinstance(argument, ast.Starred) and (need := self.need(argument.value)) is not None:
                need.spread = True
        for keyword in node.keywords:
            if keyword.arg is None and (need := self.need(keyword.value)) is not None:
                need.mapping = True

    def into(self, callee: Callee, node: ast.Call) -> None:
        """Follow arguments into a function of the same module; a local function inherits what is known here."""
        if self.depth >= MAX_DEPTH:
            return
        names = [parameter.arg for parameter in placed_parameters(callee.args)]
        pairs = [*zip(names, node.args, strict=False), *((k.arg, k.value) for k in node.keywords if k.arg)]
        needs = {name: need for name, value in pairs if (need := self.need(value)) is not None}
        for argument in placed_parameters(callee.args):
            if argument.arg in needs and needs[argument.arg].annotation is None:
                needs[argument.arg].annotation = argument.annotation
        if needs:
            inner = Inference(self.functions, self.depth + 1)
            inner.closures = set(self.closures)
            if isinstance(callee, ast.Lambda) or callee.name in self.closures:
                inner.names = self.around(callee)
            inner.function(callee, needs)

    def library(self, value: ast.expr, attr: str, node: ast.Call) -> None:
        base = ast.unparse(value)
        first = self.need(node.args[0]) if node.args else None
        if attr in KEY_CALLS and base.split(".")[-1] in RANDOM and first is not None:
            first.is_key = True
        if attr in SEEDED and base.split(".")[-1] in RANDOM and first is not None:
            first.is_int = True
        for argument in node.args[: 2 if attr in VECTOR_CALLS else 1] if _of_arrays(attr, base) else ():
            if (inner := self.need(argument)) is not None:
                inner.is_array = True
                inner.at_least(1)
        if attr == "concatenate" and node.args and isinstance(node.args[0], ast.List | ast.Tuple):
            for joined in filter(None, map(self.need, node.args[0].elts)):
                joined.at_least(1)
        if attr == "einsum":
            for operand in filter(None, map(self.need, node.args[1:])):
                operand.is_array = True
        if attr in STATIC_CALLS and first is not None:
            first.is_int = first.is_range = True
        lengths(self, attr, node)
        if attr in ("map", "tree_map") and node.args and isinstance(node.args[0], ast.Lambda):
            self.mapped(node.args[0], node.args[1:])
        if attr == "scan" and len(node.args) >= 3 and isinstance(node.args[0], ast.Name):
            self.scanned(node)
        receiver = self.need(value)
        if receiver is not None and attr not in ARRAY_ATTRIBUTES:
            receiver.methods.add(attr)
            receiver.calls[attr] = len(node.args)

    def mapped(self, function: ast.Lambda, trees: list[ast.expr]) -> None:
        needs: dict[str, Need] = {}
        for argument, tree in zip(function.args.args, trees, strict=False):
            need = self.need(tree)
            if need is not None:
                need.leaf = need.leaf or Need()
                needs[argument.arg] = need.leaf
        inner = Inference(self.functions, self.depth)
        inner.counters = self.counters
        inner.function(function, needs)

    def scanned(self, node: ast.Call) -> None:
        body = self.functions.get(node.args[0].id) if isinstance(node.args[0], ast.Name) else None
        xs = self.need(node.args[2])
        if body is None or self.depth >= MAX_DEPTH or len(body.args.args) != 2:
            return
        needs: dict[str, Need] = {}
        init = self.need(node.args[1])
        if init is not None:
            needs[body.args.args[0].arg] = init
        if xs is not None:
            xs.at_least(1)
            needs[body.args.args[1].arg] = xs.of_element()
        inner = Inference(self.functions, self.depth + 1)
        inner.names = dict(self.names)
        inner.function(body, needs)


def _of_arrays(attr: str, base: str) -> bool:
    """Whether the first operand of a function has axes."""
    return attr in WITH_OPERANDS or (attr in WITH_AXES and base in ARRAY_MODULES)


def infer(
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    functions: Mapping[str, ast.FunctionDef | ast.AsyncFunctionDef],
) -> dict[str, Need]:
    """The needs of all parameters of a function."""
    needs: dict[str, Need] = {}
    for argument, default in with_defaults(node.args):
        need = needs[argument.arg] = Need(annotation=argument.annotation)
        if default is not None:
            found = constants_in(default)
            need.default = found[0] if found else default
    for name in used_as_floats(node):
        if name in needs:
            needs[name].floating = True
    # A need that is found late may determine one that was found early.
    for _ in range(2):
        Inference(functions).function(node, needs)
    for name, hint in hints(node).items():
        need = needs[name]
        if _array(need.annotation) and need.default is ... and not need.is_range and not need.keys:
            whole = need.is_int or (need.element is not None and need.element.is_int)
            need.annotation = annotation(hint, "Int" if whole else "Float")
    return needs


def _array(annotation: ast.expr | None) -> bool:
    """Whether an annotation leaves the shape open."""
    return annotation is None or ast.unparse(annotation).endswith(("Array", "ndarray"))
