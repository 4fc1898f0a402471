"""Keeps between runs: of each file its signature and survey, of each slice its findings, and packed facts.

An entry is taken only if all that it rests on is the same, by content. What is damaged, or was written by another
version, is not taken; what cannot be written is not kept.
"""

from __future__ import annotations

import marshal
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from scanlint import __version__
from scanlint.jaxapi.words import words
from scanlint.project.contents import contents
from scanlint.project.summary import ModuleNames, Surveyed, digest_of
from scanlint.settings import Settings

FOLDER = ".scanlint_cache"
VERDICTS = "verdicts"
FOREIGN = "foreign"
"""The folder of verdicts that another cache told."""
TAG_NAME = "CACHEDIR.TAG"
TAG = b"Signature: 8a477f597d28d172789f06886806bc55\n# This folder was made by scanlint and can be deleted.\n"
MAGIC = b"scanlint cache 2\n"
HEX = "[0-9a-f]" * 8
KEPT = (f"{HEX}.index*", f"facts-{HEX}/*", f"{VERDICTS}/*", f"{FOREIGN}/*")
RESOLUTION = 2_000_000_000
"""Nanoseconds within which two changes of a file may bear the same time."""
LIFETIME = 30 * 24 * 3600.0
VARIANTS = 3
SPARE = 3
"""Times as many results are kept as one run asks for: their names change with the functions in them."""
INDIFFERENT = words(
    "source exclude extend_exclude force_exclude respect_gitignore markdown per_file_ignores baseline jobs executor "
    "cache cache_dir inputs python verify_timeout verify_environment measure unsafe_fixes"
)
"""Settings that change nothing of what is found in a file."""

Plain = object


class FileSignature(NamedTuple):
    """Tells without reading a file that it is the same; `seen` is when that was asked, in nanoseconds."""

    size: int
    modified: int
    changed: int
    inode: int
    seen: int

    @property
    def settled(self) -> bool:
        """Whether a change after the reading would have left another time."""
        return max(self.modified, self.changed) + RESOLUTION < self.seen


class Kept(NamedTuple):
    """One result: the modules that it rests on with what stands for each, the names missed, and the result."""

    rests: dict[str, str]
    missed: tuple[str, ...]
    result: Plain

    def holds(self, tokens: Mapping[str, str], roots: frozenset[str]) -> bool:
        """Whether the modules are what they were, and none has appeared that was missed."""
        if not self.rests.items() <= tokens.items():
            return False
        return tokens.keys().isdisjoint(self.missed) and roots.isdisjoint(self.missed)


def sign(path: Path) -> FileSignature | None:
    """The signature of a file as it is now."""
    seen = time.time_ns()
    try:
        found = os.stat(path)
    except OSError:  # whoever reads the file says what is wrong
        return None
    return FileSignature(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, seen)


