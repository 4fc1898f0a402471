"""How a comparison ends that does not agree: without a verdict, or with a counterexample of some kind."""

from __future__ import annotations

from numpy import iinfo

from ..runtime.jax_errors import of_carried_types


class Unknown(Exception):
    """No verdict can be given; the message says why and what to do."""


class Refuted(Exception):
    """The versions differ; the message is the counterexample."""

    @property
    def of_carried_types(self) -> bool:
        """Whether the new version raises since a carry, or what arms of a `cond` give, does not keep its type."""
        cause = self.__cause__
        return cause.of_carried_types if isinstance(cause, Refuted) else of_carried_types(cause)


class Weaker(Refuted):
    """A result of the new version is weakly typed, and that of the old version is not."""


class Unfit(Refuted):
    """A Python number of the old version does not fit the type that the new version returns."""

    def __init__(self, text: str, number: float) -> None:
        super().__init__(text)
        narrow = [n for n in ("int8", "uint8", "int16", "uint16") if not iinfo(n).min <= number <= iinfo(n).max]
        listed = narrow if float(number).is_integer() and narrow else ["float16"]
        self.remark = f"{number:g} does not fit {', '.join(listed)}: values wrap or become infinite there"


class OtherKind(Refuted):
    """A result is held by JAX in one version, and by NumPy in the other."""


class Raises(Refuted):
    """The new version raises where the old one returns a result."""
