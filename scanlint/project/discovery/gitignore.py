"""Reads what git ignores: `.gitignore` in every folder, `.git/info/exclude`, and the user's `core.excludesFile`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from scanlint.project.discovery.git_index import GitIndex
from scanlint.syntax.regex import regex

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NAME = ".gitignore"
SECTION = regex(r'^\s*\[\s*(?P<name>[\w.-]+)\s*(?:"[^"]*")?\s*\]')
EXCLUDES_FILE = regex(r'^\s*excludesfile\s*=\s*"?(?P<path>[^"\n#;]*?)"?\s*(?:[#;].*)?$', re.IGNORECASE)


class Patterns(NamedTuple):
    """The patterns of one file, which speak of paths below a folder."""

    base: str
    spec: GitIgnoreSpec

    def verdict(self, path: str) -> bool | None:
        """Whether a path is ignored, or kept by a negation; None where no pattern speaks of it."""
        return self.spec.check_file(path[len(self.base) :].lstrip(os.sep)).include


class Ignores(NamedTuple):
    """The patterns that hold in a folder, those that win last. All paths are absolute; nothing holds outside of git.

    `tracked` says what is: no pattern leaves that out. `whole`: the folder is ignored, with all else in it.
    """

    tracked: GitIndex | None = None
    patterns: tuple[Patterns, ...] = ()
    whole: bool = False

    def inside(self, folder: str) -> Ignores:
        """These patterns with those of the folder's own `.gitignore`."""
        own = _read(os.path.join(folder, NAME), folder) if self.tracked is not None else None
        return self if own is None else self._replace(patterns=(*self.patterns, own))

    def ignored(self, path: str, folder: bool) -> bool:
        """Whether a file or folder is ignored, tracked or not."""
        if self.whole:
            return True
        spelled = path + os.sep if folder else path
        verdicts = (patterns.verdict(spelled) for patterns in reversed(self.patterns))
        return next((verdict for verdict in verdicts if verdict is not None), False)

    def below(self, path: str) -> Ignores | None:
        """The patterns that hold in a folder; None where nothing in it is looked at. Raises OSError, DamagedIndex."""
        if not self.ignored(path, folder=True):
            return self
        tracked = self.tracked is not None and self.tracked.tracks(path, folder=True)
        return self._replace(whole=True) if tracked else None

    def keeps(self, path: str) -> bool:
        """The file is looked at: not ignored, or tracked. Raises OSError, DamagedIndex."""
        return not self.ignored(path, folder=False) or (
            self.tracked is not None and self.tracked.tracks(path, folder=False)
        )


NOTHING = Ignores()


def above(folder: str) -> Ignores:
    """The patterns that hold in a folder because of those above it; none where the folder itself is ignored.

    Who names a folder that git ignores wants to see what is in it.
    """
    root = _repository(folder)
    if root is None:
        return NOTHING
    files = (os.path.join(_git_folder(root), "info", "exclude"), _excludes_file(root))
    shared = (_read(file, root) for file in reversed(files) if file)
    index = GitIndex(root, _own_folder(root))
    held = Ignores(index, tuple(patterns for patterns in shared if patterns is not None))
    at = root
    for part in os.path.relpath(folder, root).split(os.sep):
        if part != os.curdir:
            held = held.inside(at)
            at = os.path.join(at, part)
            if held.ignored(at, folder=True):
                return Ignores(index)
    return held


def _repository(folder: str) -> str | None:
    """The folder with the `.git` that a folder belongs to."""
    while not os.path.exists(os.path.join(folder, ".git")):
        up = os.path.dirname(folder)
        if up == folder:
            return None
        folder = up
    return folder


def _own_folder(root: str) -> str:
    """The folder of git for this working tree alone; in a further working tree `.git` is a file that leads there."""
    git = os.path.join(root, ".git")
    return git if os.path.isdir(git) else os.path.join(root, _text(git).removeprefix("gitdir:").strip())


def _git_folder(root: str) -> str:
    """The folder in which git keeps what all working trees share."""
    own = _own_folder(root)
    return os.path.normpath(os.path.join(own, _text(os.path.join(own, "commondir")).strip()))


def _excludes_file(root: str) -> str:
    """The file that `core.excludesFile` names, else the one that git takes by itself."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    configs: tuple[str, ...] = (
        "/etc/gitconfig",
        os.path.join(home, "git", "config"),
        os.path.expanduser("~/.gitconfig"),
    )
    if own := os.environ.get("GIT_CONFIG_GLOBAL"):
        configs = ("/etc/gitconfig", own)
    named = [path for file in (*configs, os.path.join(_git_folder(root), "config")) for path in _named_in(file)]
    return os.path.join(root, os.path.expanduser(named[-1])) if named else os.path.join(home, "git", "ignore")


def _named_in(config: str) -> Iterator[str]:
    """The value of `core.excludesFile` in a configuration of git."""
    section = ""
    for line in _text(config).splitlines():
        if head := SECTION.match(line):
            section = head["name"].lower()
        elif section == "core" and (named := EXCLUDES_FILE.match(line)):
            yield named["path"]


def _read(file: str, base: str) -> Patterns | None:
    """The patterns in a file; None where there are none: only then is the library imported (25 ms)."""
    lines = [line for line in _text(file).splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        return None
    from pathspec import GitIgnoreSpec

    return Patterns(base, GitIgnoreSpec.from_lines([line for line in lines if _valid(line)]))


def _valid(line: str) -> bool:
    """Whether a line is a pattern; git passes over one that is none."""
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _text(file: str) -> str:
    """The text of a file; of one that cannot be read no pattern holds, as in git: more is looked at, not less."""
    try:
        with open(file, encoding="utf-8-sig", errors="surrogateescape") as stream:
            return stream.read()
    except OSError:  # without its patterns more is looked at, not less
        return ""
