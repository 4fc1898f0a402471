"""What does one trip of each version prove for all sizes, how fast, and does it prove anything that is wrong?

    python benchmarks/check_induction.py [--mutants N] [--seed N]

Right pairs: the pages' before and after, with their calls, and the experts' versions of the fixtures. Of each new
version that is proved, N mutants, one small change each; a mutant that is proved too is judged by the oracle, which
runs both on many inputs. Prints the share that is proved, the reasons of the rest by kind, and milliseconds. Exits with
1 if a mutant is proved that the oracle tells from the right version.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import sys
import time
import types
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np
from mutation.mutate import mutants
from mutation.oracle import UNDECIDED, Oracle
from mutation.pairs import FENCE, ROOT

from scanlint.verify.worker.proof.symbolic.prove_for_all import ForAllSizes, Version, prove
from scanlint.verify.worker.runtime.calling import Signature, Values
from scanlint.verify.worker.runtime.loading import Loaded

TRIPS = 7
LOOPS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp)


class RightPair(NamedTuple):
    """Two versions of a function that are right, with arguments; `calls` runs the function, for the oracle."""

    origin: str
    before: str
    after: str
    function: str
    values: Values
    calls: str


def loaded(text: str, function: str) -> Version | None:
    """A text as a module, with the definition of a function at its top."""
    module = types.ModuleType("pair")
    module.__dict__.update(jax=jax, jnp=jnp, np=np)
    exec(compile(text, "<pair>", "exec"), module.__dict__)
    tree = ast.parse(text)
    found = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function]
    return Version(Loaded(module, tree, found[-1], text=text), found[-1]) if found else None


def proved(pair: RightPair, after: str) -> ForAllSizes | None:
    """The proof of a new version; None where a text has no such function."""
    old, new = loaded(pair.before, pair.function), loaded(after, pair.function)
    if old is None or new is None:
        return None
    static = frozenset(n for n, v in pair.values.items() if isinstance(v, str) or type(v) is int)
    old.static = new.static = static
    signature = Signature.of(old.node, static)
    return prove(old, new, signature, (pair.values, pair.values), floats=True)


def pages() -> Iterator[RightPair]:
    """The examples of the pages, one pair for each call of a function by its name."""
    for page in sorted((ROOT / "rules").glob("*.md")):
        blocks = FENCE.findall(page.read_text(encoding="utf-8"))
        for (one, before), (other, after), (last, calls) in zip(blocks, blocks[1:], blocks[2:], strict=False):
            if (one, other, last) == ("before", "after", "call"):
                yield from _called(page.stem, before, after, calls)


def _called(origin: str, before: str, after: str, calls: str) -> Iterator[RightPair]:
    for statement in ast.parse(calls).body:
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Name(id=name)) as call):
                old = loaded(before, name)
                if old is None or not any(isinstance(n, LOOPS) for n in ast.walk(old.node)):
                    continue
                space = dict(old.loaded.names)
                given = [eval(ast.unparse(a), space) for a in call.args]
                places = Signature.of(old.node, frozenset()).positional
                values = dict(zip(places, given, strict=False))
                values |= {k.arg: eval(ast.unparse(k.value), space) for k in call.keywords if k.arg}
                yield RightPair(origin, before, after, name, values, ast.unparse(call))


def experts() -> Iterator[RightPair]:
    """The functions of the fixtures, and what experts made of them."""
    for folder in sorted((ROOT / "fixtures" / "experts").iterdir()):
        texts = [(folder / f"{n}.py").read_text(encoding="utf-8") for n in ("before", "expert", "calls")]
        spaces: list[dict[str, object]] = [{}, {}]
        exec(texts[0], spaces[0])
        exec(texts[2], spaces[1])
        made = spaces[1]["calls"](types.SimpleNamespace(**spaces[0]), TRIPS)  # type: ignore[operator]
        for name, arguments in made.items():
            old = loaded(texts[0], name)
            if old is not None:
                values = dict(zip(Signature.of(old.node, frozenset()).positional, arguments, strict=False))
                given = f"calls(types.SimpleNamespace(**globals()), {TRIPS})['{name}']"
                calls = f"{texts[2]}\nimport types\n{name}(*{given})\n"
                yield RightPair(folder.name, texts[0], texts[1], name, values, calls)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    chance = random.Random(asked.seed)
    count, why, spent, right = Counter[bool](), Counter[str](), list[float](), list[RightPair]()
    for pair in (*pages(), *experts()):
        started = time.process_time()
        found = proved(pair, pair.after)
        if found is None:
            continue
        spent.append(1e3 * (time.process_time() - started))
        count[found.proved] += 1
        right += [pair] if found.proved else []
        if not found.proved:
            why[found.reason] += 1
            print(f"{pair.origin}: {pair.function}: {found.reason}")
    spent.sort()
    late = spent[len(spent) * 95 // 100]
    middle = spent[len(spent) // 2]
    print(f"{count[True]} of {count.total()} proved for all sizes, median {middle:.0f} ms, 95% {late:.0f} ms")
    oracle, tried, equal, wrong = Oracle(), 0, 0, 0
    for pair in right if asked.mutants else []:
        found_mutants = list(mutants(pair.after, pair.function))
        for mutant in chance.sample(found_mutants, min(asked.mutants, len(found_mutants))):
            try:
                found = proved(pair, mutant.text)
            except Exception:  # noqa: BLE001 - the mutant is no module
                continue
            tried += 1
            if found is not None and found.proved:
                told = oracle.ask(pair.after, mutant.text, pair.function, pair.calls)
                told = "" if told == UNDECIDED else told
                equal, wrong = equal + (not told), wrong + bool(told)
                if told:
                    place = f"{pair.origin}: {pair.function}, line {mutant.line}"
                    print(f"proved, and wrong: {place}: {mutant.operator}: {told}")
    if asked.mutants:
        print(f"{tried} mutants: {equal} proved that no input tells from the right version, {wrong} proved and wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
