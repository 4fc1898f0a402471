"""Arguments in half precision beside others: Python promotes them anew on every trip, a carry has one type."""

from __future__ import annotations

from collections.abc import Iterator

from .call import TookTooLong
from .compare import BASE_ULPS, Difference, compare, describe, kinds
from .jaxes import eps
from .judge import Judge, Weaker
from .rounding import apart, draws, in_double
from .specs import Array, Choice, Scalar, Spec, leaves, replace
from .values import Specs, Values

MOST = 4
WORSE = 1.5
DRAWN = 4.0
OTHERS = {"float32": "float16", "int32": "int8"}


def narrowed(specs: Specs) -> Iterator[tuple[Specs, bool]]:
    """The specs with all floats in fewer bits, then with the numbers of one argument; and whether it is all floats."""
    if any(_holds(spec, "float32") for spec in specs.values()):
        yield {n: retyped(s, "float32", OTHERS["float32"]) for n, s in specs.items()}, True
    for wide, short in OTHERS.items():
        names = [name for name, spec in specs.items() if _holds(spec, wide)]
        for chosen in names[:MOST] if len(names) > 1 else []:
            yield {n: retyped(s, wide, short) if n == chosen else s for n, s in specs.items()}, False


def _holds(spec: Spec, dtype: str) -> bool:
    return any(isinstance(leaf, Array) and leaf.dtype == dtype for _, leaf in leaves(spec))


def retyped(spec: Spec, dtype: str, other: str) -> Spec:
    """The spec with arrays of another dtype."""

    def change(leaf: Array | Scalar | Choice, path: str) -> Spec:
        return Array(leaf.shape, other) if isinstance(leaf, Array) and leaf.dtype == dtype else leaf

    return replace(spec, change)


def same_in_few_bits(judge: Judge, values: Values) -> str:
    """What is to be said of these arguments; raises Weaker where the results differ.

    Rounding to few bits explains nothing by itself: the new version may round no more than the old one does.
    """
    try:
        expected = judge.run_old(values)
    except (Exception, TookTooLong):  # noqa: BLE001
        return ""
    judge.stage("running the new version in half precision")
    for name, run in judge.runs(values):
        try:
            found = judge.untraced(run, values)
        except Exception as error:  # noqa: BLE001
            text = str(error).splitlines()[0][:120] if str(error) else ""
            return f"the new version raises for {kinds(values)}: {type(error).__name__}: {text}"
        result = compare(expected, found)
        if isinstance(result, Difference) and not _as_exact(judge, values, expected, found, result):
            raise Weaker(f"{describe(values)}: {result.text}{name}")
        judge.weakness.compared(expected, found, values)
    return ""


def _as_exact(judge: Judge, values: Values, expected: object, found: object, result: Difference) -> bool:
    """Whether the new version is as near to what double precision gives as the old one is."""
    if not (result.values_only or result.discrete):
        return False
    if draws(judge.old.tree):
        return result.discrete or result.relative <= DRAWN * eps("float16")
    exact = in_double(judge, values)
    if exact is None:
        return False
    before, after = apart(expected, exact), apart(found, exact)
    return before.flips or (not after.flips and after.relative <= WORSE * before.relative + BASE_ULPS * eps("float32"))
