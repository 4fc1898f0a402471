"""What one cheap pass over a file tells: its imports, functions, classes, and where transforms are applied."""

from __future__ import annotations

import ast
import io
import re
import sys
import warnings
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from scanlint.deep import at_bottom
from scanlint.jaxapi.host_functions import TWINS
from scanlint.jaxapi.spelled_transforms import is_transform, loops, transforms
from scanlint.project.code_text import code_text
from scanlint.project.files import SourceFile, Unreadable
from scanlint.syntax.regex import regex
from scanlint.syntax.source import is_test
from scanlint.syntax.walk import first_line, walk

JAX = regex(
    r"\b(?:jax|flax|equinox|haiku|optax|chex|brax|jaxlib|numpyro|blackjax|diffrax|jaxtyping|jaxopt|optimistix|lineax)\b"
)
LOOP = regex(r"\n[ \t]*(?:for|while)\b")
"""A loop: it may run what other files compile."""
STAGES = regex(r"\b(?:jit|pjit|pmap|while_loop|fori_loop)\b|\blax\.map\(")
CONTROL = regex(
    r"\b(?:scan|for|while|if|case|assert|and|or|not|in|int|float|bool|complex|min|max|any|all|sorted|item|tolist|print)\b"
    r"|\b[rR]?[fF][rR]?[\"']|[<>](?![<>])=?[^<>=:;#]+[<>]|(?<![.\w])sum\("
    r"|\b(?:global|nonlocal|cond)\b|\.(?:append|update|add|extend)\(|(?:\.\w+|\])[ ]=(?!=)"
    r"|[\w\])]\[[^\]\n]*[a-z]|\] *(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=(?!=)"
    r"|\b(?:zeros|ones|empty|full|eye|identity|tri|arange|\w+space|reshape|nonzero|argwhere|flatnonzero|unique\w*"
    r"|\w+1d|where|extract|compress|bincount|repeat|tile|pad|diff|\w*split|one_hot|top_k|approx_m\w+_k|segment_\w+"
    r"|broadcast_to|astype|axis|dtype|shape|num|length|jit|dynamic_slice\w*|slice\w*|iota|transpose|swapaxes)\b"
)
"""Spells what may need the value of a tracer, a chained comparison among it, or keep one in what outlives the trace.

From the fourth line on: what may need a size, axis or index that is known, or writes to an item of an array.
"""
WRITES = regex(r"\n[ \t]+(\w+)\[[^\n=]*\] *(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=(?!=)")
"""An assignment to an item of a name."""
STATIC = "static_arg"
MADE = regex(r"\blambda\b|\n[ \t]+def ")
"""What makes a function in another one: it may be a static argument of what the file jits with such."""
UPDATES = frozenset(["apply_gradients", "apply_updates"])
COMPUTING = frozenset(["apply_gradients", "update", "init"])
LIBRARIES = frozenset(["jax", "jnp", "jr", "jrandom", "random", "optax", "lax"])
CLOCKS = frozenset(["time", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "time_ns", "default_timer"])
GLOBALS = regex(r"^[ \t]+global[ \t]+([\w, \t]+)", re.MULTILINE)
JITTED_METHODS = regex(r"jit(?<!\wjit)(?:\([ \n]*self\.|\)?\n[ \t]+def \w+\(\s*self)")
"""It begins with plain letters, which are found ten times as fast as the end of a word."""
HOST = ("math", "numpy", "random")
"""Modules whose functions need it too."""
ARRAYS = regex(
    r"\b(?:stack|array|asarray|concatenate|append|at|vstack|hstack|jit|scan|vmap|(?:zeros|ones|empty|full)(?:_like)?)\b"
    r"|\+=|\b(\w+) *= *\1 *\+"
)
"""What a loop on the host may collect arrays with, or add them up."""
STRAIGHT = regex(
    r"\b(?:perf_counter\w*|monotonic\w*|time\.time|time\(\))"
    r"|\.at\[|,[ ]?\*\w+,?[ ]?=(?!=)|\bapply_(?:gradients|updates)\("
    r"|(?:\n|\):|;)[ \t]{1,60}(?:(?:jax|jnp|jr|jrandom|random|optax|lax)\.|[\w.]{1,40}\.(?:update|init)\()"
)
"""What host code is looked into for where it has no loop: a clock, and statements that only compute."""

