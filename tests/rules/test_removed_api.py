"""What JAX has no more: found under whatever name it is imported, told once, silent where another version is meant."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import jax
import pytest

from scanlint.jaxapi.removed import REMOVED
from scanlint.project.removed_names import removed_uses

Scanlint = Callable[..., subprocess.CompletedProcess[str]]
NEW_ENOUGH = tuple(map(int, jax.__version__.split(".")[:2])) >= (0, 10)


def is_there(name: str) -> bool:
    """A module or an attribute of one."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        try:
            for part in parts[count:]:
                found = getattr(found, part)
        except AttributeError:
            return False
        return True
    return False


@pytest.mark.skipif(not NEW_ENOUGH, reason="an older JAX has some of them")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REMOVED)
def test_the_table_is_true(name: str) -> None:
    assert not is_there(name)
    for meant in re.findall(r"`(jax\.[\w.]+)`", REMOVED[name]):
        assert is_there(meant), meant


USES = {
    "an attribute": ("import jax\nx = jax.tree_map(f, t)\n", ["jax.tree_map"]),
    "what Flax had": ("import flax\nfrom flax import nn\nx = flax.optim.Adam()\n", ["flax.nn", "flax.optim"]),
    "another name of the module": ("import jax.numpy as jnp\nx = jnp.Inf\n", ["jax.numpy.Inf"]),
    "a module from a package": ("from jax import ops\nops.index_update(x, 0, y)\n", ["jax.ops.index_update"]),
    "a function that is imported": ("from jax import tree_multimap as tm\ntm(f, a, b)\n", ["jax.tree_multimap"]),
    "a module with what it holds": ("from jax.experimental.stax import Dense\n", ["jax.experimental.stax"]),
    "a module under a name": (
        "import jax.experimental.optimizers as opt\nopt.adam(1)\n",
        ["jax.experimental.optimizers"],
    ),
    "the module of the configuration": (
        "from jax.config import config\nconfig.update('a', 1)\n",
        ["jax.config.config"],
    ),
    "an import of that module": ("import jax.config\n", ["jax.config.config"]),
    "in a function": ("def f(t):\n    import jax\n    return jax.tree_leaves(t)\n", ["jax.tree_leaves"]),
    "an annotation": ("import jax\ndef f(k: jax.random.KeyArray): ...\n", ["jax.random.KeyArray"]),
    "a module of jaxlib": ("from jaxlib.xla_extension import ArrayImpl\n", ["jaxlib.xla_extension"]),
    "keywords of a call": (
        "import jax.numpy as jnp\njnp.clip(x, a_min=0, a_max=1)\njnp.clip(x, a_max=1)\n",
        ["jax.numpy.clip(a_min=)", "jax.numpy.clip(a_max=)"],
    ),
    "several uses": ("import jax\njax.tree_map(f, t)\njax.tree_map(g, t)\n", ["jax.tree_map", "jax.tree_map"]),
}
SILENT = {
    "keywords of NumPy": "import numpy as np\nimport jax\nnp.clip(x, a_min=0, a_max=1)\n",
    "what is there": "import jax\njax.tree_util.tree_map(f, t)\njax.config.update('a', 1)\n",
    "a guarded import": "try:\n    from jax.config import config\nexcept ImportError:\n    from jax import config\n",
    "a guarded use": "import jax\nt = jax.tree_map if hasattr(jax, 'tree_map') else jax.tree.map\n",
    "another version": "import jax\nif jax.__version__ < '0.4.26':\n    f = jax.tree_map\n",
    "an annotation that is put off": (
        "from __future__ import annotations\nimport jax\ndef f(k: jax.random.KeyArray) -> jax.random.KeyArray: ...\n"
    ),
    "another module of this name": "from mine import ops\nops.index_update(x, 0, y)\n",
    "a name that is bound anew": "from jax import ops\nops = mine()\nops.index_update(x, 0, y)\n",
    "an argument of this name": "import jax\ndef f(jax):\n    return jax.tree_map\n",
    "a text": "import jax\n'jax.tree_map'\n",
    "a relative import": "import jax\nfrom .jax import tree_map\ntree_map(f, t)\n",
}


@pytest.mark.parametrize("name", USES)
def test_a_use_is_found(name: str) -> None:
    text, wanted = USES[name]
    assert [use[0] for use in removed_uses(ast.parse(text), text)] == wanted


@pytest.mark.parametrize("name", SILENT)
def test_what_is_no_use_is_not(name: str) -> None:
    assert removed_uses(ast.parse(SILENT[name]), SILENT[name]) == ()


def test_each_name_is_told_once_with_its_other_lines(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "a.py").write_text(
        "import jax\n\n\ndef f(t):\n    é = jax.tree_map(abs, t)\n    return jax.tree_map(abs, é)\n"
    )
    (found,) = json.loads(run("--output-format", "json", "a.py").stdout)["findings"]
    assert (found["line"], found["column"], found["end_column"]) == (5, 9, 21)
    assert found["message"] == "JAX has no `jax.tree_map` any more, also on line 6"
    assert found["fix"]["reason_code"] == "removed-name"
    assert run("--ignore", "removed-api", "a.py").returncode == 0


def test_an_ignore_comment_counts(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "a.py").write_text("import jax\nf = jax.tree_map  # scanlint: ignore[removed-api] pinned\n")
    assert run("a.py").returncode == 0


def test_what_goes_by_another_name_now_is_known_by_it(tmp_path: Path, run: Scanlint) -> None:
    loop = "    for _ in range(n):\n        x = 0.5 * x + 1.0\n    return x\n"
    jitted = f"@partial(jit, static_argnums=1)\ndef f(x, n):\n{loop}\n\nprint(f(1.0, 90))\n"
    (tmp_path / "a.py").write_text(f"from jax import jit, partial\n\n\n{jitted}")
    found = json.loads(run("--output-format", "json", "a.py").stdout)["findings"]
    assert [one["code"] for one in found] == ["SCN411", "SCN101"]
