"""Messages that a program sends out while it runs: what it prints, logs and warns of, and what callbacks of JAX get.

A `print` that a rewrite makes a `jax.debug.print` says the same line, from the old version's Python and out of the new
one's program. What Python says itself comes with each call, but under a trace, where it runs once for all calls.
"""

from __future__ import annotations

import builtins
import functools
import hashlib
import logging
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np

RELATIVE = 1e-2
"""What rounding may change of a number that is sent; wrong ones differ by more."""
MOST_SENT = 10_000
"""Lines that are compared; a program that says more is compared by these."""
LONGEST, SHOWN = 10_000, 60
NUMBERS = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\b(?:nan|inf)\b")
WHOLE = re.compile(r"[-+]?\d{1,18}")
LEVELS = ("debug", "info", "warning", "error", "critical")
LIBRARIES = frozenset(["jax", "jaxlib", "numpy"])
"""What these warn of and log is theirs."""
OTHERWISE_HEARD = LIBRARIES | {"logging", "warnings", "traceback", "tqdm"}
"""What these write to a stream is kept where it is said, or tells the time."""
Function = Callable[..., object]


class Sent(NamedTuple):
    """One message: who got it, the numbers in it, and whether it may be sent any number of times.

    `host`: it is a line that Python says itself; `staged`: under a trace; `once`: it is shown once for each call.
    """

    what: str
    values: tuple[np.ndarray, ...]
    pure: bool = False
    host: bool = False
    staged: bool = False
    once: bool = False


@dataclass(slots=True)
class Outgoing:
    """The messages since the last beginning."""

    sent: list[Sent]
    watched: bool = False

    def begin(self) -> None:
        """Forget what was sent before."""
        if self.watched and self.sent:
            _arrived()
        self.sent.clear()

    def taken(self) -> list[Sent]:
        """What was sent since then, once all of it has arrived."""
        _arrived()
        found = list(self.sent)
        self.sent.clear()
        return found

    def note(self, what: str, pure: bool, *args: object, **kwargs: object) -> None:
        """Keep one message."""
        leaves = jax.tree_util.tree_leaves((args, sorted(kwargs.items())))
        kept = [np.asarray(x) for x in leaves if not isinstance(x, str)]
        self.sent.append(Sent(what, tuple(np.array(x) for x in kept if x.dtype.kind in "biufc"), pure))

    def line(self, text: str, *, host: bool = False, kind: str = "line", once: bool = False) -> None:
        """Keep a line that is printed: its words, and the numbers in it by their values; a long one by its digest."""
        if len(self.sent) >= MOST_SENT:
            return
        staged = host and isinstance(jnp.zeros(()), jax.core.Tracer)
        if len(text) > LONGEST:
            digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
            told, numbers = f"{text[:SHOWN]!r}... ({len(text)} characters, {digest})", []
        else:
            told, numbers = repr(NUMBERS.sub("#", text)), NUMBERS.findall(text)
        values = tuple(np.array((int if WHOLE.fullmatch(number) else float)(number)) for number in numbers)
        self.sent.append(Sent(f"the {kind} {told}", values, host=host, staged=staged, once=once))

    def formatted(self, fmt: str, *args: object, **kwargs: object) -> None:
        """Keep a line of `jax.debug.print`."""
        self.line(fmt.format(*args, **kwargs))


def _arrived() -> None:
    """Wait for what is still on its way."""
    jax.effects_barrier()  # type: ignore[no-untyped-call]


OUTGOING = Outgoing([])


def watch() -> None:
    """Keep what goes out from now on; nothing is printed. The code under test is loaded after this."""
    if OUTGOING.watched:
        return
    OUTGOING.watched = True
    callback: Function = jax.debug.callback

    def printed(fmt: str = "", *args: object, ordered: bool = False, **kwargs: object) -> None:
        plain = {k: v for k, v in kwargs.items() if k not in ("partitioned", "skip_format_check", "_use_logging")}
        callback(functools.partial(OUTGOING.formatted, fmt), *args, ordered=ordered, **plain)

    say: Function = builtins.print

    @functools.wraps(say)
    def said(*args: object, sep: str | None = " ", file: object = None, **kwargs: object) -> None:
        if file is None or file is sys.stdout or file is sys.stderr:
            OUTGOING.line((" " if sep is None else sep).join(map(str, args)), host=True)
        else:
            say(*args, sep=sep, file=file, **kwargs)

    builtins.print = said
    jax.debug.print = printed  # type: ignore[assignment]
    jax.debug.callback = _noting(callback, "jax.debug.callback", pure=False)  # type: ignore[assignment]
    jax.experimental.io_callback = _noting(jax.experimental.io_callback, "io_callback", pure=False)
    jax.pure_callback = _noting(jax.pure_callback, "jax.pure_callback", pure=True)
    for stream in (sys.stdout, sys.stderr):
        stream.write = _writing(stream.write)  # type: ignore[method-assign]
    warnings.warn = _warning(warnings.warn)  # type: ignore[assignment]
    for level in LEVELS:
        setattr(logging.Logger, level, _logging(getattr(logging.Logger, level), level))


