"""What errors say: the only file that depends on how JAX, XLA, NumPy and Python word them, and where JAX raises them.

Each row is provoked in tests/verify/runtime/test_jax_errors.py by running the libraries, under every supported JAX.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from traceback import walk_tb

import jax

Shape = tuple[int, ...]

UNTRACEABLE = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
)
"""What JAX raises where Python asks a tracer for its value."""

STAGED_BODY = re.compile(
    r"/jax/_src/lax/control_flow/|/jax/_src/interpreters/batching\.py"
    r"|/jax/_src/api\.py:vmap_f\n.*:call_wrapped"  # where JAX 0.4 calls what it maps
)
"""The frames of JAX, as file and function, that trace the body of a staged loop, an arm or a batch."""


class Fact(Enum):
    """What an error may say, and the words that say it."""

    UNMAPPED = re.compile("vmap was requested to map")  # an array that has no axis to map over
    UNCALLABLE = re.compile("callable")
    SHAPES = re.compile("shape")
    WHOLE = re.compile(r"\bintegers?\b|\bintegral\b|concrete value is expected|__index__", re.I)  # a count, an index
    FEWER_AXES = re.compile("Cannot broadcast to shape with fewer dimensions")
    WINDOW = re.compile("slice_sizes must be less than or equal to operand shape")
    NO_ROWS = re.compile(r"\bsize 0\b|[(\[, ]0[,)\]]")  # an axis without elements
    NEGATIVE_SIZE = re.compile(r"non-?negative|negative dimension|greater than or equal to zero|\bgot -\d", re.I)
    EMPTY_SCAN = re.compile(r"zero-length scan is not supported in disable_jit\(\) mode")
    IRREVERSIBLE = re.compile("Reverse-mode differentiation does not work for lax.while_loop")
    FORMATTED = re.compile(r"unsupported format string passed to \w*Tracer")
    MUTABLE_DEFAULT = re.compile("mutable default")  # of a field of a dataclass


@dataclass(frozen=True, slots=True)
class ArrayType:
    """A dtype by its name (`key<fry>` for random keys) and a shape."""

    dtype: str
    shape: Shape

    @property
    def real(self) -> bool:
        """Whether it holds whole numbers or floats."""
        return self.dtype.startswith(("int", "uint", "float", "bfloat"))


@dataclass(frozen=True, slots=True)
class TypeMismatch:
    """Types that a primitive wants equal: of a carry before and after a trip, or of what two arms give.

    `pairs` are those that differ; there are none where the `structure` of the pytrees does.
    """

    primitive: str
    structure: bool
    pairs: tuple[tuple[ArrayType, ArrayType], ...]

    @property
    def carry(self) -> bool:
        return self.primitive in ("scan", "while_loop")

    @property
    def arms(self) -> bool:
        """Whether arms differ in types, not in structure."""
        return not self.carry and not self.structure

    @property
    def types(self) -> list[ArrayType]:
        return [kind for pair in self.pairs for kind in pair]

    @property
    def changes_dtype(self) -> bool:
        return any(before.dtype != after.dtype for before, after in self.pairs)

    @property
    def shapes(self) -> list[tuple[Shape, Shape]]:
        return [(before.shape, after.shape) for before, after in self.pairs]

    @property
    def of_arrays(self) -> bool:
        """Whether an array with axes is named before another type: for arms, before another such array."""
        return any(a.shape and (self.carry or b.shape) for a, b in pairwise(self.types))


@dataclass(frozen=True, slots=True)
class Complaint:
    """What the text of one error says: facts, types that differ, and the numbers, names and texts that it mentions."""

    facts: frozenset[Fact]
    mismatch: TypeMismatch | None
    numbers: tuple[int, ...]
    words: frozenset[str]
    quoted: tuple[str, ...]

    @property
    def carry(self) -> TypeMismatch | None:
        """The mismatch, where it is of a carry."""
        return self.mismatch if self.mismatch is not None and self.mismatch.carry else None

    @property
    def shapes(self) -> list[tuple[Shape, Shape]]:
        """The shapes before and after of all types that differ."""
        return self.mismatch.shapes if self.mismatch is not None else []


_CARRY = re.compile(r"(scan|while_loop) body function carry input and carry output must have (.*)")
_ARMS = re.compile(r"(cond|switch) branch(?:es| outputs) must have (.*)")
_OLD_ARMS = re.compile(r"(true_fun|branch 0) .{0,50}?must have (identical types|same type structure)")  # until JAX 0.5
_TYPE = r"([^\[\s(]+)\[([\d,]*)\]"
_PAIR = re.compile(rf"has type {_TYPE}.*?has type {_TYPE}", re.S)
_OLD_PAIR = re.compile(rf"DIFFERENT ShapedArray\({_TYPE}[^)]*\) vs\. ShapedArray\({_TYPE}")
_REMOVED = re.compile(
    r"module 'jax[\w.]*' has no attribute|cannot import name .* from 'jax[\w.']|No module named 'jax\.|removed in JAX"
)
_ATTRIBUTE = re.compile(r"module '(jax[\w.]*)' has no attribute '(\w+)'")
_PLACE = re.compile(r" at \S+:\d+")  # where a function stands: no number of it is a size
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_WORD = re.compile(r"[A-Za-z_]\w*")
_QUOTED = re.compile(r"(['\"])(\w[\w .:-]{0,30}?)\1")


def read(text: str) -> Complaint:
    """What the text of an error says."""
    return Complaint(
        frozenset(fact for fact in Fact if fact.value.search(text)),
        mismatch(text),
        tuple(dict.fromkeys(int(n) for n in _NUMBER.findall(_PLACE.sub("", text)))),
        frozenset(_WORD.findall(text)),
        tuple(dict.fromkeys(quoted for _, quoted in _QUOTED.findall(text))),
    )


def says(error: BaseException, fact: Fact) -> bool:
    """Whether the first line of an error says one fact: what follows tells of many things, such as `carry[0]`."""
    return fact.value.search(first_line(error)) is not None


def untraceable(error: BaseException) -> bool:
    """Whether code that is traced needed the value of a tracer.

    NumPy makes an error of its own of it: `ys[i] = y` raises a ValueError because of it.
    """
    if isinstance(error, UNTRACEABLE) or isinstance(error.__cause__, UNTRACEABLE):
        return True
    return isinstance(error, TypeError) and says(error, Fact.FORMATTED)


def mismatch(text: str) -> TypeMismatch | None:
    """The types that differ where an error says that they must not."""
    old = None
    found = _CARRY.search(text) or _ARMS.search(text) or (old := _OLD_ARMS.search(text))
    if found is None:
        return None
    primitive = found[1] if old is None else "cond" if found[1] == "true_fun" else "switch"
    pairs = (_OLD_PAIR if old is not None else _PAIR).findall(text)
    types = tuple((_type(*pair[:2]), _type(*pair[2:])) for pair in pairs)
    return TypeMismatch(primitive, "structure" in found[2], types)


def _type(dtype: str, axes: str) -> ArrayType:
    return ArrayType(dtype, tuple(int(n) for n in axes.split(",") if n))


def carry_changes(before: str, after: str) -> str:
    """The text with which `scan` would say that a carry does not keep its type."""
    return (
        "scan body function carry input and carry output must have equal types, but they differ: "
        f"the carry has type {before} and then has type {after}"
    )


def of_carried_types(error: BaseException | None) -> bool:
    """Whether a TypeError says that a carry, or what the arms of a `cond` give, does not keep its type."""
    found = mismatch(str(error)) if isinstance(error, TypeError) else None
    return found is not None and (found.carry or (found.arms and found.primitive == "cond"))


def in_staged_body(error: BaseException | None) -> bool:
    """Whether an error came from the body of a staged loop or batch: it is traced even where it never runs.

    JAX must not filter its own frames out of tracebacks.
    """
    codes = (frame.f_code for frame, _ in walk_tb(error.__traceback__ if error is not None else None))
    frames = "\n".join(f"{code.co_filename}:{code.co_name}" for code in codes)
    return STAGED_BODY.search(frames.replace("\\", "/")) is not None


OF_ANOTHER_JAX = "is not the one that this code is written for"


def in_words(error: BaseException) -> str:
    """The class and first line of an error; for a name that this JAX lacks, which JAX it is."""
    return for_this_jax(f"{type(error).__name__}: {first_line(error)}")


def for_this_jax(text: str) -> str:
    """The text of an error; where it is that JAX has no such name, what is run, and what the code is written for."""
    if _REMOVED.search(text) is None or OF_ANOTHER_JAX in text:
        return text
    named = _ATTRIBUTE.search(text)
    older = f": `{named[1]}.{named[2]}` is of another JAX" if named else ""
    return f"{text} (JAX {jax.__version__} {OF_ANOTHER_JAX}{older})"


def first_line(error: BaseException, most: int | None = None) -> str:
    """The first line of the text of an error, or so many characters of it."""
    return next(iter(str(error).splitlines()), "")[:most]
