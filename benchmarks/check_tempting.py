"""That nothing wrong is written for programs that tempt to it.

    python benchmarks/check_tempting.py [--programs FOLDER] [--only PART] [--keep FOLDER]

Each program of `benchmarks/tempting` is a file with functions that invite a rewrite which changes something: a number
that leaves its type, a type, a gradient, what is printed, what a caller may pass. Lines `# call: f(...)` say what it is
judged on; scanlint does not read them. The programs are fixed (`--fix`, every rule), then each call is judged from
outside, with nothing of the verifier: the old text op by op (`jax.disable_jit`), the new one as it stands.

- result: tree, kind of array (NumPy or JAX), shape, dtype, values, places of NaN; an error of the new text alone too
- arguments after the call, and what was printed or called back
- the gradient by the float arguments, the result under `vmap`, and the same with float16 and bfloat16, where the old
  text has them
- all of it again with 64 bits enabled

What the verdict of a rewrite says itself is told, and not wrong: that it raises for whole numbers, for rows in place of
numbers, for lists of rows, for arrays that are not as long as each other, or where there are no elements; that a
gradient differs where two values tie. Prints what is wrong or told, what ran for too long to be judged, and how many
programs were rewritten; exits with 1 if anything was wrong. 100 programs take about 12 minutes on one processor.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import importlib.util
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")
HERE = Path(__file__).parent
MARK = "# call: "
SEPARATE = "--judge"
SECONDS, MOST_SECONDS, LATE = 30.0, 300.0, "not judged: it takes too long"
RULES = "SCN1,SCN2,SCN3,SCN4,SCN107,SCN108"
TOLERANCE = {"float16": 2e-2, "bfloat16": 1e-1, "float32": 5e-4, "complex64": 5e-4, "float64": 1e-6, "complex128": 1e-6}
HALVES = ("float16", "bfloat16")
OF_NOTHING = ("no elements", "no rows", "nothing to loop over", "(weak, as that of a Python number)")
"""What a verdict says of arrays without elements."""
OTHER_KIND, LEFT = "a value of", "arguments after the call"
WEAK = re.compile(r"the dtype was (\w+) \(weak, as that of a Python number\) and is (\w+)")
AT_NAN = "where an argument is NaN the gradient is NaN"
SINGULAR, FORWARD = "is not finite at a singular point", "has no reverse-mode gradient"
ROWS, ONE = "with rows in the place of numbers the new version raises", "results have other shapes where"
LISTED = re.compile("^only where `.*` is an array: for a list of its rows the new version raises")
UNEVEN, BOUNDARY = "only for arrays that are as long as each other", "the gradient differs at a boundary"
PATHS, DIFFER = "the result has one type whichever path is taken,", "where arguments differ in dtype"
WRAPS = "values wrap or become infinite there"
RAISES, NARROW = "the new version raises for ", "its types of 32 bits keep it from running with x64"


def calls(text: str) -> list[str]:
    return [line.removeprefix(MARK) for line in text.splitlines() if line.startswith(MARK)]


@dataclass(frozen=True)
class Told:
    """A finding: the program and function that it is in, whether it was fixed, and what its verdict says."""

    name: str
    function: str
    applied: bool
    notes: list[str]


def fixed(programs: list[Path], folder: Path, options: list[str]) -> list[Told]:
    """Copy the programs, each into a folder of its own, and fix them."""
    for program in programs:
        (folder / program.stem).mkdir()
        shutil.copy(program, folder / program.stem / program.name)
    command = [sys.executable, "-m", "scanlint", "--fix", "--no-cache", "--select", RULES, "--output-format", "json"]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    done = subprocess.run(
        [*command, *options, "."], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        sys.exit(f"scanlint failed with {done.returncode}: {done.stderr[-2000:]}")
    (folder / "findings.json").write_text(done.stdout)
    return [
        Told(
            Path(found["path"]).stem,
            found["function"] or "",
            found["fix"]["status"] == "applied",
            (found["verification"] or {}).get("notes", []),
        )
        for found in json.loads(done.stdout)["findings"]
    ]


# -- the judge: run in a process of its own for each program, with 64 bits or without


@dataclass(frozen=True)
class Ran:
    """What a call gave: its result or its error, its arguments afterwards, and what went out."""

    result: object
    error: str
    arguments: object
    printed: str


def load(path: Path, name: str) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with contextlib.redirect_stdout(io.StringIO()):
        spec.loader.exec_module(module)
    return module


def arguments(module: types.ModuleType, call: ast.Call) -> tuple[list[object], dict[str, object]]:
    import jax
    import jax.numpy as jnp
    import numpy as np

    names = {"jax": jax, "jnp": jnp, "np": np, **vars(module)}

    def value(node: ast.expr) -> object:
        return eval(compile(ast.Expression(node), "<call>", "eval"), names)

    return [value(a) for a in call.args], {str(k.arg): value(k.value) for k in call.keywords}


class TooLong(BaseException):
    """A run that is not waited for; no program catches it."""


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Raise TooLong where the body takes more than SECONDS between operations."""

    def end(number: int, frame: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def ran(function: Callable[..., object], given: tuple[list[object], dict[str, object]], *, eager: bool) -> Ran:
    import jax

    positional, named = copy.deepcopy(given)
    out, result, error = io.StringIO(), None, ""
    with contextlib.redirect_stdout(out), jax.disable_jit() if eager else contextlib.nullcontext(), limited():
        try:
            result = function(*positional, **named)
            jax.block_until_ready(jax.tree.leaves(result))
            jax.effects_barrier()
        except Exception as raised:  # noqa: BLE001 - whatever a program raises is compared
            error = f"{type(raised).__name__}: {raised}".splitlines()[0][:200]
        except TooLong:
            error = LATE
    return Ran(result, error, (positional, named), out.getvalue())


def kind(leaf: object) -> str:
    import jax
    import numpy as np

    if isinstance(leaf, jax.Array):
        return "jax"
    return "numpy" if isinstance(leaf, np.ndarray | np.generic) else type(leaf).__name__


def numbers(leaf: object) -> object:
    """A leaf as an array of NumPy, a key as the words that it holds."""
    import jax
    import numpy as np

    keyed = isinstance(leaf, jax.Array) and jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    return np.asarray(jax.random.key_data(leaf) if keyed else leaf)


def differs(old: object, new: object, *, kinds: bool, least: float = 0.0) -> str:
    """How results differ; `least`: what the rounding of narrow arguments leaves in wider results."""
    import jax
    import numpy as np

    before, after = jax.tree.flatten(old), jax.tree.flatten(new)
    if str(before[1]).replace("old_", "") != str(after[1]).replace("new_", ""):
        return f"tree {before[1]} / {after[1]}"
    for a, b in zip(before[0], after[0], strict=True):
        if kinds and kind(a) != kind(b) and not {kind(a), kind(b)} <= {"jax", "int", "float", "bool"}:
            return f"{OTHER_KIND} {kind(a)} / {kind(b)}"
        if not hasattr(a, "dtype") and not hasattr(b, "dtype") and not isinstance(a, int | float | complex):
            if a != b:
                return f"{a!r} / {b!r}"
            continue
        one, two = (numbers(x) for x in (a, b))
        if one.shape != two.shape:
            return f"shape {one.shape} / {two.shape}"
        if hasattr(a, "dtype") and str(one.dtype) != str(two.dtype):
            return f"dtype {one.dtype} / {two.dtype}"
        wide = complex if np.iscomplexobj(one) else float
        values = one.astype(wide), two.astype(wide)
        most = max(TOLERANCE.get(str(one.dtype), 0.0), least if str(one.dtype) in TOLERANCE else 0.0)
        scale = float(np.nanmax(np.abs(np.where(np.isfinite(values[0]), values[0], 0)), initial=0.0))
        if not np.allclose(*values, rtol=most, atol=most * max(scale, 1e-3), equal_nan=True):
            return f"values {values[0].ravel()[:4]} / {values[1].ravel()[:4]}"
    return ""


def wrong(old: Ran, new: Ran, *, kinds: bool = True, least: float = 0.0) -> str:
    if old.error:
        return LATE if old.error == LATE else ""
    if new.error:
        return f"the new text raises {new.error}"
    if why := differs(old.result, new.result, kinds=kinds, least=least):
        return why
    if why := differs(old.arguments, new.arguments, kinds=kinds):
        return f"{LEFT}: {why}"
    return f"printed {old.printed[:80]!r} / {new.printed[:80]!r}" if old.printed != new.printed else ""


def floats(given: tuple[list[object], dict[str, object]]) -> list[int]:
    import jax
    import jax.numpy as jnp

    return [i for i, a in enumerate(given[0]) if isinstance(a, jax.Array) and jnp.issubdtype(a.dtype, jnp.floating)]


def summed(function: Callable[..., object], at: list[int]) -> Callable[..., object]:
    """The gradient, by the arguments `at`, of the sum of what a function gives in floats."""
    import jax
    import jax.numpy as jnp

    def total(*positional: object, **named: object) -> object:
        leaves = [jnp.asarray(leaf) for leaf in jax.tree.leaves(function(*positional, **named))]
        return sum((jnp.sum(leaf) for leaf in leaves if jnp.issubdtype(leaf.dtype, jnp.floating)), jnp.zeros(()))

    return jax.grad(total, argnums=tuple(at))


def mapped(function: Callable[..., object], at: list[int]) -> Callable[..., object]:
    import jax
    import jax.numpy as jnp

    def call(*positional: object, **named: object) -> object:
        def inner(*some: object) -> object:
            rest = list(positional)
            for i, value in zip(at, some, strict=True):
                rest[i] = value
            return function(*rest, **named)

        return jax.vmap(inner)(*(jnp.stack([positional[i], positional[i] + 0.5]) for i in at))

    return call


def compared(
    old: Callable[..., object],
    new: Callable[..., object],
    given: tuple[list[object], dict[str, object]],
    *,
    kinds: bool = True,
    least: float = 0.0,
) -> str:
    """How the new text differs from the old one op by op, or under its own `jit`: arrays of JAX, errors, arguments."""
    before = ran(old, given, eager=True)
    if before.error:
        return LATE if before.error == LATE else ""
    found = ran(new, given, eager=False)
    why = wrong(before, found, kinds=kinds, least=least)
    if why.startswith((OTHER_KIND, LEFT)) or found.error:
        traced = ran(old, given, eager=False)
        alike = traced.error.partition(":")[0] == found.error.partition(":")[0]
        return wrong(traced, found, kinds=kinds, least=least) if alike else why
    return why


def ways(
    old: Callable[..., object], new: Callable[..., object], given: tuple[list[object], dict[str, object]]
) -> Iterator[tuple[str, str]]:
    """Each way to look at a call, and what is wrong in it."""
    import jax.numpy as jnp

    yield "as called", (why := compared(old, new, given))
    at = floats(given)
    if not at or why == LATE:
        return
    for way, change in (("gradient", summed), ("vmap", mapped)):
        yield way, compared(change(old, at), change(new, at), given, kinds=False)
    for dtype in HALVES:
        half = [a.astype(jnp.dtype(dtype)) if i in at else a for i, a in enumerate(given[0])], given[1]  # type: ignore[attr-defined]
        yield dtype, compared(old, new, half, least=TOLERANCE[dtype])


def kinds_of(given: tuple[list[object], dict[str, object]]) -> list[str]:
    """The dtypes of the arguments of a call, and what else verdicts speak of."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    leaves = [leaf for leaf in jax.tree.leaves(given) if not isinstance(leaf, str)]
    empty = any(np.size(leaf) == 0 for leaf in leaves if hasattr(leaf, "dtype"))
    rows = any(np.ndim(leaf) > 1 for leaf in leaves)
    listed = any(isinstance(one, list | tuple) for one in (*given[0], *given[1].values()))
    uneven = len({leaf.shape[0] for leaf in leaves if getattr(leaf, "shape", ())}) > 1
    more = [*["empty"] * empty, *["rows"] * rows, *["listed"] * listed, *["uneven"] * uneven]
    return [*{str(getattr(leaf, "dtype", None) or jnp.result_type(leaf)) for leaf in leaves}, *more]


def judged(before: Path, after: Path) -> list[list[object]]:
    """What is wrong with a rewritten program, call by call, each with the kinds of its arguments."""
    old, new = load(before, "old_program"), load(after, "new_program")
    found: list[list[object]] = []
    for text in calls(before.read_text()):
        call = ast.parse(text, mode="eval").body
        assert isinstance(call, ast.Call)
        pair = [eval(ast.unparse(call.func), dict(vars(module))) for module in (old, new)]
        given = arguments(old, call), arguments(new, call)
        try:
            seen = [f"{text}: {way}: {why}" for way, why in ways(pair[0], pair[1], given[0]) if why]
        except TypeError as error:  # arguments of the module's own classes cannot be handed to the other module
            first = wrong(ran(pair[0], given[0], eager=True), ran(pair[1], given[1], eager=False), kinds=False)
            seen = [f"{text}: {first} ({error})"] if first else []
        found += [[line, kinds_of(given[0])] for line in seen]
    return found


def tell(pairs: list[tuple[Path, Path]]) -> None:
    """Print what is wrong with each program as a line of JSON."""
    for before, after in pairs:
        try:
            why = judged(before, after)
        except Exception as error:  # noqa: BLE001 - a program that cannot be judged is said, the others go on
            why = [[f"cannot be judged: {type(error).__name__}: {error}".splitlines()[0], []]]
        print(json.dumps([before.stem, why]), flush=True)


def in_own_process(pairs: list[tuple[Path, Path]], *, x64: bool) -> Iterator[tuple[str, list[tuple[str, list[str]]]]]:
    """What is wrong with each program, judged in a process that has 64 bits enabled or not."""
    command = [sys.executable, __file__, SEPARATE, json.dumps([[str(a), str(b)] for a, b in pairs])]
    environment = {**os.environ, "JAX_ENABLE_X64": "1" if x64 else "0", "PYTHONDONTWRITEBYTECODE": "1"}
    seen = 0
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        while True:
            timer = threading.Timer(MOST_SECONDS, process.kill)  # what is compiled hears no signal
            timer.start()
            line = process.stdout.readline() if process.stdout else ""
            timer.cancel()
            if not line:
                break
            name, why = json.loads(line)
            seen += 1
            yield name, [(f"{text} (64 bits)" if x64 else text, kinds) for text, kinds in why]
    if seen < len(pairs):
        killed = process.returncode == -signal.SIGKILL
        yield (
            pairs[seen][0].stem,
            [(f"a program: {LATE}" if killed else f"the judge ended with {process.returncode}", [])],
        )
        yield from in_own_process(pairs[seen + 1 :], x64=x64)


def notes_of(findings: list[Told], name: str, function: str) -> list[str]:
    """What the verdicts of the rewrites of a function say, or of all in the file where none is of this function."""
    of_file = [found for found in findings if found.name == name and found.applied]
    own = [found for found in of_file if found.function == function] or of_file
    return [note for found in own for note in found.notes]


def is_told(text: str, kinds: list[str], notes: list[str]) -> bool:
    """Whether a verdict says itself what is wrong with a call."""
    raising = {name for note in notes for name in re.findall(r"\w+", note.partition(RAISES)[2])}
    given = {*kinds, *(half for half in HALVES if f": {half}: " in text)}
    if "the new text raises" in text and raising & given:
        return True
    if "the new text raises" in text and "rows" in kinds and any(note.startswith(ROWS) for note in notes):
        return True
    if "the new text raises" in text and "listed" in kinds and any(LISTED.search(note) for note in notes):
        return True
    if "values" in text and any(WRAPS in note and set(kinds) & set(re.findall(r"\w+", note)) for note in notes):
        return True
    if ": dtype " in text and any(
        note.startswith(PATHS) and (DIFFER in note or set(kinds) & set(re.findall(r"\w+", note))) for note in notes
    ):
        return True
    dtypes = text.replace("int64", "int32").replace("float64", "float32")
    if any(f": dtype {' / '.join(pair)}" in dtypes for note in notes for pair in WEAK.findall(note)):
        return True
    if "nan" in text and ": values" in text and any(note.startswith(AT_NAN) for note in notes):
        return True
    if "shape (" in text and any(note.startswith(ONE) for note in notes):
        return True
    if "uneven" in kinds and any(note.startswith(UNEVEN) for note in notes):
        return True
    if ": gradient: values" in text and any(SINGULAR in note or note.startswith(BOUNDARY) for note in notes):
        return True
    if "Reverse-mode differentiation does not work" in text and any(FORWARD in note for note in notes):
        return True
    if text.endswith("(64 bits)") and any(note.startswith(NARROW) for note in notes):
        return True
    return "empty" in kinds and any(part in note for part in OF_NOTHING for note in notes)


def classed(findings: list[Told], name: str, why: list[tuple[str, list[str]]]) -> tuple[str, list[str]]:
    """The gravest that there is to say of a program, with the lines that say it."""
    late = [text for text, _ in why if text.removesuffix(" (64 bits)").endswith(f": {LATE}")]
    noted = [text for text, kinds in why if is_told(text, kinds, notes_of(findings, name, text.partition("(")[0]))]
    if wrong := [text for text, _ in why if text not in (*late, *noted)]:
        return "WRONG", wrong
    return ("LATE", late) if late else ("TOLD", noted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, default=HERE / "tempting")
    parser.add_argument("--only", default="", help="a part of the names of the programs")
    parser.add_argument("--keep", type=Path, help="a folder for the programs after the fix and the findings")
    parser.add_argument("options", nargs="*", help="further options of scanlint, after --")
    asked = parser.parse_args()
    programs = sorted(p for p in asked.programs.glob("*.py") if asked.only in p.stem)
    seen: dict[str, set[str]] = {"WRONG": set(), "LATE": set(), "TOLD": set()}
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        findings = fixed(programs, folder, asked.options)
        changed = [p for p in programs if (folder / p.stem / p.name).read_bytes() != p.read_bytes()]
        pairs = [(program, folder / program.stem / program.name) for program in changed]
        for x64 in (False, True) if pairs else ():
            for name, why in in_own_process(pairs, x64=x64):
                word, lines = classed(findings, name, why)
                if lines:
                    seen[word].add(name)
                    print(f"{word} {name}", *(f"    {line}" for line in lines[:4]), sep="\n", flush=True)
    left = sum(not found.applied for found in findings)
    bad, late, told = seen.values()
    judged = f"{len(bad)} wrong, {len(told - bad)} told by their verdicts, {len(late)} too slow to be judged"
    print(f"{len(programs)} programs, {left} findings left, {len(changed)} rewritten, {judged}")
    sys.exit(bool(bad))


if __name__ == "__main__":
    if sys.argv[1:2] == [SEPARATE]:
        tell([(Path(before), Path(after)) for before, after in json.loads(sys.argv[2])])
    else:
        main()
