"""Where a function is jitted, with which parameters static, and what keeps it from being jitted."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from scanlint.errors import UsageError
from scanlint.jitting.once_only import once_only
from scanlint.jitting.prints import with_debug_prints
from scanlint.jitting.settings_of import settings_of
from scanlint.jitting.site import jitted
from scanlint.jitting.targets import JitTarget, found, functions, target

SETTINGS = {
    "the number of trips": ("def f(x, n):\n    for _ in range(n):\n        x = 2 * x\n    return x\n", ("n",)),
    "a number of trips by another name": ("def f(x, n):\n    m = n // 2\n    for _ in range(m):\n        x = 2 * x\n    return x\n", ("n",)),
    "the length of an array": ("def f(x):\n    for i in range(x.shape[0]):\n        x = x + i\n    return x\n", ()),
    "the length of a new array": ("def f(x, n):\n    return x + jnp.zeros(n)\n", ("n",)),
    "an axis": ("def f(x, axis=0):\n    return jnp.sum(x, axis=axis)\n", ("axis",)),
    "a mode": ("def f(x, mode):\n    return x if mode == 'plain' else -x\n", ("mode",)),
    "a flag by its default": ("def f(x, train=True):\n    return 2 * x if train else x\n", ("train",)),
    "a function": ("def f(g, x):\n    return g(x)\n", ("g",)),
    "an annotation": ("def f(x, kind: str, size: 'int | None', deep: bool):\n    return x\n", ("kind", "deep")),
    "an array with a default": ("def f(x, dt=0.1, k=2):\n    return x * dt + k\n", ()),
    "an array that an annotation names": ("def f(x: 'bool | jax.Array'):\n    return x\n", ()),
    "a mode among several": ("def f(x, mode):\n    return x if mode in ('a', 'b') else -x\n", ("mode",)),
    "a flag that nothing in Python asks for": ("def f(x, reset=False):\n    return jnp.where(reset, 0.0, x)\n", ()),
    "a flag that is handed on": ("def f(x, train=True):\n    return layer(x, train=train)\n", ("train",)),
    "the begin of a window": ("def f(x, i, size):\n    return x[i : i + size]\n", ("size",)),
    "a number of trips that is worked out": ("def f(x, t, dt):\n    n = int(t / dt)\n    for _ in range(n):\n        x = 2 * x\n    return x\n", ("t", "dt")),
    "a dict of numbers": ("def f(w: dict[str, float], g: Callable[[jax.Array], jax.Array], n: int | None):\n    return w, g, n\n", ("g",)),
    "the name of an attribute": ("def f(x, how):\n    return getattr(jnp, how)(x)\n", ("how",)),
    "what is differentiated": ("def f(x, loss):\n    return x - jax.grad(loss)(x)\n", ("loss",)),
    "what a function of its own is given": ("def f(x, loss):\n    grad = jax.grad(loss)\n    return x - grad(x)\n", ("loss",)),
    "how deep it calls itself": ("def f(x, n):\n    if n == 0:\n        return x\n    return f(x * 2, n - 1)\n", ("n",)),
    "the end of a slice": ("def f(x, n):\n    return x[:n]\n", ("n",)),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SETTINGS.values(), ids=SETTINGS)
def test_settings_are_told_from_arrays(text: str, expected: tuple[str, ...]) -> None:
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert settings_of(function, method=False) == expected


def test_what_a_callee_takes_for_a_setting_is_one() -> None:
    text = (
        "def f(x, n, size, mode, y):\n    return g(x, n, how=mode) + h(y, size)\n"
        "def g(x, steps, how):\n    for _ in range(steps):\n        x = h(x, steps=steps) if how == 'a' else x\n    return x\n"
        "def h(x, steps):\n    return f(x, 1, 2, 'a', x) if steps is None else x + jnp.zeros(steps)\n"
    )
    functions = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    callees = {name: node for name, node in functions.items() if name != "f"}
    assert settings_of(functions["f"], method=False, callees=callees) == ("n", "size", "mode")


PLAIN = "def f(x):\n    return x\n"
CLASS = "class A:\n    def __init__(self, k):\n        self.k = k\n\n    def f(self, x):\n        return self.k * x\n"
SITES = {
    "jax is imported already": ("import jax\n\n\n" + PLAIN, "f", "import jax\n\n\n@jax.jit\n" + PLAIN),
    "jit is imported": ("from jax import jit as j\n\n\n" + PLAIN, "f", "from jax import jit as j\n\n\n@j\n" + PLAIN),
    "below other decorators": ("import jax\n\n\n@logged\n" + PLAIN, "f", "import jax\n\n\n@logged\n@jax.jit\n" + PLAIN),
    "partial is imported": (
        "import functools\nimport jax\n\n\ndef f(x, n):\n    return x[:n]\n", "f",
        'import functools\nimport jax\n\n\n@functools.partial(jax.jit, static_argnames=("n",))\ndef f(x, n):\n    return x[:n]\n',
    ),
    "a method": (
        "import jax\nfrom functools import partial\n\n\n" + CLASS, "A.f",
        "import jax\nfrom functools import partial\n\n\n"
        + CLASS.replace("    def f", '    @partial(jax.jit, static_argnames=("self",))\n    def f'),
    ),
    "a method of a pytree": (
        "import jax\nimport equinox as eqx\n\n\n" + CLASS.replace("A:", "A(eqx.Module):"), "A.f",
        "import jax\nimport equinox as eqx\n\n\n" + CLASS.replace("A:", "A(eqx.Module):").replace("    def f", "    @jax.jit\n    def f"),
    ),
    "a parameter without a name for callers": (
        "import jax\nimport functools\n\n\ndef f(x, n, /):\n    return x[:n]\n", "f",
        "import jax\nimport functools\n\n\n@functools.partial(jax.jit, static_argnums=(1,))\ndef f(x, n, /):\n    return x[:n]\n",
    ),
    "partial is another function": (
        "import jax\n\n\ndef partial(u):\n    return u\n\n\ndef f(x, n):\n    return x[:n]\n", "f",
        'import functools\n\nimport jax\n\n\ndef partial(u):\n    return u\n\n\n@functools.partial(jax.jit, static_argnames=("n",))\ndef f(x, n):\n    return x[:n]\n',
    ),
    "jax is imported in a try": (
        "try:\n    import jax\nexcept ImportError:\n    jax = None\n\n\n" + PLAIN, "f",
        "try:\n    import jax\nexcept ImportError:\n    jax = None\n\n\n@jax.jit\n" + PLAIN,
    ),
    "a property with a setter": (
        "import jax\nimport equinox as eqx\n\n\nclass A(eqx.Module):\n    @property\n    def f(self):\n        return self.v\n\n    @f.setter\n    def f(self, v):\n        self.v = v\n", "A.f",
        "import jax\nimport equinox as eqx\n\n\nclass A(eqx.Module):\n    @property\n    @jax.jit\n    def f(self):\n        return self.v\n\n    @f.setter\n    def f(self, v):\n        self.v = v\n",
    ),
    "windows newlines": ("import jax\r\n\r\n\r\ndef f(x):\r\n    return x\r\n", "f", "import jax\r\n\r\n\r\n@jax.jit\r\ndef f(x):\r\n    return x\r\n"),
    "jitted already": ("import jax\n\n\n@jax.jit\n" + PLAIN, "f", "import jax\n\n\n@jax.jit\n" + PLAIN),
}  # fmt: skip


@pytest.mark.parametrize(("text", "name", "expected"), SITES.values(), ids=SITES)
def test_the_decorator_is_spelled_as_the_file_would(text: str, name: str, expected: str) -> None:
    function, owner = found(ast.parse(text), JitTarget(Path("m.py"), name))
    assert jitted(text, function, owner).text == expected


OBSTACLES = {
    "it changes its object": (CLASS.replace("return self.k * x", "self.k = x\n        return x"), "A.f", "writes `self.k` (line 6)"),
    "it changes a part of its object": (CLASS.replace("return self.k * x", "self.k[0] = x\n        return x"), "A.f", "writes `self.k` (line 6)"),
    "another method changes what it reads": (CLASS + "\n    def set(self, k):\n        self.k = k\n", "A.f", "which line 9 changes later"),
    "another method changes a list that it reads": (CLASS + "\n    def add(self, k):\n        self.k.append(k)\n", "A.f", "which line 9 changes later"),
    "it reads by way of another method": (CLASS.replace("return self.k * x", "return self.g() * x") + "\n    def g(self):\n        return self.k\n\n    def set(self, k):\n        self.k = k\n", "A.f", "which line 12 changes later"),
    "a method that it calls changes its object": (CLASS.replace("return self.k * x", "self.keep(x)\n        return x") + "\n    def keep(self, x):\n        self.last = x\n", "A.f", "writes `self.last`"),
    "its base changes what it reads": ("class B:\n    def set(self, k):\n        self.k = k\n\n\n" + CLASS.replace("A:", "A(B):"), "A.f", "which line 3 changes later"),
    "other code changes what it reads": (CLASS + "\n\ndef main(a):\n    a.k = 2\n", "A.f", "which line 10 changes later"),
    "objects without a hash": ("@dataclass\n" + CLASS, "A.f", "cannot be hashed"),
    "a generator": ("def f(x):\n    yield x\n", "f", "is a generator"),
    "a coroutine": ("async def f(x):\n    return x\n", "f", "is a generator or a coroutine"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "name", "expected"), OBSTACLES.values(), ids=OBSTACLES)
def test_what_cannot_be_jitted_is_said(text: str, name: str, expected: str) -> None:
    function, owner = found(ast.parse(text), JitTarget(Path("m.py"), name))
    site = jitted(text, function, owner)
    assert expected in site.obstacle
    assert site.text == text


def test_a_frozen_dataclass_has_a_hash() -> None:
    text = "@dataclass(frozen=True)\n" + CLASS
    function, owner = found(ast.parse(text), JitTarget(Path("m.py"), "A.f"))
    assert not jitted(text, function, owner).obstacle


def test_targets_are_files_functions_and_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    inner = tmp_path / "src" / "pack" / "model.py"
    inner.parent.mkdir(parents=True)
    inner.write_text(PLAIN)
    there = Path("src/pack/model.py")
    assert target("src/pack/model.py::A.f", tmp_path) == JitTarget(there, "A.f")
    assert target("src/pack/model.py", tmp_path) == JitTarget(there, None)
    assert target("pack.model:f", tmp_path) == JitTarget(there, "f")


@pytest.mark.parametrize("text", ["absent.py::f", "absent.py", "absent.module:f", "."], ids=str)
def test_a_target_that_is_not_there_is_an_error_that_says_so(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"no such|is a folder"):
        target(text, tmp_path)


def test_a_method_is_suggested_where_the_class_was_left_out() -> None:
    with pytest.raises(UsageError, match=r"did you mean `A\.f`"):
        found(ast.parse(CLASS), JitTarget(Path("m.py"), "f"))
    assert [name for name, _, _ in functions(ast.parse(CLASS))] == ["A.__init__", "A.f"]


PRINTED = {
    "values": ('print("x", x, 2 * x)', 'jax.debug.print("x {} {}", x, 2 * x)'),
    "a text with formats": ('print(f"x = {x:.2f}, \\"{x}\\"")', 'jax.debug.print("x = {:.2f}, \\"{}\\"", x, x)'),
    "a text": ('print("done")', 'jax.debug.print("done")'),
    "several lines": ("print(\n        x,\n    )", 'jax.debug.print("{}", x)'),
    "another end": ('print(x, end="")', None),
    "a representation": ('print(f"{x!r}")', None),
    "braces": ('print("{x}", x)', None),
    "what is unpacked": ("print(*x)", None),
}


@pytest.mark.parametrize(("old", "new"), PRINTED.values(), ids=PRINTED)
def test_a_print_is_one_of_each_call(old: str, new: str | None) -> None:
    text = f"import jax\n\n\ndef f(x):\n    {old}\n    return x\n"
    _, function = _function(text)
    assert with_debug_prints(text, [function]) == (text if new is None else text.replace(old, new))


@pytest.mark.parametrize("head", ["from rich import print\n", "def g(print):\n    pass\n"])
def test_another_print_is_left(head: str) -> None:
    text = f"{head}def f(x):\n    print(x)\n    return x\n"
    assert with_debug_prints(text, [_function(text)[1]]) == text


ONCE = {
    "a print": ("def f(x):\n    print(x)\n", "prints when it is traced"),
    "random numbers of NumPy": ("import numpy as np\ndef f(x):\n    return x + np.random.normal()\n", "line 3: `np.random.normal` draws"),
    "random numbers by name": ("from random import gauss\ndef f(x):\n    return x + gauss(0, 1)\n", "draws random numbers"),
    "a clock": ("import time\ndef f(x):\n    return x + time.time()\n", "reads a clock"),
    "a log": ("import logging\ndef f(x):\n    logging.info('x')\n    return x\n", "logs when it is traced"),
    "a logger of the module": ("import logging\nlog = logging.getLogger(__name__)\ndef f(x):\n    log.info('x')\n    return x\n", "`log.info` logs"),
    "a generator of the module": ("import numpy as np\nrng = np.random.default_rng(0)\ndef f(x):\n    return x + rng.normal()\n", "`rng.normal` draws"),
    "an argument that is changed": ("def f(p, g):\n    for k in p:\n        p[k] = p[k] - g[k]\n", "line 3: the argument `p` is changed in place"),
    "a list that is filled": ("def f(x, out):\n    out.append(x)\n", "the argument `out` is changed in place"),
    "an object whose attribute is set": ("def f(body, x):\n    body.pos.x = x\n    return x\n", "the argument `body` is changed in place"),
    "a table that another function fills": ("TABLE = {}\ndef f(x):\n    return TABLE['k'] * x\ndef g(k):\n    TABLE['k'] = k\n", "line 3: `TABLE` is changed elsewhere (line 5)"),
    "a count that it keeps": ("COUNT = {'n': 0}\ndef f(x):\n    COUNT['n'] += 1\n    return x\n", "line 3: `COUNT` of the module is changed"),
    "the kind of a number": ("def f(x):\n    return 2 * x if isinstance(x, float) else 3 * x\n", "asks what kind of number `x` is"),
    "a cache": ("from functools import lru_cache\n@lru_cache\ndef f(n):\n    return n\n", "keeps what it computed"),
    "a global that is set": ("K = 1\ndef f(x):\n    return K * x\ndef g():\n    global K\n    K = 2\n", "line 3: `K` is changed elsewhere (line 5)"),
    "a global that it sets": ("K = 1\ndef f(x):\n    global K\n    K = 2\n    return x\n", "line 3: `K` of the module is changed"),
}  # fmt: skip
OFTEN = {
    "random numbers of JAX": "import jax\ndef f(x, key):\n    return x + jax.random.normal(key)\n",
    "a print of JAX": "import jax\ndef f(x):\n    jax.debug.print('{}', x)\n    return x\n",
    "a parameter of that name": "def f(x, print, time):\n    return print(time.time(x))\n",
    "a method of that name": "def f(x, log):\n    return log.open(x)\n",
    "an optimizer": "def f(opt, g, s):\n    u, s = opt.update(g, s)\n    return u, s\n",
    "an array at an index": "def f(x, v):\n    x = x.at[0].set(v)\n    return x\n",
    "a list of its own": "def f(x):\n    out = []\n    out.append(x)\n    return out\n",
    "a copy": "def f(p):\n    p = dict(p)\n    p['k'] = 1\n    return p\n",
    "an array that is asked for": "def f(x):\n    return x if isinstance(x, jax.Array) else jnp.asarray(x)\n",
    "a table that nothing changes": "TABLE = {'k': 1}\ndef f(x):\n    return TABLE['k'] * x\n",
    "a constant": "K = 1\ndef f(x):\n    return K * x\n",
}


def _function(text: str) -> tuple[ast.Module, ast.FunctionDef]:
    tree = ast.parse(text)
    return tree, next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "f")


@pytest.mark.parametrize(("text", "expected"), ONCE.values(), ids=ONCE)
def test_what_a_trace_does_once_is_in_the_way(text: str, expected: str) -> None:
    tree, function = _function(text)
    said = [f"line {line}: {what}" for line, what in once_only(tree, [function])]
    assert any(expected in line for line in said), said


@pytest.mark.parametrize("text", OFTEN.values(), ids=OFTEN)
def test_what_each_call_does_is_not(text: str) -> None:
    tree, function = _function(text)
    assert list(once_only(tree, [function])) == []
