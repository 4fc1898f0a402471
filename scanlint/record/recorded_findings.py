"""Findings that a recorded run shows and the text alone does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from scanlint.finding import Finding, Fix, Measured, Position
from scanlint.record.run_evidence import FileEvidence, MeasuredLoop, Recompiled
from scanlint.rules.registry import RECOMPILED, entries, selected_codes
from scanlint.settings import Settings
from scanlint.syntax.regex import regex
from scanlint.syntax.walk import first_line

FEWEST_DISPATCHES = 1000
PER_ENTRY = 200
LEAST_SHARE = 0.01
FEWEST_COMPILATIONS = 5
OPERATIONS = 4
OTHER_LAYERS = 3
"""Loops over what may be layers of a model are reported from this many times the usual number of trips on."""
NO_FIX = Fix("none", "recorded: a run shows it, and the text does not show what the loop works on")
LOOPS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
_SHAPE = regex(r"ShapedArray\((\w+\[[^\]]*\])[^)]*\)")
STOPPED: dict[type[ast.AST], str] = {
    ast.If: "SCN201",
    ast.IfExp: "SCN201",
    ast.While: "SCN103",
    ast.For: "SCN104",
    ast.Assert: "SCN205",
}
"""The rule for a statement on whose first line a tracer was asked for its value; SCN206 for all others."""


def recorded_findings(
    text: str, path: str, entry: FileEvidence, known: Sequence[Finding], settings: Settings
) -> list[Finding]:
    """The findings in one file that recorded runs alone show, under the rules that are selected."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):  # a text that does not parse is a finding of its own
        return []
    codes = selected_codes(settings)
    made = _Made(tree, path)
    found = [*_eager(made, entry, known), *_repeated(made, entry, known, settings), *_stopped(made, entry, known)]
    often = [one for one in entry.compiled if _often(one) and one.line in made.nodes]
    found += [made.compiled(one, entry.run_seconds) for one in often]
    return [finding for finding in found if finding.code in codes]


class _Made:
    """Makes findings of one file, each at the statement or expression that begins on a line."""

    def __init__(self, tree: ast.Module, path: str) -> None:
        self.path = path
        self.entries = {entry.code: entry for entry in entries()}
        self.nodes: dict[int, list[ast.stmt | ast.expr]] = {}
        self.functions: dict[ast.AST, str | None] = {}
        self._walk(tree, None, "")

    def _walk(self, node: ast.AST, function: str | None, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt | ast.expr):
                self.nodes.setdefault(first_line(child), []).append(child)
                self.functions[child] = function
            match child:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    self._walk(child, prefix + name, f"{prefix}{name}.<locals>.")
                case ast.ClassDef(name=name):
                    self._walk(child, function, f"{prefix}{name}.")
                case _:
                    self._walk(child, function, prefix)

    def loop(self, loop: MeasuredLoop) -> ast.stmt | ast.expr | None:
        """The loop that stands on these lines."""
        there = [n for n in self.nodes.get(loop.first, ()) if isinstance(n, LOOPS) and n.end_lineno == loop.last]
        return there[0] if there else None

    def at(self, code: str, node: ast.stmt | ast.expr, message: str, help: str, measured: Measured | None) -> Finding:
        """A finding at a node; of a statement with a body, its head."""
        head = getattr(node, "iter", getattr(node, "test", node))
        end = Position(head.end_lineno or node.lineno, (head.end_col_offset or node.col_offset) + 1)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            end = Position(node.lineno, node.col_offset + len("def ") + len(node.name) + 1)
        start, function = Position(node.lineno, node.col_offset + 1), self.functions[node]
        rule = self.entries[code]
        level = "warning" if code == "SCN108" else rule.level  # what it costs was measured
        return Finding(
            code, rule.name, self.path, start, end, function, message, help, fix=NO_FIX, measured=measured, level=level
        )

    def compiled(self, one: Recompiled, run_seconds: float) -> Finding:
        """A function that was compiled again and again, and why."""
        there = self.nodes[one.line]
        node = next((n for n in there if isinstance(n, ast.Lambda | ast.FunctionDef)), there[0])
        what = f"`{one.name}` is compiled" if one.own else f"`{one.name}` on this line is compiled"
        if one.again > one.times // 2:
            why = "for arguments of the same shapes: it is made anew, or what is static differs"
            help = "make the function once, outside of what is repeated; hand in as arrays what differs"
        else:
            shapes = ", ".join(f"`{_plain(shape)}`" for shape in one.shapes)
            why = f"for {one.times - one.again} kinds of arguments: {shapes}, ..."
            help = "pad the arguments to few shapes, with a mask for what is padding"
        measured = Measured(alone=True, seconds=one.seconds, run_seconds=run_seconds)
        return self.at(RECOMPILED.code, node, f"{what} {one.times} times {why}", help, measured)