class Cache:
    """The cache of one project under one set of settings."""

    def __init__(self, settings: Settings) -> None:
        self.folder = settings.cache_dir or settings.root / FOLDER
        self.tool = _tool()
        varying = {name: value for name, value in vars(settings).items() if name not in INDIFFERENT}
        self.key = f"{self.tool}\n{os.getcwd()}\n{sorted(varying.items())!r}"
        self.remarks: list[str] = []
        self.changed = False
        self._writable = True
        self._naming, self._names = bool(settings.assume_traced), ModuleNames()
        self._files: dict[str, tuple[tuple[int, ...], tuple[object, ...], str]] = {}
        self._results: dict[str, list[tuple[dict[str, str], tuple[str, ...], Plain]]] = {}
        self._used: set[str] = set()
        self._asked: set[str] = set()
        self._load()

    @property
    def known(self) -> bool:
        """Whether an earlier run has left anything."""
        return bool(self._files)

    @property
    def _index(self) -> Path:
        return self.folder / f"{crc32(self.key.encode()):08x}.index"

    @property
    def _facts(self) -> Path:
        return self.folder / f"facts-{crc32(self.tool.encode()):08x}"

    def _load(self) -> None:
        try:
            data = self._index.read_bytes()
        except OSError:  # nothing was kept: all is found out anew
            return
        payload = data[len(MAGIC) + 8 :]
        try:
            if data[: len(MAGIC)] != MAGIC or int(data[len(MAGIC) :][:8], 16) != crc32(payload):
                raise ValueError("its checksum is wrong")
            key, files, results = marshal.loads(payload)
        except (ValueError, EOFError, TypeError) as error:
            self.remarks.append(f"{self._index}: not used: {error}")
            return
        if key == self.key:
            self._files, self._results = files, results

    # -- files

    def surveyed(self, display: str, path: Path, signature: FileSignature) -> Surveyed | None:
        """The survey of a file that is the same: by its signature, or where that proves nothing by its content."""
        self._used.add(display)
        entry = self._files.get(display)
        if entry is None or entry[2] != self._module(display):
            return None
        known = Surveyed(display, *entry[1])  # type: ignore[arg-type]
        if entry[0][:4] == signature[:4] and FileSignature(*entry[0]).settled:
            return known
        try:
            if digest_of(contents(path)) != known.digest:
                return None
        except OSError:  # whoever reads the file says what is wrong
            return None
        self.keep_survey(known, signature)
        return known

    def keep_survey(self, surveyed: Surveyed, signature: FileSignature) -> None:
        self._files[surveyed.display] = (tuple(signature), tuple(surveyed)[1:], self._module(surveyed.display))
        self.changed = True

    def _module(self, display: str) -> str:
        """The name of a file's module, where a survey depends on it: what patterns name does."""
        return self._names.wanted(display)[0] if self._naming else ""

    # -- results

    def result(self, name: str, tokens: Mapping[str, str], roots: frozenset[str]) -> Plain | None:
        """A result that still holds."""
        kept = self.entry(name, tokens, roots)
        return kept.result if kept is not None else None

    def entry(self, name: str, tokens: Mapping[str, str], roots: frozenset[str]) -> Kept | None:
        """A result that still holds, with the modules that it rests on."""
        self._asked.add(name)
        if name in self._results:
            self._results[name] = self._results.pop(name)
        found = (Kept(*kept) for kept in self._results.get(name, ()))
        return next((kept for kept in found if kept.holds(tokens, roots)), None)

    def keep_result(self, name: str, rests: dict[str, str], missed: tuple[str, ...], result: Plain) -> None:
        """Keep a result, and the latest ones that rested on something else: the paths of runs may take turns."""
        self._results[name] = [(rests, missed, result), *self._results.pop(name, ())][:VARIANTS]
        self._asked.add(name)
        self.changed = True

    # -- facts

    def facts(self, digest: str) -> bytes | None:
        """The packed facts of a file with this content."""
        return _checked(self._facts / digest)

    def keep_facts(self, digest: str, packed: bytes) -> None:
        self._write(self._facts / digest, _sealed(packed))

    # -- verdicts

    def verdict(self, key: str) -> bytes | None:
        """The answer that the verifier gave under this key."""
        return _checked(self.folder / VERDICTS / key)

    def keep_verdict(self, key: str, answer: bytes) -> None:
        self._write(self.folder / VERDICTS / key, _sealed(answer))

    def verdicts(self) -> Iterator[tuple[str, bytes]]:
        """All that was kept by `keep_verdict`, with the keys."""
        folder = self.folder / VERDICTS
        for file in sorted(folder.iterdir()) if folder.is_dir() else ():
            data = _checked(file)
            if data is not None:
                yield file.name, data

    def foreign(self, key: str) -> bytes | None:
        """The answer that an imported cache holds for this key; None where it holds none."""
        return _checked(self.folder / FOREIGN / key)

    def keep_foreign(self, key: str, answer: bytes) -> None:
        self._write(self.folder / FOREIGN / key, _sealed(answer))

    # -- writing

    def save(self) -> None:
        """Write what is new. Nothing that goes wrong here is an error of the run."""
        if not self.changed:
            return
        self._forget()
        payload = marshal.dumps((self.key, self._files, self._results))
        if self._write(self._index, MAGIC + b"%08x" % crc32(payload) + payload):
            self._sweep()

    def _forget(self) -> None:
        """Drop what is known of files that are gone, and results that have not been asked for for long."""
        gone = [d for d in self._files if d not in self._used and not os.path.exists(d)]
        for display in gone:
            del self._files[display]
        if gone:
            kept = self._files.keys()
            self._results = {n: r for n, r in self._results.items() if kept >= set(n.partition("\0")[0].split("\n"))}
        surplus = len(self._results) - SPARE * max(len(self._asked), len(self._files))
        for name in list(self._results)[: max(surplus, 0)]:
            del self._results[name]

    def _write(self, file: Path, data: bytes) -> bool:
        """Put a file in place as a whole: another run may read it, or write the same one, at this moment."""
        if not self._writable:
            return False
        scratch = file.with_name(f"{file.name}.{os.getpid()}.tmp")
        try:
            if not file.parent.is_dir():
                self._make(file.parent)
            scratch.write_bytes(data)
            os.replace(scratch, file)
        except OSError as error:
            self._writable = False
            self.remarks.append(f"cache not written: {error}")
        finally:  # an interrupt leaves no half either
            with suppress(OSError):  # there is none: it was put in place
                scratch.unlink()
        return self._writable

    def _make(self, folder: Path) -> None:
        """Make a folder. The cache's own is tagged; one that holds other things stays as it is."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if not any(self.folder.iterdir()):
            for name, data in ((".gitignore", b"*\n"), (TAG_NAME, TAG)):
                (self.folder / name).write_bytes(data)
        folder.mkdir(exist_ok=True)

    def _sweep(self) -> None:
        """Once a day, drop what nobody has written for a month, from a folder that is the cache's own."""
        tag = self.folder / TAG_NAME
        now = time.time()
        try:
            if not tag.exists() or tag.read_bytes() != TAG or now - tag.stat().st_mtime < 24 * 3600.0:
                return
            os.utime(tag)
            for file in [file for kept in KEPT for file in self.folder.glob(kept)]:
                if now - file.stat().st_mtime > LIFETIME:
                    file.unlink()
            for folder in self.folder.glob(f"facts-{HEX}"):
                if not any(folder.iterdir()):
                    folder.rmdir()
        except OSError as error:
            self.remarks.append(f"{self.folder}: old entries not dropped: {error}")


def _checked(file: Path) -> bytes | None:
    """The content of a file, if it is whole."""
    try:
        data = file.read_bytes()
    except OSError:  # nothing was kept: it is found out anew
        return None
    return data[4:] if data[:4] == crc32(data[4:]).to_bytes(4, "big") else None


def _sealed(data: bytes) -> bytes:
    return crc32(data).to_bytes(4, "big") + data


def _tool() -> str:
    """A digest of this scanlint, down to its source as it is now, and of the Python that runs it."""
    package = os.path.dirname(os.path.dirname(__file__))
    return "\n".join([__version__, sys.version, *sorted(_sources(package))])


def _sources(folder: str) -> Iterable[str]:
    try:
        with os.scandir(folder) as found:
            for entry in found:
                if entry.is_dir():
                    yield from _sources(entry.path)
                elif entry.name.endswith(".py"):
                    state = entry.stat()
                    yield f"{entry.path} {state.st_size} {state.st_mtime_ns}"
    except OSError:  # the version tells what there is to tell then
        return
