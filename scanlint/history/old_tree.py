"""The files of a revision in a temporary folder, so that an old version imports what stood beside it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

from scanlint.history.repository import LINK, PROGRAM, SUBMODULE, Repository, TreeEntry
from scanlint.project.discovery.folders import DEFAULT_EXCLUDES
from scanlint.verify.temporary import TemporaryFolder


class OldTree:
    """A revision as it was checked out, in a folder of the same name as that of the work tree.

    What is no Python and has not changed is a link to the work tree: it may be large. So is what git ignores there, as
    compiled modules and files that a build makes: the old version was run with such beside it too.
    """

    def __init__(self, repository: Repository, entries: Sequence[TreeEntry], changed: set[str]) -> None:
        self._folder = TemporaryFolder()
        try:
            self._fill(repository, entries, changed)
        except BaseException:
            self.close()
            raise

    def _fill(self, repository: Repository, entries: Sequence[TreeEntry], changed: set[str]) -> None:
        self.top = Path(self._folder.name).resolve() / (repository.top.name or "top")
        self.top.mkdir()
        safe = [entry for entry in entries if _inside(entry.path)]
        kept = (
            e for e in safe if e.mode != LINK and (e.mode == SUBMODULE or not (e.path in changed or _source(e.path)))
        )
        linked = {entry.path for entry in kept if self._link(repository.top, entry.path)}
        written = [e for e in safe if e.mode != SUBMODULE and e.path not in linked]
        for entry, data in repository.contents(written):
            if data is not None:  # what is not there cannot be imported: the old version says so
                self._write(entry, data)
        self._link_ignored(repository, repository.ignored())

    def close(self) -> None:
        """Remove the folder; what it links to stays."""
        self._folder.close()

    def _write(self, entry: TreeEntry, data: bytes) -> None:
        file = self._place(entry.path)
        if entry.mode == LINK:
            target = os.path.normpath(os.path.join(os.path.dirname(entry.path), os.fsdecode(data)))
            if _inside(target.replace(os.sep, "/")):
                with suppress(OSError):  # it is not there then: the old version says what it lacks
                    file.symlink_to(os.fsdecode(data))
            return
        file.write_bytes(data)
        if entry.mode == PROGRAM:
            file.chmod(0o755)

    def _link_ignored(self, repository: Repository, paths: Iterable[str]) -> None:
        for path in paths:
            name = PurePosixPath(path).name
            passed = name in DEFAULT_EXCLUDES or (path.endswith("/") and name.startswith("."))
            if _inside(path) and not passed and not self._place(path).exists():
                self._link(repository.top, path.rstrip("/"))

    def _link(self, top: Path, path: str) -> bool:
        """Make a link to a path of the work tree, which may not be there; False where the system makes none."""
        target, place = top / path, self._place(path)
        if not target.exists():
            return False
        try:
            place.symlink_to(target, target_is_directory=target.is_dir())
        except OSError:  # a system without links for everybody: a file is copied
            if target.is_dir():
                return False
            with suppress(OSError):  # it is not there then: the old version says what it lacks
                shutil.copyfile(target, place)
        return place.exists()

    def _place(self, path: str) -> Path:
        file = self.top / path.rstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        return file


def _source(path: str) -> bool:
    return path.endswith((".py", ".pyi", ".ipynb"))


def _inside(path: str) -> bool:
    """The path names something below the top, and nothing of git's own."""
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and not {"..", ".git"} & {part.lower() for part in parts}
