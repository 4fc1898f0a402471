"""What the worker reads from the texts of errors, from errors that JAX, NumPy and Python really raise.

It needs nothing but JAX and pytest, so that it runs under any JAX: see CONTRIBUTING.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from scanlint.verify.worker.runtime.jax_errors import (
    UNTRACEABLE,
    ArrayType,
    Fact,
    TypeMismatch,
    carry_changes,
    in_staged_body,
    in_words,
    mismatch,
    of_carried_types,
    read,
    says,
)

Program = Callable[..., object]


def array(*shape: int, dtype: object = jnp.float32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype)


def error_of(program: Program, *arguments: object) -> Exception:
    """What tracing a program raises; running it, where it takes nothing."""
    with pytest.raises(Exception) as caught:
        if arguments:
            jax.eval_shape(program, *arguments)
        else:
            program()
    return caught.value


def scalar(dtype: str = "float32") -> ArrayType:
    return ArrayType(dtype, ())


def vector(size: int, dtype: str = "float32") -> ArrayType:
    return ArrayType(dtype, (size,))


def trips(body: Program) -> Program:
    return lambda start, *rest: lax.fori_loop(0, 5, lambda i, carry: body(carry, *rest), start)


def arms(first: Program, second: Program) -> Program:
    return lambda test, x: lax.cond(test, first, second, x)


TEST = array(dtype=bool)
MISMATCHES: dict[str, tuple[Program, tuple[object, ...], TypeMismatch]] = {
    "the carry of a scan grows": (
        lambda c, xs: lax.scan(lambda c, x: (c + x, None), c, xs),
        (array(), array(5, 3)),
        TypeMismatch("scan", False, ((scalar(), vector(3)),)),
    ),
    "the carry of a fori_loop of known trips grows": (
        trips(lambda c, x: c + x),
        (array(), array(3)),
        TypeMismatch("scan", False, ((scalar(), vector(3)),)),
    ),
    "the carry of a fori_loop of unknown trips grows": (
        lambda n, c, x: lax.fori_loop(0, n, lambda i, c: c + x, c),
        (array(dtype=jnp.int32), array(), array(3)),
        TypeMismatch("while_loop", False, ((scalar(), vector(3)),)),
    ),
    "the carry of a while_loop grows": (
        lambda c, x: lax.while_loop(lambda c: c.sum() < 3, lambda c: c + x, c),
        (array(), array(3)),
        TypeMismatch("while_loop", False, ((scalar(), vector(3)),)),
    ),
    "two parts of a carry grow, and one does not": (
        trips(lambda c, x: (c[0] + x, c[1], c[2] + x)),
        ((array(), array(), array(1)), array(3)),
        TypeMismatch("scan", False, ((scalar(), vector(3)), (vector(1), vector(3)))),
    ),
    "a carry changes its dtype": (
        trips(lambda c, x: c + x),
        (array(dtype=jnp.int32), array()),
        TypeMismatch("scan", False, ((scalar("int32"), scalar()),)),
    ),
    "a carry of half precision grows": (
        trips(lambda c, x: c + x),
        (array(dtype=jnp.bfloat16), array(3, dtype=jnp.bfloat16)),
        TypeMismatch("scan", False, ((scalar("bfloat16"), vector(3, "bfloat16")),)),
    ),
    "a random key becomes two": (
        lambda seed: lax.fori_loop(0, 5, lambda i, k: jax.random.split(k), jax.random.key(seed)),
        (array(dtype=jnp.uint32),),
        TypeMismatch("scan", False, ((scalar("key<fry>"), vector(2, "key<fry>")),)),
    ),
    "a carry becomes a pair": (
        trips(lambda c: (c, c)),
        (array(),),
        TypeMismatch("scan", True, ()),
    ),
    "the carry of a while_loop becomes a pair": (
        lambda c: lax.while_loop(lambda c: c < 3, lambda c: (c, c), c),
        (array(),),
        TypeMismatch("while_loop", True, ()),
    ),
    "arms differ in shape": (
        arms(lambda x: x, lambda x: x[0]),
        (TEST, array(5)),
        TypeMismatch("cond", False, ((vector(5), scalar()),)),
    ),
    "arms differ in dtype": (
        arms(lambda x: x, lambda x: x.astype(jnp.int32)),
        (TEST, array(5)),
        TypeMismatch("cond", False, ((vector(5), vector(5, "int32")),)),
    ),
    "an arm gives a Python number": (
        arms(lambda x: 1, lambda x: x),
        (TEST, array(5)),
        TypeMismatch("cond", False, ((scalar("int32"), vector(5)),)),
    ),
    "two of three results of arms differ": (
        arms(lambda x: (x, x, x[0]), lambda x: (x[0], x, x)),
        (TEST, array(5)),
        TypeMismatch("cond", False, ((vector(5), scalar()), (scalar(), vector(5)))),
    ),
    "arms differ in structure": (
        arms(lambda x: (x, x), lambda x: x),
        (TEST, array(5)),
        TypeMismatch("cond", True, ()),
    ),
    "branches of a switch differ in shape": (
        lambda k, x: lax.switch(k, [lambda x: x, lambda x: x[0], lambda x: x], x),
        (array(dtype=jnp.int32), array(5)),
        TypeMismatch("switch", False, ((vector(5), scalar()),)),
    ),
    "branches of a switch differ in structure": (
        lambda k, x: lax.switch(k, [lambda x: x, lambda x: (x, x), lambda x: x], x),
        (array(dtype=jnp.int32), array(5)),
        TypeMismatch("switch", True, ()),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("program", "given", "expected"), MISMATCHES.values(), ids=MISMATCHES)
def test_types_that_differ_are_read(program: Program, given: tuple[object, ...], expected: TypeMismatch) -> None:
    error = error_of(program, *given)
    assert isinstance(error, TypeError)
    assert mismatch(str(error)) == expected
    assert of_carried_types(error) is (expected.carry or (expected.primitive == "cond" and not expected.structure))


def unstaged() -> object:
    with jax.disable_jit():
        return lax.scan(lambda c, x: (c + x, None), 1.0, jnp.zeros(0))


def squared_by_data(x: object, n: object) -> object:
    return lax.fori_loop(0, n, lambda _, x: x * x, x)


def dataclass_with(default: object) -> Program:
    return lambda: dataclasses.make_dataclass("Options", [("x", object, default)])


FACTS: dict[str, tuple[Fact, Program, tuple[object, ...]]] = {
    "vmap over a number": (Fact.UNMAPPED, lambda x: jax.vmap(lambda y: y)(x), (array(),)),
    "vmap over an axis too many": (Fact.UNMAPPED, lambda x: jax.vmap(lambda y: y, in_axes=1)(x), (array(3),)),
    "a traced array is called": (Fact.UNCALLABLE, lambda f: f(3), (array(),)),
    "shapes that do not broadcast": (Fact.SHAPES, lambda x, y: x + y, (array(3), array(4))),
    "shapes that do not broadcast in NumPy": (Fact.SHAPES, lambda: np.zeros(3) + np.zeros(4), ()),
    "arrays that cannot be concatenated": (
        Fact.SHAPES,
        lambda x, y: jnp.concatenate([x, y]),
        (array(3, 2), array(3, 4)),
    ),
    "arrays that cannot be stacked": (Fact.SHAPES, lambda x, y: jnp.stack([x, y]), (array(3), array(4))),
    "an index that is a float": (Fact.WHOLE, lambda x, i: x[i], (array(3), array())),
    "a traced width of what is padded": (Fact.WHOLE, jnp.pad, (array(3), array())),
    "broadcast_to fewer axes": (Fact.FEWER_AXES, lambda x: jnp.broadcast_to(x, (3,)), (array(5, 3),)),
    "jnp.full of an array with fewer axes": (Fact.FEWER_AXES, lambda x: jnp.full((3,), x), (array(5, 3),)),
    "a window longer than the array": (Fact.WINDOW, lambda x: lax.dynamic_slice_in_dim(x, 0, 7), (array(5),)),
    "a row of an array without rows, at a traced index": (
        Fact.WINDOW,
        lax.dynamic_index_in_dim,
        (array(0, 3), array(dtype=jnp.int32)),
    ),
    "the first of no rows": (Fact.NO_ROWS, lambda x: x[0], (array(0, 3),)),
    "one of no rows, at a traced index": (Fact.NO_ROWS, lambda x, i: x[i], (array(0, 3), array(dtype=jnp.int32))),
    "a window of no rows": (Fact.NO_ROWS, lambda x: lax.dynamic_slice_in_dim(x, 0, 7), (array(0),)),
    "the first of no rows in NumPy": (Fact.NO_ROWS, lambda: np.zeros((0, 3))[0], ()),
    "an array of fewer rows than none": (Fact.NEGATIVE_SIZE, lambda: jnp.zeros(-1), ()),
    "an array of fewer rows than none in NumPy": (Fact.NEGATIVE_SIZE, lambda: np.zeros(-1), ()),
    "so many equal rows": (Fact.NEGATIVE_SIZE, lambda x: jnp.repeat(x, -1), (array(3),)),
    "a window of fewer rows than none": (Fact.NEGATIVE_SIZE, lambda x: lax.dynamic_slice_in_dim(x, 0, -1), (array(3),)),
    "a scan of no trips that is not staged": (Fact.EMPTY_SCAN, unstaged, ()),
    "the gradient of a loop of unknown trips": (Fact.IRREVERSIBLE, jax.grad(squared_by_data), (array(), array(dtype=jnp.int32))),
    "a tracer in a text with a format": (Fact.FORMATTED, lambda x: f"{x:.2f}", (array(),)),
    "an array of JAX as default of a dataclass": (Fact.MUTABLE_DEFAULT, dataclass_with(jnp.zeros(3)), ()),
    "an array of NumPy as default of a dataclass": (Fact.MUTABLE_DEFAULT, dataclass_with(np.zeros(3)), ()),
}  # fmt: skip


@pytest.mark.parametrize(("fact", "program", "given"), FACTS.values(), ids=FACTS)
def test_facts_are_read(fact: Fact, program: Program, given: tuple[object, ...]) -> None:
    error = error_of(program, *given)
    assert says(error, fact)
    assert fact in read(str(error)).facts


def test_every_fact_is_provoked() -> None:
    assert {fact for fact, _, _ in FACTS.values()} == set(Fact)


def test_what_fits_says_nothing_of_the_others() -> None:
    said = read(str(error_of(lambda x, y: x + y, array(3), array(4))))
    assert said.facts == {Fact.SHAPES}
    assert said.mismatch is None


@pytest.mark.parametrize(
    ("program", "given", "expected"),
    [
        (lambda x, y: x + y, (array(3), array(4)), {3, 4}),
        (lambda x, w: x @ w, (array(3), array(4, 5)), {3, 4}),
        (lambda x: jnp.broadcast_to(x, (3,)), (array(5),), {5, 3}),
        (lambda x: x.reshape(4, 2), (array(7),), {7, 4, 2, 8}),
        (trips(lambda c, x: c + x), (array(4), array(6, 4)), {1, 4, 6}),
        (arms(lambda x: x, lambda x: x[:3]), (TEST, array(5)), {5, 3}),
    ],
    ids=["broadcasting", "product", "broadcast_to", "reshape", "carry", "arms, and not the lines where they stand"],
)
def test_sizes_are_among_the_numbers(program: Program, given: tuple[object, ...], expected: set[int]) -> None:
    assert set(read(str(error_of(program, *given))).numbers) == expected


def test_names_and_quoted_texts_are_read() -> None:
    said = read(str(error_of(lambda: jnp.pad(jnp.zeros(3), 1, mode="mirrored"))))
    assert "mirrored" in said.quoted
    assert "mode" in said.words


@pytest.fixture
def whole_tracebacks() -> Iterator[None]:
    """As the worker has them, which sets JAX_TRACEBACK_FILTERING."""
    before = jax.config.jax_traceback_filtering
    jax.config.update("jax_traceback_filtering", "off")
    yield
    jax.config.update("jax_traceback_filtering", before)


@pytest.mark.usefixtures("whole_tracebacks")
@pytest.mark.parametrize(
    ("program", "inside"),
    [
        (trips(lambda c: c[7:8].reshape(3)), True),
        (lambda x: lax.while_loop(lambda c: c.sum() < 3, lambda c: c @ jnp.ones(7), x), True),
        (lambda x: lax.scan(lambda c, y: (c @ jnp.ones(7), None), x, jnp.ones(3)), True),
        (lambda x: lax.cond(x.sum() > 0, lambda: x @ jnp.ones(7), lambda: x.sum()), True),
        (lambda x: lax.map(lambda y: y @ jnp.ones(7), jnp.ones((2, 3))), True),
        (lambda x: jax.vmap(lambda y: y @ jnp.ones(7))(jnp.ones((2, 3))), True),
        (lambda x: x @ jnp.ones(7), False),
        (lambda x: jax.jit(lambda y: y @ jnp.ones(7))(x), False),
    ],
    ids=["fori_loop", "while_loop", "scan", "cond", "map", "vmap", "no loop", "jit"],
)
def test_the_body_of_a_staged_loop_is_told_from_what_surrounds_it(program: Program, inside: bool) -> None:
    assert in_staged_body(error_of(program, array(3))) is inside


@pytest.mark.parametrize(
    "program",
    [
        lambda x: 1 if x > 0 else 2,
        lambda x: float(x),
        lambda x: int(x),
        lambda x: range(x.astype(int)),
        lambda x: np.sin(x),
        lambda x: [1, 2, 3][x.astype(int)],
    ],
    ids=["truth", "float", "int", "range", "NumPy", "index"],
)
def test_asking_a_tracer_for_its_value_raises_one_of_the_known_errors(program: Program) -> None:
    assert isinstance(error_of(program, array()), UNTRACEABLE)


def test_a_carry_that_was_traced_apart_is_told_as_scan_tells_it() -> None:
    said = mismatch(carry_changes("float32[4]", "int32[4,2]"))
    assert said == TypeMismatch("scan", False, ((vector(4), ArrayType("int32", (4, 2))),))


@pytest.mark.parametrize(
    ("program", "also"),
    [
        pytest.param(lambda: jax.random.NoSuchKey, ": `jax.random.NoSuchKey` is of another JAX", id="an attribute"),
        pytest.param(lambda: exec("from jax.lib import no_such_client"), "", id="an imported name"),
        pytest.param(lambda: exec("import jax.nothing"), "", id="a module"),
    ],
)
def test_what_this_jax_lacks_is_said_with_its_version(program: Program, also: str) -> None:
    told = f"(JAX {jax.__version__} is not the one that this code is written for{also})"
    assert in_words(error_of(program)).endswith(told)


def test_what_other_modules_lack_is_no_matter_of_jax() -> None:
    assert "JAX" not in in_words(error_of(lambda: np.no_such_name))
