"""Normal forms of what acts on each element alone: exact rules only, none that rounds otherwise."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from ..numbering.primitives import ELEMENTWISE as NUMBERED
from ..numbering.value_numbers import COMMUTATIVE, folded
from .polynomials import Polynomial
from .term_table import BOOL, Shape, Term, TermTable

ELEMENTWISE = NUMBERED - {"bitcast_convert_type"}  # which may change the shape
TURNED = {"gt": "lt", "ge": "le"}
MOST_LOOKED_AT = 12
PLAIN = frozenset(["and", "or", "not", "eq", "lt", "le"])


class Elementwise(TermTable):
    """Terms whose operations on each element are in normal form."""

    def elementwise(self, op: str, par: Hashable, args: Sequence[Term], shape: Shape, dtype: object) -> Term:
        args = [self.spread(a, shape) for a in args]
        args = [a.args[0] if a.op == "broadcast_in_dim" and not a.args[0].shape else a for a in args]
        if shape and all(not a.shape for a in args):
            return self.broadcast(self.elementwise(op, par, args, (), dtype), shape)
        if shape and (stacked := next((a for a in args if a.op == "rows"), None)) is not None:
            count = stacked.par
            assert isinstance(count, Polynomial)
            return self.by_rows(
                count, lambda t: self.elementwise(op, par, [self._part(a, t) for a in args], shape[1:], dtype)
            )
        if op in TURNED:
            op, args = TURNED[op], args[::-1]
        if op == "add_any":
            op = "add"
        if op == "ne":
            return self.elementwise("not", (), [self.elementwise("eq", par, args, shape, dtype)], shape, dtype)
        if op == "square" or (op == "integer_pow" and par == (("y", 2),)):
            op, par, args = "mul", (), [args[0]] * 2
        if (found := self._simpler(op, args, shape, dtype)) is not None:
            return found
        if not shape and all(a.whole for a in args) and (whole := self._integers(op, args, dtype)) is not None:
            return whole
        if not shape and (folded := self._folded(op, args, dtype)) is not None:
            return folded
        if op in COMMUTATIVE:
            args = sorted(args, key=lambda a: a.number)
        par = () if op in PLAIN or op in ("convert_element_type", "select_n") else par
        return self.term(op, par, args, shape, dtype)

    def by_rows(self, count: Polynomial, body: Callable[[Polynomial], Term]) -> Term:
        """The array whose row t is `body(t)`."""
        name = self.fresh("t")
        with self.integers.within(name, count) as trip:
            return self.rows(name, count, body(trip))

    def spread(self, term: Term, shape: Shape) -> Term:
        """An operand in the shape of the result: axes of one element are spread."""
        if term.shape in ((), shape):
            return term
        return self.make("broadcast_in_dim", tuple(range(len(shape))), [term], shape, term.dtype)

    def _part(self, term: Term, trip: Polynomial) -> Term:
        return self.row(term, 0, trip) if term.shape else term

    def shaped(self, term: Term, shape: Shape) -> Term:
        return term if term.shape == shape else self.broadcast(term, shape)

    def _simpler(self, op: str, args: list[Term], shape: Shape, dtype: object) -> Term | None:
        match op:
            case "convert_element_type":
                return self._converted(args[0], shape, dtype)
            case "select_n":
                return self._selected(args, shape, dtype)
            case "not" if dtype == BOOL and args[0].op == "not":
                return self.shaped(args[0].args[0], shape)
            case "or" if dtype == BOOL:
                return self.negated(self.elementwise("and", (), [*map(self.negated, args)], shape, BOOL))
            case "and" if dtype == BOOL:
                for one, other in (args, args[::-1]):
                    if not one.shape and (value := self.known(one)) is not None:
                        return self.shaped(other if bool(value) else one, shape)
                if args[0] is args[1]:
                    return self.shaped(args[0], shape)
                return self._all_of(args, shape)
        return None

    def negated(self, term: Term) -> Term:
        return self.elementwise("not", (), [term], term.shape, BOOL)

    def _all_of(self, args: Sequence[Term], shape: Shape) -> Term:
        """A conjunction in order, each part once."""
        parts, todo = dict[int, Term](), list(args)
        while todo:
            part = todo.pop()
            if part.op == "and" and part.shape == shape:
                todo += part.args
            else:
                parts[part.number] = part
        first, *others = [parts[k] for k in sorted(parts)]
        for part in others:
            first = self.term("and", (), [first, part], shape, BOOL)
        return self.shaped(first, shape)

    def _converted(self, term: Term, shape: Shape, dtype: object) -> Term | None:
        if term.dtype == dtype:
            return self.shaped(term, shape)
        whole = isinstance(dtype, np.dtype) and dtype.kind in "iu"
        if whole and term.whole and not shape:
            value = self.polynomial(term)
            inside = self.integers.fits(value, term.dtype) and self.integers.fits(value, dtype)
            return self.integer(value, dtype) if inside else None
        return None

    def _selected(self, args: list[Term], shape: Shape, dtype: object) -> Term | None:
        which, *cases = args
        if all(case is cases[0] for case in cases):
            return self.shaped(cases[0], shape)
        if not which.shape and (value := self.known(which)) is not None:
            return self.shaped(cases[min(max(int(value), 0), len(cases) - 1)], shape)
        if which.op == "not" and which.dtype == BOOL and len(cases) == 2:
            return self.elementwise("select_n", (), [which.args[0], *cases[::-1]], shape, dtype)
        if which.dtype == BOOL and len(cases) == 2:
            inner = [self._under(which, case, bool(k)) for k, case in enumerate(cases)]
            if any(a is not b for a, b in zip(inner, cases, strict=True)):
                return self.elementwise("select_n", (), [which, *inner], shape, dtype)
        if which.dtype == BOOL and len(cases) == 2 and (joined := self._joint(which, cases[0], cases[1])) is not None:
            return self.elementwise("select_n", (), joined, shape, dtype)
        if dtype == BOOL and which.dtype == BOOL and len(cases) == 2 and which.shape in ((), shape):
            return self._either(which, cases[0], cases[1], shape)
        return None

    def _under(self, which: Term, case: Term, holds: bool) -> Term:
        """A case where the condition is known: it may choose by the same condition."""
        if which.shape:  # it chooses for each element apart
            return case.args[1 + holds] if case.op == "select_n" and case.args[0] is which else case
        todo = [case]
        for _ in range(MOST_LOOKED_AT):
            if not todo:
                break
            term = todo.pop()
            if term.op == "select_n" and term.args[0] is which:
                return self.where(case, which, holds)
            todo += term.args
        return case

    def where(self, term: Term, condition: Term, holds: bool) -> Term:
        raise NotImplementedError

    def _joint(self, which: Term, no: Term, yes: Term) -> list[Term] | None:
        """A choice of which one side is the other choice's: both conditions as one."""
        for op, inner, other in (("or", no, yes), ("and", yes, no)):
            if inner.op == "select_n" and len(inner.args) == 3 and inner.args[0].dtype == BOOL:
                second, left, right = inner.args
                if second.shape == which.shape and other is (right if op == "or" else left):
                    both = self.elementwise(op, (), [which, second], which.shape, BOOL)
                    return [both, left, right]
        return None

    def _either(self, which: Term, no: Term, yes: Term, shape: Shape) -> Term | None:
        """A truth by another truth, as `and` and `or`."""
        no, yes = (self.truth(False) if no is which else no), (self.truth(True) if yes is which else yes)
        values = [self.known(c) if not c.shape else None for c in (no, yes)]
        if values[0] is not None and values[1] is not None:  # they differ, or they were one term
            return self.shaped(which if values[1] else self.negated(which), shape)
        if values[0] is None and values[1] is None:
            return None
        known, other = (no, yes) if values[0] is not None else (yes, no)
        value = bool(self.known(known))
        condition = which if (known is no) is not value else self.negated(which)
        return self.elementwise("or" if value else "and", (), [condition, other], shape, BOOL)

    def _integers(self, op: str, args: Sequence[Term], dtype: object) -> Term | None:
        """An operation on whole numbers without axes, where its result is a polynomial."""
        values = [self.polynomial(a) for a in args]
        match op:
            case "add":  # in a ring, wrapped or not
                return self.integer(values[0] + values[1], dtype)
            case "sub":
                return self.integer(values[0] - values[1], dtype)
            case "mul":
                return self.integer(values[0] * values[1], dtype)
            case "neg":
                return self.integer(-values[0], dtype)
        if not all(self.integers.fits(v, a.dtype) for v, a in zip(values, args, strict=True)):
            return None
        match op:
            case "lt":
                return self.compared("below", values[0] - values[1])
            case "eq":
                return self.compared("zero", values[0] - values[1])
            case "le":
                return self.elementwise("not", (), [self.compared("below", values[1] - values[0])], (), BOOL)
            case "rem" | "div":
                by = values[1].constant
                if by is not None and by > 0 and self.integers.at_least_zero(values[0]):
                    return self.integer(self.integers.divided(values[0], by)[op == "rem"], dtype)
            case "max" | "min":
                for a, b in ((0, 1), (1, 0)):
                    if self.integers.at_least_zero(values[a] - values[b]):
                        return args[a if op == "max" else b]
            case "clamp":
                low = self.elementwise("max", (), [args[1], args[0]], (), dtype)
                return self.elementwise("min", (), [low, args[2]], (), dtype)
            case "sign" if self.integers.at_least_zero(values[0] - 1):
                return self.integer(1, dtype)
        return None

    def _folded(self, op: str, args: Sequence[Term], dtype: object) -> Term | None:
        """The constant that an operation on known numbers gives, if every back end gives the same."""
        values = [v for a in args if (v := self.known(a)) is not None]
        if not args or len(values) < len(args) or not isinstance(dtype, np.dtype):
            return None
        if op == "convert_element_type":
            return None if dtype.kind not in "fb" or args[0].whole is False else self.constant(values[0], dtype)
        found = folded(op, values, dtype)
        return None if found is None else self.constant(found, dtype)