SOLVERS = ("minimize", "root", "least_squares", "curve_fit", "fmin", "fsolve", "solve_ivp", "odeint", "quad", "brentq")
"""What of SciPy evaluates a function again and again."""
ROOTS = ("sqrt(", "log(")
SINGULAR = regex(
    r"\bsqrt\((?![\d \n]|\w+\.shape)|\blog\(([^\n()]{1,40})\) *\* *\1|([\w.\[\]]{1,40}) *\* *\w+\.log\(\2\)"
)
"""What may be NaN at one point: a root, and what is multiplied by its logarithm."""

ARITHMETIC = (
    ast.Return,
    ast.Assign,
    ast.Expr,
    ast.Name,
    ast.Constant,
    ast.BinOp,
    ast.UnaryOp,
    ast.Attribute,
    ast.Tuple,
)
ELEMENTWISE = frozenset(name.rpartition(".")[2] for name, to in TWINS.items() if to.most == 1 and to.gives == "float")
BLOCKS = ("body", "orelse", "finalbody")

SCRIPT = "<module>"
"""What runs when a file does goes by this name where others have that of a function."""
KEYS = regex(
    r"(?:\b(?<!\.)|\bself\.)(?:\w*_)?(?:sub)?keys?\d*\b(?!\(|=lambda)|\b(?:\w*_)?(?:sub)?rngs?\d*\b|PRNG|prng|Rngs|\brandom\b|fold_in\("
)
"""Spells what may be a random key, or something that is done with one."""
KEY_WORDS = ("key", "rng", "PRNG", "Rngs", "random", "fold_in")
"""Without one of these nothing is."""
QUOTED = regex(r"(?s:(\"{3}|'{3}).*?\1)|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|#[^\n]*")
INNER_IMPORT = regex(r"^[ \t]+(?:from[ \t]+\.*([\w.]+)[ \t]+import|import[ \t]+([\w.]+))", re.MULTILINE)
NESTING = regex(r"\n|[-+*/%@|&^<>.~\[\](){}]|\b(?:and|or|not|if|elif|lambda|await)\b")
MOST_BRACKETS = 200
"""As many as Python's own parser takes inside one another."""
MOST_PARTS = 1000


class Span(NamedTuple):
    """A function or method: the lines of its statement (decorators included), and what its text holds.

    `control`: it may hold something that a rule speaks of: control flow of Python or JAX, or a jit of its own.
    `arrays` is told of functions with loops alone, `straight` of what is told of host code without one. `writes`: it
    may assign to an item of what JAX made in it. `keys`: it may do something with random keys.
    """

    qualname: str
    first: int
    last: int
    transforms: bool
    control: bool
    loops: bool
    arrays: bool
    straight: bool = False
    writes: bool = False
    keys: bool = False


class ClassFacts(NamedTuple):
    """A class: its bases as they are spelled, its annotated fields, the names of its methods."""

    name: str
    first: int
    last: int
    bases: tuple[str, ...]
    decorators: tuple[str, ...]
    fields: tuple[str, ...]
    methods: tuple[str, ...]


@dataclass(slots=True)
class ModuleFacts:
    """One file. `jax`: a library of JAX is spelled in it; `drives`: none is, but it has loops and imports modules.

    `statements` maps the names that module-level assignments bind to the lines of those statements.

    `scripts` holds what stands at its top, outside of all functions, if there is a loop in that; `inner` the modules
    that are imported in functions, without the dots of relative imports.
    """

    path: str
    jax: bool
    imports: dict[str, str] = field(default_factory=dict)
    relative: dict[str, tuple[int, str]] = field(default_factory=dict)
    stars: list[tuple[int, str]] = field(default_factory=list)
    functions: dict[str, Span] = field(default_factory=dict)
    classes: dict[str, ClassFacts] = field(default_factory=dict)
    statements: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    active: list[tuple[int, int]] = field(default_factory=list)
    scripts: dict[str, Span] = field(default_factory=dict)
    transforms: bool = False
    inner: tuple[str, ...] = ()
    drives: bool = False

    @property
    def runs(self) -> bool:
        """JAX may run in it: it is spelled, or what is imported may call it."""
        return self.jax or self.drives


