"""A client that edits a handful of files at random; at quiet moments what is published is what a fresh check finds."""

from __future__ import annotations

import ast
import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from lsprotocol import types

from scanlint.command.config import Overrides, load
from scanlint.engine.session import check
from tests.lsp.editor import Editor

FILES = {
    "pyproject.toml": "[tool.scanlint]\nmin-unrolled-equations = 20\n",
    "steps.py": """\
import jax.numpy as jnp


def step(x, t):
    y = jnp.sin(x) * 2.0
    return y + jnp.cos(x) * t


def clip(x):
    if x > 0:
        return x
    return -x


def run(f, x):
    return f(x)
""",
    "model.py": """\
import jax
import jax.numpy as jnp

from steps import clip, step

# é 😀 the model


@jax.jit
def rollout(state):
    for t in range(50):
        state = step(state, t)
    return state


@jax.jit
def bounded(x):
    return clip(jnp.sum(x))


@jax.jit
def loop(x):
    while x < 3.0:
        x = x * 2.0
    return x
""",
    "train.py": """\
import jax
import jax.numpy as jnp

import steps
from model import rollout


@jax.jit
def loss(params, xs):
    total = 0.0
    for x in xs:
        total = total + jnp.sum(params * x)
    return total


@jax.jit
def pick(x, flag):
    name = "😀"; y = x if flag else -x  # scanlint: ignore[traced-if] it is 😀
    if jnp.sum(y) > 0:
        y = steps.step(y, 1)
    return y
""",
    "pkg/__init__.py": "from pkg.layers import dense\n",
    "pkg/layers.py": """\
import jax
import jax.numpy as jnp


def dense(w, x):
    for i in range(60):
        x = jnp.tanh(x @ w) + i
    return x


@jax.jit
def apply(w, x):
    return dense(w, x)
""",
    "use.py": """\
import jax

from pkg import dense
from steps import run


@jax.jit
def use(w, x):
    return dense(w, x)


@jax.jit
def both(x):
    def inner(y):
        if y > 0:
            return y * 2
        return y
    return run(inner, x)
""",
}
SNIPPETS = [
    "x = 1\n",
    "\n",
    "    y = 2\n",
    "# 😀 a comment\n",
    "for i in range(70):\n    pass\n",
    "    if x > 0:\n        x = -x\n",
    "(\n",
    '"""\n',
    "    # scanlint: ignore[traced-if] not now\n",
    "import jax\n",
    "@jax.jit\n",
    "def f(x):\n    return x\n",
    "\x0c\n",
    "\r\n",
    "return",
    "s = '\u2028é'\n",
    "from steps import step, clip\n",
    "# scanlint: ignore-file[unrolled-loop]\n",
]
Seen = list[tuple[str, int, int, str]]


def write_project(root: Path) -> None:
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8", newline="")


