"""Git, asked as a process: what a revision holds, and which files of the work tree differ from it.

What the user gives never stands where git would read an option, and nothing of the repository is changed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from scanlint.errors import UsageError, cause
from scanlint.verify.asked import end_group

SECONDS = 120.0
OF_A_HOOK = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
"""Variables that git sets for hooks, relative to a folder that is not always the one where it is asked."""
AT_ONCE = 2000
HEADED = 3
"""The words that `cat-file` puts before a content: digest, kind, size."""
FILE, PROGRAM, LINK, SUBMODULE = "100644", "100755", "120000", "160000"


class NoCommit(Exception):
    """The repository has no commit yet: there is nothing to compare with."""


class GitError(UsageError):
    """Git ended with an error; what it said."""


class TreeEntry(NamedTuple):
    """A file of a revision: its kind, as git writes modes, its content by digest, and its path below the top."""

    mode: str
    digest: str
    path: str


@dataclass(frozen=True, slots=True)
class Repository:
    """A work tree by its folder."""

    top: Path

    @classmethod
    def around(cls, folder: Path) -> Repository:
        """The repository that a folder lies in. Raises UsageError."""
        try:
            said = _git(folder, "rev-parse", "--show-toplevel")
        except GitError as error:
            raise UsageError(f"{folder}: {_not_usable(str(error))}") from None
        return cls(Path(os.fsdecode(said).rstrip("\n")).resolve())

    def commit(self, revision: str) -> str:
        """The digest of the commit that a revision names. Raises UsageError, or NoCommit where `HEAD` is none yet."""
        if revision.startswith("-") or "\0" in revision:
            raise UsageError(f"--since: `{revision}` is no revision: none begins with `-`")
        if ".." in revision:
            raise UsageError(
                f"--since: `{revision}` is a range; give one revision, such as `$(git merge-base main HEAD)`"
            )
        try:
            return _git(self.top, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode().strip()
        except GitError:
            if revision == "HEAD" and not self._begun:
                raise NoCommit from None
            raise UsageError(f"--since: git knows no revision `{revision}` in {self.top}; {self._remedy()}") from None

    @property
    def _begun(self) -> bool:
        """The repository has a commit."""
        return bool(_git(self.top, "rev-list", "--max-count=1", "--all").strip())

    def _remedy(self) -> str:
        if not self._begun:
            return "there is no commit yet"
        if _git(self.top, "rev-parse", "--is-shallow-repository").strip() == b"true":
            return "the clone is shallow: `git fetch --unshallow` brings the rest (`fetch-depth: 0` on GitHub)"
        return "`git log --oneline` and `git branch --all` list what there is"

    def changed(self, commit: str) -> set[str]:
        """The paths whose files may differ from a commit, staged or not, with those that are not there any more.

        Contents are not read: of a file that was written anew it is not known that it is the same.
        """
        said = _git(self.top, "diff-index", "--name-only", "--no-renames", "-z", commit, "--")
        return {*_paths(said), *self.untracked()}

    def untracked(self) -> set[str]:
        """The paths of files that git neither tracks nor ignores."""
        return set(_paths(_git(self.top, "ls-files", "--others", "--exclude-standard", "-z")))

    def ignored(self) -> list[str]:
        """The paths that git ignores; a folder of which it ignores everything is one entry, with a slash at its end."""
        said = _git(self.top, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
        return list(_paths(said))

    def tree(self, commit: str) -> list[TreeEntry]:
        """All files of a commit."""
        found = []
        for line in _git(self.top, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0"):
            about, tab, path = line.partition(b"\t")
            if tab:
                mode, _, digest = about.decode().split()
                found.append(TreeEntry(mode, digest, os.fsdecode(path)))
        return found

    def contents(self, entries: Sequence[TreeEntry]) -> Iterator[tuple[TreeEntry, bytes | None]]:
        """The bytes of files of a commit; None for those of which a clone has no content."""
        for start in range(0, len(entries), AT_ONCE):
            some = entries[start : start + AT_ONCE]
            words = "".join(f"{entry.digest}\n" for entry in some).encode()
            said, at = _git(self.top, "cat-file", "--batch", given=words), 0
            for entry in some:
                end = said.index(b"\n", at)
                about = said[at:end].split()
                size = int(about[2]) if len(about) == HEADED else None
                yield entry, said[end + 1 : end + 1 + size] if size is not None else None
                at = end + 1 + (size + 1 if size is not None else 0)


def _paths(said: bytes) -> Iterator[str]:
    return (os.fsdecode(path) for path in said.split(b"\0") if path)


def _not_usable(said: str) -> str:
    """Why a folder is in no repository that git reads, with what to do."""
    if "safe.directory" in said:
        return f"git does not trust this repository ({said}); allow it with `git config --global --add safe.directory`"
    if "work tree" in said:
        return "a bare repository has no work tree to compare; run it in a clone"
    return "not in a git repository; `scanlint verify OLD NEW -f NAME` compares two files without git"


def _git(folder: Path, *words: str, given: bytes = b"") -> bytes:
    """The output of a git command; raises GitError where it ends with an error, UsageError where it cannot be asked."""
    environment = {name: value for name, value in os.environ.items() if name not in OF_A_HOOK}
    command = ["git", "--no-pager", "-c", "core.quotePath=false", *words]
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**environment, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=sys.platform != "win32",
        )
    except FileNotFoundError as error:
        if error.filename == "git":
            raise UsageError("`--since` asks git, and there is no `git` on the PATH; install it") from None
        raise UsageError(f"{folder}: {cause(error)}") from None
    except OSError as error:
        raise UsageError(f"git cannot be run in {folder}: {cause(error)}") from None
    with process:
        try:
            said, wrong = process.communicate(given, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            end_group(process)
            raise UsageError(
                f"`git {words[0]}` took more than {SECONDS:g} s in {folder}; try it by hand there"
            ) from None
        except BaseException:
            end_group(process)
            raise
    if process.returncode:
        said_why = wrong.decode("utf-8", "replace").strip() or f"it ended with {process.returncode}"
        raise GitError(f"`git {words[0]}` failed in {folder}: {said_why}")
    return said
