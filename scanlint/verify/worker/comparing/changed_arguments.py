"""Compares what a call leaves behind in its arguments."""

from __future__ import annotations

from ..runtime.calling import Values, in_time, plain
from ..runtime.jax_functions import finished
from ..runtime.stored_results import copied
from ..runtime.version_pair import VersionPair, drained
from .agreement import Agreement, Difference, compare, describe
from .refutations import Refuted


def changes_arguments(pair: VersionPair, values: Values) -> bool:
    """Whether calls change lists, dicts, NumPy's arrays or objects; raises Refuted where these differ after them."""
    before, after = pair.own(copied(values)), pair.moved(copied(values))

    def called() -> bool:
        finished(drained(pair.signature.call(plain(pair.before), before)))
        finished(drained(pair.signature.call(plain(pair.after), after)))
        return True

    if not in_time(called, pair.pace.patience):  # the results were compared in another way
        return False
    for name, held in before.items():
        result = compare(held, after[name])
        if isinstance(result, Difference):
            raise Refuted(f"{describe(values)}: after the call `{name}` differs: {result.text}")
        if isinstance(held, dict) and list(held) != list(after[name]):  # type: ignore[call-overload]
            raise Refuted(f"{describe(values)}: after the call the keys of `{name}` have another order")
    return any(not isinstance(compare(values[name], held), Agreement) for name, held in before.items())
