"""Equal loops have one normal form: it does the same, says where it comes from, and is written only where it is needed."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import jax.numpy as jnp
import pytest

from scanlint.project.files import SourceFile, decode
from scanlint.rewrite.normal_form import normal
from scanlint.rewrite.views import Layer
from scanlint.settings import Settings
from scanlint.trace.program.project import Project
from scanlint.trace.unit import Unit
from tests.rewrite.conftest import HEAD, Sample, run, same

LONG = jnp.linspace(-1.0, 2.0, 120).reshape(60, 2)
XS = jnp.linspace(-1.0, 2.0, 12).reshape(6, 2)
PLAIN = "    for i in range(6):\n        h = jnp.tanh(h + xs[i])\n"
STACKED = "    ys = []\n    for i in range(6):\n        h = jnp.tanh(h + xs[i])\n        ys.append(h)\n    return jnp.stack(ys)\n"
ROWS = "    for x in xs:\n        h = jnp.tanh(h + x)\n    return h\n"

FORMS = {
    "a while that counts": (
        "    i = 0\n    while i < 6:\n        h = jnp.tanh(h + xs[i])\n        i += 1\n    return h\n",
        f"{PLAIN}    return h\n",
    ),
    "a while that counts up to and with its bound": (
        "    i = 1\n    while 5 >= i:\n        h = jnp.tanh(h + xs[i])\n        i = i + 2\n    return h\n",
        "    for i in range(1, 6, 2):\n        h = jnp.tanh(h + xs[i])\n    return h\n",
    ),
    "a while that counts down": (
        "    i = 5\n    while i >= 0:\n        h = jnp.tanh(h + xs[i])\n        i -= 1\n    return h\n",
        "    for i in range(5, -1, -1):\n        h = jnp.tanh(h + xs[i])\n    return h\n",
    ),
    "an endless while that is left by its counter": (
        "    i = 0\n    while True:\n        if i == 6:\n            break\n        h = jnp.tanh(h + xs[i])\n        i += 1\n    return h\n",
        f"{PLAIN}    return h\n",
    ),
    "a counter beside a range": (
        "    i = 0\n    for _ in range(6):\n        h = jnp.tanh(h + xs[i])\n        i += 1\n    return h\n",
        f"{PLAIN}    return h\n",
    ),
    "a counter that moves before it is read": (
        "    k = 0\n    for i in range(5):\n        h = h + xs[i]\n        k += 1\n        h = jnp.tanh(h + xs[k])\n    return h\n",
        "    for i in range(5):\n        h = h + xs[i]\n        h = jnp.tanh(h + xs[(i + 1)])\n    return h\n",
    ),
    "a counter beside rows": (
        "    k = 0\n    for x in xs:\n        h = jnp.tanh(h + x * k)\n        k += 1\n    return h\n",
        "    for k, x in enumerate(xs):\n        h = jnp.tanh(h + x * k)\n    return h\n",
    ),
    "a local function whose result is not read": (
        "    n = h\n\n    def step(x):\n        nonlocal n\n        n = jnp.tanh(n + x)\n        return n\n\n    for i in range(6):\n        step(xs[i])\n    return n\n",
        "    n = h\n\n    for i in range(6):\n        n = jnp.tanh(n + xs[i])\n    return n\n",
    ),
    "a local function whose result is added to": (
        "    def step(x):\n        return x * 2\n\n    for i in range(6):\n        h = jnp.tanh(h - step(xs[i]))\n    return h\n",
        "    for i in range(6):\n        h = jnp.tanh(h - xs[i] * 2)\n    return h\n",
    ),
    "a copy of what is new": (
        "    for i in range(6):\n        new = jnp.tanh(h + xs[i])\n        h = new\n    return h\n",
        f"{PLAIN}    return h\n",
    ),
    "a copy of what was": (
        "    for i in range(6):\n        old = h\n        h = jnp.tanh(old + xs[i])\n    return h\n",
        f"{PLAIN}    return h\n",
    ),
    "a copy read on": (
        "    ys = []\n    for i in range(6):\n        new = jnp.tanh(h + xs[i])\n        h = new\n        ys.append(new)\n    return jnp.stack(ys)\n",
        STACKED,
    ),
    "a method by another name": (
        "    ys = []\n    keep = ys.append\n    for i in range(6):\n        h = jnp.tanh(h + xs[i])\n        keep(h)\n    return jnp.stack(ys)\n",
        STACKED,
    ),
    "a list of one that is added": (
        "    ys = []\n    for i in range(6):\n        h = jnp.tanh(h + xs[i])\n        ys.extend([h])\n    return jnp.stack(ys)\n",
        STACKED,
    ),
    "what is put at the last place": (
        "    ys = []\n    for i in range(6):\n        h = jnp.tanh(h + xs[i])\n        ys.insert(len(ys), h)\n    return jnp.stack(ys)\n",
        STACKED,
    ),
    "a local function with an effect": (
        "    ys = []\n    def step(h, x):\n        h = jnp.tanh(h + x)\n        ys.append(h)\n        return h\n    for i in range(6):\n        h = step(h, xs[i])\n    return jnp.stack(ys)\n",
        STACKED,
    ),
    "a local function that rebinds": (
        "    def step(x):\n        nonlocal h\n        h = jnp.tanh(h + x)\n    for i in range(6):\n        step(xs[i])\n    return h\n",
        f"{PLAIN}    return h\n",
    ),
    "a lambda": (
        "    step = lambda h, x: jnp.tanh(h + x)\n    for i in range(6):\n        h = step(x=xs[i], h=h)\n    return h\n",
        f"{PLAIN}    return h\n",
    ),
    "a dict of parts": (
        '    s = {"g": h, "k": h}\n    for i in range(6):\n        s["g"] = jnp.tanh(s["g"] + xs[i])\n    return s["g"] * s["k"]\n',
        "    g = h\n    k = h\n    for i in range(6):\n        g = jnp.tanh(g + xs[i])\n    return g * k\n",
    ),
    "a list of parts, made anew": (
        "    s = [h, h]\n    for i in range(6):\n        s = [jnp.tanh(s[1] + xs[i]), s[0]]\n    return s[0]\n",
        "    s_0 = h\n    s_1 = h\n    for i in range(6):\n        s_0, s_1 = jnp.tanh(s_1 + xs[i]), s_0\n    return s_0\n",
    ),
    "rows by their number": (
        "    for i in range(len(xs)):\n        x = xs[i]\n        h = jnp.tanh(h + x)\n    return h\n",
        ROWS,
    ),
    "a loop variable that had a value before and is read later": (
        "    x = h\n    for x in xs:\n        h = jnp.tanh(h + x)\n    return h * x\n",
        "    x = h\n    for x_now in xs:\n        x = x_now\n        h = jnp.tanh(h + x)\n    return h * x\n",
    ),
    "one of two loop variables that is read later": (
        "    k = 0\n    for k, x in enumerate(xs):\n        h = jnp.tanh(h + x * k)\n    return h * k\n",
        "    k = 0\n    for k_now, x in enumerate(xs):\n        k = k_now\n        h = jnp.tanh(h + x * k)\n    return h * k\n",
    ),
    "a return on some paths through an if": (
        "    if h[0] > 0:\n        if h[1] > 0:\n            return h * 3.0\n        h = h + 1.0\n    return h - xs[0]\n",
        "    if h[0] > 0:\n        if h[1] > 0:\n            return h * 3.0\n        h = h + 1.0\n        return h - xs[0]\n    else:\n        return h - xs[0]\n",
    ),
    "returns on some paths through both arms": (
        "    if h[0] > 0:\n        if h[1] > 0:\n            return h * 3.0\n    else:\n        h = h + 1.0\n    h = h - xs[0]\n    return h\n",
        "    if h[0] > 0:\n        if h[1] > 0:\n            return h * 3.0\n        h = h - xs[0]\n        return h\n    else:\n        h = h + 1.0\n        h = h - xs[0]\n        return h\n",
    ),
}  # fmt: skip

SUMS = {
    "of a generator": (
        "    return sum(jnp.sin(x * h) for x in xs)\n",
        "    return jnp.sum(jnp.stack([jnp.sin(x * h) for x in xs]), axis=0)\n",
    ),
    "of a list": (
        "    return sum([jnp.sin(x) for x in xs[1:]]) / 3\n",
        "    return jnp.sum(jnp.stack([jnp.sin(x) for x in xs[1:]]), axis=0) / 3\n",
    ),
    "of a map": (
        "    xs = jnp.cos(xs)\n    return sum(map(jnp.tanh, xs))\n",
        "    xs = jnp.cos(xs)\n    return jnp.sum(jnp.stack([jnp.tanh(x) for x in xs]), axis=0)\n",
    ),
    "from zero": (
        "    return sum((h * x for x in xs), 0)\n",
        "    return jnp.sum(jnp.stack([h * x for x in xs]), axis=0)\n",
    ),
    "from something": (
        "    return sum((h * x for x in xs), h)\n",
        "    return h + jnp.sum(jnp.stack([h * x for x in xs]), axis=0)\n",
    ),
    "from something, as part of a product": (
        "    return 2 * sum((h * x for x in xs), h)\n",
        "    return 2 * (h + jnp.sum(jnp.stack([h * x for x in xs]), axis=0))\n",
    ),
    "of numbers of trips": (
        "    return sum(jnp.sin(h) * i for i in range(40))\n",
        "    return jnp.sum(jnp.stack([jnp.sin(h) * i for i in range(40)]), axis=0)\n",
    ),
    "of pairs": (
        "    return sum(x * jnp.sin(y) for x, y in zip(xs, xs[::-1]))\n",
        "    return jnp.sum(jnp.stack([x * jnp.sin(y) for x, y in zip(xs, xs[::-1])]), axis=0)\n",
    ),
    "in a loop": (
        "    for _ in range(3):\n        h = sum(jnp.tanh(x + 0.01 * h) for x in xs)\n    return h\n",
        "    for _ in range(3):\n        h = jnp.sum(jnp.stack([jnp.tanh(x + 0.01 * h) for x in xs]), axis=0)\n    return h\n",
    ),
}  # fmt: skip

KEPT = {
    "a sum with an if": "    return sum(jnp.sin(h * i) for i in range(6) if i % 2)\n",
    "a sum over two ranges": "    return sum(jnp.sin(h * i * j) for i in range(6) for j in range(i))\n",
    "a sum of numbers of Python": "    return h * sum(i * i for i in range(6))\n",
    "a sum of what is in a list": "    return sum([h, 2 * h, xs[0]])\n",
    "a function of that name": "    sum = lambda rows: h\n    return sum(jnp.sin(x) for x in xs)\n",
    "a start by its name": "    return sum((jnp.sin(x) for x in xs), start=h)\n",
    "a counter that is read afterwards": "    i = 0\n    while i < 6:\n        h = jnp.tanh(h + xs[i])\n        i += 1\n    return h * i\n",
    "a bound that the loop moves": "    i, n = 0, 6\n    j = 0\n    while j < n:\n        h = jnp.tanh(h + xs[j])\n        n = n - 1\n        j += 1\n    return h\n",
    "a trip that is cut short": "    i = 0\n    while i < 6:\n        if i == 2:\n            i += 1\n            continue\n        h = jnp.tanh(h + xs[i])\n        i += 1\n    return h\n",
    "a counter that moves twice": "    k = 0\n    for i in range(3):\n        k += 1\n        h = h + xs[k]\n        k += 1\n    return h\n",
    "a copy whose original is read on": "    g = h\n    for i in range(6):\n        new = jnp.tanh(h + xs[i])\n        g = h * 2\n        h = new\n    return h + g\n",
    "a copy of what was, read after it is bound anew": "    for i in range(6):\n        old = h\n        h = jnp.tanh(h + xs[i])\n        h = h - old\n    return h\n",
    "a copy that goes from trip to trip": "    old = h\n    for i in range(6):\n        h = jnp.tanh(old + xs[i])\n        old = h * 2\n    return h + old\n",
    "a copy that is deleted": "    for i in range(6):\n        d = h\n        h = jnp.tanh(d + xs[i])\n        del d\n    return h\n",
    "a method of a list that is made anew": "    ys = []\n    keep = ys.append\n    ys = [h]\n    for i in range(6):\n        keep(h)\n    return jnp.stack(ys)\n",
    "a local function that two places call": "    def step(h, x):\n        return jnp.tanh(h + x)\n    for i in range(3):\n        h = step(h, xs[i])\n        h = step(h, xs[i + 1])\n    return h\n",
    "a local function that returns on two ways": "    def step(h, x, i):\n        if i == 2:\n            return h\n        return jnp.tanh(h + x)\n    for i in range(6):\n        h = step(h, xs[i], i)\n    return h\n",
    "an object that goes elsewhere": "    s = [h, h]\n    for i in range(6):\n        s[0] = jnp.tanh(s[0] + xs[i])\n    return sum(s)\n",
    "an object by a name that a function has": '    s = {"g": h}\n    def read():\n        return s["g"]\n    for i in range(6):\n        s["g"] = jnp.tanh(read() + xs[i] * read())\n    return s["g"]\n',
    "a loop variable of a loop that makes trips": "    i = 0\n    for i in range(6):\n        h = jnp.tanh(h + xs[i])\n    return h * i\n",
    "a loop variable that is new": "    for x in xs:\n        h = jnp.tanh(h + x)\n    return h * x\n",
    "a return on every path through an arm": "    if h[0] > 0:\n        return h * 3.0\n    return h - xs[0]\n",
    "a return from an arm that a long rest follows": "    if h[0] > 0:\n        if h[1] > 0:\n            return h * 3.0\n    for x in xs:\n        h = jnp.tanh(h + x)\n    return h - xs[0]\n",
    "parts by keys that are not known": "    s = [h, h]\n    for i in range(6):\n        s[i % 2] = jnp.tanh(s[0] + xs[i])\n    return s[1]\n",
}  # fmt: skip


def unit_of(body: str) -> Unit:
    code = f"{HEAD}@jax.jit\ndef f(xs, h):\n{body}"
    file = decode(code.encode(), Path("sample.py"))
    assert isinstance(file, SourceFile)
    project = Project.load([file], Settings())
    return next(u for u in project.units(None) if u.qualname == "f")


@pytest.mark.parametrize(("body", "form"), FORMS.values(), ids=FORMS.keys())
def test_equal_loops_have_one_form(body: str, form: str) -> None:
    made = normal(unit_of(body), None)
    assert made is not None
    assert made.unit.source.text.partition("def f(xs, h):\n")[2] == form
    case = [XS, XS[0]]
    same(run(f"{HEAD}def f(xs, h):\n{body}", "f", case), run(f"{HEAD}def f(xs, h):\n{form}", "f", case))


@pytest.mark.parametrize(("body", "form"), SUMS.values(), ids=SUMS.keys())
def test_a_sum_of_traced_arrays_is_that_of_an_array(body: str, form: str) -> None:
    made = normal(unit_of(body), None)
    assert made is not None
    assert made.unit.source.text.partition("def f(xs, h):\n")[2] == form
    case = [XS, XS[0]]
    same(run(f"{HEAD}def f(xs, h):\n{body}", "f", case), run(f"{HEAD}def f(xs, h):\n{form}", "f", case))


@pytest.mark.parametrize("body", [b for b, _ in SUMS.values()], ids=SUMS.keys())
def test_a_sum_is_taken_of_a_batch(rewrite: Callable[..., Sample], body: str) -> None:
    sample = rewrite(f"@jax.jit\ndef f(xs, h):\n{body}")
    assert "jnp.sum(" in sample.body and " sum(" not in sample.body and " in xs" not in sample.body, sample.new
    sample.agree("f", [LONG, LONG[0]])


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT.keys())
def test_what_means_something_else_is_kept(body: str) -> None:
    made = normal(unit_of(body), None)
    text = made.unit.source.text.partition("def f(xs, h):\n")[2] if made is not None else body
    case = [XS, XS[0]]
    same(run(f"{HEAD}def f(xs, h):\n{body}", "f", case), run(f"{HEAD}def f(xs, h):\n{text}", "f", case))
    assert made is None


@pytest.mark.parametrize("body", [b for b, _ in FORMS.values()], ids=FORMS.keys())
def test_a_normal_form_that_nothing_was_done_to_is_as_it_was_written(body: str) -> None:
    made = normal(unit_of(body), None)
    assert made is not None
    first = made.layers[0]
    assert isinstance(first, Layer)
    assert made.restored(made.unit.source).text == first.old.text


def test_a_statement_that_was_moved_is_told_by_where_it_was_written() -> None:
    body = FORMS["a local function with an effect"][0]
    unit = unit_of(body)
    made = normal(unit, None)
    assert made is not None
    [loop] = made.unit.every(ast.For)
    places = [made.written(made.unit.source.start(s)) for s in loop.body]
    lines = [unit.source.lines[place.line - 1].strip() for place in places]
    assert lines == ["h = jnp.tanh(h + x)", "ys.append(h)"]
    assert unit.source.lines[made.written(made.unit.source.start(loop)).line - 1].strip() == "for i in range(6):"


@pytest.mark.parametrize("body", [b for b, _ in FORMS.values()], ids=FORMS.keys())
def test_each_spelling_is_rewritten_to_what_does_the_same(rewrite: Callable[..., Sample], body: str) -> None:
    sample = rewrite(f"@jax.jit\ndef f(xs, h):\n{_often(body)}")
    assert "lax." in sample.body, sample.new
    assert sample.reasons == []
    sample.agree("f", [LONG, LONG[0]])


def _often(body: str) -> str:
    """The same loop with so many trips that it is worth a word."""
    for few, many in (("range(6)", "range(60)"), ("i < 6", "i < 60"), ("5 >= i", "59 >= i"), ("i = 5", "i = 59")):
        body = body.replace(few, many)
    return body.replace("i == 6", "i == 60").replace("range(5)", "range(59)")


def test_what_no_rewrite_touches_stays_in_the_spelling_of_its_author(rewrite: Callable[..., Sample]) -> None:
    before = '    s = {"g": h}\n    s["g"] = s["g"] * 2\n    old = s["g"]\n'
    body = "    i = 0\n    while i < 60:\n        old = jnp.tanh(old + xs[i])\n        i += 1\n    return old\n"
    sample = rewrite(f"@jax.jit\ndef f(xs, h):\n{before}{body}")
    assert before in sample.new
    assert "lax.fori_loop" in sample.new or "lax.scan" in sample.new
    sample.agree("f", [LONG, LONG[0]])
