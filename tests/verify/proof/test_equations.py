"""What a later JAX may have that the proof has not: it ends in testing, and a note names it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import mlir

import scanlint.verify.worker
from scanlint.verify.worker.proof.equations import NotUnderstood, branches, scan, while_loop
from scanlint.verify.worker.proof.numbering.induction import Loops
from scanlint.verify.worker.proof.numbering.jaxpr_numbers import JaxprNumberer
from scanlint.verify.worker.proof.numbering.value_numbers import Numbering
from scanlint.verify.worker.proof.paths import Path as TracedPath
from scanlint.verify.worker.proof.prove import NewProgram, Proof, differ, prove, symbols

Function = Callable[..., object]
WORKER = Path(scanlint.verify.worker.__file__).parent
X, ROW = jnp.float32(0.3), jnp.linspace(-1.0, 2.0, 5)

doubled = Primitive("doubled")
doubled.def_impl(lambda x: x * 2)
doubled.def_abstract_eval(lambda x: x)
mlir.register_lowering(doubled, mlir.lower_fun(lambda x: x * 2, multiple_results=False))


def collected(row: jax.Array) -> object:
    return lax.scan(lambda c, x: (c + x * row[0], c), 0.0, row, reverse=True)


def repeated(x: jax.Array) -> object:
    return lax.while_loop(lambda c: c[0] < 9, lambda c: (c[0] * 2 + x, c[1] + 1), (x, 0))


def chosen(x: jax.Array) -> object:
    return lax.cond(x > 0, lambda: x * 2, lambda: x)


def equation(function: Function, primitive: str, *leaves: object) -> object:
    program = jax.make_jaxpr(function)(*leaves)
    return next(e for e in program.jaxpr.eqns if e.primitive.name == primitive)


def test_only_one_module_reads_the_parameters_of_equations() -> None:
    trees = {file.name: ast.parse(file.read_text(encoding="utf-8")) for file in WORKER.rglob("*.py")}
    assert {
        name
        for name, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "params"
    } == {"equations.py"}


def test_a_scan_says_which_operands_are_constants_carries_and_inputs() -> None:
    found = scan(equation(collected, "scan", ROW))
    assert (found.length, found.reverse, found.consts, found.carries) == (5, True, 1, 1)


def test_a_scan_of_structures_counts_their_arrays() -> None:
    def structured(row: jax.Array) -> object:
        def step(carry, x):
            return (carry[0] + x["x"], (carry[1][0] * 2, carry[1][1] + 1)), {"y": carry[0]}

        return lax.scan(step, (0.0, (row, 3)), {"x": row, "none": None})

    found = scan(equation(structured, "scan", ROW))
    assert (found.consts, found.carries) == (0, 3)


READ = {
    "scan": (collected, scan, ROW),
    "while": (repeated, while_loop, X),
    "cond": (chosen, branches, X),
}


@pytest.mark.parametrize(("primitive", "function", "read", "leaf"), [(k, *v) for k, v in READ.items()], ids=READ.keys())
def test_a_parameter_that_is_dropped_or_new_is_not_understood(
    primitive: str, function: Function, read: Callable[[object], object], leaf: jax.Array
) -> None:
    known = equation(function, primitive, leaf)
    assert read(known)
    for name in set(known.params) - {"linear", "unroll", "_split_transpose"}:
        with pytest.raises(NotUnderstood):
            read(known.replace(params={k: v for k, v in known.params.items() if k != name}))
        with pytest.raises(NotUnderstood):
            read(known.replace(params={**known.params, name: "another kind"}))
    with pytest.raises(NotUnderstood, match="backwards"):
        read(known.replace(params={**known.params, "backwards": 1}))


STRUCTURAL = {
    "reduce_sum": (lambda x: jnp.sum(x), "axes"),
    "cumsum": (lambda x: lax.cumsum(x), "reverse"),
    "sort": (lambda x: lax.sort(x), "is_stable"),
    "broadcast_in_dim": (lambda x: jnp.broadcast_to(x, (3, 5)), "broadcast_dimensions"),
    "concatenate": (lambda x: jnp.concatenate([x, x]), "dimension"),
    "slice": (lambda x: x[1:3], "limit_indices"),
    "rev": (lambda x: lax.rev(x, (0,)), "dimensions"),
    "dot_general": (lambda x: lax.dot(x, x), "dimension_numbers"),
    "pad": (lambda x: lax.pad(x, 0.0, [(1, 1, 0)]), "padding_config"),
    "scatter": (lambda x: x.at[0].set(1.0), "mode"),
}


@pytest.mark.parametrize(("primitive", "function", "name"), [(k, *v) for k, v in STRUCTURAL.items()], ids=STRUCTURAL)
def test_every_fault_at_an_equation_names_its_primitive(primitive: str, function: Function, name: str) -> None:
    program = jax.make_jaxpr(function)(ROW)
    numberer = JaxprNumberer(numbering := Numbering(), Loops(numbering))
    at = next(k for k, e in enumerate(program.jaxpr.eqns) if e.primitive.name == primitive)
    whole = program.jaxpr.eqns[at]
    lacking = whole.replace(params={k: v for k, v in whole.params.items() if k != name})
    equations = [lacking if k == at else e for k, e in enumerate(program.jaxpr.eqns)]
    with pytest.raises(NotUnderstood, match=f"`{primitive}`"):
        numberer.run(program.jaxpr.replace(eqns=equations), [], symbols(numbering, [ROW]))


def test_a_primitive_that_is_not_known_gives_the_same_for_the_same_operands() -> None:
    def proof(new: Function) -> Proof:
        return prove(lambda x: doubled.bind(x) + 1, new, [ROW])

    assert proof(lambda x: doubled.bind(x) + 1).same
    assert not proof(lambda x: doubled.bind(-x) + 1).same
    assert "`doubled` is not looked into" in proof(lambda x: 2 * x + 1).remark


MADE_UP = """
    from jax.extend.core import Primitive
    from jax.interpreters import mlir

    doubled = Primitive("doubled")
    doubled.def_impl(lambda x: x * 2)
    doubled.def_abstract_eval(lambda x: x)
    mlir.register_lowering(doubled, mlir.lower_fun(lambda x: x * 2, multiple_results=False))

    def f(xs):
        return jnp.stack([doubled.bind(x) + 1 for x in xs])
    """


def test_a_primitive_that_is_not_known_is_tested_and_named(judge) -> None:
    whole = MADE_UP.replace("jnp.stack([doubled.bind(x) + 1 for x in xs])", "doubled.bind(xs) + {}")
    given = (("xs: f32[4]", "module.py:1"),)
    found = judge(MADE_UP, whole.format(1), given=given)
    assert found.verdict == "tested", found
    assert any("`doubled`" in note for note in found.notes), found
    assert judge(MADE_UP, whole.format(2), given=given).verdict == "refuted"


def test_a_parameter_that_is_dropped_from_a_loop_is_said_not_raised() -> None:
    program = jax.make_jaxpr(collected)(ROW)
    equations = [
        e.replace(params={k: v for k, v in e.params.items() if k != "length"}) if e.primitive.name == "scan" else e
        for e in program.jaxpr.eqns
    ]
    later = program.replace(jaxpr=program.jaxpr.replace(eqns=equations))
    same, other = (NewProgram(new, None, [ROW], len(equations)) for new in (program, later))
    assert differ(TracedPath(program, None, ()), same, 2) == ""
    assert differ(TracedPath(program, None, ()), other, 2) == "`scan` without its parameter `length` is not understood"


def test_arms_for_platforms_are_arms() -> None:
    def by_platform(x: jax.Array, scale: float) -> jax.Array:
        return lax.platform_dependent(x, cpu=lambda x: scale * x, default=jnp.sin)

    assert prove(lambda x: by_platform(x, 2.0), lambda x: by_platform(x, 2.0), [X]).same
    assert not prove(lambda x: by_platform(x, 2.0), lambda x: by_platform(x, 3.0), [X]).same
