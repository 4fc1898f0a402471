"""What can be loaded of a project whose other parts do not fit the interpreter that verifies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from scanlint.finding import Verification
from scanlint.verify.verifier import Task, Verifier
from scanlint.verify.worker.runtime.dataclass_defaults import NOTE
from scanlint.verify.worker.session.serve import older

OLD = """
import jax
import jax.numpy as jnp
{imports}

def f(x{note}):
    for i in range(6):
        x = x * 1.5 + i
    return x
"""
LOOP = "    for i in range(6):\n        x = x * 1.5 + i\n    return x\n"
ROLLED = "    return jax.lax.fori_loop(0, 6, lambda i, x: x * 1.5 + i, x)\n"


def judged(verifier: Verifier, file: Path, root: Path, old: str) -> Verification:
    assert LOOP in old
    new = old.replace(LOOP, ROLLED)
    return verifier.verify(Task(path=file.name, function="f", old=old, new=new, root=str(root), file=str(file)))


def test_a_package_that_misses_a_dependency_is_left_out(verifier: Verifier, tmp_path: Path) -> None:
    package = tmp_path / "tides"
    package.mkdir()
    (package / "__init__.py").write_text("import a_package_that_is_not_there\n")
    (package / "constants.py").write_text("SCALE = 1.5\n")
    old = OLD.format(imports="from tides.constants import SCALE", note="").replace("1.5", "SCALE")
    new = old.replace("    for i in range(6):\n        x = x * SCALE + i\n    return x\n", ROLLED)
    file = package / "waves.py"
    file.write_text(old)
    verdict = verifier.verify(
        Task(path="tides/waves.py", function="f", old=old, new=new, root=str(tmp_path), file=str(file))
    )
    assert verdict.verdict in ("proved", "tested"), verdict
    assert any("`tides` does not import (No module named" in note for note in verdict.notes)


def test_a_folder_without_an_init_file_is_a_package_where_it_imports_from_above(
    verifier: Verifier, tmp_path: Path
) -> None:
    folder = tmp_path / "src" / "tides" / "older"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("")
    (folder.parent / "constants.py").write_text("SCALE = 1.5\n")
    old = OLD.format(imports="from ..constants import SCALE", note="").replace("1.5", "SCALE")
    new = old.replace(LOOP.replace("1.5", "SCALE"), ROLLED.replace("1.5", "SCALE"))
    file = folder / "waves.py"
    file.write_text(old)
    verdict = verifier.verify(Task(path=file.name, function="f", old=old, new=new, root=str(tmp_path), file=str(file)))
    assert verdict.verdict == "proved", verdict


def test_what_another_module_needs_of_an_older_jax_is_told(verifier: Verifier, tmp_path: Path) -> None:
    (tmp_path / "keys.py").write_text(
        "import jax\nKey = jax.random.AKindOfKeyThatIsGone\n\ndef scaled(x):\n    return x\n"
    )
    verdict = judged(
        verifier, tmp_path / "waves.py", tmp_path, OLD.format(imports="from keys import Key", note=": Key")
    )
    assert verdict.verdict == "unknown"
    assert "is not the one that this code is written for" in (verdict.reason or "")


HOSTILE = """
class Model:
    def __init__(self):
        self.__dict__["scale"] = 1.5
    def __getattr__(self, name):
        return self.__dict__[name]
    def __call__(self, x):
        return x * self.scale

