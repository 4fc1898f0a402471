"""unused-split: a random key that is split off and never used."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.keys.libraries import SPLITS
from scanlint.rules.base import Context, Rule


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
        from scanlint.keys.unused import unused_keys

        for found in unused_keys(context.unit, node):
            if found.name is None:
                message = "the keys that `split` gives are dropped: the key stays what it was"
                yield context.report(
                    node, message, end=node.func, help="bind them: `key, subkey = jax.random.split(key)`"
                )
                continue
            name = found.name.id
            message = f"`{name}` is split off and never used: nothing draws from it"
            help = f"draw from `{name}`, or name it `_` if one key is to be left out"
            yield context.report(found.name, message, label="never read", help=help)
