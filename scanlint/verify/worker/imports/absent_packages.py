"""Stand-ins for packages that are not installed here, so that modules which import them load; no result may use one."""

from __future__ import annotations

import abc
import contextlib
import sys
import types
from collections.abc import Iterable, Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec

_loading = [False]


class NotInstalledError(ImportError):
    """Code uses a stand-in after loading has ended."""


def stands_in(value: object) -> bool:
    """Whether a value is a stand-in, or a class derived from one."""
    return isinstance(value, _Stand)


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """While modules are loaded a stand-in may be read, called and derived from; afterwards that is an error."""
    before, _loading[0] = _loading[0], True
    try:
        yield
    finally:
        _loading[0] = before


class _Stand(abc.ABCMeta):
    """The class of all stand-ins: they are classes, so that others can be derived from them."""

    def __getattr__(cls, name: str) -> object:
        return _part(cls._absent().__qualname__, name)

    def __call__(cls, *arguments: object, **keywords: object) -> object:
        absent = cls._absent()
        made_there = cls.__init__ is object.__init__ and bool(arguments or keywords)  # type: ignore[misc]
        if cls is absent or made_there:  # by the metaclass or the decorator that is not here: fields of flax, equinox
            return _part(absent.__qualname__, "()")
        return super().__call__(*arguments, **keywords)

    def _absent(cls) -> type:
        """The stand-in that a class is, or is derived from."""
        return next((c for c in cls.__mro__ if "absent" in c.__dict__), cls)

    def __getitem__(cls, key: object) -> object:
        return cls

    def _computed(cls, *others: object) -> object:
        return _part(cls.__qualname__, "()")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _computed
    __pow__ = __rpow__ = __matmul__ = __rmatmul__ = __neg__ = _computed


def _part(whole: str, name: str) -> object:
    """The attribute or call result of a stand-in; raises NotInstalledError after loading has ended."""
    if name.startswith("__") and name.endswith("__"):
        raise AttributeError(name)
    if not _loading[0]:
        raise NotInstalledError(f"{_absent(whole)}: the code uses `{f'{whole}.{name}'.replace('.()', '')}`")
    return _Stand(name, (), {"absent": True, "__qualname__": f"{whole}.{name}"})


def _absent(whole: str) -> str:
    """Which package is missing, or which module of one that is there."""
    known = [n for n in ABSENT.names if whole == n or whole.startswith(f"{n}.")]
    name = max(known, key=len, default=whole.partition(".")[0])
    return f"`{name}` is not installed where the code is run"


class _Module(types.ModuleType):
    def __getattr__(self, name: str) -> object:
        return _part(self.__name__, name)


class Absent(MetaPathFinder, Loader):
    """Finds the modules of the named packages that no other finder has found."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def stand_in(self, names: Iterable[str]) -> None:
        self.names |= set(names)
        if self not in sys.meta_path:
            sys.meta_path.append(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        known = any(name == n or name.startswith(f"{n}.") for n in self.names)
        return ModuleSpec(name, self, is_package=True) if known else None

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing is run."""


def listed(names: Iterable[str]) -> str:
    """The names in a sentence, with their verb."""
    found = sorted(names)
    return f"{', '.join(f'`{n}`' for n in found)} {'are' if len(found) > 1 else 'is'}"


STAND = _Stand.__name__
"""What errors call a stand-in."""
ABSENT = Absent()
