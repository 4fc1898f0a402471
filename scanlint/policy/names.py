"""Guesses from words that people choose: every such guess stands here, with how often it was right.

No guess here silences a finding about a loop whose length is known. What names of libraries mean is no guess, and
stands elsewhere. A guess was counted wherever it decided in 54 public repositories (JAX itself, and programs written
with it); right is what reading the code around the place shows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from scanlint.syntax.regex import regex


@dataclass(frozen=True, slots=True)
class Guess:
    """A pattern of words, what it is taken to say, and of how many hits that were read it was right."""

    says: str
    right: int
    read: int
    pattern: re.Pattern[str]

    def __call__(self, *texts: str) -> bool:
        """Whether one of these texts holds the words."""
        return any(self.pattern.search(text) for text in texts)


def _guess(says: str, read: tuple[int, int], pattern: str) -> Guess:
    return Guess(says, *read, regex(pattern))


FEW_ON_HOST = _guess(
    "a loop outside traced code whose length is not known counts axes, orders or layers: there are few",
    (108, 112),
    r"(?i)layer|block|stage|depth|axes|axis|rank|head|level|fold|degree|octave|group|device|shard|subdomain"
    r"|agent|player|team|n?dims?\b|\w?deg\b|order\b|chains|modes\b|specs?(?:_|\b)",
)

FEW_SAID = _guess(
    "a docstring calls the number of trips, which is not known, that of axes, orders or layers: there are few",
    (2, 2),
    r"(?i)layer|block|stage|depth|ndim|axes|axis|dims?\b|rank|head|level|fold|degree|octave|group|device|shard|subdomain"
    r"|agent|player|team",
)

PYTREES = _guess(
    "a parameter that is gone over by a loop of unknown length is a list or a pytree, not one array",
    (65, 68),
    r"param|layer|weight|bias|leaf|leaves|tree|list|block|model|module|grads|args|tensors|arrays|items|terms|funcs|ops|"
    r"states|loader|iterator|generator|dataset|stream|^[WwBb]s$",
)

BATCHED = _guess(
    "what a loop on the host goes over gives batches, each of which is handed on as a whole",
    (1, 1),
    r"(?i)batch|loader|chunk|epoch",
)

FLAGS = _guess(
    "a parameter of a jitted function that is only asked whether it holds is a setting, no array",
    (0, 0),
    r"^(?:(use|is|with|do|has|should|return|enable|include|apply|add)_\w+|\w+_flag|flag|train|training|is_training|"
    r"deterministic|verbose|debug|mode|inference|evaluate|reverse|causal|bidirectional|normalize|normalise|residual)$",
)

DRAWS = _guess(
    "a function or file on the host draws pictures: its loops over JAX are for people to look at",
    (1, 1),
    r"(?i)(?:^|[_/.])(?:viewer|render\w*|plot\w*|draw\w*|visuali[sz]\w*|animat\w+)(?=$|[_/.])",
)

MEASURES = _guess(
    "a benchmark on the host compares what it runs: its loops are as they are on purpose",
    (1, 1),
    r"(?i)(?:^|[_.])bench(?:mark)?(?:$|[_.])",
)

ENTRIES = _guess(
    "a function that nothing in the project calls is an entry of a program, which runs once",
    (0, 0),
    r"(?i)^_*(?:main|run|train|fit|demo|example|test|bench|profile|time|plot|setup|build|make|create|init|load"
    r"|experiment|compile|warm|get|generate|cli|app)(?:$|_|[A-Z])",
)

CLOCKS = _guess(
    "a function on the host that calls this measures time: what it measures may be the dispatch of each trip",
    (0, 0),
    r"\b(?:perf_counter|time\.time|monotonic|timeit|tic|toc|tick|tock)$",
)

INTENDED = _guess(
    "a docstring or a comment before a loop says that it is written out on purpose, or why",
    (0, 0),
    r"(?i)\b(?:intentional|deliberate|on purpose)"
    r"|\b(?:python|for)[- ]loops? (?:is|are|was|seems?) (?:\w+ )?(?:faster|fine|ok\b|better|cheaper)"
    r"|\b(?:scan|fori_loop|vmap)\b[^.]{0,30}\b(?:slower|worse|too much memory|out of memory|oom)\b"
    r"|\bunroll\w* by a factor\b|\bunroll\w*\b[^.]{0,60}\b(?:instead of|rather than|faster)\b",
)

UNROLLED = _guess(
    "a docstring or a comment before a loop of unknown length that speaks of unrolling says that it is intended",
    (2, 6),
    r"(?i)(?:\b|_)unroll(?!ed-)",
)

COST = _guess(
    "... but not where it speaks of what unrolling costs",
    (0, 0),
    r"(?i)\b(?:reduc|avoid|prevent|limit|shrink|small|instead|rather|size|cost|too|blow|explo|slow|todo|fixme|never)\w*"
    r"\W+(?:\w+\W+){0,5}unroll|n[o']t\W+(?:\w+\W+){0,2}unroll",
)

AT_MOST = _guess(
    "the entry of a docstring, or the comment above a loop of unknown length, says that there are few trips",
    (0, 0),
    r"(?i)\b(?:only )?(?:a few|a handful|a couple|very few)\b"
    r"|\b(?:usually|typically|generally|normally|at most|no more than|never more than|defaults? to)"
    r"(?: (?:only|about|around|small|is|are|between \d+ and|\d+ (?:to|or)))* (?P<most>\d+)\b",
)
SETS_UP = _guess(
    "a method that gives an object what its constructor does not runs once, before the object is used",
    (6, 6),
    r"^(?:init|initiali[sz]e|build|setup|set_up)(?:_|$)",
)