def parse(source: SourceFile) -> ast.Module | Unreadable:
    """The tree of a file; a syntax error becomes a record, a warning about the text is nobody's.

    Raises RecursionError where there is room for a deeper one elsewhere.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source.text)
    except SyntaxError as error:
        if _newer(source.text):
            message = (
                f"written for a newer Python than {sys.version_info[0]}.{sys.version_info[1]}, which scanlint runs on"
            )
            return Unreadable(source.path, source.display, f"{message}: not checked", newer=True)
        message = error.msg + (f": {error.text.strip()}" if error.msg == "invalid syntax" and error.text else "")
        return Unreadable(source.path, source.display, message, error.lineno or 1, error.offset or 1, syntax=True)
    except RecursionError:
        if not at_bottom():
            raise
        return Unreadable(source.path, source.display, "it is nested too deeply for Python's parser", syntax=True)
    except (ValueError, MemoryError) as error:
        return Unreadable(source.path, source.display, f"cannot parse: {error}", syntax=True)


def _newer(text: str) -> bool:
    """Whether a text that this Python does not parse is good Python of a later version, as LibCST reads it.

    LibCST ends the process where a text is nested too deeply for it.
    """
    if not _shallow(text):
        return False
    import libcst

    try:
        libcst.parse_module(text)
    except (libcst.ParserSyntaxError, SyntaxError, ValueError, RecursionError):  # SyntaxError: its nodes are invalid
        return False
    return True


def _shallow(text: str) -> bool:
    """Whether no bracket, statement or chain of `elif`s of a text holds very many parts, told from its words alone."""
    depth = parts = arms = 0
    for found in NESTING.finditer(QUOTED.sub("", text)):
        word = found.group()
        parts = 0 if word == "\n" and not depth else parts + (word != "\n")
        arms += word == "elif"
        if word in "([{":
            depth += 1
        elif word in ")]}":
            depth = max(depth - 1, 0)
        if depth > MOST_BRACKETS or parts > MOST_PARTS or arms > MOST_PARTS:
            return False
    return True


def collect(tree: ast.Module, source: SourceFile) -> ModuleFacts:
    """Only top-level statements and the bodies of classes are looked at; what functions hold, by their text."""
    facts = ModuleFacts(source.display, JAX.search(source.text) is not None)
    statements = list(_top_level(tree.body))
    for statement in statements:
        imports(statement, facts)
    facts.inner = tuple(dict.fromkeys(found[1] or found[2] for found in INNER_IMPORT.finditer(source.text)))
    facts.drives = not facts.jax and LOOP.search(source.text) is not None
    renamed = [*_renamed(facts), *(n for s in statements for n in _aliases(s))] if facts.jax else []
    lines = _Lines(source.text, tree, renamed, facts) if facts.runs else None
    for statement in statements:
        _collect(statement, facts, lines)
    for statement in statements:
        if isinstance(statement, ast.For | ast.While):
            _bound_in_loop(statement, facts)
    if lines is not None:
        _script(tree.body, facts, lines)
    facts.transforms = lines is not None and bool(lines.transforming)
    return facts


def _renamed(facts: ModuleFacts) -> list[str]:
    """Names under which transforms are imported that do not look like transforms."""
    return [n for n, t in facts.imports.items() if is_transform(t) and not is_transform(n)]


def _host_names(facts: ModuleFacts) -> list[str]:
    """Names under which `math`, NumPy and what they hold are imported."""
    return [name for name, target in facts.imports.items() if target.partition(".")[0] in HOST]


def _array_names(facts: ModuleFacts) -> list[str]:
    """Names under which the modules of JAX are imported that make arrays."""
    return [name for name, target in facts.imports.items() if target.startswith(("jax.numpy", "jax.random", "jax.lax"))]


def _aliases(statement: ast.stmt) -> Iterator[str]:
    """Names that stand for a transform: `fast = jax.jit`, `fast = partial(jax.jit, ...)`."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=called, args=[meant, *_])):
            if (dotted(called) or "").rpartition(".")[2] != "partial":
                return
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute() as meant):
            pass
        case _:
            return
    if is_transform(dotted(meant) or "") and not is_transform(name):
        yield name


