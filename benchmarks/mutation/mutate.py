"""Wrong versions of a function: one small change each, as people and rewriters make them."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from typing import NamedTuple


class Mutant(NamedTuple):
    """The module with one thing changed, and what."""

    text: str
    operator: str
    line: int


class Edit(NamedTuple):
    """A replacement of one node's text."""

    operator: str
    node: ast.expr | ast.stmt
    text: str
    before: tuple[ast.stmt, str] | None = None  # a statement to put in front of another


SWAPS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
TIES = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
CONVERSE = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
FUNCTIONS = {
    "minimum": "maximum", "maximum": "minimum", "sin": "cos", "cos": "sin", "logical_and": "logical_or",
    "logical_or": "logical_and", "zeros": "ones", "ones": "zeros", "zeros_like": "ones_like", "sum": "mean",
}  # fmt: skip
NARROW = "jax.tree_util.tree_map(lambda v: v.astype(jnp.bfloat16).astype(v.dtype) if jnp.issubdtype(jnp.result_type(v), jnp.floating) and hasattr(v, 'astype') else v, {})"


def mutants(text: str, function: str) -> Iterator[Mutant]:
    """Every mutant of one function of a module that is Python and not the same program."""
    tree = ast.parse(text)
    node = _find(tree, function)
    if node is None:
        return
    seen = {ast.dump(tree)}
    for edit in _edits(node):
        changed = _replaced(text, edit)
        try:
            program = ast.dump(ast.parse(changed))
        except SyntaxError:
            continue
        if program not in seen:
            seen.add(program)
            yield Mutant(changed, edit.operator, edit.node.lineno)


def chosen(found: list[Mutant], count: int, rng: random.Random) -> list[Mutant]:
    """Some of them, all operators in turn."""
    by_operator: dict[str, list[Mutant]] = {}
    for mutant in found:
        by_operator.setdefault(mutant.operator, []).append(mutant)
    for group in by_operator.values():
        rng.shuffle(group)
    picked: list[Mutant] = []
    while len(picked) < min(count, len(found)):
        for group in by_operator.values():
            if group and len(picked) < count:
                picked.append(group.pop())
    return picked


def _find(tree: ast.Module, dotted: str) -> ast.FunctionDef | None:
    body: list[ast.stmt] = tree.body
    found: ast.stmt | None = None
    for part in dotted.split("."):
        found = next((s for s in body if isinstance(s, (ast.FunctionDef, ast.ClassDef)) and s.name == part), None)
        body = found.body if found is not None else []  # type: ignore[attr-defined]
    return found if isinstance(found, ast.FunctionDef) else None


def _replaced(text: str, edit: Edit) -> str:
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    node = edit.node
    end_line, end = node.end_lineno or node.lineno, node.end_col_offset or 0
    head = b"".join(lines[: node.lineno - 1]) + lines[node.lineno - 1][: node.col_offset]
    tail = lines[end_line - 1][end:] + b"".join(lines[end_line:])
    changed = (head + edit.text.encode() + tail).decode()
    if edit.before is None:
        return changed
    place, statement = edit.before
    rows = changed.splitlines(keepends=True)
    rows.insert(place.lineno - 1, f"{' ' * place.col_offset}{statement}\n")
    return "".join(rows)


def _edits(function: ast.FunctionDef) -> Iterator[Edit]:
    inner = [n for n in ast.walk(function) if isinstance(n, ast.FunctionDef) and n is not function]
    for statement in function.body:
        for node in ast.walk(statement):
            match node:
                case ast.Call():
                    yield from _calls(node)
                case ast.Subscript(slice=index, ctx=ast.Load()) if not isinstance(index, (ast.Slice, ast.Tuple)):
                    text = ast.unparse(node.value)
                    for shift in (" + 1", " - 1"):
                        yield Edit("index shifted", node, f"{text}[{ast.unparse(index)}{shift}]")
                case ast.Tuple(elts=[first, second, *rest], ctx=ast.Load()):
                    whole = ast.unparse(ast.Tuple([second, first, *rest], ast.Load()))
                    yield Edit("carry swapped", node, whole if whole.startswith("(") else f"({whole})")
                case ast.Compare(ops=[op], left=left, comparators=[right]):
                    for table, name in ((TIES, "wrong branch on ties"), (CONVERSE, "comparison turned round")):
                        if type(op) in table:
                            yield Edit(name, node, f"({ast.unparse(ast.Compare(left, [table[type(op)]()], [right]))})")  # type: ignore[index]
                case ast.BinOp(op=op, left=left, right=right) if type(op) in SWAPS:
                    yield Edit("operator swapped", node, f"({ast.unparse(ast.BinOp(left, SWAPS[type(op)](), right))})")  # type: ignore[abstract]
                case ast.UnaryOp(op=ast.USub(), operand=operand):
                    yield Edit("operator swapped", node, f"({ast.unparse(operand)})")
                case ast.Constant(value=value) if type(value) in (int, float):
                    yield from _constants(node, value)
                case ast.Assign(
                    targets=[ast.Tuple(elts=[ast.Name(), *_])], value=ast.Call(func=ast.Attribute(attr="split"))
                ):
                    names = ast.unparse(node.targets[0]).strip("()").split(", ")
                    yield Edit("key reused", node, f"{', '.join(['_spent', *names[1:]])} = {ast.unparse(node.value)}")
    for helper in (function, *inner):
        yield from _statements(helper, helper is not function)