class Fuzz:
    """The files on disk and in the editor, and what is done to them."""

    def __init__(self, editor: Editor, root: Path, seed: int) -> None:
        self.editor = editor
        self.root = root
        self.random = random.Random(seed)
        self.compared = self.found = 0
        self.renamed = 0
        self.names = {name for name in FILES if name.endswith(".py")}

    async def run(self, steps: int) -> None:
        for name in sorted(self.names):
            self.editor.open(self.root / name)
        for number in range(steps):
            self.step()
            if number % 10 == 9:
                await self.settle()
            if number % 40 == 39:
                self.repair()
                await self.settle()
                self.compare()
        self.repair(everything=True)
        await self.settle()
        self.compare()
        assert not self.editor.errors

    def step(self) -> None:
        acts = [self.insert, self.delete, self.move, self.put_back]
        rare = [self.close, self.open, self.save, self.rename, self.remove, self.outside, self.empty]
        self.random.choice(acts if self.random.random() < 0.85 or not self.editor.texts else rare)()

    def _open(self) -> str | None:
        return self.random.choice(sorted(self.editor.texts)) if self.editor.texts else None

    def insert(self) -> None:
        if uri := self._open():
            text = self.editor.texts[uri]
            starts = [0, *(at + 1 for at, char in enumerate(text) if char == "\n")]
            at = self.random.choice(starts) if self.random.random() < 0.8 else self.random.randint(0, len(text))
            self.editor.change(uri, at, at, self.random.choice(SNIPPETS))

    def delete(self) -> None:
        if uri := self._open():
            text = self.editor.texts[uri]
            start = self.random.randint(0, len(text))
            self.editor.change(uri, start, min(len(text), start + self.random.choice([1, 1, 3, 30])), "")

    def move(self) -> None:
        if uri := self._open():
            lines = self.editor.texts[uri].splitlines(keepends=True)
            if lines:
                line = lines.pop(self.random.randrange(len(lines)))
                lines.insert(self.random.randint(0, len(lines)), line)
                self.editor.replace(uri, "".join(lines))

    def put_back(self) -> None:
        if uri := self._open():
            self.editor.replace(uri, self._first(self._name(uri)))

    def empty(self) -> None:
        if uri := self._open():
            self.editor.replace(uri, "")

    def close(self) -> None:
        if uri := self._open():
            self.editor.close(uri)

    def open(self) -> None:
        closed = sorted(n for n in self.names if (self.root / n).as_uri() not in self.editor.texts)
        if closed:
            path = self.root / self.random.choice(closed)
            self.editor.open(path, read(path) if path.exists() else "import jax\n")

    def save(self) -> None:
        if uri := self._open():
            path = self.root / self._name(uri)
            self.write(path, self.editor.texts[uri])
            self.editor.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def rename(self) -> None:
        name = self.random.choice(sorted(self.names))
        path, self.renamed = self.root / name, self.renamed + 1
        other = path.with_name(f"other{self.renamed % 3}.py")
        text = self.editor.texts.get(path.as_uri(), read(path) if path.exists() else "")
        if path.as_uri() in self.editor.texts:
            self.editor.close(path.as_uri())
        if other.as_uri() in self.editor.texts:
            self.editor.close(other.as_uri())
        path.unlink(missing_ok=True)
        self.told(path, types.FileChangeType.Deleted)
        self.write(other, text)
        self.names = self.names - {name} | {other.relative_to(self.root).as_posix()}
        self.editor.open(other, text)

    def remove(self) -> None:
        path = self.root / self.random.choice(sorted(self.names))
        path.unlink(missing_ok=True)
        self.told(path, types.FileChangeType.Deleted)

    def outside(self) -> None:
        """Another program writes a file."""
        name = self.random.choice(sorted({*self.names, *(n for n in FILES if n.endswith(".py"))}))
        self.names.add(name)
        self.write(self.root / name, self._first(name) + self.random.choice(["", "\n", "(\n", "\n\nx = 2\n"]))

    def write(self, path: Path, text: str) -> None:
        path.parent.mkdir(exist_ok=True)
        kind = types.FileChangeType.Changed if path.exists() else types.FileChangeType.Created
        path.write_bytes(text.encode())
        self.told(path, kind)

    def told(self, path: Path, kind: types.FileChangeType) -> None:
        changes = [types.FileEvent(path.as_uri(), kind)]
        self.editor.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes))

    def repair(self, *, everything: bool = False) -> None:
        """Put back what does not parse, and much of what is gone: else there is soon nothing left to find."""
        for name in sorted(n for n in FILES if n.endswith(".py") and not (self.root / n).exists()):
            if self.random.random() < 0.5:
                self.names.add(name)
                self.write(self.root / name, FILES[name])
        for name in sorted(self.names):  # of a file that does not parse the server keeps the last version that did
            path = self.root / name
            if path.as_uri() not in self.editor.texts and path.exists() and not parses(read(path)):
                self.write(path, self._first(name))
        for uri, text in list(self.editor.texts.items()):
            chance = (0.3 if parses(text) else 0.9) if not everything else float(not parses(text))
            if self.random.random() < chance:
                self.editor.replace(uri, self._first(self._name(uri)))
        if not self.editor.texts:
            self.open()

    async def settle(self) -> None:
        """Wait until the server has nothing left to say: it answers once what it knows is not outdated."""
        await self.editor.pulled(self._open() or (self.root / "none.py").as_uri())

    def compare(self) -> None:
        """What is published is what is found in the same texts by a fresh check of each."""
        texts = {self._name(uri): text for uri, text in self.editor.texts.items()}
        if not all(map(parses, texts.values())):
            return
        self.compared += 1
        with mirrored(self.root, texts) as mirror:
            for name in texts:
                told = self.editor.published[(self.root / name).as_uri()]
                said, found = seen(told.diagnostics), fresh(mirror, name)
                self.found += len(found)
                assert said == found, f"{name} after {self.compared} comparisons: {said} instead of {found}"
        closed = [uri for uri in self.editor.published if uri not in self.editor.texts]
        assert all(not self.editor.published[uri].diagnostics for uri in closed)

    def _name(self, uri: str) -> str:
        path = Path(uri.removeprefix("file://"))
        return path.relative_to(self.root).as_posix()

    def _first(self, name: str) -> str:
        return FILES.get(name) or FILES["model.py"]


def read(path: Path) -> str:
    return path.read_bytes().decode()


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def seen(diagnostics: object) -> Seen:
    assert isinstance(diagnostics, list | tuple)
    return sorted((d.code, d.data["line"], d.data["column"], d.message.partition("\n")[0]) for d in diagnostics)


def fresh(root: Path, name: str) -> Seen:
    """What one check of one file finds, with nothing kept from before."""
    settings = replace(load(root / name, None, Overrides()), cache=False, jobs=1)
    found = check([Path(name)], settings).findings
    return sorted((f.name, f.start.line, f.start.column, f.message) for f in found)


@contextmanager
def mirrored(root: Path, texts: dict[str, str]) -> Iterator[Path]:
    """A copy of a project with texts in the place of files; the working directory is in it."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        mirror = Path(folder).resolve() / "project"
        shutil.copytree(root, mirror, ignore=shutil.ignore_patterns(".scanlint_cache"))
        for name, text in texts.items():
            (mirror / name).parent.mkdir(exist_ok=True)
            (mirror / name).write_bytes(text.encode())
        os.chdir(mirror)
        try:
            yield mirror
        finally:
            os.chdir(here)