class _Lines:
    """Whether transforms are spelled in some lines, and control flow and loops in the code there.

    Prose that speaks of a transform counts: a function that documents one is often the way to its callers.
    """

    def __init__(self, text: str, tree: ast.Module, renamed: list[str], facts: ModuleFacts) -> None:
        self.tests = is_test(facts.path, text)
        self.scipy = any(target.startswith("scipy.") for target in facts.imports.values())
        self.starts = list(accumulate(map(len, io.StringIO(text, newline="")), initial=0))
        self.text = code_text(text, self.starts, tree)
        self.transforming = transforms(text)
        self.looping = loops(self.text)
        names = (*_host_names(facts), *_changing(text))
        self.names = re.compile(rf"\b(?:{'|'.join(names)})\b") if names else None
        self.makers = "|".join([r"jax\.\w+", *_array_names(facts)])
        drawing = [name for name, target in facts.imports.items() if target.startswith("jax.random")]
        self.drawing = re.compile(rf"\b(?:{'|'.join(drawing)})\b") if drawing else None
        kept = re.findall(r"(\w+) *= *[\w.]+\.apply\b", text) if ".init(" in text else []
        self.applying = re.compile(rf"\b(?:{'|'.join(['apply', *kept])})\(") if ".init(" in text else None
        static = _static(tree, list(io.StringIO(text, newline=""))) if STATIC in text else []
        self.static = re.compile(rf"\b(?:{'|'.join(static)})\b") if static else None
        if renamed:
            found = re.finditer(rf"\b(?:{'|'.join(renamed)})\b", text)
            self.transforming = sorted([*self.transforming, *(match.start() for match in found)])

    def hands_static(self, first: int, last: int) -> bool:
        """Whether a function may be made here and handed to what the file jits with static arguments."""
        return self.static is not None and self.hold(self.static, first, last) and self.hold(MADE, first, last)

    def controls(self, first: int, last: int) -> bool:
        """Whether something that a rule speaks of may be spelled, or one of the names that only this file has."""
        return self.hold(CONTROL, first, last) or (self.names is not None and self.hold(self.names, first, last))

    def only_jits(self, node: ast.FunctionDef | ast.AsyncFunctionDef, qualname: str) -> bool:
        """Whether the decorators of a function are nothing to look into: names, above plain arithmetic.

        What is called in it may need a number (`jnp.mean(x, axis)`), and what calls it, or a type, may tell of an
        argument that no jit takes.
        """
        arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        if not node.decorator_list or "." in qualname or any(a.annotation is not None for a in arguments):
            return False
        plain = all(isinstance(decorator, ast.Name | ast.Attribute) for decorator in node.decorator_list)
        plain = plain and all(_is_arithmetic(part) for statement in node.body for part in walk(statement))
        return plain and len(re.findall(rf"\b{node.name}\b", self.text)) == 1

    def draws(self, first: int, last: int) -> bool:
        """Whether a random key may be spelled, or what the file calls `jax.random`, or a function of it."""
        if self.speak_of(KEY_WORDS, first, last) and self.hold(KEYS, first, last):
            return True
        return self.drawing is not None and self.hold(self.drawing, first, last)

    def transforms(self, first: int, last: int) -> bool:
        return self._among(self.transforming, first, last)

    def loops(self, first: int, last: int) -> bool:
        return self._among(self.looping, first, last)

    def writes(self, first: int, last: int) -> bool:
        """Whether an item of a name is assigned to that is bound to what JAX makes."""
        start, end = self.starts[first - 1], self.starts[last]
        written = {match[1] for match in WRITES.finditer(self.text, start, end)}
        if not written:
            return False
        made = re.compile(rf"\b(\w+) *= *(?:{self.makers})\.\w+\(")
        return any(match[1] in written for match in made.finditer(self.text, start, end))

    def speak_of(self, words: Iterable[str], first: int, last: int) -> bool:
        """Whether one of these words is a part of the lines: sooner told than a pattern is found."""
        start, end = self.starts[first - 1], self.starts[last]
        return any(self.text.find(word, start, end) >= 0 for word in words)

    def hold(self, pattern: re.Pattern[str], first: int, last: int) -> bool:
        """Whether a pattern is found from the first to the last line, both 1-based."""
        return pattern.search(self.text, self.starts[first - 1], self.starts[last]) is not None

    def _among(self, places: list[int], first: int, last: int) -> bool:
        at = bisect_left(places, self.starts[first - 1])
        return at < len(places) and places[at] < self.starts[last]


def _changing(text: str) -> list[str]:
    """What jitted functions of a file may read that changes later: its globals, and the objects of jitted methods."""
    found = GLOBALS.findall(text) if "global" in text else []
    shared = [name for names in found for name in re.split(r"\W+", names) if name]
    methods = STATIC in text or JITTED_METHODS.search(text)
    return [*dict.fromkeys(shared), *(["self"] if methods else [])]