model = Model()
"""


def test_objects_that_raise_other_errors_for_what_they_lack_are_compared(verifier: Verifier, tmp_path: Path) -> None:
    old = OLD.format(imports=HOSTILE, note=", m") + "\n\ndef main():\n    return f(jnp.ones(3), model)\n"
    old, new = old.replace("x * 1.5", "m(x)"), old.replace(LOOP, ROLLED).replace("x * 1.5", "m(x)")
    file = tmp_path / "waves.py"
    verdict = verifier.verify(Task(path=file.name, function="f", old=old, new=new, root=str(tmp_path), file=str(file)))
    assert verdict.verdict in ("proved", "tested"), verdict


def test_annotations_that_name_what_the_library_no_longer_has_are_not_read(verifier: Verifier, tmp_path: Path) -> None:
    old = OLD.format(imports="", note=": jax.random.AKindOfKeyThatIsGone = 1.0")
    verdict = judged(verifier, tmp_path / "keys.py", tmp_path, old)
    assert verdict.verdict in ("proved", "tested"), verdict


def test_a_name_that_could_not_be_imported_is_told_of(verifier: Verifier, tmp_path: Path) -> None:
    old = OLD.format(imports="from a_package_that_is_not_there import marked\n\n@marked", note="")
    verdict = judged(verifier, tmp_path / "marks.py", tmp_path, old.replace("@marked\n\n", "@marked\n"))
    assert verdict.verdict == "unknown"
    assert "`a_package_that_is_not_there` is not installed where the code is run" in (verdict.reason or "")


def test_modules_that_need_a_package_that_is_not_installed_are_loaded_without_it(
    verifier: Verifier, tmp_path: Path
) -> None:
    (tmp_path / "worlds.py").write_text(
        "import abc\n"
        "import nowhere_to_be_had.spaces as spaces\n"
        "from nowhere_to_be_had import Env, register\n"
        "BOX = spaces.Box(0, 1)[0]\n"
        "class World(Env, abc.ABC):\n    space: spaces.Box | None = None\n"
        "register('world', World)\n"
        "SCALE = 1.5\n"
    )
    imports = "from worlds import BOX, SCALE, World\n\nclass Own(World):\n    pass\n"
    old = OLD.format(imports=imports, note="").replace("x * 1.5", "x * SCALE")
    file = tmp_path / "waves.py"
    new = old.replace(LOOP.replace("1.5", "SCALE"), ROLLED.replace("1.5", "SCALE"))
    verdict = verifier.verify(Task(path=file.name, function="f", old=old, new=new, root=str(tmp_path), file=str(file)))
    assert verdict.verdict == "proved", verdict
    assert "`nowhere_to_be_had` is not installed where the code was run" in verdict.notes
    old, new = (text.replace("    return ", "    x = BOX(x)\n    return ") for text in (old, new))
    verdict = verifier.verify(Task(path=file.name, function="f", old=old, new=new, root=str(tmp_path), file=str(file)))
    assert verdict.verdict == "unknown", verdict
    assert "`nowhere_to_be_had` is not installed where the code is run" in (verdict.reason or "")


STANDING = """import jax
import jax.numpy as jnp
from nowhere_to_be_had import Module, register


class Model(Module):
    scale: float


@register
class Layer:
    def f(self, x, parts):
        for _ in range(20):
            x = x * parts.scale
        return x


@jax.jit
def f(x, parts):
    for _ in range(20):
        x = x * parts["scale"].gain
    return x
"""


@pytest.mark.parametrize(("name", "told"), [("f", None), ("Layer.f", "`nowhere_to_be_had` is not installed")])
def test_classes_made_of_what_is_not_installed_are_no_internal_error(
    verifier: Verifier, tmp_path: Path, name: str, told: str | None
) -> None:
    file = tmp_path / "layers.py"
    new = STANDING.replace("x * parts.scale", "parts.scale * x").replace(
        'x * parts["scale"].gain', 'parts["scale"].gain * x'
    )
    task = Task(path=file.name, function=name, old=STANDING, new=new, root=str(tmp_path), file=str(file))
    verdict = verifier.verify(task)
    if told is None:
        assert verdict.verdict in ("proved", "tested"), verdict
    else:
        assert verdict.verdict == "unknown" and (verdict.reason or "").startswith(told), verdict


WORLD = """import dataclasses
from typing import ClassVar

import jax
import jax.numpy as jnp


@dataclasses.dataclass(frozen=True)
class World:
    board: jax.Array = jnp.zeros((2, 9), jnp.int32)
    past: jax.Array = jnp.zeros((800, 800))
    turn: jax.Array = jnp.int32(0)
    start: ClassVar[jax.Array] = jnp.zeros(9)
    table = jnp.arange(4)


jax.tree_util.register_dataclass(World, data_fields=["board", "past", "turn"], meta_fields=[])


def f(world: World):
    total = world.past[0, 0] + World.start[0] + world.table[1]
    for i in range(9):
        total = total + world.board[world.turn, i]
    return total
"""


def test_arrays_as_defaults_of_fields_are_allowed_and_tell_the_shapes(verifier: Verifier, tmp_path: Path) -> None:
    loop, rolled = "    for i in range(9):\n        total =", "    return jax.lax.fori_loop(0, 9, lambda i, total:"
    new = WORLD.replace(loop, rolled).replace("i]\n    return total", "i], total)")
    file = tmp_path / "world.py"
    task = Task(path=file.name, function="f", old=WORLD, new=new, root=str(tmp_path), file=str(file))
    verdict = verifier.verify(task)
    assert verdict.verdict == "proved", verdict
    assert NOTE in verdict.notes
    wrong = verifier.verify(replace(task, new=new.replace("(0, 9,", "(0, 8,")))
    assert wrong.verdict == "refuted", wrong


TABLE = """
import jax
import jax.numpy as jnp
{table}

