"""`verify OLD NEW`: two versions as they stand, each with its own modules, its own way to be called, its own effects."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scanlint.finding import Verification

Compare = Callable[..., Verification]

ODD = {
    "asks whether a number is a scalar": "def f(taps, dims: int):\n    return jnp.zeros((dims, taps)) if np.isscalar(taps) else jnp.asarray(taps)\n",
    "asks whether it is traced": "def f(x):\n    return x * 2.0 if isinstance(x, jax.core.Tracer) else x + 1.0\n",
    "gives another shape under a trace": "def f(x):\n    return x if isinstance(x, jax.core.Tracer) else x[:1]\n",
    "asks for the type of a number": "def f(x, tol: float):\n    return x * tol if type(tol) is float else jnp.zeros(3)\n",
    "text": "def f(x):\n    return f'{float(x):.3f}'\n",
    "text beside numbers": "def f(n: int):\n    return {'n': n, 'label': str(n), 'none': None}\n",
    "nothing": "def f(x):\n    return None\n",
    "a function": "def f(k):\n    return lambda x: x * k\n",
    "an object": "class A:\n    def __init__(self, x):\n        self.x = x\ndef f(x):\n    return A(x)\n",
    "an object that holds itself": "class A:\n    def __init__(self, x):\n        self.x, self.own = x, self\ndef f(x):\n    return A(x)\n",
    "a set": "def f(n: int):\n    return {i for i in range(n)}\n",
    "a generator": "def f(xs):\n    for x in xs:\n        yield x * 2\n",
    "a host number": "def f(x):\n    return int(jnp.argmax(x)), float(jnp.sum(x)), bool(jnp.all(x > 0))\n",
    "numbers beyond all types": "def f(n: int):\n    return 1 if n <= 1 else n * f(n - 1)\n",
    "double precision of NumPy": "def f(x):\n    return np.float64(3.0) * np.asarray(x, np.float64)\n",
    "numbers drawn by NumPy": "def f(n: int):\n    return np.random.rand(n)\n",
    "a counter of the module": "COUNT = 0\ndef f(x):\n    global COUNT\n    COUNT += 1\n    return x * COUNT\n",
    "further arguments": "def f(x, *others, scale=1.0, **options):\n    return scale * (x + sum(others)) + options.get('bias', 0.0)\n",
    "a list that grows": "def f(xs: list, x):\n    xs.append(x)\n    return len(xs)\n",
    "an array of NumPy that changes": "def f(x: np.ndarray):\n    x[0] = 5.0\n    return x.sum()\n",
    "a name bound to a lambda": "f = lambda x: x * 2\n",
    "a name bound to what another function gives": "f = jax.vmap(lambda x: x * 2)\n",
    "a state that begins as nothing": "class M:\n    def __init__(self):\n        self.state = None\n    def f(self, x):\n        self.state = x if self.state is None else self.state + x\n        return self.state\n",
    "a list of weak numbers": "def f(x):\n    out, v = [], 0.0\n    for _ in range(4):\n        v = v + 0.5\n        out.append(v)\n    return jnp.array(out)\n",
    "nothing but NaN": "def f(x):\n    return jnp.sqrt(x - 1e30)\n",
    "arrays that it takes the memory of": "@functools.partial(jax.jit, donate_argnums=0)\ndef f(x):\n    return x * 2\n",
}  # fmt: skip


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_a_function_is_its_own_equal(text: str, compare: Compare) -> None:
    found = compare(text, f"{text}\n_other = 1\n", "M.f" if "class M" in text else "f")
    assert found.verdict in ("proved", "tested"), (found.reason, found.counterexample)


MEAN = "def f(x, weights=None):\n    if weights is None:\n        return x.mean(0)\n    return (x * weights).sum(0) / weights.sum()\n"
SUM = "def f(x, *others, scale=1.0, **options):\n    for o in others:\n        x = x + o\n    if 'bias' in options:\n        x = x + options['bias']\n    return x * scale\n"
TABLE = "def f(x, mode='relu'):\n    table = {'relu': jax.nn.relu, 'tanh': jnp.tanh}\n    return table[mode](x)\n"
KIND = "def f(x, kind='sum'):\n    if kind == 'sum':\n        return x.sum()\n    if kind == 'max':\n        return x.max()\n    return x[0]\n"
TIMES = "def f(x, n):\n    return lax.fori_loop(0, n, lambda i, x: jnp.sin(x), x)\n"
PUSH = "def f(history: list, x):\n    history.append(x)\n    return x * 2\n"
FILL = "def f(a: np.ndarray, v: float):\n    a[0] = v\n    return a.sum()\n"
COUNTED = "class S:\n    def __init__(self, w):\n        self.w = w\n        self.n = 0\ndef f(s: S, x):\n    s.n = s.n + 1\n    return s.w * x\n"
CHAIN = "class Node:\n    def __init__(self, value, rest):\n        self.value, self.rest = value, rest\ndef f(x):\n    made = Node(x, None)\n    for i in range(8):\n        made = Node(x * i, made)\n    return made\n"
RING = "class Node:\n    def __init__(self, value):\n        self.value, self.rest = value, self\ndef f(x):\n    return Node(x)\n"
UNIT = "UNIT = 2.0\ndef configure(v):\n    global UNIT\n    UNIT = v\ndef f(x):\n    return x * UNIT\n"
TRACED = "def f(x):\n    return x * 2.0 if isinstance(x, jax.core.Tracer) else x\n"

PAIR = "def f(x):\n    s = x * 0\n    for _ in range(3):\n        s = s + x\n    return {'b': x, 'a': s}\n"
PAIRS = "def f(x):\n    step = lambda c, _: ({'b': c['b'], 'a': c['a'] + c['b']}, None)\n    return lax.scan(step, {'b': x, 'a': x * 0}, length=3)[0]\n"

DIFFERENT = {
    "a parameter has another name": (MEAN, MEAN.replace("weights", "w")),
    "a parameter is passed by place alone": (MEAN, MEAN.replace("=None)", "=None, /)")),
    "a default is lost": (MEAN, MEAN.replace("weights=None", "weights")),
    "a parameter is passed by keyword alone": (TABLE, TABLE.replace("x, mode", "x, *, mode")),
    "parameters change places": (TIMES, TIMES.replace("(x, n)", "(n, x)")),
    "another parameter has to be passed": (TIMES, TIMES.replace("(x, n)", "(x, n, m)")),
    "further arguments are not taken": (SUM, SUM.replace("*others", "*").replace("    for o in others:\n        x = x + o\n", "")),
    "further keywords are not taken": (SUM, SUM.replace("**options", "bias=0.0").replace("if 'bias' in options:\n        x = x + options['bias']", "x = x + bias")),
    "a number has to be static": (TIMES, f"@functools.partial(jax.jit, static_argnames='n')\n{TIMES}"),
    "an argument is donated": (MEAN, f"@functools.partial(jax.jit, donate_argnums=0)\n{MEAN}"),
    "an argument that may be there": (MEAN, MEAN.replace("weights.sum()", "weights.size")),
    "further arguments": (SUM, SUM.replace("x = x + o\n", "x = x - o\n")),
    "further keywords": (SUM, SUM.replace("x + options", "x - options")),
    "another default": (SUM, SUM.replace("scale=1.0", "scale=2.0")),
    "an item of a table that a text selects": (TABLE, TABLE.replace("jnp.tanh", "jnp.sin")),
    "a text that is compared": (KIND, KIND.replace("x.max()", "x.min()")),
    "no text that is compared": (KIND, KIND.replace("x[0]", "x[-1]")),
    "a list is not changed any more": (PUSH, PUSH.replace("    history.append(x)\n", "")),
    "a list gets something else": (PUSH, PUSH.replace("append(x)", "insert(0, x)")),
    "a copy is changed in its place": (FILL, FILL.replace("    a[0]", "    a = a.copy()\n    a[0]")),
    "an attribute is not counted": (COUNTED, COUNTED.replace("    s.n = s.n + 1\n    return", "    return")),
    "a literal in place of what is bound anew": (UNIT, UNIT.replace("x * UNIT", "x * 2.0")),
    "a default in place of what is bound anew": (UNIT, UNIT.replace("f(x)", "f(x, _unit=UNIT)").replace("x * UNIT", "x * _unit")),
    "what is done under a trace alone": (TRACED, "def f(x):\n    return x\n"),
    "what is done without a trace alone": (TRACED, "def f(x):\n    return x * 2.0\n"),
    "the keys of a result come in another order": (PAIR, PAIR.replace("'b': x, 'a': s", "'a': s, 'b': x")),
    "text": ("def f(x: float):\n    return f'{x:.2f}'\n", "def f(x: float):\n    return f'{x:.3f}'\n"),
    "an attribute of an object": ("class A:\n    def __init__(self, x):\n        self.x = x\ndef f(x):\n    return A(x)\n", "class A:\n    def __init__(self, x):\n        self.x = x\ndef f(x):\n    return A(x + 1)\n"),
    "the last of many objects in one another": (CHAIN, CHAIN.replace("Node(x, None)", "Node(x + 1, None)")),
    "an object that holds itself": (RING, RING.replace("Node(x)", "Node(x + 1)")),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new"), DIFFERENT.values(), ids=DIFFERENT)
def test_what_callers_see_differs(old: str, new: str, compare: Compare) -> None:
    found = compare(old, new)
    assert found.verdict == "refuted", (found.verdict, found.reason, found.notes)


SCALE = "UNIT = 2.0\ndef f(x):\n    return x * UNIT\n"


@pytest.mark.parametrize(
    "end",
    [
        pytest.param("globals()['f'] = lambda x: x * 3.0\n", id="through the names of the module"),
        pytest.param("exec('def f(x): return x * 3.0')\n", id="by text that is run"),
        pytest.param("import sys\nsetattr(sys.modules[__name__], 'f', lambda x: x * 3.0)\n", id="as an attribute"),
        pytest.param("def bind():\n    global f\n    f = lambda x: x * 3.0\nbind()\n", id="by a function"),
        pytest.param("globals().update(UNIT=5.0)\n", id="what it reads"),
        pytest.param("raise RuntimeError('no')\n", id="not at all: the module raises"),
    ],
)
def test_what_is_bound_anew_is_what_is_compared(end: str, compare: Compare) -> None:
    assert compare(SCALE, SCALE + end).verdict == "refuted"
    assert compare(SCALE + end, SCALE).verdict in ("refuted", "unknown")


def test_a_function_that_its_module_deletes_is_none(compare: Compare) -> None:
    found = compare(SCALE, f"{SCALE}del f\n")
    assert found.verdict == "unknown"
    assert "no function `f` once the module is imported" in str(found.reason)


def test_a_module_that_cannot_be_imported_here_is_said(compare: Compare) -> None:
    found = compare(f"{SCALE}open('data.csv')\n", f"{SCALE}open('data.csv')\n_other = 1\n")
    assert found.verdict == "proved"
    assert any("cannot be imported here" in note for note in found.notes)


HELPERS = {
    "beside it": ("helper.py", "from helper import scale\n", ""),
    "of a package": ("pkg/inner.py", "from pkg.inner import scale\n", "pkg/__init__.py"),
    "that it imports when it is called": ("helper.py", "", ""),
}


@pytest.mark.parametrize(("file", "line", "package"), HELPERS.values(), ids=HELPERS)
def test_each_version_imports_the_modules_beside_it(
    file: str, line: str, package: str, compare: Compare, tmp_path: Path
) -> None:
    inside = "" if line else "    from helper import scale\n"
    text = f"{line}def f(x):\n{inside}    return scale(x) + 1\n"
    for side, factor in (("a", 1), ("b", 2), ("c", 1)):
        place = tmp_path / side / file
        place.parent.mkdir(parents=True)
        place.write_text(
            f"from {'pkg.' if package else ''}constants import ONE\ndef scale(x):\n    return {factor} * ONE * x\n"
        )
        (place.parent / "constants.py").write_text("ONE = 1.0\n")
        if package:
            (tmp_path / side / package).write_text("")
    assert compare(text, text, folders=("a", "b")).verdict == "refuted"
    assert compare(text, text, folders=("a", "c")).verdict == "proved"


def test_nothing_that_could_differ_is_no_verdict(compare: Compare) -> None:
    effect = compare("LOG = []\ndef f(x):\n    LOG.append(1)\n", "LOG = []\ndef f(x):\n    LOG.append(2)\n")
    nowhere = compare("def f(x):\n    return jnp.sqrt(x - 1e30)\n", "def f(x):\n    return 3 * jnp.sqrt(x - 1e30)\n")
    empty = compare(
        "def f(x):\n    return x * 2\n", "def f(x):\n    return x * 3\n", given=(("x: f32[0]", "old.py:1"),)
    )
    assert [effect.verdict, nowhere.verdict, empty.verdict] == ["unknown"] * 3


@pytest.mark.parametrize(
    "held",
    [
        pytest.param("TABLE = {{'unit': 2.0}}\n{}def f(x):\n    return x * {}\n|TABLE['unit']", id="a dict"),
        pytest.param("class Table:\n    unit = 2.0\n{}def f(x):\n    return x * {}\n|Table.unit", id="a class"),
    ],
)
def test_what_a_table_holds_is_read_late(held: str, compare: Compare) -> None:
    text, read = held.split("|")
    found = compare(text.format("", read), text.format(f"_unit = {read}\n", "_unit"))
    assert found.verdict == "tested"
    assert any("at other times" in note for note in found.notes)


@pytest.mark.parametrize(
    "new",
    [
        pytest.param("UNIT = 2.0\ndef f(x):\n    return x * 2.0\n", id="never: a literal stands in its place"),
        pytest.param(
            "UNIT = 2.0\n_HALF = UNIT / 2\ndef f(x):\n    return x * (2.0 * _HALF)\n", id="by a table of the module"
        ),
    ],
)
def test_a_constant_that_is_read_early_is_said(new: str, compare: Compare) -> None:
    found = compare(SCALE, new)
    assert found.verdict == "tested"
    assert any("read `UNIT` at other times" in note for note in found.notes)


def test_the_order_of_keywords_is_free(compare: Compare) -> None:
    old = "def f(x, *, a=1.0, b=2.0):\n    return a * x + b\n"
    assert compare(old, old.replace("a=1.0, b=2.0", "b=2.0, a=1.0")).verdict == "proved"


def test_a_branch_that_no_input_takes_proves_nothing(compare: Compare) -> None:
    old = "import os\ndef f(x):\n    if os.environ.get('NOT_SET_ANYWHERE'):\n        return x * 3\n    return x * 2\n"
    assert compare(old, old.replace("x * 2", "x + x")).verdict != "proved"
    assert compare(old, old.replace("x * 3", "x * 4")).verdict == "unknown"


def test_functions_in_an_object_cannot_be_compared(compare: Compare) -> None:
    box = (
        "class Box:\n    def __init__(self, run):\n        self.run = run\ndef f(x):\n    return Box(lambda y: y + x)\n"
    )
    found = compare(box, box.replace("y + x", "y - x"))
    assert found.verdict == "unknown"
    assert "functions, which cannot be compared" in str(found.reason)


def test_a_handler_that_no_input_reaches_proves_nothing(compare: Compare) -> None:
    text = "def f(table, x):\n    try:\n        w = table['w']\n    except KeyError:\n        w = 1.0\n    return x * w + table['b']\n"
    assert compare(text, text.replace("w = 1.0", "w = 2.0")).verdict == "unknown"
    assert compare(text, text.replace("x * w", "w * x")).verdict == "tested"


def test_lists_are_passed_where_the_new_text_asks_for_their_truth(compare: Compare) -> None:
    old = "def f(x, steps):\n    for step in steps:\n        x = x * step\n    return x\n"
    new = "def f(x, steps):\n    if not steps:\n        return x\n    for step in steps:\n        x = step * x\n    return x\n"
    assert compare(old, new).verdict in ("proved", "tested")
    found = compare(old, new.replace("step * x", "step + x"))
    assert found.verdict == "refuted"
    assert "steps = (" in str(found.counterexample)


def test_keys_that_jax_sorts_are_said(compare: Compare) -> None:
    found = compare(PAIR, PAIRS)
    assert found.verdict == "proved", (found.reason, found.counterexample)
    assert any("the keys of the result" in note for note in found.notes)