def _static(tree: ast.Module, lines: Sequence[str]) -> list[str]:
    """The names at the top of a file of what is jitted with static arguments."""
    found: list[str] = []
    for statement in _top_level(tree.body):
        match statement:
            case ast.FunctionDef(name=name, decorator_list=[first, *_]) if STATIC in _text(
                lines, first.lineno, statement.lineno
            ):
                found.append(name)
            case ast.Assign(targets=[ast.Name(id=name)]) if STATIC in _text(
                lines, statement.lineno, statement.end_lineno or statement.lineno
            ):
                found.append(name)
    return found


def _text(lines: Sequence[str], first: int, last: int) -> str:
    return "".join(lines[first - 1 : last])


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Module-level statements, those under `if` and `try` too."""
    for statement in body:
        yield statement
        match statement:
            case ast.If():
                yield from _top_level([*statement.body, *statement.orelse])
            case ast.Try():
                handlers = [s for h in statement.handlers for s in h.body]
                yield from _top_level([*statement.body, *handlers, *statement.orelse, *statement.finalbody])
            case ast.With():
                yield from _top_level(statement.body)


def _collect(statement: ast.stmt, facts: ModuleFacts, lines: _Lines | None) -> None:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            facts.functions[statement.name] = _span(statement, statement.name, lines)
        case ast.ClassDef():
            _class(statement, facts, lines)
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Expr():
            _statement(statement, facts, lines)
        case ast.For() | ast.While():
            span = (statement.lineno, statement.end_lineno or statement.lineno)
            if lines and lines.transforms(*span):
                facts.active.append(span)


def _bound_in_loop(loop: ast.For | ast.While, facts: ModuleFacts) -> None:
    """The names that a loop outside of functions binds, on its own or in its body, and that nothing else defines."""
    if isinstance(loop, ast.For):
        _bind([loop.target], loop, facts, loop=True)
    for statement in _top_level([*loop.body, *loop.orelse]):
        match statement:
            case ast.Assign(targets=targets):
                _bind(targets, statement, facts, loop=True)
            case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
                _bind([target], statement, facts, loop=True)
            case ast.For() | ast.While():
                _bound_in_loop(statement, facts)


def _script(body: list[ast.stmt], facts: ModuleFacts, lines: _Lines) -> None:
    """What runs when the file does, as if it were the body of a function."""
    spans = [(s.lineno, s.end_lineno or s.lineno) for s in scripted(body)]
    loops = [span for span in spans if lines.loops(*span)]
    keys = any(lines.hold(KEYS, *span) for span in spans)
    straight = not lines.tests and any(lines.hold(STRAIGHT, *span) for span in spans)
    if loops or keys or straight:
        arrays = any(lines.hold(ARRAYS, *span) for span in loops)
        first, last, control = spans[0][0], spans[-1][1], bool(loops) or straight
        facts.scripts[SCRIPT] = Span(SCRIPT, first, last, False, control, bool(loops), arrays, straight, keys=keys)


def scripted(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements at the top of a file that are neither definitions nor imports."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    return [statement for statement in body if not isinstance(statement, kinds)]


def _statement(
    statement: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr, facts: ModuleFacts, lines: _Lines | None
) -> None:
    span = (statement.lineno, statement.end_lineno or statement.lineno)
    match statement:
        case ast.Assign(targets=targets):
            _bind(targets, statement, facts)
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            _bind([target], statement, facts)
    if lines and lines.transforms(*span):
        facts.active.append(span)


def _bind(targets: Sequence[ast.expr], statement: ast.stmt, facts: ModuleFacts, *, loop: bool = False) -> None:
    """Note the lines of a statement for the names that it binds; in a `loop` those alone that are nothing else."""
    span = (statement.lineno, statement.end_lineno or statement.lineno)
    for target in targets:
        for name in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
            if isinstance(name, ast.Name) and not (loop and _defines(facts, name.id)):
                facts.statements.setdefault(name.id, []).append(span)


def _defines(facts: ModuleFacts, name: str) -> bool:
    """Whether a name is that of a definition or an import."""
    return any(name in known for known in (facts.functions, facts.classes, facts.imports, facts.relative))


def imports(statement: ast.stmt, facts: ModuleFacts) -> None:
    """Add what an import statement binds."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            root = alias.name.partition(".")[0]
            facts.imports[alias.asname or root] = alias.name if alias.asname else root
    if not isinstance(statement, ast.ImportFrom):
        return
    base = statement.module or ""
    for alias in statement.names:
        bound = alias.asname or alias.name
        if alias.name == "*":
            facts.stars.append((statement.level, base))
        elif statement.level:
            facts.relative[bound] = (statement.level, f"{base}.{alias.name}" if base else alias.name)
        else:
            facts.imports[bound] = f"{base}.{alias.name}"


