"""Patterns for the places where a text spells transforms and loops, for one cheap pass over a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

from scanlint.jaxapi.solvers import SOLVERS

TRANSFORMS = {
    "jit": "jit",
    "map": r"(?<=[vpx])map|(?<=shard_)map|(?<=lax\.)map",
    "scan": "scan",
    "_loop": "(?<=fori)_loop|(?<=while)_loop",
    "cond": "cond",
    "switch": "switch",
    "remat": "remat",
    "checkpoint": "checkpoint",
    "grad": "grad|(?<=custom_)gradient",
    "jvp": "jvp",
    "vjp": "vjp",
    "filter_": r"filter_\w+",
    "linearize": "linearize",
    "hessian": "hessian",
    "jac": "jac(?:fwd|rev|obian)",
    "make_jaxpr": "make_jaxpr",
    "eval_shape": "eval_shape",
    "closure_convert": "closure_convert",
    "transform": r"(?<=hk\.)transform|transform_with_state",
    "custom_root": "custom_root",
    "vectorize": "vectorize",
    "checkify": "checkify",
    **{name.rpartition(".")[2]: name.rpartition(".")[2] for name in SOLVERS if name.startswith("jax.")},
}
"""What ends the name of a transform, by plain words that are looked for first (a tenth of the time of one pattern)."""
LOOPS = {word: rf"\b{word}" for word in ("for", "while", "scan")}


class Words:
    """Finds words of some endings: `ends` maps plain words to patterns that begin where the word stands."""

    def __init__(self, ends: Mapping[str, str]) -> None:
        self.ends = ends
        self.matches: dict[str, Callable[[str, int], re.Match[str] | None]] = {}

    def places(self, text: str) -> list[int]:
        """The offsets of all that are found, in order."""
        places = []
        for word in self.ends:
            at = text.find(word)
            while at >= 0:
                if self._match(word)(text, at):
                    places.append(at)
                at = text.find(word, at + 1)
        places.sort()
        return places

    def _match(self, word: str) -> Callable[[str, int], re.Match[str] | None]:
        """The pattern of a word, compiled (60 us) when the word is found for the first time."""
        if word not in self.matches:
            self.matches[word] = re.compile(rf"(?:{self.ends[word]})\b").match
        return self.matches[word]


_TRANSFORM, _LOOP = Words(TRANSFORMS), Words(LOOPS)
_SOLVING = {
    library: Words({n.rpartition(".")[2]: n.rpartition(".")[2] for n in SOLVERS if n.startswith(f"{library}.")})
    for library in {name.partition(".")[0] for name in SOLVERS} - {"jax"}
}
"""The functions of each library that run what they are given under a trace: looked for where the library is named."""


def transforms(text: str) -> list[int]:
    """The offsets of all transforms that a text spells, in order."""
    libraries = [words for library, words in _SOLVING.items() if library in text]
    places = [_TRANSFORM.places(text), *(words.places(text) for words in libraries)]
    return sorted(place for found in places for place in found) if libraries else places[0]


def loops(text: str) -> list[int]:
    """The offsets of all loops that a text spells, in order."""
    return _LOOP.places(text)


@cache
def is_transform(name: str) -> bool:
    """Whether a dotted name spells a transform; files import the same ones again and again."""
    return bool(transforms(name))
