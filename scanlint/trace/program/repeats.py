"""Functions that are called again and again outside of traced code: which loop it is that calls them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from scanlint.jaxapi.canonical import STAGED_BODIES
from scanlint.policy.names import ENTRIES
from scanlint.syntax.walk import children, kinds_of, walk
from scanlint.trace.domain.callables import Closure, Code, Transformed
from scanlint.trace.domain.evidence import Reason
from scanlint.trace.program.module_scope import ModuleScope

SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
MOST_CALLERS = 200
DEEPEST = 5


def repeats(code: Code) -> tuple[Reason, ...]:
    """Why a function runs many times: from it out to a loop on the host; empty where no such loop is known.

    What tests do is no evidence: they call everything, on little.
    """
    seen: dict[Code, tuple[Reason, ...]] = {code: ()}
    waiting = [code]
    while waiting and len(seen) < MOST_CALLERS:
        at = waiting.pop(0)
        for call, caller in at.callers.items():
            if caller.scope.tests:
                continue
            place = _named(caller)
            if loop_around(_body(caller), call):
                return (*seen[at], Reason(f"`{at.name}` is called in a loop{place}", caller.scope, call))
            if caller not in seen:
                seen[caller] = (*seen[at], Reason(f"`{at.name}` is called{place}", caller.scope, call))
                waiting.append(caller)
    return ()


def several(code: Code, seen: frozenset[Code] = frozenset()) -> tuple[Reason, ...] | None:
    """Why a function is called more than once, where no loop calls it: two calls, or that of its only caller.

    Nothing where nobody in the project calls it, so whoever uses the project does; None where it runs once, for all
    that is known.
    """
    calls = [(call, caller) for call, caller in code.callers.items() if not caller.scope.tests]
    told = [Reason(f"`{code.name}` is called{_named(caller)}", caller.scope, call) for call, caller in calls]
    if len(calls) > 1:
        return tuple(told[:2])
    if not calls:
        return () if _is_offered(code) else None
    [(_, caller)] = calls
    above = several(caller, seen | {code}) if caller.qualname != "<module>" and caller not in seen else None
    return (*told, *above) if above is not None else None


def reused(code: Code) -> tuple[Reason, ...]:
    """A call of a function that surely runs on the host, where there is another one.

    Empty where it may well be that whoever calls it does so under a jit, or where each call hands in other functions,
    which are other programs anyway.
    """
    handed = [_handed(call, caller) for call, caller in code.callers.items() if not caller.scope.tests]
    others = len(handed) > 1 and all(handed) and len(set(handed)) == len(handed)
    if len(code.callers) < 2 or others:
        return ()
    for call, caller in code.callers.items():
        if _runs_at_top(caller, frozenset({code})):
            return (Reason(f"`{code.name}` is called{_named(caller)}", caller.scope, call),)
    return ()


def _handed(call: ast.AST, caller: Code) -> frozenset[Code]:
    """The functions of the project that a call hands in."""
    given = [*call.args, *(k.value for k in call.keywords)] if isinstance(call, ast.Call) else []
    values = [caller.record.values.get(a) for a in given]
    return frozenset(v.callee.code for v in values if v is not None and isinstance(v.callee, Closure))


def _runs_at_top(code: Code, seen: frozenset[Code]) -> bool:
    """A function is the top of a file, or is called there, or by what is."""
    if code.mode.traced or code.scope.tests or code in seen or len(seen) > DEEPEST:
        return False
    return code.qualname == "<module>" or any(_runs_at_top(caller, seen | {code}) for caller in code.callers.values())


def _is_offered(code: Code) -> bool:
    """Whether a function is there to be called with something, and no entry of a program."""
    first = code.positional()[(code.owner is not None) :]
    needed = [a for a in first if a.arg not in code.defaults()]
    return bool(needed) and not getattr(code.node, "decorator_list", []) and not ENTRIES(code.name)


def _named(caller: Code) -> str:
    return "" if caller.qualname == "<module>" else f" in `{caller.name}`"


def _body(caller: Code) -> Iterable[ast.AST]:
    """The statements in which a call of a function stands."""
    if caller.qualname == "<module>" and isinstance(caller.scope, ModuleScope):
        return caller.scope.tree.body
    return [caller.node.body] if isinstance(caller.node, ast.Lambda) else caller.node.body


def loop_around(body: Iterable[ast.AST], node: ast.AST) -> bool:
    """Whether a node of a body is run once per trip of a loop of that body."""
    left = [(part, False) for part in body]
    while left:
        part, inside = left.pop()
        if part is node:
            return inside
        if not isinstance(part, SCOPES):  # the functions that are made there are not run by it
            again = trips(part)
            left += [(child, inside or child in again) for child in children(part)]
    return False


def trips(node: ast.AST) -> list[ast.AST]:
    """The parts of a loop that run once per trip."""
    match node:
        case ast.For(body=body) | ast.AsyncFor(body=body):
            return [*body]
        case ast.While(test=test, body=body):
            return [test, *body]
        case ast.DictComp(key=key, value=value, generators=generators):
            return [key, value, *generators[1:]]
        case ast.ListComp(elt=element, generators=generators) | ast.SetComp(elt=element, generators=generators):
            return [element, *generators[1:]]
        case ast.GeneratorExp(elt=element, generators=generators):
            return [element, *generators[1:]]
    return []


def hands_static(code: Code) -> bool:
    """Whether a jitted function gets a function that is made here, or a name of one, as a static argument."""
    for call in kinds_of(code.node).of(ast.Call):
        value = code.record.values.get(call.func)
        if value is not None and isinstance(value.callee, Transformed) and value.callee.static:
            handed = [*call.args, *(k.value for k in call.keywords)]
            if any(isinstance(a, ast.Lambda) or _is_made(code, a) for a in handed):
                return True
    return False


def stages_for_itself(code: Code) -> bool:
    """Whether a function may run a loop of JAX on the host, with a body that it makes: then it matters who calls it."""
    if code.mode.traced:
        return False
    for call in kinds_of(code.node).of(ast.Call):
        places = STAGED_BODIES.get(code.scope.annotation(call.func) or "", slice(0))
        if any(isinstance(a, ast.Lambda) or _is_made(code, a) for a in call.args[places]):
            return True
    return False


def _is_made(code: Code, argument: ast.expr) -> bool:
    """Whether a name stands for a function that is made in another one."""
    value = code.record.values.get(argument) if isinstance(argument, ast.Name) else None
    while value is not None and isinstance(value.callee, Transformed):
        value = value.callee.function
    return value is not None and isinstance(value.callee, Closure) and value.callee.frame is not None


def builds_for_itself(code: Code) -> bool:
    """Whether some function that is jitted in a function may only be called there: then it matters who calls it."""
    names: set[str] = set()
    body = [code.node.body] if isinstance(code.node, ast.Lambda) else code.node.body
    nodes = [n for part in body for n in walk(part)]
    for node in nodes:
        match node:
            case ast.Call(func=ast.Call(func=inner)) if inner in code.jits or node.func in code.jits:
                return True
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value in code.jits:
                names.add(name)
            case ast.FunctionDef(name=name, decorator_list=decorators) if code.jits.intersection(decorators):
                names.add(name)
            case ast.Call(func=ast.Call(args=args)) if code.jits.intersection(args):
                return True
    called = {n.func.id for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    return bool(names & called)
