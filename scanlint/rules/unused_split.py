"""unused-split: a random key that is split off and never used."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.keys.libraries import SPLITS
from scanlint.rules.base import Context, Rule
from scanlint.rules.loop_messages import quoted


class UnusedSplit(Rule[ast.Call]):
    """Often the draw that was to take the new key takes the old one."""

    code = "SCN505"
    name = "unused-split"
    level = "advice"
    calls = SPLITS
    apart = True

    def check(self, node: ast.Call, context: Context) -> Iterator[Report]:
        if context.unit.source.tests or context.unit.keys is None:
            return
        from scanlint.keys.unused import is_missed, unused_keys

        if isinstance(context.unit.parents.get(node), ast.Expr):
            message = "the keys that `split` gives are dropped: the key stays what it was"
            yield context.report(node, message, end=node.func, help="bind them: `key, subkey = jax.random.split(key)`")
        elif (found := list(unused_keys(context.unit, node))) and is_missed(context.unit):
            names, one = quoted([name.id for name in found]), len(found) == 1
            draws = f"{'is' if one else 'are'} split off and never used: nothing draws from {'it' if one else 'them'}"
            help = f"draw from {names}, or name {'it' if one else 'them'} `_` if {'one key is' if one else 'keys are'}"
            yield context.report(found[0], f"{names} {draws}", label="never read", help=f"{help} to be left out")
