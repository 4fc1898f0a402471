"""Runs calls: of JAX and other libraries, of local functions, and of functions of the project by their summaries."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scanlint.jaxapi.wrappers import INITIALIZERS, PARTIALS
from scanlint.keys.key_statements import KeyStatements
from scanlint.keys.libraries import (
    ASKS,
    ATTENTION,
    CALLED_ONCE,
    CLONES,
    COPIES,
    FOLDS,
    HARMLESS,
    KEYISH,
    LIKE,
    MAPPED,
    NOT_RUN,
    QUIET_ROOTS,
    REPLACES,
    RNG_WORDS,
    SAME,
    SEEDS,
    SPLITS,
    STREAMS,
    draws,
)
from scanlint.keys.machine import MOST_CALLS
from scanlint.keys.terms import (
    Built,
    Changed,
    Const,
    External,
    FieldOf,
    FoldedKey,
    InnerFunction,
    Listed,
    OneOfPaths,
    Opaque,
    Passed,
    Seeded,
    SplitKeys,
    Stage,
    Term,
    UnderTransform,
    choices,
    derived,
    either,
)
from scanlint.keys.uses import KeyUse, join
from scanlint.syntax.bindings import defaults, parameters

SAMPLERS = frozenset({"sample", "sample_and_log_prob"})


class KeyCalls(KeyStatements):
    """Evaluates calls."""

    def called(self, node: ast.Call) -> Term:
        """The term that a call gives."""
        if isinstance(node.func, ast.Attribute):
            base = self.eval(node.func.value)
            function = self.attribute(base, node.func.attr)
            if isinstance(function, FieldOf):
                function = FieldOf(base, node.func.attr)
        else:
            function = self.eval(node.func)
        given: list[Term] = []
        for argument in node.args:
            term = self.eval(argument)
            if isinstance(argument, ast.Starred):
                given += term.items if isinstance(term, Listed) else [self.opaque(argument)]
            else:
                given.append(term)
        named: dict[str, Term] = {}
        for keyword in node.keywords:
            term = self.eval(keyword.value)
            if keyword.arg is not None:
                named[keyword.arg] = term
            elif isinstance(term, Built):
                named |= {str(k.value): t for (b, k), t in self.at.cells.items() if b == term and isinstance(k, Const)}
        return self.apply(function, given, named, node)

    def apply(self, function: Term, given: list[Term], named: dict[str, Term], call: ast.Call) -> Term:
        match function:
            case OneOfPaths(options):
                return self.branch(call, [(guards, self._arm(f, given, named, call)) for guards, f in options])
            case External(name):
                return self.external(name, given, named, call)
            case InnerFunction():
                return self.local(function, given, named, call)
            case UnderTransform():
                return self.transformed(function, given, named, call)
            case FieldOf(base, name):
                return self.method(base, name, given, named, call)
        return self.unknown(given, named, call)

    def _arm(self, function: Term, given: list[Term], named: dict[str, Term], call: ast.Call) -> Callable[[], Term]:
        return lambda: self.apply(function, given, named, call)

    # -- libraries

    def external(self, name: str, given: list[Term], named: dict[str, Term], call: ast.Call) -> Term:
        """A function by its canonical name."""
        key = given[0] if given else named.get("key", named.get("seed"))
        last = name.rpartition(".")[2]
        if name.startswith("jax.random.") and key is not None:
            return self.random(name, key, given, named, call)
        if name in SAME and given:
            return given[0]
        if name in LIKE and len(given) > LIKE[name]:
            self.forget_draws(given[LIKE[name]])
            return self.opaque(call)
        if name in STREAMS:
            for term, node in zip(
                (*given, *named.values()), (*call.args, *(k.value for k in call.keywords)), strict=False
            ):
                if derived(term) or not _label(node).endswith("seed"):  # the number of a seed makes a stream each time
                    self.use(term, "draw", last, call)
            return self.opaque(call)
        if name in CALLED_ONCE | MAPPED | PARTIALS:
            if not given:
                return UnderTransform("functools.partial", External(name), call, (), tuple(named.items()))
            return UnderTransform(name, given[0], call, tuple(given[1:]), tuple(named.items()))
        if name.startswith(INITIALIZERS):
            return External(f"initializer.{last}")
        if name.startswith("initializer."):
            if key is not None and last not in ("zeros", "ones", "constant"):
                self.use(key, "draw", last, call)
            return self.opaque(call)
        if name in NOT_RUN:
            return self.opaque(call)
        if name in REPLACES and given:
            return Changed(given[0], tuple(named.items()))
        if (name.startswith("equinox.nn.") and "key" in named) or (name == "numpyro.sample" and "rng_key" in named):
            self.use(named.get("key", named.get("rng_key", Const(None))), "draw", last, call)
            return self.opaque(call)
        staged = self.staged(name, given, named, call)
        if staged is not None:
            return staged
        if name.startswith(QUIET_ROOTS):
            for term in given:
                self.run_once(term, call)
            return self.opaque(call)
        made = self.of_project(name, given, named, call)
        return made if made is not None else self.unknown(given, named, call)

    def forget_draws(self, made: Term) -> None:
        """Forgets the uses of keys by which an object was made: nothing was drawn, the object is as before."""
        if not isinstance(made, Built | Opaque):
            return
        for key, uses in list(self.at.uses.items()):
            self.at.uses[key] = tuple(use for use in uses if not _passes(use, made.site))
        self.pairs[:] = [p for p in self.pairs if not (_passes(p.first, made.site) or _passes(p.second, made.site))]

    def random(self, name: str, key: Term, given: list[Term], named: dict[str, Term], call: ast.Call) -> Term:
        """A function of `jax.random`."""
        if name in SEEDS:
            self.seeded.setdefault(call, []).append(self.moment)
            return Seeded(call, key)
        match key:
            case Seeded(site, Const() as seed) if site in call.args[:1] and self.code.qualname != "<module>":
                self.seeded.setdefault(self.code.node, []).append(self.moment)
                key = Seeded(self.code.node, seed)
        if name in SPLITS:
            self.use(key, "split", "split", call)
            count = given[1] if len(given) > 1 else named.get("num", Const(2))
            return SplitKeys(key, count.value if isinstance(count, Const) and isinstance(count.value, int) else None)
        if name in FOLDS:
            return FoldedKey(key, given[1] if len(given) > 1 else named.get("data", self.opaque(call)))
        if name in CLONES:
            return self.opaque(call)
        if draws(name):
            self.use(key, "draw", name.rpartition(".")[2], call)
        return self.opaque(call)

    def staged(self, name: str, given: list[Term], named: dict[str, Term], call: ast.Call) -> Term | None:
        """Control flow of JAX; None for what is none."""
        raise NotImplementedError

    def transformed(self, function: UnderTransform, given: list[Term], named: dict[str, Term], call: ast.Call) -> Term:
        """A function under a transform is called."""
        raise NotImplementedError

    def of_project(self, name: str, given: list[Term], named: dict[str, Term], call: ast.Call) -> Term | None:
        """A function or class of the project is called; None for what is none of it."""
        raise NotImplementedError

    def of_class(
        self, owner: str, base: Term, name: str, given: list[Term], named: dict[str, Term], call: ast.Call
    ) -> Term | None:
        """A method of a class of the project is called; None where it is not known."""
        raise NotImplementedError

    # -- methods

    def method(self, base: Term, name: str, given: list[Term], named: dict[str, Term], call: ast.Call) -> Term:
        """A method of a value."""
        owner = self.class_of(base)
        if owner is not None:
            made = self.of_class(owner, base, name, given, named, call)
            if made is not None:
                return made
        if name in COPIES and named and not given:
            return Changed(base, tuple(named.items()))
        if name == "append" and isinstance(base, Listed) and given:
            self._rebind(call, Listed((*base.items, given[0])))
            return Const(None)
        if name in HARMLESS:
            if isinstance(base, Listed | Built):
                self._rebind(call, self.opaque(call))
            return self.opaque(call)
        if name in SAMPLERS and (seed := named.get("seed")) is not None:
            self.use(seed, "draw", name, call)
            return self.opaque(call)
        result = self.unknown(given, named, call)
        self.forget(base, call)
        return result

    def _rebind(self, call: ast.Call, term: Term) -> None:
        """The list or dict of a name is changed in place."""
        match call.func:
            case ast.Attribute(value=ast.Name(id=name)):
                self.bind_name(name, term)

    def class_of(self, base: Term) -> str | None:
        """The class of the project of which a value is an object."""
        match base:
            case Passed(name):
                frame = self.frames[0]
                return frame.owner if frame.receiver == name else None
            case Built(_, _, kind) if kind != "dict":
                return kind
            case Changed(inner):
                return self.class_of(inner)
        return None

    # -- what is not known

    def unknown(self, given: list[Term], named: dict[str, Term], call: ast.Call) -> Term:
        """Keys are handed to something of which nothing is known, functions may be called by it."""
        what = _short(call.func)
        if ASKS.match(what) or not ATTENTION.isdisjoint(self.frames[self.frame].locals):
            return self.opaque(call)
        if not what[:1].isupper() or "key" in named or "rngs" in named:
            pairs = [*zip(given, call.args, strict=False)]
            for term, node in pairs:
                self.hand(term, _label(node), what, call)
            for name, term in named.items():
                self.hand(term, name, what, call)
        for term in (*given, *named.values()):
            self.run_once(term, call)
            if isinstance(term, Built) and term.kind != "dict":
                self.forget(term, call)
        return self.opaque(call)

    def hand(self, term: Term, label: str, what: str, call: ast.Call) -> None:
        """An argument of an unknown function: used if it is a key by what made it or by its name."""
        if isinstance(term, Built) and term.kind == "dict" and label == "rngs":
            for value in [t for (b, _), t in self.at.cells.items() if b == term]:
                self.use(value, "handed", what, call)
            return
        named = label in RNG_WORDS or KEYISH.match(label) is not None
        for guards, each in choices(term):
            if derived(each) or (named and not isinstance(each, External | Listed | Built)):
                self.use(OneOfPaths(((guards, each),)), "handed", what, call)

    def run_once(self, term: Term, call: ast.Call) -> None:
        """A local function that is handed on may be called: what it does with its own keys is seen."""
        if isinstance(term, UnderTransform):
            term = term.function
        if isinstance(term, InnerFunction) and term.node not in self.ran:
            self.local(term, [], {}, call)

    # -- local functions

    def local(
        self, function: InnerFunction, given: list[Term], named: dict[str, Term], call: ast.AST, *, staged: bool = False
    ) -> Term:
        """Run a local function where it is called; `staged`: a loop of JAX that calls it has its own stage."""
        node = function.node
        if len(self.active) >= MOST_CALLS or node in self.active:
            return self.opaque(call)
        self.ran.add(node)
        self.active.append(node)
        outer, moment, before = self.frame, self.moment, self.at
        frame = self.enter(node, function.frame)
        self._pass(frame, node, given, named, call)
        self.frame = frame
        if not staged:
            self.moment = (*moment, Stage(call, 0, False))
        loops, self.loops = self.loops, []
        if isinstance(node, ast.Lambda):
            term = self.eval(node.body)
            if self.path is not None:
                self.frames[frame].returned.append((self.at, term))
        else:
            self.block(node.body)
            if self.path is not None:
                self.frames[frame].returned.append((self.at, Const(None)))
        self.frame, self.moment, self.loops = outer, moment, loops
        self.active.pop()
        if not self.frames[frame].returned:  # it only raises: what follows is looked at as if it were not called
            self.path = before
        return self.returned(frame, before.guards, call)

    def returned(self, frame: int, guards: tuple[object, ...], call: ast.AST) -> Term:
        """Go on behind a call with what its paths give."""
        ends = self.frames[frame].returned
        if not ends:
            return self.opaque(call)
        results = [(path.guards[len(guards) :], term) for path, term in ends]
        self.path = join([path for path, _ in ends], call, self.moment)
        self.at.guards = self.at.guards[: len(guards)]
        return either(results, self.opaque(call))

    def _pass(
        self, frame: int, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, given: list[Term],
        named: dict[str, Term], call: ast.AST,
    ) -> None:  # fmt: skip
        """Bind the parameters of a local function."""
        for name, term in bound(node.args, given, named).items():
            self.at.names[frame, name] = term
        preset = defaults(node.args)
        for name in parameters(node.args):
            if (frame, name) not in self.at.names:
                default = preset.get(name)
                known = default is not None and isinstance(default, ast.Constant | ast.Name)
                self.at.names[frame, name] = (
                    self.eval(default) if known and default is not None else self.opaque(_parameter(node.args, name))
                )


def bound(arguments: ast.arguments, given: list[Term], named: dict[str, Term]) -> dict[str, Term]:
    """The parameters that a call gives a value."""
    positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    found = dict(zip(positional, given, strict=False))
    if arguments.vararg is not None:
        found[arguments.vararg.arg] = Listed(tuple(given[len(positional) :]))
    known = {*positional, *(a.arg for a in arguments.kwonlyargs)}
    return found | {name: term for name, term in named.items() if name in known}


def _passes(use: KeyUse, site: ast.AST) -> bool:
    """Whether a key is used in what is called at a place."""
    return any(stage.node is site for stage in use.path)


def _parameter(arguments: ast.arguments, name: str) -> ast.AST:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return next((a for a in every if a.arg == name), arguments)


def _short(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(args=[ast.Name() | ast.Attribute() | ast.Call() as inner, *_]) | ast.Call(func=inner):
            return _short(inner)
    return "a function"


def _label(node: ast.expr) -> str:
    """The word by which an argument is known."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=inner, slice=ast.Constant(value=str() as name)):
            return name
        case ast.Subscript(value=inner):
            return _label(inner)
    return ""