def _plain(shapes: str) -> str:
    """`float32[2], int32[]` for the types of arguments as JAX spells them in a list."""
    return _SHAPE.sub(r"\1", shapes).removeprefix("[").removesuffix("]")


def _often(one: Recompiled) -> bool:
    """Whether compiling was frequent; single operations are compiled for many reasons, each of them quickly."""
    return one.times >= FEWEST_COMPILATIONS * (1 if one.own else OPERATIONS)


def _eager(made: _Made, entry: FileEvidence, known: Sequence[Finding]) -> Iterator[Finding]:
    """The innermost loops that run hundreds of operations one by one each time that they are begun."""
    long = [loop for loop in entry.loops if _is_long(loop, entry.run_seconds)]
    for loop in long:
        inner = sum(other.dispatches for other in long if other != loop and _inside(other, loop))
        node = made.loop(loop)
        if node is None or inner > 0.5 * loop.dispatches or _told(loop, known):
            continue
        alone = isinstance(node, ast.expr)
        help = "apply it to all elements at once with `jax.vmap`" if alone else "jit what one trip does as one function"
        help += "" if alone else "; carry its state through `jax.lax.scan` where no trip is looked at"
        message = f"this {'comprehension' if alone else 'loop'} runs {loop.dispatches:,} operations of JAX one by one"
        yield made.at("SCN302" if alone else "SCN108", node, message, help, entry.of_loop(loop, alone=True))


def _is_long(loop: MeasuredLoop, run_seconds: float) -> bool:
    often = loop.dispatches >= max(FEWEST_DISPATCHES, PER_ENTRY * loop.entries)
    return often and loop.seconds >= LEAST_SHARE * run_seconds


def _inside(inner: MeasuredLoop, outer: MeasuredLoop) -> bool:
    return outer.first <= inner.first and inner.last <= outer.last


def _told(loop: MeasuredLoop, known: Sequence[Finding]) -> bool:
    """Whether a finding speaks of this loop, of one in it or of one around it."""
    families = [f for f in known if f.code.startswith(("SCN1", "SCN3"))]
    return any(loop.has(f.start.line) or f.start.line <= loop.first <= f.end.line for f in families)


def _repeated(made: _Made, entry: FileEvidence, known: Sequence[Finding], settings: Settings) -> Iterator[Finding]:
    """Loops that tracing unrolls."""
    for loop in entry.loops:
        node = made.loop(loop)
        if node is None or loop.equations < settings.min_unrolled_equations or _told(loop, known):
            continue
        if loop.repeats <= settings.max_unrolled_trips * (1 if _counts(node) else OTHER_LAYERS):
            continue
        yield made.at(
            "SCN101",
            node,
            f"one trace gave the equations of this loop {loop.repeats} times",
            "carry its state through `jax.lax.scan`, or treat all elements at once with `jax.vmap`",
            entry.of_loop(loop, alone=True),
        )


def _counts(node: ast.AST) -> bool:
    """Whether a loop goes over numbers, not over layers: `while`, `range`."""
    match node:
        case ast.While():
            return True
        case ast.For(iter=ast.Call(func=ast.Name(id="range"))):
            return True
    return False


def _stopped(made: _Made, entry: FileEvidence, known: Sequence[Finding]) -> Iterator[Finding]:
    """Lines on which a tracer was asked for its value, and that was an error."""
    told = {line for f in known if f.code.startswith("SCN") for line in range(f.start.line, f.end.line + 1)}
    for line, error in entry.stopped.items():
        nodes = made.nodes.get(line, [])
        if line in told or not nodes:
            continue
        node = next((n for n in nodes if type(n) in STOPPED), nodes[0])
        code = STOPPED.get(type(node), "SCN206")
        message = f"a traced value is asked for its value here: `{error}`"
        yield made.at(code, node, message, "stage it: `jnp.where`, `jax.lax.cond`, `.astype`", Measured(alone=True))
