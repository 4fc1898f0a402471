"""Values that can be called, and what the interpreter asks of the project around a function."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from scanlint.effort import Account
from scanlint.finding import Position
from scanlint.syntax.bindings import Function, defaults
from scanlint.trace.domain.contexts import Jit
from scanlint.trace.domain.modes import HOST, Mode
from scanlint.trace.domain.values import UNKNOWN, Site, Value, immutable


@dataclass(eq=False, slots=True)
class Record:
    """The results of interpreting a unit: its values, the functions in it, and statements on which nothing is said.

    `before` is what names are just before a loop, where no array can be that or it is an array of a known kind.
    `left` says why it was not followed to its end: nothing is said of it then.
    """

    values: dict[ast.AST, Value] = field(default_factory=dict)
    codes: dict[ast.AST, Code] = field(default_factory=dict)
    silent: set[ast.AST] = field(default_factory=set)
    before: dict[tuple[ast.AST, str], Value] = field(default_factory=dict)
    account: Account = field(default_factory=Account)
    left: str = ""


class Followed(NamedTuple):
    """One call on the host that was followed with its own arguments; `taken` is all that it was run with."""

    args: Mapping[str, Value]
    frame: Frame | None
    taken: object
    result: Value


class Differentiated(NamedTuple):
    """One function under `jax.grad` or its like in the code `by`, with the options that it was given."""

    by: Code
    transform: str
    function: Value
    options: Mapping[str, Value]


@dataclass(eq=False, slots=True)
class Code:
    """One function of the project, what is known of how it is run, and what its last interpretation gave.

    `incoming` joins the arguments of all known calls from traced code (or from host code while no traced call is
    known). `results` holds what it returned in each activation of the function around it,
    `followed` the calls on the host that were followed one by one, `makes` whether it hands out functions that are
    made in it, `rules` the derivative rules that stand in for it, with the parameters of each that are no tracers.
    `guessed` says that no call is known yet, only that a transform which keeps values concrete will run it, `filtered`
    that of its arguments the arrays are traced and all else stays static.
    `waiting` are the functions that went on without its result, with their frames, `widened` says that it ran so often
    that nothing is known of its arguments any more, `answered` that some run of it came to its end. `free` are the
    names that it takes from outside, `ran` what the runs with what it is given now took by them, each with its result.
    `owner` is the canonical name of the class of a method, `callers` are the calls of it on the host, with who makes
    them, `jits` the places in it where a function is jitted on the host.
    `uses` are the names in it that are used as arrays, `whole` those of which more than their elements is, `listed`
    the parameters that some caller hands a list for, `needs` those that must be Python values, as far as asked,
    `notes` what the annotations of parameters say.
    """

    scope: Scope
    qualname: str
    node: Function
    record: Record
    owner: str | None = None
    mode: Mode = HOST
    incoming: dict[str, Value] = field(default_factory=dict)
    static: frozenset[str] = frozenset()
    jit: Jit | None = None
    rooted: bool = False
    guessed: bool = False
    filtered: bool = False
    result: Value = UNKNOWN
    runs: int = 0
    running: bool = False
    stale: bool = True
    free: tuple[str, ...] | None = None
    ran: list[tuple[object, Value]] = field(default_factory=list)
    uses: Mapping[str, bool] | None = None
    whole: Mapping[str, bool] | None = None
    listed: frozenset[str] = frozenset()
    results: dict[object, Value] = field(default_factory=dict)
    followed: list[Followed] = field(default_factory=list)
    makes: bool | None = None
    waiting: dict[tuple[Code, Frame | None], None] = field(default_factory=dict)
    widened: bool = False
    answered: bool = False
    rules: list[tuple[Closure, frozenset[str]]] = field(default_factory=list)
    callers: dict[ast.AST, Code] = field(default_factory=dict)
    jits: set[ast.AST] = field(default_factory=set)
    needs: dict[object, frozenset[str]] = field(default_factory=dict)
    notes: dict[str, Value | None] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.qualname.rpartition(".")[2]

    @property
    def reached(self) -> bool:
        """Whether some call of it is known, or a transform of it."""
        return self.runs > 0 or bool(self.followed)

    def parameters(self) -> list[ast.arg]:
        arguments = self.node.args
        return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]

    def positional(self) -> list[ast.arg]:
        return [*self.node.args.posonlyargs, *self.node.args.args]

    @property
    def first(self) -> str:
        """The name of the first positional parameter, which is the object of a method; "" where there is none."""
        return next((a.arg for a in self.positional()), "")

    def defaults(self) -> dict[str, ast.expr]:
        """The default expression of each parameter that has one."""
        return defaults(self.node.args)


@dataclass(eq=False, slots=True)
class Frame:
    """One activation of a function: its names, and the frame of the function around it.

    `scratch` says that it is one call of many, of which nothing is noted; `joining` that what is noted adds to
    what other activations have noted. `shared` are names that functions made here rebind. `ended` says that some path
    is known to come to its end.
    """

    code: Code
    mode: Mode
    env: dict[str, Value]
    parent: Frame | None = None
    returned: list[Value] = field(default_factory=list)
    made: list[Code] = field(default_factory=list)
    scratch: bool = False
    joining: bool = False
    yielded: list[Value] = field(default_factory=list)
    shared: set[str] = field(default_factory=set)
    ended: bool = True

    @property
    def activation(self) -> object:
        """The identity of this activation; a later activation of the same place has the same, and replaces it."""
        return self if self.scratch else (self.code, self.parent.activation if self.parent is not None else None)

    def lookup(self, name: str) -> Value | None:
        at: Frame | None = self
        while at is not None:
            if name in at.env:
                return at.env[name]
            at = at.parent
        return None


@immutable
class Named:
    """Something outside the project, by its canonical dotted name; also a module of the project."""

    name: str


@immutable
class Closure:
    """A function of the project; `frame` is the activation that made it, `receiver` its `self`."""

    code: Code
    frame: Frame | None = None
    receiver: Value | None = None


@immutable
class Partial:
    """A function with some arguments given."""

    function: Value
    args: tuple[Value, ...]
    keywords: Mapping[str, Value] = field(hash=False)


@immutable
class Transformed:
    """A function under a transform such as `jax.jit` or `jax.vmap`."""

    transform: str
    function: Value
    static: frozenset[str] = frozenset()
    auxiliary: bool = False
    options: Mapping[str, Value] = field(default_factory=dict, hash=False, compare=False)


def alike(a: object, b: object) -> bool:
    """Whether two callees are one text under the same transforms: they differ by the activations that made them."""
    match a, b:
        case Closure(code, _, receiver), Closure(other, _, its):
            return code is other and (receiver is None) == (its is None)
        case Transformed(transform, function, static), Transformed(other_transform, other, its_static):
            return (transform, static) == (other_transform, its_static) and alike(function.callee, other.callee)
        case Partial(function, args), Partial(other, its_args):
            return len(args) == len(its_args) and alike(function.callee, other.callee)
    return a is not None and a == b


@immutable
class Method:
    """A method of a value that is no object of the project: `x.sum`, `items.append`."""

    receiver: Value
    name: str


@immutable
class ClassRef:
    """A class of the project."""

    name: str


@immutable
class RecordType:
    """A type that is made by a call: `collections.namedtuple("Model", "init apply")`."""

    name: str
    fields: tuple[str, ...]


@dataclass(slots=True)
class ClassInfo:
    """A class of the project: canonical names of its bases, its annotated fields, its methods and attributes.

    `kind` is "namedtuple", "dataclass" (its attributes are the leaves of a pytree or plain values), "module" (a
    flax or haiku module: its fields are configuration) or "plain". `attributes` are what its methods
    were seen to set on `self`, `readers` the functions that asked for each. `values` are the methods of a class
    that is defined in a function, under their decorators, `givers` the parameters of `__init__` that make an attribute,
    `defaults` what its annotated fields are where nothing is said. `tree`: its fields are leaves, but the static ones.
    `setters` are the methods beside `__init__` that set each attribute, as soon as somebody asks.
    """

    name: str
    scope: Scope
    kind: str
    bases: tuple[str, ...]
    fields: dict[str, ast.expr]
    static: frozenset[str]
    methods: dict[str, Code]
    constants: dict[str, ast.expr]
    attributes: dict[str, Value] = field(default_factory=dict)
    readers: dict[str, dict[Code, Frame | None]] = field(default_factory=dict)
    visited: bool = False
    values: dict[str, Value] = field(default_factory=dict)
    givers: dict[str, list[str]] = field(default_factory=dict)
    defaults: dict[str, ast.expr] = field(default_factory=dict)
    tree: bool = False
    setters: dict[str, list[Code]] | None = None


class Fails(Exception):
    """A tracer is asked for its value in a `try` that catches that: under a trace no path goes on from there."""


class Unfinished(Exception):
    """A function calls itself before a path of it is known to end: what follows the call is reached on a later run."""


class Scope(Protocol):
    """A module of the project as the functions in it see it."""

    @property
    def name(self) -> str: ...

    @property
    def path(self) -> str: ...

    @property
    def tests(self) -> bool:
        """Whether the file belongs to tests."""

    @property
    def jax(self) -> bool:
        """Whether the file names JAX, or a library on it."""

    @property
    def chooses(self) -> bool:
        """Whether some test in the file may be one for tracers."""

    def start(self, node: ast.AST) -> Position:
        """The place where a node begins."""

    def lookup(self, name: str) -> Value | None:
        """The value of a name at module level."""

    def annotation(self, node: ast.expr | None) -> str | None:
        """The canonical name of an annotation or other dotted expression at module level."""


class World(Protocol):
    """The project around a function: classes, and the functions that calls reach."""

    def class_info(self, name: str) -> ClassInfo | None: ...

    def find(self, name: str) -> Value | None:
        """The value of a canonical name, if it is defined in the project."""

    def code(self, node: Function, qualname: str, frame: Frame) -> Code:
        """The function of a nested definition or a lambda."""

    def decorated(self, code: Code) -> Value:
        """A module-level function or a method of a class, under its decorators."""

    def imported(self, scope: Scope, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Value]]:
        """The names that an import inside a function binds."""

    def invoke(self, closure: Closure, args: Mapping[str, Value], mode: Mode) -> Value:
        """Run a function with these arguments (by parameter name) and give what it returns."""

    def fallback(self, code: Code, frame: Frame) -> None:
        """Run a function that no known call runs, with unknown arguments, as its encloser runs."""

    def below(self, info: ClassInfo, name: str) -> list[ClassInfo]:
        """The classes below one that define a method anew."""

    def local_class(self, node: ast.ClassDef, frame: Frame) -> Value:
        """A class that is defined in a function."""

    def attribute(self, info: ClassInfo, name: str) -> Value | None:
        """The value of an attribute that methods set; the function that is being run is told when that changes."""

    def give(self, info: ClassInfo, name: str, value: Value, site: Site | None = None) -> None:
        """An attribute of an object is set, of one that was made at a `site` where that is known."""

    def own(self, site: Site, name: str) -> Value | None:
        """The value that was given to an attribute of the objects that are made at one place."""

    def constant(self, info: ClassInfo, name: str) -> Value:
        """The value of a class-level variable."""

    def default(self, code: Code, name: str) -> Value:
        """The function or object that a parameter is where a call does not say."""

    def stand_in(self, primal: Closure, rule: Closure, skip: frozenset[str]) -> None:
        """A rule runs where a function does, under differentiation; the parameters in `skip` are no tracers."""

    def wanting(self, code: Code, parameter: str) -> None:
        """A function runs this argument under a trace: its callers tell which function that is."""

    def wants(self, code: Code) -> Collection[str]:
        """The parameters of a function that it is known to run under a trace, without knowing what they are."""

    def noted(self, closure: Closure) -> None:
        """See to it that what is known of the expressions of a function is kept, also where no call of it was run."""

    def differentiate(self, node: ast.AST, derivative: Differentiated) -> None:
        """A function is differentiated backwards."""

    def root(
        self,
        closure: Closure,
        transform: str,
        mode: Mode,
        skip: frozenset[str],
        static: frozenset[str],
        jit: Jit | None,
    ) -> None:
        """A transform is applied to a function: its parameters are tracers, but for those in `skip`."""