def _span(node: ast.FunctionDef | ast.AsyncFunctionDef, qualname: str, lines: _Lines | None) -> Span:
    first = first_line(node)
    last = node.end_lineno or node.lineno
    if lines is None:
        return Span(qualname, first, last, False, True, False, False)
    loops = lines.loops(first, last)
    staging = lines.transforms(node.lineno, last) and lines.hold(STAGES, node.lineno, last)
    straight = not lines.tests and (
        (_is_straight(node) and lines.hold(STRAIGHT, first, last))
        or (lines.speak_of(ROOTS, first, last) and lines.hold(SINGULAR, first, last))
        or (lines.applying is not None and lines.hold(lines.applying, first, last))
        or (lines.scipy and lines.speak_of(SOLVERS, first, last))
    )
    keys = lines.draws(first, last)
    plain = not keys and lines.only_jits(node, qualname)
    control = loops or staging or straight or lines.controls(node.lineno if plain else first, last)
    control = control or lines.hands_static(node.lineno, last)
    arrays = loops and lines.hold(ARRAYS, first, last)
    writes = lines.writes(first, last)
    transforms = lines.transforms(first, last)
    return Span(qualname, first, last, transforms, control, loops, arrays, straight, writes, keys)


def _is_arithmetic(node: ast.AST) -> bool:
    """Whether a node is one of plain arithmetic, or a function of the elements of one argument (`jnp.sin(x)`)."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name), args=[_], keywords=[]):
            return name in ELEMENTWISE
    return node.__class__ in ARITHMETIC


def _is_straight(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """A statement of a function only computes, looks at a clock, unpacks into a list, or applies updates."""
    stack: list[ast.AST] = [*function.body]
    while stack:
        statement = stack.pop()
        kind = statement.__class__
        if kind is ast.Expr or kind is ast.Assign or kind is ast.Return:
            if _only_computes(statement):
                return True
            continue
        for name in BLOCKS:
            stack += getattr(statement, name, ())
    return False


def _only_computes(statement: ast.AST) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr=attr))):
            at = isinstance(value, ast.Subscript) and getattr(value.value, "attr", "") == "at"
            return at or attr in COMPUTING or _root(value) in LIBRARIES
        case ast.Assign(targets=[ast.Tuple(elts=[*_, ast.Starred()])]):
            return True
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=ast.Attribute(attr=attr) | ast.Name(id=attr))):
            return attr in CLOCKS or attr in UPDATES
        case ast.Assign(value=ast.Call(func=ast.Attribute(attr=attr) | ast.Name(id=attr))):
            return attr in UPDATES
        case (
            ast.Return(value=ast.Call(func=ast.Attribute(attr=attr)))
            | ast.Return(value=ast.Tuple(elts=[ast.Call(func=ast.Attribute(attr=attr)), *_]))
        ):
            return attr in UPDATES
    return False


def _root(value: ast.expr) -> str:
    while isinstance(value, ast.Attribute):
        value = value.value
    return value.id if isinstance(value, ast.Name) else ""


def _class(node: ast.ClassDef, facts: ModuleFacts, lines: _Lines | None, prefix: str = "") -> None:
    fields, methods = [], []
    for part in node.body:
        match part:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                qualname = f"{prefix}{node.name}.{part.name}"
                facts.functions[qualname] = _span(part, qualname, lines)
                methods.append(part.name)
            case ast.AnnAssign(target=ast.Name(id=name)):
                fields.append(name)
            case ast.ClassDef():
                _class(part, facts, lines, f"{prefix}{node.name}.")
        if isinstance(part, ast.Assign | ast.AnnAssign | ast.Expr) and lines:
            span = (part.lineno, part.end_lineno or part.lineno)
            if lines.transforms(*span) and not isinstance(getattr(part.value, "value", None), str):
                facts.active.append(span)
    first = first_line(node)
    facts.classes[f"{prefix}{node.name}"] = ClassFacts(
        f"{prefix}{node.name}",
        first,
        node.end_lineno or node.lineno,
        tuple(dotted(b) or ast.unparse(b) for b in node.bases),
        tuple(dotted(d.func if isinstance(d, ast.Call) else d) or "" for d in node.decorator_list),
        tuple(fields),
        tuple(methods),
    )


def dotted(node: ast.expr) -> str | None:
    """`a.b.c` as a string, for names and attributes of names."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None
