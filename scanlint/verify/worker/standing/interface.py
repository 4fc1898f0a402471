"""How a function is called: a version that cannot be called as before is another one, whatever it computes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from inspect import Parameter

import jax
import jax.numpy as jnp

from ..comparing.agreement import of_other_kind
from ..runtime.calling import TookTooLong, Values, in_time, jitted, limited
from ..runtime.jax_errors import first_line
from ..runtime.jax_functions import attribute
from ..runtime.stored_results import copied
from ..runtime.version_pair import VersionPair

SECONDS = 4.0
MOST_PASSED = 4
NUMBERS = ("int", "float", "bool", "str", "complex")
PLAIN = frozenset([int, float, bool, str, complex, type(None)])
BY_PLACE = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
Function = Callable[..., object]


def changed_interface(before: Function, after: Function, *, method: bool) -> str:
    """A call that the old version takes and the new one does not, or ""; `method`: the first parameter has no name."""
    old, new = _parameters(before, method), _parameters(after, method)
    if old is None or new is None:
        return ""
    return next((text for name in old if (text := _lost(name, old, new))), "") or _added(old, new)


def _parameters(function: Function, method: bool) -> dict[str, Parameter] | None:
    try:
        found = dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # nothing is known of its parameters: nothing is refuted
        return None
    first = next(iter(found), None)
    if method and first is not None and found[first].kind is Parameter.POSITIONAL_OR_KEYWORD:
        found = {n: p.replace(kind=Parameter.POSITIONAL_ONLY) if n == first else p for n, p in found.items()}
    return found


def _lost(name: str, old: dict[str, Parameter], new: dict[str, Parameter]) -> str:
    """What can no longer be done with a parameter of the old version."""
    was, kinds = old[name], {p.kind for p in new.values()}
    match was.kind:
        case Parameter.VAR_POSITIONAL:
            return "" if was.kind in kinds else f"takes no further arguments `*{name}` any more"
        case Parameter.VAR_KEYWORD:
            return "" if was.kind in kinds else f"takes no further keywords `**{name}` any more"
        case Parameter.KEYWORD_ONLY:
            found = new.get(name)
            if found is None or found.kind not in (Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD):
                return "" if Parameter.VAR_KEYWORD in kinds else f"`{name}` cannot be passed by keyword any more"
            return _default(was, found)
    at = _by_place(old).index(name)
    places = _by_place(new)
    there = new[places[at]] if at < len(places) else None
    if was.kind is Parameter.POSITIONAL_ONLY:
        if there is None:
            return "" if Parameter.VAR_POSITIONAL in kinds else f"`{name}` cannot be passed by position any more"
        return _default(was, there)
    if there is None or there.name != name:
        if {Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD} <= kinds and name not in new:
            return ""
        return _elsewhere(name, new)
    if there.kind is Parameter.POSITIONAL_ONLY:
        return f"`{name}` cannot be passed by keyword any more"
    return _default(was, there)


def _by_place(parameters: dict[str, Parameter]) -> list[str]:
    return [name for name, p in parameters.items() if p.kind in BY_PLACE]


def _elsewhere(name: str, new: dict[str, Parameter]) -> str:
    if name not in new:
        return f"`{name}` is no parameter any more"
    by_keyword = new[name].kind is Parameter.KEYWORD_ONLY
    return f"`{name}` can only be passed by keyword" if by_keyword else f"`{name}` stands at another place"


def _default(was: Parameter, now: Parameter) -> str:
    lost = was.default is not Parameter.empty and now.default is Parameter.empty
    return f"`{now.name}` has no default any more" if lost else ""


def changed_defaults(before: Function, after: Function) -> list[str]:
    """The parameters whose defaults differ in value or type, where these are numbers, texts or None."""
    old, new = _parameters(before, False), _parameters(after, False)
    both = (old or {}).keys() & (new or {}).keys()
    pairs = {name: (old[name].default, new[name].default) for name in both} if old and new else {}
    return [n for n, (a, b) in pairs.items() if {type(a), type(b)} <= PLAIN and (type(a) is not type(b) or a != b)]


def _added(old: dict[str, Parameter], new: dict[str, Parameter]) -> str:
    """A parameter that callers of the old version do not pass."""
    known = len(_by_place(old))
    places = _by_place(new)
    wanted = [n for n in places[known:] if new[n].default is Parameter.empty]
    wanted += [
        n for n, p in new.items() if p.kind is Parameter.KEYWORD_ONLY and n not in old and p.default is Parameter.empty
    ]
    return f"`{wanted[0]}` has to be passed as well" if wanted else ""


def lost_arguments(pair: VersionPair, values: Values) -> str:
    """What the new version does not take any more of these arguments: arrays for numbers, or to be kept; or ""."""
    return _donated(pair, values) or next(_static_now(pair, values), "")


def other_kind(pair: VersionPair, values: Values) -> str:
    """How results of Python that no `jit` runs differ in who holds them, NumPy or JAX; or ""."""

    def told() -> str:
        before = pair.signature.call(pair.before, pair.own(copied(values)))
        return of_other_kind(before, pair.signature.call(pair.after, pair.moved(copied(values))))

    return in_time(told, SECONDS) or ""


def _donated(pair: VersionPair, values: Values) -> str:
    """An argument whose memory the new version takes."""

    def given_away(function: Function, own: Values) -> set[str]:
        if not jitted(function):
            return set()
        told = attribute(pair.signature.call(attribute(function, "lower"), own), "args_info")
        flat, _ = jax.tree_util.tree_flatten_with_path(told)
        return {jax.tree_util.keystr(path) for path, leaf in flat if attribute(leaf, "donated")}

    def taken() -> set[str]:
        new = given_away(pair.after, pair.moved(copied(values)))
        return new - given_away(pair.before, pair.own(copied(values))) if new else new

    return "an argument is donated now: callers cannot use it after the call" if in_time(taken, SECONDS) else ""


def _static_now(pair: VersionPair, values: Values) -> Iterator[str]:
    """Numbers that may be arrays in the old version, where no annotation says otherwise, and must be static now."""
    numbers = [name for name, value in values.items() if isinstance(value, int | float) and not annotated(pair, name)]
    for name in numbers[:MOST_PASSED]:
        given = {**values, name: jnp.asarray(values[name])}
        own = pair.own(copied(given))
        if in_time(lambda own=own: [pair.signature.call(pair.before, own)], SECONDS) is None:  # type: ignore[misc]
            continue  # the old version takes no array either
        try:
            with limited(SECONDS):
                pair.signature.call(pair.after, pair.moved(copied(given)))
        except TookTooLong:  # slow is not different
            continue
        except Exception as error:  # noqa: BLE001
            yield f"`{name}` cannot be an array any more: {type(error).__name__}: {first_line(error, 120)}"


def annotated(pair: VersionPair, name: str) -> bool:
    """An annotation says that the parameter is a number of Python."""
    annotations: dict[str, object] = attribute(pair.before, "__annotations__", {})
    said = annotations.get(name)
    return (said if isinstance(said, str) else attribute(said, "__name__")) in NUMBERS
