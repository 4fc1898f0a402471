"""`scanlint verify --since`: what differs from a revision of a real repository, and what comes of it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from scanlint.cli import group
from scanlint.command.config import Overrides, load
from scanlint.errors import UsageError
from scanlint.history.since import Since
from scanlint.verify.verifier import Verifier

pytestmark = pytest.mark.long
Scanlint = Callable[..., subprocess.CompletedProcess[str]]
Record = dict[str, Any]

HEAD = "import jax\nimport jax.numpy as jnp\n\n\n"
ROLLOUT = '''def rollout(x, thrusts):
    """Heights of a ball."""
    heights = []
    for thrust in thrusts:
        x = x + 0.1 * (thrust - jnp.sin(x))
        heights.append(x)
    return jnp.stack(heights)
'''
SCANNED = '''def rollout(x, thrusts):
    """Heights of a ball, scanned."""

    def step(x, thrust):
        x = x + 0.1 * (thrust - jnp.sin(x))
        return x, x

    return jax.lax.scan(step, x, thrusts)[1]
'''
DECAY = "def decay(x):\n    for _ in range(12):\n        x = 0.9 * jnp.tanh(x) + 0.1\n    return x\n"
ROLLED = "def decay(x):\n    return jax.lax.fori_loop(0, 11, lambda _, x: 0.9 * jnp.tanh(x) + 0.1, x)\n"
ENERGY = "def energy(v, m):\n    total = 0.0\n    for i in range(3):\n        total = total + m * v[i] ** 2 / 2\n    return total\n"
NORM = "def norm(x):\n    scale = jnp.max(jnp.abs(x)) + 1.0\n    return scale * jnp.sqrt(jnp.sum((x / scale) ** 2))\n"

OLD = {
    "src/sim.py": f"{HEAD}{ROLLOUT}\n\n{DECAY}\n\ndef same(x):\n    return x * 2.0\n",
    "src/lib/__init__.py": "",
    "src/lib/force.py": f"{HEAD}GAIN = 2.0\n\n\ndef force(x):\n    return GAIN * jnp.sin(x)\n\n\ndef damp(x):\n    return 0.5 * x\n",
    "src/use.py": f"{HEAD}from lib.force import damp, force\n\n\ndef drive(x):\n    return x + force(x)\n\n\ndef calm(x):\n    return x - damp(x)\n",
    "src/names.py": f"{HEAD}{ENERGY}\n\ndef gone(x):\n    return x[::-1]\n\n\n{NORM}",
    "a folder/model.py": f"{HEAD}class Model:\n    def __init__(self, w):\n        self.w = w\n\n    def step(self, x):\n        for _ in range(4):\n            x = jnp.tanh(self.w * x)\n        return x\n\n    def loss(self, x):\n        return jnp.sum(self.step(x))\n",
    "tests/test_sim.py": "def test_nothing():\n    assert 1\n",
}
STEP = "        return jax.lax.fori_loop(0, 4, lambda _, x: jnp.tanh(self.w * x), x)\n"
NEW = {
    "src/sim.py": f"{HEAD}# scanned\n{SCANNED}\n\n{ROLLED}\n\ndef same(x):\n    # a comment\n    return x * 2.0\n",
    "src/lib/force.py": OLD["src/lib/force.py"].replace("GAIN * jnp.sin(x)", "GAIN * jnp.cos(x)"),
    "src/names.py": f"{HEAD}{ENERGY.replace('energy', 'kinetic_energy')}",
    "src/moved.py": f"{HEAD}{NORM}\n\ndef fresh(x, y):\n    return jnp.outer(x, y)\n",
    "a folder/model.py": OLD["a folder/model.py"].replace(
        "        for _ in range(4):\n            x = jnp.tanh(self.w * x)\n        return x\n", STEP
    ),
    "tests/test_sim.py": "def test_nothing():\n    assert 2\n",
}


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    return subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def repository(folder: Path, files: Mapping[str, str]) -> Path:
    """A repository of one commit."""
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q")
    write(folder, files)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "old")
    return folder


def verify(folder: Path, *words: str) -> tuple[int, str]:
    """What the command gives and prints when it is run in a folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        apart = {} if "mix_stderr" not in signature(CliRunner).parameters else {"mix_stderr": False}  # click 8.1
        done = CliRunner(**apart).invoke(group, ["verify", *words], standalone_mode=False)
    finally:
        os.chdir(before)
    if done.exception is not None:
        raise done.exception
    return int(done.return_value), done.stdout


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Record]:
    """One run on a tree with all kinds of differences, some of them staged, some not, one file untracked."""
    folder = repository(tmp_path_factory.mktemp("tree") / "my project", OLD)
    write(folder, NEW)
    git(folder, "add", "src/sim.py", "src/lib/force.py")
    code, text = verify(folder, "--since", "HEAD", "--output-format", "json", "--verify-timeout", "120")
    return code, json.loads(text)


