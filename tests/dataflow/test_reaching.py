"""Which definitions reach a read of a name. The comments of each function say it."""

from __future__ import annotations

import ast

import pytest
from marked import expected, flow_of, found

CASES = {
    "a parameter reaches its read": """
        def f(x):
            return x  # x: 1
        """,
    "an assignment hides the one before": """
        def f(x):
            x = 1
            x = 2
            return x  # x: 3
        """,
    "the right side is read before the name is bound": """
        def f(x):
            x = x + 1  # x: 1
            return x  # x: 2
        """,
    "an augmented assignment reads and binds its name": """
        def f(x):
            x += 1  # x: 1
            return x  # x: 2
        """,
    "a swap reads both names before it binds either": """
        def f(a, b):
            a, b = b, a  # a: 1; b: 1
            return a, b  # a: 2; b: 2
        """,
    "chained targets are bound from one value": """
        def f(x):
            a = b = x  # x: 1
            return a, b  # a: 2; b: 2
        """,
    "a starred target is bound": """
        def f(x):
            a, *b = x
            return b  # b: 2
        """,
    "a later target of an assignment sees the one before": """
        def f(xs, i):
            i, xs[i] = 1, 2  # i: 2
        """,
    "a value is evaluated before the place that it is put in": """
        def f(xs, i):
            xs[i] = (i := 1)  # i: 2
        """,
    "both arms of a branch reach what comes after it": """
        def f(c):
            if c:
                x = 1
            else:
                x = 2
            return x  # x: 3, 5
        """,
    "a branch without else leaves what was before": """
        def f(c, x):
            if c:
                x = 1
            return x  # x: 1, 3
        """,
    "a name bound in one arm alone may be missing": """
        def f(c):
            if c:
                x = 1
            return x  # x: 3, missing
        """,
    "each arm of an elif chain reaches its end": """
        def f(n):
            if n == 0:
                x = 1
            elif n == 1:
                x = 2
            elif n == 2:
                x = 3
            else:
                x = 4
            return x  # x: 3, 5, 7, 9
        """,
    "an arm that returns reaches nothing": """
        def f(c):
            x = 1
            if c:
                x = 2
                return x  # x: 4
            return x  # x: 2
        """,
    "an arm that raises reaches nothing": """
        def f(c):
            x = 1
            if c:
                x = 2
                raise ValueError
            return x  # x: 2
        """,
    "a loop may leave what was before it": """
        def f(xs):
            y = 0
            for x in xs:
                y = x  # x: 3
            return y, x  # y: 2, 4; x: 3, missing
        """,
    "a read in a loop sees the trip before": """
        def f(xs):
            y = 0
            for x in xs:
                z = y  # y: 2, 5
                y = x
            return z  # z: 4, missing
        """,
    "a name bound first on each trip does not see the trip before": """
        def f(xs):
            for x in xs:
                y = 1
                y = y + x  # y: 3
            return y  # y: 4, missing
        """,
    "break leaves a loop with what was bound before it": """
        def f(xs):
            y = 0
            for x in xs:
                y = 1
                if x:
                    y = 2
                    break
                y = 3
            return y  # y: 2, 6, 8
        """,
    "else of a loop does not see what break leaves": """
        def f(xs):
            y = 0
            for x in xs:
                if x:
                    y = 1
                    break
            else:
                z = y  # y: 2
            return y  # y: 2, 5
        """,
    "continue goes to the next trip with what was bound": """
        def f(xs):
            y = 0
            for x in xs:
                z = y  # y: 2, 6, 8
                if x:
                    y = 1
                    continue
                y = 2
            return y  # y: 2, 6, 8
        """,
    "the test of a while is read on each trip": """
        def f(x):
            while x > 0:  # x: 1, 3
                x = x - 1  # x: 1, 3
            return x  # x: 1, 3
        """,
    "a while that is always true ends by break alone": """
        def f(x):
            while True:
                y = 1
                if x:
                    break
                y = 2
            return y  # y: 3
        """,
    "else of a while sees the last test": """
        def f(x):
            while (y := x):
                x = x - 1
            else:
                z = y  # y: 2
            return z  # z: 5
        """,
    "an inner loop carries to the next trip of the outer one": """
        def f(xs):
            y = 0
            for a in xs:
                for b in a:  # a: 3
                    y = y + b  # y: 2, 5; b: 4
            return y  # y: 2, 5
        """,
    "what is bound between loops reaches the inner one alone": """
        def f(xs):
            for a in xs:
                y = 0
                for b in a:
                    y = y + b  # y: 3, 5
            return y  # y: 3, 5, missing
        """,
    "a handler sees what was bound before each place that may raise": """
        def f(g):
            x = 1
            try:
                x = g()
                x = g(x)  # x: 4
            except ValueError:
                return x  # x: 2, 4, 5
            return x  # x: 5
        """,
    "else of a try sees its whole body": """
        def f(g):
            try:
                x = g()
            except ValueError:
                x = 0
            else:
                x = x + 1  # x: 3
            return x  # x: 5, 7
        """,
    "finally sees all that may come to it": """
        def f(g):
            x = 1
            try:
                x = 2
                g()
                x = 3
            finally:
                y = x  # x: 2, 4, 6
            return x  # x: 6
        """,
    "finally on the way of a return does not reach what comes after": """
        def f(c):
            x = 1
            try:
                if c:
                    x = 2
                    return x  # x: 5
            finally:
                y = x  # x: 2, 5
            return x  # x: 2
        """,
    "a break through finally leaves the loop behind it": """
        def f(xs):
            y = 0
            for x in xs:
                try:
                    break
                finally:
                    y = 1
            return y  # y: 2, 7
        """,
    "the name of an exception is gone after its handler": """
        def f(g, e):
            try:
                g()
            except ValueError as e:
                print(e)  # e: 4
            return e  # e: 1, missing
        """,
    "a with statement binds its name": """
        def f(g):
            with g() as h:
                x = h  # h: 2
            return h, x  # h: 2; x: 3
        """,
    "a with statement that suppresses may end early": """
        def f(g):
            x = 1
            with contextlib.suppress(ValueError):
                x = g()
                x = g()
            return x  # x: 2, 4, 5
        """,
    "del leaves nothing": """
        def f(x, c):
            if c:
                del x
            return x  # x: 1, missing
        """,
    "an import binds its alias or its first part": """
        def f():
            import a.b
            from c import d as e
            return a, e  # a: 2; e: 3
        """,
    "a walrus binds where it is evaluated": """
        def f(x):
            y = (z := x) + z  # z: 2
            return z  # z: 2
        """,
    "a walrus in a part that may be left out may not bind": """
        def f(x, z):
            y = x and (z := 1)
            return z  # z: 1, 2
        """,
    "a walrus in one arm of a choice may not bind": """
        def f(x, z):
            y = (z := 1) if x else z  # z: 1
            return z  # z: 1, 2
        """,
    "a walrus in a comprehension binds in the function": """
        def f(xs):
            y = [(t := x) for x in xs]  # x: 2
            return t  # t: 2, missing
        """,
    "a comprehension has a scope of its own": """
        def f(x, xs):
            y = [x for x in xs]
            return x  # x: 1
        """,
    "the first iterable of a comprehension is read outside": """
        def f(x):
            return [y for x in x for y in x]  # x: 1, 2; y: 2
        """,
    "a second clause of a comprehension sees the first": """
        def f(xs):
            return [b for a in xs for b in a]  # a: 2; b: 2
        """,
    "a lambda's parameter hides a name": """
        def f(x):
            g = lambda x: x
            return g(x)
        """,
    "a default is read where a lambda is made": """
        def f(x):
            g = lambda y=x: y  # x: 1
            x = 2
            return g()
        """,
    "an inner function sees what is bound when it is called": """
        def f():
            x = 1
            def g():
                return x  # x: 5
            x = 2
            return g()
        """,
    "an inner function sees what each call sees": """
        def f():
            x = 1
            g = lambda: x + 0  # x: 2, 5
            y = g()
            x = 2
            return g()
        """,
    "an inner function that is returned sees what is last": """
        def f():
            x = 1
            def g():
                return x  # x: 5
            x = 2
            return g
        """,
    "an inner function that gets away may run at each unknown call": """
        def f(h):
            x = 1
            h.keep(lambda: x + 0)  # x: 2, 4, 6
            x = 2
            h.run()
            x = 3
            h.run()
        """,
    "an inner function through another name is the same": """
        def f():
            x = 1
            g = lambda: x + 0  # x: 5
            h = g
            x = 2
            return h()
        """,
    "a function handed to scan is run there": """
        def f(xs):
            y = 1
            def step(c, x):
                return c + y, x  # y: 2
            z = lax.scan(step, 0, xs)
            y = 2
            return z
        """,
    "an inner function may bind a name of the one around it": """
        def f():
            x = 1
            def g():
                nonlocal x
                x = 2
            y = x  # x: 2
            g()
            return x  # x: 2, 5
        """,
    "an inner function that another one calls binds as well": """
        def f():
            x = 1
            def g():
                nonlocal x
                x = 2
            def h():
                g()
            h()
            return x  # x: 2, 5
        """,
    "a function that calls itself keeps what it binds": """
        def f(n):
            x = 1
            def g(n):
                nonlocal x
                x += n  # x: 2, 5
                if n:
                    g(n - 1)
            g(n)
            return x  # x: 2, 5
        """,
    "two levels of functions": """
        def f(x):
            def g():
                def h():
                    return x  # x: 1
                return h()
            return g()
        """,
    "an inner function's own name is its own": """
        def f(x):
            def g():
                x = 2
                return x  # x: 3
            g()
            return x  # x: 1
        """,
    "the body of a class has a scope that its methods do not see": """
        def f(x):
            class A:
                x = x  # x: before
                def m(self):
                    return x  # x: 1
            return A, x  # A: 2; x: 1
        """,
    "a generator expression that is stored runs later": """
        def f(xs):
            y = 1
            g = (x * y for x in xs)  # y: 2, 4
            y = 2
            return list(g)
        """,
    "a global may be bound by any call that is not known": """
        def f(g):
            global x
            x = 1
            g()
            return x  # x: 3, 4
        """,
    "a global is not bound by a call that is known": """
        def f(g):
            global x
            x = 1
            print(g)
            return x  # x: 3
        """,
    "a name from outside comes from before": """
        def f():
            return x  # x: before
        """,
    "the cases of a match are tried in turn": """
        def f(x):
            match x:
                case [a, b]:
                    y = a  # a: 3
                case {"k": a, **rest}:
                    y = rest  # rest: 5
                case _:
                    y = x  # x: 1
            return y  # y: 4, 6, 8
        """,
    "a match without a case for all may do nothing": """
        def f(x):
            y = 0
            match x:
                case 1:
                    y = 1
            return y  # y: 2, 5
        """,
    "code that cannot be reached sees nothing": """
        def f(x):
            return x  # x: 1
            y = x  # x: nothing
        """,
    "statements on one line are told apart": """
        def f(x):
            x = 1; y = x; x = 2; return y, x  # y: 2; x: 2
        """,
}


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in CASES.items()])
def test_definitions_of_names(code: str) -> None:
    assert found(code) == {key: lines - {"nothing"} for key, lines in expected(code).items()}


@pytest.mark.parametrize(
    "code",
    [
        "def f(x):\n    y = 1\n    for i in x:\n        y = 2\n    return y",
        "def f(x):\n    def inner(y):\n        y = 1\n        for _ in range(3):\n            y = y + 1\n        return y",
    ],
    ids=["of the function", "of an inner function"],
)
def test_what_enters_a_loop_is_from_before_it(code: str) -> None:
    flow = flow_of(code)
    (loop,) = [n for n in ast.walk(flow.function) if isinstance(n, ast.For)]
    assert [d.node.lineno for d in flow.entering(loop, "y")] == [loop.lineno - 1]
