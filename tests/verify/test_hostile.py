"""Whatever the code under test does, the run goes on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scanlint.verify.verifier import Verifier

GOOD = "def f(x):\n    for _ in range(20):\n        x = jnp.sin(x)\n    return x\n"
ROLLED = "def f(x):\n    return lax.fori_loop(0, 20, lambda _, x: jnp.sin(x), x)\n"

HOSTILE = {
    "loops forever when loaded": "while True:\n    y = 1\ndef f(x):\n    return x + y\n",
    "exits when loaded": "import sys\ny = sys.exit(3)\ndef f(x):\n    return x + y\n",
    "exits when called": "import sys\ndef f(x):\n    sys.exit(3)\n",
    "ends the process": "import os\ndef f(x):\n    os._exit(0)\n",
    "ends the process when loaded": "import os\ny = os._exit(5)\ndef f(x):\n    return x + y\n",
    "crashes": "import ctypes\ndef f(x):\n    ctypes.string_at(0)\n    return x\n",
    "eats memory": "import numpy as np\ndef f(x):\n    return x + len([np.ones(2**28) for _ in range(200)])\n",
    "closes everything": "import os\ny = os.closerange(0, 200)\ndef f(x):\n    os._exit(0)\n",
    "kills its parent": "import os, signal\ny = os.kill(os.getppid(), signal.SIGKILL)\ndef f(x):\n    return x + bool(y)\n",
    "forks": "import os\ny = os.fork()\ndef f(x):\n    return x + bool(y)\n",
    "calls out": "import subprocess\ny = subprocess.run(['true'])\ndef f(x):\n    return x + bool(y)\n",
    "connects": "import socket\ny = socket.create_connection(('localhost', 1))\ndef f(x):\n    return x + bool(y)\n",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_code_is_unknown_and_the_next_task_still_works(judge, text: str) -> None:
    with Verifier(sys.executable, timeout=8.0) as verifier:
        found = judge(text, text, using=verifier)
        assert found.verdict == "unknown", found
        assert found.reason
        assert judge(GOOD, ROLLED, using=verifier).verdict == "proved"


def test_writing_into_the_tree_is_refused(judge, tmp_path: Path) -> None:
    target = tmp_path / "written"
    text = f"def f(x):\n    open({str(target)!r}, 'w').write('x')\n    return x\n"
    found = judge(text, text)
    assert found.verdict == "unknown"
    assert not target.exists()
    assert any("refused" in note for note in found.notes)


def test_removing_files_is_refused(judge, tmp_path: Path) -> None:
    target = tmp_path / "kept"
    target.write_text("kept")
    text = f"import os\ndef f(x):\n    os.remove({str(target)!r})\n    return x\n"
    assert judge(text, text).verdict == "unknown"
    assert target.read_text() == "kept"


def test_megabytes_of_prints_do_not_break_the_pipe(judge) -> None:
    noise = "import sys, os\ndef noise():\n    print('x' * 3_000_000)\n    os.write(1, b'{}\\n' * 100_000)\n    os.write(2, b'y' * 1_000_000)\n"
    old = noise + "def f(x):\n    noise()\n    for _ in range(20):\n        x = jnp.sin(x)\n    return x\n"
    new = noise + "def f(x):\n    noise()\n    return lax.fori_loop(0, 20, lambda _, x: jnp.sin(x), x)\n"
    assert judge(old, new).verdict == "proved"


def test_training_at_module_level_is_not_started(judge, tmp_path: Path) -> None:
    training = "import time\n\ntime.sleep(1000)\nfor epoch in range(10**9):\n    loss = epoch\nprint(f(jnp.ones(3)))\n"
    assert judge(GOOD + training, ROLLED + training).verdict == "proved"


def test_an_import_that_fails_is_left_out_when_it_is_not_needed(judge) -> None:
    missing = "import a_module_that_does_not_exist\nfrom another_one import nothing\n"
    assert judge(missing + GOOD, missing + ROLLED).verdict == "proved"


def test_relative_imports_and_neighbours_work(verifier: Verifier, tmp_path: Path) -> None:
    from scanlint.verify.verifier import Task

    package = tmp_path / "src" / "pkg" / "inner"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package.parent / "helper.py").write_text("import jax.numpy as jnp\ndef g(x):\n    return jnp.sin(x)\n")
    head = "from jax import lax\nfrom ..helper import g\nfrom pkg.helper import g as h\n"
    old = head + "def f(x):\n    for _ in range(20):\n        x = g(x) + h(x)\n    return x\n"
    new = head + "def f(x):\n    return lax.fori_loop(0, 20, lambda _, x: g(x) + h(x), x)\n"
    file = package / "module.py"
    task = Task(path="module.py", function="f", old=old, new=new, root=str(tmp_path), file=str(file))
    found = verifier.verify(task)
    assert found.verdict == "proved", found