def function(document: Record, name: str) -> Record:
    (found,) = [one for one in document["functions"] if one["function"] == name]
    return dict(found)


VERDICTS = {
    "a loop that became a scan": ("rollout", "changed", ("proved", "tested")),
    "a loop that became one trip shorter": ("decay", "changed", ("refuted",)),
    "a helper with another function in it": ("force", "changed", ("refuted",)),
    "a caller of it, in another file": ("drive", "reaches", ("refuted",)),
    "a function of another name": ("kinetic_energy", "renamed", ("proved", "tested")),
    "a function of another file": ("norm", "moved", ("proved", "tested")),
    "a method, in a folder with a space": ("Model.step", "changed", ("proved", "tested")),
    "a method that calls it": ("Model.loss", "reaches", ("proved", "tested")),
}


@pytest.mark.parametrize(("name", "change", "verdicts"), VERDICTS.values(), ids=VERDICTS.keys())
def test_a_function_has_its_verdict(
    compared: tuple[int, Record], name: str, change: str, verdicts: tuple[str, ...]
) -> None:
    found = function(compared[1], name)
    assert found["change"] == change
    assert found["verification"]["verdict"] in verdicts, found
    assert (found["verification"]["counterexample"] is not None) is (verdicts == ("refuted",))


@pytest.mark.parametrize(("name", "change"), [("fresh", "new"), ("gone", "removed")])
def test_what_has_no_counterpart_is_told_of(compared: tuple[int, Record], name: str, change: str) -> None:
    found = function(compared[1], name)
    assert (found["change"], found["verification"], found["old"]) == (change, None, None)


def test_nothing_else_differs(compared: tuple[int, Record]) -> None:
    """Neither a comment nor a docstring is a difference, nor is a caller of what is as it was, nor a test."""
    told = {one["function"] for one in compared[1]["functions"]}
    assert told == {name for name, *_ in VERDICTS.values()} | {"fresh", "gone"}
    assert compared[1]["summary"]["test_files_left_out"] == 1


def test_what_is_refuted_decides_the_exit_code(compared: tuple[int, Record]) -> None:
    code, document = compared
    assert code == 1
    counts = document["summary"]
    assert (counts["functions"], counts["refuted"], counts["new"], counts["removed"]) == (10, 3, 1, 1)


def test_a_function_knows_where_it_was(compared: tuple[int, Record]) -> None:
    moved, renamed = function(compared[1], "norm"), function(compared[1], "kinetic_energy")
    assert (moved["path"], moved["old"]["path"], moved["alike"]) == ("src/moved.py", "src/names.py", 1.0)
    assert (renamed["old"]["function"], renamed["old"]["line"]) == ("energy", 5)
    assert function(compared[1], "drive")["reaches"] == ["force"]


def test_those_that_differ_themselves_come_first(compared: tuple[int, Record]) -> None:
    ranks = {"reaches": 1, "new": 2, "removed": 3}
    listed = [ranks.get(one["change"], 0) for one in compared[1]["functions"]]
    assert listed == sorted(listed)