def _of_the_user(others: frozenset[str] = LIBRARIES) -> bool:
    """Whether what is said is said by the code under test, or what it calls: not by JAX."""
    return str(sys._getframe(2).f_globals.get("__name__", "")).partition(".")[0] not in others


def _writing(write: Function) -> Function:
    """The method of a stream that keeps what is written to it as a line, without the end of that."""

    @functools.wraps(write)
    def written(text: str) -> object:
        if not _of_the_user(OTHERWISE_HEARD):
            return write(text)
        if told := text.removesuffix("\n"):
            OUTGOING.line(told, host=True)
        return len(text)

    return written


def _warning(warn: Function) -> Function:
    """`warnings.warn`, which keeps what is warned of."""

    @functools.wraps(warn)
    def warned(message: object, category: type[Warning] | None = None, *args: object, **kwargs: object) -> object:
        if _of_the_user():
            kind = type(message) if isinstance(message, Warning) else category or UserWarning
            OUTGOING.line(str(message), host=True, kind=kind.__name__, once=True)
        return warn(message, category, *args, **kwargs)

    return warned


def _logging(log: Function, level: str) -> Function:
    """A method of loggers, which keeps what is logged."""

    @functools.wraps(log)
    def logged(logger: logging.Logger, message: object, *args: object, **kwargs: object) -> object:
        if _of_the_user():
            text = logging.LogRecord(logger.name, 0, "", 0, message, args, None).getMessage()
            OUTGOING.line(text, host=True, kind=f"{level} of `{logger.name}`")
        return log(logger, message, *args, **kwargs)

    return logged


def _noting(function: Function, name: str, *, pure: bool) -> Function:
    """A function that runs callbacks, which keeps what each is given."""

    @functools.wraps(function)
    def noting(callback: Function | None = None, *args: object, **kwargs: object) -> object:
        if callback is None:
            return function(*args, **kwargs)
        what = f"`{name}({getattr(callback, '__name__', 'callback')})`"

        @functools.wraps(callback, updated=())
        def noted(*given: object, **named: object) -> object:
            OUTGOING.note(what, pure, *given, **named)
            return callback(*given, **named)

        return function(noted, *args, **kwargs)

    return noting


def different(before: Sequence[Sent], after: Sequence[Sent]) -> str:
    """How what the new version sends differs from what the old one sent; nothing where it does not."""
    extra = next((a for a in after if a.pure and not any(_same(a, b) for b in before if b.pure)), None)
    if extra is not None:
        return f"{extra.what} gets {_shown(extra)}, which the old version does not give it"
    old, new = ([s for s in sent if not (s.pure or s.host)] for sent in (before, after))
    text = _apart(old, new)
    return text and _apart([s for s in before if not s.pure], new) and text


def said_otherwise(before: Sequence[Sent], after: Sequence[Sent]) -> str:
    """How what Python says in a call differs too; a warning is told once, however often it comes."""
    old, new = ([s for s in _once(sent) if not (s.pure or s.staged)] for sent in (before, after))
    return _apart(old, new)


def _once(sent: Sequence[Sent]) -> list[Sent]:
    return [s for at, s in enumerate(sent) if not (s.once and any(_same(s, o) for o in sent[:at]))]


def _apart(old: Sequence[Sent], new: Sequence[Sent]) -> str:
    """How the messages differ, one by one; nothing where they do not."""
    for at, (a, b) in enumerate(zip(old, new, strict=False)):
        if not _same(a, b):
            return f"message {at} was {a.what} of {_shown(a)} and is {b.what} of {_shown(b)}"
    if len(old) != len(new):
        return f"{len(old)} messages were sent (prints, logs, warnings, callbacks), and now {len(new)}"
    return ""


def reordered(before: Sequence[Sent], after: Sequence[Sent]) -> bool:
    """The same messages are sent in another order."""
    left = list(after)
    for one in before:
        found = next((at for at, other in enumerate(left) if _same(one, other)), None)
        if found is None:
            return False
        del left[found]
    return not left


def _same(a: Sent, b: Sent) -> bool:
    if a.what != b.what or len(a.values) != len(b.values):
        return False
    return all(_close(x, y) for x, y in zip(a.values, b.values, strict=True))


def _close(x: np.ndarray, y: np.ndarray) -> bool:
    if x.shape != y.shape:
        return False
    if x.dtype.kind in "biu" and y.dtype.kind in "biu":
        return bool(np.array_equal(x, y))
    one, other = x.astype(np.complex128), y.astype(np.complex128)
    scale = float(np.max(np.abs(one), initial=0.0, where=np.isfinite(one)))
    return bool(np.allclose(one, other, rtol=RELATIVE, atol=RELATIVE * scale, equal_nan=True))


def _shown(sent: Sent) -> str:
    text = ", ".join(str(v.tolist()) for v in sent.values) or "nothing"
    return text if len(text) <= 60 else text[:57] + "..."