{register}

@{decorator}("halved")
def halved(x):
    return 0.5 * x

def f(x):
    for i in range(20):
        x = {table_name}["halved"](x) + i
    return x
"""
REGISTER = """
def register(name):
    def wrap(function):
        RULES[name] = function
        return function
    return wrap
"""
REGISTRY = """
class Registry(dict):
    def add(self, name):
        return lambda function: self.setdefault(name, function)

RULES = Registry()
"""


@pytest.mark.parametrize(
    "old",
    [
        pytest.param(
            TABLE.format(table="RULES = {}", register=REGISTER, decorator="register", table_name="RULES"),
            id="a function puts it there",
        ),
        pytest.param(
            TABLE.format(table="", register=REGISTRY, decorator="RULES.add", table_name="RULES"),
            id="a method puts it there",
        ),
    ],
)
def test_a_table_that_decorators_fill_is_filled_in_both_versions(verifier: Verifier, tmp_path: Path, old: str) -> None:
    loop = '    for i in range(20):\n        x = RULES["halved"](x) + i\n    return x\n'
    new = old.replace(loop, '    return jax.lax.fori_loop(0, 20, lambda i, x: RULES["halved"](x) + i, x)\n')
    file = tmp_path / "rules.py"
    verdict = verifier.verify(Task(path=file.name, function="f", old=old, new=new, root=str(tmp_path), file=str(file)))
    assert verdict.verdict in ("proved", "tested"), verdict


def test_what_is_used_of_a_package_that_is_not_installed_is_named(verifier: Verifier, tmp_path: Path) -> None:
    old = OLD.format(imports="import a_package_that_is_not_there as absent\nGAIN = absent.core.gain * 2", note="")
    file = tmp_path / "module.py"
    assert judged(verifier, file, tmp_path, old).verdict in ("proved", "tested")
    used = old.replace("x * 1.5", "x * absent.core.gain")
    new = used.replace(LOOP.replace("x * 1.5", "x * absent.core.gain"), ROLLED.replace("x * 1.5", "x * GAIN"))
    found = verifier.verify(Task(path=file.name, function="f", old=used, new=new, root=str(tmp_path), file=str(file)))
    assert found.verdict == "unknown"
    assert "`a_package_that_is_not_there` is not installed" in (found.reason or "")
    assert "`a_package_that_is_not_there.core`" in (found.reason or "")


def test_a_name_that_jax_has_no_more_is_told_with_the_jax_that_is_run(verifier: Verifier, tmp_path: Path) -> None:
    old = OLD.format(imports="", note="").replace("x * 1.5 + i", "jax.a_removed_name(x) + i")
    new = old.replace(LOOP.replace("x * 1.5 + i", "jax.a_removed_name(x) + i"), ROLLED)
    file = tmp_path / "module.py"
    found = verifier.verify(Task(path=file.name, function="f", old=old, new=new, root=str(tmp_path), file=str(file)))
    assert found.verdict == "unknown"
    assert "`jax.a_removed_name` is of another JAX" in (found.reason or "")


@pytest.mark.parametrize(
    ("version", "old"), [("0.4.34", True), ("0.4.35", False), ("0.5.0.dev20", False), ("0.10.2", False)]
)
def test_a_jax_that_is_too_old_is_known_by_its_version(version: str, old: bool) -> None:
    assert older(version) is old


def test_other_files_are_imported_as_they_will_be_written(verifier: Verifier, tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text("def halved(x):\n    if x > 0:\n        return 0.5 * x\n    return x\n")
    changed = "import jax.numpy as jnp\n\ndef halved(x):\n    return jnp.where(x > 0, 0.5 * x, x)\n"
    old = OLD.format(imports="from rules import halved", note="").replace("x * 1.5", "halved(x)")
    new = old.replace(LOOP.replace("x * 1.5", "halved(x)"), ROLLED.replace("x * 1.5", "halved(x)"))
    file = tmp_path / "module.py"
    task = Task(path=file.name, function="f", old=old, new=new, root=str(tmp_path), file=str(file))
    assert "other places" in (verifier.verify(task).reason or "")
    found = verifier.verify(replace(task, changed={str(tmp_path / "rules.py"): changed}))
    assert found.verdict in ("proved", "tested"), found


SCRIPT = "import subprocess\n{}\n\ndef main():\n    import shutil\n    start = started()\n    shown(f(start))\n"
OTHERS = "def started():\n    subprocess.run(['fc-list'])\n    return jnp.ones(3)\n\ndef shown(x):\n    subprocess.run(['fc-list'])\n"


def test_what_a_caller_does_is_no_effect_of_the_function(verifier: Verifier, tmp_path: Path) -> None:
    old = SCRIPT.format(OLD.format(imports="", note="")) + OTHERS
    verdict = judged(verifier, tmp_path / "waves.py", tmp_path, old)
    assert verdict.verdict == "proved", verdict


def test_what_the_function_does_beside_its_result_is(verifier: Verifier, tmp_path: Path) -> None:
    old = SCRIPT.format(OLD.format(imports="", note="").replace("    for i", "    shown(x)\n    for i")) + OTHERS
    verdict = judged(verifier, tmp_path / "waves.py", tmp_path, old)
    assert verdict.verdict == "unknown", verdict


def test_a_call_of_the_function_that_fails_is_left_out(verifier: Verifier, tmp_path: Path) -> None:
    old = OLD.format(imports="start = 2.0", note="") + "\nfor start in [1.0, 'text']:\n    f(start)\n"
    old = old.replace("return x", "return x * start")
    new = old.replace(LOOP.replace("return x", "return x * start"), ROLLED.replace("i, x)\n", "i, x) * start\n"))
    file = tmp_path / "waves.py"
    verdict = verifier.verify(Task(path=file.name, function="f", old=old, new=new, root=str(tmp_path), file=str(file)))
    assert any("which calls `f`, was left out: TypeError" in note for note in verdict.notes), verdict


def test_an_annotation_that_lists_its_values_is_taken_at_its_word(verifier: Verifier, tmp_path: Path) -> None:
    old = OLD.format(imports="from typing import Literal", note=", width: Literal[7, 9, 11] = 7")
    body = "    table = {7: 1.0, 9: 2.0, 11: 3.0}\n    x = x * table[width]\n"
    old = old.replace("    for i", f"{body}    for i")
    verdict = judged(verifier, tmp_path / "waves.py", tmp_path, old)
    assert verdict.verdict in ("proved", "tested"), verdict
    new = old.replace(LOOP, ROLLED).replace("11: 3.0", "11: 4.0")
    file = tmp_path / "waves.py"
    wrong = verifier.verify(Task(path=file.name, function="f", old=old, new=new, root=str(tmp_path), file=str(file)))
    assert wrong.verdict == "refuted", wrong


MADE = "import nowhere_to_be_had.linen as nn\n\nclass MLP(nn.Module):\n    hidden: int\n\nmlp = MLP(hidden=40)\n"


@pytest.mark.parametrize(
    ("step", "told"), [("x * 1.5", None), ("mlp.apply(x)", "`nowhere_to_be_had` is not installed")]
)
def test_a_class_whose_fields_a_missing_package_fills_can_be_made_at_the_top_of_a_file(
    verifier: Verifier, tmp_path: Path, step: str, told: str | None
) -> None:
    old = OLD.format(imports=MADE, note="").replace("x * 1.5", step)
    new = old.replace(LOOP.replace("x * 1.5", step), ROLLED.replace("x * 1.5", step))
    file = tmp_path / "model.py"
    found = verifier.verify(Task(path=file.name, function="f", old=old, new=new, root=str(tmp_path), file=str(file)))
    assert found.verdict == ("unknown" if told else "proved"), found
    assert (told or "") in (found.reason or "")


def test_a_function_that_needs_a_missing_package_is_told_to_install_it(verifier: Verifier, tmp_path: Path) -> None:
    old = OLD.format(imports="import nowhere_to_be_had as absent", note="").replace("x * 1.5", "absent.scaled(x)")
    new = old.replace("    for i in range(6):\n        x =", "    for i in range(6):\n        x = 1.0 *")
    file = tmp_path / "model.py"
    found = verifier.verify(Task(path=file.name, function="f", old=old, new=new, root=str(tmp_path), file=str(file)))
    assert found.verdict == "unknown"
    assert found.reason == (
        "`nowhere_to_be_had` is not installed where the code is run: the code uses `nowhere_to_be_had.scaled` at line 8; "
        "install it, or name the interpreter with `--python`"
    )