def test_the_text_says_what_the_verdict_rests_on(tmp_path: Path, run: Scanlint) -> None:
    """In a process of its own, under one of its folders."""
    repository(tmp_path, {"src/sim.py": f"{HEAD}{DECAY}"})
    write(tmp_path, {"src/sim.py": f"{HEAD}{ROLLED}"})
    done = run("verify", "--since", "HEAD", "src")
    assert done.returncode == 1, done.stderr
    first, second, *_, last = done.stdout.splitlines()
    assert first.startswith("src/sim.py:5: decay: refuted: the two versions differ")
    assert second.startswith("    counterexample: x = ")
    assert last == f"1 function differs from HEAD ({git(tmp_path, 'rev-parse', 'HEAD')[:7]}): 1 refuted"
    assert "verifying" not in done.stderr  # no terminal, no line


def test_an_old_version_has_all_that_it_imports(tmp_path: Path) -> None:
    """Modules that were deleted, files that git ignores, data beside the code, a package in `src`."""
    folder = repository(
        tmp_path,
        {
            "pyproject.toml": "[project]\nname = 'p'\n",
            ".gitignore": "_version.py\n",
            "src/p/__init__.py": "from p._version import VERSION\n",
            "src/p/old_helper.py": "def scale(x):\n    return 3.0 * x\n",
            "src/p/table.txt": "4.0\n",
            "src/p/use.py": "from pathlib import Path\n\nfrom p.old_helper import scale\n\nSHIFT = float((Path(__file__).parent / 'table.txt').read_text())\n\n\ndef f(x):\n    return scale(x) + SHIFT\n",
        },
    )
    write(folder, {"src/p/_version.py": "VERSION = 1\n", "src/p/new_helper.py": "def scale(x):\n    return x * 3.0\n"})
    (folder / "src/p/old_helper.py").unlink()
    use = folder / "src/p/use.py"
    use.write_text(use.read_text().replace("p.old_helper", "p.new_helper"))
    code, text = verify(folder, "--since", "HEAD", "--output-format", "json")
    document = json.loads(text)
    assert function(document, "scale")["change"] == "moved"
    assert function(document, "f")["verification"]["verdict"] in ("proved", "tested"), document
    assert code == 0


