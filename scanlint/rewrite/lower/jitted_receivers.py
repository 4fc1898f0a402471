"""The object of a jitted method as a static argument."""

from __future__ import annotations

from scanlint.branches.jitted_methods import JittedMethod
from scanlint.finding import Outcome, Withheld
from scanlint.rewrite.lower.static_flags import to_static
from scanlint.trace.hints.setting_parameters import Flag
from scanlint.trace.unit import Unit


def to_static_receiver(unit: Unit, found: JittedMethod) -> Outcome:
    """The jit with the object static, where nothing changes it and it can be hashed."""
    if found.linen:
        return Withheld(
            "flax-module", "a call of a module adds its parameters to what flax keeps of it: flax has a jit of its own"
        )
    if found.changes is not None:
        return Withheld(
            "object-changes", f"attributes are set at line {found.changes}: what was compiled goes on with the old"
        )
    if not found.hashed:
        return Withheld("no-hash", f"a `{found.owner.name}` may have no hash, as it is compared by its fields")
    function = found.function
    parameter = [*function.args.posonlyargs, *function.args.args][0]
    flag = Flag(found.receiver, function, found.jit.node, function, "", parameter, False)
    return to_static(unit, unit.contexts[function], flag)
