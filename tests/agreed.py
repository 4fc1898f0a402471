"""Pairs of versions that were run under JAX and agreed, by digest: the everyday tests run only those that are new.

What both versions give is decided by both texts, the test's inputs, what compares them, and the version of JAX. Where
all of these are in the ledger the pair is not run again; it never stands for a verdict of the verifier. Under another
version of JAX one pair of ten is run, and `pytest -m slow` or `--every-pair` runs all. `pytest --write-agreed` keeps
what agreed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import jax
import pytest

LEDGER = Path(__file__).parent / "agreed.json"
SAMPLED = 26
"""Of 256 pairs, those that are run under a version of JAX that is not the ledger's."""
AGREED = pytest.StashKey["Agreed"]()
Written = dict[str, tuple[str, list[str]]]
"""By the name of a test file: the digest of its text, and those of its pairs."""


def digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


@dataclass
class Agreed:
    """The ledger as it stands, and what agrees in this run; `every` pair is run, or those that are not known."""

    every: bool
    version: str
    known: Written
    found: Written = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)

    @classmethod
    def load(cls, every: bool) -> Agreed:
        kept = json.loads(LEDGER.read_text(encoding="utf-8")) if LEDGER.exists() else {"jax": "", "files": {}}
        return cls(every, kept["jax"], {name: (source, pairs) for name, (source, pairs) in kept["files"].items()})

    def once(self, test: pytest.Item, parts: tuple[str, ...], compare: Callable[[], None]) -> None:
        """Run `compare`, which raises where versions differ, unless the test asked for the same parts before.

        A test that asks several times is told apart by the number of the question, for its inputs may differ.
        """
        self.asked[test.nodeid] += 1
        key = digest(test.name, str(self.asked[test.nodeid]), *parts)
        file, source = test.path.name, digest(test.path.read_text(encoding="utf-8"))
        if self.every or not self.settled(file, source, key):
            compare()
        self.found.setdefault(file, (source, []))[1].append(key)

    def settled(self, file: str, source: str, key: str) -> bool:
        """The pair agreed before, and is not in the sample of another version of JAX."""
        text, pairs = self.known.get(file, ("", ()))
        return text == source and key in pairs and (self.version == jax.__version__ or int(key[:2], 16) >= SAMPLED)


def write(found: Written) -> None:
    """Keep what agreed; of a file that changed nothing else is kept."""
    ledger = Agreed.load(every=False)
    files = dict(ledger.known) if ledger.version == jax.__version__ else {}
    for name, (source, pairs) in found.items():
        old, before = files.get(name, ("", []))
        files[name] = source, sorted({*pairs, *(before if old == source else ())})
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(files[name])}" for name in sorted(files))
    LEDGER.write_text(f'{{"jax": "{jax.__version__}", "files": {{\n{lines}\n}}}}\n', encoding="utf-8")


def joined(first: Written, second: Written) -> Written:
    """What two processes found, in tests of the same texts."""
    names = first.keys() | second.keys()
    either = {name: first.get(name) or second[name] for name in names}
    return {n: (s, [*first.get(n, ("", []))[1], *second.get(n, ("", []))[1]]) for n, (s, _) in either.items()}