def test_what_is_installed_from_the_repository_has_its_revision_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another project of the repository, which the interpreter finds on its path, as after `pip install -e`."""
    folder = repository(
        tmp_path,
        {
            "one/pyproject.toml": "[tool.scanlint]\n",
            "one/a.py": "import b\n\n\ndef f(x):\n    return b.gain(x) + 1.0\n",
            "two/src/b/__init__.py": "def gain(x):\n    return 2.0 * x\n",
        },
    )
    write(folder, {"two/src/b/__init__.py": "def gain(x):\n    return 3.0 * x\n"})
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder / "two/src"), os.environ.get("PYTHONPATH", "")]))
    code, text = verify(folder / "one", "--since", "HEAD", "--output-format", "concise", ".")
    assert text.startswith("a.py:4: f (reaches `gain`, which changed): refuted")
    assert code == 1


@pytest.mark.parametrize(
    "stage", [(), ("add", "-A"), ("commit", "-qam", "new")], ids=["unstaged", "staged", "committed"]
)
def test_whatever_is_staged_the_work_tree_counts(stage: tuple[str, ...], tmp_path: Path) -> None:
    folder = repository(tmp_path, {"a.py": "def f(x):\n    return x\n"})
    before = git(folder, "rev-parse", "HEAD").strip()
    write(folder, {"a.py": "def f(x):\n    return x\n\n\ndef g(x):\n    return x\n"})
    if stage:
        git(folder, *stage)
    assert verify(folder, "--since", before)[1].startswith("a.py:5: g: new\n")


CLASSES = {
    "a method above it that is not called": ("    def far(self, x):\n        return x + 2\n", ["Base.far"]),
    "a method above it that is called": ("    def near(self, x):\n        return x * 3\n", ["Base.near", "Child.call"]),
    "a value that all methods may read": ("    scale = 2\n", ["Base.__init__", "Base.far", "Base.near", "Child.call", "Child.lone"]),
    "how objects are made": ("    def __init__(self):\n        self.k = 2\n", ["Base.__init__", "Base.far", "Base.near", "Child.call", "Child.lone"]),
}  # fmt: skip


@pytest.mark.parametrize(("new", "told"), CLASSES.values(), ids=CLASSES.keys())
def test_of_a_class_what_a_method_reaches_counts(new: str, told: list[str], tmp_path: Path) -> None:
    """Also through `super()`, and in the classes above it, in another file; `use` makes an object and reaches all."""
    parts = [
        "    scale = 1\n",
        "    def __init__(self):\n        self.k = 1\n",
        "    def far(self, x):\n        return x + 1\n",
        "    def near(self, x):\n        return x * 2\n",
    ]
    changed = [new if part.split("(")[0].split("=")[0] == new.split("(")[0].split("=")[0] else part for part in parts]
    child = "import base\n\n\nclass Child(base.Base):\n    def call(self, x):\n        return super().near(x)\n\n    def lone(self, x):\n        return x\n"
    use = "from child import Child\n\n\ndef use(x):\n    return Child().lone(x)\n"
    folder = repository(
        tmp_path, {"base.py": f"class Base:\n{''.join(parts)}", "child.py": child, "use.py": use, "other.py": "x = 1\n"}
    )
    write(folder, {"base.py": f"class Base:\n{''.join(changed)}"})
    assert sorted(differing(folder)) == sorted([*told, "use"])


REACHED = {
    "a constant": ("g.py", "K = 2.0\n", "K = 3.0\n", "from g import K\n", "K", ["f"]),
    "a constant by its module": ("g.py", "K = 2.0\n", "K = 3.0\n", "import g\n", "g.K", ["f"]),
    "a module of a package": ("p/g.py", "K = 2.0\n", "K = 3.0\n", "from p import g\n", "g.K", ["f"]),
    "a module of a package, whole": ("p/g.py", "K = 2.0\n", "K = 3.0\n", "import p.g\n", "p.g.K", ["f"]),
    "all names of a module": ("g.py", "K = 2.0\n", "K = 3.0\n", "from g import *\n", "K", ["f"]),
    "a table that is filled below": ("g.py", "K = {}\nK['a'] = 1\n", "K = {}\nK['a'] = 2\n", "from g import K\n", "K['a']", ["f"]),
    "what a name is imported from": ("g.py", "from math import sin as h\n", "from math import cos as h\n", "from g import h\n", "h(1.0)", ["f"]),
    "the configuration of JAX": ("f.py", "", "import jax\njax.config.update('jax_enable_x64', True)\n", "", "1", ["f"]),
    "a module that only has such a name": ("g.py", "K = 2.0\n", "K = 3.0\n", "from h import K\n", "K", []),
    "another name of the module": ("g.py", "K = 2.0\nL = 1\n", "K = 2.0\nL = 2\n", "from g import K\n", "K", []),
    "a name of its own": ("g.py", "K = 2.0\n", "K = 3.0\n", "from g import K\n", "(lambda K: K)(1)", []),
}  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "head", "said", "told"), REACHED.values(), ids=REACHED.keys())
def test_what_a_function_reaches_by_name_counts(
    file: str, old: str, new: str, head: str, said: str, told: list[str], tmp_path: Path
) -> None:
    body = f"{head}\n\ndef f(x):\n    return x * {said}\n"
    files = {"p/__init__.py": "", "h.py": "K = 1.0\n", "f.py": body}
    folder = repository(tmp_path, {**files, file: f"{old}{files.get(file, '')}"})
    write(folder, {file: f"{new}{files.get(file, '')}"})
    assert sorted(differing(folder)) == told


def differing(folder: Path) -> list[str]:
    """The names of the functions that differ from the last commit; nothing is run."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        with Since("HEAD", [Path()], load(Path(), None, Overrides())) as since:
            return [change.key.name for change in since.changes]
    finally:
        os.chdir(before)