def _constants(node: ast.Constant, value: int | float) -> Iterator[Edit]:
    yield Edit("constant changed", node, f"({value + 1!r})")
    if isinstance(value, float):
        yield Edit("constant changed", node, f"({value * 1.01 + 0.001!r})")
    else:
        yield Edit("off by one", node, f"({value - 1!r})")


def _calls(node: ast.Call) -> Iterator[Edit]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    source = ast.unparse(node.func)
    arguments = [ast.unparse(a) for a in node.args]
    keywords = [f"{k.arg}={ast.unparse(k.value)}" if k.arg else f"**{ast.unparse(k.value)}" for k in node.keywords]

    def call(function: str, *new: str) -> str:
        return f"{function}({', '.join([*new, *keywords])})"

    if name in FUNCTIONS and isinstance(node.func, ast.Attribute):
        yield Edit("function swapped", node, call(f"{ast.unparse(node.func.value)}.{FUNCTIONS[name]}", *arguments))
    match name, arguments:
        case "fori_loop", [low, high, *rest]:
            for a, b in ((low, f"{high} - 1"), (low, f"{high} + 1"), (f"{low} + 1", high)):
                yield Edit("off-by-one trip", node, call(source, a, b, *rest))
        case "scan", [body, initial, xs, *rest] if xs != "None":
            yield Edit(
                "off-by-one trip",
                node,
                call(source, body, initial, f"jax.tree_util.tree_map(lambda v: v[1:], {xs})", *rest),
            )
            yield Edit("wrong order", node, call(source, body, initial, xs, *rest, "reverse=True"))
        case (("cond" | "where"), [test, yes, no, *rest]):
            yield Edit("arms exchanged", node, call(source, test, no, yes, *rest))
            yield Edit("arm lost", node, call(source, test, yes, yes, *rest))
            if name == "cond" and isinstance(node.args[1], ast.Lambda) and isinstance(node.args[2], ast.Lambda):
                both = [ast.unparse(arm.body) for arm in node.args[1:3] if isinstance(arm, ast.Lambda)]
                yield Edit("guard lost", node, f"jnp.where({test}, {both[0]}, {both[1]})")
            elif name == "cond" and not rest:
                yield Edit(
                    "guard lost",
                    node,
                    f"jax.tree_util.tree_map(lambda p, q: jnp.where({test}, p, q), ({yes})(), ({no})())",
                )
        case "switch", [index, arms, *rest]:
            yield Edit("else arm mapped wrong", node, call(source, f"{index} - 1", arms, *rest))
            yield Edit("else arm mapped wrong", node, call(source, f"{index} + 1", arms, *rest))
        case "vmap", [mapped, *_] if not keywords:
            yield Edit("wrong axis", node, f"{source}({mapped}, out_axes=-1)")
            yield Edit("wrong axis", node, f"{source}({mapped}, in_axes=-1)")
        case (("set" | "add"), [value]):
            yield Edit(
                "update changed", node, f"{source.rpartition('.')[0]}.{'add' if name == 'set' else 'set'}({value})"
            )
    for k in node.keywords:
        if k.arg in ("axis", "in_axes", "out_axes") and isinstance(k.value, ast.Constant):
            other = [x for x in keywords if not x.startswith(f"{k.arg}=")]
            yield Edit(
                "wrong axis",
                node,
                f"{source}({', '.join([*arguments, *other, f'{k.arg}={1 if k.value.value == 0 else 0}'])})",
            )


def _statements(function: ast.FunctionDef, staged: bool) -> Iterator[Edit]:
    """Changes of whole statements in one body, of an inner function that is a loop's body mostly."""
    parameters = {a.arg for a in function.args.args}
    bound: set[str] = set()
    for statement in function.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in parameters | bound:
                yield Edit("dropped statement", statement, "pass")
                yield Edit("gradient stopped", value, f"lax.stop_gradient({ast.unparse(value)})")
            case ast.Assign(targets=[ast.Tuple(elts=names)]):
                bound |= {n.id for n in names if isinstance(n, ast.Name)}
            case ast.Return(value=ast.expr() as value) if staged:
                yield Edit("dtype narrowed", value, NARROW.format(ast.unparse(value)))
                yield Edit(
                    "gradient stopped", value, f"jax.tree_util.tree_map(lax.stop_gradient, {ast.unparse(value)})"
                )
                yield from _earlier(function, value)
        if isinstance(statement, ast.Assign):
            bound |= {n.id for n in statement.targets if isinstance(n, ast.Name)}


def _earlier(function: ast.FunctionDef, result: ast.expr) -> Iterator[Edit]:
    """The output from before the update: the value with which the body began."""
    updates = [s for s in function.body if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)]
    for update in updates:
        name = ast.unparse(update.targets[0])
        uses = [n for n in ast.walk(result) if isinstance(n, ast.Name) and n.id == name]
        own = name in {a.arg for a in function.args.args} or isinstance(function.body[0], ast.Assign)
        if uses and own and any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(update.value)):
            first = (function.body[0], f"_was = {name}")
            yield Edit("output from before the update", uses[-1], "_was", first)