def test_a_function_that_takes_and_gives_nothing_is_left_out_and_named(tmp_path: Path) -> None:
    folder = repository(tmp_path, {"a.py": "def main():\n    print(1)\n\n\ndef rows():\n    return [1]\n"})
    write(folder, {"a.py": "def main():\n    print(2)\n\n\ndef rows():\n    return [1.0]\n"})
    assert differing(folder) == ["rows"]
    assert "; not compared: `main`, which takes and gives nothing" in verify(folder, "--since", "HEAD")[1]


def test_nothing_that_differs_is_said_and_starts_nothing(tmp_path: Path) -> None:
    folder = repository(tmp_path, {"a.py": "def f(x):\n    return x\n", "b.py": "X = 1\n"})
    write(folder, {"a.py": "# new\ndef f(x):\n    return (x)\n"})
    commit = git(folder, "rev-parse", "HEAD")[:7]
    assert verify(folder, "--since", "HEAD", "--python", "no-such-python") == (
        0,
        f"No function differs from HEAD ({commit})\n",
    )


UNUSABLE = {
    "a revision that is not there": (("--since", "nowhere"), "git knows no revision `nowhere`"),
    "an option of git": (("--since=--output=x",), "none begins with `-`"),
    "a range": (("--since", "main..HEAD"), "is a range"),
    "a file, not a commit": (("--since", "HEAD:a.py"), "git knows no revision `HEAD:a.py`"),
    "nothing": (("--since", ""), "git knows no revision"),
    "a path of neither version": (("--since", "HEAD", "b.py"), "b.py: no such file or directory, neither here nor in"),
    "a function of neither version": (("--since", "HEAD", "-f", "g"), "there is no `g`"),
    "no files and no revision": ((), "give two files"),
    "an option of --since without it": (("a.py", "a.py", "-f", "f", "--strict"), "--strict goes with --since"),
}


@pytest.mark.parametrize(("words", "message"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_what_cannot_be_used_is_said(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    folder = repository(tmp_path, {"a.py": "def f(x):\n    return x\n"})
    with pytest.raises(UsageError) as error:
        verify(folder, *words)
    assert message in str(error.value)
    assert sorted(entry.name for entry in folder.iterdir()) == [".git", "a.py"]


def test_a_folder_without_a_repository_ends_the_run(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "a.py").write_text("def f(x):\n    return x\n")
    done = run("verify", "--since", "HEAD", GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    assert done.returncode == 2
    assert "not in a git repository; `scanlint verify OLD NEW -f NAME` compares two files" in done.stderr


def test_a_shallow_clone_says_how_to_get_the_rest(tmp_path: Path) -> None:
    whole = repository(tmp_path / "whole", {"a.py": "def f(x):\n    return x\n"})
    first = git(whole, "rev-parse", "HEAD").strip()
    git(whole, "commit", "-q", "--allow-empty", "-m", "next")
    git(tmp_path, "clone", "-q", "--depth=1", whole.as_uri(), "shallow")
    with pytest.raises(UsageError, match="git fetch --unshallow"):
        verify(tmp_path / "shallow", "--since", first)


BROKEN = "def f(x:\n    return x\n"
SIDES = {
    "the work tree is broken": ("def f(x):\n    return x\n", BROKEN, 1, "a.py:1: refuted: "),
    "the revision is broken": (BROKEN, "def f(x):\n    return x\n", 0, "HEAD:a.py:1: unknown: "),
}


@pytest.mark.parametrize(("old", "new", "code", "said"), SIDES.values(), ids=SIDES.keys())
def test_a_version_that_does_not_parse_is_told(old: str, new: str, code: int, said: str, tmp_path: Path) -> None:
    folder = repository(tmp_path, {"a.py": old, "b.py": "def g(x):\n    return x\n"})
    write(folder, {"a.py": new, "b.py": "def g(x):\n    return x\n\n\ndef h(x):\n    return x\n"})
    found, text = verify(folder, "--since", "HEAD")
    assert found == code
    assert text.startswith(said)
    assert "its functions were not compared" in text and "b.py:5: h: new" in text
    assert verify(folder, "--since", "HEAD", "--strict")[0] == (code or 3)


def test_what_was_compared_is_not_compared_again_until_what_it_rests_on_changes(tmp_path: Path) -> None:
    """The second run needs no interpreter that has JAX; a third one compares what a changed module concerns."""
    a = "import b\n\n\ndef f(x):\n    return b.K * x\n"
    folder = repository(tmp_path, {"a.py": a, "b.py": "K = 2.0\n", "c.py": "def g(x):\n    return x * 2.0\n"})
    write(folder, {"a.py": a.replace("b.K * x", "x * b.K"), "c.py": "def g(x):\n    return 2.0 * x\n"})
    words = ("--since", "HEAD", "--output-format", "concise")
    first = verify(folder, *words)
    asked: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        answer = Verifier.answer
        patch.setattr(Verifier, "answer", lambda self, task: asked.append(task.function) or answer(self, task))
        assert verify(folder, *words) == first
        assert asked == []
        write(folder, {"b.py": "K = 3.0\n"})
        assert "f: refuted" in verify(folder, *words)[1]
        assert asked == ["f"]
        verify(folder, *words, "--no-cache", "-f", "g")
        assert asked == ["f", "g"]
    assert git(folder, "status", "--porcelain").split() == ["M", "a.py", "M", "b.py", "M", "c.py"]


def test_before_the_first_commit_there_is_nothing_to_compare(tmp_path: Path) -> None:
    """A hook runs before it too."""
    git(tmp_path, "init", "-q")
    write(tmp_path, {"a.py": "def f(x):\n    return x\n"})
    assert verify(tmp_path, "--since", "HEAD") == (0, "")
    with pytest.raises(UsageError, match="there is no commit yet"):
        verify(tmp_path, "--since", "main")


def test_a_content_that_a_clone_lacks_is_told(tmp_path: Path) -> None:
    """As where large files were left out of a copy."""
    folder = repository(
        tmp_path, {"a.py": "def f(x):\n    return x\n", "b.py": "def g(x):\n    return x\n", "c.bin": "c"}
    )
    for name in ("a.py", "c.bin"):
        digest = git(folder, "rev-parse", f"HEAD:{name}").strip()
        (folder / ".git/objects" / digest[:2] / digest[2:]).unlink()
    write(folder, {"a.py": "def f(x):\n    return 2 * x\n", "b.py": "def g(x):\n    return 2 * x\n", "c.bin": "d"})
    code, text = verify(folder, "--since", "HEAD", "--output-format", "concise")
    assert text.startswith("HEAD:a.py:1: unknown: this clone has no content of it")
    assert "b.py:1: g: refuted" in text and code == 1


def test_a_file_that_is_gone_can_be_named(tmp_path: Path) -> None:
    folder = repository(tmp_path, {"a.py": "def f(x):\n    return x\n", "b.py": "def g(x):\n    return x\n"})
    (folder / "a.py").unlink()
    (folder / "b.py").unlink()
    assert verify(folder, "--since", "HEAD", "a.py")[1].splitlines()[0] == "a.py:1: f: removed"
    assert "g: removed" not in verify(folder, "--since", "HEAD", "a.py")[1]


def test_the_environment_of_a_hook_does_not_lead_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = repository(tmp_path, {"src/a.py": "def f(x):\n    return x\n"})
    write(folder, {"src/a.py": "def f(x):\n    return x\n\n\ndef g(x):\n    return x\n"})
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index")
    assert verify(folder / "src", "--since", "HEAD")[1].startswith("a.py:5: g: new\n")


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """Neither in the repository nor among temporary files."""
    folder = repository(tmp_path / "r", {"a.py": f"{HEAD}{DECAY}", "data.bin": "x"})
    write(folder, {"a.py": f"{HEAD}{ROLLED}"})
    index = (folder / ".git/index").read_bytes()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(temporary))
        assert verify(folder, "--since", "HEAD")[0] == 1
    assert list(temporary.iterdir()) == []
    assert (folder / ".git/index").read_bytes() == index
    assert (folder / "data.bin").read_text() == "x"
    assert git(folder, "status", "--porcelain").split() == ["M", "a.py"]
